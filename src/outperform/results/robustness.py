"""What the single runs of a comparison say: every repeat or partition judged on its own."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from .. import validation
from ..numerics.distributions import T
from ..numerics.exact_sums import Array
from ..procedures.replicability import pair_agreement
from ..procedures.sufficiency import CONCLUSIONS, Conclusion, Sufficiency, sufficiency
from ..views import Differences
from .adjustments import ADJUSTMENTS, family_log_pvalues
from .evidence import Alternative, Pivot, equivalence_log_pvalue, same
from .partitions import Conclusions, Group, group_of, signed_significance
from .verdict import against_rope, decide

if TYPE_CHECKING:
    from .comparison import Comparison


Unit = Literal["repeat", "partition"]
UNASKED = 20_000
"""Verdicts of single runs that cost less than a second."""
WORDS: dict[str, Conclusion | Literal["equivalent"]] = {
    "outperforms": "first better",
    "outperformed": "second better",
    "no decision": "no decision",
    "equivalent": "equivalent",
}


@dataclass(frozen=True, slots=True)
class Robustness:
    """One pair, judged again on every single repeat or partition that was run anyway."""

    names: tuple[str, str]
    unit: Unit
    method: str
    """The test of a single run."""
    alpha: float
    """Familywise: in every run all pairs are adjusted as they are in the whole."""
    whole: Conclusion | Literal["equivalent"]
    """What all runs together say."""
    conclusions: Conclusions
    """How many single runs lead to each conclusion."""
    group: Group
    """What the choice of partition does to the conclusion (B-12 to B-14)."""
    replicability: float
    """The chance that two runs agree on whether there is a difference (R-06)."""
    df: float
    """Degrees of freedom of a single run's t."""
    family_size: int
    alternative: Alternative
    t_values: tuple[float | None, ...] = field(repr=False)
    signed_p: tuple[float | None, ...] = field(repr=False)
    """One-tailed p of each run, unadjusted, with the sign of the winner (B-05)."""
    sides: tuple[int, ...] = field(repr=False)
    """What `conclusions` counts: 1 where a run is won by the first, −1 by the second, 0 by none."""
    rope: float | None = None
    equivalent: tuple[bool, ...] = field(default=(), repr=False)
    """Where a single run says equivalent within ±rope, which goes before who wins."""

    @property
    def sufficiency(self) -> Sufficiency | None:
        """Whether the mean t over runs is far enough from its threshold (B-17); None without t.

        The threshold is that of α over the size of the family (B-26).
        """
        if None in self.t_values:
            return None
        return sufficiency(
            self.t_values,
            df=self.df,
            alpha=self.alpha / self.family_size,
            alternative=self.alternative,
        )

    @property
    def n(self) -> int:
        """Single runs."""
        return sum(self.conclusions)

    @property
    def first(self) -> str:
        return self.names[0]

    @property
    def second(self) -> str:
        return self.names[1]

    @property
    def signed(self) -> Array:
        """The signed p of the runs that have one, for sorted-significance plots (B-11)."""
        return np.array([p for p in self.signed_p if p is not None])

    @property
    def signed_sides(self) -> Array:
        """The sides of the runs that have a signed p, in the order of `signed`."""
        return np.array(
            [side for side, p in zip(self.sides, self.signed_p, strict=True) if p is not None]
        )

    @property
    def verdicts(self) -> dict[str, int]:
        """How many single runs give each verdict; with a rope some may be equivalent."""
        counts = dict.fromkeys(("first better", "second better", "no decision", "equivalent"), 0)
        same = self.equivalent or (False,) * self.n
        for side, equal in zip(self.sides, same, strict=True):
            counts["equivalent" if equal else CONCLUSIONS[side + 1]] += 1
        return counts

    @property
    def otherwise(self) -> int:
        """Single runs whose verdict is other than that of the whole."""
        return self.n - self.verdicts[self.whole]

    @property
    def depends_on_partition(self) -> bool:
        """True where single runs disagree with each other: groups 1 and 2."""
        return self.group in ("1", "2")

    @property
    def flips(self) -> bool:
        """True where either learner wins on some run: group 1 (B-12)."""
        return self.group == "1"

    def sentences(self) -> tuple[str, ...]:
        """Return one sentence each: verdicts, group, R, and whether more runs are needed."""
        from ..report import scope

        return scope.robustness_sentences(self)

    def to_dict(self) -> dict[str, Any]:
        enough = self.sufficiency
        return {
            "names": list(self.names),
            "unit": self.unit,
            "method": self.method,
            "alpha": self.alpha,
            "rope": self.rope,
            "alternative": self.alternative,
            "n": self.n,
            "whole": self.whole,
            "conclusions": self.conclusions.to_dict(),
            "equivalent": None if self.rope is None else self.verdicts["equivalent"],
            "otherwise": self.otherwise,
            "group": self.group,
            "R": self.replicability,
            "sufficiency": None if enough is None else enough.to_dict(),
            "t_values": list(self.t_values),
            "signed_p": list(self.signed_p),
        }

    def __str__(self) -> str:
        return " ".join(self.sentences())


