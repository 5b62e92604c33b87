"""Plain tables of items: a row for each item, model and sample, or a column for each model."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError, LogIncomplete, argument, counted, either
from ..validation import LARGEST_EXACT
from .aggregates import STATUS_COLUMNS, unfinished_rows
from .column_names import (
    is_aside,
    item_columns,
    listed,
    lower_is_better,
    metric_named,
    names_split,
    normal,
    role_of,
    shared_metric,
    shown,
)
from .log_files import JsonLines, opened, stem_of
from .log_rows import GRADES, LoggedItem, LogRows, field_of, number_of, text_of
from .paired_scores import one_below_the_other, said, sides_of
from .parsing import MISSING, as_fractions, as_numbers

if TYPE_CHECKING:
    import polars as pl

TOOL = "table"
BLOCK = 2**25
"""Bytes of lines that are a table at a time: 32 MB."""
SAMPLES = ("sample", "epoch", "attempt", "trial", "generation", "seed", "sampleindex", "sampleno")
HASHES = ("itemhash", "dochash", "samplehash", "contenthash", "hash")
MODELS = ("model", "modelid", "modelname", "system", "learner", "provider", "llm", "method")
SCORES = ("score", "correct", "iscorrect", "value", "reward", "passed", "pass", "exactmatch")
PROMPTS = ("prompthash", "prompt", "question", "problem", "input")
"""What is asked, where another column names the items."""
PASSED = ("passed", "pass", "correct", "iscorrect")
"""Scores of single items."""
TARGETS = ("targethash", "target", "gold", "expected")
ADDRESSES = ("fold", "repeat", "partition")
NO_MODEL = (*ADDRESSES, "seed", "n_train", "n_test", "y_true")
ABOUT = ("item", "hash", "prompt", "target", "dataset", "cluster")


class InexactLabels(DataError):
    """Labels that were read as floats, which cannot tell them apart."""


def roles_of(names: Sequence[str], options: Mapping[str, Any]) -> dict[str, str] | None:
    """Return which column is the item, model, score, sample and cluster; None if it is no log."""
    found: dict[str, str] = {}
    plain = {normal(name): name for name in names}

    def first(*words: str) -> str | None:
        return next((plain[word] for word in words if word in plain), None)

    found_item = [n for n in item_columns(names) if normal(n) not in (*SAMPLES, *HASHES)]
    if not found_item and any(word in plain for word in PASSED):
        found_item = [plain["taskid"]] if "taskid" in plain else []  # elsewhere a dataset
    item = options.get("item") or (found_item[0] if found_item else None)
    model = _one(options.get("learner")) or first(*MODELS)
    wanted = {
        "item": item,
        "model": model,
        "score": options.get("score")
        or _score(names, options.get("metric"), long=model is not None),
        "sample": options.get("sample") or first(*SAMPLES),
        "hash": first(*HASHES),
        "prompt": first(*(word for word in PROMPTS if plain.get(word) != item)),
        "target": first(*TARGETS),
        "dataset": next((n for n in names if role_of(n) == "dataset"), None),
    }
    found = {role: name for role, name in wanted.items() if name is not None}
    if found.get("item") == found.get("sample"):
        found.pop("sample", None)
    cluster = options.get("cluster")
    if cluster is not None:
        found["cluster"] = cluster
    elif "cluster" in plain:
        found["cluster"] = plain["cluster"]
    if any(role_of(name) in ADDRESSES for name in names) or "score" not in found:
        return None
    return found if "item" in found or "hash" in found else None


def is_log_frame(frame: Any) -> bool:
    """Tell whether a data frame has a row for each item and model, by its columns."""
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True, pass_through=True)
    eager = isinstance(table, nw.DataFrame) and len(table)
    splits = eager and any(map(names_split, table.row(0)))
    return names_each([str(name) for name in frame.columns]) and not splits


def names_each(names: Sequence[str], *, named: bool = True) -> bool:
    """Tell whether columns are those of a log: item and score, and, where `named`, the model."""
    roles = roles_of(names, {})
    if roles is None:
        sides = sides_of(names, {})
        roles = roles_of([*names, "model", sides.score], {}) if sides else None
    return roles is not None and (not named or {"item", "model", "score"} <= {*roles})


def _one(learner: Any) -> str | None:
    """Return the column that names models; several columns are one for each model."""
    return learner if isinstance(learner, str) else None


def _score(names: Sequence[str], metric: str | None, *, long: bool) -> str | None:
    if metric is not None and metric in names:
        return metric
    found = _score_columns(names)
    one_each = len(found) > 1 and not long and shared_metric(found) is not None
    return None if one_each else next(iter(found), None)  # lr_loss and rf_loss are two models


def _score_columns(names: Sequence[str]) -> list[str]:
    """Return columns named as scores: those that say so first, whatever their order in the file."""
    known = sorted((n for n in names if normal(n) in SCORES), key=lambda n: SCORES.index(normal(n)))
    like = [n for n in names if n not in known and lower_is_better(n) is not None]
    return [*known, *like]


def _say_others(rows: LogRows, names: Sequence[str], options: Mapping[str, Any]) -> None:
    """Say which other columns may be the scores, where none was asked for."""
    chosen, *others = _score_columns(names) or [""]
    if others and not options.get("score") and options.get("metric") not in names:
        rows.say_once(
            f"Column {shown(chosen)} was read as the score; for {listed(others)} pass "
            f"{argument(score=others[0])}"
        )


def read_lines(path: str, limit: Mapping[str, int], options: Mapping[str, Any]) -> LogRows:
    """Read JSONL with one object for each item and sample."""
    import polars as pl

    first = next(iter(JsonLines(path, limit)), {})
    roles = roles_of([*first], options)
    if roles is None:
        raise _no_roles(path, [*first], _inner_score(first))
    rows = LogRows(TOOL, repr(path))
    metric, mixer, start = _metric(roles), sha256(), 0
    nested = any("." in name for name in roles.values())
    try:
        if nested:
            raise pl.exceptions.ComputeError("a nested column")
        for block in _blocks(path, limit):
            mixer.update(block)
            if block.isspace():
                continue
            frame = pl.read_ndjson(block, infer_schema_length=1000)
            _refuse_unfinished(frame, roles.values(), path)
            add_frame(rows, frame, roles, metric, path)
        rows.sha256 = mixer.hexdigest()
    except (
        *(pl.exceptions.PolarsError, pl.exceptions.PanicException),
        *(UnicodeError, InexactLabels),
    ):
        rows = LogRows(TOOL, repr(path))  # whatever is odd in it is read, or refused, line by line
        lines = JsonLines(path, limit)
        for start, line in enumerate(lines, 1):
            for name in STATUS_COLUMNS & {*line}:
                status = pl.DataFrame({name: [str(line[name])]})
                _refuse_unfinished(status, roles.values(), f"{path}, line {start}")
            _add_line(rows, line, roles, metric, start)
        rows.sha256 = lines.sha256
    _say_others(rows, [*first], options)
    _direction(rows, metric, options)
    return rows


def _blocks(path: str, limit: Mapping[str, int]) -> Iterator[bytes]:
    """Yield whole lines, many at a time."""
    with opened(path, limit) as file:
        while block := file.read(BLOCK):
            yield block + file.readline()


def _metric(roles: Mapping[str, str]) -> str:
    name = metric_named(roles["score"])
    return "accuracy" if normal(name) in ("correct", "iscorrect") else name


def _direction(rows: LogRows, metric: str, options: Mapping[str, Any]) -> None:
    lower = lower_is_better(metric)
    rows.greater[metric] = True if lower is None else not lower
    if lower is None and options.get("lower_is_better") is None:
        rows.said.append(f"Assumed that greater {metric} is better")


def _refuse_unfinished(frame: pl.DataFrame, used: Collection[Any], path: str) -> None:
    """Refuse rows of runs that did not finish, as a column says that is not `used` otherwise."""
    unfinished = unfinished_rows({n: frame[n] for n in frame.columns if n not in used})
    if unfinished is not None:
        name, bad = unfinished
        word = frame[name].cast(str)[int(bad.argmax())]
        raise LogIncomplete(
            f"{path!r} has {counted(int(bad.sum()), 'row')} of a run that did not finish (column "
            f"{shown(name)}: {shown(word)}). Run these items again, or remove these rows"
        )


def read_table(table: pl.DataFrame, name: str, digest: str, options: Mapping[str, Any]) -> LogRows:
    """Read a frame: rows of items and models, or a column for each model."""
    sides = sides_of(table.columns, options)
    _refuse_unfinished(table, [v for v in options.values() if isinstance(v, str)], name)
    if sides is not None:
        table = type(table)(one_below_the_other(table.to_dict(), sides))
    roles = roles_of(table.columns, options)
    rows = LogRows(TOOL, name, sha256=digest, said=[] if sides is None else [said(sides)])
    if roles is None:
        roles, table = _wide(table, name, options, rows.said)
    metric = _metric(roles)
    add_frame(rows, table, roles, metric, name)
    if "model" in roles:
        _say_others(rows, table.columns, options)
    _direction(rows, metric, options)
    return rows


def _wide(
    table: pl.DataFrame, name: str, options: Mapping[str, Any], told: list[str]
) -> tuple[dict[str, str], pl.DataFrame]:
    """Return a column for each model as rows."""
    cluster, item = options.get("cluster"), options.get("item")
    found = [n for n in item_columns(table.columns) if n != cluster]
    items = found if item is None else [item]
    aside = {*items[:1], cluster}
    numeric = [n for n in table.columns if n not in aside and _is_number(table[n])]
    asked = options.get("learner")
    if asked is None:
        models = [n for n in numeric if not is_aside(n) and role_of(n) not in NO_MODEL]
    else:
        models = [asked] if isinstance(asked, str) else list(asked)
    splits = [n for n in table.columns if n not in aside and role_of(n) in ADDRESSES]
    splits = [n for n in splits if table[n].n_unique() > 1]
    none = len(models) < 2 or not {*models} <= {*numeric}
    if splits and (none or not items):
        raise _of_splits(name, splits)
    if none:
        raise _no_roles(name, table.columns)
    if asked is None:
        _refuse_others(table, models)
        _refuse_predictions(name, [n for n in numeric if role_of(n) == "y_true"], models)
    known = [n for n in (*items[:1], cluster) if n is not None]
    table = table.with_columns(_floats(table[n]).alias(n) for n in models)
    if not items:
        table, items = table.with_row_index("item"), ["item"]
        known.append("item")
        told.append("No column names the items: every row was read as one item")
    score = shared_metric(models) or "score"
    long = table.select([*known, *models]).unpivot(
        on=models, index=known, variable_name="model", value_name=score
    )
    made = {"item": items[0], "model": "model", "score": score}
    return made | ({} if cluster is None else {"cluster": cluster}), long


def _refuse_others(table: pl.DataFrame, models: Sequence[str]) -> None:
    """Refuse columns of other numbers beside right and wrong answers: weights, lengths."""
    answers = [n for n in models if _floats(table[n]).drop_nulls().is_in([0.0, 1.0]).all()]
    rest = [n for n in models if n not in answers]
    if len(answers) > 1 and rest:
        raise DataError(
            f"columns {listed(answers)} contain 0 and 1, like correct and wrong answers, but "
            f"{listed(rest)} {'does' if len(rest) == 1 else 'do'} not. If this column is not a "
            f"learner, list the others: {argument(learner=answers)}; if every column is a learner, "
            f"list them all: {argument(learner=list(models))}"
        )


def _refuse_predictions(name: str, truths: Sequence[str], models: Sequence[str]) -> None:
    """Refuse predicted labels and numbers beside the true ones: they are not scores."""
    if truths:
        raise DataError(
            f"{shown(name)} has the true values in column {shown(truths[0])}, so {listed(models)} "
            "are read as predictions, not as scores of items. Write 1 for right and 0 for wrong "
            f"answers; if they are scores, list them: {argument(learner=list(models))}"
        )


def _floats(column: pl.Series) -> pl.Series:
    import polars as pl

    found = column if str(column.dtype) == "Boolean" else as_numbers(column)
    return column.cast(pl.Float64) if found is None else found.cast(pl.Float64)


def _is_number(column: pl.Series) -> bool:
    return as_numbers(column) is not None or str(column.dtype) == "Boolean"


def add_frame(
    rows: LogRows, frame: pl.DataFrame, roles: Mapping[str, str], metric: str, path: str
) -> None:
    """Add the rows of a frame: what is said of items once for each, scores as whole columns."""
    import polars as pl

    for role in ("item", "model", "score", "cluster"):
        if role in roles and roles[role] not in frame.columns:
            if role == "cluster":
                raise no_cluster(repr(path), roles[role], frame.columns)
            frame = frame.with_columns(pl.lit(None).alias(roles[role]))
    nested = [n for n in frame.columns if frame[n].dtype.is_nested()]  # messages of a chat
    asking = ("prompt", "target")
    roles = {r: name for r, name in roles.items() if not (r in asking and name in nested)}
    about = frame.select(_text(frame, roles.get(role)).alias(role) for role in ABOUT)
    uniques = about.unique(maintain_order=True)
    codes = array("q")
    for item, digest, prompt, target, dataset, cluster in uniques.iter_rows():
        key = digest or item
        if key is None:
            raise DataError(f"{path!r} has a row without an item; every row must name one")
        place = dataset or "", key
        at = rows._places.get(place)
        if at is None:
            at = rows._places[place] = len(rows.items)
            found = LoggedItem(place[0], key, item or key, digest, prompt, target, cluster)
            rows.items.append(found)
        elif rows.items[at].cluster != cluster:
            rows._differs(rows.items[at], cluster)
        else:
            rows.compare_asked(rows.items[at], prompt, target)
        codes.append(at)
    if len(uniques) == 1:
        rows.item_at.extend([codes[0]] * len(frame))
    else:
        varying = [name for name in ABOUT if uniques[name].n_unique() > 1] or ["item"]
        placed = uniques.select(varying).with_columns(
            code=pl.Series(np.frombuffer(codes, np.int64))
        )
        placed = placed.unique(subset=varying, keep="first")
        at_row = about.select(varying).join(
            placed, on=varying, how="left", nulls_equal=True, maintain_order="left"
        )
        _extend(rows.item_at, at_row["code"].to_numpy())
    _extend(rows.model_at, _models(rows, frame, roles, path))
    rows.metric_at.extend([rows.metrics.setdefault(metric, len(rows.metrics))] * len(frame))
    _extend(rows.sample, _samples(rows, frame, roles))
    _extend(rows.score, _scores(rows, frame[roles["score"]], path))


def _text(frame: pl.DataFrame, name: str | None) -> pl.Expr:
    """Return a column as text; whole numbers are written alike, be they floats or not."""
    import polars as pl

    if name is None or name not in frame.columns:
        return pl.lit(None).cast(pl.String)
    column = pl.col(name)
    if frame[name].dtype.is_float():
        if bool((frame[name].abs() >= LARGEST_EXACT).any()):
            raise InexactLabels(
                f"column {shown(name)} has fractions and numbers above 2^53, which lose digits "
                "when read. Write its cells as text"
            )
        whole = column.cast(pl.Int64, strict=False)
        kept = pl.when(whole.cast(pl.Float64) == column).then(whole.cast(pl.String))
        return kept.otherwise(column.cast(pl.String))
    return column.cast(pl.String)


def _extend(column: array[Any], values: Any) -> None:
    kind = np.int64 if column.typecode == "q" else np.float64
    column.frombytes(np.ascontiguousarray(values, dtype=kind).tobytes())


def _models(rows: LogRows, frame: pl.DataFrame, roles: Mapping[str, str], path: str) -> Any:
    import polars as pl

    if "model" not in roles:
        name = stem_of(path)
        return np.full(len(frame), rows.models.setdefault(name, len(rows.models)), dtype=np.int64)
    column = frame[roles["model"]].cast(pl.String)
    if column.null_count():
        raise DataError(f"{path!r} has a row without a model; every row must name one")
    names = column.unique(maintain_order=True).to_list()
    codes = [rows.models.setdefault(name, len(rows.models)) for name in names]
    return column.replace_strict(names, codes, return_dtype=pl.Int64).to_numpy()


def _samples(rows: LogRows, frame: pl.DataFrame, roles: Mapping[str, str]) -> Any:
    import polars as pl

    name = roles.get("sample")
    if name is None or name not in frame.columns:
        return np.full(len(frame), -1, dtype=np.int64)
    if frame[name].dtype.is_integer():
        return frame[name].fill_null(-1).to_numpy()
    words = frame.select(_text(frame, name).alias(name))[name]
    known = words.drop_nulls().unique(maintain_order=True).to_list()
    codes = [rows.sample_number(word) for word in known]
    numbers = words.replace_strict(known, codes, default=-1, return_dtype=pl.Int64)
    return numbers.fill_null(-1).to_numpy()


def _scores(rows: LogRows, column: pl.Series, path: str) -> Any:
    import polars as pl

    if column.dtype == pl.String:
        truths = column.drop_nulls().str.to_lowercase()
        if len(truths) and truths.is_in(["true", "false"]).all():
            return column.str.to_lowercase().eq("true").cast(pl.Float64).to_numpy()
        fractions = as_fractions(column)
        if fractions is not None:
            rows.say_once("Scores with a percent sign were read as fractions")
        numbers = as_numbers(column) if fractions is None else fractions
        if numbers is not None:  # maybe with decimal commas
            return _finite(numbers.cast(pl.Float64).to_numpy(), path)
        values = [_score_of(rows, cell) for cell in column.to_list()]
        odd = [c for c, v in zip(column.to_list(), values, strict=True) if c and v is None]
        odd = [c for c in odd if c.strip().lower() not in MISSING]
        if odd:
            raise _no_number(repr(path), odd[0], column.name)
        return np.array([np.nan if v is None else v for v in values])
    if column.dtype == pl.Null:
        return np.full(len(column), np.nan)
    if column.dtype.is_nested():
        raise _no_number(repr(path), column.drop_nulls().to_list()[0], column.name)
    return _finite(column.cast(pl.Float64).to_numpy(), path)


def _finite(scores: Any, path: str) -> Any:
    if np.isinf(scores).any():
        raise DataError(f"{path!r} has an infinite score; scores must be finite")
    return scores


def _score_of(rows: LogRows, value: Any) -> float | None:
    """Return a score that may be a letter of a scorer: C for correct, I for incorrect."""
    if isinstance(value, str) and value in GRADES:
        rows.say_once("Scores C, P, I and N were read as 1, ½, 0 and 0")
        return GRADES[value]
    return number_of(value)


def _no_number(file: str, value: Any, name: str) -> DataError:
    if isinstance(value, list):
        return DataError(
            f"{file} has the list {shown(value)} as a score; each score must be a number. Write "
            "one row for each sample, with the same item"
        )
    if isinstance(value, Mapping):
        inside = next((f"{name}.{key}" for key in value), ...)
        return DataError(
            f"{file} has the object {shown(value)} as a score; each score must be a number. Name "
            f"one of its fields: {argument(score=inside)}"
        )
    return DataError(
        f"{file} has the score {shown(value)}, which is not a number. Write 1 for right and 0 for "
        f"wrong answers, or name the column of scores: {argument(score=...)}"
    )


def _add_line(
    rows: LogRows, line: Mapping[str, Any], roles: Mapping[str, str], metric: str, number: int
) -> None:
    """Add one object of a file that is no plain table."""
    known = {role: _at(line, name) for role, name in roles.items()}
    item = text_of(known.get("item") if known.get("item") is not None else known.get("hash"))
    value = known["score"]
    score = _score_of(rows, value)
    if isinstance(value, list | Mapping):
        raise _no_number(f"{rows.file}, line {number}", value, roles["score"])
    missing = not isinstance(value, str) or value.strip().lower() in ("", *MISSING)
    if item is None or (score is None and not missing):
        raise DataError(
            f"{rows.file}, line {number} has item {shown(item)} and score {shown(value)}; an item "
            f"and a number are required. Name the columns: {argument(item=..., score=...)}"
        )
    name = stem_of(rows.file.strip("'"))
    sample = known.get("sample")
    rows.add(
        str(known.get("model") if "model" in roles else name),
        text_of(known.get("dataset")) or "",
        metric,
        item,
        score,
        key=text_of(known.get("hash")),
        hash=text_of(known.get("hash")),
        prompt=text_of(known.get("prompt")),
        target=text_of(known.get("target")),
        cluster=text_of(known.get("cluster")),
        sample=rows.sample_number(sample),
    )


def _at(line: Mapping[str, Any], name: str) -> Any:
    return line[name] if name in line else field_of(line, name)


def no_cluster(file: str, cluster: str, known: Sequence[str]) -> DataError:
    """Return the refusal of a cluster that a log does not have."""
    has = f"; it has {listed(list(known))}" if known else ""
    return DataError(
        f"{file} has no {shown(cluster)} for every item{has}. Name a column or field that "
        f"identifies groups of items: {argument(cluster=...)}"
    )


def _of_splits(path: str, splits: Sequence[str]) -> DataError:
    how = either(python="outperform.compare(scores)", typed="outperform compare SCORES")
    return DataError(
        f"{shown(path)} has {listed(splits)}, so its rows are splits; a log needs an item and a "
        f"score on each row. For scores of splits use {how}"
    )


def _no_roles(path: str, names: Sequence[str], inner: str | None = None) -> DataError:
    has = f"{shown(path)} has {listed(list(names))}; a log needs an item and a score on each row. "
    if inner is not None and item_columns(names):
        return DataError(f"{has}Name the score: {argument(score=inner)}")
    return DataError(f"{has}Name them: {argument(item=..., score=...)}")


def _inner_score(row: Mapping[str, Any]) -> str | None:
    """Return a field inside an object of a row that is named as a score, and has a number."""
    for name, value in row.items():
        inner = value if isinstance(value, Mapping) else {}
        numbers = [key for key in inner if isinstance(inner[key], int | float)]
        for key in _score_columns(numbers):
            return f"{name}.{key}"
    return None
