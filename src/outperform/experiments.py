"""Experiments as the command line gets them: a Python file, or a table and learners by name.

Experiment files and `module:object` run code. They are taken from the user's own command line only,
never from a store or a data file.
"""

from __future__ import annotations

import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from .errors import DataError, did_you_mean

__all__ = ["SHORT_NAMES", "Experiment", "cluster", "from_file", "from_table", "read_scores"]

MODULE = "__experiment__"
"""Not a module that can be imported, so that its classes reach workers with their code."""
SQLITE = b"SQLite format 3\0"
SHORT_NAMES = ("forest", "knn", "logistic", "nb", "tree")
CLASSIFIERS_ONLY = ("logistic", "nb")
SECONDS_TO_CONNECT = 20


@dataclass(frozen=True, eq=False, slots=True)
class Experiment:
    """What is handed to `outperform.run`, and what was inferred on the way."""

    learners: Any
    X: Any
    y: Any
    design: Any = None
    scoring: Any = None
    groups: Any = None
    random_state: int | None = None
    inferred: tuple[str, ...] = ()


def from_file(path: str) -> Experiment:
    """Run a Python file that defines learners, X and y, and perhaps design, scoring, …"""
    if not Path(path).is_file():
        raise DataError(f"{path!r} is not a file; a Python file of an experiment is needed")
    sys.path.insert(0, str(Path(path).resolve().parent))
    with _blamed(repr(path), path):
        found = runpy.run_path(path, run_name=MODULE)
    lacking = [name for name in ("learners", "X", "y") if name not in found]
    if lacking:
        raise DataError(
            f"{path!r} defines no {' and no '.join(lacking)}; an experiment defines learners (a "
            'mapping), X and y, as in learners = {"tree": tree, "bayes": bayes}'
        )
    names = ("learners", "X", "y", "design", "scoring", "groups", "random_state")
    return Experiment(**{name: found[name] for name in names if name in found})


def from_table(path: str, target: str, learners: Sequence[str]) -> Experiment:
    """Read a CSV or Parquet file with a row for each item, and find the learners."""
    from .columns import listed, shown
    from .readers.files import load
    from .readers.tables import as_numbers

    try:
        table = load(path)
    except DataError as error:
        raise DataError(str(error).replace(" file of scores ", " file of items ")) from None
    if target not in table.columns:
        hint = did_you_mean(target, table.columns)
        raise DataError(f"{path!r} has no column {shown(target)}; {hint}")
    names = [name for name in table.columns if name != target]
    if not names:
        raise DataError(f"{path!r} has no column but {shown(target)}; learners need features")
    y, said = _target(table, target)
    typed = {name: as_numbers(table.columns[name]) for name in names}
    words = [name for name, column in typed.items() if column is None]
    short = [spec for spec in learners if spec.rpartition("=")[2] in SHORT_NAMES]
    if words and short:
        raise DataError(
            f"columns of text came ({listed(words)}), but {listed(short)} read numbers alone; "
            "leave them out, or name a pipeline of your own: --learner module:object"
        )
    found = _learners(learners, classes=said.endswith("classes"))
    return Experiment(found, _features(table, typed), y, inferred=(said,))


def _features(table: Any, typed: Mapping[str, Any]) -> Any:
    """Return numbers as an array; with columns of text a frame, for learners that read them."""
    import numpy as np
    import polars as pl

    if any(column is None for column in typed.values()):
        return pl.DataFrame([table.columns[n] if c is None else c for n, c in typed.items()])
    parts = [column.cast(pl.Float64).fill_null(float("nan")) for column in typed.values()]
    return np.column_stack([part.to_numpy() for part in parts])


def _target(table: Any, name: str) -> tuple[Any, str]:
    """Return the targets and how they were read."""
    import numpy as np

    from .columns import shown
    from .readers.tables import as_numbers, as_text

    typed = as_numbers(table.columns[name])
    if typed is None:
        y = as_text(table.columns[name], name).fill_null("").to_numpy().astype(object)
        if (y == "").any():
            where = table.place(int((y == "").argmax()))
            raise DataError(f"{where}, column {shown(name)} is empty; every item needs a target")
    else:
        y = table.numbers(name, "Drop the item or fill it in")
        if (y != np.floor(y)).any():
            return y, f"target {shown(name)} read as numbers to predict"
        y = y.astype(np.int64)
    return y, f"target {shown(name)} read as {len(set(y.tolist()))} classes"


