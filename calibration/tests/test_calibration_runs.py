"""The public benchmark of tests: its table of cases, its counts, and the gates of its core."""

from __future__ import annotations

import json
import re
import shlex

import numpy as np
import pytest
from click.testing import CliRunner
from places import ROOT
from scipy.stats import binom
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_info

import outperform as op
from calibration.__main__ import main
from calibration.batch_contests import BatchContest
from calibration.batch_learners import BatchBayes
from calibration.cases import CASES, CORE, TESTS, case_named
from calibration.counts import (
    COLUMNS,
    REPORTING,
    CaseCounts,
    CountedTest,
    CountsFile,
    blocks_of,
    ranges,
)
from calibration.fold_labels import FoldLabels
from calibration.fold_views import split_seed, views_of
from calibration.runs import counted, pool_truth, run_cases, settled, tallied
from outperform.engine.progress import Progress
from outperform.lab import Contest, mirror_population, reading
from outperform.lab.certified_nulls import pool_losses
from outperform.lab.contests import _together
from outperform.lab.scenarios import SAMPLE, stream
from outperform.lab.tested import mean_of
from outperform.registry import get

DELTA = 1e-6
COMMITTED = ROOT / "calibration" / "counts.json"


def test_at_most_twelve_cases_are_gated_and_every_name_is_unique():
    core = [case for case in CASES.values() if case.kind == "core"]
    assert len(core) <= 12
    assert all(case.target == CORE >= 4300 for case in core)
    assert len({one.label for one in TESTS}) == len(TESTS)
    with pytest.raises(op.DataError, match="did you mean 'stump-B200'"):
        case_named("stump-B20")


@pytest.mark.slow
def test_a_run_that_was_stopped_goes_on_and_counts_no_block_twice(tmp_path):
    case = case_named("selector-B60")
    whole, parts = (CountsFile(tmp_path / name) for name in ("whole.json", "parts.json"))
    run_cases(whole, [case], reps=60, pilots=20)
    run_cases(parts, [case], reps=20, pilots=20)
    again = CountsFile(tmp_path / "parts.json")
    run_cases(again, [case], reps=60, tests=TESTS[:1], pilots=20)
    run_cases(again, [case], reps=60, pilots=20)
    assert whole.path.read_text() == again.path.read_text()
    tally = again.cases[case.name].tallies["calibrated_t 5x5cv+20halves"]
    assert tally["experiments"] == 60
    assert ranges(tally.blocks) == "0-2"
    with pytest.raises(op.DataError, match="counted already"):
        tally.add(1, np.zeros(len(COLUMNS), dtype=np.int64))
    with pytest.raises(op.DataError, match="another file"):
        CountsFile(tmp_path / "parts.json", seed=7)


@pytest.mark.parametrize("text", ["", "[1]", "no json", "null", "{}"])
def test_a_file_without_counts_is_refused_and_stays_as_it_was(tmp_path, text):
    path = tmp_path / "counts.json"
    path.write_text(text)
    with pytest.raises(op.DataError, match="does not contain counts"):
        CountsFile(path)
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("old", "new"),
    [("[20, ", '["a", '), ("[20, ", "["), ('"0-0"', '"0-x"'), ('"unit": 0.5', '"unit": "x"')],
)
def test_a_damaged_file_of_counts_is_refused(tmp_path, old, new):
    path = tmp_path / "counts.json"
    kept = CountsFile(path)
    kept.cases["bayes-A60"] = CaseCounts(0.5)
    kept.tally("bayes-A60", TESTS[0].label).add(0, np.array([20, *[0] * (len(COLUMNS) - 1)]))
    kept.write()
    assert CountsFile(path).cases["bayes-A60"].unit == 0.5
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(op.DataError, match="is damaged; use a new file"):
        CountsFile(path)


def test_a_file_that_another_process_changed_is_left_alone(tmp_path):
    kept, other = (CountsFile(tmp_path / "counts.json") for _ in range(2))
    other.cases["bayes-A60"] = CaseCounts(0.5)
    other.write()
    other.write()
    text = other.path.read_text()
    kept.cases["stump-B60"] = CaseCounts(0.5)
    with pytest.raises(op.DataError, match="changed by another process; give each process a file"):
        kept.write()
    assert other.path.read_text() == text


