"""What notebooks show of scores, studies, advice, curves, estimates and methods: names escaped."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import outperform as op
from outperform import study
from outperform.lab import DesignedPopulation

HOSTILE = "<script>alert(1)</script>"


def scores(names=(HOSTILE, "b\x1b[2J")):
    rng = np.random.default_rng(0)
    made = {name: 0.8 - 0.05 * i + 0.02 * rng.normal(size=10) for i, name in enumerate(names)}
    return op.Scores.from_arrays(made, design="10cv", metric="<b>accuracy</b>")


def curve():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    learners = {HOSTILE: GaussianNB(), "most": DummyClassifier()}
    return op.learning_curve(learners, X, y, sizes=(0.5, 0.9), random_state=1)


SHOWN = {
    "scores": scores,
    "verdict": lambda: op.compare(scores())[HOSTILE, "b\x1b[2J"].verdict(),
    "verdict of several": lambda: op.compare(scores((HOSTILE, "b", "c"))).verdict(HOSTILE, "b"),
    "estimate": lambda: op.estimate(scores().of([HOSTILE])),
    "curve": curve,
    "advice": lambda: replace(
        op.advise(domains="one", about="algorithm", aim="compare", sample="small"),
        python=HOSTILE,
        command=HOSTILE,
    ),
    "study": lambda: study(
        ["mcnemar", "kfold_t"], DesignedPopulation(epsilon=0.3), n_reps=50, random_state=1
    ),
    "methods": op.methods.table,
    "items": lambda: op.Items.from_arrays({HOSTILE: [1.0, 0.0, 1.0], "most": [0.0, 0.0, 1.0]}),
    "ranks": lambda: op.rank(scores()),
    "plan": lambda: op.plan(scores()),
    "race": lambda: op.race(
        op.Items.from_arrays({HOSTILE: [1.0, 0.0] * 20, "most": [0.0, 0.0] * 20}), random_state=0
    ),
}


@pytest.mark.parametrize("name", SHOWN)
def test_everything_is_a_small_table_whose_names_are_escaped(name):
    html = SHOWN[name]()._repr_html_()
    assert "<table>" in html
    assert not {"\x1b", "\u202e"} & set(html)
    allowed = r"</?(table|caption|thead|tbody|tr|th|td|div|code)( [a-z]+=\"[^\"<>]*\")*>"
    assert "<" not in re.sub(allowed, "", html)
    assert "color" not in html  # light and dark: the notebook sets them
    if name not in ("study", "methods"):
        assert "&lt;script&gt;" in html


def test_scores_are_best_first_with_metric_and_design():
    html = scores()._repr_html_()
    assert "&lt;b&gt;accuracy&lt;/b&gt;, 10-fold cross-validation" in html
    assert html.index("&lt;script&gt;") < html.index("b&lt;U+001B&gt;[2J")
    assert "10 splits" in html
    many = scores([f"learner {i}" for i in range(50)])._repr_html_()
    assert "… and 5 more learners" in many
    assert "learner 44" in many
    assert "learner 45" not in many


def test_a_verdict_shows_whom_it_is_on_its_evidence_and_what_it_was_made_with():
    compared = op.compare(scores(("a", "b", "c")))
    verdict = compared.verdict("a", "b", alpha=0.01, rope=0.02)
    html = verdict._repr_html_()
    assert "a vs. b: &lt;b&gt;accuracy&lt;/b&gt;, 10-fold cross-validation" in html
    assert verdict.sentence in html
    assert re.findall("<td[^>]*>([^<]*)</td>", html)[1:] == ["assumed", "0.01", "±0.02"]
    assert "rope" not in compared.verdict("a", "b")._repr_html_()
    against = op.methods.paired_t(
        [3, 5, 4, 6], [1, 2, 2, 3], names=("new", "old"), unit="items"
    ).verdict()
    assert against.sentence in against._repr_html_()


def test_a_study_shows_the_rate_of_every_method():
    found = SHOWN["study"]()
    html = found._repr_html_()
    assert all(str(row) in html for row in found.rates())


def test_the_list_of_methods_has_every_name():
    html = op.methods.table()._repr_html_()
    assert all(f">{name}<" in html for name in op.methods.table().names)


def test_an_explanation_wraps_in_notebooks():
    html = op.explain("OP401")._repr_html_()
    assert html.count("<div") == 2
    assert ">OP401 (info): Applies to the fitted models" in html
