"""Formats of files: JSON, JSON Lines, workbooks, ARFF and standard input, and what is no such."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from launching import run_here
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from workbooks_for_tests import workbook

import outperform as op
from outperform import DataError, Scores

FRAME = pd.DataFrame(
    [(m, f, 0.5 + f / 10 + k / 7) for k, m in enumerate(("a", "b")) for f in range(4)],
    columns=["model", "fold", "accuracy"],
)
EXPECTED = [FRAME[FRAME["model"] == m]["accuracy"].tolist() for m in ("a", "b")]
WIDE = FRAME.pivot(index="fold", columns="model", values="accuracy")


def refusal(path: Path, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        Scores.read(path, **options)
    return str(caught.value)


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("orient", ["records", "columns", "split", "table", "index", "list"])
def test_whatever_way_a_frame_is_written_as_json_it_is_read(tmp_path: Path, orient: str) -> None:
    if orient == "list":
        text = json.dumps(FRAME.to_dict("list"))
    elif orient == "index":  # a record for each row, by label
        text = json.dumps(list(FRAME.to_dict("index").values()))
    else:
        text = FRAME.to_json(orient=orient, double_precision=15)
    scores = Scores.read(written(tmp_path / "scores.json", text))
    assert (scores.names, str(scores.design)) == (("a", "b"), "4cv")
    assert scores.values == pytest.approx(np.array(EXPECTED), abs=1e-14)


def test_lists_by_model_and_wide_frames_are_read(tmp_path: Path) -> None:
    lists = {name: WIDE[name].tolist() for name in WIDE}
    path = written(tmp_path / "scores.json", json.dumps(lists))
    assert Scores.read(path, design="4cv").values.tolist() == EXPECTED
    path = written(tmp_path / "wide.json", WIDE.reset_index().to_json(double_precision=15))
    assert Scores.read(path).names == ("a", "b")


def test_json_lines_are_read_with_objects_inside_and_named_by_line(tmp_path: Path) -> None:
    rows = [
        {"config": {"model": m, "notes": ["x"]}, "fold": f, "metrics": {"accuracy": a}}
        for m, f, a in FRAME.itertuples(index=False)
    ]
    lines = "\n\n".join(map(json.dumps, rows))
    scores = Scores.read(
        written(tmp_path / "log.jsonl", lines), learner="config.model", score="metrics.accuracy"
    )
    assert scores.values.tolist() == EXPECTED
    assert "config.notes" in " ".join(note.text for note in scores.notes)
    rows[1]["metrics"] = {"accuracy": None}
    path = written(tmp_path / "log.jsonl", "\n\n".join(map(json.dumps, rows)))
    said = refusal(path, learner="config.model", score="metrics.accuracy")
    assert "line 3," in said


def test_kinds_of_cells_may_change_from_one_block_of_lines_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outperform.readers.json_files.AT_ONCE", 3)
    rows = FRAME.to_dict("records")
    rows[0]["accuracy"] = 1  # an integer among floats
    rows[5]["extra"] = "late"
    path = written(tmp_path / "log.jsonl", "\n".join(map(json.dumps, rows)))
    scores = Scores.read(path)
    assert scores.values.tolist() == [[1.0, *EXPECTED[0][1:]], EXPECTED[1]]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": [1, 2], "a": [3, 4]}', "duplicate key"),
        ('{"a": [0.5, 0.6], "b": [0.5]}', "1 values for 'b' but 2 for 'a'"),
        ('{"a": [0.5, 0.6', "is not valid JSON"),
        ("[1, 2, 3]", "a list whose elements are not records"),
        ("{}", "an empty object"),
        ('[{"a":' * 100_000, "nested too deeply"),
        ('{"a": 1}\n{"a": 1\n', "line 2 is not valid JSON"),
        ('{"a": 1}\n{"a": 2}\n[3]\n', "line 3 contains a list"),
        ('{"a": {"fit_time": 3}, "b": {"test_score": [1, 2]}}', "no list of scores for 'a'"),
    ],
)
def test_json_that_is_no_table_is_refused_by_what_is_wrong(
    tmp_path: Path, text: str, why: str
) -> None:
    assert why in refusal(written(tmp_path / "s.json", text))


def test_a_large_json_value_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = written(tmp_path / "s.json", json.dumps({"a": [0.5] * 100, "b": [0.6] * 100}))
    assert "limits={'json': " in refusal(path, limits={"json": 100})


def test_a_cross_validation_of_sklearn_is_compared_as_it_is() -> None:
    X, y = load_iris(return_X_y=True)
    models = {"tree": DecisionTreeClassifier(max_depth=1), "nb": GaussianNB()}
    found = {name: cross_validate(one, X, y, cv=5) for name, one in models.items()}
    cmp = op.compare(found)
    assert cmp.names == ("tree", "nb")
    assert str(cmp.design) == "5cv"
    assert cmp.scores.values.tolist() == [found[name]["test_score"].tolist() for name in found]
    table = pd.concat({name: pd.DataFrame(one) for name, one in found.items()}).reset_index()
    assert op.compare(table).scores.values.tolist() == cmp.scores.values.tolist()
    one = Scores.from_frame(found["tree"])
    assert one.values.tolist() == [found["tree"]["test_score"].tolist()]


ROWS = [list(FRAME), *[list(row) for row in FRAME.itertuples(index=False)]]


def test_one_of_several_worksheets_is_asked_for(tmp_path: Path) -> None:
    one = written(tmp_path / "one.xlsx", workbook(empty=[], scores=ROWS))
    assert Scores.read(one).values.tolist() == EXPECTED
    two = written(tmp_path / "two.xlsx", workbook(first=ROWS, second=ROWS[:1] + ROWS[5:]))
    assert "sheet='first'" in refusal(two)
    assert Scores.read(two, sheet="first").values.tolist() == EXPECTED
    assert "did you mean 'second'" in refusal(two, sheet="secon")
    assert run_here("compare", str(two), "--sheet", "first") == 0


def test_missing_cells_of_a_worksheet_are_named_by_their_row(tmp_path: Path) -> None:
    rows = [*ROWS[:3], [*ROWS[3][:2], None], *ROWS[4:]]
    assert "row 4, column 'accuracy'" in refusal(written(tmp_path / "s.xlsx", workbook(s=rows)))


@pytest.mark.slow
def test_a_workbook_that_unpacks_to_too_much_is_refused_before_it_is_read(tmp_path: Path) -> None:
    out = io.BytesIO(workbook(s=ROWS))
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/bomb.bin", bytes(2**25))
    path = written(tmp_path / "bomb.xlsx", out.getvalue())
    assert "unpacks to more than" in refusal(path)
    assert Scores.read(path, limits={"ratio": 10**6}).values.tolist() == EXPECTED


def test_sizes_that_an_archive_claims_are_not_believed(tmp_path: Path) -> None:
    out = io.BytesIO(workbook(s=ROWS))
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/bomb.bin", bytes(2**25))
    data = out.getvalue().replace((2**25).to_bytes(4, "little"), (9).to_bytes(4, "little"))
    assert "unpacks to more than" in refusal(written(tmp_path / "liar.xlsx", data))


def test_two_cells_far_apart_are_no_sheet_of_a_billion_cells(tmp_path: Path) -> None:
    source = zipfile.ZipFile(io.BytesIO(workbook(s=ROWS)))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for member in source.namelist():
            body = source.read(member)
            if "sheet1" in member:
                far = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
                body = body.replace(b"</sheetData>", far)
            archive.writestr(member, body)
    said = refusal(written(tmp_path / "far.xlsx", out.getvalue()))
    assert "17,179,869,184 cells" in said


@pytest.mark.parametrize("cut", [100, -200, -30])
def test_a_damaged_workbook_or_another_archive_is_refused(tmp_path: Path, cut: int) -> None:
    data = workbook(s=ROWS)
    assert "damaged" in refusal(written(tmp_path / "s.xlsx", data[:cut]))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("scores.csv", "a,b\n1,2\n")
    assert "not an Excel workbook" in refusal(written(tmp_path / "s.zip", out.getvalue()))


ARFF = """% a comment
@RELATION 'my results'
@ATTRIBUTE 'the model' {a,'b, c'}
@attribute fold numeric

