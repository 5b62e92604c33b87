"""The loops of `trials`, compiled by numba: the same words and tables, hence the same counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

from . import decisions
from .dealing import (
    count_table,
    errors_table,
    fold_counts,
    fold_table,
    n_test_of,
    resample_table,
)
from .designed import DesignedPopulation, Sample
from .laws import Kinds
from .scenarios import Reading, stream
from .tables import Table, words
from .trials import plain_tally, share_of

__all__ = ["tally"]


def tally(
    population: DesignedPopulation,
    asked: Reading,
    names: Sequence[str],
    sample: Sample,
    kinds: Kinds,
    seed: np.random.SeedSequence,
    alpha: float,
) -> list[int]:
    """Count the rejections of each method among the experiments of a block."""
    design, n = asked.design, population.n
    rng, m, reps = stream(seed, asked.key), sample.m, len(sample.m)
    nodes = population.nodes(design.kind)
    if asked.view == "Contingency":
        if len(nodes) > 1:  # β differs by experiment, so there is no table of errors
            return plain_tally(population, asked, names, sample, kinds, seed, alpha)
        n_test, z = n_test_of(design, n), decisions.two_sided(alpha)
        counts = count_table(n, n_test)
        random = [words(rng, reps) for _ in range(7)]
        errors = [_parts(errors_table(n_test, rate)) for kind in kinds for rate in kind]
        found = _cells(counts.near(m), *random, _parts(counts), *errors, n_test, z)
        return [int(found[("mcnemar", "proportions").index(name)]) for name in names]
    if names[0] == "five_by_two_t":
        replications = design.n_splits() // 2
        counts, table = count_table(n, n // 2), fold_table(n // 2, kinds, nodes)
        first, second = words(rng, reps, replications), words(rng, reps, replications, 2)
        critical = decisions.two_sided(alpha, replications)
        limit = critical**2 / (2 * replications)
        last = table.first_row + (table.threshold.size >> table.bits) - 1
        laws = _parts(counts), _parts(table)
        return [int(_pairs(counts.near(m), m, first, second, *laws, last, limit))]
    shares = np.array([share_of(name, asked, n, alpha) for name in names])
    if design.kind == "resampled":
        table = resample_table(n, n_test_of(design, n), kinds, nodes)
        random_splits = words(rng, reps, design.n_splits())
        rows = np.broadcast_to(table.near(m)[:, None], random_splits.shape)
        return [int(x) for x in _splits(rows, random_splits, _parts(table), shares)]
    sizes = fold_counts(n, design.n_splits())
    if len(sizes) != sample.folds.shape[1]:  # folds dealt by NumPy's own generator
        return plain_tally(population, asked, names, sample, kinds, seed, alpha)
    table = fold_table(sizes[0], kinds, nodes)
    random_folds = words(rng, reps, len(sizes))
    return [int(x) for x in _splits(table.near(sample.folds), random_folds, _parts(table), shares)]


def _parts(table: Table) -> tuple[Any, ...]:
    return table.threshold, table.outcome, table.bits, table.first_row


def plain_pick(table: Any, row: Any, word: Any) -> Any:
    threshold, outcome, bits, first_row = table
    at = ((row - first_row) << bits) + (word >> (32 - bits))
    beyond = (word & ((1 << (32 - bits)) - 1)) >= threshold[at]
    return outcome[2 * at + beyond]


_pick: Any = njit(cache=True, nogil=True, inline="always")(plain_pick)


def plain_splits(rows: Any, random: Any, table: Any, shares: Any) -> Any:
    found = np.zeros(shares.size, dtype=np.int64)
    for trial in range(random.shape[0]):
        total, squares = 0.0, 0.0
        for split in range(random.shape[1]):
            d = np.float64(_pick(table, rows[trial, split], np.int64(random[trial, split])))
            total += d
            squares += d * d
        for which in range(shares.size):
            if total * total > shares[which] * squares:
                found[which] += 1
    return found


def plain_pairs(
    rows: Any, m: Any, random: Any, sides: Any, counts: Any, table: Any, last: Any, limit: Any
) -> Any:
    found, first_row = 0, table[3]
    for trial in range(random.shape[0]):
        squares, first = 0.0, 0.0
        for run in range(random.shape[1]):
            here = np.int64(_pick(counts, rows[trial], np.int64(random[trial, run])))
            one, two = min(max(here, first_row), last), min(max(m[trial] - here, first_row), last)
            a = np.float64(_pick(table, one, np.int64(sides[trial, run, 0])))
            b = np.float64(_pick(table, two, np.int64(sides[trial, run, 1])))
            if run == 0:
                first = a
            squares += (a - b) * (a - b)
        if first * first > limit * squares:
            found += 1
    return found


def plain_cells(
    rows: Any, w0: Any, w1: Any, w2: Any, w3: Any, w4: Any, w5: Any, w6: Any,
    counts: Any, a_first: Any, b_first: Any, a_second: Any, b_second: Any, n_test: Any, z: Any,
) -> Any:  # fmt: skip
    by_mcnemar, by_proportions = 0, 0
    for trial in range(rows.size):
        one = np.int64(_pick(counts, rows[trial], np.int64(w0[trial])))
        two = n_test - one
        wrong_one = np.int64(_pick(a_first, one, np.int64(w1[trial])))
        both = _pick(b_first, wrong_one, np.int64(w2[trial]))
        b_only = _pick(b_first, one - wrong_one, np.int64(w3[trial]))
        wrong_two = np.int64(_pick(a_second, two, np.int64(w4[trial])))
        both += _pick(b_second, wrong_two, np.int64(w5[trial]))
        b_only += _pick(b_second, two - wrong_two, np.int64(w6[trial]))
        a_wrong, b_wrong = np.float64(wrong_one + wrong_two), np.float64(both + b_only)
        apart = abs(a_wrong - b_wrong)
        if apart - 1 > z * np.sqrt(a_wrong - both + b_only):
            by_mcnemar += 1
        total = a_wrong + b_wrong
        if np.sqrt(2.0 * n_test) * apart > z * np.sqrt(total * (2 * n_test - total)):
            by_proportions += 1
    return by_mcnemar, by_proportions


_splits: Any = njit(cache=True, nogil=True)(plain_splits)
_pairs: Any = njit(cache=True, nogil=True)(plain_pairs)
_cells: Any = njit(cache=True, nogil=True)(plain_cells)
