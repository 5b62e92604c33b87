"""Feelders & Verkooijen: simultaneous intervals for many methods, Tables 2 to 5, two studies."""

from __future__ import annotations

import warnings
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..designs import Holdout
from .exhibits import (
    Finding,
    Measurement,
    Printed,
    Scale,
    Statement,
    Value,
    claim,
    exhibit,
    printed,
    published,
    share_error,
)

if TYPE_CHECKING:
    from ..results.comparison import Comparison


PAPER = "feelders-verkooijen"
HALF = {"train": 384, "test": 384}
LOST = "the split of the data is lost"
TYPOS = {
    ("network 4", "network 6", "high"): "a slip of the power of ten: 6.2e-4 (E-F2)",
    ("linear", "network 6", "low"): "1.0e-3 whatever the rounding of the inputs (E-F3)",
}


def table3(_: Scale) -> Finding:
    """Intervals from the printed means and covariances (F-11, F-15)."""
    import outperform as op

    boston = published(PAPER)["boston"]
    models, n = boston["models"], boston["n"]
    means = [printed(text) for text in boston["means"]]
    spread = [[printed(text) for text in row] for row in boston["covariance"]]
    found = op.simultaneous(
        means=[m.value for m in means],
        covariance=[[s.value for s in row] for row in spread],
        n=n,
        names=tuple(models),
        lower_is_better=False,
    )
    constant = printed(boston["constant"])
    low, high = found.intervals(0.90, critical=constant.value)
    right_low, right_high = found.intervals(0.90)
    values, rows = [], []
    for at, (i, j) in enumerate(combinations(range(4), 2)):
        ends = [printed(text) for text in published(PAPER)["table3"][at]]
        se = float(np.asarray(found.evidence.stderr)[at])
        room = means[i].half_unit + means[j].half_unit + constant.half_unit * se
        sums = spread[i][i].half_unit + spread[j][j].half_unit + 2 * spread[i][j].half_unit
        room += constant.value * sums / (2 * n * se)
        for side, end, ours in (("low", ends[0], low[at]), ("high", ends[1], high[at])):
            reason = TYPOS.get((models[i], models[j], side), "")
            name = f"{models[i]} − {models[j]}, {side}"
            values.append(Value(name, end.value, float(ours), end.half_unit + room, reason=reason))
        told = [
            f"[{a:.2g}, {b:.2g}]"
            for a, b in (
                (ends[0].value, ends[1].value),
                (low[at], high[at]),
                (right_low[at], right_high[at]),
            )
        ]
        rows.append((f"{models[i]} − {models[j]}", *told))
    exact = found.critical_value(0.90)
    values.append(
        Value(
            "|M| for 6 pairs and 105 degrees of freedom",
            constant.value,
            exact,
            constant.half_unit,
            reason="2.135 is near the constant for 3 pairs (E-F1)",
        )
    )
    return Finding(
        values=tuple(values),
        statements=(_linear_is_apart(found), _networks_together(found)),
        header=("pair", "printed", "with the printed constant", f"with {exact:.4f}"),
        rows=tuple(rows),
    )


def _linear_is_apart(found: Comparison) -> Statement:
    apart = found.told_apart(0.10)
    return Statement(
        "the linear model is worse than all three networks",
        bool(apart[0, 1:].all()),
        "simultaneous intervals with the right constant, level .90",
    )


def _networks_together(found: Comparison) -> Statement:
    apart = found.told_apart(0.10)
    return Statement(
        "no two networks differ",
        not apart[1:, 1:].any(),
        "simultaneous intervals with the right constant, level .90",
    )


