"""Exporting: the scores of a store as a file that `Scores.read` reads back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from ..errors import DataError, argument
from .contents import Address, StoreIncomplete
from .kernel import quoted
from .run_store import Store


def export(path: Any, to: Any, *, force: bool = False, incomplete: bool = False) -> None:
    """Write the scores of the store at `path` to `to`, one row for each learner and split.

    `Scores.read` reads them back, with names and design. Refuses an incomplete store, unless that
    is asked for: then scores that are missing or failed are empty. Refuses a file that is there
    unless `force`d.
    """
    import polars as pl

    from ..readers.own_files import COLUMNS, harmless

    target = os.path.realpath(os.fspath(to))
    ending = os.path.splitext(target)[1].lower()
    if ending not in (".csv", ".parquet"):
        raise DataError(f"{quoted(to)} ends in {ending!r}; the name must end in .csv or .parquet")
    if os.path.exists(target) and not force:
        raise DataError(
            f"{quoted(to)} already exists; choose another name, or pass {argument(force=True)}"
        )
    with Store.open(path, mode="read") as store:
        try:
            scores = store.scores(items=False, gaps=incomplete)
        except StoreIncomplete as error:
            raise StoreIncomplete(
                f"{error}\nTo export what exists, with missing scores left empty: "
                f"{argument(incomplete=True)}"
            ) from None
    (k, m), experiment = scores.values.shape, store.experiment
    safe = harmless if ending == ".csv" else str
    addresses = np.tile(scores.addresses, (k, 1))
    columns = {
        "learner": [safe(name) for name in scores.names for _ in range(m)],
        **dict(zip(Address._fields, addresses.T, strict=True)),
        "score": pl.Series(scores.values.ravel(), nan_to_null=True),
        "n_train": np.tile(np.asarray(scores.n_train, dtype=np.int64), k),
        "n_test": np.tile(np.asarray(scores.n_test, dtype=np.int64), k),
    }
    seed = experiment.seed
    same = {
        "metric": safe(scores.metric),
        "seed": seed if abs(seed) < 2**63 else str(seed),
        "design": "" if scores.design is None else str(scores.design),
        "greater_is_better": scores.greater_is_better,
    }
    frame = pl.DataFrame(columns).with_columns(**{name: pl.lit(it) for name, it in same.items()})
    assert tuple(frame.columns) == COLUMNS
    # Written whole under another name first, so that a file of this name is never half of one.
    draft = f"{target}.{uuid4().hex}"
    try:
        (frame.write_csv if ending == ".csv" else frame.write_parquet)(draft)
        os.replace(draft, target)
    except OSError as error:
        raise DataError(f"{quoted(to)} cannot be written ({error}); use another folder") from None
    finally:
        Path(draft).unlink(missing_ok=True)
