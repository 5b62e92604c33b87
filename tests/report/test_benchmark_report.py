"""Comparisons over datasets as text, figures, LaTeX and Markdown."""

from __future__ import annotations

import re
import subprocess
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from launching import run_here
from places import ROOT

import outperform as op
from outperform.report import text as texts
from outperform.report.figures import png
from outperform.report.paper_escapes import FONTS, TEXT_WIDTH, cell_width
from outperform.results.rank_order import rank_order

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


def test_groups_and_bars_follow_the_verdicts_of_the_rope() -> None:
    found = op.compare(BENCH, method="bayesian_signed_rank")
    words = dict(zip(found.pair_names, found.outcomes(rope=0.01), strict=True))
    apart = found.told_apart(rope=0.01)
    for (first, second), word in words.items():
        at = found.names.index(first), found.names.index(second)
        assert apart[at] == (word in ("outperforms", "outperformed"))
    assert words["RF", "SVM"] == "no decision"
    groups = [("XGB", "RF", "SVM"), ("kNN", "NB")]
    assert found.groups(rope=0.01) == groups
    assert list(rank_order(found, rope=0.01).groups) == groups
    assert found.to_dict(rope=0.01)["groups"] == [list(group) for group in groups]
    assert "{XGB, RF, SVM} > {kNN, NB}" in texts.comparison(found, rope=0.01)
    assert len(found.groups()) == 4


def test_families_count_once_in_ranks_the_omnibus_test_and_wins() -> None:
    frame = pl.read_csv(BENCH)
    frame = frame.with_columns(family=pl.Series([f"f{at // 3}" for at in range(len(frame))]))
    found = op.compare(frame, family="family")
    said = " ".join(str(found).split())
    assert "F(4, 36) = 55.29, p < 0.001, on mean ranks over 10 families" in said
    assert "XGB 0.816 ± 0.042, mean rank 1.50 (10 families)" in said
    known = found.to_dict()["datasets"]
    assert list(known["mean_ranks"].values()) == pytest.approx([1.5, 1.8, 2.7, 4.1, 4.9])
    assert all(sum(counts) == 10 for counts in known["wins"])
    assert "Win/tie/loss: families vs." in found.to_latex()


def test_few_datasets_have_no_omnibus_test() -> None:
    frame = pl.read_csv(BENCH)
    assert "omnibus" not in str(op.compare(frame[:4], method="wilcoxon"))
    assert "omnibus" in str(op.compare(frame[:5]))


def test_means_over_different_datasets_have_no_best() -> None:
    frame = pl.read_csv(BENCH)
    gap = frame.with_columns(RF=pl.Series([None, *frame["RF"][1:]]))
    for table, bold in ((frame, True), (gap, False)):
        found = op.compare(table, missing="pairwise" if table is gap else None).to_latex()
        row = next(line for line in found.splitlines() if line.strip().startswith("Mean &"))
        assert ("textbf" in row) == bold


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "k"), [*product(("cd", "matrix"), (3, 5, 12, 20))])
def test_figures_hold_every_model(kind: str, k: int) -> None:
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


