"""Whether a test says the same when it is run again: Bouckaert & Frank (R-04 to R-07)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import validation
from ..errors import DataError, counted
from ..numerics import exact_sums
from ..registry import procedure


@dataclass(frozen=True, slots=True)
class Replicability:
    """How often a repeated test agrees with itself, over datasets."""

    R: float
    """The chance that two repetitions on the same dataset agree (R-07)."""
    stderr: float | None
    """Standard error of R over datasets; None for a single one."""
    consistent: int
    """Datasets on which all repetitions agree (R-04)."""
    almost_consistent: int
    """Datasets on which at most one repetition differs (R-05)."""
    n_datasets: int
    n: int
    """Repetitions on each dataset."""
    per_dataset: tuple[float, ...] = field(repr=False)
    """R(k, n) of each dataset (R-06)."""

    @property
    def estimate(self) -> float:
        return self.R

    @property
    def consistent_share(self) -> float:
        return self.consistent / self.n_datasets

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        error = "" if self.stderr is None else f" (standard error {self.stderr:.3f})"
        return (
            f"Replicability R = {self.R:.3f}{error} over {counted(self.n_datasets, 'dataset')} "
            f"with {self.n} repetitions each: consistent on {self.consistent}, almost consistent "
            f"on {self.almost_consistent}."
        )


def pair_agreement(k: Any, n: int) -> Any:
    """Return R(k, n): the share of pairs of n repetitions that agree if k of them reject (R-06).

    [k(k − 1) + (n − k)(n − k − 1)] / (n(n − 1)), in whole numbers until the division. It can fall
    to (n/2 − 1)/(n − 1), below one half (E-R1).
    """
    counts, n = whole_counts(k, n, "k")
    kinds, place = np.unique(counts, return_inverse=True)
    agreeing = [i * (i - 1) + (n - i) * (n - i - 1) for i in kinds.tolist()]
    values = np.array([pairs / (n * (n - 1)) for pairs in agreeing])
    return values[place].reshape(counts.shape)[()]


@procedure(
    title="Replicability of a repeated test",
    paper="bouckaert-frank",
    requirements=("R-04", "R-05", "R-06", "R-07"),
    designs=("kfold", "repeated-kfold", "repeated-2fold", "resampled"),
    standing="reference",
    advice="For a test repeated with different splits on each of several datasets.",
    reads="the number of rejections of a repeated test for each dataset",
    example="replicability([0, 10, 9, 3, 10], n=10)",
)
def replicability(counts: Any, n: int) -> Replicability:
    """Summarize how often repetitions of a test agree with each other over datasets.

    The outcome of a repetition is to reject or not; which side wins is not compared. R =
    Σ (iₖ/m) R(k, n), where iₖ of m datasets have k rejections (Bouckaert & Frank, 2004).

    Parameters
    ----------
    counts : array-like of int
        Number of rejections on each dataset, or of non-rejections: the result is the same.
    n : int
        Number of repetitions of the test on each dataset.

    Returns
    -------
    Replicability
        Replicability over datasets and on each.

    Examples
    --------
    >>> import outperform as op
    >>> str(op.replicability([0, 10, 9, 3, 10], n=10)).partition(":")[0]
    'Replicability R = 0.867 (standard error 0.092) over 5 datasets with 10 repetitions each'
    """
    array, n = whole_counts(counts, n, "counts")
    if array.ndim != 1:
        raise DataError(f"counts must contain one count for each dataset, got shape {array.shape}.")
    each = pair_agreement(array, n)
    m, differing = array.size, np.minimum(array, n - array)
    return Replicability(
        R=float(exact_sums.mean(each)),
        stderr=float(exact_sums.standard_deviation(each)) / m**0.5 if m > 1 else None,
        consistent=int(np.count_nonzero(differing == 0)),
        almost_consistent=int(np.count_nonzero(differing <= 1)),
        n_datasets=m,
        n=n,
        per_dataset=tuple(each.tolist()),
    )


def whole_counts(values: Any, n: Any, name: str) -> tuple[npt.NDArray[np.int64], int]:
    """Return counts between 0 and n, and n, as whole numbers."""
    total = validation.counts(n, "n")
    if total.size != 1 or total.flat[0] < 2:
        raise DataError(f"n must be at least 2, so that pairs of repetitions can agree, got {n}.")
    counts, whole = validation.counts(values, name).astype(np.int64), int(total.flat[0])
    if (counts > whole).any():
        raise DataError(
            f"{name} must not exceed the number of repetitions n = {whole}, got {counts.max()}. "
            "Pass the number of repetitions on each dataset as n."
        )
    return counts, whole
