"""Leaving out one dataset, and planning how many are needed."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from launching import run_here

import outperform as op


def over_datasets(values: np.ndarray) -> op.Scores:
    names = tuple("abcdefgh"[: len(values)])
    addresses = np.zeros((values.shape[1], 3), dtype=np.int64)
    datasets = tuple(f"d{i}" for i in range(values.shape[1]))
    return op.Scores(names, values, addresses, datasets=datasets)


CARRIED = np.array([[0.80, 0.75, 0.91, 0.66, 0.84, 0.79], [0.70, 0.72, 0.87, 0.61, 0.78, 0.77]])
"""Six wins: p = 0.03125, and 0.0625 without any of them."""


def test_the_dataset_that_carries_a_verdict_is_named() -> None:
    found = op.compare(over_datasets(CARRIED))
    assert found.verdict() == "outperforms"
    (pair,) = found.leave_one_out()
    assert pair.verdict == "outperforms"
    assert pair.without == dict.fromkeys([f"d{i}" for i in range(6)], "no decision")
    said = " ".join(str(found).split())
    assert "depend on one dataset: a vs. b would be 'no decision' without d0, d1 or 4 more." in said
    assert str(found).count("would be") == 1


def test_leaving_out_is_comparing_without_the_dataset() -> None:
    rng = np.random.default_rng(4)
    values = 0.8 + np.array([[0.012], [0.0], [0.004]]) + rng.normal(0, 0.02, (3, 15))
    whole = op.compare(over_datasets(values))
    found = whole.leave_one_out(alpha=0.2)
    for place, one in enumerate(found):
        assert one.verdict == whole.outcomes(0.2)[place]
        for gone in range(15):
            rest = op.compare(over_datasets(np.delete(values, gone, axis=1)))
            after = rest.outcomes(0.2)[place]
            assert one.without.get(f"d{gone}", one.verdict) == after
    assert any(one.without for one in found)


def test_a_clear_verdict_has_no_such_line() -> None:
    rng = np.random.default_rng(0)
    values = np.array([[0.9], [0.7]]) + rng.normal(0, 0.01, (2, 20))
    found = op.compare(over_datasets(values))
    assert "depend on one dataset" not in str(found)
    with pytest.raises(op.MethodError, match="at least 3 datasets"):
        op.compare({"a": [0.8, 0.7, 0.9], "b": [0.7, 0.8, 0.6]}, design="3cv").leave_one_out()


def test_a_plan_says_how_many_more_datasets_a_difference_needs() -> None:
    rng = np.random.default_rng(1)
    scores = over_datasets(rng.normal(0.8, 0.03, (2, 20)))
    plan = op.plan(scores, 0.01)
    assert plan.more == plan.needed - 20 > 0
    assert plan.sizes[0].detectable > plan.sizes[0].expected > plan.sizes[-1].expected
    assert f"needs about {plan.needed:,} datasets, {plan.more:,} more." in " ".join(
        str(plan).split()
    )
    assert json.loads(plan.to_json())["more"] == plan.more
    assert op.plan(scores, 1.0).more == 0
    # by the normal law, 1.96 + 0.84 standard errors with the efficiency 3/π
    sd = plan.spread * math.sqrt(19 / 13.716)  # 13.716 = the lower 20 % point of χ² on 19
    rough = (2.8016 * sd / 0.01) ** 2 / (3 / math.pi)
    assert plan.needed == pytest.approx(rough, rel=0.05)


def test_planned_datasets_detect_the_difference_with_the_power_asked() -> None:
    """δ = 1e-6 at 600 experiments: with power 0.8 or more, at least 429 verdicts."""
    rng = np.random.default_rng(2)
    pilot = over_datasets(0.8 + rng.normal(0, 0.02, (2, 200)))
    needed = op.plan(pilot, 0.01).needed
    d = rng.normal(0.01, 0.02 * math.sqrt(2), (600, needed))
    rejected = int((op.methods.wilcoxon.batch(d).pvalue() < 0.05).sum())
    assert rejected >= 429
    few = op.methods.wilcoxon.batch(d[:, : needed // 3]).pvalue() < 0.05
    assert int(few.sum()) < 429


def test_the_command_plans_datasets(tmp_path, capsys) -> None:
    rows = "\n".join(f"d{i},{0.8 + 0.01 * (i % 3)},{0.79 + 0.02 * (i % 2)}" for i in range(12))
    (tmp_path / "bench.csv").write_text(f"dataset,a,b\n{rows}\n")
    assert run_here("plan", str(tmp_path / "bench.csv"), "--difference", "0.01") == 0
    assert "A difference of 0.01 needs about" in capsys.readouterr().out


def test_a_plan_needs_differences_that_vary() -> None:
    with pytest.raises(op.DataError, match="do not vary between datasets"):
        op.plan(over_datasets(np.array([[0.5, 0.6, 0.7], [0.5, 0.6, 0.7]])), 0.1)
    with pytest.raises(op.DataError, match="at least 3 datasets"):
        op.plan(over_datasets(np.array([[0.5, 0.6], [0.4, 0.7]])), 0.1)
    with pytest.raises(op.DataError, match="Plan for a larger one"):
        op.plan(over_datasets(np.array([[0.5, 0.6, 0.9], [0.4, 0.7, 0.7]])), 1e-9)
