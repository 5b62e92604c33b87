"""The sign-flip test: how often random signs make a sum as large as the one observed.

Whole numbers are counted exactly by convolution; the measure is tilted first, so that the observed
sum is its mean and no tail underflows. Other values are enumerated up to 20, and sampled beyond.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .exact_sums import Array

ENUMERATED = 20
"""Values whose 2ⁿ sign vectors are counted one by one."""
WORK = 3e8
"""Multiplications a direct convolution may take: some tenths of a second."""
WAVES = 5e7
"""Complex powers that a convolution by Fourier transform may take: some two seconds."""
FINEST = 1e7
"""Largest value over the unit: a finer grid is no grid but rounding."""
REACH = 13.0
"""Standard deviations kept of each tilted law: what is left out is below 1e-35."""
SAME = 1e-12
"""Sums nearer than this share of Σ|d| are equal up to rounding."""
_LOG2 = math.log(2.0)


class FlipTails(NamedTuple):
    """Log probabilities, under random signs, of a sum at least |s| and of one beyond |s|."""

    log_reached: float
    log_exceeded: float
    how: str
    """"convolution", "enumeration" or "Monte Carlo"."""

    def sides(self, total: float) -> tuple[float, float]:
        """Return the log p-values of (less, greater) of the sum observed."""
        beside = math.log1p(-math.exp(self.log_exceeded))  # the sum lies in the other half
        if total > 0:
            return beside, self.log_reached
        return (self.log_reached, beside) if total < 0 else (beside, beside)


def flip_tails(differences: Array, *, n_draws: int = 9_999, seed: int = 0) -> FlipTails:
    """Return how often random signs give a sum as far from 0 as that of the differences."""
    values = np.sort(np.abs(differences[differences != 0]))
    total = abs(math.fsum(differences.tolist()))
    if values.size == 0:
        return FlipTails(0.0, -math.inf, "enumeration")
    unit = common_unit(values)
    if unit is not None:
        sizes = np.round(values / unit).astype(np.int64)
        if _work(sizes) <= WORK or _waves(*np.unique(sizes, return_counts=True)) <= WAVES:
            reached, exceeded = convolved_tails(sizes, round(total / unit))
            return FlipTails(reached, exceeded, "convolution")
    if values.size <= ENUMERATED:
        sums = np.zeros(1)
        for value in values.tolist():
            sums = np.concatenate([sums - value, sums + value])
        return _counted(np.abs(sums), total, float(values.sum()), "enumeration")
    return _drawn(values, total, n_draws, seed)


def common_unit(values: Array) -> float | None:
    """Return the largest unit of which all positive values are multiples, up to rounding.

    None where that is finer than a ten-millionth of the largest: no grid, but rounding.

    >>> round(common_unit(np.array([0.03, 0.12, 0.3])), 12)
    0.03
    """
    each = np.unique(values)
    largest = float(each[-1])
    unit = float(each[0])
    for _ in range(64):
        if unit < largest / FINEST:
            return None
        ratio = each / unit
        off = np.abs(ratio - np.round(ratio)) * unit
        worst = int(np.argmax(off))
        if off[worst] <= 1e-9 * unit or off[worst] <= 8e-16 * largest:
            return largest / round(largest / unit)
        left = float(each[worst]) % unit
        unit = min(left, unit - left)
    return None


def convolved_tails(sizes: npt.NDArray[np.int64], total: int) -> tuple[float, float]:
    """Return log P(Σ±aᵢ ≥ s) and log P(Σ±aᵢ > s) for positive whole numbers aᵢ and s ≥ 0.

    Under the tilted signs P(+) = 1/(1 + e^{−2λa}), with λ such that the mean is s,
    P(S ≥ s) = e^{K(λ) − λs} E[e^{−λ(S − s)}; S ≥ s], K = Σ log cosh(λa).
    """
    values, counts = np.unique(sizes, return_counts=True)
    top = int((values * counts).sum())
    if total > top:
        return -math.inf, -math.inf
    n = int(counts.sum())
    if total == top:
        return -n * _LOG2, -math.inf
    tilt = _tilt(values, counts, total)
    if _work(sizes) <= WORK:
        law, start = np.ones(1), 0
        for value, count in zip(values.tolist(), counts.tolist(), strict=True):
            law, start = _trimmed(*_added(law, start, value, count, tilt))
    else:
        law, start = _transformed(values, counts, tilt)
    # The law holds the sum of the values with a positive sign: S = 2·place − top.
    first = min(max(-(-(total + top) // 2) - start, 0), law.size)
    beyond_total = 2 * (start + np.arange(first, law.size)) - top - total
    a = tilt * values
    log_cosh = a + np.log1p(np.exp(-2 * a)) - _LOG2
    shift = math.fsum((counts * log_cosh).tolist()) - tilt * total
    weights = law[first:] * np.exp(-tilt * beyond_total)
    n_here = int(beyond_total.size > 0 and beyond_total[0] == 0)
    here = math.fsum(weights[:n_here].tolist())
    beyond = math.fsum(weights[n_here:].tolist())
    return _log_mass(here + beyond, shift), _log_mass(beyond, shift)


def _log_mass(mass: float, shift: float) -> float:
    return min(shift + math.log(mass), 0.0) if mass > 0 else -math.inf


def _tilt(values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], total: int) -> float:
    """Solve Σ a tanh(λa) = s by bisection; a rough root is enough, the identity holds for any."""
    low, high = 0.0, 1.0 / float(values[0])
    weight = values * counts

    def mean(tilt: float) -> float:
        return float(np.dot(weight, np.tanh(tilt * values)))

    while mean(high) < total and high * float(values[0]) < 20:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if mean(middle) < total else (low, middle)
    return (low + high) / 2


def _added(law: Array, start: int, value: int, count: int, tilt: float) -> tuple[Array, int]:
    """Convolve with the number of positive signs among `count` values, on a grid of `value`."""
    from scipy.special import gammaln

    log_up = -math.log1p(math.exp(-2 * tilt * value))
    log_down = log_up - 2 * tilt * value
    mean = count * math.exp(log_up)
    spread = math.sqrt(max(mean * math.exp(log_down), 1.0))
    low = max(0, math.floor(mean - REACH * spread - 60))
    high = min(count, math.ceil(mean + REACH * spread + 60))
    k = np.arange(low, high + 1)
    log_pmf = gammaln(count + 1.0) - gammaln(k + 1.0) - gammaln(count - k + 1.0)
    pmf = np.exp(log_pmf + k * log_up + (count - k) * log_down)
    grown = np.zeros(law.size + value * (k.size - 1))
    np.multiply(law, pmf[0], out=grown[: law.size])
    for step, weight in enumerate(pmf[1:].tolist(), 1):
        grown[step * value : step * value + law.size] += weight * law
    return grown, start + value * low


def _transformed(
    values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], tilt: float
) -> tuple[Array, int]:
    """Return the tilted law by its characteristic function, on a circle of 2·REACH deviations.

    The tilted law is centred on the sum observed, where an error of 1e-16 of the whole is small.
    """
    up = 1 / (1 + np.exp(-2 * tilt * values))
    mean = float(np.dot(counts * values, up))
    width = _circle(values, counts, up)
    start = round(mean) - width // 2
    wave = np.ones(width // 2 + 1, dtype=np.complex128)
    turn = -2j * np.pi * np.arange(width // 2 + 1) / width
    for value, count, p in zip(values.tolist(), counts.tolist(), up.tolist(), strict=True):
        wave *= (1 - p + p * np.exp(turn * (value % width))) ** count
    law = np.fft.irfft(wave, width)
    return np.maximum(np.roll(law, -(start % width)), 0.0), start


def _circle(values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], up: Array) -> int:
    """Return a power of two that holds REACH standard deviations on both sides."""
    variance = float(np.dot(counts * values.astype(np.float64) ** 2, up * (1 - up)))
    return 1 << max(int(2 * REACH * math.sqrt(variance) + 4 * int(values[-1])).bit_length(), 4)


def _waves(values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> float:
    return float(values.size * _circle(values, counts, np.full(values.size, 0.5)) / 2)


def _trimmed(law: Array, start: int) -> tuple[Array, int]:
    """Leave out the ends that hold less than 1e-60 of the largest mass."""
    kept = law > 1e-60 * law.max()
    first = int(kept.argmax())
    return law[first : law.size - int(kept[::-1].argmax())], start + first


def _work(sizes: npt.NDArray[np.int64]) -> float:
    """Return about how many multiplications the convolution takes."""
    values, counts = np.unique(sizes, return_counts=True)
    widths = np.minimum(counts, 2 * REACH * np.sqrt(counts) + 120)
    reach = 4 * REACH * np.sqrt(np.cumsum(counts * values.astype(np.float64) ** 2))
    spans = np.minimum(np.cumsum(counts * values), reach)
    return float(np.dot(widths[1:], spans[1:]) + widths[0])


def _counted(sums: Array, total: float, whole: float, how: str) -> FlipTails:
    """Count sums (in absolute value) as large as the total, and larger ones; half on each side."""
    same = SAME * whole
    reached = np.count_nonzero(sums >= total - same)
    exceeded = np.count_nonzero(sums > total + same)
    if total <= same:
        return FlipTails(0.0, _log_share(exceeded / 2, sums.size), how)
    return FlipTails(_log_share(reached / 2, sums.size), _log_share(exceeded / 2, sums.size), how)


def _log_share(count: float, n: int) -> float:
    return math.log(count / n) if count else -math.inf


def _drawn(values: Array, total: float, n_draws: int, seed: int) -> FlipTails:
    """Draw signs: (1 + b)/(1 + B), where the observed signs count as one draw."""
    rng = np.random.default_rng(seed)
    same = SAME * float(values.sum())
    reached = exceeded = 0
    step = max(1, int(2e6 // values.size))
    for at in range(0, n_draws, step):
        rows = min(step, n_draws - at)
        drawn = rng.integers(0, 256, (rows, -(-values.size // 8)), dtype=np.uint8)
        bits = np.unpackbits(drawn, axis=1)
        # Σ±v = 2 Σ_{+} v − Σv
        sums = np.abs(2.0 * (bits[:, : values.size] @ values) - values.sum())
        reached += int(np.count_nonzero(sums >= total - same))
        exceeded += int(np.count_nonzero(sums > total + same))
    log_reached = math.log((1 + reached) / (1 + n_draws)) - (_LOG2 if total > same else 0.0)
    return FlipTails(log_reached, _log_share(exceeded / 2, 1 + n_draws), "Monte Carlo")
