"""Certificates: sizes of tests on one's own learners and data, decided or said not to be."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta, binom
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.linear_model import LinearRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import outperform as op
from outperform.engine.progress import Progress
from outperform.lab import Contest, Pool, certification
from outperform.lab.certificates import CertifiedTest, always_valid, decision_of
from outperform.lab.certification import _measurable, _n_fits, _TimeLimit
from outperform.lab.certified_nulls import least_pvalues, pool_losses
from outperform.lab.tested import Tested as Asked
from outperform.numerics.distributions import T
from outperform.report.certificate_text import DECISIONS, sentences
from outperform.results.evidence import Pivot

X, Y = make_classification(240, 6, n_informative=3, random_state=1)
MODELS = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
CV = [Asked("kfold_t", "10cv"), Asked("corrected_t", "10cv"), Asked("kfold_t", "3cv")]


@pytest.mark.parametrize(
    ("hits", "n", "said"),
    [
        (0, 80, "undecided"),
        (0, 95, "holds"),
        (20, 420, "holds"),
        (40, 420, "exceeds"),
        (8, 8, "exceeds"),
    ],
)
def test_a_size_is_decided_by_walds_test(hits, n, said):
    """log(.95/.05) = 2.944; a rejection adds log(.08/.05), any other experiment log(.92/.95)."""
    assert decision_of(hits, n) == said


@pytest.mark.parametrize("rate", [0.02, 0.05, 0.065, 0.15])
def test_intervals_cover_a_rate_though_counts_decide_when_to_stop(rate):
    rng, covered, fixed = np.random.default_rng(5), 0, 0
    for _ in range(400):
        hits = np.cumsum(rng.random(1000) < rate)
        n = next((n for n in range(4, 1001, 4) if decision_of(hits[n - 1], n) != "undecided"), 1000)
        low, high = always_valid(int(hits[n - 1]), n)
        covered += low <= rate <= high
        fixed += abs(hits[n - 1] / n - rate) <= 1.96 * (rate * (1 - rate) / n) ** 0.5
    assert binom.cdf(covered, 400, 0.95) > 1e-6
    assert covered > fixed, "an interval for a fixed number covers less"


@pytest.mark.parametrize(("hits", "n"), [(0, 40), (3, 40), (40, 40), (21, 420)])
def test_the_interval_ends_where_prior_and_posterior_differ_twentyfold(hits, n):
    low, high = always_valid(hits, n)
    prior, posterior = beta(1, 9), beta(1 + hits, 9 + n - hits)
    for end in {low, high} - {0.0, 1.0}:
        assert prior.pdf(end) / posterior.pdf(end) == pytest.approx(20, rel=1e-6)
    assert low <= hits / n <= high


@pytest.mark.slow
def test_a_certificate_measures_size_power_and_agreement(tmp_path):
    methods = [("corrected_t", "5cv"), ("mcnemar", "holdout@1/3")]
    found = op.certify(MODELS, X, Y, methods=methods, n=60, n_reps=32, n_truth=20)
    assert [(row.label, row.null) for row in found.tests] == [
        ("corrected_t 5cv", "shift"),
        ("corrected_t 5cv", "damaged"),
        ("mcnemar holdout@1/3", "damaged"),
    ]
    assert all(row.counts["experiments"] == 32 for row in found.tests)
    assert found.tests[0].power is not None
    assert found.tests[0].power[0] <= found.tests[0].power[2]
    assert found.tests[2].power is None
    assert found.tests[2].agreement is not None
    shown = str(found)
    assert shown.startswith("How far can this verdict be trusted here? bayes vs. stump")
    assert "represent the population" in shown
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["pool"] == 240
    again = op.certify(MODELS, X, Y, methods=methods, n=60, n_reps=32, n_truth=20)
    assert again.to_dict() == found.to_dict()
    page = found.report(tmp_path / "trust.html")
    assert "How far can this verdict be trusted here?" in page.read_text(encoding="utf-8")
    compared = op.compare({"bayes": [0.8, 0.9, 0.7], "stump": [0.7, 0.8, 0.6]}, design="3cv")
    report = compared.report(tmp_path / "report.html", certificate=page)
    assert '<a href="trust.html">' in report.read_text(encoding="utf-8")
    others = op.compare({"bayes": [0.8, 0.9, 0.7], "b": [0.7, 0.8, 0.6]}, design="3cv")
    for about, path, words in (
        (others, page, "is about 'bayes' and 'stump', not about learners of this report"),
        (compared, report, "is not a page that certify wrote"),
        (compared, tmp_path / "none.html", "is not a page that certify wrote"),
    ):
        with pytest.raises(op.DataError, match=words):
            about.report(tmp_path / "other.html", certificate=path)
    with pytest.raises(op.DataError, match="would be overwritten by the report"):
        compared.report(page, certificate=page, force=True)
    (axes,) = found.plot().axes
    drawn = {text.get_text() for text in axes.get_yticklabels()}
    assert drawn == {
        "corrected_t\n5cv, shift",
        "corrected_t\n5cv, damaged",
        "mcnemar\nholdout@1/3, damaged",
    }
    reach = max(row.interval[1] for row in found.tests)
    assert max(float(max(line.get_xdata())) for line in axes.lines) == reach


def test_regressors_are_certified_by_squared_error_and_shift_alone():
    y = X[:, 0] + np.random.default_rng(0).normal(size=240)
    learners = {"line": LinearRegression(), "tree": DecisionTreeRegressor(max_depth=2)}
    found = op.certify(learners, X, y, methods=[("corrected_t", "5cv")], n=60, n_reps=4, n_truth=5)
    assert found.loss == "squared"
    assert {row.null for row in found.tests} == {"shift"}
    with pytest.raises(op.DataError, match="'line' is a regressor, but"):
        op.certify(learners, X, y, scoring="accuracy")


def test_a_test_that_cannot_be_measured_is_refused_before_anything_is_fitted():
    y = X[:, 0] + np.random.default_rng(0).normal(size=240)
    lines = {"a": LinearRegression(), "b": DecisionTreeRegressor()}
    asked = ["corrected_t", "mcnemar"]
    with pytest.raises(op.DataError, match=r"mcnemar \S+ can only be measured where both learners"):
        op.certify(lines, X, y, methods=asked)
    with pytest.raises(op.DataError, match="which needs 0/1 loss"):
        op.certify(MODELS, X, Y, methods=asked, scoring="neg_log_loss")
    default = [*CV, Asked("mcnemar", "holdout@1/3")]
    assert _measurable(default, refuse=False) == CV, "it is left out of the default methods"


def test_time_stops_a_certificate_within_a_block():
    told = []
    found = op.certify(
        MODELS,
        X,
        Y,
        methods=[("corrected_t", "5cv")],
        n=60,
        minutes=1e-9,
        n_truth=5,
        progress=told.append,
    )
    assert found.stopped == "time"
    assert found.tests[0].counts["experiments"] == 4
    truth, first_block = 2 * 2, 2 * 4 * 2 * 5
    assert told[-1].done == told[-1].total == truth + first_block + 1, "then time was up"
    contest = Contest(Pool(X, Y), GaussianNB(), GaussianNB(), n=60, scoring="accuracy")
    assert pool_losses(contest, ("a", "b"), [40], 5, 0, until=0.0).shape == (1, 2, 2)
    assert pool_losses(contest, ("a", "b"), [40], 5, 0).shape == (1, 5, 2)


FEW = {"methods": [("corrected_t", "5cv")], "n": 60, "n_reps": 4, "n_truth": 4}


def test_progress_counts_every_fit():
    told = []
    op.certify(MODELS, X, Y, **{**FEW, "n_reps": 20}, progress=told.append)
    partitions = 5 + 2  # five blocks, the first and the last of them over two
    assert told[0].total == told[-1].done == 4 * 2 + 2 * 4 * 5 * partitions
    assert told[0].done == 1
    assert told[-1].unit == "fits"


class Coin(BaseEstimator):
    """A learner that draws from the global generators, and says nothing of what it is."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        by = np.random.random(len(X)) + random.random()  # noqa: NPY002
        return np.where(by < 1, self.classes_[0], self.classes_[1])


