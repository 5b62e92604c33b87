"""Hostile files: bombs are refused before they unfold, odd logs in words, names stay text."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import struct
import sys
import tracemalloc
import warnings
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from launching import run_here
from workbooks_for_tests import workbook

import outperform as op
from outperform import DataError
from outperform.readers.item_logs import FORMATS, is_log

LOGS = Path(__file__).parent / "trials" / "formats"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def book(sheet: str, strings: str = "", place: str = "xl/worksheets/sheet1.xml") -> bytes:
    """Return a workbook whose only worksheet is this XML, wherever it lies."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook(S=[["a"]]))) as plain,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name in plain.namelist():
            if not name.startswith("xl/worksheets/"):
                text = plain.read(name).decode()
                text = text.replace("worksheets/sheet1.xml", place.removeprefix("xl/"))
                archive.writestr(name, text)
        body = f'<worksheet xmlns="{MAIN}"><sheetData>{sheet}</sheetData></worksheet>'
        archive.writestr(place, body)
        if strings:
            archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{strings}</sst>')
    return out.getvalue()


FAR = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
SHARED = "".join(
    f'<row r="{n}">' + "".join(f'<c r="{c}{n}" t="s"><v>0</v></c>' for c in "ABCD") + "</row>"
    for n in range(1, 501)
)
WORKBOOKS = {
    "a far cell": (book(FAR), "17,179,869,184 cells"),
    "a far cell in single quotes": (book(FAR.replace('"', "'")), "17,179,869,184 cells"),
    "a sheet in another place": (book(FAR, place="xl/other.xml"), "17,179,869,184 cells"),
    "a far row, cells without places": (
        book(f'<row r="1">{"<c><v>1</v></c>" * 16384}</row><row r="1048576"><c><v>1</v></c></row>'),
        "17,179,869,184 cells",
    ),
    "one string in many cells": (
        book(SHARED, f"<si><t>{'x' * 2**20}</t></si>"),
        "2,000 cells of text, of up to 1,0",
    ),
    "one string of many runs": (
        book(SHARED, f"<si>{'<r><t>xxxxxxxxxx</t></r>' * 50_000}</si>"),
        "2,000 cells of text, of up to 1,",
    ),
    "tags that never end": (book("<c " * 200_000), "bomb.xlsx"),
    "a sheet of blanks": (book(" " * 2**25), "unpacks to more than"),
}


@pytest.mark.parametrize("kind", WORKBOOKS)
def test_a_workbook_that_unfolds_is_refused(kind: str, tmp_path: Path) -> None:
    data, words = WORKBOOKS[kind]
    path = tmp_path / "bomb.xlsx"
    path.write_bytes(data)
    assert path.stat().st_size < 200_000
    with pytest.raises(DataError, match=re.escape(words)):
        op.Scores.read(path)


def lines(*records: Any) -> str:
    return "\n".join(one if isinstance(one, str) else json.dumps(one) for one in records)


