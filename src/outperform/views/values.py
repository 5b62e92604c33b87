"""Plain numbers that are neither scores nor losses: p-values or t-values of partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..errors import DataError, MethodError
from ..numerics.exact_sums import Array
from .contract import (
    Case,
    Context,
    Generator,
    Inputs,
    View,
    only,
    pair,
    register_view,
    reordered,
    whole_numbers,
)

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class Values:
    """Plain numbers that are neither scores nor losses: p-values or t values of partitions.

    Attributes
    ----------
    values : ndarray
        The numbers.
    null : float
        Value under the null hypothesis.

    Examples
    --------
    >>> import numpy as np
    >>> from outperform.extend import Values
    >>> Values(np.array([0.2, 0.06])).values
    array([0.2 , 0.06])
    """

    values: Array
    null: float = 0.0

    @property
    def identical(self) -> Any:
        """Whether there is nothing to judge."""
        return np.zeros(self.values.shape[:-1], dtype=bool)


def from_arrays(
    layout: str, values: Any, *, names: tuple[str, str] | None = None, batch: bool = False
) -> tuple[Values, Context]:
    """Read p-values of partitions, one-tailed and signed where the method says so.

    Parameters
    ----------
    values : array-like
        One p-value for each partition; signed where the method says so.
    """
    array = validation.numbers(values, "values")
    if array.ndim != 1 and not batch:
        raise DataError(f"values must contain one number per partition, got shape {array.shape}.")
    size = np.abs(array) if layout == "signed p" else array
    if (size <= 0).any() or (size > 1).any():
        raise DataError(
            "All p-values must be greater than 0 and at most 1, one for each partition."
        )
    return Values(array), Context(pair(names), array.shape[-1], metric="p-value")


def from_scores(layout: str, scores: Scores, *_: Any, **__: Any) -> tuple[Any, Context]:
    raise MethodError(
        "This method combines p-values of partitions, not scores. Pass the p-values, or use "
        "averaged_t(scores)"
    )


def _pvalues(layout: str, rng: Generator) -> list[Case]:
    def one() -> Case:
        signs = rng.choice([-1.0, 1.0], 12, p=[0.3, 0.7]) if layout == "signed p" else 1.0
        return Case("p-values of 12 partitions", {"values": signs * rng.uniform(0.01, 0.4, 12)})

    return [one() for _ in range(3)]


def _tiny_pvalues(layout: str, rng: Generator, beyond: bool) -> Case:
    n = {("p", False): 20, ("p", True): 200, ("signed p", False): 100}.get((layout, beyond), 5000)
    return Case(f"{n} p-values near 1e-5", {"values": rng.uniform(0.5e-5, 2e-5, n)})


def _negated(case: Case, layout: str) -> Case | None:
    return case.each("negated", np.negative) if layout == "signed p" else None


register_view(
    View(
        Values,
        from_arrays,
        from_scores,
        Inputs(
            _pvalues,
            _tiny_pvalues,
            whole_numbers("powers of one half", values=[0.5, 0.25, 0.125, 1.0]),
            only(Case("two p-values", {"values": np.array([0.2, 0.4])})),
            reordered,
            _negated,
        ),
        layouts=("p", "signed p"),
    )
)