def test_progress_counts_the_experiments_that_are_missing(tmp_path):
    case, told = case_named("bayes-A60"), []
    kept = CountsFile(None)
    for reps in (20, 60, 60):
        told.append([])
        with Progress(told[-1].append, 0) as progress:
            run_cases(kept, [case], reps=reps, tests=TESTS[-2:], pilots=20, progress=progress)
    assert [[(one.done, one.total) for one in each][-1:] for each in told] == [
        [(20, 20)],
        [(40, 40)],
        [],
    ]


def test_counts_are_of_one_blas_thread():
    threads = []

    def look(_):
        found = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]
        threads.extend(found)

    with Progress(look, 0) as progress:
        run_cases(
            CountsFile(None),
            [case_named("lda-A60")],
            reps=20,
            tests=TESTS[6:7],
            pilots=20,
            progress=progress,
        )
        assert set(threads) == {1}, "more threads change last bits, and wait for each other"


def test_a_folder_and_a_place_without_one_are_no_files_of_counts(tmp_path):
    with pytest.raises(op.DataError, match="cannot be read"):
        CountsFile(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(op.DataError, match="cannot be written"):
        CountsFile(tmp_path / "file" / "counts.json").write()


def test_counts_are_written_beside_no_other_file(tmp_path):
    (tmp_path / "counts.new").write_text("mine")
    CountsFile(tmp_path / "counts.json").write()
    assert {path.name for path in tmp_path.iterdir()} == {"counts.json", "counts.new"}
    assert (tmp_path / "counts.new").read_text() == "mine"


def test_ranges_of_blocks_are_read_back():
    for blocks in (set(), {3}, {0, 1, 2, 5, 7, 8}):
        assert blocks_of(ranges(blocks)) == blocks


def test_what_is_counted():
    p = np.array([[0.001, 0.03, 0.5, np.nan], *[[0.01, 0.2, 0.9, np.nan]] * 6])
    other = np.array([[0.9, 0.01, 0.5, np.nan], *[[0.01, 0.01, 0.9, np.nan]] * 6])
    found = dict(zip(COLUMNS, tallied([p, other]), strict=True))
    assert found == {
        "experiments": 4,
        "undefined": 1,
        "at_5": 2,
        "at_1": 1,
        "shifted": 8,
        "power_1": 2,
        "power_2": 2,
        "power_3": 2,
        "pairs": 4,
        "same_0": 3,
        "same_2": 6,
    }


class PlainBayes:
    """Naive Bayes of scikit-learn, fitted split by split."""

    name = "naive Bayes"

    def log_odds(self, X, y, folds):
        odds = np.zeros((len(X), *folds.labels.shape[1:]))
        for at, (items, classes) in enumerate(zip(X, y > 0, strict=True)):
            for row, labels in enumerate(folds.labels[0]):
                for fold in range(folds.n_folds):
                    test = labels == fold
                    train = (labels >= 0) & ~test
                    model = GaussianNB().fit(items[train], classes[train])
                    chances = model.predict_joint_log_proba(items[test])
                    odds[at, row, test] = chances[:, 1] - chances[:, 0]
        return odds

    def predict(self, X, y, folds):
        return self.log_odds(X, y, folds) > 0


@pytest.mark.slow
def test_models_that_are_fitted_and_models_in_batches_show_the_same():
    """Naive Bayes of scikit-learn on the same splits: the same evidence in every view."""
    source = mirror_population("A")
    batch = BatchContest(source, BatchBayes(), BatchBayes(), n=60)
    plain = BatchContest(source, PlainBayes(), PlainBayes(), n=60)
    small = {"10x15halves@1/10": "2x3halves@1/10", "8disjoint@50/test200": "4disjoint@9/test20"}
    asked = [reading(one.method, small.get(one.design, one.design)) for one in TESTS]
    seed = np.random.SeedSequence(3)
    views = [views_of(one, asked, one.datasets(2, seed), seed) for one in (batch, plain)]
    for one, read in zip(TESTS, asked, strict=True):
        first, second = (get(one.method).on(shown[read], **dict(one.options)) for shown in views)
        np.testing.assert_allclose(first.pvalue(), second.pvalue(), rtol=1e-9, err_msg=one.label)


def test_disjoint_training_sets_are_measured_where_they_are_large_enough():
    (one,) = (one for one in TESTS if one.method == "quasi_f")
    assert [case.n for case in CASES.values() if one in case.tests] == [
        case.n for case in CASES.values() if case.n >= 600 and case.loss != "AUC"
    ]
    folds = FoldLabels.of(op.parse(one.design), 600, 0)
    trained = folds.labels[0] == 1
    assert trained.sum(axis=1).tolist() == [50] * 8
    assert trained.sum(axis=0).max() == 1
    assert (folds.labels[0] == 0).all(axis=0).sum() == 200


@pytest.mark.parametrize(
    ("method", "design", "scoring", "loss"),
    [
        ("conservative_z", "2x3halves@1/10", "accuracy", "0/1"),
        ("averaged_t", "3*4cv", "accuracy", "0/1"),
        ("mcnemar", "holdout@1/3", "accuracy", "0/1"),
        ("paired_t", "holdout@1/3", "neg_log_loss", "log"),
        ("calibrated_t", "2x3cv+3halves", "neg_log_loss", "log"),
        ("calibrated_t", "2x3cv+3halves", "roc_auc", "AUC"),
        ("corrected_t", "3x4cv", "roc_auc", "AUC"),
        ("quasi_f", "4disjoint@9/test20", "accuracy", "0/1"),
    ],
)
def test_a_batch_contest_shows_what_a_run_of_the_same_splits_shows(method, design, scoring, loss):
    contest = BatchContest(mirror_population("A"), PlainBayes(), PlainBayes(), n=90, loss=loss)
    seed, read = np.random.SeedSequence(8), reading(method, design)
    view = views_of(contest, [read], contest.datasets(1, seed), seed)[read]
    data = contest.source.draw(90, stream(seed, SAMPLE, 0))
    runs = [
        op.run(
            {name: GaussianNB()},
            X,
            data.y,
            design=design,
            scoring=scoring,
            random_state=split_seed(seed, op.parse(design).family),
            progress=False,
        )
        for name, X in (("first", data.X), ("second", data.X_second))
    ]
    want = op.compare(_together(*runs), method=method)["first", "second"]
    found = get(method).on(view)
    assert found.estimate[0] == pytest.approx(want.estimate, rel=1e-9, abs=1e-14)
    assert found.pvalue()[0] == pytest.approx(want.pvalue, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "models"),
    [
        ("bayes-pruned-cancer60", (GaussianNB(), DecisionTreeClassifier(ccp_alpha=0.02))),
        ("linear-rtree-diabetes100", (LinearRegression(), DecisionTreeRegressor())),
    ],
)
def test_a_pool_knows_how_far_its_models_are_apart(name, models):
    """What batches say of the pool is what scikit-learn's learners say, fitted on other items."""
    case = case_named(name)
    contest = case.contest()
    found = pool_truth(contest, 48, 60, 1)
    scoring = "accuracy" if case.loss == "0/1" else "neg_mean_squared_error"
    plain = Contest(contest.source, *models, n=60, scoring=scoring)
    lost = pool_losses(plain, ("a", "b"), [48], 60, 2)[0]
    want = mean_of(lost[:, 1] - lost[:, 0])
    assert abs(found.mean - want.mean) < 4.9 * np.hypot(found.stderr, want.stderr)
    assert found.mean > 3 * found.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lda-B400-AUC", "lasso-R60", "neighbor-AA200"])
