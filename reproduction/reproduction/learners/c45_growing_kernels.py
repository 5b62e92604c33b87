"""Grow C4.5 trees compiled: the steps of `c45_reference` over flat arrays, with numba.

Attributes are sorted once for all splits of a dataset; a node keeps that order by filtering its
parent's. While no item is fractional, entropies come from a table of n·log n.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .c45_tree import GAP, NEARLY, SMALL

# mypy: disable-error-code="no-untyped-def"


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
    column, by_value, m, weight, unit, y, counts, entropy, total, min_items, charge, bits, work
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
    gain = (before - after - charge * (bits[n_cuts] / n_cuts)) / total
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


@jit
def grow_nodes(data, order, rows, n_classes, min_items, charge, counted, asked_about, sparing):
    """Return the nodes (attribute, cut, first child, number of children, class weights) and items.

    The items are the rows and weights of each node, by its number, empty in leaves; no weights
    mean that all are 1. `data` is (columns, y, nominal, n_values); `order` sorts the rows of each
    column; `counted` says which attributes take part in the average gain, `charge`
    the share of the bits that tell a cut which the cut pays (1, or 0 in Release 1).

    A `sparing` tree, where all is numeric, none missing, and nothing will be pruned, leaves out
    what none of the rows asked about reaches and collapsing need not know: whether a split saves
    training errors is known where it saves some itself; else its branches are grown until one does.
    """
    columns, y, nominal, n_values = data
    n = columns.shape[1]
    bits = np.zeros(len(rows) + 2)
    for i in range(2, len(rows) + 2):
        bits[i] = i * np.log2(i)
    steps = bits[1:] - bits[:-1]
    low, high = np.zeros(n_classes, np.uint32), np.zeros(n_classes, np.uint32)
    capacity = 64
    attribute = np.full(capacity, -1, np.int32)
    cut = np.full(capacity, np.nan)
    first_child = np.full(capacity, -1, np.int32)
    n_children = np.zeros(capacity, np.int32)
    counts = np.zeros((capacity, n_classes))
    for row in rows:
        counts[0, y[row]] += 1
    used = 1
    branch = np.empty(n, np.int32)  # by row, for the node at hand
    goes = np.empty(n, np.uint64)
    weight = np.ones(n)
    rows_of = [rows]
    weights_of = [np.empty(0)]
    whole = _sorted_part(columns, nominal, order, rows, n)
    waiting = [0]
    sorted_of_waiting = [whole]
    asked_of_waiting = [asked_about]
    while len(waiting) > 0:
        node = waiting.pop()
        by_value = sorted_of_waiting.pop()
        asking = asked_of_waiting.pop()
        own, weights = rows_of[node], weights_of[node]
        unit = len(weights) == 0
        for i in range(len(own)):
            weight[own[i]] = 1.0 if unit else weights[i]
        asked, at = _best_split(
            data,
            own,
            weight,
            by_value,
            unit,
            counts[node],
            min_items,
            charge,
            counted,
            bits,
            (low, high, steps),
        )
        if asked < 0:
            continue
        if not nominal[asked]:
            at = _largest_up_to(columns[asked], whole[asked], at)
        branches = n_values[asked] if nominal[asked] else 2
        if used + branches > capacity:
            capacity = 2 * capacity + branches
            attribute = _longer(attribute, capacity, -1)
            cut = _longer(cut, capacity, np.nan)
            first_child = _longer(first_child, capacity, -1)
            n_children = _longer(n_children, capacity, 0)
            more = np.zeros((capacity, n_classes))
            more[:used] = counts[:used]
            counts = more
        attribute[node], first_child[node], n_children[node] = asked, used, branches
        cut[node] = np.nan if nominal[asked] else at
        sizes, shares, missing = _send(
            columns[asked], nominal[asked], at, branches, own, weight, branch
        )
        for row in own:
            if branch[row] >= 0:
                counts[used + branch[row], y[row]] += weight[row]
            else:
                for number in range(branches):
                    counts[used + number, y[row]] += weight[row] * shares[number]
        wanted = not sparing or _saves_nothing(counts, node, used, branches)
        for number in range(branches):
            rows_of.append(rows[:0])
            weights_of.append(weights[:0])
            if not _may_split(counts[used + number], min_items):
                continue
            follow = asking[:0]
            if sparing:
                follow = _following(columns[asked], nominal[asked], at, number, asking)
            if wanted or len(follow) > 0:
                part = _part(
                    own,
                    weight,
                    by_value,
                    branch,
                    number,
                    shares[number],
                    sizes[number],
                    nominal,
                    unit and not missing,
                    goes,
                )
                rows_of[used + number], weights_of[used + number] = part[0], part[1]
                waiting.append(used + number)
                sorted_of_waiting.append(part[2])
                asked_of_waiting.append(follow)
        used += branches
    nodes = (
        attribute[:used].copy(),
        cut[:used].copy(),
        first_child[:used].copy(),
        n_children[:used].copy(),
        counts[:used].copy(),
    )
    return nodes, rows_of, weights_of


@jit
def branch_of(value, nominal, cut):
    """Return the branch a value takes; -1 where it is missing."""
    if np.isnan(value):
        return -1
    return int(value) if nominal else int(value >= cut + SMALL)


@jit
def wrong(counts):
    """Return the weight that is not of the most frequent class."""
    total, most = 0.0, 0.0
    for weight in counts:
        total += weight
        if weight > most + SMALL:
            most = weight
    return total - most


@jit
def _saves_nothing(counts, node, first, branches):
    """Tell whether the leaves of a split would err as often as one leaf; items are whole."""
    below = 0.0
    for child in range(first, first + branches):
        below += wrong(counts[child])
    return below >= wrong(counts[node])


@jit
def _following(column, nominal, at, number, rows):
    """Return the rows that go down one branch."""
    kept = np.empty(len(rows), np.uint32)
    k = 0
    for row in rows:
        if branch_of(column[row], nominal, at) == number:
            kept[k] = row
            k += 1
    return kept[:k]


@jit
def _longer(array, size, fill):
    longer = np.full(size, fill, array.dtype)
    longer[: len(array)] = array
    return longer


@jit
def _may_split(counts, min_items):
    total, most = 0.0, 0.0
    for weight in counts:
        total += weight
        most = max(most, weight)
    return total >= 2 * min_items - SMALL and total - most >= SMALL


@jit
def _sorted_part(columns, nominal, order, rows, n):
    """Return `rows` sorted by each numeric attribute, filtered from the order of all rows."""
    here = np.zeros(n, np.bool_)
    for row in rows:
        here[row] = True
    found = np.empty((len(columns), len(rows)), np.uint32)
    for a in range(len(columns)):
        if not nominal[a]:
            k = 0
            for row in order[a]:
                if here[row]:
                    found[a, k] = row
                    k += 1
    return found


@jit
def _send(column, nominal, at, branches, own, weight, branch):
    """Note the branch of each row; return how many go down each, its share, if any is missing."""
    sizes = np.zeros(branches, np.int64)
    shares = np.zeros(branches)
    known, n_missing = 0.0, 0
    for row in own:
        number = branch_of(column[row], nominal, at)
        branch[row] = number
        if number < 0:
            n_missing += 1
        else:
            sizes[number] += 1
            shares[number] += weight[row]
            known += weight[row]
    for number in range(branches):
        shares[number] = shares[number] / known if known > SMALL else 1 / branches
        if shares[number] > SMALL:
            sizes[number] += n_missing
        else:
            shares[number] = 0.0
    return sizes, shares, n_missing > 0


@jit
def _part(own, weight, by_value, branch, number, share, size, nominal, unit, goes):
    """Return the rows, weights and sorted rows of the items that go down one branch."""
    rows = np.empty(size, np.uint32)
    weights = np.empty(0 if unit else size)
    k = 0
    for row in own:
        here = branch[row] == number or (branch[row] < 0 and share > 0)
        goes[row] = here
        if here:
            rows[k] = row
            if not unit:
                weights[k] = weight[row] if branch[row] == number else weight[row] * share
            k += 1
    kept = np.empty((len(by_value), size + 1), np.uint32)  # one place more, written and not read
    for a in range(len(by_value)):
        if not nominal[a]:
            source, target = by_value[a], kept[a]
            at = np.uint64(0)
            for i in range(len(own)):  # no branch to guess wrong
                row = source[i]
                target[at] = row
                at += goes[row]
    return rows, weights, kept


@jit
def _largest_up_to(column, by_value, middle):
    """Return the largest value below a limit; by_value sorts the rows, missing values last."""
    low, high = 0, len(by_value)  # the answer is before `high`, and not before `low`
    while high - low > 1:
        between = (low + high) // 2
        if column[by_value[between]] < middle + SMALL:
            low = between
        else:
            high = between
    return column[by_value[low]]


@jit
def _best_split(
    data, own, weight, by_value, unit, counts, min_items, charge, counted, bits, tables
):
    """Return the attribute of best gain ratio (-1: none) and the middle of its cut."""
    columns, y, nominal, n_values = data
    low, high, steps = tables
    d = len(columns)
    if not _may_split(counts, min_items):
        return -1, np.nan
    total = 0.0
    for one in counts:
        total += one
    entropy = entropy_of(counts, total, unit, bits)
    present = np.flatnonzero(counts > 0).astype(np.uint32)
    work = low, high, steps, present
    gains = np.full(d, -1.0)
    ratios = np.zeros(d)
    middles = np.full(d, np.nan)
    average, n_counted = 0.0, 0
    for a in range(d):
        if nominal[a]:
            gains[a], ratios[a] = weigh_nominal(
                columns[a], n_values[a], own, weight, unit, y, len(counts), total, min_items, bits
            )
        else:
            gains[a], ratios[a], middles[a] = weigh_numeric(
                columns[a],
                by_value[a],
                len(own),
                weight,
                unit,
                y,
                counts,
                entropy,
                total,
                min_items,
                charge,
                bits,
                work,
            )
        if gains[a] >= 0 and counted[a]:
            average += gains[a]
            n_counted += 1
    if n_counted == 0:
        return -1, np.nan
    average /= n_counted
    best, ratio = -1, 0.0
    for a in range(d):
        if gains[a] >= 0 and gains[a] >= average - NEARLY and ratios[a] > ratio + SMALL:
            best, ratio = a, ratios[a]
    return best, middles[best] if best >= 0 else np.nan
