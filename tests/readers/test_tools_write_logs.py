"""Logs that lm-evaluation-harness and Inspect write here, with models that need no network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import outperform as op

N = 12


@pytest.mark.filterwarnings("ignore")
@pytest.mark.needs("inspect_ai")
def test_what_inspect_writes_is_read_as_it_scored(tmp_path: Path) -> None:
    from inspect_ai import Task
    from inspect_ai import eval as run
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.log import convert_eval_logs
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import match

    samples = [
        Sample(id=f"q{i}", input=f"{i}?", target=str(i % 2), metadata={"subject": f"s{i // 3}"})
        for i in range(N)
    ]
    paths, printed = [], []
    for name, answer in (("zeros", "0"), ("ones", "1")):
        outputs = [ModelOutput.from_content("mockllm", answer) for _ in range(2 * N)]
        for output in outputs:  # else tokens are counted by a table from the network
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
        task = Task(
            dataset=MemoryDataset(samples), scorer=match(), name="toy", metadata={"who": name}
        )
        (log,) = run(
            task, model=model, epochs=2, log_dir=str(tmp_path / name), display="none", max_samples=1
        )
        assert log.status == "success", log.error
        paths.append(log.location)
        printed.append(log.results.scores[0].metrics["accuracy"].value)
    items = op.Items.read(*paths, cluster="subject")
    assert items.values.shape == (2, N, 2)
    assert list(items.performance().values()) == printed
    assert [len(items.clusters.labels), items.cluster_name] == [4, "subject"]
    convert_eval_logs(paths[0], "json", str(tmp_path / "json"))
    (plain,) = (tmp_path / "json").glob("*.json")
    same = op.Items.read(plain, cluster="subject")
    assert (same.values[0] == items.values[0]).all()
    assert op.compare(items).n == N


@pytest.mark.needs("lm_eval")
def test_what_lm_eval_writes_is_read_as_it_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, means = [], []
    for name in ("first", "second"):
        path, mean = _lm_eval(tmp_path, name, monkeypatch)
        paths.append(path)
        means.append(mean)
    items = op.Items.read(*paths, metric="acc,none", cluster="doc.subject")
    assert items.values.shape == (2, N, 1)
    assert list(items.performance().values()) == pytest.approx(means, rel=1e-12)
    assert all(item.printed["toymc"].stderr is not None for item in items.headers)
    assert op.compare(items).n == N


def _lm_eval(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, float]:
    """Run lm-evaluation-harness with its dummy model, which guesses."""
    import random

    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(folder / "cache"))
    from lm_eval import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    docs = [
        {"q": f"{i}?", "choices": ["a", "b"], "label": i % 2, "subject": f"s{i // 3}"}
        for i in range(N)
    ]
    data = folder / "toy.jsonl"
    data.write_text("".join(json.dumps(doc) + "\n" for doc in docs))
    tasks = folder / "tasks"
    tasks.mkdir(exist_ok=True)
    task: dict[str, Any] = {
        "task": "toymc",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(data)}},
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": "{{q}}",
        "doc_to_choice": "choices",
        "doc_to_target": "label",
        "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
    }
    (tasks / "toymc.yaml").write_text(json.dumps(task))
    random.seed(name)
    tracker = EvaluationTracker(output_path=str(folder / name))
    found = simple_evaluate(
        model="dummy",
        tasks=["toymc"],
        task_manager=TaskManager(include_path=str(tasks), include_defaults=False),
        evaluation_tracker=tracker,
        log_samples=True,
        random_seed=None,
    )
    samples = found.pop("samples")
    tracker.general_config_tracker.model_name = name
    tracker.save_results_aggregated(results=found, samples=samples)
    tracker.save_results_samples(task_name="toymc", samples=samples["toymc"])
    (path,) = (folder / name).rglob("samples_toymc_*.jsonl")
    return path, float(found["results"]["toymc"]["acc,none"])
