"""Tests called on arrays: first minus second, in the order that was written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import outperform as op
from outperform import methods

from . import inputs

ON_DESIGNS = {
    "corrected_t": {"10cv": 10, "10x10cv": 100, "30xresampled@1/3": 30, "5x2cv": 10, None: 9},
    "kfold_t": {"10cv": 10, "5cv": 5},
    "single_fold_t": {"10cv": 10},
    "repeated_kfold_t": {"10x10cv": 100, "5x2cv": 10},
    "resampled_t": {"30xresampled@1/3": 30},
    "averaged_t": {"5*10cv": 50},
    "five_by_two_t": {"5x2cv": 10},
    "seed_averaged_t": {"3seeds*5cv": 15},
    "welch_t": {None: 12},
}
SIDES = ("two-sided", "greater", "less")
EDGES: dict[str, tuple[list[float], list[float]]] = {
    "identical": ([0.8, 0.7, 0.9, 0.75, 0.85], [0.8, 0.7, 0.9, 0.75, 0.85]),
    "constant": ([0.9, 0.8, 1.0, 0.85, 0.95], [0.8, 0.7, 0.9, 0.75, 0.85]),
    "zero mean": ([0.8, 0.7, 0.9, 0.8, 0.8], [0.7, 0.8, 0.8, 0.9, 0.8]),
    "tiny spread": ([1e8 + 1, 1e8 + 2, 1e8, 1e8 + 3, 1e8], [1e8, 1e8 + 2, 1e8 + 1, 1e8, 1e8]),
    "far apart": ([0.99, 0.98, 0.97, 0.99, 0.98], [0.1, 0.12, 0.11, 0.09, 0.1]),
    "not a number": ([0.8, float("nan"), 0.9, 0.75, 0.85], [0.8, 0.7, 0.9, 0.75, 0.85]),
    "unequal lengths": ([0.8, 0.7, 0.9], [0.8, 0.7, 0.9, 0.75, 0.85]),
    "too few": ([0.8], [0.7]),
}
TABLES = {
    "large": [[40, 25], [11, 124]],
    "small": [[5, 4], [1, 30]],
    "even": [[20, 7], [7, 66]],
    "one-sided": [[12, 9], [0, 79]],
    "no discordant": [[10, 0], [0, 90]],
    "huge": [[10**9, 3 * 10**8], [3 * 10**8 - 10**5, 10**10]],
}


def calls() -> dict[str, Callable[[], Any]]:
    return _of_splits() | _of_edges() | _of_items() | _of_counts() | _of_datasets() | _of_pvalues()


def _of_splits() -> dict[str, Callable[[], Any]]:
    table: dict[str, Callable[[], Any]] = {}
    for name, designs in ON_DESIGNS.items():
        for design, n in designs.items():
            a, b = (inputs.folds(11, n)[model] for model in ("a", "c"))
            if name == "seed_averaged_t":
                a, b = (side.reshape(5, 3) for side in (a, b))
            how = {} if design is None else {"design": design}
            if name == "corrected_t" and design is None:
                how = {"n_train": 90, "n_test": 10}
            test = getattr(methods, name)
            for side in SIDES:
                table[f"{name} {design} {side}"] = lambda t=test, a=a, b=b, how=how, side=side: t(
                    a, b, alternative=side, **how
                )
            table[f"{name} {design} lower"] = lambda t=test, a=a, b=b, how=how: t(
                a, b, lower_is_better=True, **how
            )
            table[f"{name} {design} from 0.01"] = lambda t=test, a=a, b=b, how=how: t(
                a, b, mu0=0.01, **how
            )
    return table


def _of_edges() -> dict[str, Callable[[], Any]]:
    table: dict[str, Callable[[], Any]] = {}
    for name in ("corrected_t", "kfold_t", "welch_t", "sign_flip"):
        for edge, (a, b) in EDGES.items():
            how = {"design": f"{len(b)}cv"} if name in ("corrected_t", "kfold_t") else {}
            test = getattr(methods, name)
            table[f"{name} {edge}"] = lambda t=test, a=a, b=b, how=how: t(a, b, **how)
    return table


def _of_items() -> dict[str, Callable[[], Any]]:
    graded, labels, several = inputs.graded(), inputs.right_wrong(), inputs.sampled()
    a, b = graded["new"], graded["old"]
    right, wrong = labels["new"], labels["old"]
    y, p = inputs.ranked()
    groups, of_labels = inputs.clusters(len(a)), inputs.clusters(len(right))
    judged = np.repeat([1.0, 0.0, 0.5], (72, 48, 20))
    table: dict[str, Callable[[], Any]] = {
        "accuracy_interval": lambda: op.methods.accuracy_interval(172, 240),
        "accuracy_interval exact": lambda: op.methods.accuracy_interval(
            172, 240, variant="clopper-pearson"
        ),
        "accuracy_interval of items": lambda: op.methods.accuracy_interval(right),
        "accuracy_interval from 0.7": lambda: op.methods.accuracy_interval(172, 240, mu0=0.7),
        "cochran_q": lambda: op.methods.cochran_q(1 - np.column_stack(list(labels.values()))),
        "sphericity": lambda: op.methods.sphericity(
            np.column_stack(list(inputs.folds(1, 12).values()))
        ),
        "simultaneous": lambda: op.methods.simultaneous(1 - np.column_stack(list(labels.values()))),
        "pooled_intervals": lambda: op.methods.pooled_intervals(labels),
        "delong": lambda: op.methods.delong(y, p["new"], p["old"]),
        "delong less": lambda: op.methods.delong(y, p["new"], p["old"], alternative="less"),
        "unpaired_interval": lambda: op.methods.unpaired_interval(a, b[:60]),
        "unpaired_interval sum": lambda: op.methods.unpaired_interval(a, b[:60], df="sum"),
        "crossed_t": lambda: op.methods.crossed_t(several["new"], several["old"]),
        "sampled_items_t": lambda: op.methods.sampled_items_t(several["new"], several["old"]),
        "cluster_t": lambda: op.methods.cluster_t(a, b, clusters=groups),
        "cluster_t few": lambda: op.methods.cluster_t(a[:30], b[:30], clusters=groups[:30]),
        "cluster_t clusters alike": lambda: op.methods.cluster_t(
            a, b, clusters=groups, weight="cluster"
        ),
        "cluster_sign_flip": lambda: op.methods.cluster_sign_flip(a, b, clusters=groups),
        "cluster_sign_flip labels": lambda: op.methods.cluster_sign_flip(
            right, wrong, clusters=of_labels
        ),
        "sign_flip": lambda: op.methods.sign_flip(a, b),
        "sign_flip exact": lambda: op.methods.sign_flip(a[:14], b[:14]),
        "sign_flip labels": lambda: op.methods.sign_flip(right, wrong),
        "paired_bootstrap": lambda: op.methods.paired_bootstrap(a, b),
        "paired_bootstrap percentile": lambda: op.methods.paired_bootstrap(a, b, kind="percentile"),
        "diebold_mariano": lambda: op.methods.diebold_mariano(a, b),
        "win_rate": lambda: op.methods.win_rate(judged, 1 - judged),
        "five_by_two_f": lambda: op.methods.five_by_two_f(a[:10], b[:10], design="5x2cv"),
        "quasi_f": lambda: op.methods.quasi_f(
            *(1 - side.reshape(8, 30) for side in (right, wrong))
        ),
    }
    tests = {"mcnemar": "exact mid-p plain continuity auto", "proportions": "plain corrected exact"}
    for name, variants in tests.items():
        for variant in variants.split():
            for size, counts in TABLES.items():
                test = getattr(methods, name)
                table[f"{name} {variant} {size}"] = lambda t=test, v=variant, c=counts: t(
                    table=c, variant=v
                )
    for size, counts in TABLES.items():
        table[f"mcnemar_mid_p {size}"] = lambda c=counts: op.methods.mcnemar_mid_p(table=c)
    return table


def _of_counts() -> dict[str, Callable[[], Any]]:
    whole = np.random.default_rng(12).normal(0.02, 0.01, (5, 5))
    halves = np.random.default_rng(13).normal(0.02, 0.03, (20, 2, 5))
    return {
        "replicability": lambda: op.methods.replicability([9, 1, 10, 3], 10),
        "sufficiency": lambda: op.methods.sufficiency([2.1, 1.9, 2.4, 2.0, 2.2], df=9),
        "conservative_z": lambda: op.methods.conservative_z(0.02, halves.mean(axis=2)),
        "calibrated_t": lambda: op.methods.calibrated_t(whole, halves, n=200),
        "half_sample_t": lambda: op.methods.half_sample_t(whole, halves, n=200),
    }


def _of_datasets() -> dict[str, Callable[[], Any]]:
    import pandas as pd

    columns = {k: v for k, v in inputs.benchmark().items() if k != "dataset"}
    rows = np.column_stack(list(columns.values()))
    bench = op.Benchmark.from_frame(pd.DataFrame(inputs.benchmark())).to_scores()
    two = bench.of(("A", "C"))
    table: dict[str, Callable[[], Any]] = {
        "friedman": lambda: op.methods.friedman(rows),
        "friedman lower": lambda: op.methods.friedman(rows, lower_is_better=True),
        "iman_davenport": lambda: op.methods.iman_davenport(rows),
        "bonferroni_dunn": lambda: op.methods.bonferroni_dunn(bench, control="A"),
        "nemenyi": lambda: op.methods.nemenyi(bench),
        "max_t": lambda: op.methods.max_t(bench),
        "max_t control": lambda: op.methods.max_t(bench, control="A"),
        "wilcoxon wilcox": lambda: op.methods.wilcoxon(two, zeros="wilcox"),
    }
    for name in ("wilcoxon", "sign_test", "dataset_t", "bayesian_sign", "bayesian_signed_rank"):
        for side in SIDES[: 1 if name.startswith("bayes") else 3]:
            test = getattr(methods, name)
            table[f"{name} {side}"] = lambda t=test, side=side: t(two, alternative=side)
    return table


def _of_pvalues() -> dict[str, Callable[[], Any]]:
    p = [0.001, 0.04, 0.03, 0.2, 0.011, 0.5]
    return {
        "holm": lambda: op.methods.holm(p),
        "hochberg": lambda: op.methods.hochberg(p),
        "bonferroni": lambda: op.methods.bonferroni(p),
        "benjamini_hochberg": lambda: op.methods.benjamini_hochberg(p),
        "adjust holm": lambda: op.methods.adjust(p, "holm"),
        "familywise_error": lambda: op.methods.familywise_error(6, 0.05),
        "fisher_combination": lambda: op.methods.fisher_combination(p),
        "wilcoxon_combination": lambda: op.methods.wilcoxon_combination(p),
    }
