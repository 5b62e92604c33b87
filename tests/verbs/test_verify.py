"""Records: what they contain is recomputed to the last bit, and every change to one is named."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform.errors import DataError, MethodError
from outperform.results.records import sealed
from outperform.scores.payload import decoded, encoded
from outperform.verbs.verify import DamagedRecord

TRIALS = Path(__file__).parents[1] / "readers" / "trials"
LEARNERS = {"tree": DecisionTreeClassifier(max_depth=1), "bayes": GaussianNB()}


@pytest.fixture
def place(tmp_path):
    return tmp_path / "verdict.outperform.json"


def changed(path, change):
    held = json.loads(path.read_text())
    change(held)
    path.write_text(json.dumps(held))
    return held


@pytest.mark.parametrize(
    "design",
    [
        *("10cv", "3x5cv", "2x4cv+4halves", "holdout@1/3", "5x2cv", "5seeds@1/3", "loo"),
        *("3x4halves@1/10", "3*5cv", "5forward", "6xresampled@1/3", "4cv/stratified"),
    ],
)
def test_a_record_of_every_kind_of_run_is_recomputed_to_the_last_bit(design, place):
    X, y = load_iris(return_X_y=True)
    X, y = X[::2] + np.random.default_rng(0).normal(0, 1, X[::2].shape), y[::2]
    found = op.compare(LEARNERS, X, y, design=design, random_state=1)
    sha256 = found.record(place, rope=0.02)
    again = op.verify(place)
    assert again.agrees, str(again)
    assert again.sha256 == sha256
    assert not again.other_versions


@pytest.mark.parametrize("name", ["bench.csv", "pred.csv", "llm_wide0.csv", "judge.csv"])
def test_a_record_of_every_kind_of_file_is_recomputed(name, place):
    op.compare(TRIALS / name).record(place)
    assert op.verify(place).agrees


@pytest.mark.parametrize("method", ["simultaneous", "pooled_intervals", "all_pairs"])
def test_a_record_names_the_procedure_that_judged_the_family(method, place):
    op.compare(TRIALS / "pred.csv", method=method).record(place)
    assert json.loads(place.read_text())["asked"]["method"] == method
    assert op.verify(place).agrees


def test_control_alternative_and_adjustment_are_asked_again(place):
    scores = op.Scores.read(TRIALS / "a_wide.csv")
    control = scores.names[0]
    found = op.compare(scores, control=control, alternative="greater", adjust="holm")
    found.record(place, alpha=0.1, level=0.8)
    assert op.verify(place).agrees


def test_a_changed_digit_is_named_with_both_values(place):
    op.compare(TRIALS / "a_wide.csv").record(place)

    def nudge(held):
        pair = held["found"]["pairs"][1]
        pair["pvalue"] = np.nextafter(pair["pvalue"], 1)

    changed(place, nudge)
    again = op.verify(place)
    assert not again.agrees
    assert not again.is_sealed
    assert [place for place, _, _ in again.differences] == ["pairs[1].pvalue"]
    assert "pairs[1].pvalue: recorded 0." in str(again)


def test_a_forged_seal_does_not_hide_a_changed_verdict(place):
    op.compare(TRIALS / "a_wide.csv").record(place)
    held = json.loads(place.read_text())
    held["found"]["pairs"][0]["verdict"] = "equivalent"
    place.write_text(json.dumps(sealed(held)))
    again = op.verify(place)
    assert again.is_sealed
    assert [place for place, _, _ in again.differences] == ["pairs[0].verdict"]


def test_a_changed_score_is_named_by_what_it_changes(place):
    op.compare(TRIALS / "a_wide.csv").record(place)

    def change(held):
        held["measured"]["values"]["numbers"][0] += 0.01

    changed(place, change)
    places = [place for place, _, _ in op.verify(place).differences]
    assert "pairs[0].estimate" in places


def test_a_dropped_item_is_named(place):
    op.compare(TRIALS / "pred.csv").record(place)

    def drop(held):
        held["measured"]["items"]["n"] -= 1

    changed(place, drop)
    again = op.verify(place)
    assert not again.agrees
    assert ("n", 228, 227) in again.differences


def test_another_version_is_named_and_is_no_difference(place):
    op.compare(TRIALS / "a_wide.csv").record(place)
    held = json.loads(place.read_text())
    held["versions"]["numpy"] = "1.0"
    place.write_text(json.dumps(sealed(held)))
    again = op.verify(place)
    assert again.agrees
    assert again.other_versions == {"numpy": ("1.0", np.__version__)}
    assert "numpy: recorded with 1.0, now" in str(again)


def test_what_was_measured_survives_the_way_through_json():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["a", "b", "c"])[y]
    scores = op.run(
        LEARNERS, X, labels, design="3cv", random_state=0, scoring=["accuracy", "f1_macro"]
    )
    back = decoded(json.loads(json.dumps(encoded(scores), allow_nan=False)))
    assert back.digest() == scores.digest()
    assert (back.names, back.design, back.notes) == (scores.names, scores.design, scores.notes)


def test_long_arrays_are_compressed_and_exact():
    array = np.random.default_rng(0).normal(size=(7, 1000))
    array[2, 3] = np.nan
    back = decoded(encoded(array))
    assert np.array_equal(back, array, equal_nan=True)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_hostile_records_are_refused_or_differ_but_never_run(data, tmp_path_factory):
    place = tmp_path_factory.mktemp("hostile") / "r.outperform.json"
    op.compare(TRIALS / "a_wide.csv").record(place)
    held = json.loads(place.read_text())
    at, key = held, None
    for _ in range(data.draw(st.integers(1, 4))):
        if not isinstance(at, dict) or not at:
            break
        parent, key = at, data.draw(st.sampled_from(sorted(at)))
        at = parent[key]
    strange = st.sampled_from(
        [None, -1, 1e308, "os.system", "__class__", [], {}, {"is": "Scores"}, {"is": "eval"}, True]
    )
    parent[key] = data.draw(strange)
    place.write_text(json.dumps(held))
    try:
        again = op.verify(place)
    except DataError:
        return
    assert not again.agrees or json.loads(place.read_text()) == held


def test_a_bomb_is_refused_by_its_own_shape(place):
    import base64
    import zlib

    bomb = base64.b64encode(zlib.compress(b"\0" * 10_000_000)).decode()
    small = {"is": "array", "shape": [2, 10], "dtype": "<f8", "zlib": bomb}
    with pytest.raises(DataError, match="must have 160 bytes"):
        decoded(small)
    with pytest.raises(DataError, match="at most"):
        decoded({**small, "shape": [2**20, 2**20]})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not valid JSON"),
        ('{"schema": "outperform/record/9"}', "must have the schema"),
        ("[]", "must have the schema"),
        ('{"schema": "outperform/record/1", "asked": {}}', "no measured and no found"),
        ('{"schema": NaN}', "not valid JSON"),
    ],
)
def test_what_is_no_record_is_refused(text, said, place):
    place.write_text(text)
    with pytest.raises(DamagedRecord, match=said):
        op.verify(place)


def test_names_of_files_and_existing_files_are_checked(place):
    found = op.compare(TRIALS / "a_wide.csv")
    with pytest.raises(DataError, match=r"must end in \.outperform\.json") as error:
        found.record(place.with_name("verdict.json"))
    assert "verdict.outperform.json" in str(error.value)
    found.record(place)
    with pytest.raises(DataError, match="already exists"):
        found.record(place)
    found.record(place, force=True)


def test_a_comparison_without_scores_has_no_record(place):
    y = np.array([0, 1] * 20)
    found = op.all_pairs(y, {"a": y, "b": 1 - y})
    with pytest.raises(MethodError, match="contains the scores"):
        found.record(place)


def test_tables_and_paragraphs_carry_the_short_hash(place):
    found = op.compare(TRIALS / "a_wide.csv")
    sha256 = found.record(place)
    assert f"Record: sha256 {sha256[:12]}" in found.to_latex(record=sha256)
    assert f"% Record: sha256 {sha256[:12]}" in found.to_latex(caption="Ours", record=sha256)
    assert found.methods_text(record=sha256).endswith(f"Record: sha256 {sha256[:12]}.")
    with pytest.raises(DataError, match="must be the sha256"):
        found.to_latex(record="verdict.outperform.json")
