"""The variance behind the tests: Nadeau & Bengio's formulas, each in their symbols.

L(j, i) is the loss on test item i of split j, of one learner (N-01) or the difference of two
(N-02). Over random data and random splits, σ₀ is the variance of L(j, i); σ₁ the covariance for two
items drawn from the test set of the same split, with replacement, and so the variance of that
split's mean loss (N-06); σ₂ the covariance for items of two splits; σ₃ for two distinct items of
one split (N-09). The mean over J splits is μ̂_J (N-07): a `Resampled` design (N-04) makes the
splits, and `corrected_t` judges μ̂_J as an estimate of the expected loss at n₁ (N-03).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .. import validation
from ..errors import DataError, MethodError
from .distributions import Normal, T
from .exact_sums import ROUNDING, Array


@dataclass(frozen=True, slots=True)
class ExchangeableMean:
    """Lemma 1: moments of k variables with one variance δ and one covariance γ (N-08)."""

    expected_sample_variance: float
    """E[S²] = δ − γ: what the sample variance estimates."""
    variance: float
    """Var[Ū] = γ + (δ − γ)/k: what it is used for."""
    correlation: float | None
    """π = γ/δ; None where nothing varies."""
    k: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        share = "" if self.correlation is None else f" with correlation {self.correlation:.4g}"
        return (
            f"The mean of {self.k} values{share} has variance {self.variance:.4g}; their sample "
            f"variance is {self.expected_sample_variance:.4g} on average."
        )


def exchangeable_mean(delta: float, gamma: float, k: int) -> ExchangeableMean:
    """Apply Lemma 1: E[S²] = δ − γ, Var[Ū] = γ + (δ − γ)/k = δ(π + (1 − π)/k) (N-08)."""
    variance, covariance = (
        validation.one_number(delta, "delta"),
        validation.one_number(gamma, "gamma"),
    )
    size = int(_times(k, "k"))
    of_mean = covariance + (variance - covariance) / size
    if variance < 0 or covariance > variance or of_mean < -ROUNDING * variance:
        raise DataError(
            f"delta={variance:g} and gamma={covariance:g} are not a valid variance and covariance "
            f"of {size} variables; −delta/(k − 1) ≤ gamma ≤ delta must hold."
        )
    correlation = covariance / variance if variance else None
    return ExchangeableMean(variance - covariance, max(of_mean, 0.0), correlation, size)


def check_sigmas(sigma0: Any, sigma1: Any, sigma2: Any, sigma3: Any = 0.0) -> None:
    """Refuse what no learner can have: 0 ≤ σ₂ ≤ σ₁ ≤ σ₀ and 0 ≤ σ₃ ≤ σ₁ (N-13)."""
    _ordered(sigma2=sigma2, sigma1=sigma1, sigma0=sigma0)
    _ordered(sigma3=sigma3, sigma1=sigma1)


def sigma1(sigma0: Any, sigma3: Any, n_test: Any) -> Any:
    """Return σ₁ = σ₃ + (σ₀ − σ₃)/n₂, equation (3): the variance of one split's mean (N-10)."""
    s3, s0 = _ordered(sigma3=sigma3, sigma0=sigma0)
    return (s3 + (s0 - s3) / _times(n_test, "n_test"))[()]


def var_test_mean(sigma0: Any, sigma1: Any, draws: Any = math.inf) -> Any:
    """Return Var[μ̂ⱼ] = σ₁ + (σ₀ − σ₁)/K for K draws from the test set; σ₁ for all of it (N-11)."""
    s1, s0 = _ordered(sigma1=sigma1, sigma0=sigma0)
    return (s1 + (s0 - s1) / _times(draws, "draws", limit=True))[()]


def var_resampled_mean(
    sigma0: Any, sigma1: Any, sigma2: Any, n_resamples: Any, draws: Any = math.inf
) -> Any:
    """Return Var[μ̂_J] = σ₂ + (σ₁ + (σ₀ − σ₁)/K − σ₂)/J, equation (4) (N-12).

    It never rises with J, K or the test size (N-14). With all test items it is (6),
    σ₁(ρ + (1 − ρ)/J) (N-16).
    """
    s2, s1, s0 = _ordered(sigma2=sigma2, sigma1=sigma1, sigma0=sigma0)
    one = s1 + (s0 - s1) / _times(draws, "draws", limit=True)
    return (s2 + (one - s2) / _times(n_resamples, "n_resamples", limit=True))[()]


def rho(sigma1: Any, sigma2: Any) -> Any:
    """Return ρ = σ₂/σ₁, the correlation of the means of two splits (N-16)."""
    s2, s1 = _ordered(sigma2=sigma2, sigma1=sigma1)
    if (s1 == 0).any():
        raise DataError(
            "sigma1 is 0: the means of the splits are constant, so their correlation is undefined."
        )
    return (s2 / s1)[()]


def expected_sample_variance(sigma1: Any, sigma2: Any) -> Any:
    """Return E[σ̃²] = σ₁(1 − ρ): what the variance over the J splits estimates (N-17)."""
    s2, s1 = _ordered(sigma2=sigma2, sigma1=sigma1)
    return (s1 - s2)[()]


def unbiased_factor(n_resamples: Any, rho: Any) -> Any:
    """Return 1/J + ρ/(1 − ρ): times σ̃² it is unbiased for Var[μ̂_J], equation (7) (N-17).

    A plugged-in ρ₀ above the true ρ overestimates the variance, one below underestimates it.
    """
    return (1 / _times(n_resamples, "n_resamples", limit=True) + _odds(rho))[()]


def plugin_rho(n_train: Any, n_test: Any) -> Any:
    """Return ρ₀ = n₂/(n₁ + n₂), the corrected t's guess of ρ: ρ₀/(1 − ρ₀) = n₂/n₁ (N-18)."""
    n1, n2 = _times(n_train, "n_train"), _times(n_test, "n_test")
    return (n2 / (n1 + n2))[()]


