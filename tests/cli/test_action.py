"""The GitHub Action: its steps are run as a runner would, with the summary in a file."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import outperform as op

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
EXAMPLE = yaml.safe_load((ROOT / "examples" / "gate.yml").read_text(encoding="utf-8"))
MARK = "${{ inputs."


def log(path, right):
    """Write a log of answers with item ids, as an evaluation would."""
    rows = [
        {"item": f"q{i}", "model": path.stem, "score": int(one), "subject": f"s{i % 12}"}
        for i, one in enumerate(right)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def filled(value, inputs):
    for name, text in inputs.items():
        value = value.replace(f"{MARK}{name} }}}}", text)
    assert MARK not in value
    return value


def gated(folder, **asked):
    """Run the step that compares, with inputs as a workflow would give them."""
    inputs = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()}
    inputs |= {"baseline": "baseline.jsonl", "candidate": "candidate.jsonl"}
    inputs |= {name.replace("_", "-"): value for name, value in asked.items()}
    step = next(one for one in ACTION["runs"]["steps"] if "compare" in one.get("run", ""))
    env = {name: filled(text, inputs) for name, text in step["env"].items()}
    summary = folder / "summary.md"
    done = stepped(folder, step, GITHUB_STEP_SUMMARY=str(summary), **env)
    return done, summary.read_text(encoding="utf-8") if summary.exists() else ""


def stepped(folder, step, *, first=Path(sys.executable).parent, **env):
    """Run a step with bash as a runner does, with one folder in front of the path."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**os.environ, "PATH": f"{first}:{os.environ['PATH']}", **env},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def logs(tmp_path):
    log(tmp_path / "baseline.jsonl", [i % 4 != 0 for i in range(240)])
    log(tmp_path / "candidate.jsonl", [i % 12 != 0 for i in range(240)])
    return tmp_path


@pytest.mark.slow
def test_a_better_candidate_passes_and_leaves_a_record(logs):
    done, summary = gated(logs, require="outperforms")
    assert done.returncode == 0, done.stderr
    assert "### candidate vs. baseline" in summary
    assert "candidate outperforms baseline" in summary
    assert "Gate passed: required verdict outperforms." in summary
    record = logs / "verdict.outperform.json"
    again = op.verify(record)
    assert again.agrees
    assert f"sha256 {again.sha256[:12]}" in summary


@pytest.mark.slow
def test_a_worse_candidate_fails_even_where_undecided_ones_pass(logs):
    os.replace(logs / "baseline.jsonl", logs / "x.jsonl")
    os.replace(logs / "candidate.jsonl", logs / "baseline.jsonl")
    os.replace(logs / "x.jsonl", logs / "candidate.jsonl")
    done, _ = gated(logs, on_undecided="warn")
    assert done.returncode == 1
    assert "outperformed" in done.stderr


@pytest.mark.slow
def test_an_undecided_candidate_fails_or_warns_as_asked(logs):
    log(logs / "candidate.jsonl", [(i + 1) % 4 != 0 for i in range(240)])
    done, summary = gated(logs)
    assert done.returncode == 1
    assert "no decision" in summary
    done, _ = gated(logs, on_undecided="warn")
    assert done.returncode == 0
    assert "the data are inconclusive" in done.stderr


@pytest.mark.slow
def test_clusters_are_an_option_and_added_items_are_named(logs):
    done, _ = gated(logs, require="outperforms", options="--cluster subject")
    assert done.returncode == 1, done.stderr  # all that differs lies in a few subjects
    assert "12 clusters" in done.stdout
    log(logs / "candidate.jsonl", [i % 12 != 0 for i in range(243)])
    done, _ = gated(logs)
    assert done.returncode == 2
    assert "'baseline' lacks 3, such as 'q240', 'q241', 'q242'" in done.stderr.replace("\n", " ")


@pytest.mark.slow
def test_added_and_removed_items_are_named_apart(logs):
    lines = (logs / "candidate.jsonl").read_text().splitlines(keepends=True)
    new = json.dumps({"item": "new", "model": "candidate", "score": 1, "subject": "s1"}) + "\n"
    (logs / "candidate.jsonl").write_text("".join([*lines[2:], new]))
    done, _ = gated(logs)
    said = done.stderr.replace("\n", " ")
    assert done.returncode == 2
    assert "'candidate' lacks 2, such as 'q0', 'q1'" in said
    assert "'baseline' lacks 1, such as 'new'" in said


