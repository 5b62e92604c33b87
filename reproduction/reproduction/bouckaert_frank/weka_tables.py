"""Table 1 cell by cell on the folds that Weka cuts with seeds 1 to 50, as the paper had (R-09)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from outperform.designs.splitting import fold_sizes
from outperform.numerics.distributions import T
from outperform.numerics.exact_sums import Array
from outperform.scores.split_scores import Scores

from ..exhibits import (
    Finding,
    HowMany,
    Scale,
    Statement,
    Value,
    binomial,
    published,
    remarks,
    settled,
)
from ..repetitions import repetitions
from .replicability_tables import (
    FEWER,
    LEARNERS,
    PAIRS,
    PAPER,
    PRINTED_DF,
    REPEATED,
    beside,
    datasets,
    judged_by,
    learners_of,
)
from .weka_folds import weka_folds

RUNS = 5
SEEDS = HowMany(RUNS * REPEATED.published, RUNS * REPEATED.quick)
DESIGN = "5x2cv/stratified"


def on_weka_folds(name: str, scale: Scale, *, again: bool = False) -> Scores:
    """Run all learners on the halves of seeds 1, 2, …, five of them to a repetition.

    `again` shuffles each training set once more, as later releases of Weka do.
    """
    import outperform as op

    from ..datasets import load

    n = scale.of(*REPEATED)
    data = load(name)
    y = np.asarray(data.y).tolist()
    word = "-again" if again else ""
    splits = [
        split for seed in range(1, n * RUNS + 1) for split in weka_folds(y, 2, seed, again=again)
    ]
    found = op.run(
        learners_of(),
        data.X,
        data.y,
        design=splits,
        random_state=0,
        n_jobs=scale.n_jobs,
        store=scale.store(f"bouckaert-frank-{name}-weka{word}"),
        progress=False,
    )
    values = {one: found.values[found.index(one)] for one in LEARNERS}
    return op.Scores.from_arrays(values, design=f"{n}*{DESIGN}")


def table1_on_weka_folds(scale: Scale) -> Finding:
    """Compare every cell of Table 1 with 4 and with 5 degrees of freedom."""
    names = datasets(scale)
    told = published(PAPER)["table1"]["non_rejections"]
    printed = np.array([told[name] for name in names])
    kept, again = ({} for _ in range(2))
    for name in names:
        scale.say(f"  {name}, Weka's folds")
        kept[name] = on_weka_folds(name, scale)
        again[name] = on_weka_folds(name, scale, again=True)
    ours, fives = (counted(kept, df) for df in (PRINTED_DF, 5))
    moved = counted(again, PRINTED_DF)
    values = [
        Value(
            f"{name}, {' vs. '.join(pair)}",
            float(printed[row, col]),
            float(ours[row, col]),
            reason=explained(
                printed[row, col],
                moved[row, col],
                reachable(kept[name], pair, _test_sizes(name)),
            ),
        )
        for row, name in enumerate(names)
        for col, pair in enumerate(PAIRS)
    ]
    if scale.quick:
        values = [replace(value, reason=FEWER, lost=True) for value in values]
    equal = {
        f"{df} degrees of freedom, {word}": int((counted(found, df) == printed).sum())
        for df, (word, found) in product(
            (PRINTED_DF, 5),
            (("rows in the order of the fold", kept), ("training rows shuffled again", again)),
        )
    }
    counts = "; ".join(f"{word} {count}" for word, count in equal.items())
    told_equal = f"cells that equal the printed ones: {counts}"
    return Finding(
        values=tuple(values),
        statements=() if scale.quick else (_degrees(printed, ours, fives),),
        header=("dataset", *(" vs. ".join(pair) for pair in PAIRS)),
        rows=beside(names, printed, ours, fives),
        remarks=(
            f"Printed / ours: non-rejections of {scale.of(*REPEATED)} repetitions with "
            f"{PRINTED_DF} degrees of freedom, in brackets with 5.",
            *remarks(PAPER, "table1-weka"),
            *([] if scale.quick else [f"Number of the {printed.size} {told_equal}."]),
        ),
    )


def _test_sizes(name: str) -> list[int]:
    from ..datasets import load

    return [n_test for _, n_test in fold_sizes(len(load(name).y), 2)]


def counted(found: dict[str, Scores], df: int) -> Array:
    """Return the non-rejections of each dataset and pair."""
    columns = []
    for pair in PAIRS:
        one = repetitions(found, "five_by_two_t", *pair, undefined="reject")
        columns.append(one.n - judged_by(one, df).rejections(0.05))
    return np.stack(columns, axis=1)


def _degrees(printed: Array, ours: Array, fives: Array) -> Statement:
    """Ask whether counts stray from print to one side, as with the wrong threshold they do."""
    told, tails = [], []
    for df, found in ((5, fives), (PRINTED_DF, ours)):
        gaps = (printed - found).sum(axis=1)
        above, below = int((gaps > 0).sum()), int((gaps < 0).sum())
        tails.append(binomial(min(above, below), above + below, "above", 0.5))
        told.append(
            f"with {df} degrees of freedom {int((printed == found).sum())} of {printed.size} cells "
            f"equal the printed ones, which have more non-rejections on {above} datasets and fewer "
            f"on {below}"
        )
    # The right degrees of freedom stray to either side as often: a two-sided sign test.
    sign_test = tails[0]._replace(claim=min(1.0, 2 * tails[0].claim))
    return settled(
        "the test has 5 degrees of freedom, as the text says",
        sign_test,
        f"{'; '.join(told)}; sign test over datasets",
        "4 degrees of freedom fit (E-R14)",
    )


def reachable(scores: Scores, pair: Sequence[str], n_test: Sequence[int]) -> tuple[int, int]:
    """Return the fewest and the most non-rejections if one prediction of a repetition changed."""
    one, two = (scores.values[scores.index(side)] for side in pair)
    x = (one - two).reshape(-1, RUNS, 2)
    limit = float(T(PRINTED_DF).isf(0.025))
    now = _accepts(x, limit)
    can_reject, can_accept = ~now, now.copy()
    for (run, fold), step in product(product(range(RUNS), range(2)), (-1, 1)):
        other = x.copy()
        other[:, run, fold] += step / n_test[fold]
        accepts = _accepts(other, limit)
        can_accept |= accepts
        can_reject |= ~accepts
    return int((~can_reject).sum()), int(can_accept.sum())


def _accepts(x: Array, limit: float) -> Any:
    spread = ((x - x.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1).mean(axis=-1)
    return np.abs(x[:, 0, 0]) <= limit * np.sqrt(spread)


def explained(printed: int, again: int, reach: tuple[int, int]) -> str:
    """Say what moves a cell to print: another order of training rows, or one prediction."""
    if again == printed:
        return (
            "the printed count is obtained if training rows are shuffled once more: ties of "
            "nearest neighbour"
        )
    if reach[0] <= printed <= reach[1]:
        return (
            "the printed count is obtained if one prediction in each repetition changes, as with "
            f"another release of a learner ({reach[0]} to {reach[1]}); training rows in another "
            f"order give {again}"
        )
    return (
        f"neither another order of training rows ({again}) nor one changed prediction in each "
        f"repetition ({reach[0]} to {reach[1]}) gives the printed count; no reason found"
    )
