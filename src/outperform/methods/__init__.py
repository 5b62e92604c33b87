"""The tests of the package and the adjustments of p-values, by name; `table` lists the tests."""

from ..lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:  # what type checkers read, and the one table of names
    from .. import accuracy_interval as accuracy_interval
    from .. import accuracy_lost as accuracy_lost
    from .. import adjust as adjust
    from .. import all_pairs as all_pairs
    from .. import averaged_t as averaged_t
    from .. import bayesian_sign as bayesian_sign
    from .. import bayesian_signed_rank as bayesian_signed_rank
    from .. import benjamini_hochberg as benjamini_hochberg
    from .. import bonferroni as bonferroni
    from .. import bonferroni_dunn as bonferroni_dunn
    from .. import bradley_terry as bradley_terry
    from .. import calibrated_t as calibrated_t
    from .. import cluster_sign_flip as cluster_sign_flip
    from .. import cluster_t as cluster_t
    from .. import cochran_q as cochran_q
    from .. import conservative_z as conservative_z
    from .. import corrected_t as corrected_t
    from .. import crossed_t as crossed_t
    from .. import dataset_t as dataset_t
    from .. import delong as delong
    from .. import diebold_mariano as diebold_mariano
    from .. import familywise_error as familywise_error
    from .. import fisher_combination as fisher_combination
    from .. import five_by_two_f as five_by_two_f
    from .. import five_by_two_t as five_by_two_t
    from .. import friedman as friedman
    from .. import half_sample_t as half_sample_t
    from .. import hierarchical as hierarchical
    from .. import hochberg as hochberg
    from .. import holm as holm
    from .. import iman_davenport as iman_davenport
    from .. import kfold_t as kfold_t
    from .. import max_t as max_t
    from .. import mcnemar as mcnemar
    from .. import mcnemar_mid_p as mcnemar_mid_p
    from .. import nemenyi as nemenyi
    from .. import paired_bootstrap as paired_bootstrap
    from .. import paired_t as paired_t
    from .. import pooled_intervals as pooled_intervals
    from .. import proportions as proportions
    from .. import quasi_f as quasi_f
    from .. import rank_z as rank_z
    from .. import repeated_kfold_t as repeated_kfold_t
    from .. import replicability as replicability
    from .. import resampled_t as resampled_t
    from .. import sampled_items_t as sampled_items_t
    from .. import seed_averaged_t as seed_averaged_t
    from .. import sign_flip as sign_flip
    from .. import sign_test as sign_test
    from .. import simultaneous as simultaneous
    from .. import single_fold_t as single_fold_t
    from .. import sphericity as sphericity
    from .. import sufficiency as sufficiency
    from .. import unpaired_interval as unpaired_interval
    from .. import welch_t as welch_t
    from .. import wilcoxon as wilcoxon
    from .. import wilcoxon_combination as wilcoxon_combination
    from .. import win_rate as win_rate
    from ..registry import table as table

__getattr__, __dir__ = lazy(__name__)
