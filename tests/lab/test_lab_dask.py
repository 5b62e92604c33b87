"""A study on a Dask cluster: the same bits as on one core."""

from __future__ import annotations

from typing import Any

import pytest
from joblib import parallel_config

import outperform as op
from outperform.lab import DesignedPopulation

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs("dask"),
    # Of clusters being closed.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.mark.requirement("D-52")
def test_a_study_on_a_cluster_has_the_bits_of_one_core(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outperform.lab.studies.TASK", 0.0)  # a task for each block
    asked = ["mcnemar", "kfold_t", "five_by_two_t"]

    def run() -> Any:
        return op.study(
            asked, DesignedPopulation(0.2), effects=(0.0, 0.05), n_reps=30_000, random_state=4
        ).to_frame()

    alone = run()
    before = client.run(lambda dask_worker: dask_worker.state.executed_count)
    with parallel_config("dask"):
        together = run()
    after = client.run(lambda dask_worker: dask_worker.state.executed_count)
    assert together.equals(alone)
    assert sum(after.values()) > sum(before.values())
