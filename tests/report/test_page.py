"""The report: one file that says the verdict first, loads nothing and carries its own scores."""

import ast
import json
import os
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from reports_for_tests import HOSTILE, over_datasets, scores

import outperform as op
from outperform import DataError, OutperformError
from outperform.readers.own_files import payload
from outperform.report.html import page
from outperform.scores.other_scores import OtherScores

EPOCH = {"SOURCE_DATE_EPOCH": "1700000000"}
VOID = {"meta", "br", "img", "link", "input", "hr", "wbr"}


class Tree(HTMLParser):
    """Elements in order, with their attributes and text; refuses what is not nested."""

    def __init__(self, text):
        super().__init__()
        self.found, self.open = [], []
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag, attributes):
        self.found.append([tag, dict(attributes), ""])
        if tag not in VOID:
            self.open.append(len(self.found) - 1)

    def handle_startendtag(self, tag, attributes):
        self.found.append([tag, dict(attributes), ""])

    def handle_endtag(self, tag):
        assert self.found[self.open.pop()][0] == tag

    def handle_data(self, data):
        for place in self.open:
            self.found[place][2] += data

    def all(self, tag, **attributes):
        return [
            one
            for one in self.found
            if one[0] == tag and all(one[1].get(k) == v for k, v in attributes.items())
        ]

    def text(self, tag, **attributes):
        return " ".join(self.all(tag, **attributes)[0][2].split())


@pytest.fixture(scope="module")
def three():
    return op.compare(scores("abc"))


@pytest.fixture(scope="module")
def html(three):
    return page.render(three)


@pytest.fixture(scope="module")
def tree(html):
    return Tree(html)


@pytest.mark.slow
def test_the_verdict_comes_first_then_figure_pairs_groups_runs_methods_notes_provenance(tree):
    assert [one[1]["id"] for one in tree.found if one[0] in ("h1", "h2")] == [
        "verdict",
        "scores",
        "pairs",
        "groups",
        "robustness",
        "methods",
        "notes",
        "provenance",
    ]
    assert len(tree.all("h1")) == len(tree.all("main")) == 1


@pytest.mark.slow
def test_the_verdict_on_two_models_is_the_comparisons_own():
    comparison = op.compare(scores("ab", shape=(10, 10)))
    shown = Tree(page.render(comparison))
    assert comparison.outcomes() == ["no decision"]
    assert shown.text("h1") == "No decision between a and b."
    words = shown.text("section", **{"aria-labelledby": "verdict"})
    assert "remain possible" in words
    assert "not evidence that there is no difference" in words
    assert comparison.estimand() in words
    assert f"{comparison.detectable()[0]:.2g}" in words


@pytest.mark.slow
def test_the_better_model_speaks_first_whatever_the_order():
    made = scores("ab")
    turned = op.Scores.from_arrays(
        {"b": made.values[1].reshape(10, 10), "a": made.values[0].reshape(10, 10)}, design="10x10cv"
    )
    shown = Tree(page.render(op.compare(turned), alpha=0.2))
    assert shown.text("h1") == "a outperforms b."


@pytest.mark.slow
def test_the_table_holds_every_pair_with_what_rows_say(three, tree):
    cells = [one[2] for one in tree.found if one[0] in ("th", "td")]
    for row in three.rows():
        first, second = row["names"] if row["estimate"] > 0 else row["names"][::-1]
        place = cells.index(f"{first} − {second}")
        estimate, interval, _, verdict, p = cells[place + 1 : place + 6]
        assert float(estimate.replace("−", "-")) == pytest.approx(abs(row["estimate"]), abs=6e-4)
        assert interval.startswith("[")
        assert verdict == row["verdict"] == "no decision" or row["adjusted"] < 0.05
        assert p.startswith("<") or float(p) == pytest.approx(row["adjusted"], abs=6e-4)


@pytest.mark.requirement("F-23")
def test_models_that_share_a_letter_are_not_told_apart(three, tree):
    letters = {}
    for one in tree.all("tr"):
        found = re.fullmatch(r"([abc])0\.\d+([A-Z]+)", "".join(one[2].split()))
        if found:
            letters[found[1]] = set(found[2])
    assert letters.keys() == set("abc")
    apart = three.told_apart(0.05)
    for i, first in enumerate("abc"):
        for j, second in enumerate("abc"):
            if i != j:
                assert apart[i, j] == (not letters[first] & letters[second])


