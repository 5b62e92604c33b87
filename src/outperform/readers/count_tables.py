"""Tables of counts, such as confusion matrices: they hold no scores, and are refused by name."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import DataError
from .column_names import is_unnamed, listed, normal, tokens
from .parsing import as_numbers
from .score_table import ScoreTable

OUTCOMES = {
    "tn": {"tn", "truenegative", "truenegatives"},
    "fp": {"fp", "falsepositive", "falsepositives"},
    "fn": {"fn", "falsenegative", "falsenegatives"},
    "tp": {"tp", "truepositive", "truepositives"},
}
REPORT = {"precision", "recall", "f1score", "support"}
"""The columns of scikit-learn's classification_report."""
PAIRED = ("n00", "n01", "n10", "n11")
RIGHT, WRONG = {"right", "correct", "hit"}, {"wrong", "incorrect", "error", "miss"}
FORMS = {"pred", "predicted", "prediction", "actual", "true", "truth", "reference", "observed"}
MOST = 200
"""Classes of the largest table that is looked at."""
PREDICTIONS = (
    "one row per item with its true label and the label that each model predicted: "
    "y_true,model_a,model_b"
)
Counts = list[list[float]]


def refuse_counts(table: ScoreTable) -> None:
    """Refuse confusion matrices, reports of classes and counts of right and wrong answers."""
    known = {normal(name): name for name in table.columns}
    outcomes = [next((known[w] for w in words & known.keys()), "") for words in OUTCOMES.values()]
    if all(outcomes):
        raise _of_outcomes(table, outcomes)
    if known.keys() >= REPORT:
        raise DataError(
            "This looks like the classification report of one model: its rows are classes, not "
            f"splits. Write {PREDICTIONS}"
        )
    if known.keys() >= {"prediction", "reference", "freq"}:
        raise _confusion("'Prediction' and 'Reference'")
    paired = [known[name] for name in PAIRED if name in known] or _told(list(table.columns))
    if len(paired) == len(PAIRED) and len(table) == 1:
        n00, n01, n10, n11 = (_cells(table, name)[0] for name in paired)
        raise _of_pairs([[n00, n01], [n10, n11]])
    if not 2 <= len(table) <= MOST or len(table.columns) not in (len(table), len(table) + 1):
        return
    names = [*table.columns][len(table.columns) - len(table) :]
    counts = list(map(list, zip(*(_cells(table, name) for name in names), strict=True)))
    labels, corner = [str(i) for i in range(len(table))], ""
    if len(table.columns) > len(table):
        corner = next(iter(table.columns))
        labels = [str(cell).removesuffix(".0") for cell in table.columns[corner]]
    refuse_square(labels, names, counts, corner)


def refuse_bare(lines: Sequence[Sequence[str]]) -> None:
    """Refuse lines of numbers alone that are a square of counts, below 0, 1, 2 … or not."""
    labels = [*map(str, range(len(lines[0])))]
    below = lines[1:] if [word.strip() for word in lines[0]] == labels else lines
    rows = [[float(word) for word in line] for line in below]
    whole = all(cell.is_integer() for row in rows for cell in row)
    if len(rows) > 1 and whole and all(len(row) == len(rows) for row in rows):
        refuse_square(labels, labels, rows)


def refuse_square(
    labels: Sequence[str], names: Sequence[str], counts: Counts, corner: str = ""
) -> None:
    """Refuse a square table whose rows and columns have the same names, or say right and wrong."""
    cells = [cell for row in counts for cell in row]
    if any(not cell >= 0 for cell in cells):
        return
    whole = all(cell.is_integer() for cell in cells)
    sides = [[_is_right(name) for name in ends] for ends in (labels, names)]
    if len(names) == 2 and whole and all({*ends} == {True, False} for ends in sides):
        rows, columns = ((ends.index(False), ends.index(True)) for ends in sides)
        raise _of_pairs([[counts[i][j] for j in columns] for i in rows])
    predicted = bool({*tokens(corner)} & FORMS)
    predicted |= all({*tokens(name)} & FORMS for name in (*labels, *names))
    same = [*labels] == [*names]
    if not (whole and predicted) and not (same and _looks_confused(counts, whole=whole)):
        return
    if len(names) > 2 or predicted or not whole:
        raise _confusion(f"rows and columns are {listed(names)}" if same else "counts of labels")
    raise DataError(
        "This looks like a 2 × 2 table of counts, not of scores. If it counts items that two "
        f"models got wrong and right, in this order, use "
        f"op.methods.mcnemar(table={_written(counts)}), a "
        "row for each outcome of the first model; if it is the confusion matrix of one model, "
        f"write {PREDICTIONS}"
    )


def _looks_confused(counts: Counts, *, whole: bool) -> bool:
    """Tell counts of labels from scores of numbered learners on as many splits.

    Counts are largest where the label is right, and shares add up to 1 by row, by column or in all.
    """
    total, trace = sum(map(sum, counts)), sum(row[i] for i, row in enumerate(counts))
    if whole:
        return trace > 0 and (len(counts) == 2 or trace > 1.5 * total / len(counts))
    sums = [sum(row) for row in counts], [sum(row) for row in zip(*counts, strict=True)]
    return any(all(abs(one - 1) < 0.02 for one in each) for each in (*sums, [total]))


def _is_right(name: str) -> bool | None:
    """Tell whether a name says right or wrong; None if neither, or both."""
    words = {*tokens(name)}
    right, wrong = bool(words & RIGHT), bool(words & WRONG)
    return None if right == wrong else right


def _told(names: Sequence[str]) -> list[str]:
    """Return columns such as both_wrong, only_b, only_a, both_right in this order, if they are."""
    both = {_is_right(name): name for name in names if "both" in tokens(name)}
    only = [name for name in names if name not in both.values()]
    if len(names) != len(PAIRED) or {*both} != {True, False}:
        return []
    wrong = [_is_right(name) is False for name in only]
    return [both[False], *(only if all(wrong) else reversed(only)), both[True]]


def _of_pairs(counts: Counts) -> DataError:
    return DataError(
        "This looks like counts of the items that two models got right and wrong, not like "
        "scores. Test them in Python: "
        f"op.methods.mcnemar(table={_written(counts)}), which contains "
        "[[both wrong, only the second right], [only the first right, both right]]"
    )


def _confusion(what: str) -> DataError:
    return DataError(
        f"This looks like the confusion matrix of one model ({what}), which does not show on which "
        f"items two models differ. Write {PREDICTIONS}"
    )


def _of_outcomes(table: ScoreTable, names: Sequence[str]) -> DataError:
    """Return the refusal of true and false positives: of splits, they give a score."""
    others = [n for n in table.columns if n not in names and not is_unnamed(n)]
    if len(others) < 2:
        return _confusion(f"columns {listed(names)}")
    tn, _, _, tp = names
    return DataError(
        f"columns {listed(names)} count right and wrong answers; a score per learner and split is "
        f"required. Compute it, such as the accuracy: frame[{others}].assign(accuracy="
        f"(frame[{tp!r}] + frame[{tn!r}]) / frame[{[*names]}].sum(axis=1))"
        ".to_csv('scores.csv', index=False)"
    )


def _cells(table: ScoreTable, name: str) -> list[float]:
    cells = as_numbers(table.columns[name])
    if cells is None:
        return [float("nan")] * len(table)
    return [float("nan") if cell is None else float(cell) for cell in cells]


def _written(counts: Counts) -> list[list[int]]:
    return [[int(cell) for cell in row] for row in counts]
