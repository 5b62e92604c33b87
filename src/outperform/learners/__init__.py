"""The papers' learners as scikit-learn estimators: C4.5, nearest neighbour, naive Bayes (R-15)."""

_HOME = {"C45": "c45", "NearestNeighbor": "nearest_neighbor", "NaiveBayes": "naive_bayes"}

__all__ = ["C45", "NaiveBayes", "NearestNeighbor"]

TYPE_CHECKING = False
if TYPE_CHECKING:  # what type checkers read
    from .c45 import C45 as C45
    from .naive_bayes import NaiveBayes as NaiveBayes
    from .nearest_neighbor import NearestNeighbor as NearestNeighbor


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
