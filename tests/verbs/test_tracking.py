"""A verdict on an MLflow run: three tags, and a record that can be recomputed."""

from pathlib import Path

import pytest

import outperform as op
from outperform import MethodError

PAIR = {"new": [0.8, 0.9, 0.7, 0.85, 0.75], "old": [0.7, 0.85, 0.6, 0.8, 0.7]}


class Tracker:
    """The part of MLflow's interface that is called, keeping what it is told."""

    def __init__(self, folder):
        self.folder, self.tags = folder, {}

    def log_artifact(self, path, run_id="active"):
        (self.folder / Path(path).name).write_bytes(Path(path).read_bytes())
        self.run_id = run_id

    def set_tags(self, tags):
        self.tags.update(tags)

    def MlflowClient(self):
        return self

    def set_tag(self, run_id, name, value):
        assert run_id == self.run_id
        self.tags[name] = value


@pytest.mark.parametrize("run_id", [None, "abc123"])
def test_tags_name_the_verdict_and_the_record_that_is_logged(tmp_path, run_id):
    found = op.compare(PAIR, design="5cv")
    tracker = Tracker(tmp_path)
    tags = op.log_to_mlflow(found, run_id=run_id, mlflow=tracker)
    again = op.verify(tmp_path / "verdict.outperform.json")
    assert tracker.tags == tags
    assert tags["outperform.verdict"] == found.verdict().outcome
    assert float(tags["outperform.p"]) == found.pvalue
    assert tags["outperform.record_sha256"] == again.sha256
    assert again.agrees


def test_many_pairs_are_refused(tmp_path):
    found = op.compare({**PAIR, "older": [0.6, 0.7, 0.6, 0.7, 0.6]}, design="5cv")
    with pytest.raises(MethodError, match="3 pairs were compared"):
        op.log_to_mlflow(found, mlflow=Tracker(tmp_path))
