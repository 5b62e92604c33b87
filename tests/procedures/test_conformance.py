"""Every method keeps every law and gives its golden values; plain arrays of all kinds work."""

import copy
import json
import pickle
from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
import places
import polars as pl
import pytest

import outperform as op
from outperform import Result, registry
from outperform.numerics import sign_flips
from outperform.numerics.distributions import Normal
from outperform.numerics.sign_flips import convolved_tails
from outperform.results.evidence import Pivot
from outperform.testing import LAWS, check_method
from outperform.testing.subject import near
from outperform.views import Differences

GOLDEN = json.loads((places.GOLDEN / "methods.json").read_text("utf-8"))
SUBJECTS = sorted(
    {(case["method"], tuple(case["options"].items())) for case in GOLDEN["cases"]}, key=repr
)
A, B = np.array([0.81, 0.79, 0.84, 0.80]), np.array([0.80, 0.76, 0.85, 0.78])


def breaches(method: registry.Method, options: dict[str, str]) -> Iterator[str]:
    """Yield how a method departs from the golden values of its name and options."""
    for case in GOLDEN["cases"]:
        if (case["method"], case["options"]) != (method.name, options):
            continue
        unit = {"unit": method.unit} if method.unit else {}
        result = method(**case["call"], **unit, **options)
        want = dict(case["expected"])
        level = want.pop("level", 0.95)
        interval = result.interval(level)
        found = {name: getattr(result, name, None) for name in want} | {
            "low": interval and interval.low,
            "high": interval and interval.high,
        }
        for name, value in want.items():
            value = tuple(value) if isinstance(value, list) else value
            if not near(found[name], value, GOLDEN["tolerance"], 1e-3):
                yield f"golden {name} is {value}, not {found[name]} ({case['source']})"


def gate(method: registry.Method, **options: str) -> None:
    """Raise AssertionError unless a method gives its golden values and keeps every law."""
    wrong = [*breaches(method, options)]
    try:
        check_method(method, **options)
    except AssertionError as broken:
        wrong.append(str(broken))
    assert not wrong, "\n".join(wrong)


