"""`log_to_mlflow`: a verdict as tags and a record on the candidate's run."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import DataError, MethodError
from ..results.comparison import Comparison
from ..results.records import ENDING, record_of, text_of

RECORD = f"verdict{ENDING}"
TAG = "outperform.{}"


def log_to_mlflow(
    comparison: Comparison,
    *,
    run_id: str | None = None,
    alpha: float = 0.05,
    rope: float | None = None,
    mlflow: Any = None,
) -> dict[str, str]:
    """Log a verdict on two learners to an MLflow run, with the record as an artifact.

    The tags are `outperform.verdict`, `outperform.p` and `outperform.record_sha256`, so that runs
    can be filtered by them. `outperform verify` recomputes the artifact.

    Parameters
    ----------
    comparison : Comparison
        A comparison of two learners, such as `op.compare("candidate.jsonl", "baseline.jsonl")`.
    run_id : str, optional
        Run of the candidate; by default the active one.
    alpha : float, default=0.05
        Significance level.
    rope : float, optional
        Region of practical equivalence: differences between -rope and rope do not matter.
    mlflow : module, optional
        What to log with, by default the installed `mlflow`.

    Returns
    -------
    dict
        The tags.

    Examples
    --------
    >>> import outperform as op
    >>> class Tracker:
    ...     def log_artifact(self, path): print("artifact", path.rpartition("/")[2])
    ...     def set_tags(self, tags): print(len(tags), "tags")
    >>> cmp = op.compare({"new": [0.9, 0.8, 0.9], "old": [0.7, 0.7, 0.8]}, design="3cv")
    >>> tags = op.log_to_mlflow(cmp, mlflow=Tracker())
    artifact verdict.outperform.json
    3 tags
    >>> tags["outperform.verdict"]
    'no decision'
    """
    if comparison.n_pairs != 1:
        raise MethodError(
            f"A run gets the verdict on one pair, but {comparison.n_pairs} pairs were compared. "
            "Compare the candidate with the baseline only"
        )
    tracker = _installed() if mlflow is None else mlflow
    record = record_of(comparison, alpha=alpha, rope=rope)
    p = comparison.pvalue
    tags = {
        TAG.format("verdict"): comparison.verdict(alpha=alpha, rope=rope).outcome,
        TAG.format("p"): "none" if p is None else repr(p),
        TAG.format("record_sha256"): record["sha256"],
    }
    named = {} if run_id is None else {"run_id": run_id}
    with TemporaryDirectory() as folder:
        path = Path(folder, RECORD)
        path.write_text(text_of(record), encoding="ascii")
        tracker.log_artifact(str(path), **named)
    if run_id is None:
        tracker.set_tags(tags)
    else:
        client = tracker.MlflowClient()
        for name, value in tags.items():
            client.set_tag(run_id, name, value)
    return tags


def _installed() -> Any:
    try:
        return import_module("mlflow")
    except ImportError:
        raise DataError("log_to_mlflow needs the mlflow package: pip install mlflow") from None
