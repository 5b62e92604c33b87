"""The page of each method on the site, from its registration, with an executed example."""

from __future__ import annotations

from typing import Any

import outperform as op
from outperform.numerics.measured_sizes import SIZES
from outperform.references import PAPERS
from outperform.registry import Procedure
from outperform.verbs.advise import measured
from outperform.views.call_docs import arguments, explanation, sections

STANDINGS = {
    "recommended": "Recommended",
    "reference": "Reference: for special cases and for reproducing papers",
    "discouraged": "Discouraged: for comparison and for reproducing papers only",
}
A = "[0.81, 0.79, 0.84, 0.80, 0.83, 0.78, 0.82, 0.85, 0.80, 0.81]"
B = "[0.80, 0.76, 0.85, 0.78, 0.83, 0.80, 0.80, 0.82, 0.77, 0.80]"
HALVES_A = "[[0.81, 0.79], [0.84, 0.80], [0.83, 0.78], [0.82, 0.85], [0.80, 0.81]]"
HALVES_B = "[[0.80, 0.76], [0.85, 0.78], [0.83, 0.80], [0.80, 0.82], [0.77, 0.80]]"
ITEMS = "[[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 1, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]]"
LEARNERS = (
    "tree = [0.81, 0.93, 0.67, 0.75, 0.88, 0.59, 0.97, 0.72]\n"
    "bayes = [0.79, 0.94, 0.61, 0.70, 0.85, 0.55, 0.96, 0.73]\n"
    "knn = [0.70, 0.91, 0.60, 0.70, 0.80, 0.57, 0.90, 0.70]\n"
)
THREE = 'op.{name}({{"tree": tree, "bayes": bayes, "knn": knn}})'
PAIR = f"tree = {A}\nbayes = {B}\n"
SPLITS = 'op.{name}({{"tree": tree, "bayes": bayes}}, design="{design}")'
# How a method is called, by the view it reads and the layout of its arrays.
EXAMPLES = {
    ("Differences", "splits"): PAIR + SPLITS,
    ("Differences", "folds"): PAIR + SPLITS,
    ("Differences", "twofold"): f"tree = {HALVES_A}\nbayes = {HALVES_B}\n"
    'op.{name}({{"tree": tree, "bayes": bayes}})',
    ("Differences", "partitions"): f"tree = [{A}, {B}]\nbayes = [{B}, {A}]\n"
    'op.{name}({{"tree": tree, "bayes": bayes}}, design="2*10cv")',
    ("ItemDifferences", "items"): "tree = [0.1, 0.4, 0.2, 0.9, 0.3, 0.2, 0.8, 0.1]\n"
    "bayes = [0.3, 0.5, 0.1, 1.2, 0.4, 0.6, 0.7, 0.4]\n"
    'op.{name}({{"tree": tree, "bayes": bayes}}, lower_is_better=True)',
    ("ClusteredDifferences", "items"): "first = [1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1]\n"
    "second = [1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1]\n"
    "subject = [1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5]\n"
    'op.{name}(first, second, clusters=subject, names=("first", "second"))',
    ("ItemSamples", "samples"): "first = [[1, 1, 0], [1, 1, 1], [0, 0, 1], [1, 1, 1], [1, 0, 1]]\n"
    "second = [[1, 0, 0], [1, 1, 1], [0, 0, 0], [0, 1, 1], [1, 0, 0]]\n"
    'op.{name}(first, second, names=("first", "second"))',
    ("ItemSamples", "crossed"): "first = [[1, 1, 0], [1, 1, 1], [0, 0, 1], [1, 1, 1], [1, 0, 1]]\n"
    "second = [[1, 0, 0], [1, 1, 1], [0, 0, 0], [0, 1, 1], [1, 0, 0]]\n"
    'op.{name}(first, second, names=("first", "second"))',
    (
        "ItemStatistics",
        "",
    ): "first = [[3, 1, 0], [2, 0, 1], [4, 1, 1], [1, 1, 0], [2, 0, 0], [3, 1, 1]]\n"
    "second = [[2, 1, 1], [2, 1, 1], [3, 1, 2], [1, 2, 0], [1, 0, 1], [3, 2, 1]]\n"
    'op.{name}(first, second, metric="f1", names=("first", "second"))',
    ("NetWins", ""): "first = [1, 1, 0.5, 1, 0, 1, 1, 0.5]\n"
    "second = [0, 0, 0.5, 0, 1, 0, 0, 0.5]\n"
    'op.{name}(first, second, names=("first", "second"))',
    ("LossSeries", "items"): "tree = [0.1, 0.4, 0.2, 0.9, 0.3, 0.2, 0.8, 0.1]\n"
    "bayes = [0.3, 0.5, 0.1, 1.2, 0.4, 0.6, 0.7, 0.4]\n"
    'op.{name}({{"tree": tree, "bayes": bayes}}, lower_is_better=True)',
    ("OverDatasets", "datasets"): "tree = [0.81, 0.93, 0.67, 0.75, 0.88, 0.59, 0.97, 0.72]\n"
    "bayes = [0.79, 0.94, 0.61, 0.70, 0.85, 0.55, 0.96, 0.73]\n"
    'op.{name}({{"tree": tree, "bayes": bayes}})',
    (
        "FoldsByDataset",
        "",
    ): "tree = [[0.81, 0.79, 0.84, 0.80], [0.93, 0.95, 0.92, 0.94], "
    "[0.67, 0.66, 0.70, 0.61]]\n"
    "bayes = [[0.80, 0.76, 0.85, 0.78], [0.90, 0.94, 0.91, 0.93], [0.66, 0.62, 0.65, 0.62]]\n"
    'op.{name}({{"tree": tree, "bayes": bayes}}, design="4cv")',
    ("DatasetTable", ""): LEARNERS + THREE,
    ("RankPairs", ""): LEARNERS + THREE,
    ("Contingency", ""): 'op.{name}(table=[[20, 5], [15, 60]], names=("tree", "bayes"))',
    ("Halves", ""): "whole = [0.02, 0.01, 0.03, 0.02, 0.00]\n"
    "halves = [[0.03, 0.01], [0.00, 0.02], [0.02, 0.04], [0.01, 0.01]]\n"
    'op.{name}(whole, halves, names=("tree", "bayes"))',
    ("Calibration", ""): "whole = [[0.02, 0.01, 0.03], [0.02, 0.00, 0.04]]\n"
    "halves = [[[0.03, 0.01, 0.05], [0, 0.02, -0.01]], [[0.02, 0.04, 0], [0.01, 0.01, 0.03]]]\n"
    'op.{name}(whole, halves, n=90, squares=(0.21, 0.20), names=("tree", "bayes"))',
    ("Crossed", ""): "tree = [[0, 0, 1, 0, 0, 1], [0, 1, 1, 0, 0, 0], [0, 0, 1, 0, 1, 0]]\n"
    "bayes = [[0, 1, 1, 0, 1, 1], [1, 1, 1, 0, 0, 0], [0, 1, 1, 1, 1, 0]]\n"
    'op.{name}(tree, bayes, lower_is_better=True, names=("tree", "bayes"))',
    ("ItemLosses", "right-wrong"): f"right = {ITEMS}\nop.{{name}}(right)",
    ("TwoSamples", ""): f"tree = {A}\nbayes = {B[:29]}]\n"
    'op.{name}(tree, bayes, names=("tree", "bayes"))',
    ("SplitsBySeeds", ""): f"tree = {HALVES_A}\nbayes = {HALVES_B}\n"
    'op.{name}(tree, bayes, design="2seeds*5cv", names=("tree", "bayes"))',
    ("Samples", ""): PAIR + 'op.{name}(tree, bayes, names=("tree", "bayes"))',
    ("Values", "p"): "op.{name}([0.20, 0.06, 0.11])",
    ("Values", "signed p"): "op.{name}([0.20, 0.06, 0.11, -0.30, 0.04, 0.08])",
    ("Rankings", ""): "y = [0, 1, 0, 1, 1, 0, 1, 0]\n"
    "tree = [0.2, 0.9, 0.4, 0.7, 0.6, 0.1, 0.8, 0.5]\n"
    "bayes = [0.3, 0.6, 0.7, 0.5, 0.8, 0.2, 0.4, 0.1]\n"
    'op.{name}(y, tree, bayes, names=("tree", "bayes"))',
    ("Counts", ""): "op.{name}(85, 100)",
}
DESIGNS = {"repeated-kfold": "2x5cv", "kfold": "10cv", "resampled": "10xresampled@1/10"}


def pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    methods = list(op.methods.table())
    made = {f"{m.name}.md": _page(m) for m in methods}
    return {"index.md": _index(methods), **made}


def _index(methods: list[Any]) -> str:
    lines = [
        "# Methods",
        "",
        'Each method is valid for certain designs. `method="auto"` chooses a method by the design,',
        "before any score is seen.",
    ]
    for standing, title in STANDINGS.items():
        lines += [
            "",
            f"## {title}",
            "",
            "| method | what it is | default for |",
            "| --- | --- | --- |",
        ]
        for m in methods:
            if m.standing == standing:
                default = ", ".join(m.default_for) or "–"
                lines.append(f"| [`{m.name}`]({m.name}.md) | {m.title} | {default} |")
    return "\n".join(lines) + "\n"


def _page(m: Any) -> str:
    body = explanation(m.kernel.__doc__)
    judges = [("reads", m.reads)] if isinstance(m, Procedure) else []
    standing = m.standing + (f"; use [`{m.instead}`]({m.instead}.md) instead" if m.instead else "")
    fits = "1 fit" if m.fits == 1 else f"{m.fits} fits"
    cost = "–" if m.fits is None else f"{fits} for each learner in `{m.published_design}`"
    rows = [
        ("paper", PAPERS.get(m.paper, m.paper)),
        *judges,
        ("valid for", ", ".join(m.designs)),
        ("default for", ", ".join(m.default_for) or "–"),
        ("accounts for", m.sources or "–"),
        ("cost", cost),
        ("standing", standing),
    ]
    known = [label for label in SIZES if label.split()[0] == m.name]
    for label in known:
        words = measured(m.name, label.removeprefix(f"{m.name} "))
        rows.append(
            ("measured", f"`{label}`: {words} [How honest is each test?](../calibration.md)")
        )
    lines = [f"# {m.title}", "", body, "", f"*{m.advice}*", "", "| | |", "| --- | --- |"]
    lines += [f"| {name} | {words} |" for name, words in rows]
    lines += ["", "## Call", "", "```", f"op.{m.name}{m.__signature__}", "```"]
    lines += ["", *_parameters(m)]
    lines += ["", "## Example", "", "```python", *_session(m), "```", ""]
    lines += ["[All methods](index.md)", ""]
    return "\n".join(lines)