@attribute accuracy real
@DATA
a,0,0.5
'b, c',0,0.6
% another
"b, c" , 1 , 0.75
a,1,0.25
"""


def test_arff_is_read_with_its_quotes_comments_and_line_numbers(tmp_path: Path) -> None:
    path = written(tmp_path / "s.arff", ARFF)
    scores = Scores.read(path, learner="the model")
    assert scores.names == ("a", "b, c")
    assert scores.values.tolist() == [[0.5, 0.25], [0.6, 0.75]]
    path = written(tmp_path / "s.arff", ARFF.replace("0.75", "?"))
    assert "line 11," in refusal(path, learner="the model")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("a,1,0.25", "{0 a, 1 1}", "line 12 is a row of a sparse ARFF file"),
        ("a,1,0.25", "a,1", "line 12 has 2 cells but the header has 3"),
        ("a,1,0.25", "'a,1,0.25", "line 12 has an unbalanced quote"),
        ("@attribute fold", "@attribut fold", "line 4 contains"),
    ],
)
def test_arff_that_is_none_is_refused_by_its_line(
    tmp_path: Path, old: str, new: str, why: str
) -> None:
    path = written(tmp_path / "s.arff", ARFF.replace(old, new))
    assert why in refusal(path, learner="the model")


def test_weka_options_with_commas_and_quotes_are_one_cell(tmp_path: Path) -> None:
    text = "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Key_Scheme_options,Percent_correct\n"
    for scheme, options in (("A", "''"), ("B", r"'-W \"c.D -I 1,2\" -- -C \'x\''")):
        text += "".join(f"iris,1,{f},w.{scheme},{options},{80.5 + f}\n" for f in (1, 2, 3))
    scores = Scores.read(written(tmp_path / "s.csv", text))
    assert scores.names == ("A", "B -W \"c.D -I 1,2\" -- -C 'x'")


def test_standard_input_is_read_and_bounded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = FRAME.to_csv(index=False).encode()

    class Pipe:
        buffer = io.BytesIO(text)

    monkeypatch.setattr(sys, "stdin", Pipe)
    assert run_here("compare", "-") == 0
    assert "accuracy" in capsys.readouterr().out
    Pipe.buffer = io.BytesIO(text)
    with pytest.raises(DataError, match="standard input has more than 50 bytes"):
        Scores.read("-", limits={"bytes": 50})


@pytest.mark.parametrize("mark", ["\t", ";", "|"])
def test_other_separators_are_detected(tmp_path: Path, mark: str) -> None:
    path = written(tmp_path / "s.tsv", FRAME.to_csv(index=False, sep=mark))
    assert Scores.read(path).values.tolist() == EXPECTED


@pytest.mark.parametrize("name", ["=cmd()", "\x1b[31mred", "a\u202eb", "x" * 300])
def test_hostile_names_are_kept_and_shown_spelt_out(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"model": name if m == "a" else m, "fold": f, "accuracy": x}
            for m, f, x in FRAME.itertuples(index=False)]  # fmt: skip
    path = written(tmp_path / "s.jsonl", "\n".join(map(json.dumps, rows)))
    assert Scores.read(path).names == (name, "b")
    assert run_here("compare", str(path)) == 0
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err
    assert "\u202e" not in shown.out + shown.err
