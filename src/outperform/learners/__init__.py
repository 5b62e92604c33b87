"""The papers' learners as scikit-learn estimators: C4.5, nearest neighbour, naive Bayes (R-15)."""

from ..lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:  # what type checkers read, and the one table of names
    from .c45 import C45 as C45
    from .naive_bayes import NaiveBayes as NaiveBayes
    from .nearest_neighbor import NearestNeighbor as NearestNeighbor

__getattr__, __dir__ = lazy(__name__)
