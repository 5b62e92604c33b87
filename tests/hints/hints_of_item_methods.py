"""Refusals of methods that read items: clusters, samples, conditions, numbers of a metric."""

from obeying import Case

SIDES = "{'a': [1., 0., 1., 1.], 'b': [0., 0., 1., 0.]}"

CASES = [
    Case(
        "op.cluster_t([1, 0, 1], [0, 0, 1], clusters=['x', 'x', 'x'])",
        "Without clusters use «paired_t»",
        "op.paired_t([1, 0, 1], [0, 0, 1])",
    ),
    Case(
        f"op.cluster_t(op.Items.from_arrays({SIDES}))",
        "or pass arrays: outperform.cluster_t(a, b, clusters=…)",
        "op.cluster_t([1, 0, 1, 1], [0, 0, 1, 0], clusters=[1, 1, 2, 2])",
    ),
    Case(
        "op.sampled_items_t([1, 0, 1], [[1], [0], [0]])",
        "For one sample of each item use a.reshape(-1, 1), or paired_t",
        "import numpy as np; op.sampled_items_t(np.array([1, 0, 1]).reshape(-1, 1), "
        "[[1], [0], [0]]); op.paired_t([1, 0, 1], [1, 0, 0])",
    ),
    Case(
        "op.sampled_items_t(op.Scores.from_predictions([1, 0, 1], {'a': [1, 0, 0], "
        "'b': [1, 1, 1]}))",
        "as in outperform.sampled_items_t(a, b), or outperform.Items.from_arrays({'a': a, 'b': b})",
        "a, b = [[1, 0], [0, 1]], [[1, 1], [0, 0]]; op.sampled_items_t(a, b); "
        "op.sampled_items_t(op.Items.from_arrays({'a': a, 'b': b}))",
    ),
    Case(
        f"op.crossed_t(op.Items.from_arrays({SIDES}))",
        "Use «sampled_items_t»",
        f"op.sampled_items_t(op.Items.from_arrays({SIDES}))",
    ),
    Case(
        "op.sampled_items_t([[1], [0], [1]], [[0], [0], [0]], population='these')",
        "Use «population='new'»",
        "op.sampled_items_t([[1], [0], [1]], [[0], [0], [0]], population='new')",
    ),
    Case(
        "op.sampled_items_t([[1], [0], [1]], [[0], [0], [0]], population=2)",
        "Pass how many items the benchmark has in all",
        "op.sampled_items_t([[1], [0], [1]], [[0], [0], [0]], population=30)",
    ),
    Case(
        "op.paired_bootstrap([1, 0, 1], [0, 0, 1], metric='f1')",
        "Pass arrays of shape (items, numbers), or a function of such rows as metric",
        "op.paired_bootstrap([[1, 0, 0], [1, 1, 0]], [[1, 0, 1], [0, 1, 0]], metric='f1'); "
        "op.paired_bootstrap([1, 0, 1], [0, 0, 1], metric=lambda rows: rows.max(), n_draws=199)",
    ),
]
