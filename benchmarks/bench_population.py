"""Dietterich's designed population: exact sums, against a loop over the usual packages."""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import Row, ratio_of

from outperform.lab import sampling
from outperform.lab.populations import DesignedPopulation
from reproduction.exact import FIVE, rejection_rates

EPSILONS = (0.1, 0.2, 0.3, 0.4)
PUBLISHED, SAMPLE, ROUNDS = 1_000, 60, 5
FOUR = tuple(name for name in FIVE if name != "resampled_t")


def measure() -> list[Row]:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return _exactly()


def _exactly() -> list[Row]:
    share = SAMPLE / (PUBLISHED * len(EPSILONS))
    rows = []
    for methods, mark, rounds in ((FOUR, 10, ROUNDS), (FIVE, 1, 3)):

        def ours(methods: tuple[str, ...] = methods) -> list[dict[str, float]]:
            _forget()
            return [rejection_rates(DesignedPopulation(eps), methods) for eps in EPSILONS]

        ratio = ratio_of(ours, lambda: user_loop(0.2, SAMPLE), rounds=rounds, their_share=share)
        name = f"its Type I errors exactly, {len(methods)} tests, vs. user loop of 4 × 1,000 trials"
        rows.append(Row(name, ratio, mark, note="right to 1e-10; tables rebuilt each time"))
    return rows


def _forget() -> None:
    tables = (sampling.resample_table, sampling.fold_table, sampling.count_table)
    laws = (sampling.nodes_of, sampling.hypergeometric_law)
    for kept in (*tables, sampling.errors_table, *laws):
        kept.cache_clear()


def user_loop(epsilon: float, trials: int) -> list[list[float]]:
    """What a user writes: splitters, simulated predictions, and the tests of three packages."""
    from mlxtend.evaluate import mcnemar, mcnemar_table
    from scipy import stats
    from sklearn.model_selection import KFold, ShuffleSplit, train_test_split
    from statsmodels.stats.proportion import proportions_ztest

    rng = np.random.default_rng(trials)
    n, low, high = 300, epsilon / 2, 3 * epsilon / 2
    found = []
    for trial in range(trials):
        first_kind = rng.random(n) < 0.5
        rates = np.where(first_kind, low, high), np.where(first_kind, high, low)

        def wrong(test: Any, beta: float = 0.0, rates: Any = rates) -> tuple[Any, Any]:
            draws = rng.random((2, len(test)))
            return draws[0] < rates[0][test] + beta, draws[1] < rates[1][test] + beta

        def difference(test: Any, beta: float = 0.0, wrong: Any = wrong) -> float:
            a, b = wrong(test, beta)
            return float(a.mean() - b.mean())

        _, test = train_test_split(np.arange(n), test_size=1 / 3, random_state=trial)
        a, b = wrong(test)
        truth = np.zeros(len(test), dtype=int)
        table = mcnemar_table(y_target=truth, y_model1=a.astype(int), y_model2=b.astype(int))
        row = [mcnemar(ary=table, corrected=True)[1]]
        row.append(proportions_ztest([a.sum(), b.sum()], [len(test)] * 2)[1])
        splits = ShuffleSplit(30, test_size=1 / 3, random_state=trial).split(first_kind)
        row.append(stats.ttest_1samp([difference(test) for _, test in splits], 0.0).pvalue)
        folds = KFold(10, shuffle=True, random_state=trial).split(first_kind)
        apart = [difference(test, rng.uniform(-0.02, 0.02)) for _, test in folds]
        row.append(stats.ttest_1samp(apart, 0.0).pvalue)
        pairs = np.array(
            [
                [
                    difference(test)
                    for _, test in KFold(2, shuffle=True, random_state=5 * trial + r).split(
                        first_kind
                    )
                ]
                for r in range(5)
            ]
        )
        spread = np.sqrt(((pairs - pairs.mean(axis=1, keepdims=True)) ** 2).sum() / 5)
        row.append(2 * stats.t.sf(abs(pairs[0, 0] / spread), 5))
        found.append(row)
    return found
