"""Groups: given by the name of a column, kept together by default, and never a feature."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from launching import launch
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform.cli._experiments import from_table

GENERATOR = np.random.default_rng(3)
N, PATIENTS = 90, 30
Y = GENERATOR.integers(0, 2, N)
X = GENERATOR.normal(size=(N, 2)) + Y[:, None]
PATIENT = GENERATOR.permutation(N) % PATIENTS
FRAME = pd.DataFrame({"a": X[:, 0], "patient": PATIENT, "b": X[:, 1]})
MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=1, random_state=0)}


def compare(x: Any = FRAME, groups: Any = "patient", **options: Any) -> op.Comparison:
    return op.compare(MODELS, x, Y, groups=groups, random_state=1, **options)


@pytest.mark.parametrize("columns", [[0, 1, 2], pd.MultiIndex.from_product([["a"], [0, 1, 2]])])
def test_columns_may_have_names_that_are_no_text(columns: Any) -> None:
    with pytest.raises(op.DataError):
        compare(FRAME.set_axis(columns, axis=1))


@pytest.mark.parametrize(
    "frame",
    [
        FRAME,
        FRAME.astype({"patient": str}),
        pl.from_pandas(FRAME),
        pa.Table.from_pandas(FRAME),
        FRAME.set_axis([f"row {i}" for i in range(N)]),
    ],
    ids=["pandas", "words", "polars", "arrow", "labelled"],
)
def test_a_column_by_its_name_is_the_groups_and_not_a_feature(frame: Any) -> None:
    found = compare(frame, design="2x5cv/grouped")
    by_hand = compare(FRAME[["a", "b"]], PATIENT, design="2x5cv/grouped")
    assert found.scores is not None
    assert by_hand.scores is not None
    assert found.scores.digest() == by_hand.scores.digest()
    (note,) = [note for note in found.notes if "patient" in note.text]
    assert note.code == "OP001"
    assert "not used as a feature" in note.text


@pytest.mark.slow
def test_without_a_design_groups_are_kept_together() -> None:
    for groups, frame in (("patient", FRAME), (PATIENT, FRAME[["a", "b"]])):
        found = compare(frame, groups)
        assert str(found.design) == "5x5cv+20halves/grouped"
        assert any("5x5cv+20halves/grouped, for 30 groups" in note.text for note in found.notes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "design"), [(19, "10x10cv/grouped"), (10, "10cv/grouped"), (4, "4cv/grouped")]
)
def test_few_groups_are_not_halved_and_fewer_than_folds_each_tested_once(
    count: int, design: str
) -> None:
    found = compare(FRAME[["a", "b"]], PATIENT % count)
    assert str(found.design) == design
    assert found.method.name == "corrected_t"


@pytest.mark.slow
def test_estimates_and_learning_curves_keep_groups_together_too() -> None:
    estimate = op.estimate(GaussianNB(), FRAME, Y, groups="patient", random_state=1)
    assert estimate.design.grouped
    curve = op.learning_curve(GaussianNB(), FRAME, Y, groups="patient", random_state=1)
    assert str(curve.design) == "15xresampled@1/10/grouped"


@pytest.mark.parametrize(
    ("x", "groups", "said"),
    [
        (FRAME, "patients", "X has no column 'patients'; did you mean 'patient'?"),
        (X, "patient", "X is an array without column names"),
        (FRAME[["patient"]], "patient", "X has only 'patient'; learners need features"),
        (FRAME.assign(patient=[np.nan, *PATIENT[1:]]), "patient", "1 missing"),
        (pl.from_pandas(FRAME).lazy(), "patient", r"pass X.collect\(\)"),
    ],
)
def test_a_name_that_is_no_column_of_groups_is_refused(x: Any, groups: Any, said: str) -> None:
    with pytest.raises(op.OutperformError, match=said):
        compare(x, groups)


@pytest.mark.slow
def test_all_rows_in_one_group_are_refused_with_the_reason() -> None:
    with pytest.raises(op.DataError, match="All 90 rows belong to one group, so none is left"):
        compare(FRAME[["a", "b"]], np.zeros(N))
    assert (
        str(compare(FRAME[["a", "b"]], None).design) == "5x5cv+20halves"
    )  # as the message advises


# Targets by the name of a column

WITH_Y = FRAME.assign(sick=np.array(["no", "yes"])[Y])


@pytest.mark.parametrize("frame", [WITH_Y, pl.from_pandas(WITH_Y)], ids=["pandas", "polars"])
def test_y_may_name_a_column_which_is_then_not_a_feature(frame: Any) -> None:
    options: Any = {"design": "2x5cv/grouped", "groups": "patient", "random_state": 1}
    found = op.compare(MODELS, frame, "sick", **options)
    by_hand = op.compare(MODELS, FRAME, WITH_Y["sick"].to_numpy(), **options)
    assert found.scores is not None
    assert by_hand.scores is not None
    assert found.scores.digest() == by_hand.scores.digest()
    assert "Column 'sick' of X contains the targets and is not used as a feature." in str(
        found.notes
    )
    others = [note for note in found.notes if "'sick'" not in note.text]
    assert others == list(by_hand.notes)


@pytest.mark.slow
def test_estimates_and_learning_curves_take_the_name_of_the_target_too() -> None:
    x, y = FRAME[["a", "b"]], WITH_Y["sick"].to_numpy()
    frame = x.assign(sick=y)
    for verb in (op.estimate, op.learning_curve):
        named, by_hand = (
            verb(GaussianNB(), *data, random_state=1) for data in ((frame, "sick"), (x, y))
        )
        lines = [line for line in str(named).splitlines() if "'sick'" not in line]
        words = " ".join(lines).replace(" note ", " ").split()
        assert words == str(by_hand).replace(" note ", " ").split()


def test_fitted_models_take_the_name_of_the_target_too() -> None:
    x, y = FRAME[["a", "b"]], WITH_Y["sick"].to_numpy()
    models = {name: clone(model).fit(x[:60], y[:60]) for name, model in MODELS.items()}
    named = op.run(models, x.assign(sick=y)[60:], "sick", fitted=True)
    assert named.digest() == op.run(models, x[60:], y[60:], fitted=True).digest()


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        (WITH_Y, "sik", "X has no column 'sik'; did you mean 'sick'?"),
        (X, "sick", "y='sick' names a column, but X is an array without column names"),
        (WITH_Y[["sick"]], "sick", "X has only 'sick'; learners need features"),
    ],
)
def test_a_name_that_is_no_column_of_targets_is_refused(x: Any, y: str, said: str) -> None:
    with pytest.raises(op.DataError, match=said):
        op.compare(MODELS, x, y)


# On the command line


def write(path: Path, *, empty: bool = False) -> None:
    frame = FRAME.assign(sick=np.array(["no", "yes"])[Y], city=np.array(["Ulm", "Bern"])[Y])
    frame["patient"] = frame["patient"].astype(object)
    if empty:
        frame.loc[2, "patient"] = None
    frame.to_csv(path, index=False)


@pytest.mark.slow
def test_the_program_takes_a_column_of_groups(tmp_path: Path) -> None:
    write(tmp_path / "data.csv")
    asked = ["run", "data.csv", "--target", "sick", "--learner", "tree", "--learner", "nb"]
    done = launch(tmp_path, *asked, "--group", "patient", "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert "groups kept together" in " ".join(done.stdout.split())
    assert "'patient'" in done.stderr
    table = from_table(str(tmp_path / "data.csv"), "sick", ["tree"], group="patient")
    assert list(table.X.columns) == ["a", "b", "city"]
    assert list(table.groups) == PATIENT.tolist()


@pytest.mark.parametrize(
    ("group", "said"),
    [("patients", "did you mean 'patient'?"), ("sick", "target"), ("patient", "line 4")],
)
def test_a_column_of_groups_that_cannot_be_used_is_refused(
    tmp_path: Path, group: str, said: str
) -> None:
    write(tmp_path / "data.csv", empty=group == "patient")
    with pytest.raises(op.DataError) as caught:
        from_table(str(tmp_path / "data.csv"), "sick", ["tree"], group=group)
    assert said in str(caught.value)
