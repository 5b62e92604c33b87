"""Every test on every source that it reads; for each source, which tests read it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import outperform as op

from . import inputs

OF_FAMILIES = {"all_pairs", "max_t", "nemenyi", "pooled_intervals", "simultaneous"}
OF_FOLDS = "corrected_t kfold_t single_fold_t"
OF_REPEATS = "corrected_t repeated_kfold_t"
OF_LABELS = "all_pairs mcnemar mcnemar_mid_p paired_t pooled_intervals sign_flip simultaneous"
OF_SCORES = "diebold_mariano paired_bootstrap paired_t sampled_items_t sign_flip simultaneous"
OF_CLUSTERS = f"{OF_SCORES} cluster_sign_flip cluster_t"
OF_TEST_SETS = f"{OF_LABELS} diebold_mariano paired_bootstrap proportions"
OF_DATASETS = "bayesian_sign bayesian_signed_rank dataset_t max_t nemenyi rank_z sign_test wilcoxon"
VALID = {
    "typed 10cv": OF_FOLDS,
    "typed 10x10cv": OF_REPEATS,
    "typed 5x2cv": f"{OF_REPEATS} five_by_two_f five_by_two_t",
    "typed 30xresampled@1/3": "corrected_t resampled_t",
    "typed 20xresampled@1/10": "corrected_t resampled_t",
    "typed 5*10cv": "averaged_t",
    "typed 12seeds": "paired_t welch_t",
    "typed sizes": f"{OF_REPEATS} kfold_t single_fold_t resampled_t averaged_t welch_t",
    "typed seeds of splits": "seed_averaged_t",
    "typed lower": OF_FOLDS,
    "run holdout@1/3": OF_TEST_SETS,
    "run 10cv": f"{OF_FOLDS} simultaneous",
    "run 10cv/stratified": f"{OF_FOLDS} simultaneous",
    "run 5cv/grouped": f"{OF_FOLDS} simultaneous",
    "run 10x10cv": OF_REPEATS,
    "run 3x5cv/stratified": OF_REPEATS,
    "run 5x2cv": f"{OF_REPEATS} five_by_two_f five_by_two_t",
    "run loo": OF_LABELS,
    "run 30xresampled@1/3": "corrected_t resampled_t",
    "run 20xresampled@1/10/stratified": "corrected_t resampled_t",
    "run 10x3halves@1/10": "conservative_z",
    "run 6disjoint@20": "quasi_f",
    "run 5*10cv": "averaged_t",
    "run 5x5cv+20halves": "calibrated_t half_sample_t",
    "run 3x4cv+10halves/stratified": "calibrated_t half_sample_t",
    "run 12seeds@1/3": "paired_t welch_t",
    "run 5forward": "diebold_mariano",
    "right-wrong": f"{OF_TEST_SETS} sampled_items_t",
    "right-wrong these": OF_TEST_SETS,
    "clustered": f"{OF_TEST_SETS} sampled_items_t cluster_sign_flip cluster_t",
    "strata": OF_SCORES,
    "graded": OF_SCORES,
    "graded lower": OF_SCORES,
    "graded clustered": OF_CLUSTERS,
    "ordered": OF_SCORES,
    "sampled these": f"{OF_SCORES} crossed_t",
    "sampled": f"{OF_SCORES} crossed_t",
    "sampled clustered": f"{OF_CLUSTERS} crossed_t",
    "probabilities log_loss": f"{OF_SCORES} delong",
    "probabilities brier": f"{OF_SCORES} delong",
    "probabilities auc": "delong",
    "predictions": OF_TEST_SETS,
    "datasets": OF_DATASETS,
    "two on datasets": OF_DATASETS,
    "folds of datasets": f"{OF_DATASETS} hierarchical",
}
TESTS = (
    *("accuracy_interval", "all_pairs", "averaged_t", "bayesian_sign", "bayesian_signed_rank"),
    *("bonferroni_dunn", "bradley_terry", "calibrated_t", "cluster_sign_flip", "cluster_t"),
    *("cochran_q", "conservative_z", "corrected_t", "crossed_t", "dataset_t", "delong"),
    *("diebold_mariano", "fisher_combination", "five_by_two_f", "five_by_two_t", "friedman"),
    *("half_sample_t", "hierarchical", "iman_davenport", "kfold_t", "max_t", "mcnemar"),
    *("mcnemar_mid_p", "nemenyi", "paired_bootstrap", "paired_t", "pooled_intervals"),
    *("proportions", "quasi_f", "rank_z", "repeated_kfold_t", "resampled_t", "sampled_items_t"),
    *("seed_averaged_t", "sign_flip", "sign_test", "simultaneous", "single_fold_t"),
    *("unpaired_interval", "welch_t", "wilcoxon", "wilcoxon_combination", "win_rate"),
)


def calls() -> dict[str, Callable[[], Any]]:
    table: dict[str, Callable[[], Any]] = {}
    for source, make in inputs.sources().items():
        table[f"tests that read {source}"] = lambda make=make: _readers(make())
        for method in VALID[source].split():
            table[f"{method} of {source}"] = lambda make=make, method=method: op.compare(
                _two(make(), method), method=method
            )
    return table


def _readers(source: Any) -> list[str]:
    readers = []
    for method in TESTS:
        try:
            op.compare(_two(source, method), method=method)
        except op.OutperformError:
            continue
        readers.append(method)
    return readers


def _two(source: Any, method: str) -> Any:
    if method in OF_FAMILIES or isinstance(source, op.Benchmark):
        return source
    return source.of(sorted(source.names)[:2])
