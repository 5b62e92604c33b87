"""`outperform verify` and `--record`: exit codes, JSON, and the hash in the table."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from outperform.cli._program import program

TRIALS = Path(__file__).parents[1] / "readers" / "trials"


def call(*words):
    found = CliRunner().invoke(program, [str(word) for word in words], standalone_mode=False)
    return found.return_value, found.stdout, found.stderr


@pytest.fixture
def record(tmp_path):
    path = tmp_path / "verdict.outperform.json"
    status, _, said = call("compare", TRIALS / "a_wide.csv", "--record", path)
    assert status == 0
    assert "outperform verify" in said
    return path


def test_a_record_is_verified_with_exit_0(record):
    status, out, _ = call("verify", record)
    assert status == 0
    assert ": verified (sha256 " in out


def test_a_changed_record_exits_1_and_names_the_value(record):
    held = json.loads(record.read_text())
    held["found"]["pairs"][0]["estimate"] *= 1.5
    record.write_text(json.dumps(held))
    status, out, _ = call("verify", record)
    assert status == 1
    assert "NOT verified" in out
    assert "pairs[0].estimate: recorded" in out


def test_a_damaged_record_exits_3_beside_one_that_agrees(record, tmp_path):
    cut = tmp_path / "cut.outperform.json"
    cut.write_bytes(record.read_bytes()[:-100])
    status, out, said = call("verify", record, cut)
    assert status == 3
    assert ": verified" in out
    assert "cut short" in said
    status, out, _ = call("verify", record, cut, "--json")
    held = json.loads(out)
    assert status == 3
    assert held["records"][0]["agrees"]
    assert len(held["damaged"]) == 1


def test_the_latex_table_carries_the_hash_of_its_record(tmp_path):
    path = tmp_path / "verdict.outperform.json"
    _, out, _ = call("compare", TRIALS / "a_wide.csv", "--latex", "--record", path)
    sha256 = json.loads(path.read_text())["sha256"]
    assert sha256[:12] in out


@pytest.mark.slow
def test_the_record_of_the_demo_is_verified(tmp_path):
    path, page = tmp_path / "demo.outperform.json", tmp_path / "demo.html"
    words = ("--design", "2cv", "--jobs", "1", "-o", page, "--record", path)
    assert call("demo", *words)[0] == 0
    assert call("verify", path)[0] == 0