@pytest.mark.slow
def test_against_a_control_there_are_no_groups_but_sides():
    comparison = op.compare(scores("abcd"), control="b", method="repeated_kfold_t")
    shown = Tree(page.render(comparison))
    words = shown.text("h1")
    found = comparison.against_control()
    assert all(name in words for name in (*found["better"], *found["worse"], "b"))
    assert "control only, not with each other" in shown.text("main")


@pytest.mark.slow
def test_a_region_of_equivalence_is_said_and_used():
    shown = Tree(page.render(op.compare(scores("ab", shape=(1, 10))), rope=0.2))
    assert shown.text("h1") == "a and b are equivalent within ±0.2."
    assert "equivalent" in shown.text("table", id="pairs-table")


def test_alpha_moves_the_verdict_and_the_level():
    comparison = op.compare(scores("ab", shape=(1, 10)))
    p = comparison["a", "b"].pvalue
    shown = Tree(page.render(comparison, alpha=p + 0.01))
    assert shown.text("h1") == "a outperforms b."
    assert f"{100 * (0.99 - p):.4g} % interval" in shown.text("main")


def test_one_sided_intervals_are_open_on_one_side():
    shown = page.render(op.compare(scores("ab", shape=(1, 10)), alternative="greater"))
    assert re.search(r"\[[+−][\d.]+, \+?∞\]", shown)


@pytest.mark.slow
def test_robustness_is_told_or_why_it_is_not(tree):
    said = tree.text("section", **{"aria-labelledby": "robustness"})
    assert "repeats alone gives the same verdict as all together" in said
    once = Tree(page.render(op.compare(scores("ab", shape=(1, 10)))))
    assert "was run once" in once.text("section", **{"aria-labelledby": "robustness"})


def test_methods_bibtex_notes_and_provenance_are_there(three, tree):
    assert tree.text("p", id="methods-text") == three.methods_text()
    assert tree.all("pre", id="bibtex")[0][2] == three.bibtex()
    told = tree.text("dl", **{"class": "provenance"})
    for word in (three.scores.digest(), three.design.fingerprint, "Seed7", "numpy", "10x10cv"):
        assert word in told
    codes = {one[2] for one in tree.all("span", **{"class": "code"})}
    assert codes == {note.code for note in three.notes}


def test_a_reader_is_spared_the_numbers_of_requirements(tree):
    words = tree.text("main").replace(tree.text("dl", **{"class": "provenance"}), "")
    assert not re.search(r"\b[DBRNF]-\d\d\b", words)


