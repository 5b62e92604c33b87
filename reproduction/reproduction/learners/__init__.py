"""The papers' learners as scikit-learn estimators: C4.5, nearest neighbour, naive Bayes (R-15)."""

from .c45 import C45
from .naive_bayes import NaiveBayes
from .nearest_neighbor import NearestNeighbor

__all__ = ["C45", "NaiveBayes", "NearestNeighbor"]
