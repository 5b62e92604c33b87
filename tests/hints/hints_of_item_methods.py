"""Refusals of methods that read items: clusters, samples, conditions, numbers of a metric."""

from obeying import Case

SIDES = "{'a': [1., 0., 1., 1.], 'b': [0., 0., 1., 0.]}"
CHAIN = (
    "Path('j.csv').write_text('item,model_a,model_b,winner\\n' + "
    "'1,a,b,a\\n2,b,c,b\\n3,a,b,b\\n4,b,c,c\\n'); judged = op.Items.read('j.csv'); "
)

CASES = [
    Case(
        "op.methods.cluster_t([1, 0, 1], [0, 0, 1], clusters=['x', 'x', 'x'])",
        "Without clusters use «paired_t»",
        "op.methods.paired_t([1, 0, 1], [0, 0, 1], unit='items')",
    ),
    Case(
        f"op.methods.cluster_t(op.Items.from_arrays({SIDES}))",
        "or pass arrays: outperform.cluster_t(a, b, clusters=…)",
        "op.methods.cluster_t([1, 0, 1, 1], [0, 0, 1, 0], clusters=[1, 1, 2, 2])",
    ),
    Case(
        "op.methods.sampled_items_t([1, 0, 1], [[1], [0], [0]])",
        "For one sample of each item use a.reshape(-1, 1), or paired_t",
        "import numpy as np; op.methods.sampled_items_t(np.array([1, 0, 1]).reshape(-1, 1), "
        "[[1], [0], [0]]); op.methods.paired_t([1, 0, 1], [1, 0, 0], unit='items')",
    ),
    Case(
        "op.methods.sampled_items_t(op.Scores.from_predictions([1, 0, 1], {'a': [1, 0, 0], "
        "'b': [1, 1, 1]}))",
        "as in outperform.sampled_items_t(a, b), or outperform.Items.from_arrays({'a': a, 'b': b})",
        "a, b = [[1, 0], [0, 1]], [[1, 1], [0, 0]]; op.methods.sampled_items_t(a, b); "
        "op.methods.sampled_items_t(op.Items.from_arrays({'a': a, 'b': b}))",
    ),
    Case(
        f"op.methods.crossed_t(op.Items.from_arrays({SIDES}))",
        "Use «sampled_items_t»",
        f"op.methods.sampled_items_t(op.Items.from_arrays({SIDES}))",
    ),
    Case(
        "op.methods.sampled_items_t([[1], [0], [1]], [[0], [0], [0]], population='these')",
        "Use «population='new'»",
        "op.methods.sampled_items_t([[1], [0], [1]], [[0], [0], [0]], population='new')",
    ),
    Case(
        "op.methods.sampled_items_t([[1], [0], [1]], [[0], [0], [0]], population=2)",
        "Pass how many items the benchmark has in all",
        "op.methods.sampled_items_t([[1], [0], [1]], [[0], [0], [0]], population=30)",
    ),
    Case(
        "op.methods.paired_bootstrap([1, 0, 1], [0, 0, 1], metric='f1')",
        "Pass arrays of shape (items, numbers), or a function of such rows as metric",
        "op.methods.paired_bootstrap([[1, 0, 0], [1, 1, 0]], [[1, 0, 1], [0, 1, 0]], metric='f1'); "
        "op.methods.paired_bootstrap([1, 0, 1], [0, 0, 1], metric=lambda rows: rows.max(), "
        "n_draws=199)",
    ),
    Case(
        "op.methods.win_rate(op.Scores.from_predictions([1, 0, 1], {'a': [1, 0, 0], 'b': [1, "
        "1, 1]}))",
        "as in «outperform.win_rate([1, 0.5, 0], [0, 0.5, 1])»",
        "import outperform; outperform.win_rate([1, 0.5, 0], [0, 0.5, 1])",
    ),
    Case(
        CHAIN + "op.methods.win_rate(judged, 'a', 'c')",
        "use «op.methods.bradley_terry(op.Items.read(FILE))», which links models through others",
        CHAIN + "FILE = 'j.csv'; op.methods.bradley_terry(op.Items.read(FILE))",
    ),
    Case(
        "op.methods.bradley_terry(['a', 'a'], ['b', 'b'], [1, 1])",
        "Collect judgements that connect all models",
        "op.methods.bradley_terry(['a', 'a', 'b'], ['b', 'b', 'a'], [1, 1, 1])",
    ),
    Case(
        f"op.methods.bradley_terry(op.Items.from_arrays({SIDES}))",
        "or use compare on the scores",
        f"op.compare(op.Items.from_arrays({SIDES}))",
    ),
    Case(
        "op.methods.bradley_terry(['a', 'b'])",
        "«bradley_terry(first, second, outcome)»",
        "from outperform import bradley_terry; first, second, outcome = 'ab', 'ba', [1, 1]; "
        "bradley_terry(first, second, outcome)",
    ),
    Case(
        "op.methods.bradley_terry(['a', 'b', 'a'], ['b', 'a', 'a'], [1, 1, 1])",
        "remove such judgements",
        "op.methods.bradley_terry(['a', 'b'], ['b', 'a'], [1, 1])",
    ),
    Case(
        f"op.plan(op.Items.from_arrays({SIDES}), 0.1, item_cost=5)",
        "Remove them",
        f"op.plan(op.Items.from_arrays({SIDES}), 0.1)",
    ),
    Case(
        "op.plan(op.Scores.from_arrays({'a': [.8, .7, .9], 'b': [.7, .7, .8]}, design='3cv'), "
        "sample_cost=1)",
        "Remove them",
        "op.plan(op.Scores.from_arrays({'a': [.8, .7, .9], 'b': [.7, .7, .8]}, design='3cv'))",
    ),
    Case(
        f"op.estimate(op.Items.from_arrays({SIDES}, clusters=range(len({SIDES}['a']))), "
        "learner='a')",
        "Compare two models with «compare(items)» instead",
        f"items = op.Items.from_arrays({SIDES}, clusters=range(len({SIDES}['a']))); "
        "from outperform import compare; compare(items)",
    ),
    Case(
        f"op.plan(op.Items.from_arrays({SIDES}), 0.9)",
        "Plan for a smaller one",
        f"op.plan(op.Items.from_arrays({SIDES}), 0.1)",
    ),
    Case(
        "op.plan(op.Items.from_arrays({'a': [1, 0, 1], 'b': [1, 0, 1]}), 0.1)",
        "Check that two different models were measured",
        f"op.plan(op.Items.from_arrays({SIDES}), 0.1)",
    ),
]
