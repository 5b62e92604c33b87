"""Weigh the splits a C4.5 node could make, compiled: gains and gain ratios of `c45_reference`."""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from .c45_tree import GAP, SMALL

__all__ = ["entropy_of", "jit", "weigh_nominal", "weigh_numeric"]

jit = njit(cache=True, nogil=True, error_model="numpy")


@jit
def weigh_nominal(column, n_values, own, weight, unit, y, n_classes, total, min_items, bits):
    """Return gain (-1: no split) and gain ratio of one branch for each value."""
    table = np.zeros((n_values, n_classes))
    by_class = np.zeros(n_classes)
    for row in own:
        value = column[row]
        if not np.isnan(value):
            table[int(value), y[row]] += weight[row]
            by_class[y[row]] += weight[row]
    enough, known, after, said = 0, 0.0, 0.0, 0.0
    for v in range(n_values):
        held = 0.0
        for c in range(n_classes):
            held += table[v, c]
            after -= _bits(table[v, c], unit, bits)
        enough += held >= min_items - SMALL
        known += held
        said += _bits(held, unit, bits)
    if enough < 2:
        return -1.0, 0.0
    after += said
    before = entropy_of(by_class, known, unit, bits)
    saved = (before - after) * (known / total)
    gain = 0.0 if abs(saved) < SMALL else saved / known
    return max(gain, 0.0), _ratio(gain, said, known, total, unit, bits)


@jit
def weigh_numeric(
    column, by_value, m, weight, unit, y, counts, entropy, total, min_items, bits, work
):
    """Return gain (-1: no split), gain ratio and middle of the best cut of a numeric attribute."""
    k = m
    while k > 0 and np.isnan(column[by_value[k - 1]]):
        k -= 1
    if k < 2 or not column[by_value[0]] + GAP < column[by_value[k - 1]]:
        return -1.0, 0.0, np.nan
    above, known, before = counts, total, entropy
    if k < m:
        above = np.zeros(len(counts))
        known = 0.0
        for row in by_value[:k]:
            above[y[row]] += weight[row]
            known += weight[row]
        before = entropy_of(above, known, unit, bits)
    least = 0.1 * known / len(counts)
    least = min_items if least < min_items + SMALL else min(least, 25.0)
    if k < 2 * least - SMALL:
        return -1.0, 0.0, np.nan
    if unit:
        last, after, n_cuts = _scan_whole(
            column, by_value, y, above, k, total, least, before, bits, work
        )
        low = float(last + 1)
    else:
        last, after, n_cuts, low = _scan_fractions(
            column, by_value, weight, y, above.copy(), k, known, total, least, before
        )
    if last < 0:
        return -1.0, 0.0, np.nan
    gain = (before - after - bits[n_cuts] / n_cuts) / total
    if gain < SMALL:
        return -1.0, 0.0, np.nan
    said = _bits(low, unit, bits) + _bits(known - low, unit, bits)
    left, right = column[by_value[last]], column[by_value[last + 1]]
    middle = (left + right) / 2
    if middle == right:
        middle = left
    return gain, _ratio(gain, said, known, total, unit, bits), middle


@jit
def _scan_whole(column, by_value, y, above, k, total, least, before, bits, work):
    """Return the last item below the best cut (-1: none), the bits after it, the number of cuts.

    `work` holds, for each class, how many items are below the cut and how many but one above:
    where to look up the step of n·log n. Unsigned, since numba looks signed indices over twice.
    """
    low, high, steps, present = work
    one = np.uint32(1)
    for c in present:
        low[c] = 0
        high[c] = np.uint32(above[c]) - one
    parts = bits[k] - before  # the sum of n·log n over the classes on both sides
    best, after, n_cuts = -1, before, 0
    first = max(int(np.ceil(least - SMALL)), 1)
    limit = before - SMALL * total  # a cut must gain more than SMALL bits an item
    for i in range(first - 1):
        c = y[by_value[i]]
        parts += steps[low[c]] - steps[high[c]]
        low[c] += one
        high[c] -= one
    value = column[by_value[first - 1]]
    for i in range(first - 1, k - first):
        c = y[by_value[i]]
        parts += steps[low[c]] - steps[high[c]]
        low[c] += one
        high[c] -= one
        following = column[by_value[i + 1]]
        if value + GAP < following:
            n_cuts += 1
            now = bits[i + 1] + bits[k - i - 1] - parts
            if now < limit:
                best, after, limit = i, now, now - SMALL * total
            value = following
    return best, after, n_cuts


@jit
def _scan_fractions(column, by_value, weight, y, above, k, known, total, least, before):
    """Scan as `_scan_whole` does, for items of any weight; return the weight below as well."""
    low = np.zeros(len(above))
    best, after, n_cuts, best_low = -1, before, 0, 0.0
    limit = before - SMALL * total
    under, parts = 0.0, 0.0
    for one in above:
        parts += _fraction_bits(one)
    for i in range(k - 1):
        row = by_value[i]
        c = y[row]
        parts -= _fraction_bits(low[c]) + _fraction_bits(above[c])
        low[c] += weight[row]
        above[c] -= weight[row]
        parts += _fraction_bits(low[c]) + _fraction_bits(above[c])
        under += weight[row]
        if column[row] + GAP < column[by_value[i + 1]]:
            over = known - under
            if under >= least - SMALL and over >= least - SMALL:
                n_cuts += 1
                now = _fraction_bits(under) + _fraction_bits(over) - parts
                if now < limit:
                    best, after, best_low, limit = i, now, under, now - SMALL * total
    return best, after, n_cuts, best_low


@jit
def _ratio(gain, said, known, total, unit, bits):
    info = _bits(total, unit, bits) - said - _bits(total - known, unit, bits)
    return 0.0 if abs(info) < SMALL else gain / (info / total)


@jit
def entropy_of(counts, total, unit, bits):
    """Return the bits it takes to tell the classes of all items."""
    entropy = _bits(total, unit, bits)
    for weight in counts:
        entropy -= _bits(weight, unit, bits)
    return entropy


@jit
def _bits(weight, unit, bits):
    return bits[int(weight)] if unit else _fraction_bits(weight)


@jit
def _fraction_bits(weight):
    return weight * np.log2(weight) if weight >= SMALL else 0.0