def familywise(scale: Scale) -> Finding:
    """Simulated familywise error under the printed covariance, with both constants (E-F1)."""
    import outperform as op

    boston, trials = published(PAPER)["boston"], scale.of(400_000, 20_000)
    root = np.linalg.cholesky(np.array(boston["covariance"], dtype=np.float64))
    constants = {
        "2.135": 2.135,
        "2.4127": op.simultaneous(
            means=[0.0] * 4, covariance=root @ root.T, n=boston["n"], lower_is_better=False
        ).critical_value(0.90),
    }
    rejected = dict.fromkeys(constants, 0)
    block = 5_000
    for number in range(trials // block):
        rng = np.random.default_rng(np.random.SeedSequence(1996, spawn_key=(number,)))
        errors = rng.standard_normal((block, boston["n"], 4)) @ root.T
        largest = np.zeros(block)
        for i, j in combinations(range(4), 2):
            pair = op.paired_t.batch(errors[..., i], errors[..., j])
            largest = np.maximum(largest, np.abs(np.asarray(pair.statistic)))
        for name, constant in constants.items():
            rejected[name] += int((largest > constant).sum())
    rates = {name: count / trials for name, count in rejected.items()}
    seen = {name: Measurement(rate, share_error(rate, trials)) for name, rate in rates.items()}
    what = f"familywise error in {trials} trials"
    return Finding(
        statements=(
            claim(
                "with the printed constant the familywise error is at most .10",
                seen["2.135"],
                "below",
                0.10,
                what=what,
                reason="2.135 is near the constant for 3 pairs (E-F1)",
            ),
            claim(
                "ours, not the paper's: with the right constant it is",
                seen["2.4127"],
                "below",
                0.10,
                what=what,
            ),
        ),
        header=("constant", "familywise error", "standard error"),
        rows=tuple(
            (name, f"{r:.4f}", f"{share_error(r, trials):.4f}") for name, r in rates.items()
        ),
    )


def table4(_: Scale) -> Finding:
    """McNemar's test of linear discriminant against network (F-16)."""
    import outperform as op

    told = published(PAPER)["table4"]
    result = op.mcnemar(table=told["table"], names=("lda", "network"))
    statistic, p = printed(told["statistic"]), printed(told["p"])
    assert result.statistic is not None
    assert result.pvalue is not None
    return Finding(
        values=(
            Value("χ²", statistic.value, result.statistic, statistic.half_unit),
            Value("p", p.value, result.pvalue, p.half_unit),
        ),
        statements=(
            Statement("they do not differ", result.pvalue >= 0.05, f"p = {result.pvalue:.3f}"),
        ),
    )


def table5(_: Scale) -> Finding:
    """Dunn's intervals with pooled variance from the printed counts (F-20, F-22)."""
    import outperform as op

    told = published(PAPER)["diabetes"]
    sigma, constant = printed(told["sigma"]), printed(told["constant"])
    found = op.pooled_intervals(
        told["correct"], n=told["n"], sigma=sigma.value, names=tuple(told["models"])
    )
    critical = found.critical_value(0.95)
    low, high = found.intervals(0.95)
    room = critical * sigma.half_unit
    values = [Value("Z", constant.value, critical, constant.half_unit)]
    rows = []
    for at, (first, second) in enumerate(combinations(told["models"], 2)):
        ends = [printed(text) for text in published(PAPER)["table5"][at]]
        values += [
            Value(
                f"{first} − {second}, {side}",
                end.value,
                float(ours),
                end.half_unit + room,
                reason=_rounded(end, float(ours), room),
            )
            for side, end, ours in zip(("low", "high"), ends, (low[at], high[at]), strict=True)
        ]
        pairs = ((ends[0].value, ends[1].value), (low[at], high[at]))
        rows.append((f"{first} − {second}", *(f"[{a:.3f}, {b:.3f}]" for a, b in pairs)))
    apart = found.told_apart(0.05)
    others = [0, 1, 3, 4]
    judged = "simultaneous intervals, level .95"
    return Finding(
        values=tuple(values),
        statements=(
            Statement("the tree is worse than the others", bool(apart[2, others].all()), judged),
            Statement("the others do not differ", not apart[np.ix_(others, others)].any(), judged),
        ),
        header=("pair", "printed", "ours"),
        rows=tuple(rows),
    )


def _rounded(end: Printed, ours: float, room: float) -> str:
    if abs(end.value - ours) <= end.half_unit + room:
        return ""
    return "printed from rounded proportions and a half-width of .058 (E-F11)"


def boston_study(scale: Scale) -> Finding:
    """The Boston study, run again with scikit-learn (F-14)."""
    from sklearn.linear_model import LinearRegression

    from ..data import load

    data = load("boston")
    y = np.asarray(data.y, dtype=np.float64)
    y = (y - y.min()) / np.ptp(y)
    learners: dict[str, Any] = {"linear": LinearRegression()}
    learners |= {f"network {h}": _network(h, scale) for h in (2, 4, 6)}
    found = _study(learners, data.X.to_numpy(), y, 106, "neg_mean_squared_error")
    return _rerun(found, published(PAPER)["boston"]["means"], base=0.0)


def diabetes_study(scale: Scale) -> Finding:
    """The diabetes study, run again with scikit-learn (F-21)."""
    from sklearn.discriminant_analysis import (
        LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
    )
    from sklearn.tree import DecisionTreeClassifier

    from ..data import load

    data = load("pima-diabetes")
    learners = {
        "lda": LinearDiscriminantAnalysis(),
        "qda": QuadraticDiscriminantAnalysis(),
        "tree": DecisionTreeClassifier(),
        "network 1": _network(4, scale, decay=0.01),
        "network 2": _network(4, scale, decay=0.001),
    }
    told = published(PAPER)["diabetes"]
    found = _study(learners, data.X.to_numpy(), np.asarray(data.y), told["n"], "accuracy")
    shares = [f"{count / told['n']:.4f}" for count in told["correct"]]
    return _rerun(found, shares, base=1.0)


def _network(hidden: int, scale: Scale, decay: float | None = None) -> Any:
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    kind = MLPRegressor if decay is None else MLPClassifier
    network = kind(
        hidden_layer_sizes=(hidden,),
        activation="logistic",
        solver="lbfgs",
        alpha=decay or 1e-4,
        max_iter=scale.of(5000, 500),
    )
    return make_pipeline(StandardScaler(), network)


def _study(learners: dict[str, Any], X: Any, y: Any, n_test: int, scoring: str) -> Comparison:
    import outperform as op

    design = Holdout(Fraction(n_test, len(y)))
    with warnings.catch_warnings():  # networks end at max_iter, though warnings may be errors
        warnings.filterwarnings("ignore", message="lbfgs failed to converge")
        scores = op.run(learners, X, y, design=design, scoring=scoring, random_state=1996)
    return op.simultaneous(scores)


def _rerun(found: Comparison, told: list[str], *, base: float) -> Finding:
    """Compare with what was printed: errors (base 0), or the share right, 1 − the share wrong."""
    losses = -np.asarray(found.details["means"])
    means = np.abs(base - losses)
    values = tuple(
        Value(name, float(text), float(mean), lost=True, reason=LOST)
        for name, text, mean in zip(found.names, told, means, strict=True)
    )
    groups = " ".join("{" + ", ".join(group) + "}" for group in found.groups(0.10))
    return Finding(
        values=values, remarks=(f"Not significantly different on our split, best first: {groups}.",)
    )


EXHIBITS = (
    exhibit(PAPER, "table3", table3, {"n": 106, "α": 0.10}),
    exhibit(PAPER, "familywise", familywise, {"n": 106, "α": 0.10, "trials": 400_000}, seed=1996),
    exhibit(PAPER, "table4", table4),
    exhibit(PAPER, "table5", table5, {"n": 384, "α": 0.05}),
    exhibit(PAPER, "boston", boston_study, {"train": 400, "test": 106}, None, ("boston",), 1996),
    exhibit(PAPER, "diabetes", diabetes_study, HALF, None, ("pima-diabetes",), 1996),
)