@pytest.mark.slow
def test_the_page_has_the_matrix_once_where_bars_would_mislead(tmp_path: Path) -> None:
    found = next(c for c in (made(9, 15, s) for s in range(40)) if _hides(c))
    found.report(tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert text.count("Every pair of learners.") == 1
    assert "Mean ranks over datasets, best at the left." not in text


@pytest.mark.slow
def test_nothing_is_cut_off_and_numbers_of_ranks_stand_apart() -> None:
    from matplotlib.text import Text

    drawn = [made(k).plot("matrix") for k in (5, 20)]
    ranked = op.compare(made(20).scores, method="nemenyi").plot("cd")
    drawn += [op.rank(BENCH).plot(), ranked]
    for figure in drawn:
        figure.draw_without_rendering()
        shown = [one for one in figure.findobj(Text) if one.get_visible() and one.get_text()]
        boxes = [one.get_window_extent() for one in shown if one.get_window_extent().width]
        assert min(box.x0 for box in boxes) >= -1
        assert max(box.x1 for box in boxes) <= figure.bbox.x1 + 1
    numbers = [t.get_window_extent() for t in ranked.findobj(Text) if t.get_text().isdigit()]
    assert not any(a.overlaps(b) for at, a in enumerate(numbers) for b in numbers[:at])


def _hides(found: op.Comparison) -> bool:
    from outperform.results.rank_order import rank_order

    return not rank_order(found).is_interval


def test_the_dot_plot_has_every_dataset_and_all_together() -> None:
    said = words(op.compare(BENCH).plot("datasets", pair=("RF", "NB")))
    assert all(f"ds{i:02d}" in said for i in range(30))
    assert "all datasets" in said
    assert "RF − NB, score" in said


@pytest.mark.slow
def test_a_posterior_is_drawn_with_its_shares_in_every_look() -> None:
    found = op.compare(BENCH, method="bayesian_signed_rank")
    drawn = [found.plot("posterior", rope=0.01, theme=t) for t in ("light", "dark", "page")]
    assert len({png(figure, dpi=30) for figure in drawn}) == 3
    odds = found["XGB", "RF"].probabilities(0.01)
    assert f"within ±0.01 {odds.equivalent:.3f}" in words(drawn[0])
    assert len(drawn[0].axes) == 2
    (alone,) = found.plot("posterior", pair=("SVM", "NB")).axes  # no rope: no triangle
    assert alone.get_xlabel() == "probability of each, over draws"


def test_draws_of_a_posterior_agree_with_its_probabilities_both_ways_round() -> None:
    found = op.compare(BENCH, method="bayesian_signed_rank")["XGB", "RF"]
    drawn = found.evidence.sample(0.01).regions
    assert drawn.sum(axis=1) == pytest.approx(1)
    odds = found.evidence.regions(0.01)
    share = np.bincount(drawn.argmax(axis=1), minlength=3) / len(drawn)
    assert share == pytest.approx([odds.better, odds.equivalent, odds.worse], abs=0.02)
    assert drawn.mean(axis=0) == pytest.approx(odds.means, abs=0.01)
    turned = found.evidence.flipped().sample(0.01).regions
    assert np.array_equal(turned, drawn[:, ::-1])


def test_the_density_of_the_next_dataset_has_the_probabilities_of_the_model() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(0.01, 0.02, (8, 1)) + rng.normal(0, 0.02, (8, 10))
    found = op.methods.hierarchical(x, rho=0.1, nodes=61)
    drawn, odds = found.evidence.sample(0.01), found.evidence.regions(0.01)
    assert drawn.regions.mean(axis=0) == pytest.approx(
        [odds.better, odds.equivalent, odds.worse], abs=0.01
    )
    step = drawn.values[1] - drawn.values[0]
    assert drawn.density.sum() * step == pytest.approx(1, abs=0.03)
    assert drawn.density[drawn.values > 0.01].sum() * step == pytest.approx(odds.better, abs=0.03)
    assert "difference on the next dataset" in words(found.plot("posterior", rope=0.01))


@pytest.mark.slow
def test_rank_sets_are_drawn_as_bars_over_ranks(tmp_path: Path) -> None:
    found = op.rank(BENCH)
    figure = found.plot()
    bars = [line.get_xdata() for line in figure.axes[0].lines if len(line.get_xdata()) == 2]
    assert [tuple(bar) for bar in bars] == list(zip(found.low, found.high, strict=True))
    assert "Tied for first: XGB and RF." in words(figure)
    assert len({png(found.plot(theme=t), dpi=30) for t in ("light", "dark")}) == 2
    file = tmp_path / "ranks.png"
    assert run_here("rank", str(BENCH), "--plot", str(file)) == 0
    assert file.read_bytes().startswith(b"\x89PNG")
    assert run_here("rank", str(BENCH), "--plot", str(file)) == 2


def test_figures_over_datasets_need_datasets() -> None:
    rng = np.random.default_rng(0)
    one = op.compare({"a": rng.random(10), "b": rng.random(10)}, design="10cv")
    with pytest.raises(op.DataError, match="need scores on several datasets"):
        one.plot("cd")


@pytest.mark.slow
def test_the_table_has_a_row_for_each_dataset_and_the_summaries() -> None:
    latex = op.compare(BENCH).to_latex()
    assert r"ds00 & 0.6727 & \textbf{0.6788} & 0.6703 & 0.6457 & 0.6464 \\" in latex
    assert r"Mean & \textbf{0.8158} & 0.8136 & 0.8032 & 0.7845 & 0.7696 \\" in latex
    assert r"Mean rank & \underline{\textbf{1.60}} & \underline{2.00} & 2.77 & 3.90" in latex
    assert r"Win/tie/loss & -- & 12/0/18 & 4/0/26 & 2/0/28 & 0/0/30 \\" in latex
    markdown = op.compare(BENCH).to_markdown()
    assert "| ds00 | 0.6727 | **0.6788** | 0.6703 | 0.6457 | 0.6464 |" in markdown


def hostile() -> op.Comparison:
    frame = pl.read_csv(BENCH).rename({"RF": r"\input{x}_%$&", "NB": "a|b*<i>"})
    return op.compare(frame.with_columns(dataset=pl.lit("#%_") + pl.col("dataset")))


def test_latex_has_balanced_braces_and_environments() -> None:
    found = hostile()
    for text in (found.to_latex(), found.rank_sets().to_latex()):
        plain = re.sub(r"\\[{}]", "", text)
        depth = np.cumsum([(c == "{") - (c == "}") for c in plain])
        assert depth.min() >= 0
        assert depth[-1] == 0
        open_: list[str] = []
        for word, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
            if word == "begin":
                open_.append(name)
            else:
                assert open_.pop() == name
        assert not open_


@pytest.mark.slow
@pytest.mark.needs("latex")
def test_latex_compiles_with_the_packages_it_names(tmp_path: Path) -> None:
    found = hostile()
    body = [found.to_latex(), found.rank_sets().to_latex()]
    head = r"\documentclass{article}\usepackage[utf8]{inputenc}\usepackage{booktabs}"
    text = "\n".join([head, r"\begin{document}", *body, r"\end{document}"])
    (tmp_path / "paper.tex").write_text(text, encoding="utf-8")
    asked = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(asked, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def test_the_tables_of_the_readme_fit_an_article() -> None:
    text = op.compare(BENCH).to_latex()
    tables = text.split(r"\end{table}")[:-1]
    assert len(tables) == 2
    assert all(widths(table) <= TEXT_WIDTH for table in tables)
    assert r"\small" not in text


WITH_LATEX = [
    # Points that pdflatex measures: Computer Modern, 10 points.
    (r"\begin{tabular}[b]{@{}r@{}}score \\ pseudomedian \\ (Hodges--Lehmann)\end{tabular}", 85.2),
    ("no decision", 48.4),
    ("$[-0.0074, +0.0044]$", 81.1),
    ("HistGradientBoostingClassifier", 134.9),
    (r"\textbf{0.9771 $\pm$ 0.0194}", 79.3),
]


@pytest.mark.parametrize(("cell", "points"), WITH_LATEX)
def test_cells_are_about_as_wide_as_latex_makes_them(cell: str, points: float) -> None:
    assert cell_width(cell) == pytest.approx(points, rel=0.08)


@pytest.mark.parametrize(
    ("names", "font"),
    [
        (("forest", "logistic"), FONTS[0]),
        (("GradientBoosting", "LogisticRegression"), FONTS[0]),
        (("RandomForest", "LogisticRegression", "GaussianNB"), FONTS[1]),
        (("HistGradientBoostingClassifier", "LogisticRegression", "b"), FONTS[2]),
    ],
)
def test_long_names_go_on_lines_of_their_own_and_then_get_smaller(
    names: tuple[str, ...], font: tuple[str, float, int]
) -> None:
    rng = np.random.default_rng(0)
    made = {name: 0.8 - 0.03 * i + 0.02 * rng.normal(size=10) for i, name in enumerate(names)}
    scores = op.Scores.from_arrays(made, design="10cv", metric="accuracy")
    table = op.compare(scores).to_latex().split(r"\end{table}")[1]
    command, letters, gap = font
    assert [one for one, *_ in FONTS[1:] if one in table] == ([command] if command else [])
    assert widths(table, letters, gap) <= TEXT_WIDTH
    assert (r" \\ $-$ LogisticRegression" in table) == ("LogisticRegression" in names)


def widths(table: str, letters: float = 1, gap: float = 6) -> float:
    """Return about how many points a table of ours is wide."""
    body = table.partition(r"\toprule")[2].partition(r"\bottomrule")[0].replace(r"\midrule", "")
    rows = [re.split(r"(?<!\\)&", row) for row in body.split(" \\\\\n")[:-1]]
    ends = 2 if "@{}l" in table else 0
    cells = sum(max(map(cell_width, column)) for column in zip(*rows, strict=True))
    return letters * cells + gap * (2 * len(rows[0]) - ends)


def test_names_can_do_nothing_in_latex_or_markdown() -> None:
    found = hostile()
    text = found.to_latex()
    assert r"\input{x}" not in text
    assert r"\textbackslash{}input\{x\}\_\%\$\&" in text
    assert r"a\|b\*&lt;i&gt;" in found.to_markdown()


@pytest.mark.slow
def test_one_command_makes_the_diagram_the_table_and_the_paragraph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ["--plot", "cd", "cd.pdf", "--tex", "tables.tex", "--methods"]
    assert run_here("compare", str(BENCH), *asked) == 0
    assert Path("cd.pdf").read_bytes().startswith(b"%PDF")
    tables = Path("tables.tex").read_text(encoding="utf-8")
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


@pytest.mark.slow
def test_the_page_has_the_diagram_the_matrix_and_every_score(tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    frame = pl.read_csv(BENCH).with_columns(dataset=pl.lit("<b>&") + pl.col("dataset"))
    op.compare(frame).report(page)
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") >= 4
    assert "Mean ranks: XGB 1.60, RF 2.00, SVM 2.77, kNN 3.90, NB 4.73." in text
    assert "<b>&ds00" not in text
    assert "&lt;b&gt;&amp;ds00" in text
    assert "<u><b>1.60</b></u>" in text
    assert "The ranks that each learner may have." in text
    assert len(text) < 400_000


def test_a_matrix_beside_a_control_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.png", "b.png", "r.outperform.json")]
    asked = ["compare", BENCH, "--control", "RF", "--plot", "cd", files[0]]
    asked += ["--plot", "matrix", files[1], "--record", files[2]]
    assert run_here(*map(str, asked)) == 2
    assert not any(file.exists() for file in files)
