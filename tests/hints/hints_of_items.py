"""Refusals of items in memory."""

from obeying import Case

MISSING = "{'a': [1., float('nan'), 1.], 'b': [0., 1., 1.]}"

CASES = [
    Case(
        "op.Items.from_arrays([1, 0])",
        "Use «Items.from_arrays({'a': [1, 0], 'b': [1, 1]})»",
        "from outperform import Items; Items.from_arrays({'a': [1, 0], 'b': [1, 1]})",
    ),
    Case(
        "op.Items.from_predictions([1, 0], [1, 0])",
        "Use «Items.from_predictions(y, {'a': a, 'b': b})»",
        "from outperform import Items; y = a = b = [1, 0]; "
        "Items.from_predictions(y, {'a': a, 'b': b})",
    ),
    Case(
        "op.Items.from_arrays({'a': [[.2, .9]], 'b': [[.6, .4]]}).pass_at(1)",
        "Pass right and wrong answers, for example score > 0.5",
        "op.Items.from_arrays({'a': [[0, 1]], 'b': [[1, 0]]}).pass_at(1)",
    ),
    Case(f"op.Items.from_arrays({MISSING})", "To count missing scores as 0: «errors='as_zero'»"),
    Case(f"op.Items.from_arrays({MISSING})", "for all models: «errors='drop_pairs'»"),
    Case(
        f"op.Items.from_arrays({MISSING}, lower_is_better=True, errors='as_zero')",
        "Use «errors='drop_pairs'»",
    ),
    Case(
        "op.Items.from_arrays({'a': [1., float('nan')], 'b': [float('nan'), 1.]}, "
        "errors='drop_pairs')",
        "Check the logs for errors",
        "op.Items.from_arrays({'a': [1., float('nan')], 'b': [1., 1.]}, errors='drop_pairs')",
    ),
]
CASES += [
    Case(
        "op.Items.from_arrays({'a': [1, 0], 'b': [1, 1]}).plot()",
        "Give them: «Items.from_arrays(scores, clusters=labels)»",
        "from outperform import Items; scores = {'a': [1, 0], 'b': [1, 1]}; labels = ['s', 't']; "
        "Items.from_arrays(scores, clusters=labels).plot()",
    ),
    Case(
        "op.compare(ten).plot('clusters')",
        "Compare items: «op.compare(items).plot('clusters')»",
        "items = op.Items.from_arrays({'a': [1, 0], 'b': [1, 1]}, clusters=['s', 't']); "
        "op.compare(items).plot('clusters')",
    ),
]

WEIGHTED = "sides = {'a': [1, 1, 0, 1], 'b': [1, 0, 0, 1]}; groups = ['s', 's', 't', 'u']; "
CASES += [
    Case(
        WEIGHTED + "op.compare(op.Items.from_arrays(sides, weights=[1, 2, 1, 2]))",
        "Pass items without them",
        WEIGHTED + "op.compare(op.Items.from_arrays(sides))",
    ),
    Case(
        WEIGHTED + "op.compare(op.Items.from_arrays(sides, weights=[1, 2, 1, 2]))",
        "use cluster_t with «weight='cluster'»",
        WEIGHTED
        + "op.methods.cluster_t(sides['a'], sides['b'], clusters=groups, weight='cluster')",
    ),
]
