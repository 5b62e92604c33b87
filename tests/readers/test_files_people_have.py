"""Shapes that files take: comments and titles, spaces, thousands, sides, wrappers, ranks."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from launching import run_here
from workbooks_for_tests import workbook

import outperform as op
from outperform import DataError, Scores

DRAWS = np.random.default_rng(7).normal([0.86, 0.82], 0.02, (10, 2)).round(4)
RF, SVM = DRAWS.T.tolist()
WIDE = [f"{i + 1},{a},{b}" for i, (a, b) in enumerate(DRAWS)]
LONG = [(name, i, v) for name, x in (("rf", RF), ("svm", SVM)) for i, v in enumerate(x)]


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def read(text: str | bytes, ending: str = "csv", **options: Any) -> Scores:
        path = tmp_path / f"file.{ending}"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Scores.read(path, **options)

    return read


def said(scores: Scores) -> str:
    return " ".join(note.text for note in scores.notes)


def same(scores: Scores, design: str | None = "10cv") -> None:
    assert scores.names == ("rf", "svm")
    assert scores.values.tolist() == [RF, SVM]
    assert (None if scores.design is None else str(scores.design)) == design


def lines(*rows: str) -> str:
    return "\n".join(rows) + "\n"


SPACED = [row.replace(",", "   ") for row in WIDE]
MARKDOWN = [f"| {row.replace(',', ' | ')} |" for row in WIDE]
SIDE = ",".join(f"fold{i + 1}" for i in range(10))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (lines("# run of May", "# seed 3", "fold,rf,svm", *WIDE), "'# run of May', '# seed 3'"),
        (lines("# by NumPy", "# fold,rf,svm", *WIDE), "left out: '# by NumPy'."),
        (lines("# fold,rf,svm", *WIDE), ""),
        (lines("Results,,", ",,", "fold,rf,svm", *WIDE), "header left out: 'Results'."),
        (lines("fold  rf  svm", *SPACED), "separated by spaces"),
        (
            lines('"rf" "svm"', *(f'"{i}" {a} {b}' for i, (a, b) in enumerate(DRAWS, 1))),
            "Column '' numbers the rows",
        ),
        (lines("| fold | rf | svm |", "|---|:--|--:|", *MARKDOWN), ""),
        (lines(" fold , rf , svm ", *(row.replace(",", " , ") for row in WIDE)), ""),
        (
            lines(
                f"model,{SIDE},mean",
                *(
                    f"{n},{','.join(map(str, x))},{np.mean(x)}"
                    for n, x in (("rf", RF), ("svm", SVM))
                ),
            ),
            "rows are learners",
        ),
        (
            lines(
                "model,fold,phase,acc",
                *(
                    f"{n},{i},{s},{v + d}"
                    for n, i, v in LONG
                    for s, d in (("train", 0.05), ("test", 0))
                ),
            ),
            "20 rows of 'train' left out",
        ),
        (
            lines("model,fold,split,acc", *(f"{n},{i},test,{v}" for n, i, v in LONG)),
            "contains only 'test'",
        ),
        (
            lines("model,fold,lr,gpu,accuracy", *(f"{n},{i},0.1,0,{v}" for n, i, v in LONG)),
            "Not read: 'lr', 'gpu'",
        ),
        (lines("model,fold,val/accuracy", *(f"{n},{i},{v}" for n, i, v in LONG)), ""),
        (
            lines(
                "wflow_id,id,.metric,.estimate",
                *(f"{n},Fold{i:02},accuracy,{v}" for n, i, v in LONG),
            ),
            "'.estimate' read as score",
        ),
    ],
)
def test_text_around_and_between_scores_is_understood(read: Any, text: str, sentence: str) -> None:
    for data in (text, text.replace("\n", "\r\n"), text.encode("utf-16")):
        scores = read(data)
        same(scores)
        assert sentence in said(scores)


def test_lines_are_counted_from_the_top_of_the_file(read: Any) -> None:
    text = lines("# one", "# two", "fold,rf,svm", *WIDE).replace(str(SVM[4]), "x")
    with pytest.raises(DataError, match="line 8, column 'svm'"):
        read(text)
    table = lines("| fold | rf | svm |", "|---|---|---|", *MARKDOWN).replace(str(SVM[4]), "x")
    with pytest.raises(DataError, match="line 7, column 'svm'"):
        read(table)


def test_names_that_only_spaces_tell_apart_stay_apart(read: Any) -> None:
    for header in ("model,fold,acc", "model , fold , acc"):
        scores = read(f"{header}\nrf,0,.5\nrf,1,.6\nrf ,0,.7\nrf ,1,.9\n")
        assert scores.names == ("rf", "rf ")


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (('"1,234.5"', '"12,000.25"', "999.5"), (1234.5, 12000.25, 999.5)),
        (("1.234,5", "12.000,25", "999,5"), (1234.5, 12000.25, 999.5)),
        (('"1,234,567"', '"1,000,000"', "7"), (1234567.0, 1000000.0, 7.0)),
    ],
)
def test_marks_of_thousands_are_left_out_where_they_can_be_nothing_else(
    read: Any, cells: tuple[str, ...], values: tuple[float, ...]
) -> None:
    text = lines("fold;rmse", *(f"{i};{cell}" for i, cell in enumerate(cells)))
    scores = read(text)
    assert scores.values.tolist() == [[*values]]
    assert "Marks of thousands were left out in 'rmse'." in said(scores)


def test_points_that_may_separate_thousands_are_refused_or_said(read: Any) -> None:
    with pytest.raises(DataError, match=r"contains '999' and '1.234'.*\(999\.000\).*\(1234\)"):
        read("fold;rmse\n0;999\n1;1.234\n2;2.500\n")
    scores = read("fold;rmse\n0;1.999\n1;1.234\n2;2.500\n")
    assert "Points in 'rmse' were read as decimal points." in said(scores)
    assert "Points in" not in said(read("fold;rmse\n0;0.999\n1;0.234\n"))


FRAME = pd.DataFrame({"rf": RF, "svm": SVM})


@pytest.mark.parametrize("orient", ["columns", "index", "split", "table", "records"])
def test_every_orientation_of_a_frame_as_json_has_the_same_models(read: Any, orient: Any) -> None:
    text = FRAME.to_json(orient=orient, double_precision=15)
    same(read(text, "json"), None if orient == "records" else "10cv")


RECORDS = [{"fold": i, "accuracy": v} for _, i, v in LONG]


@pytest.mark.parametrize(
    "value",
    [
        {"results": [{"model": n, **row} for (n, _, _), row in zip(LONG, RECORDS, strict=True)]},
        {
            "data": "iris",
            "seed": 3,
            "rows": [{"model": n, **row} for (n, _, _), row in zip(LONG, RECORDS, strict=True)],
        },
        {"rf": RECORDS[:10], "svm": RECORDS[10:]},
        {"rf": dict(enumerate(RF)), "svm": dict(enumerate(SVM))},
        {
            "rf": {f"fold_{i}": v for i, v in enumerate(RF)},
            "svm": {f"fold_{i}": v for i, v in enumerate(SVM)},
        },
    ],
)
def test_scores_inside_other_json_are_found(read: Any, value: Any) -> None:
    same(read(json.dumps(value), "json"))


def test_scores_by_seed_and_model_are_seeds_and_not_models(read: Any) -> None:
    value = {f"seed_{i}": {"rf": a, "svm": b} for i, (a, b) in enumerate(DRAWS.tolist())}
    same(read(json.dumps(value), "json"), "10seeds")


def test_lists_by_model_beside_words_about_them_are_read(read: Any) -> None:
    value = {"dataset": "iris", "n": 150, "scores": {"rf": RF, "svm": SVM}}
    same(read(json.dumps(value), "json", design="2x5cv"), "2x5cv")


def predictions(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    rows = [
        {
            "id": f"q{i}",
            "model": name,
            "prediction": int(y[i] if rng.random() < p else 1 - y[i]),
            "label": int(y[i]),
        }
        for name, p in (("rf", 0.9), ("svm", 0.7))
        for i in rng.permutation(n)
    ]
    return pd.DataFrame(rows)


def test_rows_of_item_model_prediction_and_truth_are_predictions_on_one_test_set(read: Any) -> None:
    frame = predictions()
    right = (frame.prediction == frame.label).groupby(frame.model).mean()
    for text, ending in (
        (frame.to_csv(index=False), "csv"),
        (frame.to_json(orient="records", lines=True), "jsonl"),
    ):
        scores = read(text, ending)
        assert dict(zip(scores.names, scores.values[:, 0], strict=True)) == right.to_dict()
        assert op.compare(scores).method.name == "mcnemar"
        assert "read as model, item, prediction and truth" in said(scores)


def test_long_probabilities_and_numbers_have_the_losses_of_wide_ones(read: Any) -> None:
    frame = predictions()
    frame = frame.assign(prediction=frame.prediction * 0.6 + 0.2)
    wide = frame.pivot(index="id", columns="model", values="prediction")
    truth = frame.groupby("id").label.first()
    for metric in ("log_loss", "mean_squared_error"):
        long = read(frame.to_csv(index=False), metric=metric)
        other = Scores.from_frame(wide.assign(y_true=truth), metric=metric)
        assert long.values[:, 0].tolist() == pytest.approx(other.values[:, 0].tolist())


def test_long_predictions_that_cannot_be_paired_are_refused(read: Any) -> None:
    frame = predictions()
    with pytest.raises(DataError, match="no column identifies the items"):
        read(frame.drop(columns="id").to_csv(index=False))
    other = frame.assign(label=[1 - v if i == 70 else v for i, v in enumerate(frame.label)])
    with pytest.raises(DataError, match="column 'label' differs"):
        read(other.to_csv(index=False))
    with pytest.raises(DataError, match=r"incomplete: 2 of 60 items .* drop_incomplete=True"):
        read(frame.iloc[2:].to_csv(index=False))
    assert read(frame.iloc[2:].to_csv(index=False), drop_incomplete=True).n_test == [58]
    with pytest.raises(DataError, match="'fold' implies several splits"):
        read(frame.assign(fold=np.arange(120) % 5).to_csv(index=False))


@pytest.mark.parametrize("failed", ["-1", "-999", "9999"])
def test_a_number_for_a_failed_fit_is_no_accuracy(read: Any, failed: str) -> None:
    text = lines("model,fold,accuracy", *(f"{n},{i},{v}" for n, i, v in LONG))
    with pytest.raises(DataError, match="which must be between 0 and 1"):
        read(text.replace(str(SVM[3]), failed))
    assert read(text.replace("accuracy", "score").replace(str(SVM[3]), failed)).n_splits == 10
    with pytest.raises(DataError, match="finite number"):
        read(text.replace(str(SVM[3]), ""))


@pytest.mark.parametrize("rows", [lambda n, i: n == "svm", lambda n, i: i == 4])
def test_percent_beside_fractions_of_splits_is_refused(read: Any, rows: Any) -> None:
    cells = [f"{n},{i},{100 * v if rows(n, i) else v}" for n, i, v in LONG]
    with pytest.raises(DataError, match="percent and fractions seem to be mixed"):
        read(lines("model,fold,accuracy", *cells))
    small = lines("model,fold,error rate", "a,0,0.5", "a,1,1.5", "b,0,0.75", "b,1,3")
    assert read(small).n_splits == 2


def test_ranks_are_no_scores_until_it_is_said_which_is_best() -> None:
    rng = np.random.default_rng(0)
    ranks = pd.DataFrame(rng.permuted([[1, 2, 3]] * 8, axis=1), columns=[*"abc"])
    ranks.insert(0, "dataset", [f"d{i}" for i in range(8)])
    with pytest.raises(DataError, match="contains the ranks 1 to 3 of the 3 learners"):
        Scores.from_frame(ranks)
    assert not Scores.from_frame(ranks, lower_is_better=True).greater_is_better
    assert Scores.from_frame(ranks, lower_is_better=False).greater_is_better


def test_words_in_an_index_without_a_name_are_datasets_unless_they_number_splits(read: Any) -> None:
    frame = FRAME.assign(nb=0.5 + DRAWS[:, 0] / 10)
    names = ["iris", "wine", "glass", "sonar", "zoo", "vote", "heart", "iono", "pima", "car"]
    scores = read(frame.set_axis(names).to_csv())
    assert scores.datasets == tuple(names)
    assert "read as dataset; if every row is a split, pass the design" in said(scores)
    dated = [f"2024-05-{i:02}" for i in range(1, 11)]
    assert read(frame.set_axis(dated).to_csv()).datasets is None
    assert read(frame.set_axis(names).to_csv(), design="10cv").datasets is None


def test_numbers_beside_predicted_words_are_no_predictions(read: Any) -> None:
    rng = np.random.default_rng(0)
    words = np.array(["cat", "dog"])[rng.integers(0, 2, (3, 40))]
    frame = pd.DataFrame({"truth": words[0], "pred_a": words[1], "pred_b": words[2]})
    scores = read(frame.assign(prob_a=rng.random(40), prob_b=rng.random(40)).to_csv(index=False))
    assert scores.names == ("pred_a", "pred_b")
    assert "Not read: 'prob_a', 'prob_b'" in said(scores)


def test_whole_predictions_that_share_no_label_with_the_truth_are_refused(read: Any) -> None:
    text = lines("label,a,b", *(f"{i % 2},{85.0 - i},{5.0 + i}" for i in range(30)))
    with pytest.raises(DataError, match="no label in common"):
        read(text)


def test_many_whole_true_values_may_be_numbers_and_it_is_said(read: Any) -> None:
    text = lines("y_true,a,b", *(f"{i},{i + i % 2},{i + i % 3}" for i in range(30)))
    assert "if they are numbers, pass metric='mean_squared_error'" in said(read(text))


def test_a_column_named_as_the_seed_of_runs_is_read_as_seeds(read: Any) -> None:
    text = lines("algorithm,run,AUC", *(f"{n},{40 + 3 * i},{v}" for n, i, v in LONG))
    same(read(text, seed="run"), "10seeds")


def test_settings_are_not_advised_as_folds(read: Any) -> None:
    rows = [f"{n},{lr},{i},{v}" for n, i, v in LONG for lr in (0.1, 0.01)]
    with pytest.raises(DataError, match="If column 'lr' is a setting of the learners"):
        read(lines("model,lr,seed,accuracy", *rows))
    with pytest.raises(DataError, match="learner='Modell', fold='Lauf', score='Wert'"):
        read(lines("Modell,Lauf,Wert", *(f"{n},{i},{v}" for n, i, v in LONG)))


def test_tiny_scores_are_printed_with_their_digits() -> None:
    scores = Scores.from_arrays({"a": DRAWS[:, 0] * 1e-8, "b": DRAWS[:, 1] * 1e-8}, design="10cv")
    assert f"a  {np.mean(RF) * 1e-8:.3g}".replace("-", "−") in str(op.compare(scores))


def test_a_winner_beside_scores_is_no_judgement(read: Any, tmp_path: Path) -> None:
    winners = ["rf" if a > b else "svm" for a, b in DRAWS]
    rows = [f"{row},{winner}" for row, winner in zip(WIDE, winners, strict=True)]
    same(read(lines("fold,rf,svm,winner", *rows)))
    assert op.compare(str(tmp_path / "file.csv")).method.name == "corrected_t"


def test_a_column_of_differences_is_refused_and_a_model_that_is_close_is_not(read: Any) -> None:
    rows = [f"{row},{a - b:.4f}" for row, (a, b) in zip(WIDE, DRAWS, strict=True)]
    with pytest.raises(DataError, match="column 'delta' is the difference of 'rf', 'svm'"):
        read(lines("fold,rf,svm,delta", *rows))
    assert (
        len(read(lines("fold,rf,svm,nb", *(f"{row},0.8{i}" for i, row in enumerate(WIDE)))).names)
        == 3
    )


def test_many_folds_may_be_repeats_and_it_is_said(read: Any) -> None:
    rng = np.random.default_rng(0)
    text = lines("fold,rf,svm", *(f"{i},{a},{b}" for i, (a, b) in enumerate(rng.random((25, 2)))))
    assert "pass the design, such as design='5x5cv'" in said(read(text))
    assert str(read(text, design="5x5cv").design) == "5x5cv"


def test_what_tells_rows_apart_where_no_column_names_models_names_them(read: Any) -> None:
    text = lines(
        "version,fold,acc", *(f"{'1.0' if n == 'rf' else '2.0'},{i},{v}" for n, i, v in LONG)
    )
    with pytest.raises(DataError, match="pass learner='version'"):
        read(text)
    assert read(text, learner="version").values.tolist() == [RF, SVM]


def test_a_header_of_numpy_with_spaces_and_a_squared_name_are_understood(read: Any) -> None:
    text = lines("# rf svm", *(f"{a} {b}" for a, b in DRAWS))
    same(read(text, design="10cv"))
    assert read(lines("model,fold,R²", *(f"{n},{i},{v}" for n, i, v in LONG))).metric == "R²"


def test_files_of_models_and_turned_tables_are_as_bounded_as_others(tmp_path: Path) -> None:
    packed, plain, turned = (tmp_path / name for name in ("a.csv", "b.csv", "c.csv"))
    packed.write_bytes(gzip.compress(b"fold,accuracy\n" + b"1,0.5\n" * 4_000_000))
    plain.write_text(lines("fold,accuracy", "0,.5", "1,.6"))
    with pytest.raises(DataError, match="times its size, which exceeds the limit"):
        op.compare(str(packed), str(plain))
    wide = ",".join(f"fold{i}" for i in range(50))
    turned.write_text(lines(f"model,{wide}", *(f"m{i}{',.5' * 50}" for i in range(20))))
    with pytest.raises(DataError, match="contain 1,000 scores, which exceeds the limit of 999"):
        Scores.read(turned, limits={"scores": 999})
    assert Scores.read(turned, limits={"scores": 1000}).n_splits == 50


@pytest.mark.parametrize("name", ["<b>&", "=1+1", "\u202eevil", "a|b", "../../etc", "'; DROP"])
def test_hostile_names_stay_text_in_every_new_shape(read: Any, name: str) -> None:
    wide = ",".join(f"fold{i}" for i in range(3))
    assert read(lines(f"model,{wide}", f'"{name}",.5,.6,.7', "b,.6,.5,.4")).names == (name, "b")
    rows = [f'{i},"{n}",{i % 2},1' for n in (name, "b") for i in range(9)]
    assert read(lines("id,model,prediction,label", *rows)).names == (name, "b")
    value = {
        "about": "x",
        "rows": [{"model": n, "fold": i, "acc": 0.5} for n in (name, "b") for i in range(3)],
    }
    assert read(json.dumps(value), "json").names == (name, "b")
    sided = [f'"{n}",{i},{s},.5' for n in (name, "b") for i in range(3) for s in ("train", "test")]
    assert read(lines("model,fold,phase,acc", *sided)).names == (name, "b")


def test_a_title_above_the_header_of_a_worksheet_is_left_out(read: Any) -> None:
    table = [["fold", "rf", "svm"], *([i, a, b] for i, (a, b) in enumerate(DRAWS.tolist()))]
    blank: list[Any] = [None, None, None]
    scores = read(workbook(S=[["Results of May", None, None], blank, *table]), "xlsx")
    same(scores)
    assert "2 rows above the header were left out." in said(scores)
    same(read(workbook(S=[["Results", None, None], *table]), "xlsx"))
    table[6][1] = "x"
    with pytest.raises(DataError, match="row 9, column 'rf'"):
        read(workbook(S=[["Results", None, None], blank, *table]), "xlsx")


@pytest.mark.parametrize("label", ["dataset", "fold", "seed"])
@pytest.mark.parametrize("name", ["y", "target", "gold"])
def test_scores_of_a_model_called_y_are_not_taken_for_the_truth(
    read: Any, label: str, name: str
) -> None:
    rows = [f"{i + 1},{a},{b}" for i, (a, b) in enumerate(DRAWS)]
    text = lines(f"{label},{name},svm", *(f"d{r}" if label == "dataset" else r for r in rows))
    with pytest.raises(DataError, match=f"column '{name}' may contain the scores of a learner"):
        read(text)
    found = read(text, layout="wide")
    assert found.names == (name, "svm")
    assert found.values.tolist() == [RF, SVM]
    if label != "fold":
        assert read(text, y_true=name).metric == "mean_squared_error"


@pytest.mark.parametrize("truth", [0.37, 1.0])
def test_predictions_of_several_folds_are_not_one_test_set(read: Any, truth: float) -> None:
    rows = [f"{i % 2},{truth * (i % 3 > 0)},{a},{b}" for i, (a, b) in enumerate(DRAWS)]
    with pytest.raises(DataError, match="column 'fold' implies several splits"):
        read(lines("fold,y,m1,m2", *rows))
    assert read(lines("task,y,m1,m2", *rows)).n_splits == 1


@pytest.mark.parametrize("index", ["", "fold"])
def test_a_last_split_on_which_all_are_perfect_is_a_split(read: Any, index: str) -> None:
    scores = [f"{i},{(16 + i % 2) / 18},{(13 + i % 4) / 18}" for i in range(9)]
    found = read(lines(f"{index},nb,tree", *scores, "9,1.0,1.0"))
    assert found.values[:, -1].tolist() == [1.0, 1.0]
    assert found.n_splits == 10


def test_inner_folds_are_no_repeats(read: Any) -> None:
    rows = [f"{who},{o},{i},.8{o}{i}" for who in "ab" for o in range(5) for i in range(3)]
    with pytest.raises(DataError, match="'inner_fold' numbers inner folds, which choose settings"):
        read(lines("model,outer_fold,inner_fold,score", *rows))


def test_ratings_by_several_annotators_are_samples_of_an_item(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    ratings = rng.integers(1, 5, (30, 3, 2)) + np.array([1, 0])
    rows = [
        f"{item},{who},{name},{ratings[item, at, k]}"
        for item in range(30)
        for at, who in enumerate("xyz")
        for k, name in enumerate(("new", "old"))
    ]
    path = tmp_path / "ratings.csv"
    path.write_text(lines("item,annotator,system,rating", *rows))
    columns = {"learner": "system", "item": "item", "score": "rating", "sample": "annotator"}
    found = op.compare(path, **columns)
    assert found.method.name == "sampled_items_t"
    assert found["new", "old"].estimate == pytest.approx((ratings @ [1, -1]).mean(), rel=1e-12)
    frame = pd.read_csv(path)
    assert op.compare(frame, **columns).pvalue == found.pvalue
    typed = [word for role, name in columns.items() for word in ("--column", f"{role}={name}")]
    assert run_here("compare", str(path), *typed) == 0


def test_the_sizes_of_a_learning_curve_are_no_splits(read: Any) -> None:
    curve = lines("train_size,rf,svm", *(f"{100 * i + 100},.8{i},.7{i}" for i in range(5)))
    for options in ({}, {"design": "5cv"}):
        with pytest.raises(DataError, match="'train_size' is all that distinguishes the scores"):
            read(curve, **options)
    folds = lines("train_size,rf,svm", *(f"{100 + i},.8{i},.7{i}" for i in range(5)))
    assert read(folds, design="5cv").n_splits == 5
