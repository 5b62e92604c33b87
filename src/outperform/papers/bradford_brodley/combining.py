"""Combining the p-values of partitions by χ² and by signed ranks, as one should not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...dists import T
from ...partitions import averaged_from_t, one_sided
from ..exhibits import Finding, Scale, Statement, Value
from ..printed import printed, published
from .runs import COLUMNS, PAPER, PARTITIONS, at_datasets, datasets, studies_of

if TYPE_CHECKING:
    from ...lab.partition_studies import PartitionStudy

__all__ = ["combining", "combining_runs"]


def combining(_: Scale) -> Finding:
    """Combine p-values of partitions by χ² and by signed ranks (B-21 to B-24)."""
    import outperform as op

    told = published(PAPER)
    values = []
    for example in told["chi2"]:
        found = op.fisher_combination(example["p"])
        assert found.statistic is not None
        assert found.pvalue is not None
        for what, text, ours, reason in (
            ("χ²", example["statistic"], found.statistic, "its parts were rounded (E-B8)"),
            ("p", example["pvalue"], found.pvalue, "not the p of the printed χ² either (E-B8)"),
        ):
            there = printed(text)
            values.append(
                Value(f"{what} of {example['p']}", there.value, ours, there.half_unit,
                      reason=reason)
            )  # fmt: skip
    values += _all_alike()
    ranks = op.wilcoxon_combination(told["wilcoxon"]["p"])
    assert ranks.statistic is not None
    assert ranks.pvalue is not None
    values.append(Value("smaller rank sum", told["wilcoxon"]["sum"], ranks.statistic))
    for level, count in told["wilcoxon"]["reach"]:
        values.append(Value(f"partitions until signed ranks reach {level}", count, _reach(level)))
    one, other = (op.fisher_combination(example["p"]).pvalue for example in told["chi2"])
    assert one is not None
    assert other is not None
    half = told["alpha"] / 2
    t = float(T(9).isf(0.25))
    kept = averaged_from_t([t] * PARTITIONS, df=9, alternative="greater").pvalue
    assert kept is not None
    return Finding(
        values=tuple(values),
        statements=(
            Statement("the χ² answer depends on which algorithm is the reference",
                      (one < half) != (1 - other < half),
                      f"one-tailed p = {one:.3f} seen from one, 1 − {other:.3f} = "
                      f"{1 - other:.3f} seen from the other; significant below {half}"),
            Statement("the signed ranks of the example are not significant", ranks.pvalue >= 0.05,
                      f"p = {ranks.pvalue:.3f}"),
            Statement("the averaged t stays at .25 however many partitions agree",
                      math.isclose(kept, 0.25, rel_tol=1e-9), f"p = {kept:.6f} after 55"),
        ),
    )  # fmt: skip


def _all_alike() -> list[Value]:
    """Combine 55 equal p-values of .25 (B-24)."""
    import outperform as op

    told = published(PAPER)["chi2_55"]
    found = op.fisher_combination([told["p"]] * PARTITIONS)
    assert found.statistic is not None
    assert found.pvalue is not None
    assert found.df is not None
    statistic, p = printed(told["statistic"]), printed(told["pvalue"])
    return [
        Value("χ² of 55 × .25", statistic.value, found.statistic, statistic.half_unit),
        Value("its degrees of freedom", told["df"], float(np.asarray(found.df)),
              reason="a misprint of 110, which the printed p belongs to (E-B9)"),
        Value("its p", p.value, found.pvalue, p.half_unit),
    ]  # fmt: skip


def _reach(level: float) -> int:
    """Return how many partitions of p = .25 on one side signed ranks call significant."""
    import outperform as op

    n = 2
    while (op.wilcoxon_combination([0.25] * n).pvalue or 0.0) >= level:
        n += 1
    return n


def combining_runs(scale: Scale) -> Finding:
    """Combine the partitions of our runs each way, and compare what is claimed (B-22, B-24)."""
    found = studies_of(scale, "ordinary")
    names = datasets(scale)
    claims = {key: _claims(study) for key, study in found.items()}
    rows = [
        (" ".join(column), str(len(names)),
         *(str(sum(claims[name, column][way] for name in names)) for way in range(5)))
        for column in COLUMNS
    ]  # fmt: skip
    gains = [
        float(np.mean([claims[name, column][way] - claims[name, column][0]
                       for column in COLUMNS for way in (3, 4)]))
        for name in names
    ]  # fmt: skip
    return Finding(
        statements=(
            at_datasets("χ² and signed ranks claim more than the averaged t does", gains,
                        "share of claims of either, minus that of the averaged t"),
        ),
        header=("column", "datasets", "averaged t", "χ², TDDT-1 as reference", "χ², the other",
                "χ², either", "signed ranks"),
        rows=tuple(rows),
        remarks=("Datasets on which each claims a difference at .05; 5x2 by the ordinary t.",),
    )  # fmt: skip


def _claims(study: PartitionStudy) -> tuple[bool, bool, bool, bool, bool]:
    """Return what is claimed by the averaged t, by χ² from each side and either, and by ranks."""
    import outperform as op

    # χ² and ranks take logarithms: a p too small for a float, or too near 1, needs an end.
    p = np.clip(np.asarray(one_sided(study.signed_p)), 1e-300, 1 - 1e-16)
    signed = np.copysign(np.maximum(np.abs(study.signed_p), 1e-300), study.signed_p)
    half = published(PAPER)["alpha"] / 2
    first, second = ((op.fisher_combination(q).pvalue or 0.0) < half for q in (p, 1 - p))
    ranks = (op.wilcoxon_combination(signed).pvalue or 0.0) < 2 * half
    return study.conclusion() != "no decision", first, second, first or second, ranks
