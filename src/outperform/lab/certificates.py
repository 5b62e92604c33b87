"""What a certificate found: sizes of tests with intervals, decisions, power and agreement."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..readers.own_files import CERTIFICATE
from .certified_nulls import Null
from .tested import CountedTest, Mean

Decision = Literal["holds", "exceeds", "unclear", "undecided"]
Loss = Literal["0/1", "log", "squared", "AUC"]
Stopped = Literal["decided", "time", "experiments", "interrupted"]
HONEST, INFLATED, ERROR = 0.05, 0.08, 0.05
"""Two sizes, and how often Wald's sequential test may take one for the other: what it finds is that
a size is below the second, or that it is above the first."""
PRIOR = 1.0, 9.0
"""Sizes near 10 % are expected: the interval is narrowest there, and covers everywhere."""


@dataclass(slots=True)
class CertifiedTest:
    """What was counted of one test under one null, and what the sequential test says of it.

    Datasets that are a share of the pool vary less than new ones would. So rejections are counted
    twice: as they are, and at most, with differences enlarged as if all their variation were that
    of items drawn without replacement. The size on new data is between the two. Where a test has no
    p-value, that is no rejection, and at most one.
    """

    label: str
    null: Null
    counts: CountedTest = field(default_factory=CountedTest)
    at_most: int = 0
    """Rejections at 5 % at most."""
    by_count: Decision = "undecided"
    by_most: Decision = "undecided"
    decision: Decision = "undecided"
    """What both counts say: "holds" by the larger, "exceeds" by the smaller, "unclear" if they
    contradict each other. As in Wald's test the first decision of each stays."""

    def add(self, block: int, counts: npt.NDArray[np.int64], at_most: int) -> None:
        """Count a block, and decide what can be decided."""
        self.counts.add(block, counts)
        self.at_most += at_most
        n = self.counts["experiments"]
        if self.by_count == "undecided":
            self.by_count = decision_of(self.counts["at_5"], n)
        if self.by_most == "undecided":
            self.by_most = decision_of(self.at_most, n)
        if self.decision == "undecided":
            if self.by_count == "exceeds" or self.by_most == "holds":
                self.decision = "exceeds" if self.by_count == "exceeds" else "holds"
            elif (self.by_count, self.by_most) == ("holds", "exceeds"):
                self.decision = "unclear"

    @property
    def size(self) -> float:
        return self.counts["at_5"] / self.counts["experiments"]

    @property
    def size_high(self) -> float:
        return self.at_most / self.counts["experiments"]

    @property
    def interval(self) -> tuple[float, float]:
        """A 95 % interval of the size on new data, which holds whenever measuring stops.

        It reaches from the lower end for one count to the upper end for the other; each may miss in
        2.5 %.
        """
        n = self.counts["experiments"]
        low, _ = always_valid(self.counts["at_5"], n, 0.975)
        _, high = always_valid(self.at_most, n, 0.975)
        return low, high

    @property
    def power(self) -> tuple[float, ...] | None:
        """Power at the three differences; None of a test that only knows the null."""
        trials = self.counts["shifted"]
        return tuple(self.counts[f"power_{k}"] / trials for k in (1, 2, 3)) if trials else None

    @property
    def agreement(self) -> float | None:
        """How often a second partition of the same dataset gives the same verdict.

        At the second of the differences, or at the null where a test knows no other.
        """
        pairs = self.counts["pairs"]
        if not pairs:
            return None
        apart = bool(self.counts["shifted"])
        return self.counts["same_2"] / (2 * pairs) if apart else self.counts["same_0"] / pairs


