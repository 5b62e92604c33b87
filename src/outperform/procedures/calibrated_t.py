"""Calibrated t: how a whole cross-validation varies is measured between halves, not assumed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import argument
from ..notes import Note
from ..numerics.distributions import T
from ..numerics.exact_sums import Array, standard_deviation
from ..registry import method
from ..results.evidence import Pivot
from ..views import Calibration
from .half_sample_t import degrees_of_freedom, half_sample_t, halves_spread

FLOOR = 0.25
"""The least share of the variance carried over that the noise of partitioning may leave."""
MOST_GROWTH = 1.25
"""Growth above which learners change too much between n/2 and n for the variance to carry over."""
FEWEST = 60
"""The smallest n on which the error rate was measured."""


def _strained(c: Calibration, options: dict[str, Any]) -> Iterator[Note]:
    """Say where the variance measured between halves may not be that of the whole."""
    growth, kind = float(c.growth), "groups" if c.whole_weights is not None else "items"
    if c.squares is None:
        yield Note("OP324" if c.left_out else "OP323")
    elif np.isinf(growth):
        yield Note(
            "OP320",
            "The learners differ on all data and on no half of them, so the variance cannot be "
            "measured on halves. Collect more data.",
        )
    elif growth > MOST_GROWTH:
        said = f"The learners differ {growth:.2f} times as much on all data as on half of them"
        yield Note(
            "OP320",
            f"{said} (mean squared difference of losses); above 1.25 the variance measured on "
            "halves may not apply to all data. Use the half-data result, or collect more data.",
        )
    strict = bool(options.get("strict"))
    if not strict and float(c.gaps.any()) and float(_kept(c, strict=False)) <= FLOOR:
        repeats, folds = c.whole.shape[-2:]
        more = (
            c.design.replace(
                f"{repeats}x{folds}cv+{c.n_halvings}halves",
                f"{2 * repeats}x{folds}cv+{2 * c.n_halvings}halves",
            )
            or f"{2 * repeats}x{folds}cv+{2 * c.n_halvings}halves"
        )
        yield Note(
            "OP321",
            "The noise of partitioning is as large as the variance between halves. "
            f"Add repeats and halvings: run again with {argument(design=more)} and the same "
            "store, which keeps all existing fits.",
        )
    if c.n < FEWEST:
        yield Note(
            "OP322",
            f"There are only {c.n:g} {kind}; the error rate of the calibrated t-test was measured "
            f"for {FEWEST} or more.",
        )


def carried_spread(c: Calibration) -> Array:
    """Return √B: B = ½ max(1, g) v, the variance of a cross-validation of all n items.

    It is 0, for which there is no p-value, where g is infinite.
    """
    growth = np.where(np.isinf(c.growth), 0.0, np.maximum(c.growth, 1.0))
    return np.asarray(halves_spread(c) * np.sqrt(growth / 2))


def _kept(c: Calibration, *, strict: bool) -> Array:
    """Return q, the share of B that is left once repeats have averaged partitions out."""
    carried, repeats = carried_spread(c), c.whole.shape[-2]
    if strict or repeats < 2:
        return np.ones(np.shape(carried))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        noise = standard_deviation(c.repeat_means) / carried
    noise = np.where(carried > 0, noise, 0.0)
    return np.asarray(np.maximum(1 - (1 - 1 / repeats) * noise**2, FLOOR))


def stress_stderr(c: Calibration) -> Array:
    """Return √Var_S: Var_S = D_n/n + max(1, g) L, for luck with the dataset that does not shrink.

    L = max(0, v − 2 D_h/n) is what items do not explain of v. Without item losses, and of groups,
    whose items are not independent, nothing is known to be sampling of items, and L = v.
    """
    growth = np.where(np.isinf(c.growth), 0.0, np.maximum(c.growth, 1.0))
    with np.errstate(over="ignore", invalid="ignore"):
        luck, sampling = halves_spread(c) ** 2, np.zeros(np.shape(growth))
        if c.squares is not None and c.whole_weights is None:
            luck = np.maximum(luck - 2 * c.squares[..., 1] / c.n, 0.0)
            sampling = c.squares[..., 0] / c.n
        found = np.sqrt(sampling + growth * luck)
    return np.where((halves_spread(c) > 0) & (growth > 0), found, 0.0)


def _correlation(c: Calibration, stderr: Array) -> Array:
    """Return how two splits correlate, for which the mean of all would vary as was measured.

    Var = σ²(ρ + (1 − ρ)/J), of which the spread of J splits shows σ²(1 − ρ).
    """
    flat = c.whole.reshape(*c.whole.shape[:-2], -1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = (stderr / standard_deviation(flat)) ** 2 - 1 / flat.shape[-1]
        found = np.clip(ratio / (1 + ratio), 0.0, 1.0)
    return np.asarray(np.where(np.isfinite(ratio) & (stderr > 0), found, np.nan))


@method(
    title="Calibrated t-test",
    paper="outperform",
    requirements=(),
    designs=("calibrated-kfold",),
    default_for=("calibrated-kfold",),
    published_design="5x5cv+20halves",
    accounts_for=("test data", "training data", "internal randomness"),
    standing="recommended",
    grade="measured",
    undefined_note="OP325",
    checks=(_strained,),
    advice="The default if learners are run: it measures how splits correlate, where corrected_t "
    "assumes it.",
)
def calibrated_t(c: Calibration, *, strict: bool = False) -> Pivot:
    """The mean over repeats, its variance measured between disjoint halves and carried over.

    With m_r the mean of repeat r, a_m and b_m those of both halves, D_n and D_h the mean squared
    difference of item losses on all data and in the halves: v = (1/M) Σ (a_m − b_m)²/2, B = ½
    max(1, D_n/D_h) v, Var = max(B − (1 − 1/R) var(m_r), B/4), q = Var/B and df = max(2, q²
    M(n−1)/(M+n−2)). `strict=True` leaves var(m_r) out. It applies to training on (1 − 1/K)·n items.
    Carrying v over assumes that luck with the dataset, L = max(0, v − 2 D_h/n), shrinks as items
    are added. The stress p-value is that of Var_S = D_n/n + max(1, D_n/D_h) L with M(n−1)/(M+n−2)
    degrees of freedom; without item losses and with groups, Var_S = max(1, D_n/D_h) v. Where it is
    not below α and p is, the verdict stays, and its grade falls to assumed.

    Parameters
    ----------
    strict : bool, default=False
        Whether to leave out the correction for the variation of repeats, which is conservative.

    Examples
    --------
    >>> import outperform as op
    >>> whole = [[0.02, 0.01, 0.03], [0.02, 0.00, 0.04]]
    >>> halves = [[[0.03, 0.01, 0.05], [0, 0.02, -0.01]], [[0.02, 0.04, 0], [0.01, 0.01, 0.03]]]
    >>> found = op.calibrated_t(whole, halves, n=90)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.02, 0.1699)
    """
    share = _kept(c, strict=strict)
    stderr = carried_spread(c) * np.sqrt(share)
    half: Any = half_sample_t.kernel(c)
    return Pivot(
        c.estimate,
        stderr,
        T(degrees_of_freedom(c, share)),
        details={
            "growth": c.growth,
            "variance_share": share,
            "correlation": _correlation(c, stderr),
            "assumed_correlation": 1 / c.whole.shape[-1],
            "half_estimate": half.estimate,
            "half_stderr": half.stderr,
            "half_df": half.dist.df,
            "stress_stderr": stress_stderr(c),
            "stress_df": degrees_of_freedom(c, np.ones(np.shape(share))),
        },
    )
