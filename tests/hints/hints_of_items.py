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
    Case(f"op.Items.from_arrays({MISSING})", "Count them as 0: «errors='as_zero'»"),
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
