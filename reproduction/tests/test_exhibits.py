"""Exhibits: how values are judged, what is kept, the page, and the command that runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from outperform import DataError, __version__
from reproduction.exhibits import (
    PAPERS,
    Finding,
    HowMany,
    Scale,
    Statement,
    Value,
    exhibits,
    find,
    global_fit,
    printed,
)
from reproduction.feelders_verkooijen import EXHIBITS
from reproduction.page import page, read, summary, write
from reproduction.running import reproduce, told

TABLE4 = next(one for one in EXHIBITS if one.name == "table4")


def test_a_printed_number_leaves_half_a_unit_of_room():
    assert printed("0.0205") == pytest.approx((0.0205, 0.00005))
    assert printed("1.68e-4") == pytest.approx((1.68e-4, 5e-7))
    assert printed("12") == (12, 0.5)


def test_values_agree_within_rounding_and_error():
    assert Value("v", 0.28, 0.2807, 0.005).agreement == "agrees"
    assert Value("v", 0.28, 0.2857, 0.005).agreement == "differs"
    assert Value("v", 0.28, 0.30, 0.005, error=0.01).agreement == "agrees"
    assert Value("v", None, 0.30).agreement == "not comparable"
    assert Value("v", 0.28, 0.28, lost=True).agreement == "not comparable"


def test_one_difference_makes_an_exhibit_differ():
    same, other = Value("a", 1.0, 1.0), Value("b", 1.0, 2.0)
    assert Finding(values=(same,)).agreement == "agrees"
    assert Finding(values=(same, other)).agreement == "differs"
    assert Finding(values=(same,), statements=(Statement("s", False, "t"),)).agreement == "differs"
    assert Finding().agreement == "not comparable"


def test_a_finished_exhibit_is_read_back_until_it_changes(tmp_path):
    runs = []

    def counted(scale):
        runs.append(1)
        return TABLE4.run(scale)

    exhibit, scale = replace(TABLE4, run=counted), Scale(quick=True, folder=tmp_path)
    ((_, first),) = reproduce([exhibit], scale)
    ((_, second),) = reproduce([exhibit], scale)
    assert first == second
    assert len(runs) == 1
    list(reproduce([replace(exhibit, seed=99)], scale))
    list(reproduce([exhibit], scale, again=True))
    assert len(runs) == 3
    sorted(tmp_path.glob("*.found.json"))[0].write_text("{damaged")
    list(reproduce([exhibit], scale))
    assert len(runs) == 4


@pytest.mark.slow
@pytest.mark.requirement("F-15")
@pytest.mark.requirement("F-16")
@pytest.mark.requirement("F-22")
def test_the_printed_tables_of_feelders_and_verkooijen_follow_but_for_their_errata(tmp_path):
    chosen = [one for one in EXHIBITS if not one.needs]
    found = {one.name: finding for one, finding in reproduce(chosen, Scale(True, 1, tmp_path))}
    assert found["table4"].agreement == "agrees"
    assert [one.agreement for one in found["familywise"].statements] == ["differs", "agrees"]
    differing = {
        v.name: v.reason for f in found.values() for v in f.values if v.agreement == "differs"
    }
    assert all("(E-F" in reason for reason in differing.values())
    assert len(differing) == 8
    rules = [found[name].remarks[0] for name in ("table3", "table5")]
    assert "without that allowance 6 of 12 endpoints would differ" in rules[0]
    assert "without that allowance 8 of 20 endpoints would differ" in rules[1]
    table4 = [told(TABLE4, found["table4"], Scale(quick=True))]
    assert "| χ² | 1.1636 | 1.16364 |" in page(table4)
    assert summary(table4).startswith("1 exhibit of 1 paper reproduced: ")
    assert "3 agree, 0 are undecided, 0 differ" in summary(table4)
    assert not [
        one.text
        for f in found.values()
        for one in (*f.statements,)
        if one.agreement == "differs" and not one.reason
    ]


def test_the_page_says_how_it_judges_what_was_changed_and_how_long_it_took():
    many = tuple(Value(f"v{n}", 1.0, 1.0 if n else 9.0) for n in range(70))
    finding = Finding(values=many, seconds=7205.0)
    shown = page([told(TABLE4, finding, Scale())] * 2, machine="2 workers on 2 cores")
    top = shown[: shown.index("## All exhibits")]
    assert "0.001" in top
    assert "What was changed after results had been seen" in top
    assert "Feelders & Verkooijen: " in top
    assert "Dietterich: " not in top
    assert "2 exhibits took 14,410 seconds, 4.0 hours (2 workers on 2 cores)" in top
    assert "| v0 | 1 | 9 | – | **differs** | no reason found |" in shown
    assert shown.count("<details><summary>The 69 that agree</summary>") == 2
    assert "| v69 | 1 | 1 | – | agrees |  |" in shown
    assert "Verdict: **differs** in 1 of 70." in shown
    open_ = Finding(statements=(Statement("s", True, "t", shown=False), Statement("u", True, "t")))
    assert "Verdict: agrees; 1 of 2 undecided." in page([told(TABLE4, open_, Scale())])


def test_shares_at_their_ends_agree_trivially_and_are_counted_apart():
    ends = Value("a", 0.0, 0.0, 0.005, 0.02), Value("b", 10.0, 10.0, 0.5, 0.2, most=10.0)
    inner = Value("c", 0.5, 0.5, 0.005, 0.02), Value("d", 1.0, 1.0), Value("e", 1.0, 0.98, 0, 0.02)
    assert [one.trivial for one in (*ends, *inner)] == [True, True, False, False, False]
    shown = told(TABLE4, Finding(values=(*ends, *inner)), Scale())
    assert shown["counts"] == {
        "agrees": 3,
        "trivial": 2,
        "undecided": 0,
        "differs": 0,
        "not comparable": 0,
    }
    assert "3 agree (2 more trivially, 0 = 0 or 1 = 1)" in summary([shown])
    assert "| a | 0 | 0 | 0.02 | trivial |  |" in page([shown])


@pytest.mark.slow
def test_a_table_of_counts_is_compared_as_a_whole():
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(3), 40)
    one, other = (rng.multinomial(55, shares) for _ in range(2))
    same = global_fit(one, other)
    assert same["pvalue"] > 0.01
    assert same["sum"] == pytest.approx(same["expected"], rel=0.35)
    assert global_fit(one, other[::-1])["pvalue"] < 0.001
    assert global_fit(one, one)["sum"] == 0
    assert "As a whole: Σz² = 0.0" in page(
        [told(TABLE4, Finding(fit=global_fit(one, one)), Scale())]
    )


def test_a_page_renews_what_was_run_and_keeps_the_rest(tmp_path):
    path, scale = tmp_path / "page.md", Scale(folder=tmp_path)
    first = Finding(values=(Value("old", 1.0, 1.0),), version="0.1", date="2001-02-03")
    table5 = find("feelders-verkooijen", "table5")
    write([(TABLE4, first), (table5, first)], path, scale)
    again = replace(first, values=(Value("new", 1.0, 2.0),), version="0.2", date="2002-03-04")
    shown = write([(TABLE4, again)], path, scale)
    assert [one["name"] for one in shown] == ["table4", "table5"]
    assert shown == read(tmp_path / "page" / "findings.json")
    text = path.read_text(encoding="utf-8")
    assert "1 on 2001-02-03 with version 0.1, 1 on 2002-03-04 with version 0.2" in text
    assert "| new | 1 | 2 |" in text
    assert "Run on 2001-02-03 with version 0.1, before the later changes." in text
    table1 = find("bouckaert-frank", "table1")
    old, new = (
        page([told(table1, replace(first, version=v), scale)]) for v in ("0.1", __version__)
    )
    assert "still use the rows in file order" in old
    assert "still use the rows in file order" not in new
    assert text.count("| old | 1 | 1 |") == 1
    with pytest.raises(DataError, match="another scale"):
        write([(TABLE4, first)], path, Scale(quick=True, folder=tmp_path))


def test_what_is_run_is_what_is_printed(tmp_path):
    asked = replace(
        TABLE4, parameters={"trials": HowMany(1000, 20)}, takes=("seed", "share"), seed=7
    )
    quick, small = Scale(quick=True), Scale(share=0.5, seed=3)
    assert asked.ran(quick) == {"trials": 20, "seed": 7}
    assert asked.ran(small) == {"trials": 500, "seed": 3}
    assert small.store("x") != Scale(share=0.5).store("x")
    assert "Run with: trials 20; seed 7." in page([told(asked, Finding(), quick)])
    with pytest.raises(
        DataError, match="cannot be run with --partitions, only with: --seed, --share"
    ):
        list(reproduce([asked], Scale(partitions=3, folder=tmp_path)))


KILLED = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path

from reproduction.exhibits import Finding, Scale, Value, find
from reproduction.running import remembered, reproduce

where = sys.argv[2:]


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def part(at):
    if where == ["in", str(at)]:
        die()
    print(at, flush=True)
    if where == ["keeping", str(at)]:
        os.replace = lambda *_: die()
    return at / 7


def run(scale):
    kept = [remembered(scale, f"part-{at}", [at], lambda at=at: part(at)) for at in range(5)]
    return Finding(values=tuple(Value(str(at), 1.0, one) for at, one in enumerate(kept)))


one = replace(find("feelders-verkooijen", "table4"), run=run)
((_, found),) = reproduce([one], Scale(folder=Path(sys.argv[1])))
print("found", [value.ours for value in found.values])
"""


