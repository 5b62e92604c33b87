"""outperform: does learning algorithm A really outperform B?

Public names are served on first use, so that importing the package costs nothing.
"""

from .lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:  # what type checkers read, and the one table of names
    from . import extend as extend
    from . import lab as lab
    from . import methods as methods
    from . import testing as testing
    from ._version import __version__ as __version__
    from .designs import CalibratedKFold as CalibratedKFold
    from .designs import DisjointTrainSets as DisjointTrainSets
    from .designs import Forward as Forward
    from .designs import Holdout as Holdout
    from .designs import KFold as KFold
    from .designs import LeaveOneOut as LeaveOneOut
    from .designs import PairedHalves as PairedHalves
    from .designs import Partitions as Partitions
    from .designs import RepeatedKFold as RepeatedKFold
    from .designs import Resampled as Resampled
    from .designs import Seeds as Seeds
    from .designs import SeedsPerSplit as SeedsPerSplit
    from .designs import parse as parse
    from .engine import run as run
    from .errors import DataError as DataError
    from .errors import DesignError as DesignError
    from .errors import MethodError as MethodError
    from .errors import OutperformError as OutperformError
    from .errors import RunFailed as RunFailed
    from .lab.certificates import Certificate as Certificate
    from .lab.certification import certify as certify
    from .lab.studies import study as study
    from .lab.study_results import Study as Study
    from .procedures.accuracy_interval import accuracy_interval as accuracy_interval
    from .procedures.accuracy_lost import accuracy_lost as accuracy_lost
    from .procedures.all_pairs import all_pairs as all_pairs
    from .procedures.averaged_t import averaged_t as averaged_t
    from .procedures.bayesian_sign import bayesian_sign as bayesian_sign
    from .procedures.bayesian_signed_rank import bayesian_signed_rank as bayesian_signed_rank
    from .procedures.bonferroni_dunn import bonferroni_dunn as bonferroni_dunn
    from .procedures.bradley_terry import BradleyTerry as BradleyTerry
    from .procedures.bradley_terry import bradley_terry as bradley_terry
    from .procedures.calibrated_t import calibrated_t as calibrated_t
    from .procedures.cluster_sign_flip import cluster_sign_flip as cluster_sign_flip
    from .procedures.cluster_t import cluster_t as cluster_t
    from .procedures.cochran_q import cochran_q as cochran_q
    from .procedures.conservative_z import conservative_z as conservative_z
    from .procedures.corrected_t import corrected_t as corrected_t
    from .procedures.crossed_t import crossed_t as crossed_t
    from .procedures.dataset_t import dataset_t as dataset_t
    from .procedures.delong import delong as delong
    from .procedures.diebold_mariano import diebold_mariano as diebold_mariano
    from .procedures.fisher_combination import fisher_combination as fisher_combination
    from .procedures.five_by_two_f import five_by_two_f as five_by_two_f
    from .procedures.five_by_two_t import five_by_two_t as five_by_two_t
    from .procedures.friedman import friedman as friedman
    from .procedures.half_sample_t import half_sample_t as half_sample_t
    from .procedures.hierarchical import hierarchical as hierarchical
    from .procedures.iman_davenport import iman_davenport as iman_davenport
    from .procedures.kfold_t import kfold_t as kfold_t
    from .procedures.max_t import max_t as max_t
    from .procedures.mcnemar import mcnemar as mcnemar
    from .procedures.mcnemar_mid_p import mcnemar_mid_p as mcnemar_mid_p
    from .procedures.nemenyi import nemenyi as nemenyi
    from .procedures.paired_bootstrap import paired_bootstrap as paired_bootstrap
    from .procedures.paired_t import paired_t as paired_t
    from .procedures.pooled_intervals import pooled_intervals as pooled_intervals
    from .procedures.proportions import proportions as proportions
    from .procedures.quasi_f import quasi_f as quasi_f
    from .procedures.rank_z import rank_z as rank_z
    from .procedures.repeated_kfold_t import repeated_kfold_t as repeated_kfold_t
    from .procedures.replicability import replicability as replicability
    from .procedures.resampled_t import resampled_t as resampled_t
    from .procedures.sampled_items_t import sampled_items_t as sampled_items_t
    from .procedures.seed_averaged_t import seed_averaged_t as seed_averaged_t
    from .procedures.sign_flip import sign_flip as sign_flip
    from .procedures.sign_test import sign_test as sign_test
    from .procedures.simultaneous import simultaneous as simultaneous
    from .procedures.single_fold_t import single_fold_t as single_fold_t
    from .procedures.sphericity import sphericity as sphericity
    from .procedures.sufficiency import sufficiency as sufficiency
    from .procedures.unpaired_interval import unpaired_interval as unpaired_interval
    from .procedures.welch_t import welch_t as welch_t
    from .procedures.wilcoxon import wilcoxon as wilcoxon
    from .procedures.wilcoxon_combination import wilcoxon_combination as wilcoxon_combination
    from .procedures.win_rate import win_rate as win_rate
    from .results.adjustments import adjust as adjust
    from .results.adjustments import benjamini_hochberg as benjamini_hochberg
    from .results.adjustments import bonferroni as bonferroni
    from .results.adjustments import familywise_error as familywise_error
    from .results.adjustments import hochberg as hochberg
    from .results.adjustments import holm as holm
    from .results.comparison import Comparison as Comparison
    from .results.rank_sets import RankSets as RankSets
    from .results.result import Interval as Interval
    from .results.result import Result as Result
    from .results.verdict import Verdict as Verdict
    from .scores.benchmark import Benchmark as Benchmark
    from .scores.items import Items as Items
    from .scores.split_scores import Scores as Scores
    from .verbs.advise import Advice as Advice
    from .verbs.advise import advise as advise
    from .verbs.compare import compare as compare
    from .verbs.dataset_plan import DatasetPlan as DatasetPlan
    from .verbs.estimate import Estimate as Estimate
    from .verbs.estimate import estimate as estimate
    from .verbs.explain import explain as explain
    from .verbs.item_plan import ItemPlan as ItemPlan
    from .verbs.learning_curve import LearningCurve as LearningCurve
    from .verbs.learning_curve import learning_curve as learning_curve
    from .verbs.plan import ComparisonPlan as ComparisonPlan
    from .verbs.plan import plan as plan
    from .verbs.race import Race as Race
    from .verbs.race import race as race
    from .verbs.rank import rank as rank
    from .verbs.run_benchmark import benchmark as benchmark
    from .verbs.verify import Verification as Verification
    from .verbs.verify import verify as verify

_served, __dir__ = lazy(__name__)


def __getattr__(name: str) -> object:
    try:
        return _served(name)
    except AttributeError:
        from importlib import import_module
        from importlib.util import find_spec

        home = f"{__name__}.procedures.{name}"  # a new method is one file there
        if name.startswith("_") or find_spec(home) is None:
            raise
        return getattr(import_module(home), name)
