"""k-fold t with a single fold in its numerator: Dietterich (D-27)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..notes import Note
from ..numerics.distributions import T
from ..registry import method
from ..results.evidence import Pivot
from ..views import Differences


def first_fold(d: Differences, options: dict[str, Any]) -> Iterator[Note]:
    yield Note("OP302")


@method(
    title="k-fold t-test with a single-fold numerator",
    paper="dietterich",
    requirements=("D-27",),
    layout="folds",
    designs=("kfold",),
    published_design="10cv",
    accounts_for=("test data",),
    standing="reference",
    advice="The precursor of 5x2cv; uses one fold of ten for the estimate.",
    instead="corrected_t",
    note="OP206",
    checks=(first_fold,),
    first_counts=True,
)
def single_fold_t(d: Differences) -> Pivot:
    """The difference on the first fold relative to the standard deviation over all folds.

    t = p⁽¹⁾ / √(Σ(p⁽ⁱ⁾ − p̄)² / (k − 1)) with k − 1 degrees of freedom.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [0.81, 0.79, 0.84, 0.80, 0.83, 0.78]
    >>> bayes = [0.80, 0.76, 0.80, 0.78, 0.79, 0.77]
    >>> found = op.single_fold_t(tree, bayes, design="6cv")
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.01, 0.5007)
    """
    return Pivot(d.flat[..., 0], d.sd, T(d.n_splits - 1))