@pytest.mark.slow
def test_a_run_killed_at_any_point_goes_on_from_there(tmp_path):
    def answer(*killed):
        command = [sys.executable, "-c", KILLED, str(tmp_path), *killed]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()

    assert answer("in", "2") == ["0", "1"]
    assert answer("keeping", "3") == ["2", "3"]  # written, not yet in place
    assert answer("in", "4") == ["3"]
    last = answer()
    assert last[:2] == ["4", "found"]
    assert json.loads("".join(last[2:])) == [at / 7 for at in range(5)]
    assert answer() == last[1:]  # nothing is computed again


def test_an_unknown_dataset_is_refused_before_any_is_loaded(tmp_path, monkeypatch):
    table = find("bradford-brodley", "table1")
    monkeypatch.setattr(
        "reproduction.datasets.load", lambda name: pytest.fail(f"{name} was loaded")
    )
    with pytest.raises(DataError, match="Unknown dataset 'glas' of bradford-brodley; did you mean"):
        list(reproduce([table], Scale(datasets=("heart", "glas"), folder=tmp_path)))


def test_who_listens_makes_no_other_scale():
    assert Scale(quick=True, say=print) == Scale(quick=True)
    assert hash(Scale(say=print)) == hash(Scale())


@pytest.mark.needs("datasets")
@pytest.mark.slow
@pytest.mark.requirement("F-14")
@pytest.mark.requirement("F-21")
def test_the_studies_on_boston_and_pima_give_the_same_bits_twice(tmp_path):
    chosen = [one for one in EXHIBITS if one.needs]
    scales = [Scale(True, 1, tmp_path / name) for name in ("one", "other")]
    twice = [{one.name: finding for one, finding in reproduce(chosen, scale)} for scale in scales]
    found = twice[0]
    assert {finding.agreement for finding in found.values()} == {"not comparable"}
    assert all(0 < value.ours < 1 for value in found["diabetes"].values)
    assert all("is found on" in finding.remarks[0] for finding in found.values())
    for name, finding in found.items():
        assert finding.values == twice[1][name].values


