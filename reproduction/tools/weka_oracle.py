"""Ask Weka what its classifiers predict, many splits in one Java process (R-15).

Needs Java 11 and weka.jar (Debian's package `weka`); OUTPERFORM_WEKA names another jar. Run as a
program it writes reproduction/tests/golden/weka_*.json: predictions for the datasets scikit-learn
ships, by which the learners are held to Weka where Weka is not installed.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SOURCE = Path(__file__).with_name("WekaOracle.java")
GOLDEN = Path(__file__).parent.parent / "tests" / "golden"
J48 = "weka.classifiers.trees.J48"
NAIVE_BAYES = "weka.classifiers.bayes.NaiveBayes"
IB1 = "weka.classifiers.lazy.IB1"
KEPT = {"j48": J48, "naive_bayes": NAIVE_BAYES, "ib1": IB1}

Split = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Table:
    """A dataset as Weka reads it: codes for nominal values, NaN for missing, declared domains."""

    X: np.ndarray
    y: np.ndarray
    nominal: np.ndarray
    n_values: np.ndarray
    n_classes: int

    @classmethod
    def numeric(cls, X: Any, y: Any) -> Table:
        """Return a table of numeric attributes whose classes are those seen in y."""
        X = np.asarray(X, float)
        classes, codes = np.unique(y, return_inverse=True)
        width = X.shape[1]
        return cls(X, codes, np.zeros(width, bool), np.zeros(width, int), len(classes))


def weka_jar() -> Path | None:
    """Return where Weka is, or None where it, or Java, is not installed."""
    jar = Path(os.environ.get("OUTPERFORM_WEKA", "/usr/share/java/weka.jar"))
    return jar if jar.is_file() and shutil.which("java") else None


def weka_splits(
    classifier: str, options: str, table: Table, splits: Iterable[Split]
) -> list[np.ndarray]:
    """Return, for each split, the class codes predicted for its test rows."""
    commands = []
    for split in splits:
        train, test = (",".join(map(str, rows)) for rows in split)
        commands.append("\t".join(["run", classifier, options, train, test]))
    lines = _answers(table, commands)
    return [np.array(line.split(), int) for line in lines]


def weka_cuts(table: Table, asked: Iterable[tuple[int, int, bool]]) -> list[list[Split]]:
    """Return stratified cross-validations: of each fold the training and test rows, in order.

    Each is asked for by the number of folds, the seed, and whether training sets are shuffled once
    more with the same generator, as the Experimenter of this release does.
    """
    lines = _answers(
        table, [f"folds\t{k}\t{seed}\t{str(again).lower()}" for k, seed, again in asked]
    )
    rows = [[np.array(part.split(","), int) for part in line.split()] for line in lines]
    return [list(zip(one[::2], one[1::2], strict=True)) for one in rows]


def arff(table: Table) -> str:
    """Return the table in Weka's format; every number is spelt so that it reads back exactly."""
    head = ["@relation table"]
    for column, (nominal, size) in enumerate(zip(table.nominal, table.n_values, strict=True)):
        domain = ",".join(f"v{code}" for code in range(size)) if nominal else ""
        head.append(f"@attribute a{column} " + (f"{{{domain}}}" if nominal else "numeric"))
    head.append("@attribute class {" + ",".join(f"c{c}" for c in range(table.n_classes)) + "}")
    body = [
        ",".join([*map(_spelt, row, table.nominal), f"c{label}"])
        for row, label in zip(table.X.tolist(), table.y, strict=True)
    ]
    return "\n".join([*head, "@data", *body, ""])


def load_table(folder: Path, name: str) -> Table:
    """Read one dataset and its declared domains from a folder with a schema.json."""
    schema = json.loads((folder / "schema.json").read_text(encoding="utf-8"))[name]
    with gzip.open(folder / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = [column for column in schema["columns"] if column["name"] not in schema["ignore"]]
    *attributes, target = sorted(columns, key=lambda column: column["name"] == schema["target"])
    X = [[_code(row[one["name"]], one) for one in attributes] for row in rows]
    y = [target["levels"].index(row[target["name"]]) for row in rows]
    nominal = np.array([one["type"] == "nominal" for one in attributes])
    n_values = np.array([len(one.get("levels", ())) for one in attributes])
    return Table(np.array(X, float), np.array(y), nominal, n_values, len(target["levels"]))


def halves(n: int, *, count: int, seed: int) -> list[Split]:
    """Return random splits of n rows into a half to train on and a half to test on."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(n) for _ in range(count)]
    return [(np.sort(order[: n // 2]), np.sort(order[n // 2 :])) for order in orders]


def _code(text: str, column: dict[str, Any]) -> float:
    if text == "":
        return np.nan
    return float(column["levels"].index(text) if column["type"] == "nominal" else text)


def _spelt(value: float, nominal: bool) -> str:
    if value != value:
        return "?"
    return f"v{int(value)}" if nominal else repr(value)


def _answers(table: Table, commands: Sequence[str]) -> list[str]:
    """Return what Weka says to each command about a table."""
    jar = weka_jar()
    if jar is None:
        raise SystemExit("Weka is not here; install it: apt-get install weka")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.arff"
        path.write_text(arff(table), encoding="utf-8")
        asked = "\n".join([f"data\t{path}", *commands, ""])
        command = ["java", "-Xss64m", "-cp", str(jar), str(SOURCE)]
        said = subprocess.run(command, input=asked, capture_output=True, text=True)
    lines = said.stdout.splitlines()
    if said.returncode or len(lines) != len(commands):
        raise RuntimeError(
            f"Weka answered {len(lines)} of {len(commands)} commands:\n{said.stderr}"
        )
    return lines


def shipped_tables() -> dict[str, Table]:
    """Return the classification datasets that come with scikit-learn."""
    from sklearn import datasets

    names = ("iris", "wine", "breast_cancer", "digits")
    found = {name: getattr(datasets, f"load_{name}")(return_X_y=True) for name in names}
    return {name: Table.numeric(*data) for name, data in found.items()}


def golden_splits(kept: list[dict[str, str]]) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Read splits and predictions back: training rows, test rows, predicted codes."""
    read = []
    for one in kept:
        trained = np.array(list(one["trained"])) == "1"
        said = np.array(list(one["predicted"]), int)
        read.append((np.flatnonzero(trained), np.flatnonzero(~trained), said))
    return read


def write_golden(name: str) -> None:
    """Write what one classifier predicts for three halvings of each shipped dataset."""
    kept = {}
    for dataset, table in shipped_tables().items():
        splits = halves(len(table.y), count=3, seed=20040526)
        kept[dataset] = [
            {
                "trained": "".join("01"[row in set(train)] for row in range(len(table.y))),
                "predicted": "".join(map(str, said)),
            }
            for (train, _), said in zip(
                splits, weka_splits(KEPT[name], "", table, splits), strict=True
            )
        ]
    document = {
        "source": "Weka 3.6.14, default options; written by reproduction/tools/weka_oracle.py",
        "classifier": KEPT[name],
        "trained": "for each row, 1 if trained on; the others are predicted, in order",
        "datasets": kept,
    }
    path = GOLDEN / f"weka_{name}.json"
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    for each in KEPT:
        write_golden(each)
