"""Views: what procedures read, one file for each, and the table of them.

A view holds validated float64 numbers, oriented so that positive means the first side is better.
Leading axes, where there are any, are experiments.
"""

from .calibration import Calibration
from .clustered_differences import ClusteredDifferences
from .contingency import Contingency
from .contract import (
    VIEWS,
    Context,
    View,
    metric_of_items,
    notes_on_items,
    numbered_names,
    over_seeds,
    register_view,
    stacked,
)
from .counts import Counts
from .crossed import Crossed
from .dataset_table import DatasetTable
from .differences import Differences
from .folds_by_dataset import FoldsByDataset
from .halves import Halves
from .item_differences import ItemDifferences
from .item_samples import ItemSamples
from .item_statistics import ItemStatistics
from .loss_series import LossSeries
from .losses import ItemLosses
from .net_wins import NetWins
from .over_datasets import OverDatasets
from .rank_pairs import RankPairs
from .rankings import Rankings
from .samples import Samples
from .splits_by_seeds import SplitsBySeeds
from .two_samples import TwoSamples
from .values import Values

__all__ = [
    "VIEWS",
    "Calibration",
    "ClusteredDifferences",
    "Context",
    "Contingency",
    "Counts",
    "Crossed",
    "DatasetTable",
    "Differences",
    "FoldsByDataset",
    "Halves",
    "ItemDifferences",
    "ItemLosses",
    "ItemSamples",
    "ItemStatistics",
    "LossSeries",
    "NetWins",
    "OverDatasets",
    "RankPairs",
    "Rankings",
    "Samples",
    "SplitsBySeeds",
    "TwoSamples",
    "Values",
    "View",
    "metric_of_items",
    "notes_on_items",
    "numbered_names",
    "over_seeds",
    "register_view",
    "stacked",
]
