"""The papers' datasets: from a local folder, from their definition, or from OpenML."""

from .datasets import (
    BOUCKAERT_FRANK,
    BRADFORD_BRODLEY,
    DIETTERICH,
    FEELDERS_VERKOOIJEN,
    NADEAU_BENGIO,
    load,
    names,
)
from .datasets import PaperDataset as Dataset

__all__ = [
    "BOUCKAERT_FRANK",
    "BRADFORD_BRODLEY",
    "DIETTERICH",
    "FEELDERS_VERKOOIJEN",
    "NADEAU_BENGIO",
    "Dataset",
    "load",
    "names",
]
