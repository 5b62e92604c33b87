"""Tables of other tools: the samples are read for what they are, and so are others of the kind.

The files in trials/formats: weka and sklearn as these tools write them, mlflow as `search_runs`
gives it, tabarena in the columns of its result frames, openml_evaluations in those of
`openml.evaluations.list_evaluations`, with made-up values.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform import DataError, Scores

FORMATS = Path(__file__).parent / "trials" / "formats"


def said(scores: Scores) -> str:
    return " ".join(note.text for note in scores.notes)


def refusal(given: Any, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        Scores.from_frame(given, **options)
    return str(caught.value)


def test_the_sample_of_a_search_is_read_as_k_folds_and_another_design_can_be_said() -> None:
    path = FORMATS / "cv_results_.csv"
    scores = Scores.read(path)
    frame = pd.read_csv(path)
    assert scores.names == ("max_depth=1", "max_depth=2", "max_depth=3")
    assert scores.values.tolist() == frame.filter(regex="^split").to_numpy().tolist()
    assert str(scores.design) == "6cv"
    repeated = Scores.read(path, design="2x3cv")
    assert [tuple(a) for a in repeated.addresses.tolist()] == [
        (0, r, f) for r in range(2) for f in range(3)
    ]
    assert "assumed" not in said(repeated)


def test_a_search_of_several_metrics_is_read_by_one_of_them_from_its_dict_too() -> None:
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2], "min_samples_leaf": [1, 5]},
        scoring=["accuracy", "neg_log_loss"],
        refit=False,
        cv=4,
    ).fit(X, y)
    frame = pd.DataFrame(search.cv_results_)
    assert "metric='accuracy'" in refusal(frame)
    scores = Scores.from_frame(frame, metric="neg_log_loss")
    assert scores.metric == "neg_log_loss"
    assert scores.greater_is_better
    expected = frame.filter(regex="^split.*log_loss").to_numpy()
    assert scores.values.tolist() == expected.tolist()
    assert scores.names[0] == "max_depth=1, min_samples_leaf=1"


def test_many_splits_of_a_search_may_be_repeated_so_nothing_is_assumed() -> None:
    frame = pd.DataFrame({f"split{i}_test_score": [0.5 + i / 100, 0.6] for i in range(20)})
    scores = Scores.from_frame(frame.assign(params=["a", "b"]))
    assert scores.design is None
    assert [a[2] for a in scores.addresses.tolist()] == [*range(20)]
    assert str(Scores.from_frame(frame, design="2x10cv").design) == "2x10cv"


def test_candidates_without_names_or_with_the_same_are_told_apart() -> None:
    frame = pd.DataFrame({f"split{i}_test_score": [0.5, 0.6 + i / 10] for i in range(3)})
    assert Scores.from_frame(frame).names == ("candidate #0", "candidate #1")
    same = frame.assign(params=["{}", "{}"])
    assert Scores.from_frame(same).names == ("{} #0", "{} #1")


def test_a_setting_of_none_is_named_though_a_csv_leaves_it_empty() -> None:
    frame = pd.DataFrame({f"split{i}_test_score": [0.5, 0.6 + i / 10, 0.4] for i in range(3)})
    frame["param_depth"] = [2, None, None]
    frame["params"] = ["{'depth': 2}", "{'depth': None}", "{}"]
    assert Scores.from_frame(frame).names == ("depth=2.0", "depth=None", "candidate")


def test_a_positive_loss_in_a_search_is_still_a_loss() -> None:
    frame = pd.DataFrame({f"split{i}_test_mse": [2.5 + i, 1.5] for i in range(3)})
    assert not Scores.from_frame(frame).greater_is_better
    assert Scores.from_frame(-frame).greater_is_better


def test_a_failed_fit_of_a_search_is_missing() -> None:
    frame = pd.DataFrame({f"split{i}_test_score": [0.5, 0.6 + i / 10] for i in range(4)})
    frame.loc[1, "split2_test_score"] = np.nan
    assert "row 1 (counted from 0), split 2" in refusal(frame)
    assert Scores.from_frame(frame, drop_incomplete=True).n_splits == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["experimenter.csv", "experimenter.arff"])
def test_the_weka_experimenter_is_read_with_runs_folds_sizes_and_schemes(name: str) -> None:
    scores = Scores.read(FORMATS / name)
    frame = pd.read_csv(FORMATS / "experimenter.csv", quotechar="'")
    assert scores.names == ("ZeroR", "J48 -C 0.25 -M 2")
    assert (str(scores.design), scores.metric) == ("2x3cv", "Percent_correct")
    assert scores.values.ravel().tolist() == frame["Percent_correct"].tolist()
    assert (scores.n_train == 100).all()
    assert (scores.n_test == 50).all()
    assert "the default of the Weka Experimenter" in said(scores)
    kappa = Scores.read(FORMATS / name, metric="Kappa_statistic")
    assert kappa.values.ravel() == pytest.approx(frame["Kappa_statistic"], abs=1e-6)
    error = Scores.read(FORMATS / name, metric="Root_mean_squared_error")
    assert not error.greater_is_better
    assert not Scores.read(FORMATS / name, metric="Percent_unclassified").greater_is_better


def test_weka_schemes_of_one_name_are_told_apart_by_their_packages() -> None:
    frame = pd.DataFrame(
        [
            ("iris", run, fold, f"weka.{kind}.J48", "", 50 + run + len(kind) * fold)
            for kind in ("trees", "mine")
            for run in (1, 2)
            for fold in (1, 2, 3)
        ],
        columns=["Key_Dataset", "Key_Run", "Key_Fold", "Key_Scheme", "Key_Scheme_options", "F"],
    )
    scores = Scores.from_frame(frame)
    assert scores.names == ("weka.trees.J48", "weka.mine.J48")
    assert scores.metric == "F"
    assert "Assumed that greater is better" in said(scores)


def test_weka_runs_without_folds_are_random_splits_of_the_sizes_given() -> None:
    frame = pd.DataFrame(
        [
            ("iris", run, scheme, 100, 50, 80.5 + run * len(scheme))
            for scheme in ("A", "BB")
            for run in range(1, 6)
        ],
        columns=[
            *("Key_Dataset", "Key_Run", "Key_Scheme", "Number_of_training_instances"),
            *("Number_of_testing_instances", "Percent_correct"),
        ],
    )
    scores = Scores.from_frame(frame)
    assert str(scores.design) == "5xresampled@50/train100"
    assert op.compare(scores).method.name == "corrected_t"


def test_tabarena_is_read_over_datasets_and_lower_is_better() -> None:
    scores = Scores.read(FORMATS / "tabarena.csv")
    frame = pd.read_csv(FORMATS / "tabarena.csv")
    assert scores.names == ("A", "B")
    assert not scores.greater_is_better
    means = frame.pivot_table(index="method", columns="dataset", values="metric_error")
    assert scores.dataset_means().tolist() == pytest.approx(means.to_numpy())
    assert op.compare(scores, method="wilcoxon").n == 2


def test_one_dataset_of_tabarena_is_three_folds_repeated() -> None:
    frame = pd.read_csv(FORMATS / "tabarena.csv").query("dataset == 'churn'")
    scores = Scores.from_frame(frame)
    assert str(scores.design) == "2x3cv"
    assert "Design assumed to be 2x3cv" in said(scores)
    assert str(Scores.from_frame(frame, design="6cv").design) == "6cv"


def test_tabarena_datasets_may_have_other_metrics_and_numbers_of_splits() -> None:
    frame = pd.read_csv(FORMATS / "tabarena.csv").rename(columns={"method": "framework"})
    frame.loc[frame["dataset"] == "churn", "metric"] = "rmse"
    fewer = frame[(frame["dataset"] == "anneal") | (frame["fold"] < 3)]
    scores = Scores.from_frame(fewer)
    assert scores.metric == "metric_error"
    assert scores.dataset_means()[0].tolist() == pytest.approx([0.125, 0.11])
    assert "'roc_auc', 'rmse'" in said(scores)
    assert "datasets have 3 to 6 splits" in said(scores)
    one = Scores.from_frame(fewer, metric="rmse")
    assert (one.metric, one.n_splits, str(one.design)) == ("rmse error", 3, "3cv")


def test_imputed_cells_of_tabarena_never_count_as_data() -> None:
    frame = pd.read_csv(FORMATS / "tabarena.csv").query("dataset == 'churn'").assign(imputed=False)
    frame.loc[frame.index[3], "imputed"] = True
    assert "1 of 12 scores are imputed" in refusal(frame)
    scores = Scores.from_frame(frame, drop_incomplete=True)
    assert scores.n_splits == 5


def test_tabarena_folds_are_numbered_across_repeats_on_each_of_several_datasets() -> None:
    found = op.Benchmark.read(FORMATS / "tabarena.csv")
    assert str(found.on("churn").design) == "2x3cv"
    assert found.on("churn").values[0].tolist() == pytest.approx(np.arange(10, 16) / 100)


def test_several_datasets_of_the_weka_experimenter_are_a_benchmark(tmp_path: Path) -> None:
    head, *rows = (FORMATS / "experimenter.csv").read_text(encoding="utf-8").splitlines()
    more = [row.replace("iris", name, 1) for name in ("iris", "wine", "zoo") for row in rows]
    path = tmp_path / "results.csv"
    path.write_text("\n".join([head, *more]) + "\n", encoding="utf-8")
    found = op.Benchmark.read(path)
    assert found.datasets == ("iris", "wine", "zoo")
    alone = Scores.read(FORMATS / "experimenter.csv")
    assert np.array_equal(found.on("zoo").values, alone.values)
    assert str(found.on("zoo").design) == str(alone.design)
    assert op.compare(found, method="wilcoxon").n == 3


def openml() -> pd.DataFrame:
    return pd.read_csv(FORMATS / "openml_evaluations.csv")


def test_evaluations_of_openml_are_flows_on_the_folds_of_tasks(tmp_path: Path) -> None:
    path = FORMATS / "openml_evaluations.csv"
    found = op.Benchmark.read(path, metric="predictive_accuracy")
    assert found.names == ("sklearn.tree.DecisionTreeClassifier(1)", "weka.J48(4)")
    assert len(found.datasets) == 6
    assert str(found.on("splice").design) == "10cv"
    rows = openml().query("function == 'predictive_accuracy'")
    wide = rows.pivot_table(index="flow_name", columns="data_name", values="value", sort=False)
    assert found.values == pytest.approx(wide.to_numpy(), abs=1e-5)
    assert "predictive_accuracy', 'area_under_roc_curve'" in refusal(openml())
    frame = rows.assign(values=rows["values"].map(json.loads), array_data=None)
    frame.to_json(tmp_path / "records.json", orient="records")
    whole = {"evaluations": {"evaluation": json.loads(frame.to_json(orient="records"))}}
    (tmp_path / "rest.json").write_text(json.dumps(whole))
    for other in (
        op.Benchmark.from_frame(frame),
        op.Benchmark.read(tmp_path / "records.json"),
        op.Benchmark.read(tmp_path / "rest.json"),
    ):
        assert np.array_equal(other.scores.values, found.scores.values)


@pytest.mark.parametrize("depth", [4000, 100_000])
def test_folds_of_openml_that_are_nested_are_refused(depth: int) -> None:
    rows = openml().query("function == 'predictive_accuracy'")
    with pytest.raises(DataError, match=r"one number for each fold.* Remove the column"):
        op.Benchmark.from_frame(rows.assign(values="[" * depth + "]" * depth))


def test_evaluations_without_folds_count_once_and_setups_tell_flows_apart() -> None:
    rows = openml().query("function == 'predictive_accuracy'").drop(columns="values")
    found = op.Benchmark.from_frame(rows)
    assert found.scores.n_splits == 6
    other = rows[rows["setup_id"] == 5].assign(setup_id=9, value=lambda frame: frame["value"] - 0.1)
    three = op.Benchmark.from_frame(pd.concat([rows, other]))
    assert three.names[0] == "sklearn.tree.DecisionTreeClassifier(1) (setup 5)"
    assert len(three.names) == 3
    assert "setup differs" not in said(found.scores) + said(three.scores)
    first = rows["task_id"] == rows["task_id"].iloc[0]
    tuned = op.Benchmark.from_frame(rows.assign(setup_id=rows["setup_id"].mask(first, 77)))
    assert tuned.names == found.names
    assert "The setup differs between tasks for" in said(tuned.scores)
    again = op.Benchmark.from_frame(pd.concat([rows, rows.head(1).assign(value=0.1)]))
    assert np.array_equal(again.values, found.values)
    assert "1 run repeats a flow" in said(again.scores)
    assert op.Benchmark.from_frame(rows.tail(9)).missing
    longer = openml().query("function == 'predictive_accuracy'")
    longer["values"] = [str(2 * json.loads(cell)) for cell in longer["values"]]
    assert str(op.Benchmark.from_frame(longer).on("splice").design) == "2x10cv"


def test_a_flow_on_two_tasks_of_one_dataset_is_told_apart_by_the_task() -> None:
    rows = openml().query("function == 'predictive_accuracy'")
    other = rows[rows["data_name"] == "splice"].assign(task_id=99)
    found = op.Benchmark.from_frame(pd.concat([rows, other]))
    assert found.datasets[-2:] == ("splice (task 7)", "splice (task 99)")
