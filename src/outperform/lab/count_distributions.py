"""Distributions in a population of two kinds of points: of counts, differences, Σd and Σd².

Sums of independent whole numbers are worked out by characteristic functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..numerics.exact_sums import Array

Kinds: TypeAlias = tuple[tuple[float, float], tuple[float, float]]
"""For each kind of point the probabilities that the first and that the second learner errs."""
Nodes: TypeAlias = tuple[tuple[float, float, float], ...]
"""Values of β for the first and for the second learner, each pair with its weight."""

Complex: TypeAlias = npt.NDArray[np.complex128]

GAUSS = 16
"""Nodes of a Gauss–Legendre sum: laws are polynomials in β, and |β| is small (D-37)."""
SLOPES = np.geomspace(1e-6, 3.0, 60)
"""Where Chernoff's bound on a tail is tried."""


@lru_cache(maxsize=64)
def nodes_of(beta: float, *, shared: bool) -> Nodes:
    """Return the values that stand for β uniform on [−beta, beta], exactly for polynomials."""
    if beta == 0:
        return ((0.0, 0.0, 1.0),)
    points, weights = np.polynomial.legendre.leggauss(GAUSS)
    one = [(beta * float(x), float(w) / 2) for x, w in zip(points, weights, strict=True)]
    if shared:
        return tuple((x, x, w) for x, w in one)
    return tuple((x, z, w * v) for x, w in one for z, v in one)


@lru_cache(maxsize=16)
def hypergeometric_law(n: int, drawn: int) -> Array:
    """Return P(h of the first kind among `drawn`) with m such points among n: row m, column h."""
    log = _log_factorials(n)
    m, h = np.arange(n + 1)[:, None], np.arange(drawn + 1)[None, :]
    possible = (h <= m) & (drawn - h <= n - m)
    other = np.where(possible, drawn - h, 0)
    inside, rest = np.where(possible, m - h, 0), np.where(possible, n - m - other, 0)
    weight = log[m] - log[np.where(possible, h, 0)] - log[inside]
    weight = weight + log[n - m] - log[other] - log[rest]
    weight -= log[n] - log[drawn] - log[n - drawn]
    law = np.exp(np.where(possible, weight, -np.inf))
    law /= law.sum(axis=1, keepdims=True)
    law.setflags(write=False)
    return law


def binomial_law(n: int, p: float) -> Array:
    """Return P(x of k) for each k = 0…n: row k, column x."""
    log = _log_factorials(n)
    k, x = np.arange(n + 1)[:, None], np.arange(n + 1)[None, :]
    rest = np.maximum(k - x, 0)
    # 0**0 is 1 here, which is what a law with p = 0 or 1 needs.
    ways = np.exp(np.where(x <= k, log[k] - log[x] - log[rest], -np.inf))
    law = ways * np.power(p, x) * np.power(1 - p, rest)
    return np.asarray(law / law.sum(axis=1, keepdims=True))


def difference_law(n_test: int, kinds: Kinds, nodes: Nodes) -> Array:
    """Return the law of the second learner's errors minus the first's, given the kinds tested.

    Row h holds h points of the first kind among `n_test`; column d + n_test is the difference d.
    The law of a sum is a product of generating functions, taken at roots of unity.
    """
    size = 2 * n_test + 1
    z = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    total = np.zeros((n_test + 1, z.size), dtype=np.complex128)
    for beta_a, beta_b, weight in nodes:
        one, two = (_powers(a + beta_a, b + beta_b, z, n_test) for a, b in kinds)
        total += weight * one * two[::-1]
    law = np.fft.irfft(total, n=size, axis=1)
    law = np.maximum(law, 0.0)  # what is below 0 is rounding
    return np.asarray(law / law.sum(axis=1, keepdims=True))


def cell_law(kinds: Kinds, share: float, nodes: Nodes) -> list[tuple[float, Array]]:
    """Return for each β its weight and P(both wrong, A only, B only, none) of a random point."""
    found = []
    for beta_a, beta_b, weight in nodes:
        cells = np.zeros(4)
        for part, (a, b) in zip((share, 1 - share), kinds, strict=True):
            a, b = a + beta_a, b + beta_b
            cells += part * np.array([a * b, a * (1 - b), (1 - a) * b, (1 - a) * (1 - b)])
        found.append((weight, cells))
    return found


def _powers(a: float, b: float, z: Complex, highest: int) -> Complex:
    """Return the generating function of one point's difference, shifted by 1, to each power."""
    down, up = a * (1 - b), (1 - a) * b
    factor = down + (1 - down - up) * z + up * z * z
    rows = np.ones((highest + 1, z.size), dtype=np.complex128)
    rows[1:] = factor
    return np.asarray(np.multiply.accumulate(rows, axis=0))


def _log_factorials(n: int) -> Array:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])


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
