"""Comparisons over datasets as text, figures, LaTeX and Markdown."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from launching import run_here
from places import ROOT

import outperform as op
from outperform.report.figures import png

BENCH = ROOT / "examples" / "benchmark.csv"


def made(k: int, n: int = 15, seed: int = 0) -> op.Comparison:
    rng = np.random.default_rng(seed)
    values = rng.uniform(0.6, 0.9, (n, 1)) + np.linspace(0.08, 0, k) + rng.normal(0, 0.02, (n, k))
    names = {f"learner {j}": values[:, j] for j in range(k)}
    return op.compare(pl.DataFrame({"dataset": [f"d{i}" for i in range(n)], **names}))


def words(figure: object) -> str:
    from matplotlib.text import Text

    found = figure.findobj(Text)  # type: ignore[attr-defined]
    return " ".join(" ".join(text.get_text().split()) for text in found)


def test_the_text_has_ranks_the_omnibus_test_and_wins() -> None:
    said = str(op.compare(BENCH))
    assert "XGB  0.816 ± 0.088, mean rank 1.60 (30 datasets)" in said
    assert "Iman and Davenport's F(4, 116) = 62.45, p < 0.001" in said
    assert "RF outperforms SVM:   +0.011 [+0.003, +0.018], 21/0/9," in said
    assert "datasets that the first of a pair won, tied and lost" in said


def test_two_learners_need_no_ranks() -> None:
    said = str(op.compare(op.Benchmark.read(BENCH).scores.of(["RF", "XGB"])))
    assert "mean rank" not in said
    assert "RF is better than XGB on 12, the same on 0 and worse on 18 datasets." in said


@pytest.mark.parametrize(("kind", "k"), [*product(("cd", "matrix"), (3, 5, 12, 20))])
def test_figures_hold_every_learner(kind: str, k: int) -> None:
    figure = made(k).plot(kind)
    said = words(figure)
    assert all(re.search(rf"learner.*{j}\b", said) for j in range(k))
    assert "Wilcoxon" in said
    assert png(figure, dpi=30).startswith(b"\x89PNG")


def test_nemenyi_has_a_bar_of_the_critical_difference_and_others_have_none() -> None:
    assert "CD = 1.11" in words(op.compare(BENCH, method="nemenyi").plot("cd"))
    assert "CD =" not in words(op.compare(BENCH).plot("cd"))


def test_the_matrix_is_drawn_where_bars_would_mislead() -> None:
    found = next(c for c in (made(20, 40, s) for s in range(20)) if _hides(c))
    said = words(found.plot("cd"))
    assert "Not drawn as bars over mean ranks" in said
    assert "a critical-difference diagram cannot show that" in " ".join(str(found).split())


def _hides(found: op.Comparison) -> bool:
    from outperform.results.rank_order import rank_order

    return not rank_order(found).is_interval


def test_the_dot_plot_has_every_dataset_and_all_together() -> None:
    said = words(op.compare(BENCH).plot("datasets", pair=("RF", "NB")))
    assert all(f"ds{i:02d}" in said for i in range(30))
    assert "all datasets" in said
    assert "RF − NB, score" in said


def test_figures_over_datasets_need_datasets() -> None:
    rng = np.random.default_rng(0)
    one = op.compare({"a": rng.random(10), "b": rng.random(10)}, design="10cv")
    with pytest.raises(op.DataError, match="need scores on several datasets"):
        one.plot("cd")


def test_the_table_has_a_row_for_each_dataset_and_the_summaries() -> None:
    latex = op.compare(BENCH).to_latex()
    assert r"ds00 & 0.6727 & \textbf{0.6788} & 0.6703 & 0.6457 & 0.6464 \\" in latex
    assert r"Mean & \textbf{0.8158} & 0.8136 & 0.8032 & 0.7845 & 0.7696 \\" in latex
    assert r"Mean rank & \underline{\textbf{1.60}} & \underline{2.00} & 2.77 & 3.90" in latex
    assert r"Win/tie/loss & -- & 12/0/18 & 4/0/26 & 2/0/28 & 0/0/30 \\" in latex
    markdown = op.compare(BENCH).to_markdown()
    assert "| ds00 | 0.6727 | **0.6788** | 0.6703 | 0.6457 | 0.6464 |" in markdown


def test_the_diagram_is_tikz_with_a_bar_for_each_run() -> None:
    source = op.compare(BENCH).to_tikz()
    assert source.count("line width") == 1
    assert "node[left] {XGB 1.60}" in source
    nemenyi = op.compare(BENCH, method="nemenyi").to_tikz()
    assert nemenyi.count("line width") == 3
    assert "CD = 1.11" in nemenyi


def test_names_can_do_nothing_in_latex_or_markdown() -> None:
    frame = pl.read_csv(BENCH).rename({"RF": r"\input{x}_%$&", "NB": "a|b*<i>"})
    frame = frame.with_columns(dataset=pl.lit("#%_") + pl.col("dataset"))
    found = op.compare(frame)
    for text in (found.to_latex(), found.to_tikz()):
        assert r"\input{x}" not in text
        assert r"\textbackslash{}input\{x\}\_\%\$\&" in text
    assert r"a\|b\*&lt;i&gt;" in found.to_markdown()


def test_one_command_makes_the_diagram_the_table_and_the_paragraph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ["--plot", "cd", "cd.pdf", "--tex", "tables.tex", "--methods"]
    assert run_here("compare", str(BENCH), *asked) == 0
    assert Path("cd.pdf").read_bytes().startswith(b"%PDF")
    tables = Path("tables.tex").read_text(encoding="utf-8")
    assert r"\begin{tikzpicture}" in tables
    assert r"\toprule" in tables
    out = capsys.readouterr().out
    assert "We compared RF, XGB, SVM, kNN and NB on 30 datasets." in out
    assert "@article{demsar2006," in out
    assert run_here("compare", str(BENCH), *asked) == 2  # nothing is overwritten unasked


def test_an_unknown_figure_is_refused_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_here("compare", "none.csv", "--plot", "cdd", str(tmp_path / "x.pdf")) == 2
    assert "did you mean 'cd'" in capsys.readouterr().err


def test_the_page_has_the_diagram_the_matrix_and_every_score(tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    frame = pl.read_csv(BENCH).with_columns(dataset=pl.lit("<b>&") + pl.col("dataset"))
    op.compare(frame).report(page)
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") >= 8  # each figure for a wide and a narrow page
    assert "Mean ranks: XGB 1.60, RF 2.00, SVM 2.77, kNN 3.90, NB 4.73." in text
    assert "<b>&ds00" not in text
    assert "&lt;b&gt;&amp;ds00" in text
    assert "<u><b>1.60</b></u>" in text
    assert len(text) < 400_000
