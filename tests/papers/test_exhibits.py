"""Exhibits: how values are judged, what is kept, the page, and the verb that runs them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from launching import launch

from outperform.errors import DataError
from outperform.papers import Scale, exhibits, find, reproduce
from outperform.papers.exhibits import PAPERS, Finding, Statement, Value, printed
from outperform.papers.feelders_verkooijen import EXHIBITS
from outperform.papers.reproduction import page, summary

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
    shown = page([(TABLE4, found["table4"])], quick=True)
    assert "| χ² | 1.1636 | 1.16364 |" in shown
    assert summary([(TABLE4, found["table4"])]).startswith("1 exhibit of 1 paper reproduced: ")
    assert "3 agree" in summary([(TABLE4, found["table4"])])
    assert not [
        one.text
        for f in found.values()
        for one in (*f.statements,)
        if one.agreement == "differs" and not one.reason
    ]


def test_the_page_says_how_it_judges_what_was_changed_and_how_long_it_took():
    many = tuple(Value(f"v{n}", 1.0, 1.0 if n else 9.0) for n in range(70))
    finding = Finding(values=many, seconds=7205.0)
    shown = page(
        [(TABLE4, finding), (TABLE4, finding)], quick=False, machine="2 workers on 2 cores"
    )
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
    assert "Verdict: agrees; 1 of 2 undecided." in page([(TABLE4, open_)], quick=True)


def test_who_listens_makes_no_other_scale():
    assert Scale(quick=True, say=print) == Scale(quick=True)
    assert hash(Scale(say=print)) == hash(Scale())


@pytest.mark.needs("datasets")
@pytest.mark.slow
@pytest.mark.requirement("F-14")
@pytest.mark.requirement("F-21")
def test_the_studies_on_boston_and_pima_run_again(tmp_path):
    chosen = [one for one in EXHIBITS if one.needs]
    found = {one.name: finding for one, finding in reproduce(chosen, Scale(True, 1, tmp_path))}
    assert {finding.agreement for finding in found.values()} == {"not comparable"}
    assert all(0 < value.ours < 1 for value in found["diabetes"].values)


def test_every_exhibit_has_a_name_of_its_own_and_cites_what_it_runs():
    every = exhibits()
    assert len({one.key for one in every}) == len(every)
    assert {one.paper for one in every} == set(PAPERS)
    assert all(one.requirements for one in every)
    with pytest.raises(DataError, match="did you mean"):
        find("dietterich", "figur5")


def test_the_verb_lists_and_runs_exhibits(tmp_path):
    listed = launch(tmp_path, "reproduce")
    assert listed.returncode == 0
    assert "feelders-verkooijen table4" in listed.stdout
    run = launch(tmp_path, "reproduce", "feelders-verkooijen", "table4", "--json")
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert told["exhibits"][0]["verdict"] == "agrees"
    assert told["exhibits"][0]["statements"][0]["shown"]
    assert "Finished work is kept in reproduction" in run.stderr
    assert launch(tmp_path, "reproduce", "feelders", "table4").returncode == 2


def test_the_verb_runs_several_exhibits_in_the_order_named_and_none_if_one_is_unknown(tmp_path):
    asked = ("reproduce", "feelders-verkooijen", "table4", "table3")
    run = launch(tmp_path, *asked, "table4", "--json")
    assert run.returncode == 0, run.stderr
    assert [one["name"] for one in json.loads(run.stdout)["exhibits"]] == ["table4", "table3"]
    wrong = launch(tmp_path, *asked, "tabel5", "--folder", "other")
    assert wrong.returncode == 2
    assert "did you mean" in wrong.stderr
    assert not (tmp_path / "other").exists()