def _parameters(m: Any) -> list[str]:
    """Return the arguments of a method as a list: name, type and what it means."""
    documented = sections((m.kernel if isinstance(m, Procedure) else m).__doc__)
    entries = arguments(documented.get("Parameters", ()))
    lines = []
    for name, (head, *words) in entries.items():
        kind, text = head.partition(" : ")[2], " ".join(" ".join(words).split())
        lines.append(f"- `{name}`: {kind}. {text}")
    return lines


def _session(m: Any) -> list[str]:
    """Return the example as a Python session, with what it prints."""
    if isinstance(m, Procedure):
        shown = str(_called(m, f"op.{m.example}", {})).splitlines()
        return [">>> import outperform as op", f">>> print(op.{m.example})", *shown]
    if (m.view.name, m.layout) not in EXAMPLES:
        raise SystemExit(f"{m.name} reads {m.view.name} ({m.layout}); add an example to {__file__}")
    design = next((DESIGNS[kind] for kind in DESIGNS if kind in m.designs), "")
    code = EXAMPLES[m.view.name, m.layout].format(name=m.name, design=design).splitlines()
    if m.unit:
        code[-1] = f"{code[-1][:-1]}, unit={m.unit!r})".replace("'", '"')
    known: dict[str, Any] = {"op": op}
    for line in code[:-1]:
        name, _, value = line.partition(" = ")
        known[name] = _literal(value)
    result = _called(m, code[-1], known)
    return [
        ">>> import outperform as op",
        *(f">>> {line}" for line in code[:-1]),
        f">>> print({code[-1]})",
        *str(result).splitlines(),
    ]


def _literal(text: str) -> Any:
    import ast

    return ast.literal_eval(text)


def _called(m: Any, line: str, known: dict[str, Any]) -> Any:
    """Run one call of a method: its arguments are names, literals, or mappings of names."""
    import ast

    call: Any = ast.parse(line, mode="eval").body

    def value(node: Any) -> Any:
        if isinstance(node, ast.Name):
            return known[node.id]
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            return {ast.literal_eval(key): value(each) for key, each in pairs if key is not None}
        return ast.literal_eval(node)

    return m(*map(value, call.args), **{word.arg: value(word.value) for word in call.keywords})
