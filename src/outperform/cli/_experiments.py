"""Experiments as the command line gets them: a Python file, or a table and learners by name.

Experiment files and `module:object` run code. They are taken from the user's own command line only,
never from a store or a data file.
"""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from ..errors import DataError, counted, did_you_mean, is_blank

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
        raise DataError(f"Unknown learner {name!r}, neither built in nor module:object; {hint}")
    if classes == (name == "linear") and name in INSTEAD:
        predicts, holds = ("numbers", "classes") if classes else ("classes", "numbers")
        raise DataError(
            f"{name} predicts {predicts}, but the target contains {holds}; use {INSTEAD[name]}, or "
            f"if the target contains {predicts}, add --task {predicts}"
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


MODULE = "__experiment__"
"""Not a module that can be imported, so that its classes reach workers with their code."""
FEW_CLASSES = 20
"""Whole numbers with more distinct values could be classes or amounts: the user has to say."""
FEWEST_ROWS = 10
"""In fewer rows, words may all differ by chance."""
SECONDS_TO_CONNECT = 20


@dataclass(frozen=True, eq=False, slots=True)
class RunInputs:
    """What is handed to `outperform.run`, and what was inferred on the way."""

    learners: Any
    X: Any
    y: Any
    design: Any = None
    scoring: Any = None
    groups: Any = None
    params: Any = None
    random_state: int | None = None
    fitted: bool = False
    inferred: tuple[str, ...] = ()


def from_file(path: str) -> RunInputs:
    """Run a Python file that defines learners, X and y, and perhaps design, scoring, …"""
    if not Path(path).is_file():
        raise DataError(
            f"{path!r} is not a file; an experiment is a Python file that defines learners, X and y"
        )
    if Path(path).suffix != ".py":
        raise DataError(
            f"{path!r} is not a Python file; define learners, X and y in one, such as experiment.py"
        )
    sys.path.insert(0, str(Path(path).resolve().parent))
    with _blamed(repr(path), path):
        found = runpy.run_path(path, run_name=MODULE)
    lacking = [name for name in ("learners", "X", "y") if name not in found]
    if lacking:
        raise DataError(
            f"{path!r} does not define {' or '.join(lacking)}; an experiment defines learners (a "
            'mapping), X and y, as in learners = {"tree": tree, "bayes": bayes}'
        )
    names = [field.name for field in fields(RunInputs) if field.name != "inferred"]
    return RunInputs(**{name: found[name] for name in names if name in found})


def from_table(
    path: str,
    target: str,
    learners: Sequence[str],
    *,
    task: str | None = None,
    group: str | None = None,
    limits: Mapping[str, int] | None = None,
) -> RunInputs:
    """Read a CSV or Parquet file with a row for each item, and find the learners."""
    from ..readers.column_names import listed, shown
    from ..readers.files import load
    from ..readers.parsing import as_numbers

    try:
        table = load(path, limits=limits)
    except DataError as error:
        raise DataError(str(error).replace(" file of scores ", " file of items ")) from None
    for column in (target, group):
        if column is not None and column not in table.columns:
            hint = did_you_mean(column, table.columns)
            raise DataError(f"{path!r} has no column {shown(column)}; {hint}")
    if target == group:
        raise DataError(
            f"--group {shown(target)} is also the target; groups need a separate column"
        )
    names = [name for name in table.columns if name not in (target, group)]
    numbered = [name for name in names if not name and _counts(table.columns[name])]
    names = [name for name in names if name not in numbered]
    if not names:
        raise DataError(
            f"{path!r} has no column except {shown(target)}; learners need at least one feature"
        )
    y, classes, said = _target(table, target, task)
    typed = {name: as_numbers(table.columns[name]) for name in names}
    words = [name for name, column in typed.items() if column is None]
    found = _learners(learners, typed, classes=classes)
    about = [said]
    if numbered:
        about.append("Ignored the unnamed column, which only numbers the rows.")
    about += [f"Text columns: {listed(words)}."] if words else []
    X = _features(table, typed)
    if words:
        about += _handed_over(found, learners, X, words)
    groups = None
    if group is not None:
        groups = _groups(table, group)
        about.append(f"Groups: column {shown(group)}, not used as a feature.")
    inferred = (*about, *_told_apart(table, typed))
    return RunInputs(found, X, y, groups=groups, inferred=inferred)


def _counts(column: Any) -> bool:
    from ..readers.parsing import as_numbers, counts_up

    numbers = as_numbers(column)
    return numbers is not None and counts_up(numbers)


def _handed_over(
    learners: dict[str, Any], specs: Sequence[str], X: Any, words: Sequence[str]
) -> list[str]:
    """Let learners from elsewhere read text as categories of pandas, if that is installed.

    Those that share work across splits get X as it is: a pipeline around them could not share.
    """
    from ..readers.column_names import listed

    outside = [
        name
        for (name, learner), spec in zip(learners.items(), specs, strict=True)
        if ":" in spec.rpartition("=")[2] and not hasattr(learner, "fit_predict_splits")
    ]
    if not outside:
        return []
    if find_spec("pandas") is None:
        return [
            f"Passed to {listed(outside)}: a polars DataFrame, which some libraries cannot "
            "read. For a "
            "pandas DataFrame with categorical text columns, pip install pandas."
        ]
    levels = {name: X[name].unique().sort().to_list() for name in words}
    learners.update({name: reading_pandas(learners[name], levels) for name in outside})
    return [f"Passed to {listed(outside)}: a pandas DataFrame with categorical text columns."]


def _groups(table: Any, name: str) -> Any:
    """Return the group of each row, numbers as numbers: 1 and 1.0 are one group."""
    from ..readers.column_names import shown
    from ..readers.parsing import as_numbers, as_text

    typed = as_numbers(table.columns[name])
    found = as_text(table.columns[name], name).replace("", None) if typed is None else typed
    if found.null_count():
        where = table.place(int(found.is_null().to_numpy().argmax()))
        raise DataError(f"{where}, column {shown(name)} is empty; every item needs a group")
    return found.to_numpy()


def _told_apart(table: Any, typed: Mapping[str, Any]) -> list[str]:
    """Warn of columns that are no features: each row has its own word, or rows are counted."""
    from ..notes import Note
    from ..readers.column_names import listed
    from ..readers.parsing import counts_up

    found = [
        name
        for name, numbers in typed.items()
        if (counts_up(numbers) if numbers is not None else table.columns[name].is_unique().all())
    ]
    if not found or len(table) < FEWEST_ROWS:
        return []
    words = f"Every row has a different value in {listed(found)}, as an identifier would; learners "
    note = Note("OP004", words + "use it as a feature. Remove it from the file if it is not one.")
    return [str(note)]


def _features(table: Any, typed: Mapping[str, Any]) -> Any:
    """Return numbers as an array; with columns of text a frame, empty cells as empty words."""
    import numpy as np
    import polars as pl

    from ..readers.parsing import as_text

    nan = float("nan")
    numbers = {n: c.cast(pl.Float64).fill_null(nan) for n, c in typed.items() if c is not None}
    if len(numbers) == len(typed):
        return np.column_stack([part.to_numpy() for part in numbers.values()])
    return pl.DataFrame(
        [numbers[n] if n in numbers else as_text(table.columns[n], n).fill_null("") for n in typed]
    )


def _target(table: Any, name: str, task: str | None) -> tuple[Any, bool, str]:
    """Return the targets, whether they are classes, and how they were read."""
    import numpy as np

    from ..readers.column_names import shown
    from ..readers.parsing import as_numbers, as_text

    typed = as_numbers(table.columns[name])
    if typed is None:
        if task == "numbers":
            table.numbers(name, "Leave --task out to predict classes")
        y = as_text(table.columns[name], name).fill_null("").to_numpy().astype(object)
        if (y == "").any():
            where = table.place(int((y == "").argmax()))
            raise DataError(f"{where}, column {shown(name)} is empty; every item needs a target")
    else:
        y = table.numbers(name, "Drop the item or fill it in")
        if task == "numbers" or (task is None and (y != np.floor(y)).any()):
            return y, False, f"Target {shown(name)}: numbers."
        kinds = np.unique(y).size
        if task is None and kinds > FEW_CLASSES:
            raise DataError(
                f"Target {shown(name)} has {kinds} different integers, which may be classes or "
                "amounts; add --task classes or --task numbers"
            )
        y = y.astype(np.int64) if (y == np.floor(y)).all() else y.astype(str).astype(object)
    return y, True, f"Target {shown(name)}: {counted(len(set(y.tolist())), 'class', 'classes')}."


def _learners(specs: Sequence[str], typed: Mapping[str, Any], *, classes: bool) -> dict[str, Any]:
    """Find learners given as `tree`, `module:object` or `NAME=module:object`.

    Only for the last two is the working folder searched, after all else.
    """
    if not any(":" in spec.rpartition("=")[2] for spec in specs):
        os.environ["PYTHONSAFEPATH"] = "1"  # for workers: they start by `python -m`
    found: dict[str, Any] = {}
    for spec in specs:
        name, equals, what = spec.rpartition("=")
        if equals and is_blank(name):
            raise DataError(f"--learner {spec!r} has an empty name; write --learner NAME={what}")
        name = name or what.rpartition(":")[2]
        if name in found:
            raise DataError(f"Duplicate learner name {name!r}; write --learner NAME={what}")
        words = [column for column, numbers in typed.items() if numbers is None]
        numbers = [column for column in typed if column not in words]
        short = ":" not in what
        found[name] = short_name(what, numbers, words, classes=classes) if short else _named(what)
    return found


def _named(spec: str) -> Any:
    """Return the estimator that module:object is, makes or names the class of."""
    module, _, path = spec.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)  # last, so that no file there stands in for a library
    with _blamed(repr(spec)):
        thing: Any = import_module(module)
        for part in path.split("."):
            thing = getattr(thing, part)
        if isinstance(thing, type) or not hasattr(thing, "fit"):
            thing = thing()
    return thing


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
    raise DataError(f"{what}{where} cannot be run: {said}") from error


@contextmanager
def cluster(address: str | None) -> Iterator[None]:
    """Send joblib's work to a Dask scheduler, if there is an address."""
    if address is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError:
        raise DataError("--dask needs extra packages: pip install 'outperform[cluster]'") from None
    import joblib

    try:
        client = Client(address, timeout=SECONDS_TO_CONNECT)  # type: ignore[no-untyped-call]  # untyped
    except (OSError, ValueError, TypeError) as error:
        raise DataError(f"Cannot connect to a Dask scheduler at {address!r}: {error}") from None
    with client, joblib.parallel_config("dask", n_jobs=-1):
        yield