def test_nothing_can_come_from_outside_and_only_its_own_script_and_style_run(html, tree):
    policy = tree.all("meta", **{"http-equiv": "Content-Security-Policy"})[0][1]["content"]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for tag, kind in (("style", "style-src"), ("script", "script-src")):
        texts = re.findall(rf"<{tag}>(.*?)</{tag}>", html, flags=re.DOTALL)
        assert len(texts) == 1
        digest = b64encode(sha256(texts[0].encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    for tag, attributes, _ in tree.found:
        assert "style" not in attributes, tag
        assert not [name for name in attributes if name.startswith("on")], tag
        for name in ("src", "href", "action", "data"):
            assert attributes.get(name, "#").startswith("#"), (tag, attributes)
    assert not re.search(r"https?://", re.sub(r"@\w+\{.*?\n\}", "", html, flags=re.DOTALL))


def test_ids_are_unique_and_every_reference_has_its_target(tree):
    ids = [one[1]["id"] for one in tree.found if "id" in one[1]]
    assert len(ids) == len(set(ids))
    for _, attributes, _ in tree.found:
        for key in ("aria-labelledby", "data-copy"):
            assert attributes.get(key, ids[0]) in ids
        if attributes.get("href", "").startswith("#"):
            assert attributes["href"][1:] in ids


def test_figures_say_their_numbers_to_those_who_do_not_see_them(three, tree):
    alts = [one[1]["aria-label"] for one in tree.all("svg", role="img")]
    assert all(alts)
    row = three.rows()[0]
    assert "a − b: " in alts[0]
    assert f"{row['estimate']:+.2f}"[:4] in alts[0]
    assert row["verdict"] in alts[0]
    captions = len(tree.all("caption"))
    assert captions == len(tree.all("table"))


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
def test_hostile_names_are_text_and_cleaned(k):
    names = HOSTILE[:k] if k == 2 else HOSTILE[2:]
    html = page.render(op.compare(scores(names, metric="<i>x</i>")))
    tree = Tree(html)
    assert not tree.all("img")
    assert not tree.all("i")
    assert len(tree.all("script")) == 2
    assert "\u202e" not in html
    assert names[0] in tree.text("main")


@pytest.mark.slow
def test_hostile_dataset_names_are_text():
    tree = Tree(page.render(op.compare(over_datasets())))
    assert not tree.all("img")
    assert len(tree.all("script")) == 2


def test_scores_read_back_from_a_report_are_the_same_and_give_the_same_answers(
    three, html, tmp_path
):
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    read = op.Scores.read(path)
    assert read.digest() == three.scores.digest()
    assert op.compare(read).to_json() == three.to_json()


def two_metrics():
    given = scores("ab")
    losses = np.random.default_rng(1).random(given.values.shape)
    return replace(given, more=(OtherScores("loss", False, losses),))


@pytest.mark.parametrize(
    "made",
    [
        lambda: scores("abcd", lower=True),
        lambda: scores((*HOSTILE, "é漢字", "\ud800", "🦉")),
        lambda: scores("ab", n_train=90, n_test=np.full(100, 10)),
        over_datasets,
        lambda: op.Scores.from_arrays(
            {n: np.random.default_rng(ord(n)).random(28) for n in "ab"}, design="3x4halves@1/10"
        ),
        two_metrics,
        lambda: two_metrics().for_metric("loss"),
    ],
    ids=["lower", "hostile", "sizes", "datasets", "halves", "metrics", "other metric"],
)
def test_whatever_was_measured_survives_the_way_through_a_page(made, tmp_path):
    given = made()
    inside = payload(given)
    assert inside.isprintable()
    assert not set(inside) & set("<>&")
    path = tmp_path / "report.html"
    path.write_text(
        f'<script type="application/json" id="outperform-scores">{inside}</script>',
        encoding="utf-8",
    )
    read = op.Scores.read(path)
    assert (read.names, read.seed, read.notes) == (given.names, given.seed, given.notes)
    assert (read.metrics, read.primary) == (given.metrics, given.primary)
    assert op.compare(read).to_json() == op.compare(given).to_json()
    for metric in given.metrics:
        np.testing.assert_equal(read.for_metric(metric).values, given.for_metric(metric).values)


def test_item_losses_stay_out_of_the_page():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    predicted = {name: np.where(rng.random(200) < 0.8, y, 1 - y) for name in "abc"}
    html = page.render(op.compare(op.Scores.from_predictions(y, predicted)))
    held = json.loads(Tree(html).all("script", id="outperform-scores")[0][2])
    assert np.shape(held["scores"]["values"]) == (3, 1)
    assert "items" not in held["scores"]
    assert "losses of single items, which this test uses, are not" in html


def _tampered(html, old, new):
    assert old in html
    return html.replace(old, new, 1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda h: re.sub(r'"values":\[\[0', '"values":[[1', h), "was modified after"),
        (lambda h: _tampered(h, '"metric":"accuracy"', '"metric":"error"'), "was modified after"),
        (lambda h: _tampered(h, '"values":[[', '"values":[[NaN,'), "damaged report"),
        (lambda h: _tampered(h, '"fold":[0,', '"fold":['), "damaged report"),
        (lambda h: _tampered(h, '"partition":[0,', f'"partition":[{10**30},'), "damaged report"),
        (lambda h: re.sub(r'"seed":\w+', '"seed":1e999', h, count=1), "damaged report"),
        (lambda h: _tampered(h, '"digest"', '"digset"'), "damaged report"),
        (lambda h: _tampered(h, "outperform/report/1", "outperform/report/9"), "report/9"),
        (lambda h: re.sub(r'(outperform-scores">).', r"\1[", h), "damaged report"),
        (lambda h: re.sub(r'(outperform-scores">).*?<', r"\1" + "[" * 100_000 + "<", h), "damaged"),
        (lambda h: h.replace("outperform-scores", "other"), "contains HTML or XML"),
    ],
)
def test_a_report_that_was_damaged_or_edited_is_refused(html, tmp_path, change, words):
    path = tmp_path / "report.html"
    path.write_text(change(html), encoding="utf-8")
    with pytest.raises(DataError, match=words):
        op.Scores.read(path)


