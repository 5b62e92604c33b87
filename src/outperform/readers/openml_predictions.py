"""OpenML predictions: ARFF with a row for each repeat, fold and row of the data."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from .. import validation
from . import arff
from .log_files import opened
from .log_rows import LogRows

TOOL = "OpenML"
NUMERIC = re.compile(rb"^@attribute\s+\W?prediction\W?\s+(numeric|real)", re.I | re.M)
NEEDED = {"repeat", "fold", "row_id", "prediction", "correct"}


def is_predictions(start: bytes) -> bool:
    """Tell predictions by their attributes."""
    names = {
        line.split()[1].strip(b"'\"").decode(errors="replace").lower()
        for line in start.splitlines()
        if line.lower().startswith(b"@attribute") and len(line.split()) > 2
    }
    return names >= NEEDED


def read(path: str, limit: Mapping[str, int], options: Mapping[str, Any]) -> LogRows:
    """Read whether each row was predicted right: `correct` holds the true label, not a flag.

    The repeats of a row are samples of it: other training sets, so models are not the same.
    """
    with opened(path, limit) as file:
        data = file.read()
    table, _ = arff.as_csv(data, repr(path), limit)
    rows = LogRows(TOOL, repr(path), sha256=sha256(data).hexdigest())
    relation = next(
        (
            li.split(None, 1)[1]
            for li in data.decode().splitlines()
            if li.lower().startswith("@relation")
        ),
        "openml",
    ).strip("'\" ")
    model = Path(path.removesuffix(".gz")).stem
    # ARFF keeps the case of names as written.
    answers = [
        {name.lower(): cell for name, cell in row.items()}
        for row in csv.DictReader(StringIO(table.decode(), newline=""))
    ]
    if NUMERIC.search(data):  # of a regression, or of a classifier that gives probabilities
        for name in ("correct", "prediction"):
            cells = np.array([low[name] for low in answers], dtype=np.float64)
            advice = "Write the predicted class of each row"
            validation.no_fractions(cells, f"{path!r}: attribute {name!r}", advice)
    for low in answers:
        repeat = int(float(low["repeat"]))
        rows.add(
            model,
            relation,
            "accuracy",
            low["row_id"],
            float(low["prediction"] == low["correct"]),
            target=None if repeat else low["correct"],
            sample=repeat,
        )
    rows.greater["accuracy"] = True
    if (n_repeats := len({*rows.sample})) > 1:
        rows.said.append(
            f"{path!r}: the {n_repeats} repeats of each row were read as samples. Each comes from "
            "a model trained on other rows, so they are not several answers of one model"
        )
    return rows
