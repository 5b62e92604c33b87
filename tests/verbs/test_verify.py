"""Records: what they contain is recomputed to the last bit, and every change to one is named."""

import base64
import json
import zlib
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform import DataError, MethodError
from outperform.results.records import record_of, sealed, text_of
from outperform.scores import payload
from outperform.scores.payload import decoded, encoded
from outperform.verbs.race_record import race_record
from outperform.verbs.verify import DamagedRecord

TRIALS = Path(__file__).parents[1] / "readers" / "trials"
EXAMPLES = Path(__file__).parents[2] / "examples"
MODELS = {"tree": DecisionTreeClassifier(max_depth=1), "bayes": GaussianNB()}


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
    found = op.compare(MODELS, X, y, design=design, random_state=1)
    sha256 = found.record(place, rope=0.02)
    again = op.verify(place)
    assert again.agrees, str(again)
    assert again.sha256 == sha256
    assert not again.other_versions


@pytest.mark.parametrize("name", ["bench.csv", "pred.csv", "llm_wide0.csv", "judge.csv"])
def test_a_record_of_every_kind_of_file_is_recomputed(name, place):
    op.compare(TRIALS / name).record(place)
    assert op.verify(place).agrees


def right(p, shape, seed):
    return (np.random.default_rng(seed).random(shape) < p).astype(float)


def sampled(**about):
    models = {"a": right(0.7, (40, 3), 0), "b": right(0.6, (40, 3), 1), "c": right(0.5, (40, 3), 2)}
    return op.Items.from_arrays(models, metric="accuracy", **about)


def benchmark(splits=1, gaps=False, families=False, n=8):
    rng = np.random.default_rng(0)
    rows = [
        {"learner": name, "dataset": f"d{d}", "fold": s, "score": 0.1 * d + gain + 0.01 * noise}
        | ({"family": f"f{d // 2}"} if families else {})
        for d in range(n)
        for gain, name in ((0.05, "x"), (0.03, "y"), (0.0, "z"))
        for s, noise in enumerate(rng.normal(size=splits))
        if not (gaps and d == 7 and name == "z")
    ]
    frame = pl.DataFrame(rows)
    return op.Benchmark.from_frame(frame if splits > 1 else frame.drop("fold"))


def probabilities():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 80)
    models = {
        name: np.clip(0.5 + gain * (y - 0.5) + rng.normal(0, 0.2, 80), 0.01, 0.99)
        for name, gain in (("a", 0.4), ("b", 0.2))
    }
    return op.Items.from_probabilities(y, models, metric="roc_auc")


