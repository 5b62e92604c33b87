"""How data are split: one file for each design, their notation, and drawing of items."""

from ..lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:  # what type checkers read, and the one table of names
    from .base import Design as Design
    from .base import held_out as held_out
    from .base import parse as parse
    from .base import parse_drawn as parse_drawn
    from .calibrated_kfold import CalibratedKFold as CalibratedKFold
    from .disjoint_train_sets import DisjointTrainSets as DisjointTrainSets
    from .forward import Forward as Forward
    from .given import Custom as Custom
    from .given import Given as Given
    from .holdout import Holdout as Holdout
    from .kfold import KFold as KFold
    from .leave_one_out import LeaveOneOut as LeaveOneOut
    from .paired_halves import PairedHalves as PairedHalves
    from .repeated_kfold import RepeatedKFold as RepeatedKFold
    from .repeated_partitions import Partitions as Partitions
    from .resampled import Resampled as Resampled
    from .seeds import Seeds as Seeds
    from .seeds import SeedsPerSplit as SeedsPerSplit
    from .seeds import UnpairedSeeds as UnpairedSeeds
    from .splitting import Split as Split
    from .splitting import address_seed as address_seed

__getattr__, __dir__ = lazy(__name__)
