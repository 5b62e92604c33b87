"""Feelders & Verkooijen: simultaneous intervals for many methods, Tables 2 to 5, two studies."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from .exhibits import (
    Finding,
    HowMany,
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
from .running import remembered

if TYPE_CHECKING:
    from outperform.results.comparison import Comparison


PAPER = "feelders-verkooijen"
HALF = {"train": 384, "test": 384, "α": 0.05}
MOST = {"train": 400, "test": 106, "α": 0.10}
LOST = "the split of the data and the settings of the networks are not known"
SPLITS = HowMany(100, 3)
TRIALS = HowMany(400_000, 20_000)
SEED = 1996
ROUNDED = (
    "An endpoint agrees if it is within half a unit of its last digit, plus the amount by which "
    "the rounding of the printed {} can change it; without that allowance {} of {} endpoints would "
    "differ."
)
TYPOS = {
    ("network 4", "network 6", "high"): "a misprinted power of ten: 6.2e-4 (E-F2)",
    ("linear", "network 6", "low"): "1.0e-3, however the inputs are rounded (E-F3)",
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
    constant, strict = printed(boston["constant"]), 0
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
            strict += abs(end.value - float(ours)) > end.half_unit * (1 + 1e-9)
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
        remarks=(ROUNDED.format("means, covariances and constant", strict, 12),),
    )


def _linear_is_apart(found: Comparison) -> Statement:
    apart = found.told_apart(0.10)
    return Statement(
        "the linear model is worse than all three networks",
        bool(apart[0, 1:].all()),
        "simultaneous intervals with the correct constant, level .90",
    )


def _networks_together(found: Comparison) -> Statement:
    apart = found.told_apart(0.10)
    return Statement(
        "no two networks differ",
        not apart[1:, 1:].any(),
        "simultaneous intervals with the correct constant, level .90",
    )


def familywise(scale: Scale) -> Finding:
    """Simulated familywise error under the printed covariance, with both constants (E-F1)."""
    import outperform as op

    boston, trials = published(PAPER)["boston"], scale.of(*TRIALS)
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
        rng = np.random.default_rng(np.random.SeedSequence(scale.seeded(SEED), spawn_key=(number,)))
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
                "our check, not a claim of the paper: with the correct constant it is",
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
    rows, strict = [], 0
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
        both = zip(ends, (low[at], high[at]), strict=True)
        strict += sum(abs(end.value - own) > end.half_unit * (1 + 1e-9) for end, own in both)
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
        remarks=(ROUNDED.format("standard error", strict, 20),),
    )


def _rounded(end: Printed, ours: float, room: float) -> str:
    if abs(end.value - ours) <= end.half_unit + room:
        return ""
    return "printed from rounded proportions and a half-width of .058 (E-F11)"


def boston_study(scale: Scale) -> Finding:
    """The Boston study over many splits, for two scales of the target (F-14)."""
    from .datasets import load

    told, y = published(PAPER)["boston"], np.asarray(load("boston").y, dtype=np.float64)
    means, _, groups = (np.array(part) for part in zip(*_runs("boston", scale), strict=True))
    scales = {"(y − 5)/45": np.ptp(y) ** 2, "y/50": 50.0**2}
    places = {name: means / unit for name, unit in scales.items()}
    values, rows = _among(told["models"], [float(text) for text in told["means"]], places)
    grouping = "the linear model differs from three networks that do not differ from each other"
    found = _many(values, rows, groups, grouping)
    last = ", ".join(f"{_in_file_order() / unit:.4g} for {name}" for name, unit in scales.items())
    split = (
        f"With the first 400 rows of the file to train, the linear model has {last}: the printed "
        "value is not from that split."
    )
    return replace(found, remarks=(*found.remarks, split))


def _in_file_order() -> float:
    """Return the mean squared error of the linear model, the last rows of the file tested."""
    from sklearn.linear_model import LinearRegression

    from .datasets import load

    data, n = load("boston"), published(PAPER)["boston"]["n"]
    X, y = data.X.to_numpy().astype(np.float64), np.asarray(data.y, dtype=np.float64)
    said = LinearRegression().fit(X[:-n], y[:-n]).predict(X[-n:])
    return float(np.mean((said - y[-n:]) ** 2))


def diabetes_study(scale: Scale) -> Finding:
    """The diabetes study over many splits, by pooled variance and Dunn's intervals (F-21)."""
    told = published(PAPER)["diabetes"]
    means, _, groups = (np.array(part) for part in zip(*_runs("diabetes", scale), strict=True))
    shares = [count / told["n"] for count in told["correct"]]
    values, rows = _among(told["models"], shares, {"share correct": means})
    grouping = "the tree differs from four others that do not differ from each other"
    return _many(values, rows, groups, grouping)


def _among(models: list[str], told: list[float], places: dict[str, Any]) -> Any:
    """Say where print lies among our splits."""
    values, rows = [], []
    for at, (model, text) in enumerate(zip(models, told, strict=True)):
        for name, means in places.items():
            own = np.sort(means[:, at])
            below = int(np.searchsorted(own, text))
            reason = f"{LOST}; the printed value is above those of {below} of {own.size} splits"
            values.append(
                Value(f"{model}, {name}", text, float(own.mean()), lost=True, reason=reason)
            )
            ends = f"{own[0]:.4g} to {own[-1]:.4g}"
            rows.append(
                (model, name, f"{text:.4g}", f"{own.mean():.4g}", ends, f"{below} of {own.size}")
            )
    return tuple(values), tuple(rows)


