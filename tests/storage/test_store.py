"""The storage contract, sentence by sentence: see the docstring of outperform.storage."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
import pytest
import stored_for_tests as stored
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from waiting import HandClock, wait_until

from outperform import DataError, parse
from outperform.notes import Note
from outperform.storage import (
    Address,
    CellCounts,
    Learner,
    Outcome,
    Store,
    StoreDamaged,
    StoredExperiment,
    StoreError,
    StoreFull,
    StoreIncomplete,
    cell_writer,
    contents,
    sharing,
)
from outperform.storage.sharing import Process, is_alive, this_process

DESIGN = parse("4x4cv")
N_ITEMS = 30
EXPERIMENT = StoredExperiment(
    data="0123456789abcdef" * 2,
    design=str(DESIGN),
    scoring="accuracy",
    seed=7,
    n_items=N_ITEMS,
    metric="accuracy",
    loss="zero-one",
    extra={"dataset": "iris", "_host": "here"},
)
# Forked processes start at once; no test has a store open when it forks.
OTHERS = multiprocessing.get_context("fork")
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")

TREE, BAYES = Learner("tree", "aa", "01"), Learner("bayes", "bb", "01")
ADDRESSES = [Address(0, repeat, fold) for repeat in range(4) for fold in range(4)]
FIRST = ADDRESSES[0]


def describe(learner: Learner) -> dict[str, object]:
    return {"params": {"of": learner.params}, "versions": {"scikit-learn": learner.versions}}


SPLITS = [
    (Address(*split[:3]), split.train.size, split.test.size, split.test)
    for split in DESIGN.split(N_ITEMS, random_state=EXPERIMENT.seed)
]
N_TEST = {address: n_test for address, _, n_test, _ in SPLITS}


def losses(learner: Learner, address: Address) -> np.ndarray:
    """Return losses that depend on the cell alone, as results do."""
    rng = np.random.default_rng([*learner.name.encode(), *address])
    return rng.integers(0, 2, N_TEST[address]).astype(float)


def good(learner: Learner, address: Address, **changes: object) -> Outcome:
    found = losses(learner, address)
    return Outcome(1.0 - found.mean(), 0.01, found, "ok")._replace(**changes)


def failed(error: str, status: str = "failed") -> Outcome:
    return Outcome(None, 0.5, None, status, error)


def begin(path: Path, *models: Learner) -> Store:
    store = Store.open(path, EXPERIMENT)
    for learner in models or (TREE, BAYES):
        store.register(learner, describe=describe(learner))
    store.put_splits(SPLITS)
    return store


def put(store: Store, *results: tuple[Learner, Address, Outcome]) -> None:
    store.add(results)
    store.flush()


def fill(path: Path, *, without: int = 0) -> None:
    """Make a complete store, or one that lacks the last cells of the first learner."""
    with begin(path) as store:
        for learner, n in ((TREE, len(ADDRESSES) - without), (BAYES, len(ADDRESSES))):
            store.add([(learner, at, good(learner, at)) for at in ADDRESSES[:n]])


def beside(act: Callable[..., None], path: Path) -> tuple[BaseProcess, Connection]:
    """Start another process that does `act(path, pipe)`; return it and our end of the pipe."""
    ours, theirs = OTHERS.Pipe()
    process = OTHERS.Process(target=act, args=(path, theirs), daemon=True)
    process.start()
    theirs.close()
    return process, ours


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with begin(path) as store:
        yield store


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "x.db"
    fill(path)
    return path


@pytest.fixture
def full(template: Path, path: Path) -> Path:
    return Path(shutil.copy2(template, path))


def trace(path: Path) -> tuple[bytes, int, list[str]]:
    """Return all that a refused opening must leave as it was."""
    return path.read_bytes(), path.stat().st_mtime_ns, sorted(os.listdir(path.parent))


def committed(path: Path) -> int:
    """Count the cells another process would see."""
    db = sqlite3.connect(path)
    (count,) = db.execute("SELECT count(*) FROM cell").fetchone()
    db.close()
    return count


# A store belongs to one experiment.


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"data": "ff" * 16}, "the data differ (fingerprint 01234567… there, ffffffff… now)"),
        ({"design": "5x2cv"}, "family of splits is 'Nx4cv' there, 'Nx2cv' now"),
        ({"design": "4x4cv/stratified"}, "is 'Nx4cv' there, 'Nx4cv/stratified' now"),
        ({"seed": 8}, "seed is 7 there, 8 now"),
        ({"n_items": 31}, "n_items is 30 there, 31 now"),
        ({"extra": {"dataset": "wine"}}, "dataset is 'iris' there, 'wine' now"),
        ({"extra": {}}, "dataset is 'iris' there, None now"),
    ],
)
@pytest.mark.parametrize("mode", ["create", "write", "read"])
def test_another_experiment_is_refused_naming_what_differs_and_leaving_no_trace(
    full: Path, changes: dict[str, object], said: str, mode: str
) -> None:
    before = trace(full)
    with pytest.raises(StoreError, match="contains another experiment") as caught:
        Store.open(full, replace(EXPERIMENT, **changes), mode=mode)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert trace(full) == before


def test_what_begins_with_an_underscore_is_shown_but_not_compared(full: Path) -> None:
    elsewhere = replace(EXPERIMENT, extra={"dataset": "iris", "_host": "there"})
    with Store.open(full, elsewhere) as store:
        assert store.experiment == EXPERIMENT


def test_a_store_tells_its_experiment_to_who_does_not_ask_for_one(full: Path) -> None:
    with Store.open(full, mode="read") as store:
        assert store.experiment == EXPERIMENT


def test_a_seed_of_any_size_is_kept(path: Path) -> None:
    Store.open(path, replace(EXPERIMENT, seed=2**127)).close()
    with Store.open(path, mode="read") as store:
        assert store.experiment.seed == 2**127


# Learners.


def test_the_same_model_again_needs_no_words(store: Store) -> None:
    assert store.register(TREE, describe=describe(TREE)) is None
    assert stored.learners(store) == [TREE, BAYES]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({"params": {"depth": "3"}}, {"params": {"depth": "5"}}, "depth was '3', now '5'"),
        ({"versions": {"scipy": "1.1"}}, {"versions": {}}, "scipy was '1.1', now not set"),
        ({}, {}, "its parameters and library versions changed"),
    ],
)
def test_a_model_that_changed_is_run_anew_saying_why(
    path: Path, before: dict[str, object], after: dict[str, object], said: str
) -> None:
    changed = Learner("tree", "other", "02")
    with Store.open(path, EXPERIMENT) as store:
        assert store.register(TREE, describe=before) is None
        store.put_splits(SPLITS)
        store.add([(TREE, FIRST, good(TREE, FIRST))])
        told = store.register(changed, describe=after)
        assert told is not None
        assert told.startswith("'tree' is rerun: ")
        assert said in told
        assert stored.current(store) == {"tree": changed}
        assert store.done(changed).size == 0
        assert store.done(TREE).tolist() == [list(FIRST)]


def test_parameters_that_come_back_find_their_cells_again(store: Store) -> None:
    store.add([(TREE, FIRST, good(TREE, FIRST))])
    store.register(Learner("tree", "cc", "01"), describe={"params": {"of": "cc"}})
    told = store.register(TREE, describe=describe(TREE))
    assert told is not None
    assert "whose fits are used again: of was 'cc', now 'aa'" in told
    assert stored.current(store) == {"tree": TREE, "bayes": BAYES}
    assert len(store.done(stored.current(store)["tree"])) == 1


def test_what_is_written_at_once_is_there_whole_or_not_at_all(path: Path) -> None:
    with Store.open(path, EXPERIMENT) as store:
        with suppress(KeyboardInterrupt), store.at_once():
            store.put_splits(SPLITS)
            store.register(TREE, describe=describe(TREE))
            raise KeyboardInterrupt
        assert stored.learners(store) == []
        assert stored.splits(store)[2].size == 0
        with store.at_once():
            store.put_splits(SPLITS)
            for learner in (TREE, BAYES):
                store.register(learner, describe=describe(learner))
    with Store.open(path, mode="read") as store:
        assert stored.learners(store) == [TREE, BAYES]
        assert stored.splits(store)[2].size == len(SPLITS)


def test_what_was_said_of_a_model_is_kept(store: Store) -> None:
    assert stored.about(store, TREE) == {"params": {"of": "aa"}, "versions": {"scikit-learn": "01"}}


def test_a_model_may_be_added_later(full: Path) -> None:
    late = Learner("late", "cc", "01")
    with Store.open(full, EXPERIMENT) as store:
        assert store.register(late, describe={}) is None
        assert stored.state(store)["late"] == CellCounts(16, 0, 0, 16)
        assert store.scores(["tree", "bayes"]).names == ("tree", "bayes")


@pytest.mark.parametrize("name", ["", "x" * 10_001, "half \ud800 pair"])
def test_names_that_cannot_be_written_are_refused(store: Store, name: str) -> None:
    with pytest.raises(DataError, match="cannot name a learner"):
        store.register(Learner(name, "", ""), describe={})


@pytest.mark.parametrize(
    "name", ["'; DROP TABLE cell; --", "=1+1", "a\0b", "‮evil", "../../etc/passwd", "🌳\n🌳"]
)
def test_any_other_name_comes_back_as_it_was(path: Path, name: str) -> None:
    with begin(path, Learner(name, "aa", "01")) as store:
        store.add([(Learner(name, "aa", "01"), at, good(TREE, at)) for at in ADDRESSES])
    with Store.open(path, mode="read") as store:
        assert store.scores().names == (name,)
    assert os.listdir(path.parent) == ["x.db"]


def test_a_model_that_is_not_registered_is_told_so(store: Store) -> None:
    with pytest.raises(DataError, match="'tree' is not registered"):
        store.done(Learner("tree", "zz", "01"))
    with pytest.raises(DataError, match="did you mean 'tree'"):
        store.scores(["treee"])


# Splits.


def test_splits_come_back_and_may_be_put_again(store: Store) -> None:
    store.put_splits(SPLITS)
    addresses, n_train, n_test, items = stored.splits(store)
    kept = np.split(items(), np.cumsum(n_test)[:-1])
    assert addresses.tolist() == [list(at) for at in ADDRESSES]
    for at, train, test, tested in SPLITS:
        row = ADDRESSES.index(at)
        assert (n_train[row], n_test[row]) == (train, test)
        assert kept[row].tolist() == tested.tolist()
        assert kept[row].dtype == np.int64


@pytest.mark.parametrize("part", ["n_train", "n_test", "items"])
def test_a_split_that_changed_is_refused(store: Store, part: str) -> None:
    at, n_train, n_test, items = SPLITS[3]
    n_train, n_test = n_train + (part == "n_train"), n_test + (part == "n_test")
    with pytest.raises(StoreError, match=r"The split \(0, 0, 3\) is not the one"):
        store.put_splits([(at, n_train, n_test, items[::-1] if part == "items" else items)])


def test_items_are_kept_though_losses_are_not(path: Path) -> None:
    with Store.open(path, replace(EXPERIMENT, loss=None)) as store:
        store.put_splits(SPLITS)
        assert stored.splits(store)[3]().size == 4 * N_ITEMS
        with pytest.raises(StoreError, match="is not the one"):
            store.put_splits([(FIRST, *SPLITS[1][1:])])


@given(st.sampled_from([1, 256, 257, 2**16, 2**16 + 1, 2**32, 2**40]), st.data())
def test_items_survive_encoding(n_items: int, data: st.DataObject) -> None:
    drawn = data.draw(st.lists(st.lists(st.integers(0, n_items - 1))))
    written = contents.encode_items(drawn, n_items)
    assert [contents.decode_items(blob).tolist() for blob in written] == drawn


@pytest.mark.parametrize("item", [-1, N_ITEMS])
def test_items_that_are_none_are_refused(store: Store, item: int) -> None:
    with pytest.raises(DataError, match="test items must be from 0 to 29"):
        store.put_splits([(Address(1, 0, 0), 27, 2, [3, item])])


@given(st.lists(st.tuples(*(st.integers(0, 2**bits - 1) for bits in contents.BITS.values()))))
def test_an_address_is_one_integer_that_sorts_like_it(addresses: list[Address]) -> None:
    packed = contents.pack(addresses)
    assert packed.tolist() == [contents.pack_one(at) for at in addresses]
    assert contents.unpack(packed).tolist() == [list(at) for at in addresses]
    assert [contents.unpack_one(key) for key in packed.tolist()] == addresses
    assert sorted(addresses) == [contents.unpack_one(key) for key in sorted(packed.tolist())]


@pytest.mark.parametrize("address", [(-1, 0, 0), (2**19, 0, 0), (0, 2**21, 0), (0, 0, 2**23)])
def test_an_address_out_of_range_is_refused(store: Store, address: Address) -> None:
    with pytest.raises(DataError, match="out of range"):
        store.add([(TREE, address, good(TREE, FIRST))])
    with pytest.raises(DataError, match="out of range"):
        contents.pack([FIRST, address])


# Cells.


def test_an_outcome_comes_back_as_it_was(store: Store) -> None:
    given_outcome = good(TREE, FIRST, notes=(("OP103", "20 items"), ("mine", "…")))
    store.add([(TREE, FIRST, given_outcome)])
    found = stored.outcome(store, TREE, FIRST)
    assert found is not None
    assert found.losses is not None
    assert found.losses.tolist() == given_outcome.losses.tolist()
    assert found._replace(losses=None) == given_outcome._replace(losses=None)
    assert stored.outcome(store, BAYES, FIRST) is None


@given(
    arrays(
        np.float64, st.integers(0, 40), elements=st.floats(allow_nan=False, allow_infinity=False)
    )
)
def test_losses_survive_to_the_last_bit(values: np.ndarray) -> None:
    assert contents.decode_losses(contents.encode_losses(values)).tobytes() == values.tobytes()


@given(arrays(np.float64, st.integers(0, 40), elements=st.sampled_from([0.0, 1.0, -0.0])))
def test_zeros_and_ones_survive_too_and_take_a_bit_each(values: np.ndarray) -> None:
    written = contents.encode_losses(values)
    assert contents.decode_losses(written).tobytes() == values.tobytes()
    if not np.signbit(values).any():
        assert len(written) == 5 + (values.size + 7) // 8


def test_scores_survive_to_the_last_bit(store: Store) -> None:
    bits = np.random.default_rng(0).integers(0, 2**64, 5000, dtype=np.uint64)
    extremes = [0.0, 1.0, -1.0, 0.1, 1 / 3, 5e-324, 2.0**53, 1e18, np.finfo(float).max]
    values = [*extremes, *(x for x in bits.view(np.float64).tolist() if np.isfinite(x))]
    put(
        store,
        *((TREE, Address(0, n, 0), Outcome(x, 0.0, None, "ok")) for n, x in enumerate(values)),
    )
    found = store._reader.cells(1, "tree", store._reader.metrics[0])["score"]
    assert found.tobytes() == np.array(values).tobytes()
    assert stored.outcome(store, TREE, Address(0, 4, 0)).score == 1 / 3


@pytest.mark.parametrize("score", [None, float("nan"), float("inf"), -float("inf")])
def test_an_ok_cell_needs_a_finite_score(store: Store, score: float | None) -> None:
    with pytest.raises(DataError, match=r"score of 'tree' at \(0, 0, 0\)"):
        store.add([(TREE, FIRST, good(TREE, FIRST, score=score))])
    assert store.done(TREE).size == 0


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_an_ok_cell_needs_finite_losses(store: Store, value: float) -> None:
    with pytest.raises(DataError, match="losses of 'tree'"):
        store.add([(TREE, FIRST, good(TREE, FIRST, losses=np.array([0.0, value])))])


def test_a_cell_that_is_not_ok_keeps_its_error_alone(store: Store) -> None:
    nan = float("nan")
    store.add([(TREE, FIRST, Outcome(nan, 1.5, np.array([nan]), "timeout", "too long"))])
    found = stored.outcome(store, TREE, FIRST)
    assert found == found._replace(score=None, losses=None, status="timeout", error="too long")
    assert store.done(TREE).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0])
def test_a_time_that_is_none_is_refused(store: Store, seconds: float) -> None:
    with pytest.raises(DataError, match="the time must be finite"):
        store.add([(TREE, FIRST, good(TREE, FIRST, seconds=seconds))])


def test_a_status_that_is_none_is_refused(store: Store) -> None:
    with pytest.raises(DataError, match="status of 'tree'"):
        store.add([(TREE, FIRST, good(TREE, FIRST, status="fine"))])


def test_the_same_cell_again_changes_nothing(store: Store) -> None:
    store.add([(TREE, FIRST, good(TREE, FIRST)), (BAYES, FIRST, failed("at 0x1"))])
    store.flush()
    store.add([(TREE, FIRST, good(TREE, FIRST, seconds=9.0)), (BAYES, FIRST, failed("at 0x2"))])
    store.flush()
    assert stored.outcome(store, TREE, FIRST).seconds == 0.01
    assert stored.outcome(store, BAYES, FIRST).error == "at 0x1"


@pytest.mark.parametrize(
    "other",
    [
        lambda: good(TREE, FIRST, score=0.123),
        lambda: good(TREE, FIRST, losses=1 - losses(TREE, FIRST)),
        lambda: good(TREE, FIRST, losses=None),
        lambda: failed("no"),
    ],
)
@pytest.mark.parametrize("together", [True, False])
def test_a_finished_cell_is_never_modified(
    store: Store, other: Callable[[], Outcome], together: bool
) -> None:
    first, second = (TREE, FIRST, good(TREE, FIRST)), (TREE, FIRST, other())
    beside = (BAYES, FIRST, good(BAYES, FIRST))
    put(store, *([] if together else [first]))
    with pytest.raises(StoreError, match=r"1 finished fits .* the first at \(0, 0, 0\)"):
        put(store, *([first] if together else []), second, beside)
    assert stored.outcome(store, TREE, FIRST).score == good(TREE, FIRST).score
    assert stored.outcome(store, BAYES, FIRST) is not None
    store.flush()


def test_failed_cells_run_again_when_they_are_forgotten(store: Store) -> None:
    store.add([(TREE, FIRST, failed("x")), (TREE, ADDRESSES[1], good(TREE, ADDRESSES[1]))])
    store.add([(BAYES, FIRST, failed("x", "killed"))])
    assert store.forget_failed(["tree"]) == 1
    assert store.done(TREE).tolist() == [list(ADDRESSES[1])]
    assert store.forget_failed() == 1
    store.add([(BAYES, FIRST, good(BAYES, FIRST))])
    assert stored.outcome(store, BAYES, FIRST).status == "ok"


def test_a_long_traceback_keeps_its_beginning_and_its_end(store: Store) -> None:
    store.add([(TREE, FIRST, failed("Traceback" + "x" * 10**6 + "ValueError: deep"))])
    kept = stored.outcome(store, TREE, FIRST).error
    assert len(kept) <= 20_000
    assert kept.startswith("Traceback")
    assert kept.endswith("ValueError: deep")
    assert "characters left out" in kept


@pytest.mark.parametrize("text", ["\ud800", "a\0b", "'); DROP TABLE cell; --", "\x1b[31m", ""])
def test_any_error_text_is_kept(store: Store, text: str) -> None:
    store.add([(TREE, FIRST, failed(text))])
    assert stored.outcome(store, TREE, FIRST).error == text


def test_the_same_traceback_is_kept_once(store: Store) -> None:
    store.add([(TREE, at, failed("Traceback …\nValueError: no")) for at in ADDRESSES])
    store.flush()
    db = sqlite3.connect(store.path)
    assert db.execute("SELECT count(*) FROM remark").fetchone() == (1,)
    db.close()


# Commits.


def test_a_hundred_results_are_committed_at_once(store: Store, path: Path) -> None:
    store.add([(TREE, FIRST, good(TREE, FIRST))])  # after a pause, one result does not wait
    assert committed(path) == 1
    store.add([(TREE, Address(0, 0, n), failed("x")) for n in range(1, 101)])
    assert committed(path) == 101


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> HandClock:
    """The clock of commits and claims, moved by hand."""
    made = HandClock()
    monkeypatch.setattr(cell_writer, "time", made)
    monkeypatch.setattr(sharing, "time", made)
    return made


def test_few_results_are_committed_in_time_though_no_other_comes(
    store: Store, path: Path, clock: HandClock
) -> None:
    store.add([(TREE, ADDRESSES[0], failed("x"))])
    store.add([(TREE, ADDRESSES[1], failed("x"))])
    assert committed(path) == 1
    clock.now += cell_writer.DELAY
    wait_until(lambda: committed(path) == 2, "a commit that nobody called for")


@pytest.mark.slow
def test_without_late_commits_results_wait_for_the_next(
    store: Store, path: Path, clock: HandClock
) -> None:
    store.commits_late = False
    cells = [(TREE, at, good(TREE, at)) for at in ADDRESSES]
    store.add(cells[:1])
    assert committed(path) == 1
    store.add(cells[1:2])
    clock.now += cell_writer.DELAY
    time.sleep(0.5)  # in which nothing happens
    assert committed(path) == 1
    store.add(cells[2:3])
    assert committed(path) == 3
    store.commits_late = True
    store.add(cells[3:4])
    assert committed(path) == 3
    clock.now += cell_writer.DELAY
    wait_until(lambda: committed(path) == 4, "a commit that nobody called for")


def test_what_waits_is_seen_by_who_reads_through_the_same_store(store: Store) -> None:
    store.add([(TREE, ADDRESSES[0], failed("x"))])
    store.add([(TREE, ADDRESSES[1], failed("x"))])
    assert len(store.done(TREE)) == 2


def test_what_went_wrong_while_nobody_called_is_raised_by_the_next_call(
    store: Store, path: Path, clock: HandClock
) -> None:
    store.add([(TREE, FIRST, good(TREE, FIRST))])
    store.add([(TREE, FIRST, failed("x")), (TREE, ADDRESSES[1], failed("x"))])
    clock.now += cell_writer.DELAY
    wait_until(lambda: committed(path) == 2, "a commit that nobody called for")
    with pytest.raises(StoreError, match="finished fits"):
        store.flush()


def test_closing_commits_and_a_closed_store_says_so(path: Path) -> None:
    with begin(path) as store:
        store.add([(TREE, ADDRESSES[0], failed("x"))])
        store.add([(TREE, ADDRESSES[1], failed("x"))])
    assert committed(path) == 2
    assert os.listdir(path.parent) == ["x.db"]
    with pytest.raises(StoreError, match="open it again"):
        store.done(TREE)
    with pytest.raises(StoreError, match="not open for writing"):
        store.register(TREE, describe={})


def test_commits_are_durable(store: Store) -> None:
    settings = [store._session.db.execute(f"PRAGMA {name}").fetchone()[0] for name in SETTINGS]
    assert settings == list(SETTINGS.values())


SETTINGS = {"journal_mode": "wal", "synchronous": 2}


def write_until_killed(path: Path, told: Connection) -> None:
    with begin(path, TREE) as store:
        for n in range(len(store.done(TREE)), 10**6):
            values = np.random.default_rng(n).random(20)
            store.add([(TREE, Address(1, n, 0), Outcome(values.mean(), 0.0, values, "ok"))])
            if n % 100 == 99:
                told.send(n)


@pytest.mark.slow
def test_killed_at_any_moment_nothing_committed_is_lost_or_torn(path: Path) -> None:
    kept = 0
    for moment in np.random.default_rng(0).uniform(0, 0.3, 5):
        process, told = beside(write_until_killed, path)
        last = told.recv()  # from here on it is writing
        time.sleep(moment)
        process.kill()
        process.join()
        while told.poll():
            with suppress(EOFError):
                last = told.recv()
                continue
            break
        with Store.open(path, EXPERIMENT) as store:
            done = store.done(TREE)
            assert last + 1 - len(done) < 100
            assert len(done) >= kept
            kept = len(done)
            assert done[:, 1].tolist() == list(range(kept))
            for n in {0, kept // 2, kept - 1}:
                values = np.random.default_rng(n).random(20)
                found = stored.outcome(store, TREE, Address(1, n, 0))
                assert found.score == values.mean()
                assert found.losses.tolist() == values.tolist()


# Results.


def test_scores_are_those_of_the_run_that_made_them(path: Path) -> None:
    with begin(path) as store:
        for learner in (BAYES, TREE):
            for at in reversed(ADDRESSES):
                note = (("OP103", "8 items"), ("other", "unknown code"))
                store.add([(learner, at, good(learner, at, notes=note))])
        made = store.scores()
    with Store.open(path, EXPERIMENT, mode="read") as store:
        scores = store.scores()
    for found in (made, scores):
        assert found.names == ("tree", "bayes")
        assert found.addresses.tolist() == [list(at) for at in ADDRESSES]
        for row, learner in enumerate((TREE, BAYES)):
            expected = [good(learner, at).score for at in ADDRESSES]
            assert found.values[row].tolist() == expected
            assert found.items.values[row].tolist() == [
                loss for at in ADDRESSES for loss in losses(learner, at)
            ]
        tested = [(row, item) for row, (*_, items) in enumerate(SPLITS) for item in items]
        assert list(zip(found.items.split, found.items.item, strict=True)) == tested
        assert found.items.loss == "zero-one"
        assert found.n_train.tolist() == [n_train for _, n_train, _, _ in SPLITS]
        assert found.n_test.tolist() == [n_test for _, _, n_test, _ in SPLITS]
        assert (found.metric, found.greater_is_better, found.seed) == ("accuracy", True, 7)
        assert found.design == DESIGN
        assert found.notes == (Note("OP103", "8 items"),)


def test_scores_may_be_asked_of_some_models_and_without_items(full: Path) -> None:
    with Store.open(full, mode="read") as store:
        scores = store.scores(["bayes"], items=False)
    assert scores.names == ("bayes",)
    assert scores.items is None


def test_an_incomplete_store_gives_no_scores(path: Path) -> None:
    fill(path, without=3)
    with Store.open(path, mode="read") as store:
        with pytest.raises(StoreIncomplete, match="incomplete: 29 of 32 fits") as caught:
            store.scores()
        assert "'tree' lacks 3" in str(caught.value)
        assert "bayes" not in str(caught.value)
        assert stored.state(store) == {
            "tree": CellCounts(16, 13, 0, 3),
            "bayes": CellCounts(16, 16, 0, 0),
        }
        assert [(p.learner, p.status, p.count) for p in store.problems()] == [
            ("tree", "missing", 3)
        ]
        assert store.scores(["bayes"]).n_splits == 16


def test_a_store_without_models_gives_no_scores(path: Path) -> None:
    with Store.open(path, EXPERIMENT) as store, pytest.raises(StoreIncomplete, match="no learners"):
        store.scores()


def test_failures_are_grouped_with_one_traceback_in_full(store: Store) -> None:
    deep = "Traceback …\n  in fit {}\nValueError: bad depth"
    store.add([(TREE, at, failed(deep.format(n))) for n, at in enumerate(ADDRESSES[:5])])
    store.add([(TREE, ADDRESSES[5], failed("Traceback …\nKeyError: 'x'"))])
    store.add([(BAYES, at, good(BAYES, at)) for at in ADDRESSES[:15]])
    store.add([(BAYES, ADDRESSES[15], failed("60 s were over", "timeout"))])
    store.add([(TREE, at, good(TREE, at)) for at in ADDRESSES[6:]])
    found = store.problems()
    assert [(p.learner, p.status, p.count, p.line) for p in found] == [
        ("tree", "failed", 5, "ValueError: bad depth"),
        ("tree", "failed", 1, "KeyError: 'x'"),
        ("bayes", "timeout", 1, "60 s were over"),
    ]
    assert (found[0].address, found[0].example) == (ADDRESSES[0], deep.format(0))
    with pytest.raises(StoreIncomplete) as caught:
        store.scores()
    assert str(caught.value).splitlines() == [
        "incomplete: 25 of 32 fits have a score",
        "'tree': 5 fits failed: ValueError: bad depth",
        "'tree': 1 fit failed: KeyError: 'x'",
        "'bayes': 1 fit ran out of time: 60 s were over",
        "The first of 'tree', at (0, 0, 0):",
        *deep.format(0).splitlines(),
    ]


# Claims.


def test_a_cell_is_claimed_by_one_owner(store: Store, path: Path) -> None:
    with Store.open(path, EXPERIMENT) as other:
        ours = stored.claim(store, TREE, ADDRESSES[:6], owner="a", seconds=60)
        theirs = stored.claim(other, TREE, ADDRESSES[4:9], owner="b", seconds=60)
        assert ours == ADDRESSES[:6]
        assert theirs == ADDRESSES[6:9]
        assert stored.claim(store, TREE, ADDRESSES, owner="a", seconds=60) == [
            *ADDRESSES[:6],
            *ADDRESSES[9:],
        ]
        assert len(stored.claim(other, BAYES, ADDRESSES, owner="b", seconds=60)) == 16


def test_finished_cells_are_not_claimed_though_they_wait_for_their_commit(store: Store) -> None:
    store.add([(TREE, ADDRESSES[0], good(TREE, ADDRESSES[0]))])
    store.add([(TREE, ADDRESSES[1], good(TREE, ADDRESSES[1]))])
    assert stored.claim(store, TREE, ADDRESSES[:3], owner="a", seconds=60) == ADDRESSES[2:3]


def test_a_claim_ends_with_its_result_and_with_the_store(path: Path) -> None:
    with begin(path) as store, Store.open(path, EXPERIMENT) as other:
        stored.claim(store, TREE, ADDRESSES[:2], owner="a", seconds=60)
        store.add([(TREE, ADDRESSES[0], good(TREE, ADDRESSES[0]))])
        store.flush()
        assert stored.held(store, "a") == 1
        store.close()
        assert stored.claim(other, TREE, ADDRESSES[:2], owner="b", seconds=60) == [ADDRESSES[1]]
    with Store.open(path, EXPERIMENT) as store:
        assert len(stored.claim(store, TREE, ADDRESSES[:2], owner="a", seconds=60)) == 1


def test_a_claim_ends_with_its_lease_unless_it_is_renewed(
    store: Store, path: Path, clock: HandClock
) -> None:
    with Store.open(path, EXPERIMENT) as other:
        stored.claim(store, TREE, ADDRESSES[:1], owner="lazy", seconds=60)
        stored.claim(store, TREE, ADDRESSES[1:2], owner="eager", seconds=60)
        stored.claim(store, TREE, ADDRESSES[2:3], owner="eager", seconds=60)
        clock.now += 61
        store.renew("eager")
        store.renew("nobody")
        assert stored.held(store, "eager") == 2
        assert stored.claim(other, TREE, ADDRESSES[:3], owner="b", seconds=60) == [ADDRESSES[0]]
        assert stored.held(store, "lazy") == 0


def claim_and_wait(path: Path, told: Connection) -> None:
    store = Store.open(path, EXPERIMENT)
    stored.claim(store, TREE, ADDRESSES[:4], owner="doomed", seconds=3600)
    told.send(len(store.deaths()))
    time.sleep(3600)  # it is killed long before


def test_a_claim_ends_with_the_process_that_made_it(path: Path) -> None:
    begin(path).close()
    process, told = beside(claim_and_wait, path)
    assert told.recv() == 0
    four = ADDRESSES[:4]
    with Store.open(path, EXPERIMENT) as store:
        assert store.deaths() == []
        assert stored.claim(store, TREE, four, owner="heir", seconds=60) == []
        with pytest.raises(StoreError, match="'doomed' is already used by another process"):
            stored.claim(store, TREE, ADDRESSES[4:], owner="doomed", seconds=60)
        process.kill()
        process.join()
        assert stored.claim(store, TREE, four, owner="heir", seconds=60) == four
        assert store.deaths() == []


def test_a_process_is_told_from_a_later_one_with_its_number() -> None:
    me = this_process()
    assert is_alive(me) is True
    assert is_alive(me._replace(born="long ago")) is False
    assert is_alive(me._replace(pid=2**22 + 1)) is False
    assert is_alive(Process("elsewhere", 1, "")) is None


def claim_two(path: Path, told: Connection) -> None:
    store = Store.open(path, EXPERIMENT)
    stored.claim(store, TREE, ADDRESSES[:2], owner="first", seconds=3600)
    stored.claim(store, BAYES, [FIRST], owner="second", seconds=3600)
    told.send("claimed")
    time.sleep(60)


def claim_one(path: Path, told: Connection) -> None:
    store = Store.open(path, EXPERIMENT)
    told.send(len(stored.claim(store, TREE, [FIRST], owner="third", seconds=3600)))
    time.sleep(60)


def die(act: Callable[..., None], path: Path) -> None:
    process, told = beside(act, path)
    told.recv()
    process.kill()
    process.join()


def test_deaths_are_counted_until_there_is_a_result(path: Path) -> None:
    begin(path).close()
    die(claim_two, path)
    once = [(TREE, FIRST, 1, False), (TREE, ADDRESSES[1], 1, False), (BAYES, FIRST, 1, True)]
    with Store.open(path, EXPERIMENT) as store:
        assert store.deaths() == once
        assert store.deaths() == once, "a death is counted once, and stays known as lonely"
    die(claim_one, path)
    with Store.open(path, EXPERIMENT) as store:
        assert store.deaths() == [(TREE, FIRST, 2, True), *once[1:]]
    with Store.open(path, EXPERIMENT) as store:
        assert store.deaths() == [(TREE, FIRST, 2, True), *once[1:]], "should the heir die too"
        store.add([(TREE, FIRST, failed("it killed the run twice", "killed"))])
        store.flush()
        assert store.deaths() == once[1:]
        store.forget_failed()
        assert store.deaths() == []


def fill_beside_others(path: Path, told: Connection) -> None:
    """Begin when told to; claim, compute and tell what was computed."""
    told.send("ready")
    owner, computed = told.recv(), []
    with begin(path) as store:
        for learner in (TREE, BAYES):
            while True:
                finished = {tuple(at) for at in store.done(learner).tolist()}
                left = [at for at in ADDRESSES if at not in finished]
                ours = stored.claim(store, learner, left[:3], owner=owner, seconds=60)
                ours = ours or stored.claim(store, learner, left, owner=owner, seconds=60)
                if not ours:
                    break
                computed += [(learner.name, *at) for at in ours]
                store.add([(learner, at, good(learner, at)) for at in ours])
    told.send(computed)


@pytest.mark.slow
def test_eight_processes_fill_one_new_store_with_no_crash_and_nothing_twice(path: Path) -> None:
    team = [beside(fill_beside_others, path) for _ in range(8)]
    assert [told.recv() for _, told in team] == ["ready"] * 8
    for n, (_, told) in enumerate(team):
        told.send(f"owner {n}")
    computed = [cell for _, told in team for cell in told.recv()]
    for process, _ in team:
        process.join()
    assert [process.exitcode for process, _ in team] == [0] * 8
    assert sorted(computed) == sorted((who.name, *at) for who in (TREE, BAYES) for at in ADDRESSES)
    with Store.open(path, EXPERIMENT, mode="read") as store:
        assert store.scores().values.shape == (2, 16)
    assert os.listdir(path.parent) == ["x.db"]


# Files.


def test_only_its_owner_may_read_a_store(path: Path) -> None:
    before = os.umask(0)
    try:
        with begin(path):
            modes = {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == {0o600}


def a_directory(path: Path) -> None:
    path.mkdir()


def some_text(path: Path) -> None:
    path.write_text("learner,score\ntree,0.5\n")


def another_database(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("CREATE TABLE cell (x)")
    db.close()


def a_newer_schema(path: Path, version: int = 3) -> None:
    fill(path)
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version={version}")
    db.close()


def an_older_schema(path: Path) -> None:
    a_newer_schema(path, 1)


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def nothing(path: Path) -> None:
    pass


def an_empty_file(path: Path) -> None:
    path.touch()


def marked_read_only(path: Path) -> None:
    fill(path)
    path.chmod(0o400)


EVERY, WRITE, OLD = ("create", "write", "read"), ("create", "write"), ("write", "read")


@pytest.mark.parametrize(
    ("make", "modes", "said"),
    [
        (a_directory, EVERY, "is a directory"),
        (some_text, EVERY, "is not a store"),
        (another_database, EVERY, "is a database, but not a"),
        (a_newer_schema, EVERY, "newer version of outperform (schema 3, this one supports 2)"),
        (an_older_schema, EVERY, "older version of outperform (schema 1, this one reads 2)"),
        (a_pipe, EVERY, "is not a regular file"),
        (nothing, OLD, "not found"),
        (an_empty_file, OLD, "is empty"),
        (marked_read_only, WRITE, "is read-only"),
    ],
)
def test_what_is_no_store_is_refused_in_one_line_and_left_as_it_was(
    path: Path, make: Callable[[Path], None], modes: tuple[str, ...], said: str
) -> None:
    make(path)
    before = trace(path) if path.is_file() else sorted(os.listdir(path.parent))
    for mode in modes:
        for experiment in (EXPERIMENT, None):
            with pytest.raises(StoreError) as caught:
                Store.open(path, experiment, mode=mode)
            assert said in str(caught.value)
            assert "\n" not in str(caught.value)
    assert (trace(path) if path.is_file() else sorted(os.listdir(path.parent))) == before


def test_nothing_is_made_without_an_experiment(path: Path) -> None:
    with pytest.raises(StoreError, match="create the store with a run"):
        Store.open(path)
    assert os.listdir(path.parent) == []


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_that_may_not_be_written_is_refused(path: Path, there: bool) -> None:
    if there:
        fill(path)
    path.parent.chmod(0o555)
    try:
        with pytest.raises(StoreError, match="is not writable"):
            Store.open(path, EXPERIMENT)
    finally:
        path.parent.chmod(0o755)
    with pytest.raises(StoreError, match="create it: mkdir -p "):
        Store.open(path.parent / "none" / "x.db", EXPERIMENT)


@pytest.mark.parametrize("odd", [None, 3, b"", "", ["x.db"]])
def test_what_is_no_path_is_refused(odd: object) -> None:
    with pytest.raises(DataError, match="a store is a path"):
        Store.open(odd, EXPERIMENT)
    with pytest.raises(DataError, match="mode must be"):
        Store.open("x.db", EXPERIMENT, mode="append")


@pytest.mark.parametrize("name", ["a b?c#d%20.db", "名前.db", "-x.db", "':memory:"])
def test_a_store_may_have_any_name(tmp_path: Path, name: str) -> None:
    fill(tmp_path / name)
    assert os.listdir(tmp_path) == [name]
    with Store.open(tmp_path / name, mode="read") as store:
        assert store.scores().n_splits == 16


def test_a_store_that_may_not_be_written_can_be_read(full: Path) -> None:
    full.chmod(0o400)
    full.parent.chmod(0o500)
    try:
        before = trace(full)
        with Store.open(full, EXPERIMENT, mode="read") as store:
            assert store.scores().n_splits == 16
            assert sorted(os.listdir(full.parent)) == before[2]
            with pytest.raises(StoreError, match="not open for writing"):
                store.add([(TREE, FIRST, good(TREE, FIRST))])
        assert trace(full) == before
    finally:
        full.parent.chmod(0o700)


def test_reading_leaves_the_file_as_it_was(full: Path) -> None:
    before = trace(full)
    with Store.open(full, EXPERIMENT, mode="read") as store:
        store.scores()
    assert trace(full) == before


def test_a_store_can_be_read_while_it_is_written(store: Store, path: Path) -> None:
    with Store.open(path, EXPERIMENT, mode="read") as reader:
        store.add([(TREE, at, good(TREE, at)) for at in ADDRESSES])
        store.flush()
        assert len(reader.done(TREE)) == 16


def write_and_die(path: Path, told: Connection) -> None:
    put(begin(path), (TREE, FIRST, good(TREE, FIRST)))
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_store_that_was_not_closed_is_looked_through_when_it_is_opened(path: Path) -> None:
    process, _ = beside(write_and_die, path)
    process.join()
    db = sqlite3.connect(path)
    (page,) = db.execute(
        "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_learner_1'"
    ).fetchone()
    db.close()
    sound = path.read_bytes()
    # An index entry that points at another row: no query here would ever meet it.
    at = sound.rindex(b"treeaa01", (page - 1) * 4096, page * 4096)
    path.write_bytes(sound[:at] + b"bree" + sound[at + 4 :])
    for mode in ("create", "write", "read"):
        with pytest.raises(StoreDamaged, match=r"was not closed, and .*\.recover"):
            Store.open(path, EXPERIMENT, mode=mode)
    path.write_bytes(sound)
    with Store.open(path, EXPERIMENT) as store:
        assert len(store.done(TREE)) == 1
    db = sqlite3.connect(path)
    assert db.execute("SELECT count(*) FROM owner").fetchone() == (0,)
    db.close()


def test_a_store_half_made_is_made_again(path: Path) -> None:
    an_empty_file(path)
    fill(path)
    with Store.open(path, mode="read") as store:
        assert store.scores().n_splits == 16


# A full disk.


def test_a_full_disk_stops_the_run_and_keeps_what_is_committed(path: Path) -> None:
    with begin(path) as store:
        store.add([(TREE, FIRST, good(TREE, FIRST))])
        db = store._session.db
        (pages,) = db.execute("PRAGMA page_count").fetchone()
        db.execute(f"PRAGMA max_page_count={pages}")
        noise = np.random.default_rng(0).random(10_000)
        big = [(TREE, at, good(TREE, at, losses=noise)) for at in ADDRESSES[1:]]
        with pytest.raises(StoreFull, match="is kept; free some space and run the same"):
            put(store, *big)
        db.execute("PRAGMA max_page_count=1000000")
        store.flush()  # what waited is not lost if there is room in time
        assert len(store.done(TREE)) == 16


def write_until_full(path: Path, told: Connection) -> None:
    import resource

    store = begin(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
    noise = np.random.default_rng(0).random(1000)
    n = 0
    try:
        with store:
            for at in ADDRESSES:
                put(store, (TREE, at, good(TREE, at, losses=noise)))
                n += 1
    except StoreFull as error:
        told.send((n, str(error)))


def test_a_run_resumes_whole_after_the_file_could_not_grow(path: Path) -> None:
    _, told = beside(write_until_full, path)
    n, said = told.recv()
    assert "Everything committed so far is kept" in said
    assert 0 < n < 16
    with Store.open(path, EXPERIMENT) as store:
        assert len(store.done(TREE)) == n
        noise = np.random.default_rng(0).random(1000)
        for at in ADDRESSES[n:]:
            store.add([(TREE, at, good(TREE, at, losses=noise))])
        assert len(store.done(TREE)) == 16


def test_the_error_that_stopped_a_run_is_not_hidden_by_closing_its_store(path: Path) -> None:
    def run() -> None:
        with begin(path) as store:
            store.add([(TREE, FIRST, good(TREE, FIRST))])
            store.add([(TREE, FIRST, failed("other"))])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run()