def test_every_kind_of_case_is_judged_by_all_tests_that_apply(name):
    case = case_named(name)
    asked = [one for one in case.tests if "halves" not in one.design and "10x10" not in one.design]
    known = settled(case, pilots=2)
    found = counted(case, asked, known, block=1)
    assert set(found) == {one.label for one in asked}
    for row in found.values():
        counts = dict(zip(COLUMNS, row, strict=True))
        assert counts["experiments"] == case.contest().block
        assert counts["at_1"] <= counts["at_5"] <= counts["experiments"]
        assert counts["shifted"] in (0, 2 * counts["experiments"])
    near, far = (sum(row[COLUMNS.index(f"power_{k}")] for row in found.values()) for k in (1, 3))
    assert near < far


def committed() -> dict[str, dict[str, CountedTest]]:
    return {name: found.tallies for name, found in CountsFile(COMMITTED, REPORTING).cases.items()}


def within(hits: int, n: int, bound: float) -> bool:
    return bool(binom.sf(hits - 1, n, bound) >= DELTA)


def test_the_core_holds_its_size_in_the_committed_counts(record_property):
    kept = committed()
    for case in CASES.values():
        if case.kind != "core" or case.name not in kept:
            continue
        for design in ("5x5cv+20halves", "10x5cv+40halves"):
            tally = kept[case.name][f"calibrated_t {design}"]
            n = tally["experiments"]
            record_property(f"{case.name} {design}", f"{tally['at_5']}, {tally['at_1']} of {n}")
            assert within(tally["at_5"], n, 0.065), (case.name, design)
            assert within(tally["at_1"], n, 0.02), (case.name, design)