def test_a_certificate_repeats_and_leaves_the_global_generators_alone():
    found = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        states = str(np.random.get_state()), random.getstate()  # noqa: NPY002
        found.append(op.certify({"coin": Coin(), "coin2": Coin()}, X, Y, **FEW))
        assert states == (str(np.random.get_state()), random.getstate())  # noqa: NPY002
    assert found[0].loss == "0/1"
    assert found[0].to_dict() == found[1].to_dict()
    y = X[:, 0] + 0.5
    assert op.certify({"coin": Coin(), "coin2": Coin()}, X, y, **FEW).loss == "squared"


def test_names_keep_their_hyphens_and_numbers_have_a_true_minus():
    learners = {"k-NB": MODELS["bayes"], "k-stump": MODELS["stump"]}
    found = op.certify(learners, X, Y, scoring="roc_auc", **FEW)
    assert "k-NB minus k-stump after training on 48 items: −0." in str(found)
    assert str(found).splitlines()[0].endswith(", AUC")


def test_what_a_decision_says_is_what_the_sequential_test_rejects():
    assert DECISIONS["holds"] == "below 8 %"
    assert DECISIONS["exceeds"] == "above 5 %"


def test_models_are_not_spared_the_checks_of_scikit_learn():
    class Broken(DecisionTreeClassifier):
        def __init__(self, max_depth=-1):
            super().__init__(max_depth=max_depth)

    with pytest.raises(ValueError, match="max_depth") as raised:
        op.certify({"a": Broken(), "b": GaussianNB()}, X, Y, **FEW)
    assert raised.value.__notes__ == ["Learner: a"]


