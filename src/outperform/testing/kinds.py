"""Inputs for the conformance suite, for every view: ordinary, extreme, degenerate, reordered."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..sums import Array
from .cases import Case, Generator, Kind

__all__ = ["KINDS"]

SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {
    "folds": ((10,),),
    "splits": ((30,), (3, 10)),
    "twofold": ((5, 2),),
    "partitions": ((6, 10), (4, 5, 2)),
    "items": ((40,),),
    "datasets": ((12,), (60,)),
}
_LONG = {"twofold": (60, 2), "partitions": (3, 60)}
_SIZES = {"n_train": 90, "n_test": 10}


def _dyadic(values: Any) -> Array:
    """Round to multiples of 2⁻²⁰, so that sums and shifts of such scores are exact."""
    return np.asarray(np.round(np.asarray(values) * 2**20) / 2**20)


def _sizes(layout: str) -> dict[str, int]:
    return _SIZES if layout == "splits" else {}


# Scores of two sides, or of one, on splits, items or datasets.


def _differences(layout: str, rng: Generator) -> list[Case]:
    cases: list[Case] = []
    for shape in SHAPES[layout]:
        sizes = _sizes(layout) if len(shape) == 1 else {}
        for _ in range(1 if cases else 3):
            a, b = (_dyadic(rng.normal(mean, 0.03, shape)) for mean in (0.8, 0.78))
            cases.append(Case(f"two sides of scores {shape}", {"a": a, "b": b}, sizes))
    a, b = cases[0].arrays["a"], cases[0].arrays["b"]
    one = Case(f"one side of scores {a.shape}", {"a": a}, {**cases[0].keywords, "mu0": 0.78125})
    tied = cases[0].but("rounded to 0.01", a=np.round(a, 2), b=np.round(b, 2))
    return [*cases, one, cases[0].but("against 1/128", mu0=0.0078125), tied]


def _far_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    over_datasets = (5000,) if beyond else (200,)
    shape = over_datasets if layout == "datasets" else _LONG.get(layout, (60,))
    b = _dyadic(rng.normal(0.8, 0.03, shape))
    a = b + 1 + rng.normal(0, 1e-9 if beyond else 0.02, shape)
    return Case(f"scores {shape} far apart", {"a": a, "b": b}, _sizes(layout))


def _whole_scores(layout: str, rng: Generator) -> Case:
    shape = SHAPES[layout][0]
    a, b = (rng.integers(low, low + 50, shape).astype(float) for low in (40, 50))
    return Case(f"whole scores {shape}", {"a": a, "b": b}, _sizes(layout))


def _two_scores(layout: str) -> Case:
    shape = {"twofold": (1, 2), "partitions": (1, 2)}.get(layout, (2,))
    a, b = np.reshape([0.81, 0.79], shape), np.reshape([0.80, 0.75], shape)
    return Case("two scores a side", {"a": a, "b": b}, _sizes(layout))


def _reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    shape = np.shape(case.arrays["a"])
    start = int(first_counts)
    places = np.arange(int(np.prod(shape))).reshape(shape)
    if len(shape) == 1 or layout == "splits":
        flat = places.ravel()
        places = np.concatenate([flat[:start], rng.permutation(flat[start:])]).reshape(shape)
    elif len(shape) == 2:
        inner = rng.permuted(places[start:], axis=1)
        places = np.concatenate([places[:start], rng.permutation(inner)])
    else:  # the first difference of every partition counts
        places = rng.permutation(places)
    return case.each("in another order", lambda array: np.ravel(array)[places])


def _exchanged(case: Case, layout: str) -> Case:
    null = -case.null if "mu0" in case.keywords else None
    if len(case.arrays) == 1:
        return case.each("negated", np.negative, null)
    first, second = case.arrays
    sides = {first: case.arrays[second], second: case.arrays[first]}
    return case.but("sides exchanged", null, **sides)


def _same(case: Case) -> Case:
    first, *second = case.arrays
    if not second:
        return case.each("all at the null", lambda array: np.full_like(array, case.null))
    known = case.arrays[second[0]]
    return case.but("the same on both sides", 0.0 if case.null else None, **{first: known})


def _always_a_hundredth(case: Case) -> Case:
    """Return scores 0.01 apart as a reader would type them: 0.81 and 0.80, 0.79 and 0.78."""
    first, *second = case.arrays
    if not second:
        return case.each("all above the null", lambda x: np.full_like(x, case.null + 0.01))
    known = np.round(case.arrays[second[0]], 2)
    arrays = {first: np.round(known + 0.01, 2), second[0]: known}
    return case.but("always 0.01 apart", **arrays)


# Counts of right and wrong.


def _table(n00: int, n01: int, n10: int, n11: int) -> Case:
    table = np.array([[n00, n01], [n10, n11]], dtype=float)
    return Case(f"table {table.astype(int).tolist()}", {"table": table})


def _tables(layout: str, rng: Generator) -> list[Case]:
    drawn = (_table(*rng.integers(1, 40, 4).tolist()) for _ in range(3))
    return [*drawn, _table(20, 5, 15, 60), _table(1, 1, 7, 11), _table(0, 3, 9, 0)]


def _items_of(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    """Return a table as labels and predictions of its items, in any order."""
    cells = np.repeat(np.arange(4), case.arrays["table"].ravel().astype(int))
    cells = rng.permutation(cells)
    labels = rng.choice(["ant", "bee", "cat"], cells.size)
    arrays = {"y": labels, "a": np.where(cells >= 2, labels, "dog")}
    arrays["b"] = np.where(cells % 2 == 1, labels, "eel")
    return Case(f"{case.label}, as labels in any order", arrays)


# Right or wrong of several models.


def _right_wrong(layout: str, rng: Generator) -> list[Case]:
    def one() -> Case:
        right = (rng.random((40, 4)) < [0.8, 0.7, 0.6, 0.65]).astype(float)
        return Case("4 models on 40 items", {"losses": right}, {"lower_is_better": False})

    return [one() for _ in range(3)]


def _one_always_right(layout: str, rng: Generator, beyond: bool) -> Case:
    right = rng.random((3000 if beyond else 100, 3)) < [1.1, -0.1, 0.5]
    return Case("one model always right", {"losses": right.astype(float)})


# Losses on training sets × items.


def _crossed(layout: str, rng: Generator) -> list[Case]:
    def one() -> Case:
        a, b = (_dyadic(rng.normal(m, 0.2, (6, 9)) + rng.normal(0, 0.1, (6, 1))) for m in (1, 0.9))
        return Case("losses (6, 9)", {"losses_a": a, "losses_b": b}, {"lower_is_better": False})

    return [one() for _ in range(3)]


def _crossed_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    b = _dyadic(rng.normal(0, 1, (60, 80)))
    a = b + 1 + rng.normal(0, 1e-12 if beyond else 0.5, b.shape)
    arrays = {"losses_a": a, "losses_b": b}
    return Case("losses far apart", arrays, {"lower_is_better": False})


def _crossed_reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    rows, columns = (rng.permutation(n) for n in case.arrays["losses_a"].shape)
    return case.each("in another order", lambda array: array[rows][:, columns])


# Resamples of all data, and of both halves.


def _halves(layout: str, rng: Generator) -> list[Case]:
    def one() -> Case:
        whole, halves = (_dyadic(rng.normal(0.02, 0.02, size)) for size in ((15,), (10, 2)))
        return Case("15 resamples, 10 halvings", {"mean_or_scores": whole, "halves": halves})

    cases = [one() for _ in range(3)]
    return [*cases, cases[0].but("against 1/128", mu0=0.0078125)]


def _halves_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    halves = 1 + rng.normal(0, 1e-3 if beyond else 0.05, (10, 2))
    return Case("a mean far from 0", {"mean_or_scores": np.ones(5), "halves": halves})


def _halves_reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    whole, halves = case.arrays.values()
    turned = rng.permutation(rng.permuted(halves, axis=1))
    return case.but("in another order", mean_or_scores=rng.permutation(whole), halves=turned)


def _equal_halves(case: Case) -> Case:
    halves = np.repeat(case.arrays["halves"][:, :1], 2, axis=1)
    return case.but("both halves always equal", halves=halves)


# Item scores of two sides that were not the same items.


def _samples(layout: str, rng: Generator) -> list[Case]:
    def one() -> Case:
        sides = (_dyadic(rng.normal(m, 0.3, n)) for m, n in ((0.8, 30), (0.65, 24)))
        return Case("samples of 30 and 24", dict(zip("ab", sides, strict=True)))

    cases = [one() for _ in range(3)]
    return [*cases, cases[0].but("against 1/128", mu0=0.0078125)]


def _samples_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    a, b = (rng.normal(m, 1e-9 if beyond else 0.1, 60) for m in (2, 1))
    return Case("samples far apart", {"a": a, "b": b})


# Numbers right of n, and p-values.


def _counts(layout: str, rng: Generator) -> list[Case]:
    def one(correct: int, n: int) -> Case:
        arrays = {"correct": np.float64(correct), "n": np.float64(n)}
        return Case("a number right of n", arrays, {"mu0": 0.75})

    return [one(83, 100), one(31, 50), one(400, 500)]


def _many_right(layout: str, rng: Generator, beyond: bool) -> Case:
    n = 4000.0 if beyond else 200.0
    arrays = {"correct": np.float64(0.95 * n), "n": np.float64(n)}
    return Case(f"{0.95 * n:g} right of {n:g}", arrays, {"mu0": 0.5})


def _counts_as_items(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    correct, n = (int(value) for value in case.arrays.values())
    right = rng.permutation(np.arange(n) < correct)
    return Case(f"{case.label}, as items in any order", {"correct": right}, case.keywords)


def _wrong_instead(case: Case, layout: str) -> Case:
    wrong = case.arrays["n"] - case.arrays["correct"]
    return case.but("wrong for right", 1 - case.null, correct=wrong)


def _pvalues(layout: str, rng: Generator) -> list[Case]:
    def one() -> Case:
        signs = rng.choice([-1.0, 1.0], 12, p=[0.3, 0.7]) if layout == "signed p" else 1.0
        return Case("p-values of 12 partitions", {"values": signs * rng.uniform(0.01, 0.4, 12)})

    return [one() for _ in range(3)]


def _tiny_pvalues(layout: str, rng: Generator, beyond: bool) -> Case:
    n = {("p", False): 20, ("p", True): 200, ("signed p", False): 100}.get((layout, beyond), 5000)
    return Case(f"{n} p-values near 1e-5", {"values": rng.uniform(0.5e-5, 2e-5, n)})


def _reorder_last(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    return case.each("in another order", lambda array: rng.permutation(np.asarray(array)))


def _whole(label: str, **arrays: Any) -> Any:
    def make(layout: str, rng: Generator) -> Case:
        return Case(label, {name: np.asarray(a, dtype=float) for name, a in arrays.items()})

    return make


def _only(case: Case) -> Any:
    return lambda layout: case


KINDS: dict[str, Kind] = {
    "Differences": Kind(
        _differences, _far_apart, _whole_scores, _two_scores, _reordered, _exchanged, _same,
        _always_a_hundredth, scales=True, shifts=True, has_null=True, orients=True,
    ),
    "Contingency": Kind(
        _tables, lambda _, rng, beyond: _table(10, 0, 4000 if beyond else 80, 10),
        lambda _, rng: _table(20, 5, 15, 60), _only(_table(0, 0, 1, 0)), _items_of,
        lambda case, _: case.each("sides exchanged", np.transpose),
        lambda case: _table(20, 0, 0, 80), balanced=lambda case: _table(30, 7, 7, 56),
    ),
    "ItemLosses": Kind(
        _right_wrong, _one_always_right,
        _whole("3 models on 6 items", losses=np.arange(18).reshape(6, 3) % 4 > 1),
        _only(Case("2 models on 2 items", {"losses": np.array([[1.0, 0.0], [0.0, 0.0]])})),
        _reorder_last, lambda case, _: case.each("columns reversed", np.fliplr),
        lambda case: case.each("columns the same", lambda x: np.repeat(x[:, :1], x.shape[1], 1)),
        orients=True, turns=False,
    ),
    "Crossed": Kind(
        _crossed, _crossed_apart,
        _whole("whole losses", losses_a=[[3, 9, 2], [8, 1, 7]], losses_b=[[9, 1, 0], [4, 6, 2]]),
        _only(Case("losses (2, 2)", {"losses_a": np.array([[0.9, 0.4], [0.7, 0.1]]),
                                     "losses_b": np.array([[0.5, 0.3], [0.7, 0.6]])})),
        _crossed_reordered, _exchanged, _same, _always_a_hundredth, scales=True, shifts=True,
        orients=True,
    ),
    "Halves": Kind(
        _halves, _halves_apart,
        _whole("whole differences", mean_or_scores=[3, 1, 9], halves=[[9, 2], [4, 5], [1, 8]]),
        _only(Case("one halving", {"mean_or_scores": np.array([0.02]),
                                   "halves": np.array([[0.01, 0.04]])})),
        _halves_reordered, lambda case, _: case.each("negated", np.negative, -case.null),
        lambda case: case.each("all at the null", lambda x: np.full_like(x, case.null)),
        _equal_halves, scales=True, has_null=True, orients=True,
    ),
    "Samples": Kind(
        _samples, _samples_apart, _whole("whole scores", a=[30, 90, 20, 70], b=[90, 80, 10]),
        _only(Case("two scores a side", {"a": np.array([0.9, 0.8]), "b": np.array([0.7, 0.75])})),
        _reorder_last, _exchanged,
        lambda case: case.each("all 0.7", lambda x: np.full_like(x, 0.7), 0.0),
        lambda case: case.but("0.8 against 0.7", a=np.full(30, 0.8), b=np.full(24, 0.7)),
        lambda case: case.but("the same scores", 0.0, a=case.arrays["b"]),
        scales=True, shifts=True, has_null=True, orients=True,
    ),
    "Counts": Kind(
        _counts, _many_right, _whole("83 of 100", correct=83, n=100),
        _only(Case("1 of 2", {"correct": np.float64(1), "n": np.float64(2)})),
        _counts_as_items, _wrong_instead, has_null=True, centre=0.5,
    ),
    "Values": Kind(
        _pvalues, _tiny_pvalues, _whole("powers of one half", values=[0.5, 0.25, 0.125, 1.0]),
        _only(Case("two p-values", {"values": np.array([0.2, 0.4])})), _reorder_last,
        lambda case, layout: case.each("negated", np.negative) if layout == "signed p" else None,
    ),
}  # fmt: skip
"""By the name of the view a method reads."""