KINDS = {
    "items": lambda: op.compare(
        op.Items.from_arrays({"a": right(0.7, 90, 0), "b": right(0.6, 90, 1)})
    ),
    "losses of items": lambda: op.compare(
        op.Items.from_arrays({"a": [0.3, 0.2, 0.9], "b": [0.1, 0.4, 0.8]}, lower_is_better=True)
    ),
    "samples": lambda: op.compare(sampled()),
    "samples in clusters": lambda: op.compare(sampled(clusters=np.arange(40) // 4)),
    "these items": lambda: op.compare(sampled(population="these")),
    "n of N items": lambda: op.compare(sampled(n_population=100)),
    "pass@2": lambda: op.compare(sampled().pass_at(2)),
    "areas": lambda: op.compare(probabilities()),
    "bootstrap": lambda: op.compare(sampled(), method="paired_bootstrap"),
    "bootstrap of clusters": lambda: op.compare(
        sampled(clusters=np.arange(40) // 4), method="paired_bootstrap"
    ),
    "signs drawn": lambda: op.compare(sampled(), method="sign_flip"),
    "judgements": lambda: op.compare(EXAMPLES / "logs/judged.csv"),
    "logs": lambda: op.compare(
        *(EXAMPLES / f"logs/{n}.jsonl" for n in ("new", "old")), cluster="subject"
    ),
    "datasets": lambda: op.compare(benchmark()),
    "datasets with splits": lambda: op.compare(benchmark(splits=5)),
    "datasets in families": lambda: op.compare(benchmark(families=True, n=10)),
    "datasets, some missing": lambda: op.compare(benchmark(gaps=True), missing="pairwise"),
    "datasets, complete": lambda: op.compare(benchmark(gaps=True), missing="complete"),
    "posterior over datasets": lambda: op.compare(benchmark(), method="bayesian_signed_rank"),
    "hierarchy": lambda: op.compare(benchmark(splits=3, n=3), method="hierarchical"),
    "simultaneous over datasets": lambda: op.compare(benchmark(), method="max_t"),
    "against a control": lambda: op.compare(benchmark(), control="z"),
    "race": lambda: op.race(right(0.8, 300, 4), right(0.6, 300, 5), names=("a", "b")),
    "race of scores": lambda: op.race(right(0.8, 99, 4) / 3, right(0.6, 99, 5) / 3, rope=0.01),
    "race of items": lambda: op.race(sampled(), names=("a", "b"), population="these"),
    "race of clusters": lambda: op.race(sampled(clusters=np.arange(40) // 4), names=("b", "c")),
    "race of functions": lambda: op.race(lambda i: i % 7 / 7, lambda i: i % 3 / 6, range(200)),
    "race of losses": lambda: op.race(
        right(0.8, 99, 4), right(0.6, 99, 5), method="asymptotic", lower_is_better=True
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_record_of_every_kind_of_comparison_is_recomputed_to_the_last_bit(kind, place):
    sha256 = KINDS[kind]().record(place)
    again = op.verify(place)
    assert again.agrees, str(again)
    assert again.sha256 == sha256
    assert again.verdicts


def test_posteriors_over_datasets_are_json_without_verdicts_by_p_values():
    held = json.loads(op.compare(benchmark(), method="bayesian_signed_rank").to_json())
    assert held["datasets"]["without"] == []
    assert held["pairs"][0]["verdict"] == "outperforms"


def test_a_record_says_which_comparisons_were_adjusted_for_together(place):
    op.compare(benchmark()).record(place)
    family = json.loads(place.read_text())["found"]["family"]
    assert family == {
        "learners": 3,
        "pairs": 3,
        "compared": "all pairs",
        "adjustment": "bergmann-hommel",
    }
    op.compare(benchmark(), control="z").record(place, force=True)
    family = json.loads(place.read_text())["found"]["family"]
    assert (family["pairs"], family["compared"]) == (2, "each with the control")


@pytest.mark.parametrize("where", ["estimate", "pvalue", "n", "outcome", "seed"])
def test_a_changed_race_is_named(where, place):
    KINDS["race"]().record(place)

    def change(held):
        told = held["found"][where]
        held["found"][where] = "worse" if isinstance(told, str) else told + 1

    changed(place, change)
    assert [spot for spot, _, _ in op.verify(place).differences] == [where]


def test_a_dropped_item_of_a_race_is_named(place):
    KINDS["race"]().record(place)

    def drop(held):
        values = held["measured"]["values"]
        values["shape"][1] -= 1
        values["numbers"] = [one for i, one in enumerate(values["numbers"]) if i % 300]

    changed(place, drop)
    assert ("n_items", 300, 299) in op.verify(place).differences


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
        MODELS, X, labels, design="3cv", random_state=0, scoring=["accuracy", "f1_macro"]
    )
    back = decoded(json.loads(json.dumps(encoded(scores), allow_nan=False)))
    assert back.digest() == scores.digest()
    assert (back.names, back.design, back.notes) == (scores.names, scores.design, scores.notes)


def test_long_arrays_are_compressed_and_exact():
    array = np.random.default_rng(0).normal(size=(7, 1000))
    array[2, 3] = np.nan
    back = decoded(encoded(array))
    assert np.array_equal(back, array, equal_nan=True)


@cache
def recorded(kind):
    """Return the text of a record."""
    found = op.compare(TRIALS / "a_wide.csv") if kind == "comparison" else KINDS["race"]()
    return text_of(race_record(found) if kind == "race" else record_of(found))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_hostile_records_are_refused_or_differ_but_never_run(data, tmp_path_factory):
    place = tmp_path_factory.mktemp("hostile") / "r.outperform.json"
    held = json.loads(recorded(data.draw(st.sampled_from(["comparison", "race"]))))
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


def packed(n, content):
    body = base64.b64encode(zlib.compress(content)).decode()
    return {"is": "array", "shape": [n], "dtype": "<f8", "zlib": body}


def test_a_bomb_is_refused_by_its_own_shape():
    with pytest.raises(DataError):
        decoded(packed(20, b"\0" * 10_000_000))


def test_what_all_arrays_of_a_record_unpack_to_is_bounded(place, monkeypatch):
    record("comparison", place)
    array = packed(100, b"\0" * 800)
    resealed(place, lambda held: held["measured"].update(values=array, n_train=array))
    monkeypatch.setattr(payload, "MOST_BYTES", 1000)
    with monkeypatch.context() as within:
        within.setattr(payload.zlib, "decompressobj", lambda: pytest.fail("unpacked"))
        with pytest.raises(DamagedRecord):
            op.verify(place)
    with pytest.raises(DataError):
        sealed({"measured": [array, array]})


STRANGE = {
    "a long design": {"design": {"is": "Design", "notation": "9" * 100_000 + "cv"}},
    "designs of designs": {"design": {"is": "Design", "notation": "9*" * 400 + "10cv"}},
    "a design of no kind": {"design": {"is": "Design", "notation": "x9" * 50_000}},
    "no zlib": {"values": {**packed(3, b""), "zlib": "bm9uc2Vuc2U="}},
    "nested": {"values": json.loads("[" * 300 + "]" * 300)},
}


@pytest.mark.parametrize("kind", STRANGE)
def test_strange_content_is_refused_in_one_short_line(kind, place):
    resealed(record("comparison", place), lambda held: held["measured"].update(STRANGE[kind]))
    with pytest.raises(DamagedRecord) as caught:
        op.verify(place)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not valid JSON"),
        ('{"schema": "outperform/record/9"}', "must have the schema"),
        ("[]", "must have the schema"),
        (
            '{"schema": "outperform/record/1", "asked": {}}',
            "no measured and no found and no versions",
        ),
        ('{"schema": NaN}', "not valid JSON"),
        ('{"schema": "outperform/record/1", "kind": "study"}', "comparison or a race"),
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
    found = op.methods.all_pairs(y, {"a": y, "b": 1 - y})
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


def resealed(path, change):
    held = json.loads(path.read_text())
    change(held)
    path.write_text(json.dumps(sealed(held)))


def record(kind, place):
    place.write_text(recorded(kind))
    return place


@pytest.mark.parametrize("kind", ["comparison", "race"])
@pytest.mark.parametrize(
    ("change", "spot"),
    [
        (lambda held: held.update(estimand="Applies to all data."), "estimand"),
        (lambda held: held.update(conclusion="the best"), "conclusion"),
        (lambda held: held["asked"].update(conclusion=None), "asked.conclusion"),
        (lambda held: held["found"].update(conclusion=None), "conclusion"),
    ],
)
def test_a_forged_seal_does_not_hide_another_estimand_or_an_added_key(kind, change, spot, place):
    resealed(record(kind, place), change)
    again = op.verify(place)
    assert again.is_sealed
    assert [where for where, _, _ in again.differences] == [spot]


@pytest.mark.parametrize("kind", ["comparison", "race"])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda held: held["measured"].update(zzz=1), "has an unknown key, 'zzz'"),
        (lambda held: held["measured"]["values"].update(texts=[]), "array has an unknown key"),
        (lambda held: held["measured"]["values"]["numbers"].pop(), "cannot reshape array of size"),
        (lambda held: held["asked"].pop("alpha"), "damaged record: KeyError..alpha"),
        (lambda held: held.update(versions="x"), "no versions"),
        (lambda held: held["versions"].update(numpy=[1]), "a version must be text"),
    ],
)
def test_a_damaged_record_says_what_is_damaged(kind, change, said, place):
    resealed(record(kind, place), change)
    with pytest.raises(DamagedRecord, match=said):
        op.verify(place)


def test_a_key_that_is_there_twice_is_damage(place):
    text = recorded("comparison").replace('"pvalue":', '"pvalue": 1e-9, "pvalue":', 1)
    place.write_text(text)
    with pytest.raises(DamagedRecord, match="duplicate key 'pvalue'"):
        op.verify(place)
    many = ", ".join(f'"{k}": 0' for k in range(100_000))
    place.write_text(f'{{{many}, "99999": 1}}')  # minutes, if each key were counted
    with pytest.raises(DamagedRecord, match="duplicate key '99999'"):
        op.verify(place)
    place.write_text(recorded("comparison").replace('"alpha": 0.05', '"alpha": 1e999', 1))
    with pytest.raises(DamagedRecord, match="damaged record: ValueError"):
        op.verify(place)


@pytest.mark.parametrize("kind", ["comparison", "race"])
def test_a_verification_obeys_no_name_of_a_record(kind, place):
    hostile = ("\x1b]0;title\x07\x1b[2Jbest", "\u202eb\n  forged: verified")

    def rename(held):
        held["measured"]["names"][:2] = hostile
        held["versions"]["\x1b[2J"] = "\u202e9"
        held["\u202e\n"] = "\u202e\x1b"
        held["sha256"] = "\x1b[2J"

    changed(record(kind, place), rename)
    text = str(op.verify(place))
    assert "<U+001B>" in text
    assert "<U+202E>" in text
    assert "\n  forged" not in text
    assert not set(text) & {"\x1b", "\u202e", "\x07"}