class Odd(BaseEstimator):
    """A learner of numbers whose answer is put into a form of its own."""

    def __init__(self, form=None):
        self.form = form

    def fit(self, X, y):
        self.line_ = LinearRegression().fit(X, y)
        return self

    def predict(self, X):
        return self.form(self.line_.predict(X))


def test_predictions_are_read_as_a_run_reads_them_or_refused():
    y = X[:, 0] + np.random.default_rng(0).normal(size=240)
    other = DecisionTreeRegressor(max_depth=2)
    plain, column = (
        op.certify({"odd": Odd(form), "tree": other}, X, y, **FEW).to_dict()
        for form in (np.asarray, lambda p: p[:, None])
    )
    assert plain == column
    refused = (lambda p: p[:3], "one prediction for each"), (lambda p: p * np.nan, "finite numbers")
    for form, words in refused:
        with pytest.raises(op.DataError, match=words) as raised:
            op.certify({"odd": Odd(form), "tree": other}, X, y, **FEW)
        assert raised.value.__notes__ == ["Learner: odd"]


class Answers(ClassifierMixin, BaseEstimator):
    """A learner that gives each item the same answer."""

    def __init__(self, answer=None):
        self.answer = answer

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))

    def predict_proba(self, X):
        return np.repeat([self.answer], len(X), axis=0)


class Ranks(Answers):
    """A learner that ranks items, of which probabilities are not asked."""

    def decision_function(self, X):
        return self.predict_proba(X)[:, 0]


@pytest.mark.parametrize(
    ("scoring", "learner"),
    [
        ("neg_log_loss", Answers([0.5, 0.5, 0.0])),
        ("neg_log_loss", Answers([np.nan, 0.5])),
        ("neg_log_loss", Answers([-20.0, 21.0])),
        ("roc_auc", Answers([0.5])),
        ("roc_auc", Answers([np.nan, np.nan])),
        ("roc_auc", Answers(["a", "b"])),
        ("roc_auc", Ranks([np.inf, 0.5])),
    ],
)
def test_probabilities_and_ranks_that_are_none_are_refused(scoring, learner):
    with pytest.raises(op.DataError) as raised:
        op.certify({"odd": learner, "bayes": GaussianNB()}, X, Y, scoring=scoring, **FEW)
    assert raised.value.__notes__ == ["Learner: odd"]


@pytest.mark.parametrize(
    ("scoring", "metric"),
    [("roc_auc", roc_auc_score), ("neg_log_loss", lambda y, p: -log_loss(y, p))],
)
def test_losses_in_the_population_are_those_of_scikit_learn(scoring, metric):
    models = GaussianNB(), Ranks([0.3, 0.7])
    contest = Contest(Pool(X, Y), *models, n=60, scoring=scoring)
    lost = pool_losses(contest, ("a", "b"), [40, 50], 2, 7)
    rng = np.random.default_rng(np.random.SeedSequence(7, spawn_key=(1,)))
    order = rng.permutation(240)
    train, test = order[:40], order[50:]
    best = 1 if scoring == "roc_auc" else 0
    by_hand = [
        best - metric(Y[test], model.fit(X[train], Y[train]).predict_proba(X[test])[:, 1])
        for model in models
    ]
    assert lost[0, 1] == pytest.approx(by_hand, rel=1e-9)