@cache
def passes(name: str, options: tuple[tuple[str, str], ...] = ()) -> bool:
    """Run the gate once for each method as it is: the tests of mutants ask again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sign_flips, "convolved_tails", counted_once)
        gate(registry.get(name), **dict(options))
    return True


KNOWN_TAILS = {}


def counted_once(sizes, total):
    """Count each set of whole numbers once: laws ask again for the same, 20 times on average."""
    asked = sizes.tobytes(), total
    if asked not in KNOWN_TAILS:
        KNOWN_TAILS[asked] = convolved_tails(sizes, total)
    return KNOWN_TAILS[asked]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    SUBJECTS,
    ids=lambda part: part if isinstance(part, str) else str(dict(part)),
)
def test_every_method_keeps_every_law_and_its_golden_values(name, options):
    assert passes(name, options)


def test_every_registered_method_has_golden_values():
    op.methods.table()
    assert {name for name, _ in SUBJECTS} == set(registry.METHODS)


def test_the_laws_are_those_announced():
    assert check_method("conservative_z") == tuple(LAWS)
    assert all(law.__doc__ for law in LAWS.values())


ARRAY_FORMS = {
    "delong": lambda: op.methods.delong([0, 1, 0, 1], [1, 2, 3, 4], [2, 1, 4, 3]),
    "mcnemar of labels": lambda: op.methods.mcnemar([1, 0, 1, 1], [1, 1, 1, 0], [0, 0, 1, 1]),
    "mcnemar of a table": lambda: op.methods.mcnemar(table=[[20, 5], [15, 60]], variant="exact"),
    "proportions of labels": lambda: op.methods.proportions([1, 0, 1], [1, 1, 1], [0, 0, 1]),
    "proportions of a table": lambda: op.methods.proportions(table=[[20, 5], [15, 60]]),
    "resampled_t": lambda: op.methods.resampled_t(A, B),
    "kfold_t": lambda: op.methods.kfold_t(A, B),
    "kfold_t of one side": lambda: op.methods.kfold_t(A, mu0=0.75),
    "corrected_t with sizes": lambda: op.methods.corrected_t(A, B, n_train=90, n_test=10),
    "corrected_t with a design": lambda: op.methods.corrected_t(A, B, design="4cv"),
    "corrected_t of repeats": lambda: op.methods.corrected_t([A, B], [B, A]),
    "five_by_two_t": lambda: op.methods.five_by_two_t([A[:2], A[2:]], [B[:2], B[2:]]),
    "five_by_two_f": lambda: op.methods.five_by_two_f([A[:2], A[2:]], [B[:2], B[2:]]),
    "conservative_z of a mean": lambda: op.methods.conservative_z(
        0.02, [[0.01, 0.04], [0.03, 0.0]]
    ),
    "conservative_z of scores": lambda: op.methods.conservative_z(
        A - B, [[0.01, 0.04], [0.03, 0.0]]
    ),
    "calibrated_t": lambda: op.methods.calibrated_t([A, B], [[A, B], [B, A[::-1]]], n=90),
    "half_sample_t": lambda: op.methods.half_sample_t([A, B], [[A, B], [B, A[::-1]]], n=90),
    "averaged_t": lambda: op.methods.averaged_t([A, B, A], [B, A[::-1], B]),
    "bayesian_sign": lambda: op.methods.bayesian_sign(A, B, n_draws=1000),
    "bayesian_signed_rank": lambda: op.methods.bayesian_signed_rank(A, B, n_draws=1000),
    "dataset_t": lambda: op.methods.dataset_t(A, B),
    "friedman": lambda: op.methods.friedman(np.stack([A, B, A[::-1]], axis=1)),
    "hierarchical": lambda: op.methods.hierarchical([A, B, A], [B, A, A - 0.1], nodes=21),
    "iman_davenport": lambda: op.methods.iman_davenport({"a": A, "b": B}),
    "rank_z": lambda: op.methods.rank_z(np.stack([A, B, A[::-1]], axis=1)),
    "cochran_q": lambda: op.methods.cochran_q([[1, 0, 1], [0, 0, 1], [1, 1, 0]]),
    "quasi_f": lambda: op.methods.quasi_f([[0.9, 0.4], [0.7, 0.1]], [[0.5, 0.3], [0.7, 0.6]]),
    "sign_test": lambda: op.methods.sign_test(A, B, unit="datasets"),
    "wilcoxon": lambda: op.methods.wilcoxon(A, B, unit="datasets"),
    "accuracy_interval of counts": lambda: op.methods.accuracy_interval(83, 100),
    "accuracy_interval of items": lambda: op.methods.accuracy_interval([1, 0, 1, 1]),
    "unpaired_interval": lambda: op.methods.unpaired_interval(A, B[:3]),
    "diebold_mariano": lambda: op.methods.diebold_mariano(A, B),
    "welch_t": lambda: op.methods.welch_t(A, B[:3]),
    "seed_averaged_t": lambda: op.methods.seed_averaged_t(
        [A[:2], A[2:]], [B[:2], B[2:]], n_train=9, n_test=3
    ),
    "single_fold_t": lambda: op.methods.single_fold_t(A, B),
    "repeated_kfold_t": lambda: op.methods.repeated_kfold_t([A, B], [B, A]),
    "paired_t": lambda: op.methods.paired_t(A, B, unit="items"),
    "cluster_t": lambda: op.methods.cluster_t(A, B, clusters="uvvw"),
    "cluster_sign_flip": lambda: op.methods.cluster_sign_flip(A, B, clusters="uvvw"),
    "sampled_items_t": lambda: op.methods.sampled_items_t([A[:2], A[2:]], [B[:2], B[2:]]),
    "crossed_t": lambda: op.methods.crossed_t([A[:2], A[2:]], [B[:2], B[2:]]),
    "paired_bootstrap": lambda: op.methods.paired_bootstrap(A, B, n_draws=199),
    "win_rate": lambda: op.methods.win_rate([1, 0.5, 0, 1], [0, 0.5, 1, 0]),
    "sign_flip": lambda: op.methods.sign_flip(A, B),
    "mcnemar_mid_p of a table": lambda: op.methods.mcnemar_mid_p(table=[[20, 5], [15, 60]]),
    "fisher_combination": lambda: op.methods.fisher_combination([0.2, 0.01]),
    "wilcoxon_combination": lambda: op.methods.wilcoxon_combination([0.2, -0.01]),
}


@pytest.mark.parametrize("form", ARRAY_FORMS)
def test_every_array_form_gives_a_result_that_prints_copies_and_pickles(form):
    result = ARRAY_FORMS[form]()
    assert isinstance(result, Result)
    assert str(result)
    assert json.loads(result.to_json())["method"] == result.method.name
    for twin in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert twin.to_json() == result.to_json()
        assert twin.method.kernel is result.method.kernel


def test_every_method_has_an_array_form():
    op.methods.table()
    assert {call().method.name for call in ARRAY_FORMS.values()} == set(registry.METHODS)


@pytest.mark.parametrize(
    "series",
    [
        pd.Series,
        pl.Series,
        lambda values: pd.Series(values, dtype="Float64"),
        lambda values: pd.Series(values, dtype="float64[pyarrow]"),
        pd.array,
    ],
    ids=["pandas", "polars", "pandas nullable", "pandas pyarrow", "pandas array"],
)
def test_series_of_any_kind_are_arrays(series):
    assert op.methods.kfold_t(series(A), series(B)).to_json() == op.methods.kfold_t(A, B).to_json()


def test_labelled_scores_are_paired_by_label():
    a, b = pd.Series(A, index=list("wxyz")), pd.Series(B, index=list("wxyz"))
    result = op.methods.kfold_t(a, b.sample(frac=1, random_state=1))
    assert result.pvalue == op.methods.kfold_t(A, B).pvalue
    assert "OP002" in [note.code for note in result.notes]


@pytest.mark.parametrize(
    "unordered",
    [{0.81, 0.79}, frozenset([0.81, 0.79]), {0.81: 1}],
    ids=["set", "frozenset", "dict"],
)
def test_what_has_no_order_pairs_nothing(unordered):
    with pytest.raises(op.DataError, match="no order for pairing entries"):
        op.methods.kfold_t([0.8, 0.7], unordered)


def test_masked_labels_are_refused():
    masked = np.ma.masked_array([1, 0, 1], mask=[0, 1, 0])
    with pytest.raises(op.DataError, match="a has masked"):
        op.methods.mcnemar([1, 0, 1], masked, [1, 1, 1])


def test_cochrans_q_of_scores_is_that_of_right_and_wrong():
    truth = np.array([0, 1, 1, 0, 1, 0, 1, 1])
    models = {"a": truth, "b": 1 - truth, "c": np.ones(8, dtype=int)}
    right = np.stack([model == truth for model in models.values()], axis=1)
    held = op.Scores.from_predictions(truth, models)
    assert op.methods.cochran_q(held).statistic == op.methods.cochran_q(right).statistic
    assert op.methods.cochran_q(held).details["proportions"].tolist() == [1.0, 0.0, 0.625]
    assert (
        op.methods.cochran_q(1 - right, lower_is_better=True).pvalue
        == op.methods.cochran_q(right).pvalue
    )


def test_a_null_value_holds_over_datasets_too():
    addresses = np.stack([np.zeros(6), np.zeros(6), np.arange(6)], axis=1).astype(int)
    side = np.array([[0.9, 0.8, 0.7, 0.9, 0.8, 0.6], [0.7, 0.7, 0.6, 0.6, 0.6, 0.3]])
    held = op.Scores(("a", "b"), side, addresses, datasets=tuple("uvwxyz"))
    assert op.methods.sign_test(held, mu0=0.15).details == {"wins": 4, "losses": 2}
    assert op.methods.sign_test(held).details == {"wins": 6, "losses": 0}


@pytest.mark.requirement("F-17")
def test_mcnemar_auto_is_exact_up_to_ten_discordant_items():
    few, many = [[30, 2], [8, 60]], [[30, 3], [8, 59]]
    for table, variant in ((few, "exact"), (many, "continuity")):
        auto = op.methods.mcnemar(table=table, variant="auto")
        assert auto.pvalue == op.methods.mcnemar(table=table, variant=variant).pvalue


@pytest.fixture
def own_registry(monkeypatch):
    registry.load_all()
    monkeypatch.setattr(registry, "METHODS", dict(registry.METHODS))


def register(kernel, **changes):
    about = {
        "title": "A test from elsewhere",
        "paper": "elsewhere",
        "requirements": (),
        "designs": ("kfold",),
        "layout": "folds",
        "accounts_for": ("test data",),
        "standing": "reference",
        "advice": "Only an example.",
    }
    return registry.method(**{**about, **changes})(kernel)


@pytest.mark.usefixtures("own_registry")
def test_a_method_of_another_package_passes_by_name():
    def fold_z(d: Differences) -> Pivot:
        """A z over the folds."""
        return Pivot(d.mean, d.sd / np.sqrt(d.n_splits), Normal())

    register(fold_z)
    assert check_method("fold_z") == tuple(LAWS)


@pytest.mark.usefixtures("own_registry")
def test_a_breach_is_told_in_a_sentence_with_law_and_input():
    def lopsided(d: Differences) -> Pivot:
        """A z that thinks too well of the first side."""
        return Pivot(np.abs(d.mean), d.sd / np.sqrt(d.n_splits), Normal())

    with pytest.raises(AssertionError) as told:
        check_method(register(lopsided, standing="discouraged"))
    breaches = str(told.value).splitlines()
    assert breaches[0] == (
        "lopsided breaks the law 'metadata': A method says what it is, where it is valid and what "
        "it accounts for; but its instead is missing or invalid"
    )
    (swap,) = (line for line in breaches if "'swap'" in line)
    assert "with two sides of scores (10,), sides exchanged" in swap


@pytest.mark.usefixtures("own_registry")
def test_a_method_whose_first_split_counts_must_say_so():
    def first_only(d: Differences) -> Pivot:
        """A z of the first fold."""
        return Pivot(d.flat[..., 0], d.sd, Normal())

    assert check_method(register(first_only, first_counts=True))
    with pytest.raises(AssertionError, match="'order'"):
        check_method(register(first_only))