def robustness(
    comparison: Comparison, alpha: float = 0.05, rope: float | None = None
) -> tuple[Robustness, ...]:
    """Judge every run of a comparison on its own, for each pair; () where `why_none` says why.

    A run is a repeat of cross-validation, judged by the corrected t on its folds (the plain k-fold
    t where the whole is judged by a plain t), or a partition, judged by the test that the averaged
    t averages. In each run all pairs are adjusted as in the whole. With a `rope` whole and single
    runs are asked whether they say equivalent; groups and R speak of who wins alone.
    """
    alpha = validation.fraction(alpha, "alpha")
    if why_none(comparison):
        return ()
    unit, name, single = _single_runs(comparison)
    missing = np.asarray(single.undefined)
    t = np.where(missing, 0.0, single.statistic)
    df = float(single.dist.df) if isinstance(single.dist, T) else math.inf
    decided = _decided(comparison, single, alpha)
    sides = (decided == "outperforms") * 1 - (decided == "outperformed")
    signed = signed_significance(t, df)
    whole = comparison.outcomes(alpha, rope)
    equal = None if rope is None else _decided(comparison, single, alpha, rope) == "equivalent"
    each = np.stack([np.count_nonzero(sides == side, axis=-1) for side in (-1, 0, 1)], axis=-1)
    agree = pair_agreement(each[:, 0] + each[:, 2], sides.shape[-1])
    found = []
    for row, names in enumerate(comparison.pair_names):
        counts, lost = Conclusions(*each[row].tolist()), missing[row]
        found.append(
            Robustness(
                names=names,
                unit=unit,
                method=name,
                alpha=alpha,
                whole=WORDS[whole[row]],
                conclusions=counts,
                group=group_of(counts, signed[row]),
                replicability=float(agree[row]),
                df=df,
                family_size=comparison.family_size,
                alternative=comparison.alternative,
                t_values=_listed(t[row], lost),
                signed_p=_listed(signed[row], lost),
                sides=tuple(int(side) for side in sides[row]),
                rope=rope,
                equivalent=() if equal is None else tuple(bool(one) for one in equal[row]),
            )
        )
    return tuple(found)


def is_small(comparison: Comparison) -> bool:
    """Tell whether single runs are so few that they are judged unasked: when notes are made,
    when a comparison is printed and in `to_dict`."""
    scores = comparison.scores
    if scores is None:
        return True
    partitions, repeats, _ = (int(n) for n in scores.addresses.max(axis=0) + 1)
    return comparison.n_pairs * partitions * repeats <= UNASKED


def why_none(comparison: Comparison) -> str:
    """Say why single runs cannot be judged; "" where they can."""
    scores, design = comparison.scores, comparison.design
    if scores is None or design is None or len(set(scores.datasets or ())) > 1:
        return "the scores of single runs are not available"
    if scores.measured is not None:
        return "these models were measured as they are, and nothing was split or trained"
    if scores.n_missing > 0:
        return f"some splits of {design} are missing"
    partitions, repeats, _ = (int(n) for n in scores.addresses.max(axis=0) + 1)
    if design.kind == "repeated-kfold" and repeats > 1:
        return ""
    if design.kind == "partitions" and partitions > 1:
        return ""
    of = getattr(design, "of", design)  # where splits were given, a design that draws such ones
    if design.kind == "repeated-2fold":
        return f"one run of {design} is one test; '10*{of}' would repeat it"
    drawn = design.kind in ("holdout", "resampled", "partitions")
    more = f"10*{of}" if drawn else "10x10cv"
    return f"{design} was run once; '{more}' would show whether the partition decides"


def _single_runs(comparison: Comparison) -> tuple[Unit, str, Pivot]:
    """Return the unit, the name of its test, and evidence of shape (pairs, runs)."""
    from ..procedures.averaged_t import single_test, test_of
    from ..procedures.repeated_kfold_t import of_one_repeat

    d = _grid(comparison)
    if comparison.design is not None and comparison.design.kind == "partitions":
        return "partition", test_of(d).name, single_test(d)
    test = of_one_repeat(comparison.method)
    pairs, _, repeats, folds = d.values.shape
    each = test.on(d.partition(d.values.reshape(pairs, repeats, 1, 1, folds)))
    assert isinstance(each, Pivot)
    return "repeat", test.name, each


def _grid(comparison: Comparison) -> Differences:
    """Return the differences of every pair, shape (pairs, partitions, repeats, folds)."""
    scores = comparison.scores
    assert scores is not None
    one = Differences.of(scores, *comparison.pair_names[0])
    i, j = (
        [scores.index(name) for name in side] for side in zip(*comparison.pair_names, strict=True)
    )
    shape = (comparison.n_pairs, *one.values.shape)
    return Differences.subtract(
        scores.values[i].reshape(shape),
        scores.values[j].reshape(shape),
        lower_is_better=not scores.greater_is_better,
        ratio=one.test_train_ratio,
        n_test=one.n_test,
    )


def _decided(
    comparison: Comparison, single: Pivot, alpha: float, rope: float | None = None
) -> npt.NDArray[np.str_]:
    """Name the outcome of each pair and run, the pairs of every run adjusted as the whole is."""
    raw, equal, alike = np.asarray(single.log_pvalue(comparison.alternative)), None, same(single)
    if rope is not None:
        within = against_rope(equivalence_log_pvalue, single, rope, same=alike)
        adjust = comparison.adjust if comparison.adjust in ADJUSTMENTS else "bonferroni"
        equal = family_log_pvalues(np.broadcast_to(within, raw.shape).T, adjust).T
    adjusted = family_log_pvalues(raw.T, comparison.adjust).T
    return decide(single, comparison.alternative, alpha, adjusted, equal, same=alike)


def _listed(values: Array, missing: Any) -> tuple[float | None, ...]:
    return tuple(None if gone else float(v) for v, gone in zip(values, missing, strict=True))