def _learners(specs: Sequence[str], *, classes: bool) -> dict[str, Any]:
    """Find learners given as `tree`, `module:object` or `NAME=module:object`."""
    sys.path.insert(0, str(Path.cwd()))
    found: dict[str, Any] = {}
    for spec in specs:
        name, _, what = spec.rpartition("=")
        name = name or what.rpartition(":")[2]
        if name in found:
            raise DataError(f"two learners are named {name!r}; write --learner NAME={what}")
        found[name] = _named(what) if ":" in what else _short_name(what, classes=classes)
    return found


def _named(spec: str) -> Any:
    """Return the estimator that module:object is, makes or names the class of."""
    module, _, path = spec.partition(":")
    with _blamed(repr(spec)):
        thing: Any = import_module(module)
        for part in path.split("."):
            thing = getattr(thing, part)
        if isinstance(thing, type) or not hasattr(thing, "fit"):
            thing = thing()
    return thing


def _short_name(name: str, *, classes: bool) -> Any:
    if name not in SHORT_NAMES:
        hint = did_you_mean(name, SHORT_NAMES)
        raise DataError(f"{name!r} is no learner that comes along, nor module:object; {hint}")
    if name in CLASSIFIERS_ONLY and not classes:
        raise DataError(f"{name} predicts classes, but the target holds numbers; use forest")
    from sklearn import ensemble, linear_model, naive_bayes, neighbors, tree
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    kind = "Classifier" if classes else "Regressor"
    makers: dict[str, Callable[[], list[Any]]] = {
        "tree": lambda: [getattr(tree, f"DecisionTree{kind}")()],
        "forest": lambda: [getattr(ensemble, f"RandomForest{kind}")()],
        "knn": lambda: [StandardScaler(), getattr(neighbors, f"KNeighbors{kind}")()],
        "nb": lambda: [naive_bayes.GaussianNB()],
        "logistic": lambda: [StandardScaler(), linear_model.LogisticRegression(max_iter=1000)],
    }
    return make_pipeline(SimpleImputer(), *makers[name]())


@contextmanager
def _blamed(what: str, path: str | None = None) -> Iterator[None]:
    """Turn whatever the user's own code raises into one line; what it prints is no answer."""
    try:
        with redirect_stdout(sys.stderr):
            yield
    except (Exception, SystemExit) as error:
        _blame(what, path, error)


def _blame(what: str, path: str | None, error: BaseException) -> NoReturn:
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if path is not None and frame.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        lines = [error.lineno]
    where = f", line {lines[-1]}" if lines else ""
    said = traceback.format_exception_only(error)[-1].strip()
    raise DataError(f"{what}{where} cannot be used: {said}") from error


def read_scores(path: str, names: Sequence[str] = (), design: str | None = None) -> Any:
    """Read `Scores` from a file of scores or predictions, or from a store."""
    from .designs import parse
    from .scores import Scores

    try:
        with open(path, "rb") as file:
            is_store = file.read(len(SQLITE)) == SQLITE
    except OSError:
        is_store = False  # the reader says what is wrong
    if not is_store:
        return Scores.read(path, design=design)
    from .store import Store

    with Store.open(path, mode="read") as store:
        scores = store.scores(names or None)
    if design is not None and parse(design) != scores.design:
        raise DataError(f"{path!r} was run by {scores.design}, not {design}; leave --design out")
    return scores


@contextmanager
def cluster(address: str | None) -> Iterator[None]:
    """Send joblib's work to a Dask scheduler, if there is an address."""
    if address is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError:
        raise DataError("--dask needs more: pip install 'outperform[cluster]'") from None
    import joblib

    try:
        client = Client(address, timeout=SECONDS_TO_CONNECT)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        raise DataError(f"no Dask scheduler answers at {address!r}: {error}") from None
    with client, joblib.parallel_config("dask", n_jobs=-1):
        yield