@pytest.mark.slow
def test_inputs_are_never_shell_code(logs):
    done, _ = gated(logs, candidate="candidate.jsonl; touch pwned", options="$(touch pwned)")
    assert done.returncode == 2
    assert not (logs / "pwned").exists()


@pytest.mark.slow
def test_options_are_words_of_a_shell_on_any_number_of_lines(logs):
    for name in ("baseline", "candidate"):
        path = logs / f"{name}.jsonl"
        path.write_text(path.read_text().replace('"subject"', '"the subject"'))
    done, _ = gated(logs, options="--cluster 'the subject'\n\n--grade measured\n")
    assert done.returncode == 1, done.stderr
    assert "12 clusters" in done.stdout
    assert "measured" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", ["--cluster 'subject", "--cluster subject\n--no-such", "new old"]
)
def test_options_that_cannot_be_passed_are_an_error(logs, options):
    done, _ = gated(logs, options=options)
    assert done.returncode == 2
    assert not (logs / "verdict.outperform.json").exists()


@pytest.mark.slow
def test_files_are_never_options(logs):
    os.replace(logs / "candidate.jsonl", logs / "--help")
    done, _ = gated(logs, candidate="--help", require="outperforms")
    assert done.returncode == 0, done.stderr
    assert (logs / "verdict.outperform.json").exists()
    (logs / "--help").unlink()
    done, _ = gated(logs, candidate="--help")
    assert done.returncode == 2


@pytest.mark.slow
def test_nothing_of_the_checkout_is_imported(logs):
    for name in ("outperform", "pip"):
        (logs / name).mkdir()
        (logs / name / "__init__.py").touch()
        (logs / name / "__main__.py").touch()  # exits with 0
    for name in ("shlex", "os", "polars"):
        (logs / f"{name}.py").write_text("raise SystemExit(0)\n")
    done, _ = gated(logs, require="outperforms")
    assert done.returncode == 0, done.stderr
    assert op.verify(logs / "verdict.outperform.json").agrees


def test_the_action_installs_its_own_checkout(tmp_path):
    step = next(one for one in ACTION["runs"]["steps"] if "install" in one.get("run", ""))
    pip = tmp_path / "bin" / "pip"
    pip.parent.mkdir()
    pip.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/arguments\n')
    pip.chmod(0o755)
    done = stepped(tmp_path, step, first=pip.parent, GITHUB_ACTION_PATH="/home/an action/v1")
    assert done.returncode == 0, done.stderr
    arguments = (tmp_path / "arguments").read_text().splitlines()
    assert "/home/an action/v1" in arguments
    assert "outperform" not in arguments


def test_actions_of_others_are_pinned_by_digest():
    steps = [*ACTION["runs"]["steps"], *EXAMPLE["jobs"]["gate"]["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    others = [name for name in used if not name.startswith("outperform/")]
    assert len(others) == len(used) - 1
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", name) for name in others)


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True)


def test_the_example_takes_the_baseline_from_the_base_branch(tmp_path):
    origin, checkout = tmp_path / "origin", tmp_path / "checkout"
    baseline = origin / "evaluation" / "baseline.jsonl"
    baseline.parent.mkdir(parents=True)
    git(origin, "init", "--quiet", "--initial-branch=trunk")
    for branch, text in (("trunk", "high bar\n"), ("change", "low bar\n")):
        git(origin, "checkout", "--quiet", "-B", branch)
        baseline.write_text(text)
        git(origin, "add", ".")
        git(origin, "commit", "--quiet", "-m", branch)
    single = ["--depth=1", "--branch=change", f"file://{origin}", str(checkout)]
    git(tmp_path, "clone", "--quiet", *single)
    steps = EXAMPLE["jobs"]["gate"]["steps"]
    for step in steps:
        if "git" in step.get("run", ""):
            done = stepped(checkout, step, GITHUB_BASE_REF="trunk")
            assert done.returncode == 0, done.stderr
    gate = next(step for step in steps if "outperform" in step.get("uses", ""))
    assert (checkout / gate["with"]["baseline"]).read_text() == "high bar\n"


def test_the_example_workflow_is_valid_and_uses_inputs_that_exist():
    steps = EXAMPLE["jobs"]["gate"]["steps"]
    used = next(one for one in steps if "outperform" in one.get("uses", ""))["with"]
    assert set(used) <= set(ACTION["inputs"])
    needed = {name for name, one in ACTION["inputs"].items() if one.get("required")}
    assert needed <= set(used)
