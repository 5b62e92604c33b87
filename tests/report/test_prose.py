"""Words, tables and references: what is said of results is true, and hostile names stay names."""

import re
import unicodedata
from dataclasses import replace

import numpy as np
import pytest

import outperform as op
from outperform import references
from outperform.cli._judgement import as_text
from outperform.notes import Note
from outperform.report import formatting, paper_tables
from outperform.report.group_sentences import letters_of
from outperform.report.html import page
from outperform.results.adjustments import FAMILY_ADJUSTMENTS

HOSTILE = ("<script>alert(1)</script>", "a|b`c`\x1b[31m", r"\input{x}_$%#&~^{}", "=1+1\u202e")
DESIGN = "10x10cv"


def compared(names=HOSTILE, **asked):
    rng = np.random.default_rng(2)
    base = 0.8 + 0.02 * rng.normal(size=(10, 10))
    made = {
        name: base - 0.02 * i + 0.02 * rng.normal(size=(10, 10)) for i, name in enumerate(names)
    }
    return op.compare(op.Scores.from_arrays(made, design=DESIGN, metric="accuracy"), **asked)


def test_the_ten_specials_of_latex_can_do_nothing():
    table = compared().to_latex(caption=r"50% of \write18{ls} & $x_1$", label=r"t}\input{y}")
    body = table.replace(r"\\", "")
    known = (
        "begin end centering caption label toprule midrule bottomrule textbackslash "
        "textasciitilde textasciicircum textless textgreater textbar textquotedbl ldots pm alpha "
        "textbf small addlinespace"
    )
    commands = re.findall(r"\\([A-Za-z]+)", body)
    assert set(commands) <= set(known.split())
    assert r"\textbackslash{}input\{x\}\_\$\%\#\&\textasciitilde{}\textasciicircum{}\{\}" in table
    assert r"\caption{50\% of \textbackslash{}write18\{ls\} \& \$x\_1\$}" in table
    assert r"\label{t--input-y-}" in table
    assert r"\label{t--input-y--scores}" in table
    assert not re.search(r"(?<!\\)[#~]", body)
    assert body.count("{") - body.count(r"\{") == body.count("}") - body.count(r"\}")
    assert "\x1b" not in table
    assert "\u202e" not in table


def test_a_latex_table_has_a_row_for_each_pair_and_five_columns():
    lines = compared().to_latex().partition("\n\n")[2].splitlines()
    first, last = (lines.index(f"    \\{rule}") for rule in ("midrule", "bottomrule"))
    rows = lines[first + 1 : last]
    assert len(rows) == 6
    for row in rows:
        assert row.endswith(r" \\")
        assert len(re.findall(r"(?<!\\)&", row)) == 4
        assert len(re.findall(r"(?<!\\)\$", row)) % 2 == 0


def test_every_special_of_latex_shows_as_itself():
    for special in "&%$#_{}~^\\":
        assert paper_tables.escape_latex(special) != special
        assert paper_tables.escape_latex(special).startswith("\\")
    assert paper_tables.escape_latex("tree 2.0") == "tree 2.0"


@pytest.mark.parametrize("name", ["[1ex]", "*", "*[2cm]"])
def test_no_name_is_an_option_of_the_line_before_it(name):
    table = compared((name, "b", "c")).to_latex()
    assert not re.search(r"\\\\\s*[\[*]", table)
    shown = name.replace("[", "{[}").replace("*", "{*}")
    assert f"    {shown} $-$ b" in table


@pytest.mark.slow
def test_sentences_are_cleaned_but_never_cut():
    long = "word " * 100 + "\u202e\x1b[0m\u2028end"
    assert formatting.sentence(long) == "word " * 100 + "<U+202E><U+001B>[0m end"
    assert len(formatting.terminal("x" * 500)) == 200
    assert formatting.terminal("a\u2028b\u2029c") == "a<U+2028>b<U+2029>c"
    assert paper_tables.escape_latex(long).endswith("{[}0m end")
    names = [f"learner number {i} of a family" for i in range(12)]
    shown = compared(names, adjust="bonferroni", method="corrected_t")
    html = shown._repr_html_()
    assert all(f"{name} {letters}" in html for name, letters in letters_of(shown.groups()).items())
    noted = replace(shown, notes=(Note("OP405", "why " * 100 + "not"),))
    assert "why not" in noted._repr_html_()
    assert "why not" in str(noted)
    assert "why not" in str(noted[names[0], names[1]])
    assert "why not" in page.render(noted)
    one = op.estimate(op.Scores.from_arrays({"a": [0.5, 0.6, 0.7]}, design="3cv"))
    assert "why not" in str(replace(one, notes=noted.notes))
    pair = compared(names[:2])
    assert "why not" in as_text(replace(pair, notes=noted.notes), alpha=0.05, rope=None)


