"""Splits that were given: run as they are, recognised by what they are, or refused by name."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models_for_tests import Sharing
from sklearn import model_selection as sk
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from waiting import wait_until

import outperform as op
from outperform import registry
from outperform.designs import Custom, Given
from outperform.engine.given_splits import read_given
from outperform.engine.split_plan import SplitPlan
from outperform.storage import StoreError

N = 60
GENERATOR = np.random.default_rng(5)
Y = np.arange(N) % 2
X = GENERATOR.normal(size=(N, 3)) + 0.7 * Y[:, None]
GROUPS = np.repeat(np.arange(12), 5)
MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}
ROWS = np.arange(N)
HALF = (ROWS[:30], ROWS[30:])


class Never(GaussianNB):
    """A run that fits it fails with another error than the refusal that is waited for."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        raise RuntimeError("fitted")


def given(design: Any, groups: Any = None, n: int = N, seed: int = 0) -> SplitPlan:
    codes = None if groups is None else np.unique(groups, return_inverse=True)[1]
    return read_given(design, X[:n], Y[:n], groups, codes, n, seed)


def run(design: Any, **options: Any) -> op.Scores:
    return op.run(MODELS, X, Y, **{"design": design, "random_state": 1, **options})


def others(test: Any, n: int = N) -> Any:
    return np.setdiff1d(np.arange(n), test)


def folds(*order: Any) -> list[tuple[Any, Any]]:
    return [(others(test), np.asarray(test)) for test in order]


# What they are


SHUFFLED = np.random.default_rng(0).permutation(N)
PARTITION = folds(*SHUFFLED.reshape(5, 12))
SECOND = folds(*np.random.default_rng(1).permutation(N).reshape(5, 12))


