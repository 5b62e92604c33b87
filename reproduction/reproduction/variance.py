"""The variance behind the tests: Nadeau & Bengio's formulas, each in their symbols.

L(j, i) is the loss on test item i of split j, of one learner (N-01) or the difference of two
(N-02). Over random data and random splits, σ₀ is the variance of L(j, i); σ₁ the covariance for two
items drawn from the test set of the same split, with replacement, and so the variance of that
split's mean loss (N-06); σ₂ the covariance for items of two splits; σ₃ for two distinct items of
one split (N-09). The mean over J splits is μ̂_J (N-07): a `Resampled` design (N-04) makes the
splits, and `corrected_t` judges μ̂_J as an estimate of the expected loss at n₁ (N-03).
"""

# Implements N-08, N-10, N-11, N-12, N-13, N-14, N-15, N-16, N-17, N-18, N-19, N-20, N-25 and E-N4.

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from outperform import validation
from outperform.errors import DataError, MethodError
from outperform.numerics.distributions import Normal, T
from outperform.numerics.exact_sums import ROUNDING, Array


@dataclass(frozen=True, slots=True)
class ExchangeableMean:
    """Moments of k variables with one variance δ and one covariance γ.

    Attributes
    ----------
    expected_sample_variance : float
        E[S²] = δ − γ: what the sample variance estimates.
    variance : float
        Var[Ū] = γ + (δ − γ)/k: what it is used for.
    correlation : float or None
        π = γ/δ; None where nothing varies.
    k : int
        Number of variables.

    Notes
    -----
    Lemma 1 of Nadeau and Bengio (2003).

    Examples
    --------
    >>> from reproduction import variance
    >>> found = variance.exchangeable_mean(1.0, 0.5, 10)
    >>> round(found.variance, 2), found.to_dict()["expected_sample_variance"]
    (0.55, 0.5)
    """

    expected_sample_variance: float
    variance: float
    correlation: float | None
    k: int

    def to_dict(self) -> dict[str, Any]:
        """Return the moments as data for JSON.

        Returns
        -------
        dict
            The attributes.
        """
        return asdict(self)

    def __str__(self) -> str:
        share = "" if self.correlation is None else f" with correlation {self.correlation:.4g}"
        return (
            f"The mean of {self.k} values{share} has variance {self.variance:.4g}; their sample "
            f"variance is {self.expected_sample_variance:.4g} on average."
        )


def exchangeable_mean(delta: float, gamma: float, k: int) -> ExchangeableMean:
    """Return the moments of the mean of k exchangeable variables.

    E[S²] = δ − γ and Var[Ū] = γ + (δ − γ)/k = δ(π + (1 − π)/k).

    Parameters
    ----------
    delta : float
        Variance δ of each variable.
    gamma : float
        Covariance γ of two variables.
    k : int
        Number of variables.

    Returns
    -------
    ExchangeableMean
        Variance of the mean, and expectation of the sample variance.

    Notes
    -----
    Lemma 1 of Nadeau and Bengio (2003).

    Examples
    --------
    >>> from reproduction import variance
    >>> round(variance.exchangeable_mean(1.0, 0.5, 10).variance, 2)
    0.55
    """
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
    """Reject what no learner can have: 0 ≤ σ₂ ≤ σ₁ ≤ σ₀ and 0 ≤ σ₃ ≤ σ₁ must hold.

    Parameters
    ----------
    sigma0 : float or array-like
        Variance of the loss of one item.
    sigma1 : float or array-like
        Variance of the mean loss of one split.
    sigma2 : float or array-like
        Covariance of items of two splits.
    sigma3 : float or array-like, default=0.0
        Covariance of two items of one split.

    Raises
    ------
    DataError
        If the order does not hold.

    Examples
    --------
    >>> from reproduction import variance
    >>> variance.check_sigmas(1.0, 0.2, 0.1)
    """
    _ordered(sigma2=sigma2, sigma1=sigma1, sigma0=sigma0)
    _ordered(sigma3=sigma3, sigma1=sigma1)


def sigma1(sigma0: Any, sigma3: Any, n_test: Any) -> Any:
    """Return the variance of the mean loss of one split, σ₁ = σ₃ + (σ₀ − σ₃)/n₂.

    Parameters
    ----------
    sigma0 : float or array-like
        Variance of the loss of one item.
    sigma3 : float or array-like
        Covariance of two items of one split.
    n_test : int or array-like
        Number n₂ of test items.

    Returns
    -------
    float or ndarray
        σ₁.

    Notes
    -----
    Equation (3) of Nadeau and Bengio (2003).

    Examples
    --------
    >>> from reproduction import variance
    >>> round(variance.sigma1(1.0, 0.1, 10), 2)
    np.float64(0.19)
    """
    s3, s0 = _ordered(sigma3=sigma3, sigma0=sigma0)
    return (s3 + (s0 - s3) / _times(n_test, "n_test"))[()]