ROW = {"learner": "a", "fold": 0, "score": 0.5}
JSON: dict[str, tuple[str, dict[str, int], str]] = {
    "a long line": (lines(ROW, {**ROW, "note": "x" * 5000}), {"json": 1000}, "bytes on line 2"),
    "a deep first line": ("[" * 60_000, {}, "nested too deeply"),
    "a deep first object": ('{"a": ' * 60_000, {}, "nested too deeply"),
    "a deep second line": (lines(ROW, '{"a": ' * 60_000), {}, "line 2"),
    "columns of its own on each line": (
        lines(*({f"{i} {j}": 1 for j in range(10)} for i in range(1500))),
        {},
        "15,000 columns",
    ),
    "rows times columns": (
        json.dumps({f"c{i}": {f"r{i}": 1} for i in range(12_000)}),
        {},
        "12,000 columns",
    ),
    "the same key at last": (
        "{" + "".join(f'"{i}": 1, ' for i in range(100_000)) + '"99999": 2}',
        {},
        "duplicate key '99999'",
    ),
    "numbers without end": (lines(ROW, {**ROW, "fold": 1, "score": 10**400}), {}, "score"),
    "numbers of many digits": ('{"a": [' + "9" * 5000 + "]}", {}, "not valid JSON"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", JSON)
def test_json_that_unfolds_is_refused(kind: str, tmp_path: Path) -> None:
    text, limits, words = JSON[kind]
    path = tmp_path / "bomb.json"
    path.write_text(text)
    assert is_log(path) is False
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=re.escape(words)):
            op.Scores.read(path, limits=limits)
        assert tracemalloc.get_traced_memory()[1] < 10 * len(text) + 64_000_000
    finally:
        tracemalloc.stop()


ARFF = "@relation r\n@attribute learner string\n@attribute fold numeric\n@attribute score numeric\n"
WEKA = "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Percent_correct\n"
TEXT = {
    "an ARFF row of commas": (f"{ARFF}@data\n{',' * 500_000}\n", "more than 3 cells"),
    "an ARFF row of quotes": (f"{ARFF}@data\n{chr(39) * 500_000}\n", "unbalanced quote"),
    "ARFF attributes": (
        "@relation r\n" + "".join(f"@attribute a{i} numeric\n" for i in range(10_001)) + "@data\n",
        "10,001 columns",
    ),
    "an ARFF attribute without an end": (
        f"@relation r\n@attribute '{'x' * 500_000}\n@data\n",
        "line 2",
    ),
    "an ARFF cell": (f"{ARFF}@data\n'{'x' * 20_000}',1,0.5\n", "a cell of 20,000 bytes"),
    "a Weka header": (f"Key_Dataset{',a' * 20_000}\n", "20,001 columns"),
    "a Weka row of commas": (f"{WEKA}{',' * 500_000}\n", "more than 5 cells"),
    "a Weka cell": (f"{WEKA}iris,1,1,'{'x' * 20_000}',90\n", "a cell of 20,000 bytes"),
    "a header of many lines": (f'"{chr(10) * 200_000}",a\n1,2\n', "stray quotes"),
}


@pytest.mark.parametrize("kind", TEXT)
def test_text_that_unfolds_is_refused(kind: str, tmp_path: Path) -> None:
    text, words = TEXT[kind]
    path = tmp_path / "bomb.txt"
    path.write_text(text)
    with pytest.raises(DataError, match=re.escape(words)):
        op.Scores.read(path)


def eval_log(path: Path, summaries: bytes) -> Path:
    """Write an Inspect log whose summaries, of zeros, are packed with Zstandard."""
    header = json.loads((LOGS / "inspect" / "a.json").read_text())
    header.pop("samples")
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header.json", json.dumps(header))
        file.writestr("summaries.json", summaries)
    data = bytearray(path.read_bytes())
    for sign, method, size in ((b"PK\x03\x04", 8, 22), (b"PK\x01\x02", 10, 24)):
        at = data.rfind(sign)  # of the last member
        struct.pack_into("<H", data, at + method, 93)
        struct.pack_into("<L", data, at + size, 2**31)
    path.write_bytes(bytes(data))
    return path


def test_a_zstandard_bomb_is_refused(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    frame = zstandard.ZstdCompressor(level=3).compress(b" " * 2**25)
    bombs = {
        "one frame": frame,
        "many frames": frame * 50,
        "a window of 2 GB": b"\x28\xb5\x2f\xfd\x00\xa8" + b"\x01\x00\x00",
    }
    for name, packed in bombs.items():
        path = eval_log(tmp_path / f"{name}.eval", packed)
        assert path.stat().st_size < 200_000
        with pytest.raises(DataError, match=r"unpacks to more than|damaged"):
            op.Items.read(path, metric="match")


ODD: tuple[Any, ...] = (None, 1, "x", [], {}, [1], {"a": 1}, 10**400, "../../../etc/passwd")


def changed(value: Any, odd: Any, seed: int) -> Any:
    """Return a JSON value with one of its parts, whichever the seed says, replaced."""
    places: list[tuple[Any, Any]] = []

    def walk(part: Any) -> None:
        keys = part if isinstance(part, dict) else range(len(part))
        for key in keys:
            places.append((part, key))
            if isinstance(part[key], dict | list):
                walk(part[key])

    walk(value)
    part, key = places[seed % len(places)]
    part[key] = odd
    return value


OWN = {
    "helm": "helm/per_instance_stats.json",
    "helm run": "helm/run_spec.json",
    "inspect": "inspect/a.json",
    "promptfoo": "promptfoo/results.json",
    "every eval ever": "every_eval_ever/aggregate.json",
    "every eval ever samples": "every_eval_ever/aggregate_samples.jsonl",
    "lm-eval": "lm_eval/samples_toy_2026-11-16T13-25-59.171786.jsonl",
    "lm-eval results": "lm_eval/results_2026-11-16T13-25-59.171786.json",
    "openai evals": "openai_evals/log.jsonl",
}


@pytest.mark.slow
@pytest.mark.parametrize("tool", OWN)
def test_a_log_that_is_built_otherwise_is_read_or_refused_in_words(
    tool: str, tmp_path: Path
) -> None:
    source = LOGS / OWN[tool]
    for other in source.parent.iterdir():
        (tmp_path / other.name).write_bytes(other.read_bytes())
    path = tmp_path / source.name
    main = {"helm run": "per_instance_stats.json"}.get(tool, source.name)
    if tool == "lm-eval results":
        main = Path(OWN["lm-eval"]).name
    text = source.read_text()
    for seed in range(60):
        odd = ODD[seed % len(ODD)]
        if path.suffix == ".jsonl":
            records = [json.loads(line) for line in text.splitlines()]
            path.write_text(lines(*changed(records, odd, 7 * seed)))
        else:
            path.write_text(json.dumps(changed(json.loads(text), odd, 7 * seed)))
        with suppress(op.OutperformError):
            op.Items.read(tmp_path / main, lower_is_better=False)


def test_files_beside_a_log_are_read_from_its_folder_alone(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    about = json.loads((LOGS / "every_eval_ever" / "aggregate.json").read_text())
    samples = (LOGS / "every_eval_ever" / "aggregate_samples.jsonl").read_bytes()
    (tmp_path / "outside.jsonl").write_bytes(samples)
    for name in ("../outside.jsonl", str(tmp_path / "outside.jsonl"), "..", ".", "", "/dev/zero"):
        about["detailed_evaluation_results"]["file_path"] = name
        (tmp_path / "run" / "aggregate.json").write_text(json.dumps(about))
        with pytest.raises(DataError, match="not found next to it"):
            op.Items.read(tmp_path / "run" / "aggregate.json")


@pytest.mark.parametrize("target", ["/dev/zero", "fifo", "huge", "itself", "nowhere", "folder"])
def test_a_link_beside_a_log_opens_no_device_and_nothing_huge(target: str, tmp_path: Path) -> None:
    stats = tmp_path / "per_instance_stats.json"
    stats.write_bytes((LOGS / "helm" / stats.name).read_bytes())
    spec, place = tmp_path / "run_spec.json", tmp_path / target
    if target == "fifo":
        os.mkfifo(place)
    elif target == "huge":
        with place.open("wb") as file:
            file.truncate(2**40)
    elif target == "folder":
        place.mkdir()
    spec.symlink_to(spec.name if target == "itself" else place)
    with pytest.raises(DataError, match=r"run_spec\.json"):
        op.Items.read(stats)


def test_names_in_a_log_of_helm_never_become_paths(tmp_path: Path) -> None:
    spec = json.loads((LOGS / "helm" / "run_spec.json").read_text())
    spec["name"] = spec["adapter_spec"]["model"] = "../../outside\x1b[31m<b>"
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run_spec.json").write_text(json.dumps(spec))
    stats = tmp_path / "run" / "per_instance_stats.json"
    stats.write_bytes((LOGS / "helm" / stats.name).read_bytes())
    items = op.Items.read(stats)
    assert items.names == (spec["name"],)
    assert "\x1b" not in str(items)
    assert sorted(os.listdir(tmp_path)) == ["run"]


PIPED: dict[str, tuple[bytes, dict[str, int], str]] = {
    "without an end": (b"a,b\n" + b"0.5,0.6\n" * 100_000, {"bytes": 1000}, "more than 1,000 bytes"),
    "gzip": (zlib.compress(bytes(2**25), wbits=31), {}, "unpacks to more than 514 times"),
    "a workbook": (WORKBOOKS["a far cell"][0], {}, "17,179,869,184 cells"),
    "deep JSON": (b"[" * 60_000, {}, "nested too deeply"),
    "zeros": (bytes(100_000), {}, "binary data"),
    "a pickle": (b"\x80\x04K\x01.", {}, "could run code"),
    "nothing": (b"", {}, "is empty"),
}


@pytest.mark.parametrize("kind", PIPED)
def test_standard_input_is_as_bounded_as_a_file(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data, limits, words = PIPED[kind]

    class Pipe:
        buffer = io.BytesIO(data)

    monkeypatch.setattr(sys, "stdin", Pipe)
    with pytest.raises(DataError, match=f"standard input.*{re.escape(words)}"):
        op.Scores.read("-", limits=limits)


# Names

NAMES = (
    "<script>alert(1)</script>",
    r"\input{/etc/passwd} & 100% $x_1^2$ #~{}",
    "a\x1b[31mred\x07\r",
    "a\u202eb\u2028c",
    "=HYPERLINK(1)",
    "@SUM(A1)|'x'!",
    "a | b `c` *d*",
    "'; DROP TABLE fits; --",
    "../../etc/passwd",
)
FOLDS = 6


def scored(at: int, fold: int) -> float:
    return round(0.6 + at / 10 + fold / 100 + (at * fold % 3) / 50, 3)


def as_rows(learner: str, metric: str) -> list[dict[str, Any]]:
    pairs = [(at, fold) for at in range(2) for fold in range(FOLDS)]
    names = (learner, "plain")
    return [{"learner": names[at], "fold": fold, metric: scored(at, fold)} for at, fold in pairs]


def csv_cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def weka_cell(text: str) -> str:
    marks = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return "'" + "".join(marks.get(one, one) for one in text) + "'"


def as_csv(learner: str, metric: str) -> bytes:
    head = ",".join(["learner", "fold", csv_cell(metric)])
    body = (
        ",".join([csv_cell(a), str(b), str(c)])
        for a, b, c in map(dict.values, as_rows(learner, metric))
    )
    return "\n".join([head, *body]).encode()


def as_arff(learner: str, metric: str) -> bytes:
    head = ARFF.replace("@attribute score", f"@attribute {weka_cell(metric)}")
    rows = (f"{weka_cell(a)},{b},{c}" for a, b, c in map(dict.values, as_rows(learner, metric)))
    return (head + "@data\n" + "\n".join(rows)).encode()


def as_xlsx(learner: str, metric: str) -> bytes:
    from xml.sax.saxutils import escape

    def shown(text: str) -> str:
        return "".join(c if c >= " " else f"_x{ord(c):04X}_" for c in escape(text))

    rows = [[shown(a), b, c] for a, b, c in map(dict.values, as_rows(learner, metric))]
    return workbook(S=[["learner", "fold", shown(metric)], *rows])


def as_parquet(learner: str, metric: str) -> bytes:
    out = io.BytesIO()
    pl.DataFrame(as_rows(learner, metric)).write_parquet(out)
    return out.getvalue()


FORMS: dict[str, Callable[[str, str], bytes]] = {
    "csv": as_csv,
    "jsonl": lambda learner, metric: lines(*as_rows(learner, metric)).encode(),
    "json": lambda learner, metric: json.dumps(
        {
            name: {f"test_{metric}": [scored(at, fold) for fold in range(FOLDS)]}
            for at, name in enumerate((learner, "plain"))
        }
    ).encode(),
    "arff": as_arff,
    "xlsx": as_xlsx,
    "parquet": as_parquet,
}
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]")
TEXT_ALONE = ("csv", "arff")
"""Forms that hold no control characters but those of a line."""


@pytest.mark.parametrize("form", FORMS)
def test_names_of_models_and_metrics_are_read_as_they_are(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for at, name in enumerate(NAMES):
        path, metric = tmp_path / f"{at}.{form}", f"accuracy {name}"
        path.write_bytes(FORMS[form](name, metric))
        if form in TEXT_ALONE and "\x1b" in name:
            with pytest.raises(DataError, match="binary data"):
                op.Scores.read(path)
            continue
        scores = op.Scores.read(path, design="6cv", metric=metric)
        assert scores.names == (name, "plain")
        assert scores.metric == metric
        status = run_here("compare", str(path), "--metric", metric, "--design", "6cv")
        said = capsys.readouterr()
        assert status == 0, said.err
        assert not UNSEEN.search(said.out + said.err)


def of_tools(name: str) -> dict[str, pd.DataFrame]:
    """Return tables as tools write them, in which a learner has this name."""
    rows = as_rows(name, "score")
    folds, scores = [row["fold"] for row in rows], [row["score"] for row in rows]
    names = [row["learner"] for row in rows]
    runs = {"run_id": range(len(rows)), "experiment_id": 0, "status": "FINISHED"}
    weka = {"Key_Dataset": "iris", "Key_Run": 1, "Key_Fold": [1 + f for f in folds]}
    wide = {f"split{f}_test_score": [scored(at, f) for at in range(2)] for f in range(FOLDS)}
    params = {"params": [repr({"model": one}) for one in (name, "plain")]}
    flows = {"run_id": range(12), "task_id": folds, "setup_id": 0, "flow_id": 0, "flow_name": names}
    return {
        "mlflow": pd.DataFrame(
            {**runs, "params.model": names, "params.fold": folds, "metrics.acc": scores}
        ),
        "weka": pd.DataFrame(
            {**weka, "Key_Scheme": [*map(weka_cell, names)], "Percent_correct": scores}
        ),
        "tabarena": pd.DataFrame(
            {"dataset": [f"d{f}" for f in folds], "fold": 0, "method": names}
            | {"metric_error": scores, "metric": "rmse", "problem_type": "regression"}
        ),
        "openml": pd.DataFrame(
            {**flows, "data_name": [f"d{f}" for f in folds], "function": "acc", "value": scores}
        ),
        "cv_results_": pd.DataFrame(
            {"param_model": [name, "plain"], **params, **wide, "mean_test_score": 0.5}
        ),
    }


@pytest.mark.slow
@pytest.mark.parametrize("tool", [*of_tools("")])
def test_names_in_the_tables_of_tools_are_text(
    tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for at, name in enumerate(NAMES):
        path = tmp_path / f"{at}.csv"
        quoting = csv.QUOTE_NONE if tool == "weka" else csv.QUOTE_MINIMAL
        of_tools(name)[tool].to_csv(path, index=False, quoting=quoting)
        status = run_here("compare", str(path))
        said = capsys.readouterr()
        assert status in (0, 2), said.err
        assert not UNSEEN.search(said.out + said.err)
        if "\x1b" not in name:  # which is no text, and refused
            assert status == 0, said.err
            (learner,) = (one for one in op.compare(path).names if "plain" not in one)
            known = name.rpartition(".")[2] if tool == "weka" else name  # there it names a class
            assert known.replace("\u2028", " ") in learner.replace("\u2028", " ")
    assert sorted(os.listdir(tmp_path)) == sorted(f"{at}.csv" for at in range(len(NAMES)))


@pytest.mark.slow
def test_what_is_made_of_hostile_names_is_text(tmp_path: Path) -> None:
    scores = {name: [scored(at, fold) for fold in range(FOLDS)] for at, name in enumerate(NAMES)}
    metric = " ".join(NAMES[:4])
    found = op.compare(op.Scores.from_arrays(scores, design="6cv", metric=metric))
    latex, page = found.to_latex(), found.report(tmp_path / "report.html")
    html = Path(page).read_text(encoding="utf-8")
    for text in (str(found), latex, html, found._repr_html_(), found.methods_text()):
        assert not UNSEEN.search(text)
    assert "<script>alert" not in html + found._repr_html_()
    assert r"\input{" not in latex
    assert os.listdir(tmp_path) == ["report.html"]


def test_every_reader_of_logs_is_among_those_tried() -> None:
    readers = {reader.__module__.rpartition(".")[2] for _, reader in FORMATS}
    tried = {source.partition("/")[0] for source in OWN.values()}
    assert {name.removesuffix("_logs") for name in readers} == tried


@pytest.mark.parametrize("part", ["cut", "bare", "footer", "length"])
def test_a_damaged_parquet_file_is_refused_on_the_command_line(
    tmp_path: Path, part: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scores.parquet"
    pl.DataFrame({"fold": range(5), "a": [0.5] * 5, "b": [0.6] * 5}).write_parquet(path)
    data = path.read_bytes()
    footer = int.from_bytes(data[-8:-4], "little")
    damaged = {
        "cut": data[: len(data) // 2],
        "bare": data[:4],
        "footer": data[: -8 - footer] + b"\xff" * footer + data[-8:],
        "length": data[:-8] + b"\xff\xff\xff\x7f" + data[-4:],
    }
    path.write_bytes(damaged[part])
    assert run_here("compare", str(path)) == 2
    assert len(capfd.readouterr().err.strip().splitlines()) == 1


def zipped(path: Path, *members: tuple[str, str], encrypted: bool = False) -> Path:
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        warnings.simplefilter("ignore")
        for name, text in members:
            file.writestr(name, text)
    if encrypted:
        data = bytearray(path.read_bytes())
        for mark, flag in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            at = -1
            while (at := data.find(mark, at + 1)) >= 0:
                data[at + flag] |= 1
        path.write_bytes(data)
    return path


@pytest.mark.parametrize("kind", ["eval", "xlsx"])
@pytest.mark.parametrize("fault", ["twice", "encrypted"])
def test_members_that_are_encrypted_or_come_twice_are_refused(
    tmp_path: Path, kind: str, fault: str, capfd: pytest.CaptureFixture[str]
) -> None:
    names = {
        "eval": ("header.json", "summaries.json"),
        "xlsx": ("xl/workbook.xml", "xl/worksheets/sheet1.xml"),
    }[kind]
    members = [(name, "{}") for name in names]
    members += [(names[-1], "[]")] * (fault == "twice")
    path = zipped(tmp_path / f"log.{kind}", *members, encrypted=fault == "encrypted")
    assert run_here("compare", str(path)) == 2
    message = capfd.readouterr().err.strip()
    assert len(message.splitlines()) == 1
    assert (names[-1] in message) is (fault == "twice")
    assert ("encrypted" in message) is (fault == "encrypted")