def test_no_model_is_blamed_for_a_test_set_of_one_class():
    y = np.r_[np.ones(12, int), np.zeros(228, int)]
    asked = {"scoring": "roc_auc", "methods": [("corrected_t", "10cv")], "n": 40, "n_reps": 1}
    with pytest.raises(op.DataError, match="items of one class only") as raised:
        op.certify(MODELS, X, y, n_truth=2, **asked)
    assert not hasattr(raised.value, "__notes__")


def test_one_class_and_a_classifier_beside_a_regressor_are_refused():
    with pytest.raises(op.DataError, match="y must have at least two classes, got 1"):
        op.certify(MODELS, X, np.ones(240, int))
    mixed = {"line": LinearRegression(), "bayes": GaussianNB()}
    with pytest.raises(op.DataError, match="'bayes' is a classifier and 'line' a regressor"):
        op.certify(mixed, X, Y)
    found = op.certify(mixed, X, Y, scoring="neg_mean_squared_error", **FEW)
    assert found.loss == "squared", "if that is asked for"


def test_frames_sparse_rows_and_a_named_column_are_read_as_a_run_reads_them():
    import pandas as pd
    from scipy.sparse import csr_matrix

    trees = {"a": DecisionTreeClassifier(max_depth=1), "b": DecisionTreeClassifier(max_depth=3)}
    frame = pd.DataFrame(X, columns=list("uvwxyz"))
    plain = op.certify(trees, X, Y, **FEW).to_dict()
    for given in ((csr_matrix(X), Y), (frame, Y), (frame.assign(kind=Y), "kind"), (X.tolist(), Y)):
        assert op.certify(trees, *given, **FEW).to_dict() == plain
    for y, words in (
        (np.c_[Y, Y], "y has 2 columns, but a certificate needs one target for each item"),
        ([None, *Y[1:]], r"y\[0\] is missing"),
        (np.r_[np.nan, Y[1:]], r"y\[0\] is nan"),
        (iter(Y), "y must be one-dimensional"),
    ):
        with pytest.raises(op.DataError, match=words):
            op.certify(trees, X, y, **FEW)


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        ([("kfold_t", "200cv")], "200cv has more than 127 folds"),
        ([("corrected_t", "20seeds@1/3")], "20seeds@1/3 cannot be measured here"),
        ([("corrected_t", "5forward")], "5forward cannot be measured here"),
        (["delong"], "which no scenario draws"),
    ],
)
def test_designs_and_methods_that_cannot_be_measured_are_refused_by_that_name(methods, words):
    with pytest.raises(op.MethodError, match=words):
        op.certify(MODELS, X, Y, methods=methods)


class Stopped(GaussianNB):
    """A learner during whose n-th fit somebody presses Ctrl-C."""

    left = 0

    def fit(self, X, y):
        Stopped.left -= 1
        if not Stopped.left:
            raise KeyboardInterrupt
        return super().fit(X, y)


def test_an_interrupted_certificate_returns_what_it_counted():
    asked = {**FEW, "n_reps": 400}
    truth, first_block = 4, 2 * 4 * 5
    learners = {"stopped": Stopped(), "stump": DecisionTreeClassifier(max_depth=1)}
    Stopped.left = truth + first_block + 9
    found = op.certify(learners, X, Y, **asked)
    assert found.stopped == "interrupted"
    assert found.tests[0].counts["experiments"] == 4
    assert "Stopped: the measurement was interrupted." in str(found)
    Stopped.left = truth + 9
    with pytest.raises(KeyboardInterrupt):
        op.certify(learners, X, Y, **asked)


class StoppedTogether(GaussianNB):
    """A learner of all splits at once, during whose n-th answer somebody presses Ctrl-C."""

    left = 0

    def fit_predict_splits(self, X, y, splits):
        StoppedTogether.left -= 1
        if not StoppedTogether.left:
            raise KeyboardInterrupt
        return [clone(self).fit(X[train], y[train]).predict(X[test]) for train, test in splits]


