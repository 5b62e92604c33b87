"""Diebold and Mariano's test of forecasts, corrected by Harvey, Leybourne & Newbold (F-13)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np

from ..errors import MethodError, argument
from ..notes import Note
from ..numerics.distributions import T
from ..numerics.exact_sums import Array, root_sum_squares
from ..registry import method
from ..results.evidence import Pivot
from ..validation import choice
from ..views import LossSeries

WEIGHTS = ("bartlett", "rectangular")


def negative(d: LossSeries, options: dict[str, Any]) -> Iterator[Note]:
    """Say where the rectangular window had no variance to give."""
    if options.get("weights") == "rectangular":
        lags = lags_of(d.n_splits, options.get("horizon", "auto"))
        if bool(_variance(d, lags, "rectangular")[1]):
            yield Note("OP317")


@method(
    title="Diebold–Mariano test",
    paper="diebold-mariano",
    requirements=("F-13",),
    designs=("forward", "holdout"),
    default_for=("forward",),
    published_design="5forward",
    accounts_for=("test data", "label noise"),
    standing="recommended",
    advice="For forecasts: losses in the order of time, whose neighbours may be correlated.",
    note="OP401",
    unsaid_on=("forward",),
    checks=(negative,),
)
def diebold_mariano(
    d: LossSeries, *, horizon: int | str = "auto", weights: str = "bartlett"
) -> Pivot:
    """Does the mean loss difference of two series of forecasts differ from 0?

    DM = d̄ / √(V/n), V = γ₀ + 2 Σ wₖ γₖ over the lags k < h, where h is the horizon, γₖ are the
    autocovariances of the loss differences (divisor n) and wₖ = 1 − k/h ("bartlett") or 1
    ("rectangular", Diebold and Mariano's own). Harvey, Leybourne and Newbold multiply DM by √((n +
    1 − 2h + h(h − 1)/n) / n) and compare it with t on n − 1 degrees of freedom. With h = 1 that is
    the paired t. By default h is the whole part of n^⅓ plus 1, so that losses which are correlated
    for longer than the forecast horizon are allowed for. A negative V, which the rectangular window
    can give, is replaced by that of the Bartlett window.

    Parameters
    ----------
    horizon : int or "auto", default='auto'
        Forecast horizon h; "auto" is the whole part of n^⅓ plus 1.
    weights : {"bartlett", "rectangular"}, default='bartlett'
        Weights of the autocovariances.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [0.1, 0.4, 0.2, 0.9, 0.3, 0.2, 0.8, 0.1]
    >>> bayes = [0.3, 0.5, 0.1, 1.2, 0.4, 0.6, 0.9, 0.4]
    >>> found = op.diebold_mariano(tree, bayes, lower_is_better=True)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.175, 0.0317)
    """
    choice(weights, "weights", WEIGHTS)
    n = d.n_splits
    h = lags_of(n, horizon)
    spread, _ = _variance(d, h, weights)
    correction = (n + 1 - 2 * h + h * (h - 1) / n) / n
    stderr = np.where(d.sd == 0, 0.0, spread / np.sqrt(n * correction))
    return Pivot(d.mean, stderr, T(n - 1), details={"horizon": np.full(stderr.shape, h)[()]})


def lags_of(n: int, horizon: Any) -> int:
    """Return the horizon: that asked for, or by default the whole part of n^⅓ plus 1."""
    most = max(n // 2, 1)
    if horizon == "auto":
        return min(int(np.cbrt(n) + 1e-9) + 1, most)
    whole = isinstance(horizon, Integral) and not isinstance(horizon, bool)
    if not whole or not 1 <= int(horizon) <= most:
        raise MethodError(
            f"The 'horizon' parameter must be 'auto' or an integer from 1 to {most}, half of the "
            f"{n} losses, got {horizon!r}. Use {argument(horizon=1)} for forecasts one step ahead"
        )
    return int(horizon)


def _variance(d: LossSeries, h: int, weights: str) -> tuple[Array, Array]:
    """Return √V, and where the window asked for made V negative so that Bartlett's was taken."""
    deviations = d.centred[1]
    n = d.n_splits
    size = root_sum_squares(deviations)
    x = deviations / np.where(size == 0, 1.0, size)[..., None]  # γₖ/γ₀ leaves no range
    k = np.arange(1, h)
    r = np.empty((*size.shape, h - 1))
    for lag in k:
        products = x[..., lag:] * x[..., :-lag]
        r[..., lag - 1] = math.fsum(products.tolist()) if x.ndim == 1 else products.sum(axis=-1)
    bartlett = 1 + 2 * (r * (1 - k / h)).sum(axis=-1)
    plain = 1 + 2 * r.sum(axis=-1)
    lost = (plain <= 0) & (weights == "rectangular")
    share = np.where(lost | (weights == "bartlett"), bartlett, plain)
    return np.asarray(size * np.sqrt(np.maximum(share, 0.0) / n)), np.asarray(lost)