@dataclass(frozen=True, eq=False, slots=True)
class Certificate:
    """How tests behave on datasets like these; prints as a short page.

    Attributes
    ----------
    names : tuple of str
        The two learners.
    n : int
        Items in each dataset.
    pool_size : int
        Items that represent the population.
    loss : str
        What learners are compared by: "0/1", "log", "squared" or "AUC".
    differences : tuple of float
        The differences at which power was measured.
    truth : dict
        The difference of the learners in the population, by training size.
    tests : tuple
        One row for each test and null.
    seconds : float
        How long it took.
    stopped : str
        Why it stopped: "decided", "time", "experiments" or "interrupted".
    seed : int
        The seed of the experiments.
    n_truth : int
        Datasets that settled the difference in the population.
    cut_short : bool
        Whether a time limit stopped the measurement early, so that numbers depend on the computer.
    alike : bool
        Whether the learners had the same loss on each of these datasets.
    omitted : tuple of str
        Default tests that cannot be measured with these learners and loss.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from tempfile import TemporaryDirectory
    >>> X, y = load_iris(return_X_y=True)
    >>> learners = {"bayes": GaussianNB(), "prior": DummyClassifier()}
    >>> found = op.certify(learners, X, y, methods=["kfold_t"], n=40, n_reps=4, n_truth=4)
    >>> [row["decision"] for row in found.to_dict()["tests"]]
    ['undecided', 'undecided']
    >>> with TemporaryDirectory() as folder:
    ...     path = found.report(folder + "/trust.html")
    >>> path.name
    'trust.html'
    >>> figure = found.plot()
    """

    names: tuple[str, str]
    n: int
    pool_size: int
    loss: Loss
    differences: tuple[float, ...]
    truth: dict[int, Mean]
    tests: tuple[CertifiedTest, ...]
    seconds: float
    stopped: Stopped
    seed: int
    n_truth: int
    cut_short: bool
    alike: bool
    omitted: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return what was measured in the vocabulary of `--json`.

        Returns
        -------
        dict
            Settings, the truth, and one row for each test and null.
        """
        return {
            "schema": CERTIFICATE,
            "names": list(self.names),
            "n": self.n,
            "pool": self.pool_size,
            "loss": self.loss,
            "differences": list(self.differences),
            "truth": [
                {"n_train": size, "estimate": found.mean, "stderr": found.stderr}
                for size, found in self.truth.items()
            ],
            "tests": [
                {
                    "test": row.label,
                    "null": row.null,
                    "experiments": row.counts["experiments"],
                    "rejected": row.counts["at_5"],
                    "undefined": row.counts["undefined"],
                    "size": row.size,
                    "size_high": row.size_high,
                    "low": row.interval[0],
                    "high": row.interval[1],
                    "decision": row.decision,
                    "power": None if row.power is None else list(row.power),
                    "agreement": row.agreement,
                }
                for row in self.tests
            ],
            "omitted": list(self.omitted),
            "datasets": self.n_truth,
            "alike": self.alike,
            "stopped": self.stopped,
            "cut_short": self.cut_short,
            "seed": self.seed,
        }

    def report(self, path: Any, *, force: bool = False) -> Any:
        """Write the page "How far can this verdict be trusted here?" and return its path.

        Parameters
        ----------
        path : str or Path
            Where the page goes; its name ends in .html.
        force : bool
            Overwrite an existing file.

        Returns
        -------
        Path
            The file that was written.
        """
        from ..report.html import certificate_page

        return certificate_page.write(self, path, force=force)

    def plot(self, **options: Any) -> Any:
        """Plot the size of each test with its interval, beside the 5 % that it states.

        Parameters
        ----------
        **options : object
            `theme` ("light", "dark").

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from ..report.figures import curves

        return curves.draw_certificate(self, **options)

    def __str__(self) -> str:
        from ..report import certificate_text

        return certificate_text.text(self)


def decision_of(hits: int, n: int) -> Decision:
    """Say whether a size is below 8 %, above 5 %, or neither is known yet."""
    ratio = hits * math.log(INFLATED / HONEST) + (n - hits) * math.log(
        (1 - INFLATED) / (1 - HONEST)
    )
    bound = math.log((1 - ERROR) / ERROR)
    return "exceeds" if ratio >= bound else "holds" if ratio <= -bound else "undecided"


def always_valid(hits: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return an interval of a rate that covers it at all times together with this probability.

    It holds the rates at which a Beta(1, 9) prior's density is less than 1 / (1 − level) times the
    posterior's: that ratio is a martingale at the true rate, so it rarely ever grows so large
    (Waudby-Smith & Ramdas, 2020). An interval for a fixed number would be too narrow here, where
    counts decide when to stop.
    """
    from scipy.special import betaln

    a, b = PRIOR
    most = math.log(1 / (1 - level)) + float(betaln(a, b) - betaln(a + hits, b + n - hits))

    def inside(p: float) -> bool:
        return -(hits * math.log(p)) - (n - hits) * math.log1p(-p) < most

    rate = min(max(hits / n, 1e-12), 1 - 1e-12)
    ends = []
    for far in (0.0, 1.0):
        near = rate
        for _ in range(60):
            middle = (near + far) / 2
            if not 0 < middle < 1:
                break
            near, far = (middle, far) if inside(middle) else (near, middle)
        ends.append(near)
    low, high = ends
    return 0.0 if hits == 0 else low, 1.0 if hits == n else high