def test_models_of_all_splits_at_once_are_interrupted_too():
    truth, first_block = 4, 2 * 4
    StoppedTogether.left = first_block + 3
    learners = {"stopped": StoppedTogether(), "stump": DecisionTreeClassifier(max_depth=1)}
    found = op.certify(learners, X, Y, **{**FEW, "n_reps": 400, "n_truth": truth})
    assert found.stopped == "interrupted"
    assert found.tests[0].counts["experiments"] == 4
    plain = {"stopped": GaussianNB(), "stump": learners["stump"]}
    assert op.certify(plain, X, Y, **FEW).tests[0].counts.counts.tolist() == (
        op.certify(learners, X, Y, **FEW).tests[0].counts.counts.tolist()
    )


def half_a_second(*fits):
    """Return a limit that has just begun."""
    limit = _TimeLimit(Progress(False, 9), None, *fits)
    limit.until = limit.began + 0.5
    return limit


def test_a_block_that_takes_far_too_long_is_refused_by_what_its_fits_take(monkeypatch):
    """Predictions do not count: the first are of many more items than those of a block."""
    monkeypatch.setattr(certification, "TOO_SLOW", 1.0)
    contest = Contest(Pool(X, Y), GaussianNB(), GaussianNB(), n=60, scoring="accuracy")
    blocks = [_n_fits(contest, [Asked("corrected_t", one)], 1) for one in ("10x10cv", "10cv")]
    for each, refused, fewer in ((0.0, 0, 0), (0.001, 1, 1), (60.0, 1, 0)):
        limit = half_a_second(4, *blocks)
        limit(each)
        limit(each)
        limit(each)
        if not refused:
            limit(each)
            continue
        with pytest.raises(op.DataError, match="One block of experiments needs 1,600 fits") as told:
            limit(each)
        assert "Allow more time: minutes=" in str(told.value)
        assert ("methods=[('corrected_t', '10cv')]" in str(told.value)) == fewer
    alone = half_a_second(1, blocks[1], blocks[1])
    with pytest.raises(op.DataError, match=r"Allow more time: minutes=\d+$") as told:
        alone(1.0)
    assert "fewer fits" not in str(told.value), "they were asked for already"


def test_what_has_no_p_value_was_rejected_at_most():
    """Two trees that often are the same stump: their difference is 0 on all items, not the true."""
    flowers, kinds = load_breast_cancer(return_X_y=True)
    stump = DecisionTreeClassifier(max_depth=1)
    asked = {"methods": [("paired_t", "holdout@1/3")], "n": 60, "n_reps": 40, "n_truth": 10}
    pair = {"stump": stump, "tree": DecisionTreeClassifier(ccp_alpha=0.02)}
    found = op.certify(pair, flowers, kinds, **asked)
    row = found.tests[0]
    undefined = row.counts["undefined"]
    assert undefined > 10
    assert row.at_most >= row.counts["at_5"] + undefined
    assert row.decision != "holds"
    assert found.to_dict()["tests"][0]["undefined"] == undefined
    assert f"{undefined} of 40 experiments with paired_t holdout@1/3 (shift)" in str(found)
    same = op.certify({"stump": stump, "twin": stump}, flowers, kinds, **asked).tests[0]
    assert (same.counts["undefined"], same.at_most) == (0, 0), "identical models have p = 1"


def test_tests_that_are_left_out_are_named():
    y = X[:, 0] + np.random.default_rng(0).normal(size=240)
    learners = {"line": LinearRegression(), "tree": DecisionTreeRegressor(max_depth=2)}
    found = op.certify(learners, X, y, n=40, n_reps=1, n_truth=2)
    assert found.omitted == tuple(found.to_dict()["omitted"]) == ("mcnemar holdout@1/3",)
    assert "Omitted: mcnemar holdout@1/3, which can only be measured where" in str(found)
    assert op.certify(MODELS, X, Y, **FEW).omitted == ()


def test_a_truth_that_time_cut_short_is_said_whatever_stopped_the_rest():
    found = op.certify(MODELS, X, Y, **{**FEW, "n_truth": 9}, minutes=1e-9)
    assert (found.n_truth, found.cut_short) == (2, True)
    assert "depend on the speed of this computer" in str(found)
    decided = replace(found, stopped="decided", tests=())
    assert "depend on the speed of this computer" in "\n".join(sentences(decided))
    whole = op.certify(MODELS, X, Y, **FEW)
    assert (whole.n_truth, whole.cut_short) == (4, False)
    assert "speed" not in str(whole)
    assert "(standard error" in str(whole)
    assert "from 4 datasets;" in str(whole)


