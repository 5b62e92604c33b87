"""outperform: does learning algorithm A really outperform B?

Public names are served on first use, so that importing the package costs nothing.
"""

_HOME = {
    "accuracy_interval": "procedures.accuracy_interval",
    "averaged_t": "procedures.averaged_t",
    "cochran_q": "procedures.cochran_q",
    "conservative_z": "procedures.conservative_z",
    "corrected_t": "procedures.corrected_t",
    "fisher_combination": "procedures.fisher_combination",
    "five_by_two_f": "procedures.five_by_two_f",
    "five_by_two_t": "procedures.five_by_two_t",
    "kfold_t": "procedures.kfold_t",
    "mcnemar": "procedures.mcnemar",
    "paired_t": "procedures.paired_t",
    "proportions": "procedures.proportions",
    "quasi_f": "procedures.quasi_f",
    "repeated_kfold_t": "procedures.repeated_kfold_t",
    "resampled_t": "procedures.resampled_t",
    "sign_test": "procedures.sign_test",
    "single_fold_t": "procedures.single_fold_t",
    "unpaired_interval": "procedures.unpaired_interval",
    "wilcoxon": "procedures.wilcoxon",
    "wilcoxon_combination": "procedures.wilcoxon_combination",
    "run": "engine",
    "methods": "registry",
    "explain": "explanations",
    "Result": "result",
    "Interval": "result",
    "Verdict": "result",
    "Scores": "scores",
    "parse": "designs",
    "Holdout": "designs",
    "KFold": "designs",
    "RepeatedKFold": "designs",
    "Resampled": "designs",
    "LeaveOneOut": "designs",
    "PairedHalves": "designs",
    "DisjointTrainSets": "designs",
    "Partitions": "designs",
    "adjust": "adjustments",
    "bonferroni": "adjustments",
    "holm": "adjustments",
    "hochberg": "adjustments",
    "benjamini_hochberg": "adjustments",
    "familywise_error": "families",
    "simultaneous": "repeated_measures",
    "pooled_intervals": "repeated_measures",
    "sphericity": "repeated_measures",
    "all_pairs": "families",
    "Comparison": "families",
    "compare": "comparing",
    "sufficiency": "partitions",
    "partition_group": "partitions",
    "replicability": "replication",
    "OutperformError": "errors",
    "DataError": "errors",
    "DesignError": "errors",
    "MethodError": "errors",
    "RunFailed": "errors",
    "__version__": "_version",
}
_MODULES = ("testing", "variance", "partitions")

__all__ = [name for name in _HOME if not name.startswith("_")] + ["testing", "variance"]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
