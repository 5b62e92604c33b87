"""What a choice of seed can claim, checked against the paper."""

from __future__ import annotations

import json

import numpy as np
import places
import pytest

import outperform as op
from reproduction import seed_choice

GOLDEN = json.loads((places.GOLDEN / "bouckaert_frank.json").read_text(encoding="utf-8"))
PAIRS = GOLDEN["table1"]["columns"]
N = 10

requirement = pytest.mark.requirement


def counts(pair: str) -> list[int]:
    """Return how many of 10 repetitions do not reject on each dataset (Table 1)."""
    return [row[PAIRS.index(pair)] for row in GOLDEN["table1"]["rows"].values()]


@requirement("R-08")
def test_flips_of_the_winner_are_found_among_rejections() -> None:
    flips = seed_choice.direction_flips([[1, -1, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0], [-1, -1, 1, 0]])
    assert flips.flipped == (0, 3)
    assert flips.rejections == (2, 4, 0, 3)
    assert flips.most_rejections == 3
    assert (flips.n_datasets, flips.n) == (4, 4)
    two_way = op.methods.replicability(flips.rejections, flips.n)
    assert (two_way.consistent, two_way.almost_consistent) == (2, 3)


@requirement("R-08")
def test_outcomes_without_flips() -> None:
    flips = seed_choice.direction_flips(np.zeros((3, 2)))
    assert (flips.flipped, flips.most_rejections) == ((), 0)
    assert str(flips) == "The winner is the same in all rejections on each of the 3 datasets."


@requirement("R-22")
def test_a_choice_of_seed_can_claim_nearly_everything() -> None:
    accepted = counts("NB vs C4.5")
    found = seed_choice.seed_shopping(accepted, N, counting="non-rejections")
    claims = GOLDEN["claims"]
    assert (found.different, found.same) == (claims["different"], claims["same"])
    assert found.either == found.different + found.same - found.n_datasets
    spared = [d for d, row in GOLDEN["table1"]["rows"].items() if row[0] == 0]
    assert spared == ["vehicle"]
    assert seed_choice.seed_shopping(N - np.array(accepted), N) == found


@pytest.mark.parametrize(
    "call",
    [
        lambda: seed_choice.seed_shopping([1], 10, counting="wins"),
        lambda: seed_choice.direction_flips([1, 0]),
        lambda: seed_choice.direction_flips([[1, 2]]),
    ],
)
def test_what_cannot_be_used_is_refused(call: object) -> None:
    with pytest.raises(op.OutperformError):
        call()