def half_size(n: int, n_test: int) -> int:
    """Return n₁′ = ⌊n/2⌋ − n₂: training items in each half for the conservative Z (N-19)."""
    total, tested = int(_times(n, "n")), int(_times(n_test, "n_test"))
    if total // 2 <= tested:
        raise DataError(
            f"n={total} and n_test={tested} leave no training items in a half; n_test must be "
            f"below {total // 2}."
        )
    return total // 2 - tested


def var_halves_variance(var_squared_gap: float, correlation: float, n_halvings: int) -> float:
    """Return the variance of the conservative Z's σ̂², ¼Var[(μ̂ − μ̂ᶜ)²](r + (1 − r)/M) (N-20)."""
    quarter = validation.one_number(var_squared_gap, "var_squared_gap") / 4
    r = validation.one_number(correlation, "correlation")
    return exchangeable_mean(quarter, r * quarter, n_halvings).variance


def ratio(method: str, **known: Any) -> Any:
    """Return Var[μ̂] / E[σ̂²], the last column of Table 1: above 1 a test is liberal (N-25).

    "t-test" (n₂σ₃ + σ₀ − σ₃)/(σ₀ − σ₃), of sigma0, sigma3 and n_test;
    "resampled_t" 1 + Jρ/(1 − ρ), of n_resamples and rho;
    "corrected_t" (1 + Jρ/(1 − ρ))/(1 + J n₂/n₁), of n_resamples, rho, n_train and n_test;
    "conservative_z" of variance and half_variance, Var[μ̂_J] at n₁ and at n₁′ = ⌊n/2⌋ − n₂: below
    1 if the conjecture holds that the variance falls as n₁ grows (N-15, E-N4);
    "five_by_two_t" None: not known.
    """
    needs, formula = TABLE_1[validation.choice(method, "method", TABLE_1)]
    if set(known) != set(needs):
        raise MethodError(f"ratio({method!r}) takes exactly {sorted(needs)}, got {sorted(known)}.")
    return formula(**known)


def size_at(ratio: Any, *, df: float | None, alpha: float = 0.05) -> Any:
    """Return the Type I error of a nominal-α test whose variance is too small by `ratio`.

    P(|t_df| > t_{df,1−α/2}/√ratio), as if estimate and variance were independent; `df=None` is z.
    """
    factor = validation.numbers(ratio, "ratio")
    law = Normal() if df is None else T(float(_times(df, "df")))
    if (factor <= 0).any():
        raise DataError(f"ratio must be positive, got {factor.min():g}.")
    critical = law.isf(validation.fraction(alpha, "alpha") / 2)
    return (2 * np.asarray(law.sf(critical / np.sqrt(factor))))[()]


def _t_test(sigma0: Any, sigma3: Any, n_test: Any) -> Any:
    s3, s0 = _ordered(sigma3=sigma3, sigma0=sigma0)
    if (s3 == s0).any():
        raise DataError(
            "sigma0 equals sigma3: the variance of the t-test is 0 and the ratio is infinite."
        )
    return (1 + s3 / (s0 - s3) * _times(n_test, "n_test"))[()]


def _resampled_t(n_resamples: Any, rho: Any) -> Any:
    return (1 + _times(n_resamples, "n_resamples") * _odds(rho))[()]


def _corrected_t(n_resamples: Any, rho: Any, n_train: Any, n_test: Any) -> Any:
    odds = _times(n_test, "n_test") / _times(n_train, "n_train")
    return _resampled_t(n_resamples, rho) / (1 + _times(n_resamples, "n_resamples") * odds)[()]


def _conservative_z(variance: Any, half_variance: Any) -> Any:
    (ours,), (halved,) = _ordered(variance=variance), _ordered(half_variance=half_variance)
    if (halved == 0).any():
        raise DataError("half_variance must be positive, got 0.")
    return (ours / halved)[()]


TABLE_1: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "t-test": (("sigma0", "sigma3", "n_test"), _t_test),
    "resampled_t": (("n_resamples", "rho"), _resampled_t),
    "corrected_t": (("n_resamples", "rho", "n_train", "n_test"), _corrected_t),
    "conservative_z": (("variance", "half_variance"), _conservative_z),
    "five_by_two_t": ((), lambda: None),
}


def _ordered(**smallest_first: Any) -> list[Array]:
    """Return the numbers if 0 ≤ first ≤ second ≤ …, up to rounding, everywhere."""
    arrays = {name: validation.numbers(value, name) for name, value in smallest_first.items()}
    below, lower = "0", np.zeros(())
    for name, array in arrays.items():
        less, more = np.broadcast_arrays(lower, array)
        if (bad := less > more * (1 + ROUNDING)).any():
            least = below if below == "0" else f"{below} ({less[bad][0]:g})"
            raise DataError(
                f"{name} must be at least {least}, got {more[bad][0]:g}; "
                f"{' ≤ '.join(['0', *arrays])} must hold."
            )
        below, lower = name, array
    return list(arrays.values())


def _odds(rho: Any) -> Array:
    (r,) = _ordered(rho=rho)
    if (r >= 1).any():
        raise DataError(f"rho must be at least 0 and less than 1, got {r.max():g}.")
    return np.asarray(r / (1 - r))


def _times(value: Any, name: str, *, limit: bool = False) -> Array:
    """Return positive counts; infinity is one where a limit makes sense."""
    if limit and np.ndim(value) == 0 and value == math.inf:
        return np.asarray(math.inf)
    if ((array := validation.counts(value, name)) < 1).any():
        raise DataError(f"{name} must be at least 1, got 0.")
    return array
