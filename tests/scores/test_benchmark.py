"""Benchmarks: learners × datasets, what is missing, and what counts as one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from places import GOLDEN

import outperform as op
from outperform import Benchmark, DataError, Scores

TABLES = {
    row["name"]: row["input"]
    for row in json.loads((GOLDEN / "many_datasets.json").read_text(encoding="utf-8"))
    if row["name"].startswith("table/")
}
WILCOXON = {
    row["name"]: row["expected"]
    for row in json.loads((GOLDEN / "many_datasets.json").read_text(encoding="utf-8"))
    if row["name"].startswith("wilcoxon_pairs/")
}


def frame_of(name: str) -> pl.DataFrame:
    table = TABLES[f"table/{name}"]
    scores = np.array(table["scores"])
    columns = dict(zip(table["learners"], scores.T, strict=True))
    return pl.DataFrame({"dataset": table["datasets"], **columns})


def with_gaps(frame: pl.DataFrame, *cells: tuple[str, str]) -> pl.DataFrame:
    for model, dataset in cells:
        gone = pl.when(pl.col("dataset") == dataset).then(None).otherwise(pl.col(model))
        frame = frame.with_columns(gone.alias(model))
    return frame


def test_a_benchmark_is_a_table_of_models_and_datasets() -> None:
    found = Benchmark.from_frame(frame_of("gh8"))
    assert repr(found) == "<Benchmark 5 learners × 30 datasets, score>"
    assert found["C4.5", "Abalone*"] == 0.219
    assert found.missing == ()
    back = Benchmark.from_frame(found.to_frame())
    assert back.datasets == found.datasets
    assert np.array_equal(back.values, found.values)


@pytest.mark.parametrize("name", ["dem", "gh8"])
def test_mean_ranks_and_wins_are_those_of_the_literature(name: str) -> None:
    rows = json.loads((GOLDEN / "many_datasets.json").read_text(encoding="utf-8"))
    known = next(row["expected"] for row in rows if row["name"] == f"friedman/{name}")
    found = Benchmark.from_frame(frame_of(name))
    assert list(found.mean_ranks().values()) == pytest.approx(known["mean_ranks"], abs=1e-12)
    expected = WILCOXON[f"wilcoxon_pairs/{name}"]
    for (i, j), cell in zip(expected["pairs"], expected["cells"], strict=True):
        won = found.wins(found.names[i], found.names[j])
        assert won == (cell["wins"], cell["ties"], cell["losses"])


def test_ranks_respect_the_direction_of_the_metric() -> None:
    frame = frame_of("dem")
    errors = frame.with_columns((1 - pl.col(name)).alias(name) for name in frame.columns[1:])
    up, down = Benchmark.from_frame(frame), Benchmark.from_frame(errors, lower_is_better=True)
    assert down.mean_ranks() == pytest.approx(up.mean_ranks())
    assert down.wins("C4.5", "C4.5+m") == up.wins("C4.5", "C4.5+m")


def test_missing_cells_are_named_and_refused() -> None:
    frame = with_gaps(frame_of("gh8"), ("CN2", "Wine"), ("Kernel", "Zoo"))
    found = Benchmark.from_frame(frame)
    assert found.missing == (("Kernel", "Zoo"), ("CN2", "Wine"))
    for refused in (frame, found):
        with pytest.raises(
            DataError, match="2 of 150 scores are missing: Kernel on Zoo, CN2 on Wi"
        ):
            op.compare(refused)


def test_complete_judges_the_datasets_that_all_have() -> None:
    frame = with_gaps(frame_of("gh8"), ("CN2", "Wine"), ("Kernel", "Zoo"))
    rest = frame_of("gh8").filter(~pl.col("dataset").is_in(["Wine", "Zoo"]))
    found, expected = op.compare(frame, missing="complete"), op.compare(rest)
    assert np.array_equal(found.adjusted(), expected.adjusted())
    assert "2 of 30 datasets were left out" in " ".join(note.text for note in found.notes)


def test_pairwise_judges_each_pair_on_what_both_have() -> None:
    whole = frame_of("gh8")
    frame = with_gaps(whole, ("CN2", "Wine"), ("CN2", "Zoo"), ("Kernel", "Zoo"))
    found = op.compare(frame, missing="pairwise")
    low, high = found.intervals(0.9)
    for row, (first, second) in enumerate(found.pair_names):
        both = frame.select("dataset", first, second).drop_nulls()
        alone = op.compare(both)
        n = found.rows()[row]["n"]
        assert n == len(both) == alone.n
        assert found.log_pvalues()[row] == alone.log_pvalues()[0]
        assert found[first, second].estimate == alone[first, second].estimate
        ends = alone[first, second].interval(0.9)
        assert ends is not None
        assert (low[row], high[row]) == tuple(ends)
    assert "3 of 150 scores are missing" in str(found)


def test_what_was_said_of_gaps_when_a_table_was_read_holds_when_it_is_compared() -> None:
    frame = with_gaps(frame_of("gh8"), ("CN2", "Wine"), ("Kernel", "Zoo"))
    for missing in ("pairwise", "complete"):
        read, asked = (
            Benchmark.from_frame(frame, missing=missing),
            op.compare(frame, missing=missing),
        )
        assert np.array_equal(op.compare(read).log_pvalues(), asked.log_pvalues())
        assert [note.code for note in op.compare(read).notes] == [note.code for note in asked.notes]
    other = op.compare(Benchmark.from_frame(frame, missing="pairwise"), missing="complete")
    assert other.n == 28
    with pytest.raises(DataError, match="2 of 150 scores are missing"):
        op.compare(Benchmark.from_frame(frame).scores)


def test_pairs_without_two_common_datasets_are_refused() -> None:
    table = {"d1": {"a": 0.5, "b": 0.6}, "d2": {"a": 0.7, "c": 0.6}, "d3": {"a": 0.6, "b": 0.7}}
    with pytest.raises(DataError, match="'a' and 'c' have 1 dataset in common"):
        op.compare(Benchmark.of(table), missing="pairwise")


def test_a_model_that_lacks_a_split_lacks_the_cell() -> None:
    rows = [
        {"dataset": d, "learner": who, "fold": k, "score": 0.5 + 0.01 * k + 0.1 * (who == "a")}
        for d in ("d1", "d2", "d3")
        for who in ("a", "b")
        for k in range(4)
        if (d, who, k) != ("d2", "b", 3)
    ]
    found = Benchmark.from_frame(pl.DataFrame(rows))
    assert found.missing == (("b", "d2"),)
    assert found.on("d1").n_splits == 4


def test_datasets_may_have_splits_of_their_own() -> None:
    rows = [
        {"dataset": d, "learner": who, "fold": k, "score": 0.5 + 0.01 * k + 0.1 * (who == "a")}
        for d, n in (("d1", 3), ("d2", 5))
        for who in ("a", "b")
        for k in range(n)
    ]
    found = Benchmark.from_frame(pl.DataFrame(rows))
    assert [found.on(name).n_splits for name in found.datasets] == [3, 5]
    assert found["a", "d2"] == pytest.approx(0.62)


def test_families_of_datasets_count_as_one() -> None:
    frame = frame_of("dem").with_columns(family=pl.Series([f"f{i // 2}" for i in range(14)]))
    found = op.compare(frame)
    means = frame.drop("dataset").group_by("family", maintain_order=True).mean()
    expected = op.compare(means.select(pl.col("family").alias("dataset"), *found.names))
    assert found.n == 7
    assert found.log_pvalues() == pytest.approx(expected.log_pvalues(), abs=1e-12)
    assert "14 datasets belong to 7 families" in str(found)


def test_a_dataset_belongs_to_one_family() -> None:
    rows = [
        {"dataset": d, "family": f"{d}{who}", "learner": who, "score": 0.5 + 0.1 * (who == "a")}
        for d in ("d1", "d2")
        for who in ("a", "b")
    ]
    with pytest.raises(DataError, match="several families"):
        Benchmark.from_frame(pl.DataFrame(rows))


def test_a_dataset_that_is_listed_twice_is_noted() -> None:
    frame = frame_of("dem")
    again = frame.head(1).with_columns(dataset=pl.lit("copy"))
    found = op.compare(pl.concat([frame, again]))
    assert "'0' and 'copy' have the same scores" in str(found)
    assert "OP012" not in str(op.compare(frame))  # all learners tie on dataset 9


@pytest.mark.parametrize("by", ["dataset", "learner"])
def test_percent_beside_fractions_is_refused(by: str) -> None:
    frame = frame_of("dem")
    if by == "learner":
        frame = frame.with_columns(pl.col("C4.5") * 100)
    else:
        first = pl.col("dataset") == "3"
        models = frame.columns[1:]
        frame = frame.with_columns(
            pl.when(first).then(pl.col(n) * 100).otherwise(pl.col(n)).alias(n) for n in models
        )
    found = Benchmark.from_frame(frame, learner=frame.columns[1:])
    with pytest.raises(DataError, match="percent and fractions seem to be mixed"):
        op.compare(found)
    assert (
        op.compare(Benchmark.from_frame(frame, learner=frame.columns[1:], metric="reward")).n == 14
    )


def test_a_column_that_never_varies_is_no_model_unless_it_is_said() -> None:
    frame = frame_of("dem").with_columns(classes=pl.lit(0.5))
    with pytest.raises(DataError, match=r"column 'classes' holds 0\.5 on all 14 datasets"):
        Benchmark.from_frame(frame)
    names = [*TABLES["table/dem"]["learners"], "classes"]
    named = Benchmark.from_frame(frame, learner=names)
    assert named.names == tuple(names)
    assert "classes has the same score on all 14 datasets" in str(op.compare(named))
    assert "OP013" not in str(op.compare(frame_of("dem")))


@pytest.mark.parametrize(("n", "least", "more"), [(2, "0.5", 4), (3, "0.25", 3), (4, "0.125", 2)])
def test_too_few_datasets_for_any_verdict_are_refused(n: int, least: str, more: int) -> None:
    frame = frame_of("gh8")
    said = f"p-value possible with {n} datasets is {least}, above .*Add at least {more} datasets"
    with pytest.raises(DataError, match=said):
        op.compare(frame.head(n))
    assert "OP340" in str(op.compare(frame.head(n), method="wilcoxon"))
    assert op.compare(frame.head(n), method="dataset_t").n == n
    assert op.rank(frame.head(n)).names == op.rank(op.Benchmark.from_frame(frame.head(n))).names
    assert op.compare(frame.head(n + more)).n == n + more


def test_five_datasets_can_decide_one_sided_and_on_equivalence_only() -> None:
    near = np.array([0.001, -0.002, 0.0015, -0.0005, 0.0007])
    level = np.array([0.8, 0.7, 0.6, 0.9, 0.5])
    same = pl.DataFrame({"dataset": list("pqrst"), "a": level + near, "b": level})
    found = op.compare(same)
    assert found.verdict(rope=0.05).outcome == "equivalent"
    assert "smallest possible two-sided p-value is 0.0625" in " ".join(str(found).split())
    better = same.with_columns(a=pl.col("a") + 0.1)
    assert op.compare(better).verdict().outcome == "no decision"
    assert op.compare(better, alternative="greater").verdict().outcome == "outperforms"


def test_datasets_of_few_families_are_too_few() -> None:
    frame = frame_of("dem").with_columns(family=pl.Series([f"f{i // 4}" for i in range(14)]))
    with pytest.raises(DataError, match=r"possible with 4 families is .* at least 2 families"):
        op.compare(frame)


def test_few_datasets_with_splits_are_left_to_the_hierarchical_model() -> None:
    rng = np.random.default_rng(0)
    cells = {
        name: Scores.from_arrays({"a": rng.random(5), "b": rng.random(5)}, design="5cv")
        for name in "pqrs"
    }
    with pytest.raises(DataError, match="method='hierarchical', which uses the splits of each"):
        op.compare(Benchmark.of(cells))
    assert op.compare(Benchmark.of(cells), method="hierarchical").n == 4


def test_gaps_leave_too_few_datasets_only_where_no_pair_has_enough() -> None:
    frame = with_gaps(frame_of("dem"), *(("C4.5", str(at)) for at in range(11)))
    assert op.compare(frame, missing="pairwise").n == 3
    with pytest.raises(DataError, match="possible with 3 datasets"):
        op.compare(frame, missing="complete")


def test_ties_everywhere_are_refused() -> None:
    column = frame_of("dem")["C4.5"]
    tied = pl.DataFrame({"dataset": frame_of("dem")["dataset"], "a": column, "b": column + 1e-17})
    with pytest.raises(DataError, match="same score on each of the 14 datasets"):
        op.compare(tied)
    assert op.compare(tied, method="wilcoxon").pvalue == 1.0
    third = tied.with_columns(c=pl.Series(np.linspace(0.5, 0.6, 14)))
    assert "OP101" in str(op.compare(third))  # two of three: said, and the others are judged


def test_where_adjusting_leaves_nothing_to_decide_it_is_said() -> None:
    frame = frame_of("gh8")
    six, nine = (str(op.compare(frame.head(n))) for n in (6, 9))
    said = "With 6 datasets and 10 pairs the smallest possible adjusted p-value is 0.31"
    assert said in " ".join(six.split())
    assert "9 datasets are the fewest for which one can" in " ".join(six.split())
    assert "OP347" not in nine
    assert "OP347" not in str(op.compare(frame.head(8), control="CN2"))
    assert "OP347" not in str(op.compare(frame.head(6), adjust="hochberg"))


@pytest.mark.slow
def test_a_report_keeps_missing_cells_and_families(tmp_path: Path) -> None:
    frame = with_gaps(frame_of("dem"), ("C4.5", "3"))
    frame = frame.with_columns(family=pl.Series([f"f{i // 2}" for i in range(14)]))
    found = op.compare(frame, missing="pairwise")
    page = tmp_path / "r.html"
    found.report(page)
    assert np.array_equal(Scores.read(page).values, found.scores.values, equal_nan=True)


def test_cells_come_from_scores_or_numbers() -> None:
    rng = np.random.default_rng(0)
    cells = {
        f"d{i}": Scores.from_arrays(
            {"a": rng.random(10), "b": rng.random(10)}, design="10cv", metric="accuracy"
        )
        for i in range(6)
    }
    found = Benchmark.of(cells)
    assert found.has_splits
    assert found.on("d2") is cells["d2"]
    assert str(found.scores.design) == "10cv"
    assert op.compare(found).n == 6
    with pytest.raises(DataError, match="at least 2 datasets"):
        Benchmark.of(cells["d0"])


def test_a_fold_without_any_score_is_missing_as_one_model_s_is() -> None:
    rows = [
        (f"d{d}", f, who, None if (d, f) == (2, 3) else 0.7 + d / 100 + f / 1000 + at / 50)
        for d in range(6)
        for f in range(5)
        for at, who in enumerate("ab")
    ]
    frame = pl.DataFrame(rows, schema=["dataset", "fold", "learner", "score"], orient="row")
    wide = frame.pivot("learner", index=["dataset", "fold"], values="score")
    for one in (frame, wide):
        with pytest.raises(DataError, match=r"2 of 12 scores are missing: a on d2, b on d2"):
            op.compare(one)
        dropped = op.compare(one, drop_incomplete=True)
        assert dropped.scores.n_splits == 29
        assert any("dataset d2 fold 3" in note.detail for note in dropped.notes)
        assert op.compare(one, missing="complete").scores.n_splits == 25