def _many(values: Any, rows: Any, groups: Any, grouping: str) -> Finding:
    return Finding(
        values=values,
        header=(
            *("model", "scale", "printed", "mean of our splits", "range"),
            "splits below the printed value",
        ),
        rows=rows,
        remarks=(
            f"The paper's grouping, in which {grouping}, is found on {int(groups.sum())} of "
            f"{groups.size} splits.",
            "Every fit uses a seed that depends on its split, and one thread: with several "
            "threads, sums are rounded in a different order, and after thousands of steps a "
            "network ends up with different weights.",
        ),
    )


def _runs(name: str, scale: Scale) -> list[Any]:
    """Return means, correct counts and whether the paper's grouping came out, by split; kept."""
    found: list[Any] = []
    for number in range(scale.of(*SPLITS)):
        about = [scale.seeded(SEED), number, scale.of(5000, 500)]
        needs = ("boston" if name == "boston" else "pima-diabetes",)
        found.append(
            remembered(
                scale,
                f"feelders-verkooijen-{name}-{number}",
                about,
                partial(_one, name, scale, number),
                needs,
            )
        )
        scale.say("")
    return found


def _one(name: str, scale: Scale, number: int) -> list[Any]:
    from threadpoolctl import threadpool_limits

    root = np.random.SeedSequence(scale.seeded(SEED), spawn_key=(number,))
    rng = np.random.default_rng(root)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="lbfgs failed to converge")
        return (_one_boston if name == "boston" else _one_diabetes)(scale, rng)


def _one_boston(scale: Scale, rng: np.random.Generator) -> list[Any]:
    from sklearn.linear_model import LinearRegression

    import outperform as op

    from .datasets import load

    data, told = load("boston"), published(PAPER)["boston"]
    X, y = data.X.to_numpy().astype(np.float64), np.asarray(data.y, dtype=np.float64)
    low, unit = y.min(), np.ptp(y)
    learners = [LinearRegression(), *(_network(h, scale, rng) for h in (2, 4, 6))]
    order = rng.permutation(len(y))
    test, train = order[: told["n"]], order[told["n"] :]
    errors = []
    for model in learners:
        said = model.fit(X[train], (y[train] - low) / unit).predict(X[test])
        errors.append((said * unit + low - y[test]) ** 2)
    losses = dict(zip(told["models"], errors, strict=True))
    apart = op.simultaneous(losses, lower_is_better=True).told_apart(0.10)
    grouped = bool(apart[0, 1:].all() and not apart[1:, 1:].any())
    return [[float(one.mean()) for one in errors], [], grouped]


def _one_diabetes(scale: Scale, rng: np.random.Generator) -> list[Any]:
    from sklearn.discriminant_analysis import (
        LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
    )
    from sklearn.tree import DecisionTreeClassifier

    import outperform as op

    from .datasets import load

    data, told = load("pima-diabetes"), published(PAPER)["diabetes"]
    X, y = data.X.to_numpy().astype(np.float64), np.asarray(data.y)
    learners = [
        LinearDiscriminantAnalysis(),
        QuadraticDiscriminantAnalysis(),
        DecisionTreeClassifier(random_state=int(rng.integers(1 << 31))),
        _network(4, scale, rng, decay=0.01),
        _network(4, scale, rng, decay=0.001),
    ]
    order = rng.permutation(len(y))
    test, train = order[: told["n"]], order[told["n"] :]
    right = [(one.fit(X[train], y[train]).predict(X[test]) == y[test]) * 1 for one in learners]
    apart = op.pooled_intervals(dict(zip(told["models"], right, strict=True))).told_apart(0.05)
    others = [0, 1, 3, 4]
    grouped = bool(apart[2, others].all() and not apart[np.ix_(others, others)].any())
    return [[float(one.mean()) for one in right], [int(one.sum()) for one in right], grouped]


def _network(
    hidden: int, scale: Scale, rng: np.random.Generator, decay: float | None = None
) -> Any:
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
        random_state=int(rng.integers(1 << 31)),
    )
    return make_pipeline(StandardScaler(), network)


TAKES = ("share", "seed")
STUDIES = (
    ("boston", boston_study, MOST | {"splits": SPLITS}, ("boston",)),
    ("diabetes", diabetes_study, HALF | {"splits": SPLITS}, ("pima-diabetes",)),
)
EXHIBITS = (
    exhibit(PAPER, "table3", table3, {"n": 106, "α": 0.10}),
    exhibit(
        PAPER,
        "familywise",
        familywise,
        {"n": 106, "α": 0.10, "trials": TRIALS},
        seed=SEED,
        takes=TAKES,
    ),
    exhibit(PAPER, "table4", table4),
    exhibit(PAPER, "table5", table5, {"n": 384, "α": 0.05}),
    *(
        exhibit(PAPER, name, run, told, None, needs, SEED, TAKES)
        for name, run, told, needs in STUDIES
    ),
)
