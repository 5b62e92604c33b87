"""The hierarchical model: golden values, calibrated cells, and how it is read."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import places
import pytest

import outperform as op
from outperform.numerics.hierarchy import Prior, posterior

ENTRIES = json.loads((places.GOLDEN / "many_datasets.json").read_text("utf-8"))
GOLDEN = {e["name"]: e for e in ENTRIES if e["name"].startswith("hierarchical/")}
QUICK = [name for name in GOLDEN if name.endswith(("raw_6x10", "constant_dataset"))]
SLOW = [name for name in GOLDEN if name not in QUICK]


def fitted(name: str, nodes: int = 121):
    given = GOLDEN[name]["input"]
    if "x" in given:
        x = np.array(given["x"])
        n, means, bound = x.shape[1], x.mean(axis=1), np.abs(x).max()
        within = ((x - means[:, None]) ** 2).sum(axis=1)
    else:
        n, bound = given["J"], given["max_abs_difference"]
        means, within = np.array(given["means"]), np.array(given["ssw"])
    rho = given["rho"]
    scales = np.sqrt(within * (1 + (n - 1) * rho) / (n * (1 - rho) * (n - 2)))
    prior = Prior(
        tuple(given.get("prior_alpha", (1, 2))), tuple(given.get("prior_beta", (0.01, 0.1)))
    )
    df = np.full(means.size, n - 2.0)
    return posterior(means, scales, df, np.sqrt(within / n).mean(), bound, prior, nodes)


def check(name: str) -> None:
    found, want = fitted(name), GOLDEN[name]["expected"]
    near, rope = GOLDEN[name]["tolerance"], GOLDEN[name]["input"]["rope"]
    assert found.next_dataset(-rope, rope) == pytest.approx(want["p_next"], abs=near["p_next"])
    assert found.most_probable(-rope, rope) == pytest.approx(want["p_most"], abs=near["p_most"])
    assert found.delta_mean == pytest.approx(want["delta0"], abs=near["delta0"])
    assert found.delta_sd == pytest.approx(want["sd_delta0"], rel=0.005)
    assert found.sigma_mean == pytest.approx(want["sigma0"], rel=near["sigma0_relative"])
    assert found.nu_mean == pytest.approx(want["nu"], rel=near["nu_relative"])


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_the_posterior_of_small_tables_is_the_golden_one(name: str) -> None:
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_the_posterior_of_published_tables_is_the_golden_one(name: str) -> None:
    check(name)


@pytest.mark.slow
def test_a_dataset_that_does_not_vary_keeps_its_mean() -> None:
    """baycomp 1.0.3 replaces such a dataset by noise around 0, and +0.0625 becomes 0."""
    x = np.array(GOLDEN["hierarchical/constant_dataset"]["input"]["x"])
    assert (x[3] == 0.0625).all()
    kept = op.methods.hierarchical(x, rho=0.1, nodes=61)
    zeroed = x.copy()
    zeroed[3] = np.random.default_rng(0).uniform(-1e-6, 1e-6, 10)
    lost = op.methods.hierarchical(zeroed, rho=0.1, nodes=61)
    assert kept.probabilities(0.01).better > lost.probabilities(0.01).better + 0.05


@pytest.mark.slow
def test_the_method_reads_arrays_and_says_what_moves_with_the_prior() -> None:
    entry = GOLDEN["hierarchical/raw_6x10"]
    found = op.methods.hierarchical(np.array(entry["input"]["x"]), rho=0.1)
    odds = found.probabilities(0.01)
    worse, same, better = entry["expected"]["p_next"]
    assert odds == pytest.approx((better, same, worse), abs=1e-3)
    said = json.loads(found.to_json(rope=0.01))
    assert said["most_probable"]["better"] == pytest.approx(
        entry["expected"]["p_most"][2], abs=5e-3
    )
    assert said["prior_sensitivity"] < 0.01
    assert "on the next dataset (with another prior they move by" in " ".join(str(found).split())
    other = op.methods.hierarchical(np.array(entry["input"]["x"]), rho=0.1, prior="corani")
    assert other.probabilities(0.01) == pytest.approx(odds, abs=0.01)
    assert other.probabilities(0.01) != odds


def over_datasets(n: int = 6, splits: int = 10) -> op.Scores:
    rng = np.random.default_rng(5)
    level = rng.normal(0.8, 0.05, n)
    gain = np.array([[0.0], [0.1], [0.002]]) + rng.normal(0, 0.01, (3, n))
    values = (level + gain)[:, :, None] + rng.normal(0, 0.01, (3, n, splits))
    folds = np.tile(np.arange(splits), n)
    addresses = np.stack([np.zeros_like(folds), np.zeros_like(folds), folds], axis=1)
    names = tuple(str(d) for d in range(n) for _ in range(splits))
    design = op.parse(f"{splits}cv")
    return op.Scores(tuple("abc"), values.reshape(3, -1), addresses, design=design, datasets=names)


@pytest.mark.slow
def test_scores_over_datasets_are_judged_pair_by_pair() -> None:
    scores = over_datasets()
    compared = op.compare(scores, method="hierarchical")
    pair = compared["b", "a"]
    assert pair.verdict() == "outperforms"
    first, second = (scores.values[i].reshape(6, 10) for i in (1, 0))
    alone = op.methods.hierarchical(first, second, rho=0.1)
    assert pair.probabilities(0.01) == pytest.approx(alone.probabilities(0.01), abs=1e-9)
    assert "OP346" in [note.code for note in compared.notes]


def test_cells_of_the_calibrated_design_enter_with_their_own_t() -> None:
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    cells = {}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        y = np.arange(90) % 2
        X = rng.normal(size=(90, 3)) + 0.8 * y[:, None]
        models = {"tree": DecisionTreeClassifier(max_depth=2), "bayes": GaussianNB()}
        run = op.run(models, X, y, design="2x3cv+4halves", random_state=seed)
        cells[f"data {seed}"] = replace(run, items=None)
    scores = op.Benchmark.of(cells).scores
    found = op.methods.hierarchical(scores, "tree", "bayes", nodes=61)
    single = [op.methods.calibrated_t(cell) for cell in cells.values()]
    means, scales, df = (
        np.array([getattr(one, part) for one in single]) for part in ("estimate", "stderr", "df")
    )
    assert found.estimate == pytest.approx(means.mean(), abs=1e-12)
    table = found.evidence.posterior.args[0]
    assert table.rows[1][0] == pytest.approx(scales, rel=1e-12)
    assert table.rows[2][0] == pytest.approx(df, rel=1e-12)
    assert "OP323" in [note.code for note in found.notes]
    both = op.compare(scores, method="hierarchical")
    assert both["tree", "bayes"].estimate == pytest.approx(found.estimate, abs=1e-12)


def calibrated(seed: int, design: str = "2x3cv+4halves", n: int = 90) -> op.Scores:
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 3)) + 0.8 * y[:, None]
    models = {"tree": DecisionTreeClassifier(max_depth=2), "bayes": GaussianNB()}
    return op.run(models, X, y, design=design, random_state=seed)


@pytest.mark.slow
def test_calibrated_cells_keep_their_items_and_others_their_correlation() -> None:
    cells = {f"data {seed}": calibrated(seed) for seed in range(3)}
    cells["folds"] = calibrated(3, "5cv")
    table = op.Benchmark.of(cells)
    found = op.methods.hierarchical(table.scores, "tree", "bayes", nodes=61)
    assert "OP323" not in [note.code for note in found.notes]
    rows = found.evidence.posterior.args[0].rows
    single = [op.methods.calibrated_t(cells[f"data {seed}"]) for seed in range(3)]
    assert any(one.details["growth"] > 1 for one in single)  # which needs items
    assert rows[1][0][:3] == pytest.approx([one.stderr for one in single], rel=1e-12)
    assert rows[2][0] == pytest.approx([*(one.df for one in single), 3.0])
    x = cells["folds"].values[0] - cells["folds"].values[1]
    assert rows[1][0][3] == pytest.approx(
        np.sqrt(((x - x.mean()) ** 2).sum() * 1.8 / (5 * 0.8 * 3))
    )
    # Halves of the data judge the variance alone, also beside datasets without them.
    means = [op.methods.calibrated_t(cells[f"data {seed}"]).estimate for seed in range(3)]
    assert (table.values[0] - table.values[1])[:3] == pytest.approx(means)
    said = str(op.compare(table, method="wilcoxon"))
    assert "On a new dataset, " in said
    assert "On single datasets, " in said
    both = op.compare(table, method="hierarchical")
    assert "OP323" not in [note.code for note in both.notes]


def test_pairs_are_judged_on_the_datasets_that_both_have() -> None:
    scores = over_datasets()
    values = scores.values.copy()
    values[0, :10] = np.nan  # the first learner lacks the first dataset
    gaps = op.Benchmark(replace(scores, values=values))
    found = op.compare(gaps, missing="pairwise", method="hierarchical")["c", "b"]
    assert found.estimate == pytest.approx(
        op.methods.hierarchical(scores, "c", "b", nodes=61).estimate
    )
    alone = op.Benchmark(scores).without("0").scores
    pair = op.compare(gaps, missing="pairwise", method="hierarchical")["b", "a"]
    assert pair.estimate == pytest.approx(
        op.methods.hierarchical(alone, "b", "a", nodes=61).estimate
    )


def test_what_the_model_cannot_read_is_refused() -> None:
    with pytest.raises(op.DataError, match="at least 3 of each"):
        op.methods.hierarchical(np.ones((2, 5)))
    with pytest.raises(op.DataError, match="at least 3 datasets with 3 splits each"):
        op.methods.hierarchical(over_datasets(splits=2), "a", "b")
    with pytest.raises(op.DataError, match="'rho' parameter must be at least 0"):
        op.methods.hierarchical(np.ones((3, 5)), rho=1.0)
    with pytest.raises(op.DataError, match="'nodes' parameter"):
        op.methods.hierarchical(np.ones((3, 5)), nodes=3)
    with pytest.raises(op.MethodError, match="prior"):
        op.methods.hierarchical(np.ones((3, 5)), prior="mine")
