"""What a pilot says would be detected is detected, also by learners that vary with the dataset."""

from __future__ import annotations

import numpy as np
import pytest

import outperform as op
from calibration.batch_contests import BatchContest
from calibration.batch_learners import BatchNeighbor
from outperform import lab
from outperform.methods import calibrated_t
from outperform.verbs.plan import _measured
from outperform.views import Calibration

pytestmark = pytest.mark.nightly


@pytest.mark.slow
def test_nearest_neighbour_reaches_the_power_that_was_planned():
    """Exact nulls, moved by the difference that each of 100 pilots says it would detect."""
    design, n, pilots = op.parse("5x5cv+20halves"), 200, 100
    contest = BatchContest(lab.mirror_population("A"), BatchNeighbor(), BatchNeighbor(), n=n)
    asked = lab.reading("calibrated_t", str(design))
    views = [
        contest.draw([asked], size, lab.block_seed(4343, 0, number))[asked]
        for number, size in lab.blocks(300, contest.block)
    ]
    whole, halves, squares = (
        np.concatenate([getattr(view, name) for view in views])
        for name in ("whole", "halves", "squares")
    )
    rest = slice(pilots, None)
    later = calibrated_t.on(
        Calibration(whole[rest], halves[rest], float(n), np.ones(200), squares[rest])
    )
    means, errors = np.asarray(later.estimate), np.asarray(later.stderr)
    critical = np.asarray(later.dist.isf(0.025))
    enough = []
    for at in range(pilots):
        one = Calibration(whole[at], halves[at], float(n), np.ones(()), squares[at])
        moved = _measured(one, design).detectable(design, n, 0.05, 0.8)
        enough.append(np.mean(np.abs(means + moved) / errors > critical) >= 0.8 - 0.10)
    assert np.mean(enough) >= 0.8
