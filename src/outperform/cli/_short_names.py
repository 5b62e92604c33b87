"""Learners by a short name, with the preparation of columns that each needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import DataError, did_you_mean

__all__ = ["SHORT_NAMES", "as_pandas", "reading_pandas", "short_name"]


SHORT_NAMES = ("forest", "knn", "linear", "logistic", "nb", "tree")
INSTEAD = {"logistic": "linear", "nb": "linear", "linear": "logistic"}
"""What to use where a learner does not predict what the target holds."""
SCALED = ("knn", "linear", "logistic")
MOST_WORDS = 50
"""Words of a column of text that get a column of their own; rarer ones share one."""


def short_name(name: str, numbers: Sequence[str], words: Sequence[str], *, classes: bool) -> Any:
    """Return a pipeline: columns made fit for the learner, then the learner.

    Missing numbers become the mean of the training items. Where distances or penalties count,
    numbers are scaled. Columns of text become a column for each word; words that the training
    items do not hold count as none. All of it is learned from the training items alone.
    """
    if name not in SHORT_NAMES:
        hint = did_you_mean(name, SHORT_NAMES)
        raise DataError(f"{name!r} is no learner that comes along, nor module:object; {hint}")
    if classes == (name == "linear") and name in INSTEAD:
        predicts, holds = ("numbers", "classes") if classes else ("classes", "numbers")
        raise DataError(
            f"{name} predicts {predicts}, but the target holds {holds}; use {INSTEAD[name]}, "
            f"or say what it holds: --task {predicts}"
        )
    from sklearn.pipeline import make_pipeline

    return make_pipeline(_prepared(numbers, words, scaled=name in SCALED), _learner(name, classes))


def reading_pandas(learner: Any, levels: Mapping[str, Sequence[str]]) -> Any:
    """Return a pipeline that hands a learner from elsewhere the frame that most libraries read."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    return make_pipeline(FunctionTransformer(as_pandas, kw_args={"levels": levels}), learner)


def as_pandas(frame: Any, levels: Mapping[str, Sequence[str]]) -> Any:
    """Return a frame as one of pandas: numbers as they are, text as categories of all words."""
    import narwhals as nw

    columns = {name: frame[name].to_numpy() for name in frame.columns}
    made = nw.from_dict(columns, backend="pandas").to_native()
    for name, words in levels.items():
        made[name] = made[name].astype("category").cat.set_categories(words)
    return made


def _prepared(numbers: Sequence[str], words: Sequence[str], *, scaled: bool) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    filled = SimpleImputer(keep_empty_features=True)
    ready = make_pipeline(filled, StandardScaler()) if scaled else filled
    if not words:
        return ready
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MOST_WORDS, sparse_output=False
    )
    parts = [("numbers", ready, list(numbers))] if numbers else []
    return ColumnTransformer([*parts, ("words", encoder, list(words))])


def _learner(name: str, classes: bool) -> Any:
    from sklearn import ensemble, linear_model, naive_bayes, neighbors, tree

    kind = "Classifier" if classes else "Regressor"
    makers: dict[str, Callable[[], Any]] = {
        "tree": lambda: getattr(tree, f"DecisionTree{kind}")(),
        "forest": lambda: getattr(ensemble, f"RandomForest{kind}")(),
        "knn": lambda: getattr(neighbors, f"KNeighbors{kind}")(),
        "nb": lambda: naive_bayes.GaussianNB(),
        "linear": lambda: linear_model.Ridge(),
        "logistic": lambda: linear_model.LogisticRegression(max_iter=1000),
    }
    return makers[name]()
