"""Dietterich: the five tests, in a designed population and with real learners.

Here stands what needs no experiment: the nine questions, two example tables, constants, advice and
cost.
"""

from __future__ import annotations

import math
from typing import Any

from ..exhibits import Finding, Scale, Statement, Value, exhibit, printed, published
from . import designed, real_learners, text_findings
from .tasks import PAPER

__all__ = ["EXHIBITS"]

PARTS = (
    *designed.EXHIBITS,
    *designed.LAWS,
    *text_findings.EXHIBITS,
    *real_learners.EXHIBITS,
    *real_learners.POWER,
)
ADVISED = {
    1: (1, "accuracy_interval"),
    2: (6, "estimate"),
    3: (3, "mcnemar"),
    4: (8, "five_by_two_t"),
    5: (5, "estimate"),
    6: (6, "estimate"),
    7: (7, "quasi_f"),
    8: (8, "five_by_two_t"),
    9: (9, "wilcoxon"),
}
"""Our names for the answers of Figure 1."""
DESIGNS = {5: "disjoint", 6: "10cv/stratified", 7: "disjoint"}


def figure1(_: Scale) -> Finding:
    """The nine questions and their answers, asked of `advise` (D-01 to D-11)."""
    import outperform as op

    values, statements, rows = [], [], []
    for told in published(PAPER)["questions"]:
        number, answers = told["question"], dict(told["answers"])
        # What the paper knew of: ten runs at most, and half of the data are enough.
        more: dict[str, Any] = {"fits": 10, "half": "yes"} if number in (4, 8) else {}
        given = f" ({', '.join(f'{k}={v!r}' for k, v in more.items())})" if more else ""
        advice = op.advise(**answers, **more)
        instead, method = ADVISED[number]
        right = (advice.answered_as, advice.method) == (instead, method)
        right = right and DESIGNS.get(number, "") in advice.design
        path = ", ".join(str(part) for part in told["answers"].values())
        values.append(Value(f"question for the answers: {path}", number, advice.question))
        statements.append(
            Statement(
                f"question {number}: {told['told']}",
                right,
                f"op.advise{given} recommends {advice.method} with {advice.design}",
            )
        )
        rows.append((str(number), path, told["told"], f"{advice.method}, {advice.design}"))
    unasked = op.advise(**published(PAPER)["questions"][7]["answers"], fits=100)
    return Finding(
        tuple(values),
        tuple(statements),
        ("question", "answers", "paper", "op.advise"),
        tuple(rows),
        (
            f"Where a learner can be run a hundred times, `op.advise` answers question 8 with "
            f"{unasked.method} on {unasked.design}, from the later papers.",
        ),
    )


def examples(_: Scale) -> Finding:
    """Two tables that the difference of proportions cannot tell apart (D-16, D-19, D-39)."""
    import outperform as op

    told = published(PAPER)["examples"]
    difference = printed(told["difference"])
    values, rows, found = [], [], {}
    for side in ("left", "right"):
        z, chi = op.proportions(table=told[side]), op.mcnemar(table=told[side])
        plain = op.mcnemar(table=told[side], variant="plain")
        found[side] = (_p(z), _p(chi))
        values.append(
            Value(
                f"difference of error rates, {side}",
                difference.value,
                abs(float(z.estimate)),
                difference.half_unit,
            )
        )
        rows.append((side, str(told[side]), _told(z), _told(chi), _told(plain)))
    below = told["proportions below"]
    return Finding(
        tuple(values),
        (
            Statement(
                "the difference of proportions rejects both, p < .005",
                all(p < below for p, _ in found.values()),
                f"p = {found['left'][0]:.4f}",
            ),
            Statement(
                "it treats them identically",
                math.isclose(found["left"][0], found["right"][0]),
                "equal p-values",
            ),
            Statement(
                "McNemar's test finds no significant difference in the left table",
                found["left"][1] >= 0.05,
                f"p = {found['left'][1]:.4f}",
            ),
            Statement(
                "McNemar's test rejects the right table, p < .001",
                found["right"][1] < told["right below"],
                f"p = {found['right'][1]:.2g}",
            ),
        ),
        ("table", "counts", "proportions: z, p", "McNemar: χ², p", "without correction: χ², p"),
        tuple(rows),
        (
            "The left table is not significant only with the correction for continuity, which the "
            "paper applies without mentioning it (E-D2).",
        ),
    )


def constants(_: Scale) -> Finding:
    """The critical values that are printed (D-16, D-19, D-22)."""
    from outperform.numerics.distributions import Chi2, Normal, T

    ours = {
        "χ²₁ at .05": Chi2(1).isf(0.05),
        "Z at .975": Normal().isf(0.025),
        "t₂₉ at .975": T(29).isf(0.025),
    }
    told = {name: printed(text) for name, text in published(PAPER)["constants"].items()}
    return Finding(
        tuple(Value(name, p.value, float(ours[name]), p.half_unit) for name, p in told.items())
    )


def recommendation(_: Scale) -> Finding:
    """What is recommended when, and what it costs (D-55, D-58)."""
    import outperform as op
    from outperform.lab.scenarios import reading

    cost = published(PAPER)["cost"]
    values = tuple(
        Value(f"training runs of each learner, {name}", runs, reading(name).design.n_splits())
        for name, runs in cost.items()
    )
    asked: dict[str, Any] = {"domains": "one", "about": "algorithm", "aim": "compare", "n": 300}
    cases: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("5x2cv where a learner can be run ten times", "five_by_two_t", {"fits": 10}),
        ("McNemar's test where it can be run once", "mcnemar", {"fits": 1}),
        (
            "the cross-validated t where missing a difference is worse",
            "kfold_t",
            {"fits": 10, "worse": "miss"},
        ),
    )
    statements = []
    for text, method, more in cases:
        advice = op.advise(**asked, **more)
        judged = f"op.advise recommends {advice.method} with {advice.design}"
        holds = advice.method == method
        [departs] = [one.text for one in advice.reasons if "D-55" in one.ids]
        why = "" if holds else f"the advice {departs[0].lower()}{departs[1:]}"
        statements.append(Statement(text, holds, judged, why))
    never = {"resampled_t", "proportions"}
    every: list[dict[str, Any]] = [
        {"fits": fits, "half": half, "worse": worse}
        for fits in (1, 10, 15, 30, 100, 1000)
        for half in ("yes", "no")
        for worse in ("miss", "false alarm", "neither")
    ]
    advised = {op.advise(**asked, **more).method for more in every}
    statements.append(
        Statement(
            "the resampled t and the uncorrected proportions never",
            not advised & never,
            f"op.advise, over {len(every)} combinations of answers, recommends "
            f"{', '.join(sorted(advised))}",
        )
    )
    return Finding(values, tuple(statements))


def _p(result: Any) -> float:
    assert result.pvalue is not None
    return float(result.pvalue)


def _told(result: Any) -> str:
    return f"{result.statistic:.4g}, {result.pvalue:.2g}"


ALL = {
    one.name: one
    for one in (
        exhibit(PAPER, "figure1", figure1),
        exhibit(PAPER, "constants", constants),
        exhibit(PAPER, "examples", examples),
        exhibit(PAPER, "recommendation", recommendation),
        *PARTS,
    )
}
EXHIBITS = tuple(ALL[name] for name in published(PAPER)["exhibits"])
"""As they follow each other in the paper."""