@pytest.mark.slow
def test_a_page_names_all_its_datasets():
    frame = {f"dataset number {i:02}": [0.5 + i / 100, 0.4 + i / 90] for i in range(30)}
    scores = op.Scores(
        ("a", "b"),
        np.array(list(frame.values())).T,
        np.zeros((30, 3), dtype=np.int64),
        datasets=tuple(frame),
    )
    assert ", ".join(frame) in page.render(op.compare(scores))


def test_markdown_shows_names_as_they_are():
    table = compared().to_markdown()
    lines = table.splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 2 + 4 + 2 + 6
    for line in rows:
        assert len(re.findall(r"(?<!\\)\|", line)) in (4, 6)
    for line in lines:
        assert "<" not in line
        assert not re.search(r"(?<!\\)`", line)
    assert r"a\|b\`c\`" in table
    assert paper_tables.escape_markdown("a*b_[x](y)") == r"a\*b\_\[x\](y)"


def test_tables_of_a_paper_begin_with_scores():
    found = compared(("knn", "tree_1", "bayes"))
    means = {one.name: one for one in found.performances()}
    scores, legend, pairs, about = found.to_markdown().split("\n\n")[1:]
    rows = scores.splitlines()
    assert rows[0] == "| learner | mean ± sd | splits |"
    assert rows[2].startswith("| **knn** | **")
    assert "*" not in rows[3].replace(r"\_", "")[:8]
    assert [row.split(" | ")[0].strip("| *") for row in rows[2:]] == ["knn", r"tree\_1", "bayes"]
    for row, one in zip(rows[2:], means.values(), strict=True):
        assert f"{one.mean:.4f} ± {one.sd:.4f}" in row
        apart = one.name != "knn" and found.verdict("knn", one.name).outcome != "no decision"
        assert (r"\*" in row) == apart
    assert legend == r"Best in bold. \* significantly different from knn (adjusted p &lt; 0.05)."
    assert pairs.startswith("| pair |")
    assert about.startswith("Corrected resampled t-test, ")
    assert "(evidence: assumed). Applies to " in about
    tables = found.to_latex(label="tab:all").split("\n\n")
    assert len(tables) == 2
    assert "accuracy, 10-fold cross-validation repeated 10 times. Best in bold." in tables[0]
    assert r"\textbf{knn} & \textbf{0." in tables[0]
    assert tables[0].count("$^{*}$") == scores.count(r"\*") == 1
    assert r"\label{tab:all-scores}" in tables[0]
    assert r"\label{tab:all}" in tables[1]


def test_every_method_and_every_adjustment_has_a_paper_that_can_be_cited():
    for method in op.methods.table():
        keys = references.papers_of(method.name, method.paper)
        assert method.paper in keys
        assert all(re.search(r", \d{4}$", references.cited(key)) for key in keys)
    for adjust in FAMILY_ADJUSTMENTS:
        if adjust != "none":
            assert references.papers_of("kfold_t", "dietterich", adjust)[-1] != "dietterich"


def test_bibtex_entries_are_whole_and_each_stands_once():
    entries = compared(("tree", "bayes", "knn")).bibtex()
    assert re.findall(r"@\w+\{([\w-]+),", entries) == [
        "nadeau-bengio2003",
        "bouckaert-frank2004",
        "dunn1961",
    ]
    everything = references.bibtex(references.PAPERS)
    assert everything.count("{") == everything.count("}")
    for entry in everything.split("\n\n"):
        whole = {"misc": "note", "book": "publisher", "phdthesis": "school"}  # have no pages
        where = whole.get(entry[1:].partition("{")[0], "pages")
        for name in ("author", "title", "year", where):
            assert re.search(rf"^  {name} +=", entry, re.MULTILINE), entry
    for key, words in references.PAPERS.items():
        assert references.cited(key)[-4:] in references.bibtex([key])
        plain = re.sub(r"\{\\\W?(?:\w )?(\w)\}", r"\1", references.bibtex([key]))  # {\v s}: s
        name = unicodedata.normalize("NFKD", words.partition(" (")[0].split()[0])
        assert name.encode("ascii", "ignore").decode() in plain
    with pytest.raises(op.MethodError, match="nadeau-bengio"):
        references.bibtex(["nadeau-bengo"])


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [
        (-0.00001, 4, "0.0000"),
        (0.00001, 4, "0.0000"),
        (0.0, 3, "0.000"),
        (-0.00006, 4, "−0.0001"),
        (0.5, 1, "+0.5"),
        (-1e-12, 12, "−1e−12"),
        (float("inf"), 2, "∞"),
        (float("-inf"), 2, "−∞"),
    ],
)
def test_numbers_that_show_as_zero_have_no_sign(value, decimals, shown):
    assert formatting.fixed(value, decimals, sign=True) == shown


def test_greek_letters_of_names_are_commands_that_any_latex_knows():
    assert paper_tables.escape_latex("β-VAE, λ = 3") == r"$\beta$-VAE, $\lambda$ = 3"
