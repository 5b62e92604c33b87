"""Data frames out: of the kind that came in, or the kind that is asked for; polars otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..errors import DataError

if TYPE_CHECKING:
    from .split_scores import Scores


KINDS = ("polars", "pandas", "pyarrow", "modin", "cudf")


def kind_of(frame: Any) -> str | None:
    """Return which library made a frame; None of anything else."""
    home = type(frame).__module__.partition(".")[0]
    return home if home in KINDS else None


def frame_like(columns: Mapping[str, Any], kind: str | None, usual: str | None = None) -> Any:
    """Return columns as a frame of a kind: the one asked, else the usual one, else polars."""
    import polars

    if kind is not None:
        validation.choice(kind, "kind", KINDS)
    chosen: Any = kind or usual or "polars"
    made = polars.DataFrame(dict(columns), infer_schema_length=None, strict=False)
    if chosen == "polars":
        return made
    import narwhals as nw

    try:
        import_module(chosen)
        frame = nw.from_dict(made.to_dict(as_series=False), backend=chosen)
    except ModuleNotFoundError as error:
        raise DataError(
            f"The 'kind' parameter is {chosen!r}, but {error.name} is not installed. Install it, "
            "or use kind='polars'"
        ) from None
    return frame.to_native()


def score_columns(scores: Scores) -> dict[str, Any]:
    """Return a row for each learner and split, with what `Scores.read` needs to read it back."""
    k, n = scores.values.shape
    known = {"n_train": scores.n_train, "n_test": scores.n_test}
    sizes = {
        name: [None] * (k * n) if size is None else np.tile(size, k) for name, size in known.items()
    }
    data: dict[str, Any] = {} if scores.datasets is None else {"dataset": [*scores.datasets] * k}
    data |= {} if scores.families is None else {"family": [*scores.families] * k}
    data = {"learner": np.repeat(np.array(scores.names, dtype=object), n).tolist(), **data}
    axes = zip(("partition", "repeat", "fold"), scores.addresses.T, strict=True)
    data |= {axis: np.tile(at, k) for axis, at in axes}
    data |= {"score": scores.values.ravel(), **sizes, "metric": [scores.metric] * (k * n)}
    design = None if scores.design is None else str(scores.design)
    about = {
        "seed": scores.seed,
        "design": design,
        "greater_is_better": scores.greater_is_better,
    }
    return data | {name: [value] * (k * n) for name, value in about.items()}