@pytest.mark.parametrize(
    ("design", "groups", "text", "method"),
    [
        (sk.KFold(6), None, "6cv", "corrected_t"),
        (sk.RepeatedKFold(n_splits=2, n_repeats=5, random_state=0), None, "5x2cv", "five_by_two_t"),
        (sk.RepeatedKFold(n_splits=5, n_repeats=1, random_state=0), None, "5cv", "corrected_t"),
        (sk.LeaveOneOut(), None, "loo", "mcnemar"),
        (sk.LeaveOneGroupOut(), np.repeat([0, 1, 2], (40, 15, 5)), "3cv", "corrected_t"),
        (sk.StratifiedGroupKFold(4), GROUPS, "4cv", "corrected_t"),
        (
            sk.GroupShuffleSplit(9, test_size=3, random_state=0),
            GROUPS,
            "9xresampled@15/train45",
            "corrected_t",
        ),
        (sk.ShuffleSplit(8, random_state=2), None, "8xresampled@6/train54", "corrected_t"),
        (
            sk.ShuffleSplit(40, test_size=1, random_state=2),
            None,
            "40xresampled@1/train59",
            "corrected_t",
        ),
        ([HALF], None, "holdout@30", "mcnemar"),
        (PARTITION, None, "5cv", "corrected_t"),
        ([*PARTITION, *SECOND], None, "2x5cv", "corrected_t"),
        ((pair for pair in PARTITION), None, "5cv", "corrected_t"),
        ([(train[::-1], test) for train, test in PARTITION], None, "5cv", "corrected_t"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_splits_are_recognised_by_what_they_are(
    design: Any, groups: Any, text: str, method: str
) -> None:
    found = given(design, groups).design
    assert str(found) == f"{text}/given"
    assert op.parse(str(found)) == found
    assert registry.default_method(found) == method


@pytest.mark.parametrize("seed", range(40))
def test_random_splits_are_resampled_whatever_the_seed(seed: int) -> None:
    few = sk.ShuffleSplit(2, test_size=0.1, random_state=seed)
    many = sk.StratifiedShuffleSplit(30, test_size=0.3, random_state=seed)
    group = sk.GroupShuffleSplit(10, test_size=2, random_state=seed)
    kinds = given(few).design.kind, given(many).design.kind, given(group, GROUPS).design.kind
    assert kinds == ("resampled",) * 3


CUSTOM = {
    "the same partition twice": [*PARTITION, *PARTITION],
    "partitions of different sizes": [*PARTITION, *folds(SHUFFLED[:30], SHUFFLED[30:])],
    "splits of two partitions in another order": [PARTITION[0], *SECOND, *PARTITION[1:]],
    "some folds of a larger sample": folds(*SHUFFLED.reshape(4, 15)[:3]),
    "every pair of groups": folds(
        *(np.flatnonzero(np.isin(GROUPS // 3, both)) for both in combinations(range(4), 2))
    ),
    "windows that slide along": folds(*(ROWS[at : at + 10] for at in range(0, 50, 5))),
    "one test set for all": [(rows, ROWS[40:]) for rows in SHUFFLED[SHUFFLED < 40].reshape(4, 10)],
    "test sets of very different sizes": folds(SHUFFLED[:5], SHUFFLED[3:30], SHUFFLED[::2]),
    "training sets of very different sizes": [
        (others(test)[:size], test)
        for size, test in zip((10, 20, 40), (ROWS[5:30:5], ROWS[::12], ROWS[7::12]), strict=True)
    ],
    "training sets drawn with replacement": [
        (np.random.default_rng(at).choice(others(test), 40), test)
        for at, (_, test) in enumerate(PARTITION)
    ],
    "folds trained on some of the others": [(train[:30], test) for train, test in PARTITION],
}


@pytest.mark.parametrize("name", CUSTOM)
def test_splits_of_no_known_kind_are_custom_and_need_a_method(name: str) -> None:
    splits = CUSTOM[name]
    design = given(splits).design
    assert design == Given(Custom(len(splits)))
    with pytest.raises(op.MethodError, match="has no default method; specify one") as refusal:
        op.compare({"a": Never(), "b": GaussianNB()}, X, Y, design=splits, random_state=0)
    named = [m.name for m in op.methods.table(design=str(design))]
    assert named == ["corrected_t", "resampled_t"]
    for method in named:
        assert f"method='{method}'" in str(refusal.value)
        found = op.compare(MODELS, X, Y, design=splits, random_state=0, method=method)
        assert 0 <= found["bayes", "tree"].pvalue <= 1
        assert "OP313" in [note.code for note in found.notes]


def test_a_design_without_any_method_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.load_all()
    monkeypatch.setattr(registry, "METHODS", {})
    with pytest.raises(op.MethodError, match=r"'10cv' .kfold. has no default method; no available"):
        registry.default_method("10cv")


def test_a_method_that_does_not_suit_custom_splits_names_those_that_do() -> None:
    with pytest.raises(op.MethodError, match="Use corrected_t, resampled_t for this design"):
        op.compare(MODELS, X, Y, design=CUSTOM["one test set for all"], method="kfold_t")


def test_a_design_and_a_method_that_do_not_go_together_are_refused_before_any_fit() -> None:
    with pytest.raises(op.MethodError, match="mcnemar is not valid for design '10cv'"):
        op.compare({"a": Never(), "b": GaussianNB()}, X, Y, design="10cv", method="mcnemar")
    with pytest.raises(
        op.MethodError, match="No standard error of one learner's accuracy is known"
    ):
        op.estimate(Never(), X, Y, design=CUSTOM["one test set for all"])


@pytest.mark.parametrize(
    ("splitter", "text"),
    [
        (sk.TimeSeriesSplit(4), "4forward/given"),
        (sk.TimeSeriesSplit(4, gap=2, max_train_size=10), "4forward/gap2/sliding10/given"),
        (sk.TimeSeriesSplit(3, test_size=5), "3forward@5/given"),
        ([(ROWS[:at], ROWS[at : at + 10]) for at in (30, 20, 40)], "3forward@10/given"),
    ],
    ids=["plain", "gap", "sized", "pairs"],
)
def test_forward_splits_are_judged_by_diebold_and_mariano(splitter: Any, text: str) -> None:
    found = op.compare(MODELS, X, Y, design=splitter, random_state=0)
    assert str(found.design) == text
    assert found.method.name == "diebold_mariano"
    assert found.n == found.scores.n_test.sum()
    assert "OP408" in [note.code for note in found.notes]


def test_forward_splits_that_test_a_row_twice_are_refused() -> None:
    twice = [(ROWS[:at], ROWS[at : at + 10]) for at in (20, 25)]
    with pytest.raises(op.DesignError, match="tests some of them more than once"):
        run(twice)


# Exactly these


def test_rows_come_in_the_order_given_on_both_sides() -> None:
    seen: list[Any] = []
    splits = [(train[::-1], SHUFFLED[at::5]) for at, (train, _) in enumerate(PARTITION)]
    splits = [(others(test)[::-1], test) for _, test in splits]
    scores = run(splits)
    assert scores.items is not None
    assert scores.items.item.tolist() == [row for _, test in splits for row in test.tolist()]

    class Order(GaussianNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            seen.append(X[:, 0].tolist())
            return super().fit(X, y)

    op.run(Order(), X, Y, design=splits, random_state=0)
    assert seen == [X[train, 0].tolist() for train, _ in splits]


def test_n_test_by_n_train_is_that_of_the_real_sizes() -> None:
    groups = np.repeat([0, 1, 2, 3], (30, 15, 10, 5))
    scores = run(sk.LeavePGroupsOut(2), groups=groups)
    assert scores.n_test is not None
    assert scores.n_test.tolist() == [45, 40, 35, 25, 20, 15]
    assert scores.test_train_ratio == 1
    doubled = run([(np.r_[train, train[:9]], test) for train, test in PARTITION])
    assert doubled.n_train is not None
    assert doubled.n_train.tolist() == [48] * 5


def test_training_rows_that_come_twice_are_fitted_twice() -> None:
    splits = [(np.tile(train, 40), test) for train, test in PARTITION]
    model = DecisionTreeClassifier(min_samples_leaf=60, random_state=0)
    theirs = sk.cross_validate(model, X, Y, cv=splits)["test_score"]
    assert op.run(model, X, Y, design=splits).values[0].tolist() == theirs.tolist()


def test_masks_are_read_as_the_rows_they_mark() -> None:
    masks = [(np.isin(ROWS, train), np.isin(ROWS, test).tolist()) for train, test in PARTITION]
    assert given(masks).fingerprint == given([(a, np.sort(b)) for a, b in PARTITION]).fingerprint


class Halves:
    """Knows nothing of scikit-learn, and takes X alone."""

    def split(self, X: Any) -> Iterator[Any]:
        yield list(range(0, len(X), 2)), list(range(1, len(X), 2))
        yield list(range(1, len(X), 2)), list(range(0, len(X), 2))


def test_any_object_with_split_will_do() -> None:
    scores = run(Halves())
    assert str(scores.design) == "2cv/given"
    assert scores.design is not None
    assert scores.design.describe() == "2-fold cross-validation (splits given by Halves)"


@pytest.mark.parametrize("order", ["ascending", "shuffled"])
def test_models_that_share_work_answer_as_if_fitted_alone(order: str) -> None:
    splits = sk.ShuffleSplit(6, test_size=0.3, random_state=0).split(X)
    if order == "ascending":
        splits = ((np.sort(train), np.sort(test)) for train, test in splits)
    pairs, rounded = list(splits), X.round(1)
    scores = op.run({"sharing": Sharing()}, rounded, Y, design=pairs, random_state=0)
    alone = sk.cross_validate(Sharing(), rounded, Y, cv=pairs, scoring="accuracy")
    assert scores.values[0].tolist() == alone["test_score"].tolist()


# Random states


def test_a_splitter_without_a_random_state_draws_by_that_of_the_run() -> None:
    splitter = sk.KFold(5, shuffle=True)
    np.random.seed(8)  # noqa: NPY002
    expected = np.random.random()  # noqa: NPY002
    np.random.seed(8)  # noqa: NPY002
    first = run(splitter)
    assert np.random.random() == expected  # noqa: NPY002
    assert run(splitter).digest() == first.digest()
    assert run(splitter, random_state=2).digest() != first.digest()
    assert "OP509" in [note.code for note in first.notes]
    fixed = run(sk.KFold(5, shuffle=True, random_state=0))
    assert "OP509" not in [note.code for note in fixed.notes]


def test_a_random_state_of_its_own_decides_alone() -> None:
    splitter = sk.ShuffleSplit(5, random_state=4)
    assert given(splitter, seed=1).fingerprint == given(splitter, seed=2).fingerprint
    other = sk.ShuffleSplit(5, random_state=5)
    assert given(splitter).fingerprint != given(other).fingerprint


# Refusals, by name


class Broken:
    def split(self, X: Any, y: Any, groups: Any) -> Iterator[Any]:
        yield HALF
        raise RuntimeError("out of folds")


def spent() -> Iterator[Any]:
    splits = iter(PARTITION)
    list(splits)
    return splits


@pytest.mark.parametrize(
    ("design", "complaint"),
    [
        ([([0, 1, 2], [2, 3])], "split 0 of the given splits has row 2 in both"),
        ([HALF, ([0, 1], [])], "test rows of split 1 of the given splits are empty"),
        ([([], [3])], "training rows of split 0 of the given splits are empty"),
        ([([0, 1], [60])], "test rows .* must be from 0 to 59, got 60"),
        ([([0, -1], [5])], "training rows .* must be from 0 to 59, got -1"),
        ([([0, 1], [5, 5])], "has row 5 twice in its test rows"),
        ([([0.0, 1.0], [5])], "must be row numbers from 0 to 59 .integers., got float64"),
        ([(["a"], ["b"])], "must be row numbers"),
        ([([True, False], [5])], "are a mask of 2 entries, but there are 60 rows"),
        ([([[0, 1]], [5])], "must be a one-dimensional array"),
        (HALF, r"must be a pair .train, test. .* design=\[\(train, test\)\]"),
        ((ROWS[:2], ROWS[2:4]), r"one split pass design=\[\(train, test\)\]"),
        ([(ROWS[:2], ROWS[2:3], ROWS[3:4])], "must be a pair"),
        ([7], "must be a pair .train, test. of row numbers, got int"),
        ([], "no splits were found"),
        (spent(), r"can be read only once; pass a list, design=list\(splits\)"),
        (Broken(), "Broken cannot split these data: RuntimeError: out of folds"),
        (sk.KFold(99), "ValueError: Cannot have number of splits n_splits=99"),
        (sk.GroupKFold(3), "ValueError: The 'groups' parameter should not be None"),
        (sk.KFold, r"KFold is a class; pass an object of it, such as design=KFold\(\)"),
        ("5cv/given", "describes splits that were passed in, and cannot draw them again"),
        (3.5, "a design must be a string"),
    ],
)
def test_bad_splits_are_refused_by_name(design: Any, complaint: str) -> None:
    with pytest.raises(op.DesignError, match=complaint):
        run(design)


def test_an_iterator_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outperform.engine.given_splits.MOST", 100)
    with pytest.raises(op.DesignError, match="does the iterator end"):
        run(HALF for _ in iter(int, 1))


def test_splits_that_tear_groups_apart_are_refused_and_the_way_out_works() -> None:
    with pytest.raises(op.DesignError, match="splits groups") as refusal:
        run(sk.KFold(7, shuffle=True, random_state=0), groups=GROUPS)
    assert "GroupKFold(n_splits=5), or pass no groups" in str(refusal.value)
    assert run(sk.GroupKFold(n_splits=5), groups=GROUPS).n_splits == 5
    with pytest.raises(op.DesignError, match=r"rows\. Pass no groups"):
        run(PARTITION, groups=np.zeros(N))


def test_a_splitter_that_warns_of_groups_is_run_where_warnings_are_errors() -> None:
    splitter = sk.KFold(6)  # whose folds are whole groups, as these come in order
    scores = run(splitter, groups=GROUPS)
    assert scores.digest() == run(list(splitter.split(X)), groups=GROUPS).digest()


@pytest.mark.parametrize("design", ["5cv/given", Custom(4)], ids=str)
def test_a_description_of_given_splits_is_refused_at_once_and_the_way_out_works(
    design: Any,
) -> None:
    for method in ("auto", "corrected_t"):
        with pytest.raises(op.DesignError, match="pass the same splitter or list: design=splitter"):
            op.compare(MODELS, X, Y, design=design, method=method)
    assert str(run(sk.KFold(5)).design) == "5cv/given"


def test_where_splits_are_drawn_anew_a_splitter_is_refused_and_the_way_out_works() -> None:
    splitter = sk.ShuffleSplit(3, test_size=0.2, random_state=0)
    with pytest.raises(op.DesignError, match="pass design='3xresampled@1/5'"):
        op.learning_curve(MODELS, X, Y, design=splitter)
    curve = op.learning_curve(
        MODELS, X, Y, design="3xresampled@1/5", sizes=(0.3, 0.6), random_state=0
    )
    assert curve.n_train == (18, 36)
    with pytest.raises(op.DesignError, match="pass design='10cv'"):
        op.study([("kfold_t", sk.KFold(10))], op.lab.DesignedPopulation(epsilon=0.1), n_reps=2)


# Kept


def test_a_store_goes_on_with_the_same_splits_and_refuses_others(tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    splitter = sk.KFold(5, shuffle=True, random_state=0)
    first = op.run({"bayes": GaussianNB()}, X, Y, design=splitter, random_state=1, store=path)
    both = run(splitter, store=path)
    assert both.values[0].tolist() == first.values[0].tolist()
    same = [(train, test) for train, test in splitter.split(X)]
    assert run(same, store=path).digest() == both.digest()
    with pytest.raises(StoreError, match=r"fingerprint of splits is '.{16}' there, '.{16}' now"):
        run(sk.KFold(5, shuffle=True, random_state=1), store=path)
    reordered = [(train[::-1], test) for train, test in same]
    with pytest.raises(StoreError, match="fingerprint of splits"):
        run(reordered, store=path)
    with pytest.raises(StoreError, match="family of splits is '5cv/given' there, 'Nx5cv' now"):
        run("5cv", store=path)


@pytest.mark.slow
def test_what_is_read_back_knows_the_design_and_the_sizes(tmp_path: Path) -> None:
    path, page = tmp_path / "kept.db", tmp_path / "page.html"
    splitter = sk.ShuffleSplit(6, test_size=0.2, random_state=0)
    made = op.compare(MODELS, X, Y, design=splitter, random_state=1, store=path)
    stored = op.Scores.read(path)
    assert stored.design is not None
    assert stored.design.describe() == (
        "6 splits with 12 items for testing and 48 items for training (splits given by "
        "ShuffleSplit(n_splits=6, random_state=0, test_size=0.2, train_size=None))"
    )
    assert stored.test_train_ratio == 0.25
    again = op.compare(path)
    assert again["bayes", "tree"].pvalue == made["bayes", "tree"].pvalue
    assert "these algorithms trained on about 48 examples" in again.methods_text()
    assert op.compare(path, design="6xresampled@12/train48").design == made.design
    made.report(page)
    assert op.Scores.read(page).design == made.design
    assert op.compare(page)["bayes", "tree"].pvalue == made["bayes", "tree"].pvalue


def test_an_estimate_speaks_of_given_splits() -> None:
    found = op.estimate(GaussianNB(), X, Y, design=sk.KFold(6), random_state=0)
    assert "6-fold cross-validation (splits given by KFold(n_splits=6" in str(found)
    assert "trained on 50 items, 83 % of the data" in found.speaks_of
    drawn = sk.ShuffleSplit(5, test_size=0.2, train_size=0.5, random_state=0)
    found = op.estimate(GaussianNB(), X, Y, design=drawn, random_state=0)
    assert "trained on 30 items: its standard error" in found.speaks_of


# However they are run


SPLITS = sk.ShuffleSplit(7, test_size=0.3, random_state=1)


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_workers_change_nothing(n_jobs: int) -> None:
    assert run(SPLITS, n_jobs=n_jobs).digest() == run(SPLITS).digest()


@pytest.mark.slow
def test_splits_too_large_to_be_sent_with_each_task_are_mapped() -> None:
    n = 40_000
    x, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2
    splits = sk.ShuffleSplit(6, test_size=0.5, random_state=0)
    runs = [op.run(GaussianNB(), x, y, design=splits, random_state=0, n_jobs=k) for k in (1, 2)]
    assert runs[0].digest() == runs[1].digest()


@pytest.mark.slow
@pytest.mark.needs("dask")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_cluster_changes_nothing(client: Any) -> None:
    from joblib import parallel_config

    expected = run(SPLITS).digest()
    with parallel_config("dask"):
        assert run(SPLITS, n_jobs=2).digest() == expected


PROGRAM = """
import sys, time
import numpy as np
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB
import outperform as op

class Slow(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        time.sleep(0.1)
        return super().fit(X, y)

X = np.random.default_rng(0).normal(size=(60, 3))
y = np.arange(60) % 2
design = ShuffleSplit(20, test_size=0.3)
scores = op.run({"slow": Slow()}, X, y, design=design, random_state=int(sys.argv[2]),
                store=sys.argv[1] if len(sys.argv) > 3 else None)
print(scores.digest())
"""


@pytest.mark.slow
def test_a_killed_run_goes_on_with_the_splits_it_had(tmp_path: Path) -> None:
    store = tmp_path / "killed.db"
    program: Callable[..., list[str]] = lambda *words: [sys.executable, "-c", PROGRAM, *words]  # noqa: E731
    begun = subprocess.Popen(program(str(store), "3", "keep"), stdout=subprocess.PIPE)
    wait_until(lambda: store.exists() and _cells(store) >= 3, "three cells")
    begun.send_signal(signal.SIGKILL)
    begun.communicate()
    assert 3 <= _cells(store) < 20
    resumed = subprocess.run(
        program(str(store), "3", "keep"), capture_output=True, text=True, check=True
    )
    whole = subprocess.run(program("none", "3"), capture_output=True, text=True, check=True)
    assert resumed.stdout == whole.stdout != ""


def _cells(store: Path) -> int:
    import sqlite3
    from contextlib import closing

    try:
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
            return int(db.execute("SELECT count(*) FROM cell").fetchone()[0])
    except sqlite3.Error:
        return 0


EXPERIMENT = """
import numpy as np
from sklearn.model_selection import ShuffleSplit, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

X = np.random.default_rng(0).normal(size=(60, 3))
y = np.arange(60) % 2
learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}
random_state = 1
rows = np.arange(60)
design = DESIGN
"""


def _outperform(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "outperform", *words], cwd=folder, capture_output=True, text=True
    )


@pytest.mark.slow
def test_an_experiment_file_may_hold_a_splitter(tmp_path: Path) -> None:
    file = tmp_path / "experiment.py"
    file.write_text(EXPERIMENT.replace("DESIGN", "ShuffleSplit(8, random_state=0)"))
    done = _outperform(tmp_path, "run", "experiment.py", "--store", "kept.db")
    assert done.returncode == 0, done.stderr
    assert "ShuffleSplit(n_splits=8, random_state=0" in done.stdout
    judged = _outperform(tmp_path, "compare", "kept.db", "--design", "8xresampled@6/train54")
    assert judged.returncode == 0, judged.stderr
    assert "ShuffleSplit(n_splits=8, random_state=0" in judged.stdout


@pytest.mark.slow
def test_an_experiment_with_custom_splits_runs_as_soon_as_a_method_is_named(
    tmp_path: Path,
) -> None:
    file = tmp_path / "experiment.py"
    custom = "[(rows[at : at + 20], rows[:at][-9:]) for at in (10, 20, 30)]"
    file.write_text(EXPERIMENT.replace("DESIGN", custom))
    refused = _outperform(tmp_path, "run", "experiment.py", "--store", "kept.db")
    assert refused.returncode == 2
    assert "--method corrected_t" in refused.stderr
    assert not (tmp_path / "kept.db").exists()
    done = _outperform(tmp_path, "run", "experiment.py", "--method", "corrected_t")
    assert done.returncode == 0, done.stderr
    assert "OP313" in done.stdout
