"""Exporting: the scores of a store as a CSV or Parquet file that `Scores.read` understands."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any
from uuid import uuid4

import numpy as np

from ..errors import DataError
from .errors import StoreIncomplete, quoted
from .store import Store

__all__ = ["export"]


def export(path: Any, to: Any, *, force: bool = False, incomplete: bool = False) -> None:
    """Write the scores of the store at `path` to `to`, one row for each learner and split.

    `Scores.read` reads them back, with names and design. Refuses an incomplete store, unless that
    is asked for: then scores that are missing or failed are empty. Refuses a file that is there
    unless `force`d.
    """
    import polars as pl

    from ..readers.exported import COLUMNS, harmless

    target = os.path.realpath(os.fspath(to))
    ending = os.path.splitext(target)[1].lower()
    if ending not in (".csv", ".parquet"):
        raise DataError(f"{quoted(to)} ends in {ending!r}; a name in .csv or .parquet is needed")
    if os.path.exists(target) and not force:
        raise DataError(f"{quoted(to)} is there already; choose another name, or force=True")
    with Store.open(path, mode="read") as store:
        try:
            scores = store.scores(items=False, gaps=incomplete)
        except StoreIncomplete as error:
            raise StoreIncomplete(
                f"{error}\nTo export what is there, the rest as empty scores: incomplete=True"
            ) from None
    k, m = scores.values.shape
    names = [harmless(name) if ending == ".csv" else name for name in scores.names]
    metric = harmless(scores.metric) if ending == ".csv" else scores.metric
    seed = store.experiment.seed
    sizes = [
        np.tile(np.asarray(side, dtype=np.int64), k) for side in (scores.n_train, scores.n_test)
    ]
    frame = pl.DataFrame(
        {
            "learner": np.repeat(np.array(names, dtype=object), m).tolist(),
            **{
                name: np.tile(scores.addresses[:, column], k)
                for column, name in enumerate(("partition", "repeat", "fold"))
            },
            "score": pl.Series(scores.values.ravel(), nan_to_null=True),
            "n_train": sizes[0],
            "n_test": sizes[1],
        }
    ).with_columns(
        pl.lit(metric).alias("metric"),
        pl.lit(seed if abs(seed) < 2**63 else str(seed)).alias("seed"),
        pl.lit("" if scores.design is None else str(scores.design)).alias("design"),
        pl.lit(scores.greater_is_better).alias("greater_is_better"),
    )
    assert tuple(frame.columns) == COLUMNS
    # Written whole under another name first, so that a file of this name is never half of one.
    draft = f"{target}.{uuid4().hex}"
    try:
        if ending == ".csv":
            frame.write_csv(draft)
        else:
            frame.write_parquet(draft)
        os.replace(draft, target)
    except OSError as error:
        raise DataError(f"{quoted(to)} cannot be written ({error}); use another folder") from None
    finally:
        with suppress(FileNotFoundError):
            os.remove(draft)
