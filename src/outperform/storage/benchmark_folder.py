"""The folder of a benchmark: for each dataset a store of its run, and a file that holds its name.

A name never becomes a path: files are called after its hash. Names are written before anything is
run, so that a dataset whose run has not begun is known to be missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from ..errors import DataError
from ..scores.split_scores import Scores
from .contents import StoreIncomplete
from .run_store import Store

NAMED = 5
"""Datasets that are named where some are not complete."""


def enter(folder: str | os.PathLike[str], names: Iterable[str]) -> dict[str, Path]:
    """Return where the store of each dataset is, after writing down its name."""
    home = Path(folder)
    if home.exists() and not home.is_dir():
        raise DataError(
            f"The 'store' parameter must name a folder, one store for each dataset is kept in it, "
            f"got the file {str(home)!r}. Choose another name"
        )
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    return {name: _written(home, name) for name in names}


def _written(home: Path, name: str) -> Path:
    stem = _stem(name)
    label = home / f"{stem}.name"
    if not label.exists():
        fresh = home / f"{stem}.{os.getpid()}.new"
        fresh.write_text(name, encoding="utf-8")
        os.replace(fresh, label)  # whole or not at all
    return home / f"{stem}.db"


def stores_in(folder: str | os.PathLike[str]) -> dict[str, Path]:
    """Return the datasets of a folder and their stores, in the order of their names."""
    home, found = Path(folder), dict[str, Path]()
    for label in sorted(home.glob("*.name")):
        name = label.read_text(encoding="utf-8")
        if _stem(name) != label.stem:
            raise DataError(
                f"{str(label)!r} was modified: it contains the name of another dataset. Restore "
                "it, or run the benchmark into a new folder"
            )
        found[name] = label.with_suffix(".db")
    return dict(sorted(found.items()))


def stored_cells(folder: str | os.PathLike[str]) -> dict[str, Scores]:
    """Return the scores of every dataset; refuse a benchmark that is not complete."""
    found, lacking = {}, []
    for name, path in stores_in(folder).items():
        try:
            with Store.open(path, mode="read") as kept:
                found[name] = kept.scores()
        except (StoreIncomplete, FileNotFoundError, DataError) as error:
            if path.exists() and not isinstance(error, StoreIncomplete):
                raise
            lacking.append(name)
    if lacking:
        more = f" and {len(lacking) - NAMED} more" if len(lacking) > NAMED else ""
        raise StoreIncomplete(
            f"incomplete: {len(lacking)} of {len(found) + len(lacking)} datasets have missing "
            f"fits: {', '.join(lacking[:NAMED])}{more}. Run the same benchmark again to finish it"
        )
    return found


def seed_of(folder: str | os.PathLike[str]) -> int | None:
    """Return the seed of the runs that are there; None before the first."""
    for path in sorted(Path(folder).glob("*.db")):
        with Store.open(path, mode="read") as kept:
            return kept.experiment.seed
    return None


def _stem(name: str) -> str:
    return sha256(name.encode()).hexdigest()[:20]
