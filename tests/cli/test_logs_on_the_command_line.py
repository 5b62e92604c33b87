"""Several logs on the command line: one comparison, gates, and exits that say what is wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from launching import run_here
from places import ROOT

LOGS = ROOT / "examples" / "logs"
NEW, OLD = str(LOGS / "new.jsonl"), str(LOGS / "old.jsonl")
JUDGED = str(LOGS / "judged.csv")


def test_clusters_decide_the_method_and_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here("compare", NEW, OLD, "--cluster", "subject") == 0
    out = capsys.readouterr().out
    assert "Cluster-robust t-test" in out
    assert "24 clusters, by subject" in " ".join(out.split())
    assert run_here("compare", NEW, OLD) == 0
    assert "McNemar's mid-p test" in capsys.readouterr().out


@pytest.mark.parametrize("verb", ["race", "compare"])
def test_a_log_and_a_table_of_scores_are_refused(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_here(verb, NEW, str(ROOT / "examples" / "scores.csv")) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "a log needs an item and a score on each row" in said


def test_a_race_of_few_clusters_says_why_it_has_no_interval(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_here("race", NEW, OLD, "--cluster", "subject") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "interval none: the asymptotic confidence sequence needs at least 30 clusters" in out
    assert "and there are 24 method" in out


def test_a_gate_takes_the_first_log_for_the_candidate() -> None:
    gate = ("--cluster", "subject", "--rope", "0.01", "--require", "not-worse")
    assert run_here("compare", NEW, OLD, *gate) == 0
    assert run_here("compare", OLD, NEW, *gate) == 1


def test_models_are_named_after_the_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here("compare", NEW, OLD, "old", "new", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["names"] == ["old", "new"]
    assert found["estimate"] < 0


def test_three_logs_give_all_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    third = tmp_path / "third.jsonl"
    third.write_text(Path(OLD).read_text().replace('"old"', '"third"'))
    assert run_here("compare", NEW, OLD, str(third), "--cluster", "subject") == 0
    assert "3 pairs" in capsys.readouterr().out


def test_items_that_a_log_lacks_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = tmp_path / "short.jsonl"
    short.write_text("".join(Path(OLD).read_text().splitlines(keepends=True)[:-2]))
    assert run_here("compare", NEW, str(short)) == 2
    said = capsys.readouterr().err.replace("\n", " ")
    assert "2 of 240 items are missing from some logs: 'old' lacks 2, such as 'q238'" in said
    assert "--common-items" in said
    assert run_here("compare", NEW, str(short), "--common-items") == 0


def test_a_log_that_is_not_complete_exits_with_3(tmp_path: Path) -> None:
    inspect = ROOT / "tests" / "readers" / "trials" / "formats" / "inspect" / "a.json"
    log = json.loads(inspect.read_text())
    paths = []
    for who in ("a", "b"):
        log["eval"]["model"], log["status"] = who, "cancelled"
        paths.append(str(tmp_path / f"{who}.json"))
        Path(paths[-1]).write_text(json.dumps(log))
    assert run_here("compare", *paths, "--metric", "match") == 3
    assert run_here("compare", *paths, "--metric", "match", "--partial") == 0


@pytest.mark.slow
def test_the_report_of_logs_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for log in (NEW, OLD):
        shutil.copy(log, tmp_path)
    words = ("new.jsonl", "old.jsonl", "--cluster", "subject", "--report", "r.html")
    assert run_here("compare", *words) == 0
    assert "only new was right on" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_plan_from_logs_weighs_items_and_samples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for model, share in (("a", 3), ("b", 2)):
        rows = [
            {"item": i, "model": model, "sample": s, "score": int((7 * i + 3 * s) % 5 < share)}
            for i in range(40)
            for s in range(4)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{model}.jsonl").write_text(text)
    logs = [str(tmp_path / f"{model}.jsonl") for model in "ab"]
    costs = ("--item-cost", "20", "--sample-cost", "1")
    assert run_here("plan", *logs, "--difference", "0.1", *costs, "--json") == 0
    held = json.loads(capsys.readouterr().out)
    assert (held["item_cost"], held["n"]) == (20, 40)
    assert run_here("plan", NEW, OLD, "--difference", "0.1", "--cluster", "subject") == 0
    assert "cluster_t" in capsys.readouterr().out


def test_a_race_of_logs_is_recorded_and_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = str(tmp_path / "race.outperform.json")
    assert run_here("race", NEW, OLD, "--record", record) == 0
    assert "outperform verify" in capsys.readouterr().err
    assert run_here("verify", record) == 0
    assert "of 240 items" in capsys.readouterr().out
    assert run_here("race", NEW, OLD, "--record", record) == 2
    assert "add --force" in capsys.readouterr().err


def test_a_race_takes_the_options_that_refusals_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "all.csv"
    rows = [f"q{i},{m},{(i * k) % 7 + k},{i % 3}" for i in range(60) for k, m in enumerate("abc")]
    log.write_text("item,model,rating,score\n" + "\n".join(rows) + "\n")
    asked = ("race", str(log), "c", "a", "--column", "score=rating")
    assert run_here(*asked) == 2
    assert "--bounds LOW HIGH" in " ".join(capsys.readouterr().err.split())
    assert run_here(*asked, "--bounds", "0", "10", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["names"], found["bounds"]) == (["c", "a"], [0, 10])
    assert (found["metric"], found["outcome"]) == ("rating", "better")
    assert run_here(*asked, "--bounds", "0", "10", "--lower-is-better", "--json") == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "worse"
    assert run_here("race", str(log)) == 2
    assert "Name two: a b" in " ".join(capsys.readouterr().err.split())


def test_a_race_says_what_was_inferred(capsys: pytest.CaptureFixture[str]) -> None:
    odd = ("--metric", "nothing")
    assert run_here("race", NEW, OLD, *odd) == 2
    assert "known: accuracy" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["race", "compare"])
def test_a_log_that_does_not_exist_is_not_taken_for_a_model(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_here(verb, NEW, "no_such.jsonl") == 2
    assert "'no_such.jsonl' was not found" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    "files", [[JUDGED], [NEW, OLD, "--cluster", "subject"]], ids=["judgements", "logs"]
)
def test_a_report_says_of_logs_what_compare_says(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_here("compare", *files, "--json") == 0
    compared = json.loads(capsys.readouterr().out)
    page = tmp_path / "report.html"
    assert run_here("report", *files, "-o", str(page), "--json") == 0
    found = json.loads(capsys.readouterr().out)["result"]
    assert (found["method"], found["pvalue"]) == (compared["method"], compared["pvalue"])
    assert "<html" in page.read_text(encoding="utf-8")
