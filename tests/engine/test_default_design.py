"""Without a design: the calibrated one where the data allow it, else the nearest, and said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import outperform as op

GENERATOR = np.random.default_rng(5)
N = 80
Y = np.arange(N) % 2
X = GENERATOR.normal(size=(N, 2)) + Y[:, None]
MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=1, random_state=0)}


def said(found: Any) -> str:
    return " ".join(note.text for note in found.notes if note.code == "OP001")


@pytest.mark.slow
def test_models_are_compared_by_the_calibrated_test():
    found = op.compare(MODELS, X, Y, random_state=0)
    assert (str(found.design), found.method.name) == ("5x5cv+20halves", "calibrated_t")
    assert said(found) == ""
    assert str(op.run(GaussianNB(), X, Y, random_state=0).design) == "5x5cv+20halves"


@pytest.mark.slow
def test_regressors_need_no_class_in_the_halves():
    models = {"line": LinearRegression(), "tree": DecisionTreeRegressor(max_depth=1)}
    found = op.compare(models, X, X[:, 0] + X[:, 1], random_state=0)
    assert (str(found.design), found.grade) == ("5x5cv+20halves", "measured")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rare", "scoring", "design", "why"),
    [
        (10, None, "5x5cv+20halves/stratified", "too rare for folds that are not stratified"),
        (3, None, "10x10cv", "a class is too rare for halves of the data"),
        (20, "roc_auc", "5x5cv+20halves/stratified", "too rare for folds"),
    ],
)
def test_a_rare_class_stratifies_the_folds_or_else_gives_up_the_halves(rare, scoring, design, why):
    y = (np.arange(N) % (N // rare) == 0).astype(int)
    found = op.compare(MODELS, X, y, scoring=scoring, random_state=0)
    assert str(found.design) == design
    assert f"No design was given: {design}, because" in said(found)
    assert why in said(found)


@pytest.mark.slow
def test_few_items_are_not_halved():
    found = op.compare(MODELS, X[:39], Y[:39], random_state=0)
    assert (str(found.design), found.grade) == ("10x10cv", "assumed")
    assert "39 items are too few to be halved" in said(found)
    assert str(op.compare(MODELS, X[:40], Y[:40], random_state=0).design) == "5x5cv+20halves"


@pytest.mark.slow
def test_times_are_not_halved_and_a_calibrated_design_asked_for_them_is_refused():
    rows = pd.DataFrame(X, index=pd.date_range("2020", periods=N))
    found = op.compare(MODELS, rows, Y, random_state=0)
    assert str(found.design) == "10x10cv"
    assert "because the index contains times" in said(found)
    assert "OP520" in {note.code for note in found.notes}
    with pytest.raises(op.DesignError, match="If the order matters, use design='5forward'"):
        op.compare(MODELS, rows, Y, design="5x5cv+20halves", random_state=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "design"),
    [
        ("corrected_t", "10x10cv"),
        ("kfold_t", "10cv"),
        ("five_by_two_t", "5x2cv"),
        ("mcnemar", "holdout@1/3"),
        ("half_sample_t", "5x5cv+20halves"),
    ],
)
def test_a_method_is_run_on_the_design_it_was_published_with(method, design):
    found = op.compare(MODELS, X, Y, method=method, random_state=0)
    assert (str(found.design), found.method.name) == (design, method)


def test_a_method_keeps_groups_together_on_its_own_design():
    found = op.compare(MODELS, X, Y, groups=np.arange(N) // 4, method="kfold_t", random_state=0)
    assert str(found.design) == "10cv/grouped"
    assert "for 20 groups" in said(found)


@pytest.mark.slow
def test_a_store_is_resumed_by_its_own_design_and_grows_to_the_default(tmp_path: Path):
    plain = tmp_path / "plain.db"
    op.run(MODELS, X, Y, design="2x10cv", random_state=0, store=plain)
    again = op.run(MODELS, X, Y, random_state=0, store=plain)
    assert str(again.design) == "2x10cv"
    assert "2x10cv, as in the store" in said(again)
    pilot = tmp_path / "pilot.db"
    op.run(MODELS, X, Y, design="2x5cv+2halves", random_state=0, store=pilot)
    grown = op.run(MODELS, X, Y, random_state=0, store=pilot)
    assert str(grown.design) == "5x5cv+20halves"
    assert grown.digest() == op.run(MODELS, X, Y, random_state=0).digest()


class Counted(GaussianNB):
    """Counts how often it is fitted."""

    fits = 0

    def fit(self, X: Any, y: Any) -> Counted:
        Counted.fits += 1
        return super().fit(X, y)


@pytest.mark.slow
def test_more_repeats_and_halvings_rerun_nothing_and_equal_a_run_from_scratch(tmp_path: Path):
    """As from 5x5cv+20halves to 10x5cv+40halves."""
    small, large = op.parse("2x3cv+2halves"), op.parse("4x3cv+4halves")
    store = tmp_path / "grows.db"
    Counted.fits = 0
    op.run({"a": Counted()}, X, Y, design=small, random_state=0, store=store)
    assert Counted.fits == small.n_fits()
    grown = op.run({"a": Counted()}, X, Y, design=large, random_state=0, store=store)
    assert Counted.fits == large.n_fits()
    scratch = op.run({"a": Counted()}, X, Y, design=large, random_state=0, n_jobs=2)
    assert grown.digest() == scratch.digest()