def test_options_for_a_report_are_refused_because_it_knows(html, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    assert op.Scores.read(path, design=None).design == op.parse("10x10cv")
    with pytest.raises(DataError, match="design was passed"):
        op.Scores.read(path, design="10cv")


@pytest.mark.slow
def test_twenty_models_of_ten_times_ten_folds_fit_in_400_kb():
    names = [f"learner number {rank:02d}" for rank in range(20)]
    html = page.render(op.compare(scores(names)))
    assert len(html.encode()) < 400_000
    assert Tree(html).text("h2", id="pairs") == "All 190 pairs"


@pytest.mark.slow
def test_the_same_comparison_is_the_same_page(monkeypatch):
    two = op.compare(scores("ab", shape=(2, 5)))
    for name, value in EPOCH.items():
        monkeypatch.setenv(name, value)
    once = page.render(two)
    assert once == page.render(two)
    assert "2023-11-14 22:13 UTC" in once


@pytest.fixture
def quick(monkeypatch, three):
    """A comparison whose page is one line, for tests of the file and not of what it says."""
    monkeypatch.setattr(page, "render", lambda comparison, **_: f"<!doctype html>{comparison!r}")
    return three


def test_nothing_is_overwritten_without_force(quick, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("mine")
    with pytest.raises(DataError, match="force=True"):
        quick.report(path)
    assert path.read_text() == "mine"
    assert quick.report(path, force=True) == path
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert os.listdir(tmp_path) == ["report.html"]


@pytest.mark.parametrize("name", ["report.pdf", "report", "report.html.gz", "it's.png", ""])
def test_a_report_is_a_page_and_other_endings_are_refused_with_what_works(
    quick, tmp_path, monkeypatch, name
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"must end in \.html or \.htm, got ") as refused:
        quick.report(name)
    assert os.listdir(tmp_path) == []
    page, figure = re.findall(r"\(('.*?'|\".*?\")\)", str(refused.value))
    quick.report(ast.literal_eval(page))
    quick.plot().savefig(ast.literal_eval(figure))
    assert {Path(made).suffix for made in os.listdir(tmp_path)} == {".html", ".pdf"}
    assert quick.report("page.HTM") == Path("page.HTM")


def test_a_directory_that_is_not_there_is_said(three, tmp_path):
    with pytest.raises(DataError, match="mkdir -p"):
        three.report(tmp_path / "none" / "report.html")


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_when_the_disk_is_full_the_old_report_stays_whole(quick, tmp_path, monkeypatch, step):
    path = tmp_path / "report.html"
    path.write_text("the old one")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(DataError, match="No space left on device"):
        quick.report(path, force=True)
    assert path.read_text() == "the old one"
    assert os.listdir(tmp_path) == ["report.html"]


@pytest.mark.parametrize("asked", [{"alpha": 0}, {"level": 1.5}, {"rope": -1}])
def test_nonsense_is_refused_before_anything_is_written(three, tmp_path, asked):
    with pytest.raises(OutperformError):
        three.report(tmp_path / "report.html", **asked)
    assert os.listdir(tmp_path) == []


def test_a_notebook_shows_a_comparison_as_a_table_with_its_groups(three):
    fragment = three._repr_html_()
    tree = Tree(fragment)
    assert len(tree.all("tr")) == len(three.names) + 1 + three.n_pairs
    assert "Groups at α = 0.05, best first" in fragment
    hostile = op.compare(scores(HOSTILE))._repr_html_()
    assert not Tree(hostile).all("script")
    assert not Tree(hostile).all("img")


@pytest.mark.slow
def test_the_code_of_a_page_names_its_file_and_keeps_what_was_asked(tmp_path):
    found = op.compare(scores("abc"), control="a", method="corrected_t")
    page.write(found, tmp_path / "my page.html", rope=0.02, alpha=0.1)
    html = (tmp_path / "my page.html").read_text(encoding="utf-8")
    said = Tree(html).text("section", **{"aria-labelledby": "provenance"})
    assert "op.Scores.read('my page.html')" in said
    assert "method='corrected_t', control='a')" in said
    assert "comparison.report('again.html', alpha=0.1, rope=0.02)" in said


@pytest.mark.slow
def test_scores_above_a_megabyte_stay_out_of_the_page_which_says_so(monkeypatch):
    found = op.compare(scores("ab"))
    assert "outperform-scores" in page.render(found)
    monkeypatch.setattr(page, "MOST_SCORES", 1000)
    html = page.render(found)
    assert '<script type="application/json"' not in html
    assert "larger than 1 MB and are not inside this file" in html


def test_a_page_begins_with_the_scores_best_first(tree):
    said = tree.text("section", **{"aria-labelledby": "verdict"})
    assert said.index("a0.8522 ± 0.0441") < said.index("b0.8355") < said.index("c0.82")