def test_every_exhibit_has_a_name_of_its_own_and_cites_what_it_runs():
    every = exhibits()
    assert len({one.key for one in every}) == len(every)
    assert {one.paper for one in every} == set(PAPERS)
    assert all(one.requirements for one in every)
    with pytest.raises(DataError, match="did you mean"):
        find("dietterich", "figur5")


def launched(folder, *arguments):
    """Run `python -m reproduction` in a folder."""
    command = [sys.executable, "-m", "reproduction", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_command_lists_and_runs_exhibits(tmp_path):
    listed = launched(tmp_path, "--list")
    assert listed.returncode == 0
    assert len(listed.stdout.splitlines()) == len(exhibits()) == 66
    assert "feelders-verkooijen/table4" in listed.stdout
    run = launched(tmp_path, "feelders-verkooijen/table4", "--json")
    assert run.returncode == 0, run.stderr
    answered = json.loads(run.stdout)
    assert answered["exhibits"][0]["verdict"] == "agrees"
    assert answered["exhibits"][0]["statements"][0]["verdict"] == "agrees"
    assert [*(tmp_path / "reproduced").glob("feelders-verkooijen-table4-full.found.json")]
    assert launched(tmp_path, "feelders/table4").returncode == 2
    assert launched(tmp_path).returncode == 2


@pytest.mark.slow
def test_several_exhibits_run_in_the_order_named_and_none_if_one_is_unknown(tmp_path):
    asked = ("feelders-verkooijen/table4", "feelders-verkooijen/table3")
    run = launched(tmp_path, *asked, asked[0], "--json")
    assert run.returncode == 0, run.stderr
    assert [one["name"] for one in json.loads(run.stdout)["exhibits"]] == ["table4", "table3"]
    wrong = launched(tmp_path, *asked, "feelders-verkooijen/tabel5", "--folder", "other")
    assert wrong.returncode == 2
    assert not (tmp_path / "other").exists()