def test_the_gate_catches_a_test_that_rejects_too_often():
    tally = committed()["stump-B200"]["corrected_t 10x10cv"]
    assert not within(tally["at_5"], tally["experiments"], 0.065)


def test_the_committed_counts_are_what_their_seeds_give():
    """The first block of a case, as it was when the counts were committed, and is part of them."""
    case = case_named("selector-B60")
    known = CountsFile(COMMITTED, REPORTING).cases[case.name]
    label = "calibrated_t 5x5cv+20halves"
    row = counted(case, case.tests[:1], known, block=0)[label]
    assert row.tolist() == [20, 0, 1, 0, 40, 8, 29, 37, 20, 19, 33]
    assert (row <= known.tallies[label].counts).all()
    sizes = json.loads(COMMITTED.read_text(encoding="utf-8"))["cases"][case.name]["tests"]
    assert sizes[label][0].startswith("0-")


def test_splits_of_a_row_are_those_of_the_design():
    folds = FoldLabels.of(op.parse("2x3halves@1/10"), 60, 4)
    splits = op.parse("2x3halves@1/10").split(60, random_state=4)
    for row, split in zip(folds.labels[0], splits, strict=True):
        assert set(np.flatnonzero(row == 0)) == set(split.test)
        assert set(np.flatnonzero(row == 1)) == set(split.train)


def test_the_page_says_what_the_counts_say(monkeypatch):
    import calibration_page as page

    made = page.text(page.Page(CountsFile(COMMITTED, REPORTING)))
    assert page.PAGE.read_text(encoding="utf-8") == made, "run: calibration_page.py"
    assert page.TABLE.read_text(encoding="utf-8") == page.sizes_table(
        page.Page(CountsFile(COMMITTED, REPORTING))
    )
    kept = CountsFile(COMMITTED, REPORTING)
    tally = kept.cases["bayes-A60"].tallies["calibrated_t 5x5cv+20halves"]
    tally.counts[COLUMNS.index("at_5")] = tally["experiments"] // 10
    assert "does not meet this target everywhere" in page.text(page.Page(kept)).split("## What")[0]


def run(*arguments):
    """Return what a command of `python -m calibration` did."""
    return CliRunner().invoke(main, arguments)


def test_commands_of_the_page_name_cases_and_tests_that_exist():
    page = (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8")
    commands = [
        shlex.split(line)[3:] for line in re.findall(r"^python -m calibration .+", page, re.M)
    ]
    assert len(commands) == 3
    for words in commands:
        asked = main.make_context("calibration", words).params
        assert set(asked["cases"]) <= CASES.keys()
        assert set(asked["labels"]) <= {test.label for test in TESTS}


def test_a_command_prints_the_counts_of_the_cases_it_names():
    told = run("lda-A60", "--quick", "--test", "corrected_t 10cv", "--json")
    assert told.exit_code == 0, told.output
    rows = json.loads(told.stdout.splitlines()[-1])
    assert rows["cases"]["lda-A60"]["corrected_t 10cv"][0] == 20, "a block of experiments"
    assert rows["seed"] == REPORTING
    assert len(run().stdout.splitlines()) == 1 + len(CASES)


@pytest.mark.parametrize(
    "arguments",
    [
        ("selector-B60", "--all"),
        ("selector-B60", "--quick", "--counts", "c.json"),
        ("--quick",),
        ("selector-B60", "--quick", "--reps", "9"),
        ("selector-B20",),
        ("selector-B60", "--quick", "--test", "corrected_t 10x10"),
        ("selector-B60", "--quick", "--test", "quasi_f 8disjoint@50/test200"),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments):
    assert run(*arguments).exit_code == 2