def var_test_mean(sigma0: Any, sigma1: Any, draws: Any = math.inf) -> Any:
    """Return the variance of the mean of K draws from a test set, σ₁ + (σ₀ − σ₁)/K.

    Parameters
    ----------
    sigma0 : float or array-like
        Variance of the loss of one item.
    sigma1 : float or array-like
        Variance of the mean loss of one split.
    draws : int or array-like, default=inf
        Number K of draws; infinite for the whole test set.

    Returns
    -------
    float or ndarray
        The variance.

    Notes
    -----
    Nadeau and Bengio (2003).

    Examples
    --------
    >>> from reproduction import variance
    >>> round(variance.var_test_mean(1.0, 0.2, draws=10), 2)
    np.float64(0.28)
    """
    s1, s0 = _ordered(sigma1=sigma1, sigma0=sigma0)
    return (s1 + (s0 - s1) / _times(draws, "draws", limit=True))[()]


def var_resampled_mean(
    sigma0: Any, sigma1: Any, sigma2: Any, n_resamples: Any, draws: Any = math.inf
) -> Any:
    """Return the variance of the mean over J splits, σ₂ + (σ₁ + (σ₀ − σ₁)/K − σ₂)/J.

    It never rises with J, K or the test size. With all test items it is σ₁(ρ + (1 − ρ)/J).

    Parameters
    ----------
    sigma0 : float or array-like
        Variance of the loss of one item.
    sigma1 : float or array-like
        Variance of the mean loss of one split.
    sigma2 : float or array-like
        Covariance of items of two splits.
    n_resamples : int or array-like
        Number J of splits.
    draws : int or array-like, default=inf
        Number K of draws; infinite for the whole test set.

    Returns
    -------
    float or ndarray
        The variance.

    Notes
    -----
    Equations (4) and (6) of Nadeau and Bengio (2003).

    Examples
    --------
    >>> from reproduction import variance
    >>> round(variance.var_resampled_mean(1.0, 0.2, 0.1, n_resamples=15), 3)
    np.float64(0.107)
    """
    s2, s1, s0 = _ordered(sigma2=sigma2, sigma1=sigma1, sigma0=sigma0)
    one = s1 + (s0 - s1) / _times(draws, "draws", limit=True)
    return (s2 + (one - s2) / _times(n_resamples, "n_resamples", limit=True))[()]


def rho(sigma1: Any, sigma2: Any) -> Any:
    """Return the correlation of the means of two splits, ρ = σ₂/σ₁.

    Parameters
    ----------
    sigma1 : float or array-like
        Variance of the mean loss of one split.
    sigma2 : float or array-like
        Covariance of items of two splits.

    Returns
    -------
    float or ndarray
        ρ.

    Examples
    --------
    >>> from reproduction import variance
    >>> variance.rho(0.2, 0.1)
    np.float64(0.5)
    """
    s2, s1 = _ordered(sigma2=sigma2, sigma1=sigma1)
    if (s1 == 0).any():
        raise DataError(
            "sigma1 is 0: the means of the splits are constant, so their correlation is undefined."
        )
    return (s2 / s1)[()]


def expected_sample_variance(sigma1: Any, sigma2: Any) -> Any:
    """Return what the variance over the J splits estimates, E[σ̃²] = σ₁(1 − ρ).

    Parameters
    ----------
    sigma1 : float or array-like
        Variance of the mean loss of one split.
    sigma2 : float or array-like
        Covariance of items of two splits.

    Returns
    -------
    float or ndarray
        The expectation.

    Notes
    -----
    Nadeau and Bengio (2003).

    Examples
    --------
    >>> from reproduction import variance
    >>> variance.expected_sample_variance(0.2, 0.1)
    np.float64(0.1)
    """
    s2, s1 = _ordered(sigma2=sigma2, sigma1=sigma1)
    return (s1 - s2)[()]


def unbiased_factor(n_resamples: Any, rho: Any) -> Any:
    """Return 1/J + ρ/(1 − ρ), which makes the sample variance unbiased for the mean.

    A plugged-in ρ₀ above the true ρ overestimates the variance, one below underestimates it.

    Parameters
    ----------
    n_resamples : int or array-like
        Number J of splits.
    rho : float or array-like
        Correlation of the means of two splits.

    Returns
    -------
    float or ndarray
        The factor of σ̃².

    Notes
    -----
    Equation (7) of Nadeau and Bengio (2003).

    Examples
    --------
    >>> from reproduction import variance
    >>> round(variance.unbiased_factor(10, 0.1), 3)
    np.float64(0.211)
    """
    return (1 / _times(n_resamples, "n_resamples", limit=True) + _odds(rho))[()]


