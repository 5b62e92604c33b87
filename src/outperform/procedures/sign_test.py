"""Sign test over datasets: Dietterich's question 9 (D-11)."""

from __future__ import annotations

import numpy as np

from ..dists import Binomial
from ..evidence import Exact
from ..registry import method
from ..sums import ROUNDING
from ..views import OverDatasets


@method(
    title="Sign test over datasets",
    paper="dietterich",
    requirements=("D-11",),
    layout="datasets",
    designs=("datasets",),
    accounts_for=(),
    standing="studied",
    advice="Counts datasets won; ignores how sure each win is (D-11).",
    note="OP304",
    has_interval=False,
)
def sign_test(d: OverDatasets) -> Exact:
    """Does the first side win on more datasets than it loses?

    Wins ~ binomial(wins + losses, ½); datasets without a difference are left out (D-11).
    """
    shift = d.flat - d.null
    rounding = ROUNDING * np.maximum(d.scale, abs(d.null))[..., None]
    wins = np.sum(shift > rounding, axis=-1).astype(float)
    losses = np.sum(shift < -rounding, axis=-1).astype(float)
    law = Binomial(wins + losses, 0.5)
    details = {"wins": wins[()], "losses": losses[()]}
    return Exact(np.median(d.flat, axis=-1)[()], np.minimum(wins, losses)[()],
                 law.log_at_most(wins), law.log_at_least(wins), null=d.null,
                 details=details)  # fmt: skip
