"""Comparisons that the tests of figures, pages and browsers share."""

import numpy as np

import outperform as op

HOSTILE = (
    "<script>window.pwned = 1</script>",
    "</script><img src=x onerror='window.pwned = 1'>",
    r"\input{x} $\frac{1}{0}$ 5$",
    "=1+1 & \u2028 ' \"",
    "../../x\u202eevil\u2066",
)


def scores(names="abc", *, shape=(10, 10), lower=False, seed=0, **about):
    """Scores in which every learner is a little worse than the one before it."""
    rng = np.random.default_rng(seed)
    common = 0.85 + 0.04 * rng.standard_normal(shape)
    made = {
        name: common - 0.015 * rank + 0.02 * rng.standard_normal(shape)
        for rank, name in enumerate(names)
    }
    if lower:
        made = {name: 1 - values for name, values in made.items()}
    design = "x".join(map(str, shape)) + "cv"
    about = {"metric": "error" if lower else "accuracy", "seed": 7, **about}
    return op.Scores.from_arrays(made, design=design, lower_is_better=lower, **about)


def over_datasets():
    """Scores over eight datasets with hostile names: too few for simultaneous intervals."""
    rng = np.random.default_rng(3)
    where = np.stack([np.zeros(16), np.zeros(16), np.arange(16) % 2], 1).astype(np.int64)
    datasets = tuple(HOSTILE[(i // 2) % 5] + str(i // 2) for i in range(16))
    return op.Scores(("a", "b", "c"), rng.random((3, 16)), where, datasets=datasets)
