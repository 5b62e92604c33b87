"""Who is told apart: groups, letters, text and headline agree with the table of pairs (F-23)."""

import json

import numpy as np
import pytest

import outperform as op
from outperform.report.html import PageOptions, page
from outperform.report.html.group_section import LETTERS
from outperform.report.html.headline import headline
from outperform.results.comparison_rows import _covering


def noisy_last(**options):
    """Return a, b and c of which only the first two are told apart: c varies too much."""
    rng = np.random.default_rng(2)
    base = rng.normal(0, 0.002, 30)
    noise = rng.normal(0, 1, 30)
    made = {"a": 0.9 + base, "b": 0.8 + base + rng.normal(0, 0.002, 30)}
    made["c"] = 0.7 + (noise - noise.mean())
    scores = op.Scores.from_arrays(made, design="30xresampled@1/10")
    return op.compare(scores, **options)


def verdict_of(comparison, alpha=0.05):
    rows = comparison.rows(level=1 - alpha, alpha=alpha)
    return headline(comparison, rows, PageOptions(alpha, 1 - alpha, None))


@pytest.mark.slow
@pytest.mark.requirement("F-23")
def test_nobody_outperforms_a_model_that_was_not_told_apart_from_it():
    comparison = noisy_last()
    assert [comparison.names[i] for i in comparison.order()] == ["a", "b", "c"]
    assert comparison.outcomes() == ["outperforms", "no decision", "no decision"]
    assert comparison.groups() == [("a", "c"), ("b", "c")]
    assert json.loads(comparison.to_json())["groups"] == [["a", "c"], ["b", "c"]]
    assert "best first: a A, b B, c AB. Learners that share a letter" in str(comparison)
    said = "a outperforms 1 of 2 others; it is not significantly different from c."
    assert verdict_of(comparison).verdict == said
    html = page.render(comparison)
    assert said in html
    assert "outperforms all" not in html


@pytest.mark.requirement("F-23")
def test_all_others_are_outperformed_only_where_each_was_decided():
    rng = np.random.default_rng(3)
    made = {
        name: mean + rng.normal(0, 0.01, 30) for name, mean in zip("abc", (3, 2, 1), strict=True)
    }
    scores = op.Scores.from_arrays(made, design="30xresampled@1/10")
    assert verdict_of(op.compare(scores)).verdict == "a outperforms all 2 others."
    one_sided = op.compare(scores, alternative="less")
    assert verdict_of(one_sided).verdict.startswith("No decision")


def table(k, density, seed):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((k, k)) < density, 1)
    return upper | upper.T | np.eye(k, dtype=bool)


@pytest.mark.requirement("F-23")
@pytest.mark.parametrize("density", [0.0, 0.2, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_groups_hold_every_pair_not_told_apart_and_no_other_and_nobody_can_join(density, seed):
    together = table(12, density, seed)
    found = _covering(together)
    shared = np.eye(12, dtype=bool)
    for group in found:
        shared[np.ix_(group, group)] = True
        outside = set(range(12)) - set(group)
        assert not any(together[one, list(group)].all() for one in outside)
    assert (shared == together).all()
    assert len(set(found)) == len(found)
    assert found == sorted(found)


def test_neighbours_along_the_order_give_runs():
    near = np.abs(np.subtract.outer(np.arange(9), np.arange(9))) <= 2
    assert _covering(near) == [tuple(range(i, i + 3)) for i in range(7)]


@pytest.mark.parametrize("density", [0.5, 0.95])
def test_a_thousand_models_need_fewer_groups_than_pairs(density):
    together = table(1000, density, 1)
    assert len(_covering(together)) < np.count_nonzero(together)


def test_more_groups_than_letters_are_counted():
    rng = np.random.default_rng(5)
    made = {f"m{i}": i / 100 + rng.normal(0, 0.02, 30) for i in range(90)}
    scores = op.Scores.from_arrays(made, design="30xresampled@1/10")
    comparison = op.compare(scores, adjust="holm")
    many = len(comparison.groups())
    assert many > LETTERS
    said = " ".join(str(comparison).split())
    assert "best first: m89 A, m88 A" in said
    assert "… and 70 more. Learners that share a letter" in said