def test_small_pools_are_certified_from_twenty_items_on():
    asked = {"methods": [("corrected_t", "2cv")], "n_reps": 1, "n_truth": 2}
    rows = np.r_[np.flatnonzero(Y == 0)[:12], np.flatnonzero(Y == 1)[:12]]
    assert op.certify(MODELS, X[rows], Y[rows], **asked).n == 10
    with pytest.raises(op.DataError, match="Pass n=10"):
        op.certify(MODELS, X[rows], Y[rows], n=20)
    with pytest.raises(op.DataError, match="At least 20 items"):
        op.certify(MODELS, X[rows[3:22]], Y[rows[3:22]], **asked)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n": 200}, "half of the 240"),
        ({"scoring": "f1"}, "Unknown scoring"),
        ({"differences": (0.1,)}, "three positive numbers"),
        ({"minutes": 0}, "positive number"),
        ({"minutes": "5"}, "'minutes' parameter must be a number, got '5'"),
        ({"scoring": ["accuracy"]}, "must be one of 'accuracy', .*, got list"),
        ({"scoring": max}, "must be one of 'accuracy', .*, got builtin_function_or_method"),
        ({"random_state": 1.5}, "random_state"),
        ({"random_state": None}, "random_state"),
    ],
)
def test_what_cannot_be_certified_is_refused(options, words):
    with pytest.raises(op.OutperformError, match=words):
        op.certify(MODELS, X, Y, **options)


def test_the_area_is_of_two_classes():
    with pytest.raises(op.DataError, match="roc_auc needs exactly two classes in y, got 3"):
        op.certify(MODELS, *load_iris(return_X_y=True), scoring="roc_auc")


def experiments(n, rejected):
    """Return the counts of a block."""
    return np.array([n, 0, rejected, *[0] * 8])


def test_enlarged_differences_reject_as_new_items_would():
    """The mean of 60 of 180 items varies by √(2/3) as much as that of 60 new ones."""
    rng = np.random.default_rng(2)
    p = []
    for _ in range(4000):
        pool = rng.standard_normal(180)
        taken = pool[:60]
        spread = taken.std(ddof=1) / math.sqrt(60)
        evidence = Pivot(taken.mean() - pool.mean(), spread, T(59))
        p.append((evidence.pvalue(), float(least_pvalues(evidence, 60 / 180))))
    counted, widened = (np.array(p) < 0.05).sum(axis=0)
    assert binom.cdf(counted, 4000, 0.05) < 1e-6, "sampling without replacement hides rejections"
    assert 1e-6 < binom.cdf(widened, 4000, 0.05) < 1 - 1e-6


def test_a_p_value_that_is_no_pivots_is_enlarged_as_a_normal_one():
    class Tail:
        def pvalue(self):
            return np.array([0.05, 1.0])

    assert least_pvalues(Tail(), 0.75) == pytest.approx([8.857e-05, 1.0], rel=1e-3)
    assert least_pvalues(Tail(), 0.0) == pytest.approx([0.05, 1.0])


@pytest.mark.parametrize(
    ("counted", "widened", "said"),
    [(20, 20, "holds"), (20, 30, "undecided"), (20, 40, "unclear"), (40, 60, "exceeds")],
)
def test_a_size_holds_by_the_larger_and_exceeds_by_the_smaller_count(counted, widened, said):
    row = CertifiedTest("kfold_t 10cv", "shift")
    row.add(0, experiments(420, counted), widened)
    assert row.decision == said
    low, high = always_valid(counted, 420, 0.975)[0], always_valid(widened, 420, 0.975)[1]
    assert row.interval == (low, high), "each end may miss in 2.5 %"
    assert low < always_valid(counted, 420)[0]


def test_a_decision_stays_as_in_walds_test():
    row = CertifiedTest("kfold_t 10cv", "shift")
    row.add(0, experiments(400, 16), 16)
    assert row.decision == "holds"
    row.add(1, experiments(4, 4), 4)
    row.add(2, experiments(40, 40), 40)
    assert decision_of(60, 444) == "exceeds"
    assert row.decision == "holds"
    assert row.size == 60 / 444, "what was counted is shown all the same"
