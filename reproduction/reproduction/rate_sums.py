"""Laws of sums over independent splits: how often a t-test rejects, by characteristic functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from outperform.numerics.exact_sums import Array

Complex: TypeAlias = npt.NDArray[np.complex128]

SLOPES = np.geomspace(1e-6, 3.0, 60)
"""Where Chernoff's bound on a tail is tried."""


def t_rates(laws: Array, n: int, shares: Sequence[float], left_out: Array) -> Array:
    """Return P((Σd)² > κ Σd²), d₁…dₙ independent from a law: one row per law, one column per κ.

    Laws are rows over −t…t, neighbours much alike, with what may be `left_out` of each. With
    e = d − c, c near the mean, s = Σe and q = Σe(e + 1)/2 are whole numbers that hold all of Σd and
    Σd² without a gap between possible values. Their joint law is transformed in q alone; the sum
    over the q that reject is a geometric one for each s.
    """
    parts = [_part(law, n, least) for law, least in zip(laws, left_out, strict=True)]
    width, depth = (_fast(max(part.reach[axis] for part in parts)) for axis in (0, 1))
    ends = {0: parts[0], len(parts) - 1: parts[-1]}
    heard = np.zeros(depth // 2 + 1, dtype=bool)
    for end in ends.values():
        heard |= _heard(end, n, depth)
    frequencies = np.flatnonzero(heard)
    return np.array([_rates(part, n, shares, width, depth, frequencies) for part in parts])


class _Part(NamedTuple):
    """A law of e with its centre, and how far s and q reach."""

    p: Array
    e: Any
    triangle: Any
    centre: int
    low: int
    reach: tuple[int, int]
    left_out: float


def _part(law: Array, n: int, left_out: float) -> _Part:
    d = np.arange(law.size) - law.size // 2
    kept = law > left_out * 1e-4
    p, d = law[kept] / law[kept].sum(), d[kept]
    centre = round(float(p @ d))
    e = d - centre
    triangle = e * (e + 1) // 2
    low, high = -_reach(p, -e, n, left_out), _reach(p, e, n, left_out)
    width = max(high - low, int(np.ptp(e))) + 1
    return _Part(
        p, e, triangle, centre, low, (width, _reach(p, triangle, n, left_out) + 1), left_out
    )


def _heard(part: _Part, n: int, depth: int) -> Any:
    """Return at which frequencies of q anything is left of the transform of n draws.

    Frequency k adds at most √width max|φ|ⁿ / (depth sin(πk/depth)) to a probability. A maximum over
    a grid four times as fine as the support is right to 8 %.
    """
    frequencies = np.arange(depth // 2 + 1)
    grid = _fast(4 * (int(np.ptp(part.e)) + 1))
    strength = np.abs(_transform(part, grid, depth, frequencies)).max(axis=1) * 1.08
    sines = np.sin(np.pi * np.maximum(frequencies, 1) / depth)
    with np.errstate(under="ignore"):
        adds = np.sqrt(part.reach[0]) * strength**n / (depth * sines)
    return (adds > part.left_out / (10 * frequencies.size)) | (frequencies == 0)


def _rates(
    part: _Part, n: int, shares: Sequence[float], width: int, depth: int, frequencies: Any
) -> list[float]:
    transform = _power(_transform(part, width, depth, frequencies), n)
    s = np.arange(part.low, part.low + width)
    sums = np.fft.ifft(transform, axis=1)[:, s % width]
    total, centre = (s + n * part.centre).astype(np.float64), part.centre
    rates = []
    for share in shares:
        limit = (total**2 / share - 2 * centre * s - n * centre**2 + s) / 2
        below = np.clip(np.ceil(limit), 0, depth).astype(np.intp)
        some = np.flatnonzero(below)
        rates.append(_summed(sums[:, some], frequencies, below[some], depth))
    return rates


def square_sum_law(joint: Array, gap: Any, n: int, left_out: float) -> Array:
    """Return the law of Σg² over n independent draws of a gap g, whose joint law is tabulated."""
    lowest = int(gap.min())
    of_gap = np.bincount((gap - lowest).ravel(), weights=joint.ravel())
    g = np.arange(lowest, lowest + of_gap.size)
    kept = of_gap > left_out * 1e-4
    p, squares = of_gap[kept] / of_gap[kept].sum(), (g * g)[kept]
    if n == 0:
        return np.ones(1)
    size = _fast(max(_reach(p, squares, n, left_out), int(squares.max())) + 1)
    transform = np.fft.rfft(np.bincount(squares, weights=p, minlength=size))
    return np.asarray(np.maximum(np.fft.irfft(transform**n, n=size), 0.0))


def _transform(part: _Part, width: int, depth: int, frequencies: Any) -> Complex:
    """Return the characteristic function of (e, e(e + 1)/2): frequencies of q × those of s."""
    roots = np.exp(-2j * np.pi * np.arange(depth) / depth)
    rows = np.zeros((frequencies.size, width), dtype=np.complex128)
    rows[:, part.e % width] = part.p * roots[np.outer(frequencies, part.triangle) % depth]
    return np.asarray(np.fft.fft(rows, axis=1))


def _summed(sums: Complex, frequencies: Any, below: Any, depth: int) -> float:
    """Add the probabilities of q = 0 … below − 1 for each s."""
    roots = np.exp(2j * np.pi * np.arange(depth) / depth)
    total = float(sums[0].real @ below)
    higher = frequencies[1:]
    series = roots[np.outer(higher, below) % depth]
    series -= 1
    series *= sums[1:]
    once = np.where(2 * higher == depth, 1.0, 2.0)  # the others stand for their mirror image
    total += float((once * (series.sum(axis=1) / (roots[higher] - 1)).real).sum())
    return total / depth


def _power(values: Complex, n: int) -> Complex:
    """Raise to a whole power by squaring."""
    result: Complex | None = None
    while n:
        if n & 1:
            result = values if result is None else result * values
        n >>= 1
        if n:
            values = values * values
    assert result is not None
    return result


def _reach(p: Array, x: Any, n: int, left_out: float) -> int:
    """Return what the sum of n independent draws of x exceeds with less than this probability.

    Chernoff: P(Σx ≥ r) ≤ E[exp(λx)]ⁿ exp(−λr) for any λ > 0.
    """
    scale = max(float(np.sqrt(p @ (x * x))), 1e-9)
    slopes = SLOPES / scale
    top = int(x.max())
    log_moment = np.log(np.exp(slopes[:, None] * (x - top)) @ p) + slopes * top
    bound = (n * log_moment - np.log(left_out)) / slopes
    return min(int(np.ceil(bound.min())), n * top)


def _fast(size: int) -> int:
    """Return a length that Fourier transforms like, at least `size`."""
    return min(
        factor << max((-(-size // factor) - 1).bit_length(), 0) for factor in (1, 3, 5, 9, 15)
    )
