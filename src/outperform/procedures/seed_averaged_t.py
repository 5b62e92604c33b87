"""Corrected t on splits run with several seeds (N-18), and how much splits and seeds vary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import MethodError, argument
from ..notes import Note
from ..numerics import exact_sums
from ..numerics.distributions import T
from ..numerics.exact_sums import ROUNDING, Array
from ..registry import method
from ..results.evidence import Pivot
from ..views import SplitsBySeeds


def components(d: SplitsBySeeds) -> tuple[Array, Array]:
    """Return the variance of differences between splits, and between the seeds of a split.

    The one-way analysis of variance: σ²_seed is the mean square within splits and σ²_split the rest
    of the mean square between them, (MSB − MSW) / S; chance can put it below 0.
    """
    seeds = d.values.shape[-1]
    means, within = exact_sums.centre(d.values)
    splits = means.shape[-1]
    lead = d.values.shape[:-2]
    msw = exact_sums.root_sum_squares(within.reshape(*lead, -1)) ** 2 / (splits * (seeds - 1))
    msb = seeds * exact_sums.standard_deviation(means) ** 2
    return (msb - msw) / seeds, msw


def taken_apart(d: SplitsBySeeds, options: dict[str, Any]) -> Iterator[Note]:
    """Say how much of the variance is between splits, and how much between seeds."""
    split, seed = (float(part) for part in components(d))
    total = max(split, 0.0) + seed
    if total > 0:
        yield Note(
            "OP314",
            f"Standard deviation of the differences: {max(split, 0.0) ** 0.5:.2g} between splits, "
            f"{seed**0.5:.2g} between seeds within a split ({seed / total:.0%} of the variance).",
        )


@method(
    title="Corrected resampled t-test on means over seeds",
    paper="nadeau-bengio",
    requirements=("N-18",),
    designs=("splits-and-seeds",),
    default_for=("splits-and-seeds",),
    published_design="5seeds*10cv",
    accounts_for=("test data", "training data", "internal randomness"),
    standing="recommended",
    advice="For splits that were each run with several seeds.",
    checks=(taken_apart,),
)
def seed_averaged_t(d: SplitsBySeeds) -> Pivot:
    """The corrected t on the mean difference of each split over its seeds.

    t = d̄ / √((1/J + n₂/n₁) s²), where s² is the variance of the J means over seeds, with J − 1
    degrees of freedom. Seeds of a split share its data, so they are averaged and not counted as
    splits. `details` has the components of variance, σ²_split + σ²_seed/S = E s², by the one-way
    analysis of variance. The seed component is also widened by n₂/n₁, which is conservative.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [[0.81, 0.79], [0.84, 0.80], [0.83, 0.78], [0.82, 0.85], [0.80, 0.81]]
    >>> bayes = [[0.80, 0.76], [0.85, 0.78], [0.83, 0.80], [0.80, 0.82], [0.77, 0.80]]
    >>> found = op.seed_averaged_t(tree, bayes, design="2seeds*5cv")
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.012, 0.2821)
    """
    if d.test_train_ratio is None:
        raise MethodError(
            "the sizes of the training and test sets are unknown, and the correction needs n_test "
            f"/ n_train. Pass {argument(design='5seeds*10cv')} (or your design), or the sizes, "
            f"such as {argument(n_train=90, n_test=10)}"
        )
    means = exact_sums.centre(d.values)[0]
    splits = means.shape[-1]
    estimate, apart = exact_sums.centre(means)
    flat = exact_sums.largest(apart) <= ROUNDING * d.scale
    sd = np.where(flat, 0.0, exact_sums.root_sum_squares(apart) / np.sqrt(splits - 1))
    between, within = components(d)
    details = {
        "variance_between_splits": np.maximum(between, 0.0)[()],
        "variance_between_seeds": within[()],
    }
    stderr = sd * np.sqrt(1 / splits + d.test_train_ratio)
    return Pivot(estimate, stderr, T(splits - 1), details=details)
