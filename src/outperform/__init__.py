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
    "study": "lab.studies",
    "Study": "lab.summaries",
    "methods": "registry",
    "explain": "explanations",
    "advise": "advice",
    "Advice": "advice",
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
    "familywise_error": "adjustments",
    "simultaneous": "repeated_measures",
    "pooled_intervals": "repeated_measures",
    "sphericity": "repeated_measures",
    "all_pairs": "right_wrong",
    "Comparison": "families",
    "compare": "comparing",
    "estimate": "estimation",
    "Estimate": "estimation",
    "learning_curve": "learning_curves",
    "LearningCurve": "learning_curves",
    "accuracy_lost": "half_training",
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
_MODULES = ("data", "lab", "learners", "partitions", "testing", "variance")

__all__ = [name for name in (*_HOME, *_MODULES) if not name.startswith("_")]

TYPE_CHECKING = False
if TYPE_CHECKING:  # what type checkers read; a test holds it to the table above
    from . import data as data
    from . import lab as lab
    from . import learners as learners
    from . import partitions as partitions
    from . import testing as testing
    from . import variance as variance
    from ._version import __version__ as __version__
    from .adjustments import adjust as adjust
    from .adjustments import benjamini_hochberg as benjamini_hochberg
    from .adjustments import bonferroni as bonferroni
    from .adjustments import familywise_error as familywise_error
    from .adjustments import hochberg as hochberg
    from .adjustments import holm as holm
    from .advice import Advice as Advice
    from .advice import advise as advise
    from .comparing import compare as compare
    from .designs import DisjointTrainSets as DisjointTrainSets
    from .designs import Holdout as Holdout
    from .designs import KFold as KFold
    from .designs import LeaveOneOut as LeaveOneOut
    from .designs import PairedHalves as PairedHalves
    from .designs import Partitions as Partitions
    from .designs import RepeatedKFold as RepeatedKFold
    from .designs import Resampled as Resampled
    from .designs import parse as parse
    from .engine import run as run
    from .errors import DataError as DataError
    from .errors import DesignError as DesignError
    from .errors import MethodError as MethodError
    from .errors import OutperformError as OutperformError
    from .errors import RunFailed as RunFailed
    from .estimation import Estimate as Estimate
    from .estimation import estimate as estimate
    from .explanations import explain as explain
    from .families import Comparison as Comparison
    from .half_training import accuracy_lost as accuracy_lost
    from .lab.studies import study as study
    from .lab.summaries import Study as Study
    from .learning_curves import LearningCurve as LearningCurve
    from .learning_curves import learning_curve as learning_curve
    from .partitions import partition_group as partition_group
    from .partitions import sufficiency as sufficiency
    from .procedures.accuracy_interval import accuracy_interval as accuracy_interval
    from .procedures.averaged_t import averaged_t as averaged_t
    from .procedures.cochran_q import cochran_q as cochran_q
    from .procedures.conservative_z import conservative_z as conservative_z
    from .procedures.corrected_t import corrected_t as corrected_t
    from .procedures.fisher_combination import fisher_combination as fisher_combination
    from .procedures.five_by_two_f import five_by_two_f as five_by_two_f
    from .procedures.five_by_two_t import five_by_two_t as five_by_two_t
    from .procedures.kfold_t import kfold_t as kfold_t
    from .procedures.mcnemar import mcnemar as mcnemar
    from .procedures.paired_t import paired_t as paired_t
    from .procedures.proportions import proportions as proportions
    from .procedures.quasi_f import quasi_f as quasi_f
    from .procedures.repeated_kfold_t import repeated_kfold_t as repeated_kfold_t
    from .procedures.resampled_t import resampled_t as resampled_t
    from .procedures.sign_test import sign_test as sign_test
    from .procedures.single_fold_t import single_fold_t as single_fold_t
    from .procedures.unpaired_interval import unpaired_interval as unpaired_interval
    from .procedures.wilcoxon import wilcoxon as wilcoxon
    from .procedures.wilcoxon_combination import wilcoxon_combination as wilcoxon_combination
    from .registry import methods as methods
    from .repeated_measures import pooled_intervals as pooled_intervals
    from .repeated_measures import simultaneous as simultaneous
    from .repeated_measures import sphericity as sphericity
    from .replication import replicability as replicability
    from .result import Interval as Interval
    from .result import Result as Result
    from .result import Verdict as Verdict
    from .right_wrong import all_pairs as all_pairs
    from .scores import Scores as Scores


def __getattr__(name: str) -> object:
    from importlib import import_module
    from importlib.util import find_spec

    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    home = _HOME.get(name, f"procedures.{name}")  # a new method is one file there
    if name not in _HOME and (name.startswith("_") or not find_spec(f"{__name__}.{home}")):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
