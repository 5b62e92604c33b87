"""What a store keeps beside scores, and how it grows."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from test_store import ADDRESSES, BAYES, EXPERIMENT, SPLITS, TREE, good, put

from outperform import Scores, parse
from outperform.storage import (
    Address,
    MetricKey,
    Outcome,
    Store,
    StoreDamaged,
    StoreError,
    StoreIncomplete,
    check,
)
from outperform.storage.responses import (
    Response,
    classes_of,
    decode_response,
    decode_truth,
    encode_response,
    encode_truth,
)

Y = np.arange(30) % 3
TWO = EXPERIMENT.with_metrics([EXPERIMENT.metrics[0], MetricKey("f1", "f1")])


def answered(learner: Any, address: Address) -> Outcome:
    """Return an outcome by two metrics, with predictions and probabilities."""
    found = good(learner, address)
    rng = np.random.default_rng([*learner.name.encode(), *address])
    n = found.losses.size
    known = classes_of(Y)
    bodies = (
        encode_response(Response(rng.integers(0, 3, n)), known),
        encode_response(Response(rng.random((n, 3)), known), known),
    )
    second = Outcome(rng.random(), 0.01, None, "ok")
    return found._replace(more=(second,), responses=tuple(enumerate(bodies)))


def make(path: Path) -> Path:
    with Store.open(path, TWO) as store:
        store.put_splits(SPLITS)
        for learner in (TREE, BAYES):
            store.register(learner, describe={})
            store.add([(learner, at, answered(learner, at)) for at in ADDRESSES])
        store.put_truth(Y)
        store.put_notes([("OP508", "3 of 16 training sets have fewer than 10 items.")])
    return path


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("second") / "x.db")


@pytest.fixture
def full(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(template, tmp_path / "x.db"))


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        for statement in statements:
            db.execute(statement)


# Responses and targets come back to the last bit.


def assert_same(first: Any, second: Any) -> None:
    assert (first.dtype, first.shape) == (second.dtype, second.shape)
    assert first.flags.f_contiguous == second.flags.f_contiguous
    if first.dtype == object:  # whose bytes are addresses in memory
        assert first.tolist() == second.tolist()
    else:
        assert first.tobytes("A") == second.tobytes("A")


@given(
    arrays(
        st.sampled_from([np.float64, np.float32, np.int64, np.int8, np.bool_, np.dtype("<U5")]),
        st.tuples(st.integers(0, 9), st.integers(0, 9)),
    ),
    st.booleans(),
)
def test_an_array_comes_back_to_the_last_bit(values: Any, turned: bool) -> None:
    values = values.T if turned else values
    body = encode_response(Response(values), None)
    assert body is not None
    assert_same(decode_response(body, None).values, values)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 256, 257, 1000])
@pytest.mark.parametrize("kind", ["int64", "int32", "float64", "U", "O", "bool"])
def test_labels_come_back_as_they_were_in_few_bytes(n_classes: int, kind: str) -> None:
    names = np.array([f"c{n}" for n in range(n_classes)])
    y = names if kind in "UO" else np.arange(n_classes)
    y = y.astype(bool) if kind == "bool" else y
    known = classes_of(y.astype(object) if kind == "O" else y)
    labels = np.random.default_rng(0).choice(y, 400).astype(kind if kind != "U" else y.dtype)
    body = encode_response(Response(labels), known)
    assert body is not None
    assert_same(decode_response(body, known).values, labels)
    bits = 1 if len(known) <= 2 else 8 if len(known) <= 256 else 16
    assert len(body) <= 16 + 400 * bits // 8


def test_labels_that_no_item_has_come_back_too() -> None:
    for odd in (np.array([0, 7]), np.array(["a", "b"]), np.array([0.5, 1.5]), np.array([1j])):
        body = encode_response(Response(odd), np.array([0, 1]))
        assert body is not None
        assert_same(decode_response(body, np.array([0, 1])).values, odd)
    assert encode_response(Response(np.array([{}, []], dtype=object)), None) is None


def test_probabilities_keep_the_classes_their_columns_stand_for() -> None:
    known, own = np.array(["a", "b", "c"]), np.array(["a", "c"])
    body = encode_response(Response(np.eye(2), own), known)
    assert body is not None
    assert decode_response(body, known).classes.tolist() == ["a", "c"]
    assert encode_response(Response(np.eye(2), np.array(["a", "z"])), known) is None


@pytest.mark.parametrize(
    "y",
    [
        np.arange(10) % 3,
        np.linspace(0, 1, 7),
        np.array(["b", "a", "b"]),
        np.array(["x", "y"], dtype=object),
        np.array([True, False]),
        np.arange(12.0).reshape(4, 3),
    ],
)
def test_targets_come_back_as_they_were(y: Any) -> None:
    body = encode_truth(y)
    assert body is not None
    found = decode_truth(body)
    assert found.dtype == y.dtype
    np.testing.assert_array_equal(found, y)


def test_targets_of_several_types_are_not_kept() -> None:
    assert encode_truth(np.array(["a", 1], dtype=object)) is None


# Several metrics, notes and targets.


def test_scores_hold_every_metric_the_targets_and_the_notes_of_the_run(full: Path) -> None:
    scores = Scores.read(full)
    assert scores.metrics == ("accuracy", "f1")
    assert scores.target is not None
    assert scores.target.tolist() == Y.tolist()
    assert [note.code for note in scores.notes] == ["OP508"]
    other = scores.for_metric("f1")
    assert other.metrics == ("f1", "accuracy")
    wanted = [[answered(who, at).more[0].score for at in ADDRESSES] for who in (TREE, BAYES)]
    assert other.values.tolist() == wanted
    assert other.items is None
    assert other.for_metric("accuracy").digest() == scores.digest()


def test_the_metric_that_came_first_in_the_last_run_is_the_primary_one(full: Path) -> None:
    Store.open(full, TWO.with_metrics(TWO.metrics[::-1])).close()
    assert Scores.read(full).metrics == ("f1", "accuracy")


def test_a_metric_that_is_not_complete_is_left_out_unless_it_is_asked_for(full: Path) -> None:
    three = TWO.with_metrics([*TWO.metrics, MetricKey("recall", "recall")])
    with (
        Store.open(full, three) as store,
        pytest.raises(StoreIncomplete, match="'tree' by recall lacks 16"),
    ):
        store.scores()
    assert Scores.read(full).metrics == ("accuracy", "f1")


# A design may grow.


def test_a_larger_design_of_the_family_adds_to_what_is_there(full: Path) -> None:
    small = Scores.read(full)
    design = parse("5x4cv")
    larger = TWO.with_metrics(TWO.metrics)
    larger = type(larger)(**{**_fields(larger), "design": "5x4cv"})
    with Store.open(full, larger) as store:
        assert len(store.done(TREE)) == 16
        with pytest.raises(StoreIncomplete, match="32 of 40 fits"):
            store.scores()
        splits = [
            (Address(*one[:3]), one.train.size, one.test.size, one.test)
            for one in design.split(30, random_state=7)
        ]
        store.put_splits(splits)
        new = [Address(0, 4, fold) for fold in range(4)]
        for learner in (TREE, BAYES):
            store.add([(learner, at, _sized(learner, at)) for at in new])
        assert store.scores().n_splits == 20
    assert str(Scores.read(full).design) == "5x4cv"
    assert Scores.read(full, design="4x4cv").digest() == small.digest()
    with Store.open(full, TWO) as store:  # the smaller one again
        assert store.scores().digest() == small.digest()
    assert str(Scores.read(full).design) == "5x4cv"
    assert check(full).ok


def _fields(experiment: Any) -> dict[str, Any]:
    return {name: getattr(experiment, name) for name in type(experiment).__slots__}


def _sized(learner: Any, at: Address) -> Outcome:
    n = 8 if at.fold < 2 else 7
    return Outcome(0.5, 0.1, np.arange(n) % 2 == 0, "ok", more=(Outcome(0.4, 0.1, None, "ok"),))


# Damage.

DAMAGES = {
    "a response": "UPDATE response SET body = x'4c00000500000000' WHERE learner = 1 AND kind = 0 "
    "AND address = 0",
    "a lost response": "DELETE FROM response WHERE learner = 1 AND kind = 1 AND address = 0",
    "a response elsewhere": "UPDATE response SET address = 77 WHERE learner = 1 AND kind = 0 "
    "AND address = 0",
    "a score by another metric": "UPDATE cell SET score = 0.5 WHERE learner = 1 AND metric = 2 "
    "AND address = 0",
    "a score by the wrong metric": "UPDATE cell SET metric = 9 WHERE learner = 1 AND metric = 2 "
    "AND address = 0",
    "what is kept": "UPDATE cell SET kept = 0 WHERE learner = 1 AND metric = 1 AND address = 0",
    "targets": "UPDATE truth SET body = x'41'",
    "a lost metric": "DELETE FROM metric WHERE id = 2",
    "a metric": "UPDATE metric SET greater = 0 WHERE id = 2",
    "a design": "UPDATE meta SET value = '3x4cv' WHERE key = 'design'",
}


@pytest.mark.parametrize("statement", DAMAGES.values(), ids=DAMAGES)
def test_damage_to_metrics_and_responses_is_noticed(full: Path, statement: str) -> None:
    change(full, statement)
    assert not check(full).ok


def test_a_damaged_response_is_noticed_when_it_is_read(full: Path) -> None:
    change(full, DAMAGES["a response"])
    with (
        Store.open(full, mode="read") as store,
        pytest.raises(StoreDamaged, match=r"the responses at \(0, 0, 0\) are corrupt"),
    ):
        store.kept(TREE, classes_of(Y))


def test_a_fit_that_answers_otherwise_than_before_is_refused(full: Path) -> None:
    with Store.open(full, TWO) as store:
        other = answered(BAYES, ADDRESSES[0]).responses
        again = answered(TREE, ADDRESSES[0])._replace(responses=other)
        with pytest.raises(
            StoreError, match=r"1 finished fits .* run again with different results"
        ):
            put(store, (TREE, ADDRESSES[0], again))
