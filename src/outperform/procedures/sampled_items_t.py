"""Items answered several times: variance between items and between samples, Miller (2024)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import MethodError, argument
from ..notes import Note
from ..numerics.distributions import T
from ..registry import method
from ..results.evidence import Pivot
from ..views import ItemSamples
from ..views.item_samples import checked_population


def shares(d: ItemSamples, options: dict[str, Any]) -> Iterator[Note]:
    """Say how much of the variance lies between items and how much between samples."""
    if d.first.ndim != 2:
        return
    if not d.is_sampled:
        asked = options.get("population") or d.population
        if asked not in ("new", "these"):
            yield Note("OP366")
        return
    v = d.variances
    between, noise = float(v.between), float(v.noise)
    total = max(between, 0.0) + noise
    if not total > 0:
        return
    yield Note(
        "OP363",
        f"Variance of an item's mean difference: {max(between, 0.0) / total:.0%} between items, "
        f"{noise / total:.0%} from the samples of an item.",
    )
    if between < 0:
        yield Note("OP364")


@method(
    title="t-test on items with several samples",
    paper="miller",
    requirements=(),
    layout="samples",
    designs=("holdout", "sampled-items", "fixed-items"),
    default_for=("sampled-items", "fixed-items"),
    accounts_for=("test data", "internal randomness", "label noise"),
    standing="recommended",
    advice="For two fitted models that answer each item several times, such as language models.",
    note="OP401",
    checks=(shares,),
)
def sampled_items_t(d: ItemSamples, *, population: str | int | None = None) -> Pivot:
    """Student's t on the mean difference of each item over its samples.

    With S² the variance of the n mean differences and W = σ_A²/K_A + σ_B²/K_B the part due to
    sampling: for new items like these SE² = S²/n on n − 1 degrees of freedom, as S² includes W;
    for these items and no others ("these") SE² = W/n; for n of N items in all, SE² = (1 − n/N)
    max(ω², 0)/n + W/n with ω² = S² − W. The last two use Satterthwaite's degrees of freedom. With
    one sample of an item W is unknown: "these" is rejected, and for n of N items the answers are
    taken to be fixed, SE² = (1 − n/N) S²/n.

    Parameters
    ----------
    population : "new", "these" or int, optional
        What the verdict applies to: new items like these, these items only, or the number of items
        there are. By default that of the items, otherwise "new".

    Examples
    --------
    >>> import outperform as op
    >>> first = [[1, 1, 0], [1, 1, 1], [0, 0, 1], [1, 1, 1], [1, 0, 1]]
    >>> second = [[1, 0, 0], [1, 1, 1], [0, 0, 0], [0, 1, 1], [1, 0, 0]]
    >>> found = op.sampled_items_t(first, second)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.267, 0.0161)
    """
    asked = d.population if population is None else checked_population(population, d.n)
    v, n = d.variances, d.n
    if asked == "new":
        stderr, df = np.sqrt(v.spread / n), np.full(np.shape(v.spread), n - 1.0)
    else:
        if not d.is_sampled and asked == "these":
            raise MethodError(
                "With one sample of an item, the variance between its samples is unknown, and so "
                "is the interval for these items alone. Use "
                f"{argument(population='new')}, which applies to new items like these, or answer "
                "each item several times."
            )
        left = 0.0 if isinstance(asked, str) else 1 - n / asked
        if not d.is_sampled:  # answers are taken to be fixed
            v = v._replace(noise=np.zeros_like(v.spread), noise_df=np.full_like(v.spread, np.inf))
        items = left * np.maximum(v.between, 0.0)
        # (1 − f)·W + f·S² where ω² > 0: two independent estimates with their own df
        spread, noise = np.where(v.between > 0, left * v.spread, 0.0), v.noise
        noise_part = np.where(v.between > 0, (1 - left) * noise, noise)
        total = items + noise
        stderr = np.sqrt(total / n)
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = spread**2 / (n - 1) + noise_part**2 / v.noise_df
            df = np.where(worth > 0, total**2 / worth, n - 1.0)
    details = {"variance_between_items": v.between[()]}
    if d.is_sampled:
        details |= {"variance_A": v.first[()], "variance_B": v.second[()]}
    else:
        details = {}
    flat = d.is_rounding(d.centred[1]) & ~(np.nan_to_num(v.noise) > 0)
    return Pivot(d.centred[0], np.where(flat, 0.0, stderr)[()], T(df[()]), details=details)
