"""How data are split: one file for each design, their notation, and drawing of items."""

from .all_designs import Custom as Custom
from .all_designs import Design as Design
from .all_designs import DisjointTrainSets as DisjointTrainSets
from .all_designs import Given as Given
from .all_designs import Holdout as Holdout
from .all_designs import KFold as KFold
from .all_designs import LeaveOneOut as LeaveOneOut
from .all_designs import PairedHalves as PairedHalves
from .all_designs import Partitions as Partitions
from .all_designs import RepeatedKFold as RepeatedKFold
from .all_designs import Resampled as Resampled
from .all_designs import Sizes as Sizes
from .all_designs import Split as Split
from .all_designs import address_seed as address_seed
from .all_designs import held_out as held_out
from .all_designs import parse as parse
from .all_designs import parse_drawn as parse_drawn
