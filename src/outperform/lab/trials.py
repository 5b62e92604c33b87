"""Rejections of Dietterich's tests in the designed population, counted a million trials a second.

The trials are those of `DesignedPopulation.draw`; only the way from counts to decisions is shorter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..designs import Holdout, KFold, RepeatedKFold, Resampled
from ..errors import MethodError
from ..registry import get
from . import decisions
from .dealing import n_test_of
from .designed import DesignedPopulation, Sample
from .laws import Kinds
from .scenarios import Reading, block_seed, blocks, reading, stream

__all__ = ["FIVE", "JUDGED", "count_rejections", "judged_readings"]

FIVE = ("mcnemar", "proportions", "resampled_t", "kfold_t", "five_by_two_t")
"""The tests of Figure 5, each in its published design (D-36)."""
JUDGED = (*FIVE, "corrected_t")

Methods = Sequence[str] | Mapping[str, Any]


def count_rejections(
    population: DesignedPopulation,
    n_trials: int,
    methods: Methods = FIVE,
    *,
    alpha: float = 0.05,
    effect: float = 0.0,
    random_state: int = 0,
    compiled: bool | None = None,
) -> dict[str, int]:
    """Count how many of `n_trials` experiments each method rejects, two-sided (D-36, D-38).

    `methods` are names, or names with designs: {"resampled_t": "100xresampled@1/3"}. A difference
    that does not vary counts as a rejection. With numba installed loops are compiled
    (`compiled=False` forbids, `compiled=True` demands it); the counts are the same.
    """
    asked = judged_readings(methods, population.n)
    kinds, total = population.kinds(effect), dict.fromkeys(asked, 0)
    tally = plain_tally if compiled is False else _compiled(required=compiled is True)
    for number, n_reps in blocks(n_trials, population.block):
        seed = block_seed(random_state, 0, number)
        sample = population.sample(n_reps, seed)
        for wanted in dict.fromkeys(asked.values()):
            names = [name for name, its_reading in asked.items() if its_reading == wanted]
            found = tally(population, wanted, names, sample, kinds, seed, alpha)
            for name, count in zip(names, found, strict=True):
                total[name] += int(count)
    return total


def judged_readings(methods: Methods, n: int) -> dict[str, Reading]:
    """Return what each method reads; refuse methods and designs that counts do not settle."""
    designs = methods if isinstance(methods, Mapping) else dict.fromkeys(methods)
    asked = {}
    for name, design in designs.items():
        if name == "corrected_t" and design is None:
            design = get("resampled_t").published_design
        wanted = reading(name, design)
        plan = wanted.design
        repeated = isinstance(plan, RepeatedKFold)
        known = isinstance(plan, Holdout | Resampled | KFold) or repeated
        if name not in JUDGED or not known or (repeated and name != "five_by_two_t"):
            raise MethodError(
                f"{name} with {plan} was asked; from counts are judged {', '.join(JUDGED)} on "
                "hold-out, resampled and k-fold designs, and five_by_two_t on r×2-fold ones. To "
                "simulate others, use op.study without exact=True"
            )
        if len(set(plan.sizes(n).n_test.tolist())) > 1:
            raise MethodError(
                f"{plan} cuts n={n} items into unequal folds; equal ones are needed here, such as "
                f"n={n + -n % (plan.shape or (1, 1, n))[2]}"
            )
        asked[name] = wanted
    return asked


@lru_cache(maxsize=256)
def ratio_of(name: str, asked: Reading, n: int) -> float:
    """Return n_test / n_train where the method widens its variance by it, else 0."""
    sizes = asked.design.sizes(n)
    return float(sizes.n_test.sum() / sizes.n_train.sum()) if name == "corrected_t" else 0.0


def share_of(name: str, asked: Reading, n: int, alpha: float) -> float:
    """Return κ of a t-test over splits: it rejects where (Σd)² > κ Σd²."""
    return decisions.square_share(asked.design.n_splits(), alpha, ratio_of(name, asked, n))


def plain_tally(
    population: DesignedPopulation,
    asked: Reading,
    names: Sequence[str],
    sample: Sample,
    kinds: Kinds,
    seed: np.random.SeedSequence,
    alpha: float,
) -> list[int]:
    """Count the rejections of each method among the experiments of a block."""
    design, rng, n = asked.design, stream(seed, asked.key), population.n
    if asked.view == "Contingency":
        n00, n01, n10, _ = population.cells(design, sample, kinds, rng)
        z, n_test = decisions.two_sided(alpha), n_test_of(design, n)
        judged = {
            "mcnemar": lambda: decisions.mcnemar_rejects(n01, n10, z),
            "proportions": lambda: decisions.proportions_rejects(n00 + n01, n00 + n10, n_test, z),
        }
        return [int(np.count_nonzero(judged[name]())) for name in names]
    found = population.difference_counts(design, sample, kinds, rng)
    if names[0] == "five_by_two_t":
        gaps = found[..., 0] - found[..., 1]
        critical = decisions.two_sided(alpha, gaps.shape[1])
        squares = np.einsum("ij,ij->i", gaps, gaps)
        judged_first = decisions.five_by_two_rejects(
            found[:, 0, 0], squares, gaps.shape[1], critical
        )
        return [int(np.count_nonzero(judged_first))]
    flat = found.reshape(len(found), -1)
    total = (flat @ np.ones(flat.shape[1], dtype=np.float32)).astype(np.float64)
    squares = np.einsum("ij,ij->i", flat, flat)
    return [
        int(np.count_nonzero(decisions.t_rejects(total, squares, share_of(m, asked, n, alpha))))
        for m in names
    ]


def _compiled(*, required: bool) -> Any:
    """Return the compiled tally where numba is there, else the plain one."""
    from importlib.util import find_spec

    if find_spec("numba") is None:
        if required:
            raise MethodError(
                "compiled=True was asked, but numba is not installed; use compiled=False, or "
                "pip install 'outperform[lab]'"
            )
        return plain_tally
    from .compiled import tally

    return tally