def plugin_rho(n_train: Any, n_test: Any) -> Any:
    """Return the guess of ρ of the corrected t-test, ρ₀ = n₂/(n₁ + n₂).

    Parameters
    ----------
    n_train : int or array-like
        Number n₁ of training items.
    n_test : int or array-like
        Number n₂ of test items.

    Returns
    -------
    float or ndarray
        ρ₀.

    Notes
    -----
    Nadeau and Bengio (2003).

    Examples
    --------
    >>> from reproduction import variance
    >>> variance.plugin_rho(90, 10)
    np.float64(0.1)
    """
    n1, n2 = _times(n_train, "n_train"), _times(n_test, "n_test")
    return (n2 / (n1 + n2))[()]


def half_size(n: int, n_test: int) -> int:
    """Return the training items of each half for the conservative Z, ⌊n/2⌋ − n₂.

    Parameters
    ----------
    n : int
        Number of items.
    n_test : int
        Number n₂ of test items.

    Returns
    -------
    int
        The training size.

    Raises
    ------
    DataError
        If no training items are left.

    Notes
    -----
    Nadeau and Bengio (2003).

    Examples
    --------
    >>> from reproduction import variance
    >>> variance.half_size(300, 30)
    120
    """
    total, tested = int(_times(n, "n")), int(_times(n_test, "n_test"))
    if total // 2 <= tested:
        raise DataError(
            f"n={total} and n_test={tested} leave no training items in a half; n_test must be "
            f"below {total // 2}."
        )
    return total // 2 - tested


def var_halves_variance(var_squared_gap: float, correlation: float, n_halvings: int) -> float:
    """Return the variance of the conservative Z's variance estimate.

    ¼ Var[(μ̂ − μ̂ᶜ)²](r + (1 − r)/M), for M halvings.

    Parameters
    ----------
    var_squared_gap : float
        Variance of the squared difference of two halves.
    correlation : float
        Correlation r of the squared differences of two halvings.
    n_halvings : int
        Number M of halvings.

    Returns
    -------
    float
        The variance.

    Notes
    -----
    Nadeau and Bengio (2003).

    Examples
    --------
    >>> from reproduction import variance
    >>> round(variance.var_halves_variance(4.0, 0.1, 10), 2)
    0.19
    """
    quarter = validation.one_number(var_squared_gap, "var_squared_gap") / 4
    r = validation.one_number(correlation, "correlation")
    return exchangeable_mean(quarter, r * quarter, n_halvings).variance


def ratio(method: str, **known: Any) -> Any:
    """Return Var[μ̂] / E[σ̂²]: above 1 a test is liberal.

    "t-test" is (n₂σ₃ + σ₀ − σ₃)/(σ₀ − σ₃), "resampled_t" 1 + Jρ/(1 − ρ), "corrected_t" (1 + Jρ/(1 −
    ρ))/(1 + J n₂/n₁), and "conservative_z" the variance at n₁ over that at n₁′ = ⌊n/2⌋ − n₂, below
    1 if the variance falls as n₁ grows. For "five_by_two_t" it is unknown.

    Parameters
    ----------
    method : {"t-test", "resampled_t", "corrected_t", "conservative_z", "five_by_two_t"}
        The test.
    **known : float
        What the formula needs: `sigma0`, `sigma3` and `n_test`; `n_resamples` and `rho`; these with
        `n_train` and `n_test`; or `variance` and `half_variance`.

    Returns
    -------
    float, ndarray or None
        The ratio; None if unknown.

    Notes
    -----
    The last column of Table 1 of Nadeau and Bengio (2003).

    Examples
    --------
    >>> from reproduction import variance
    >>> variance.ratio("resampled_t", n_resamples=10, rho=0.5)
    np.float64(11.0)
    """
    needs, formula = TABLE_1[validation.choice(method, "method", TABLE_1)]
    if set(known) != set(needs):
        raise MethodError(f"ratio({method!r}) takes exactly {sorted(needs)}, got {sorted(known)}.")
    return formula(**known)


def size_at(ratio: Any, *, df: float | None, alpha: float = 0.05) -> Any:
    """Return the Type I error of a nominal-α test whose variance is too small by a ratio.

    P(|t_df| > t_{df,1−α/2}/√ratio), as if estimate and variance were independent.

    Parameters
    ----------
    ratio : float or array-like
        True variance over estimated variance.
    df : float or None
        Degrees of freedom; None for a z-test.
    alpha : float, default=0.05
        Significance level.

    Returns
    -------
    float or ndarray
        The error rate.

    Examples
    --------
    >>> from reproduction import variance
    >>> round(variance.size_at(2.0, df=9), 3)
    np.float64(0.144)
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
