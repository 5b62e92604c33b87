"""Tables 1 to 4 and the results in the text: repeated tests on the 27 datasets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...dists import Normal, T
from ...lab.repeating import Repetitions
from ..exhibits import Finding, Scale, Statement, Value
from ..printed import published
from .runs import PAIRS, SUMMARIES, chance_errors, datasets, repeated, spread_of

__all__ = ["stratification", "table1", "table2", "table3", "table4", "text_results"]

PAPER = "bouckaert-frank"
OTHER = "another release of the learners and perhaps of the data; Weka 3.3 is lost"
FEWER = "fewer datasets and repetitions at this scale"


def table1(scale: Scale) -> Finding:
    """5x2cv: non-rejections on each dataset, with 5 and with 4 degrees of freedom (R-16)."""
    told = published(PAPER)["table1"]
    found = [one[0] for one in repeated(scale, "5x2cv/stratified", "five_by_two_t")]
    n, names = found[0].n, datasets(scale)
    counts = {df: np.stack([n - _rejections(one, df) for one in found], axis=1) for df in (5, 4)}
    printed = np.array([told["non_rejections"][name] for name in names])
    gaps = {
        df: float(np.sum(((ours - printed) / chance_errors(ours, printed, n)) ** 2))
        for df, ours in counts.items()
    } if not scale.quick else {}  # fmt: skip
    values = []
    errors = np.zeros(printed.shape) if scale.quick else chance_errors(counts[5], printed, n)
    for row, name in enumerate(names):
        values += [
            Value(f"{name}, {' v '.join(pair)}", float(printed[row, col]),
                  float(counts[5][row, col]), error=float(errors[row, col]), reason=OTHER,
                  lost=scale.quick)
            for col, pair in enumerate(PAIRS)
        ]  # fmt: skip
    values += _summaries(scale, "", [[one] for one in found], [None], told["summary"], 0.05)
    rows = tuple(
        (name, *(f"{p} / {o}" for p, o in zip(printed[row], counts[5][row], strict=True)))
        for row, name in enumerate(names)
    )
    statements = [_seed_shopping(scale, found[0])]
    if gaps:
        better = min(gaps, key=lambda df: gaps[df])
        statements.append(
            Statement("the test has 5 degrees of freedom, as the text says", better == 5,
                      f"Σz² of the counts is {gaps[5]:.0f} with 5 and {gaps[4]:.0f} with 4",
                      reason="" if better == 5 else f"{better} fit better")
        )  # fmt: skip
    return Finding(
        values=tuple(_quiet(values, scale)), statements=tuple(statements),
        header=("dataset", *(f"{' v '.join(pair)}, printed / ours" for pair in PAIRS)), rows=rows,
        remarks=(f"Non-rejections of {n} repetitions.",),
    )  # fmt: skip


def _rejections(one: Repetitions, df: int) -> Any:
    """Count rejections; the test was judged with 5 degrees of freedom, from which t follows."""
    if df == 5:
        return one.rejections(0.05)
    t = np.asarray(T(5).isf(np.nan_to_num(one.pvalues, nan=1.0) / 2))
    return np.count_nonzero(2 * np.asarray(T(df).sf(t)) < 0.05, axis=1)


def _seed_shopping(scale: Scale, found: Repetitions) -> Statement:
    shop = found.seed_shopping(0.05)
    share = shop.different / shop.n_datasets
    low = 19 / 27 - 3.29 * math.sqrt(2 * (19 / 27) * (8 / 27) / shop.n_datasets)
    return Statement(
        "a choice of seed could claim naive Bayes and C4.5 to differ on 19 of 27 datasets",
        share >= low or scale.quick,
        f"{shop.different} of {shop.n_datasets}; two-sample bound {low:.2f}",
        lost=scale.quick,
    )


def table2(scale: Scale) -> Finding:
    """Corrected resampled t by the number of resamples (R-17)."""
    told = published(PAPER)["table2"]
    found = repeated(scale, "100xresampled@1/10", "corrected_t", told["runs"])
    return _by_runs(scale, found, told, "resamples")


def table3(scale: Scale) -> Finding:
    """Corrected repeated ten-fold t by the number of runs (R-19)."""
    told = published(PAPER)["table3"]
    found = repeated(scale, "10x10cv/stratified", "corrected_t", told["runs"])
    return _by_runs(scale, found, told, "runs")


def _by_runs(scale: Scale, found: list[list[Repetitions]], told: Any, what: str) -> Finding:
    columns = [f"{count} {what}" for count in told["runs"]]
    values = _summaries(scale, "", found, columns, told, 0.05)
    rates = np.array([[one.replicability().R for one in row] for row in found])
    gain = float((rates[:, -1] - rates[:, 0]).mean())
    errors = [spread_of(one.rejections(), one.n, "R") / math.sqrt(2)
              for row in found for one in (row[0], row[-1])]  # fmt: skip
    z = gain / (math.sqrt(sum(e * e for e in errors)) / len(found))
    p = float(Normal().sf(z))
    return Finding(
        values=tuple(_quiet(values, scale)),
        statements=(
            Statement(f"R grows with the number of {what}", p < 0.001 or scale.quick,
                      f"mean gain {gain:.3f}, z = {z:.1f}", lost=scale.quick,
                      reason="" if p < 0.001 else "the gain is within its error"),
        ),
        header=("pair", *columns),
        rows=tuple(
            (" v ".join(pair), *(f"{one.replicability().R:.3f}" for one in row))
            for pair, row in zip(PAIRS, found, strict=True)
        ),
        remarks=("R of our runs.",),
    )  # fmt: skip


def table4(scale: Scale) -> Finding:
    """Corrected 10x10 t at four levels (R-21)."""
    told = published(PAPER)["table4"]
    found = repeated(scale, "10x10cv/stratified", "corrected_t")
    values = []
    for column, alpha in enumerate(told["alpha"]):
        part = {key: [row[column] for row in told[key]] for key in SUMMARIES}
        values += _summaries(
            scale, f"α = {alpha:g}", [[one[0]] for one in found], [None], part, alpha
        )
    return Finding(values=tuple(_quiet(values, scale)))


def text_results(scale: Scale) -> Finding:
    """Consistent datasets of the 10-fold t and the plain 10x10 t, and the order of tests (R-18)."""
    told = published(PAPER)["text"]
    cv = "10x10cv/stratified"
    tests = {
        "10-fold t": [one[0] for one in repeated(scale, cv, "kfold_t", (1,))],
        "plain 10x10 t": [one[0] for one in repeated(scale, cv, "repeated_kfold_t")],
        "corrected 10x10 t": [one[0] for one in repeated(scale, cv, "corrected_t")],
        "100 x resampling": [
            one[0] for one in repeated(scale, "100xresampled@1/10", "corrected_t", (100,))
        ],
        "5x2cv t": [one[0] for one in repeated(scale, "5x2cv/stratified", "five_by_two_t")],
    }
    values = []
    for name, printed in told.items():
        part = {"consistent": printed}
        values += _summaries(scale, name, [[one] for one in tests[name]], [None], part, 0.05)
    mean = {name: float(np.mean([one.replicability().R for one in found]))
            for name, found in tests.items()}  # fmt: skip
    valid = {name: r for name, r in mean.items() if name != "plain 10x10 t"}
    best, worst = max(valid, key=lambda k: valid[k]), min(valid, key=lambda k: valid[k])
    judged = "mean R over the pairs: " + ", ".join(f"{k} {r:.3f}" for k, r in mean.items())
    return Finding(
        values=tuple(_quiet(values, scale)),
        statements=(
            Statement("the corrected 10x10 t replicates best of the tests of right size",
                      best == "corrected 10x10 t", judged, lost=scale.quick,
                      reason="" if best == "corrected 10x10 t" else f"{best} does"),
            Statement("the 5x2cv t replicates worst", worst == "5x2cv t", judged,
                      lost=scale.quick, reason="" if worst == "5x2cv t" else f"{worst} does"),
        ),
    )  # fmt: skip


def stratification(scale: Scale) -> Finding:
    """Resampling with and without stratification replicates equally well (R-20)."""
    rows, z_all = [], []
    both = [repeated(scale, f"100xresampled@1/10{tail}", "corrected_t") for tail in
            ("", "/stratified")]  # fmt: skip
    for pair, plain, strata in zip(PAIRS, *both, strict=True):
        r = [one[0].replicability().R for one in (plain, strata)]
        error = spread_of(plain[0].rejections(), plain[0].n, "R")
        z_all.append((r[1] - r[0]) / max(error, 1e-9))
        rows.append((" v ".join(pair), f"{r[0]:.3f}", f"{r[1]:.3f}", f"{z_all[-1]:+.1f}"))
    widest = max(abs(z) for z in z_all)
    return Finding(
        statements=(
            Statement("stratification does not explain the difference between tests",
                      widest < 3.29, f"largest |z| of three differences of R is {widest:.1f}",
                      lost=scale.quick),
        ),
        header=("pair", "R without", "R with stratification", "z"), rows=tuple(rows),
    )  # fmt: skip


def _summaries(
    scale: Scale, head: str, found: list[list[Repetitions]], columns: list[Any], told: Any,
    alpha: float,
) -> list[Value]:  # fmt: skip
    """Return printed summaries of every pair and column beside ours."""
    values = []
    for row, pair in enumerate(PAIRS):
        for column, one in enumerate(found[row]):
            counts = one.rejections(alpha)
            for key in told.keys() & SUMMARIES.keys():
                cell = told[key][row]
                printed = cell[column] if isinstance(cell, list) else cell
                words = (head, columns[column], " v ".join(pair), key.replace("_", " "))
                values.append(
                    Value(", ".join(str(word) for word in words if word), printed,
                          float(SUMMARIES[key](counts, one.n)), 0.0005 if key == "R" else 0.0,
                          spread_of(counts, one.n, key),
                          reason="lost in the text (E-R7)" if printed is None else OTHER,
                          lost=scale.quick)
                )  # fmt: skip
    return sorted(values, key=lambda value: value.name)


def _quiet(values: list[Value], scale: Scale) -> list[Value]:
    """Say why nothing is compared at the quick scale, and give no reason where values agree."""
    from dataclasses import replace

    if scale.quick:
        return [replace(value, reason=FEWER) for value in values]
    return [replace(v, reason="") if v.agreement == "agrees" else v for v in values]
