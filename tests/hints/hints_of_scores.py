"""Refusals of comparing, of scores in memory, and of the arrays that methods take."""

from obeying import Case

SMALL = "{'a': [.5, .6], 'b': [.4, .7]}"
LOSSES = "op.run(learners, X, y, design='holdout@1/3', random_state=1, scoring='neg_log_loss')"
REGRESSED = (
    "op.run({'a': DummyRegressor(), 'b': DummyRegressor(strategy='median')}, X, X[:, 0], "
    "design='holdout@1/3', random_state=1, scoring='neg_mean_absolute_error')"
)
DATASETS = (
    "Scores.from_frame(pl.DataFrame({'dataset': [*'uvwxyz'], 'a': [.5, .6, .7, .8, .9, .55], "
    "'b': [.4, .7, .6, .7, .5, .45]}))"
)
STORED = "op.run(learners, X, y, design='3cv', random_state=1, store='s.db')"
GRID = (
    "rows = pd.DataFrame([(name, part, repeat, fold, x + fold / 9) for name, x in (('a', .5), "
    "('b', .4)) for part in range(3) for repeat in range(3) for fold in range(2)], columns=["
    "'learner', 'partition', 'repeat', 'fold', 'score']); "
)

GAPS = (
    "op.Benchmark.from_frame(pl.DataFrame({'dataset': [*'uvwxyz'], 'a': [.5, .6, .7, .8, .9, None],"
    "'b': [.4, .7, .6, .7, .5, .45], 'c': [.3, .4, .5, .6, .5, .7]}))"
)

CASES = [
    # incomplete tables, and a control that is needed
    Case(f"op.compare({GAPS}, missing='pairwise', method='nemenyi')", "out: «missing='complete'»",
         f"op.compare({GAPS}, missing='complete', method='nemenyi')"),
    Case(f"op.compare({GAPS}, missing='pairwise', method='nemenyi')", "use «method='wilcoxon'»",
         f"op.compare({GAPS}, missing='pairwise', method='wilcoxon')"),
    Case(f"op.compare({DATASETS}, method='bonferroni_dunn')", "Name it: «control='a'»",
         f"op.compare({DATASETS}, method='bonferroni_dunn', control='a')"),
    # records
    Case("op.compare(ten).record('verdict.json')",
         "Write «comparison.record('verdict.outperform.json')»",
         "comparison = op.compare(ten); comparison.record('verdict.outperform.json')"),
    Case("op.compare(ten).record('v.outperform.json'); op.compare(ten).record('v.outperform.json')",
         "overwrite it: «comparison.record('v.outperform.json', force=True)»",
         "comparison = op.compare(ten); comparison.record('v.outperform.json', force=True)"),
    Case("op.compare(ten).record('dee/per/v.outperform.json')", "Create it: «mkdir -p 'dee/per'»",
         "op.compare(ten).record('dee/per/v.outperform.json')"),
    Case("op.methods.all_pairs([0, 1], {'a': [0, 1], 'b': [1, 1]}).record('v.outperform.json')",
         "compare Scores, a file or learners",
         "op.compare(Scores.from_predictions([0, 1], {'a': [0, 1], 'b': [1, 1]}))"
         ".record('v.outperform.json')"),
    Case("op.compare('v.outperform.json')",
         "Recompute it: «outperform.verify('v.outperform.json')»",
         "import outperform; outperform.verify('v.outperform.json')",
         before="op.compare(ten).record('v.outperform.json')"),
    Case("op.verify('v.outperform.json')", "Name a file that --record has written",
         "op.compare(ten).record('v.outperform.json'); op.verify('v.outperform.json')"),
    # compare
    Case("op.compare(ten, adjust='holmes')", "did you mean «'holm'»",
         "op.compare(ten, adjust='holm')"),
    Case("op.compare(ten, alternative='great')", "did you mean «'greater'»",
         "op.compare(ten, alternative='greater')"),
    Case("op.compare(ten, method='mcnemars')", "did you mean «'mcnemar'»",
         "op.compare(held_out, method='mcnemar')"),
    Case("op.compare(one)", "use «corrected_t(scores, mu0=»…)",
         "scores = one; op.methods.corrected_t(scores, mu0=0.5)"),
    Case("op.compare(GaussianNB())", "as in «compare(learners, X, y»)",
         "op.compare(learners, X, y, design='3cv', random_state=0)"),
    Case("op.compare(GaussianNB())", 'as in «compare("scores.csv")»', 'op.compare("scores.csv")',
         {"scores.csv": "fold,a,b\n0,.5,.6\n1,.4,.7\n2,.3,.4\n"}),
    Case("op.compare(op.run(learners, X, y, design='5x2cv', random_state=1), "
         "method='five_by_two_f', alternative='greater')",
         "Use «alternative='two-sided'»"),
    Case("op.compare(op.run(learners, X, y, design='5x2cv', random_state=1), "
         "method='five_by_two_f', alternative='greater')",
         "on the same scores: «method='five_by_two_t'»",
         "op.compare(op.run(learners, X, y, design='5x2cv', random_state=1), "
         "method='five_by_two_t', alternative='greater')"),
    Case("op.methods.five_by_two_f(a[:10].reshape(5, 2), b[:10].reshape(5, 2), "
         "alternative='greater')",
         "Use «alternative='two-sided'»"),
    Case("op.methods.five_by_two_f(a[:10].reshape(5, 2), b[:10].reshape(5, 2), "
         "alternative='greater')",
         "or use «five_by_two_t» on the same scores",
         "op.methods.five_by_two_t(a[:10].reshape(5, 2), b[:10].reshape(5, 2), "
         "alternative='greater')"),
    Case("op.compare({'a': [0, 1, 1], 'b': [1, 1, 1]})", "read them with «layout='correct'»",
         'op.compare(Scores.from_frame(pl.DataFrame({"a": [0, 1, 1], "b": [1, 1, 1]}), '
         'layout="correct"))'),
    Case("op.compare({'a': [0, 1, 1], 'b': [1, 1, 1]})",
         "or use «Scores.from_correct(names, table)»",
         "names, table = ['a', 'b'], [[0., 1., 1.], [1., 1., 1.]]; "
         "op.compare(Scores.from_correct(names, table))"),
    Case("op.compare({'a': [.5, .6], 'b': [.4, .8]}, design='2cv', score='acc')", "Leave it out",
         "op.compare({'a': [.5, .6], 'b': [.4, .8]}, design='2cv')"),
    Case("op.compare(bare)", "«design='100cv'» for cross-validation",
         "op.compare(Scores.from_arrays({'a': a, 'b': b}, design='100cv'))"),
    Case("op.compare(held_out, method='cochran_q')", "call it directly: outperform.«cochran_q(»…)",
         "op.methods.cochran_q(held_out)"),
    Case("op.methods.rank_z({'a': [.5, .6], 'b': [.4, .7]}, 'a', 'c')", "known: «a», b",
         "op.methods.rank_z({'a': [.5, .6], 'b': [.4, .7]}, 'b', 'a')"),
    Case("op.methods.rank_z({'a': [.5, .6], 'b': [.4, .7]}, 'a', 'a')", "name two learners",
         "op.methods.rank_z({'a': [.5, .6], 'b': [.4, .7]}, 'a', 'b')"),
    Case("op.rank(three)['z']", "known: «a», b, c", "op.rank(three)['a']"),
    Case("op.compare(three, control='a').rank_sets()", "Leave control out",
         "op.compare(three).rank_sets()"),
    Case("op.compare(three, adjust='holm').rank_sets()", "Pass the scores to «rank(scores)»",
         "scores = three; op.rank(scores)"),
    Case("op.compare(three, adjust='holm').rank_sets()", "or compare with «adjust='single-step'»",
         "op.compare(three, adjust='single-step').rank_sets()"),
    Case(f"op.methods.max_t({DATASETS}, n_draws=5)", "Use «n_draws=20000»",
         f"op.methods.max_t({DATASETS}, n_draws=20000)"),
    Case(f"op.methods.max_t({DATASETS}, random_state=-5)", "Use «random_state=0»",
         f"op.methods.max_t({DATASETS}, random_state=0)"),
    Case("op.methods.bayesian_sign(a, b).equivalence(0.1)", "Use «result.probabilities(rope)»",
         "result, rope = op.methods.bayesian_sign(a, b), 0.1; result.probabilities(rope)"),
    Case("op.methods.bayesian_sign(a, b, alternative='less')", "Use «alternative='two-sided'»",
         "op.methods.bayesian_sign(a, b, alternative='two-sided')"),
    Case("op.methods.bayesian_sign(a, b, strength=-1)", "Use «strength=0.5»",
         "op.methods.bayesian_sign(a, b, strength=0.5)"),
    Case("op.methods.bayesian_sign(a, b, n_draws=1)", "Use «n_draws=50000»",
         "op.methods.bayesian_sign(a, b, n_draws=50000)"),
    Case("op.methods.hierarchical(np.ones((3, 4)), rho=1)", "for example «rho=0.1»",
         "op.methods.hierarchical(np.ones((3, 4)), rho=0.1)"),
    Case("op.methods.hierarchical(np.ones((3, 4)), nodes=1)", "Use «nodes=121»",
         "op.methods.hierarchical(np.ones((3, 4)), nodes=121)"),
    Case(f"op.methods.hierarchical({DATASETS})", "Use «method='wilcoxon'»",
         f"op.compare({DATASETS}, method='wilcoxon')"),
    Case("op.compare(ten).leave_one_out()", "Compare a table with a dataset column",
         f"op.compare({DATASETS}).leave_one_out()"),
    Case("holes = pl.DataFrame({'dataset': [*'uvwxyz'], 'a': [.5, .6, .7, .8, .9, None], "
         "'b': [.4, .7, .6, .7, .5, .45]}); "
         "op.compare(holes, missing='pairwise').leave_one_out()",
         "Compare with «missing='complete'»",
         "holes = pl.DataFrame({'dataset': [*'uvwxyz'], 'a': [.5, .6, .7, .8, .9, None], "
         "'b': [.4, .7, .6, .7, .5, .45]}); "
         "op.compare(holes, missing='complete').leave_one_out()"),
    Case("op.plan(Scores.from_frame(pl.DataFrame({'dataset': [*'uvw'], 'a': [.5, .6, .7], "
         "'b': [.5, .6, .7]})))", "Check that two different learners were run",
         f"op.plan({DATASETS})"),
    Case(f"op.plan({DATASETS}, 1e-9)", "Plan for a larger one", f"op.plan({DATASETS}, 0.1)"),
    # A comparison
    Case("op.compare(three, control='d')", "known: «a», b, c", "op.compare(three, control='a')"),
    Case("op.compare(ten)['a']", 'as in comparison«["a", "b"]»', 'op.compare(ten)["a", "b"]'),
    Case("op.compare(ten)['a', 'a']", "name two learners", "op.compare(ten)['a', 'b']"),
    Case("op.compare(three, control='a')['b', 'c']", "Leave control out",
         "op.compare(three)['b', 'c']"),
    Case("from outperform.results.comparison_rows import against_control; "
         "against_control(op.compare(three))",
         "Name one, as in «compare(scores, control='a')»",
         "from outperform.results.comparison_rows import against_control; scores = three; "
         "against_control(op.compare(scores, control='a'))"),
    Case("op.compare(three).pvalue", 'Name two learners: «comparison["a", "b"].pvalue»',
         'comparison = op.compare(three); comparison["a", "b"].pvalue'),
    Case("op.compare(three).verdict()", 'Name two learners: «comparison.verdict("a", "b")»',
         'comparison = op.compare(three); comparison.verdict("a", "b")'),
    # Frames and files out
    Case("ten.to_frame(kind='panda')", "did you mean «'pandas'»", "ten.to_frame(kind='pandas')"),
    Case("ten.to_frame(kind='cudf')", "or use «kind='polars'»", "ten.to_frame(kind='polars')"),
    Case("ten.to_csv('s.csv')", "overwrite it: «scores.to_csv('s.csv', force=True)»",
         "scores = ten; scores.to_csv('s.csv', force=True)", {"s.csv": "fold,a,b\n"}),
    Case("ten.to_csv('s.csv')", "Choose another name", "ten.to_csv('t.csv')",
         {"s.csv": "fold,a,b\n"}),
    # Arrays
    Case("op.methods.corrected_t(a, b, design='10x10cv', n_train=30, n_test=30)",
         "Pass the design that produced the scores", "op.methods.corrected_t(a, b, "
         "design='10x10cv')"),
    Case("op.methods.corrected_t(a, b, design='10x10cv', n_train=30, n_test=30)",
         "or only the sizes", "op.methods.corrected_t(a, b, n_train=30, n_test=30)"),
    Case("op.methods.mcnemar(y, y, y, table=[[1, 2], [3, 4]])", "pass only one of them",
         "op.methods.mcnemar(table=[[1, 2], [3, 4]])"),
    Case("op.plan(op.Scores.from_arrays({'a': X[:10, 0], 'b': X[:10, 1]}, design='10cv'), 0)",
         "for example «difference=0.01»",
         "op.plan(op.Scores.from_arrays({'a': X[:10, 0], 'b': X[:10, 1]}, design='10cv'), "
         "difference=0.01)"),
    Case("op.plan(op.Scores.from_arrays({'a': X[:10, 0], 'b': X[:10, 1], 'c': X[10:20, 0]}, "
         "design='10cv'))", "for example «pair=('a', 'b')»",
         "op.plan(op.Scores.from_arrays({'a': X[:10, 0], 'b': X[:10, 1], 'c': X[10:20, 0]}, "
         "design='10cv'), pair=('a', 'b'))"),
    Case("op.plan(op.Scores.from_arrays({'a': X[:10, 0], 'b': X[:10, 1]}))",
         "Run one with «design='5x5cv+20halves'»",
         "op.plan(op.run(learners, X, y, design='5x5cv+20halves', random_state=1), "
         "pair=tuple(learners)[:2])"),
    Case("op.plan(op.Scores.from_arrays({'a': [.8] * 10, 'b': [.7] * 10}, design='10cv'))",
         "Check that two different learners were run",
         "op.plan(op.Scores.from_arrays({'a': X[:10, 0], 'b': X[:10, 1]}, design='10cv'))"),
    Case("op.plan(op.Scores.from_arrays({'a': X[:10, 0], 'b': X[:10, 1]}, design='10cv')).plot()",
         "Pass scores with «n_train» and «n_test»",
         "op.plan(op.Scores.from_arrays({'a': X[:10, 0], 'b': X[:10, 1]}, design='10cv', "
         "n_train=54, n_test=6)).plot()"),
    Case("op.methods.delong([0, 1, 0, 1], [1, 2, 3], [1, 2, 3, 4])",
         "Pass the scores of the positive class",
         "op.methods.delong([0, 1, 0, 1], [1, 2, 3, 4], [4, 1, 2, 3])"),
    Case("op.methods.delong([0, 1, 2, 1, 0], [1, 2, 3, 4, 5], [5, 3, 2, 4, 1])",
         "Name the positive class",
         "op.methods.delong(np.array([0, 1, 2, 1, 0]) == 1, [1, 2, 3, 4, 5], [5, 3, 2, 4, 1])"),
    Case("op.methods.delong(op.Scores.from_arrays({'a': [.8, .9, .7], 'b': [.7, .8, .9]}))",
         "«outperform.delong(y_true, proba_a, proba_b)»",
         "import outperform; y_true, proba_a, proba_b = y, X[:, 0], X[:, 1]; "
         "outperform.delong(y_true, proba_a, proba_b)"),
    Case("op.methods.mcnemar()", "«mcnemar(y_true, pred_a, pred_b)»",
         "y_true, pred_a, pred_b = y, y, 1 - y; op.methods.mcnemar(y_true, pred_a, pred_b)"),
    Case("op.methods.mcnemar()", "or «mcnemar(table=[[n00, n01], [n10, n11]])»",
         "n00, n01, n10, n11 = 3, 9, 2, 5; op.methods.mcnemar(table=[[n00, n01], [n10, n11]])"),
    Case("op.methods.cochran_q([[1, 2], [1, 0]])", "for other losses «simultaneous(losses)»",
         "losses = np.array([[1, 2], [1, 0], [2, 5.]]); op.methods.simultaneous(losses)"),
    Case("op.methods.accuracy_interval(83)", "as in «accuracy_interval(83, 100)»",
         "op.methods.accuracy_interval(83, 100)"),
    Case("op.methods.accuracy_interval(83)", "or one 0/1 entry for each item",
         "op.methods.accuracy_interval([1, 0, 1, 1])"),
    Case("op.methods.accuracy_interval([83, 80], [100, 100])",
         "Use for example «accuracy_interval(83, 100)»",
         "op.methods.accuracy_interval(83, 100)"),
    Case("op.methods.corrected_t({'a': a, 'b': b, 'c': c}, design='10x10cv')", "Select two",
         "op.methods.corrected_t({'a': a, 'b': b}, design='10x10cv')"),
    Case("op.methods.kfold_t({'a': a, 'b': b, 'c': c})",
         "or use «Scores.from_arrays(mapping)» and specify the pair",
         "mapping = {'a': a, 'b': b, 'c': c}; op.methods.kfold_t(Scores.from_arrays(mapping), "
         "'a', 'b')"),
    Case("op.methods.kfold_t(a.reshape(10, 10), b.reshape(10, 10))", "Reshape them",
         "op.methods.kfold_t(a[:10], b[:10])"),
    Case("op.methods.kfold_t(a.reshape(10, 10), b.reshape(10, 10))",
         "use a method for this layout: outperform.«methods.table()»",
         "op.methods.table(); op.methods.repeated_kfold_t(a.reshape(10, 10), b.reshape(10, 10))"),
    Case("op.methods.corrected_t(a, b, design='10cv')", "Pass the design that produced",
         "op.methods.corrected_t(a, b, design='10x10cv')"),
    Case("op.methods.corrected_t(['x', 'y'], [1, 2], design='2cv')",
         "for example «np.asarray(a, dtype=float)»",
         "a = ['0.5', '0.6']; op.methods.corrected_t(np.asarray(a, dtype=float), [1, 2], "
         "design='2cv')"),
    Case("op.methods.corrected_t(np.array([2**60, 1]), [1, 2], design='2cv')", "Rescale the scores",
         "op.methods.corrected_t(np.array([2**60, 1]) / 2**60, [1, 2], design='2cv')"),
    Case("op.methods.corrected_t([2**70, 1], [1, 2], design='2cv')", "Rescale the scores",
         "op.methods.corrected_t([2**70 / 2**70, 1], [1, 2], design='2cv')"),
    Case("op.methods.corrected_t([.5, np.nan, .7], [.6, .7, .9], n_train=9, n_test=1)",
         "drop it from both arrays", "op.methods.corrected_t([.5, .7], [.6, .9], n_train=9, "
         "n_test=1)"),
    Case("op.methods.corrected_t([.5, None, .7], [.6, .7, .9], n_train=9, n_test=1)",
         "drop it from both arrays", "op.methods.corrected_t([.5, .7], [.6, .9], n_train=9, "
         "n_test=1)"),
    Case("op.methods.corrected_t([1e306, 2.], [1., 2e306], n_train=9, n_test=1)",
         "Divide all scores by the same number",
         "op.methods.corrected_t([1., 2e-306], [1e-306, 2.], n_train=9, n_test=1)"),
    Case("op.methods.mcnemar(np.ma.masked_array([1, 0, 1], [0, 1, 0]), [1, 0, 0], [1, 1, 1])",
         "Drop those items", "op.methods.mcnemar([1, 1], [1, 0], [1, 1])"),
    Case("op.methods.mcnemar([1, None, 1], [1, 0, 0], [1, 1, 1])",
         "Drop the item from labels and predictions", "op.methods.mcnemar([1, 1], [1, 0], [1, 1])"),
    Case("op.methods.mcnemar(['u', None, 'v'], ['u', 'v', 'v'], ['v', 'v', 'v'])",
         "or use a separate label for missing values",
         "op.methods.mcnemar(['u', 'none', 'v'], ['u', 'v', 'v'], ['v', 'v', 'v'])"),
    Case("op.methods.mcnemar(pd.Series(y), pd.Series(y, index=range(1, 61)), y)",
         "Give both the same unique labels", "op.methods.mcnemar(pd.Series(y), pd.Series(y), y)"),
    Case("op.methods.mcnemar(pd.Series(y), pd.Series(y, index=range(1, 61)), y)",
         "or pass plain arrays: «a.to_numpy()»",
         "a = pd.Series(y, index=range(1, 61)); op.methods.mcnemar(y, a.to_numpy(), y)"),
    Case("op.methods.mcnemar(y.astype(str), y, y.astype(str))",
         "for example «np.asarray(a).astype(str)»",
         "a = y; op.methods.mcnemar(y.astype(str), np.asarray(a).astype(str), y.astype(str))"),
    Case("op.methods.mcnemar(y, np.full(60, .3), y)", "such as «model.predict(X)»",
         "model = GaussianNB().fit(X, y); op.methods.mcnemar(y, model.predict(X), y)"),
    Case("op.compare(ten, X=X)", "Remove X", "op.compare(ten)"),
    Case("op.compare(ten, X=X)", "as in «compare(learners, X, y»)",
         "op.compare(learners, X, y, design='3cv', random_state=0)"),
    Case("op.methods.corrected_t(a, design='10x10cv', mu0='half')", "for example «mu0=0.5»"),
    Case("op.compare(ten)['a', 'b'].verdict(alpha=5)", "for example «alpha=0.05»"),
    Case("op.compare(ten)['a', 'b'].interval(95)", "for example level=«0.95»",
         "op.compare(ten)['a', 'b'].interval(0.95)"),
    Case("op.compare(ten)['a', 'b'].verdict(rope=-1)", "for example «rope=0.01»"),
    Case("op.methods.corrected_t('s.csv', design='3cv')", "use outperform.«Scores.read(path)»",
         "path = 's.csv'; op.methods.corrected_t(op.Scores.read(path))",
         {"s.csv": "fold,a,b\n0,.5,.6\n1,.4,.7\n2,.3,.4\n"}),
    Case("op.methods.corrected_t(np.ma.masked_array([.5, .6, .7], [0, 1, 0]), [.5, .6, .9], "
         "n_train=9, n_test=1)",
         "drop them from both arrays", "op.methods.corrected_t([.5, .7], [.5, .9], n_train=9, "
         "n_test=1)"),
    Case("op.methods.corrected_t({.5, .6}, [.5, .6], n_train=9, "
         "n_test=1)",
         "for example «a=[0.81, 0.79]»",
         "a=[0.81, 0.79]; op.methods.corrected_t(a, [.5, .6], n_train=9, n_test=1)"),
    Case("op.methods.corrected_t(scores, n_train=90, n_test=10)",
         "The signature is «corrected_t(scores, first=»None, second=None, *, mu0=0.0, ",
         "op.methods.corrected_t(scores, first='a', second='b', mu0=0.0)"),
    # Scores
    Case("Scores.from_arrays([a, b])",
         'Scores.from_arrays({"tree": a, "bayes": b}, design="10x10cv")',
         'Scores.from_arrays({"tree": a, "bayes": b}, design="10x10cv")'),
    Case("Scores.from_predictions(y, [y, y])",
         'Scores.from_predictions(y, {"tree": a, "bayes": b})',
         'a = b = y; Scores.from_predictions(y, {"tree": a, "bayes": b})'),
    Case("Scores.from_arrays({'a': a}, design='10cv')", "Pass the design that made them",
         "Scores.from_arrays({'a': a}, design='10x10cv')"),
    Case("Scores.from_arrays({'a': a.reshape(5, 20)}, design='10x10cv')", "Pass the design",
         "Scores.from_arrays({'a': a.reshape(5, 20)}, design='5x20cv')"),
    Case("ten.made_by('5x2cv')", "leave design out", "ten"),
    Case("bare.made_by('10cv')", "Pass the design that made them", "bare.made_by('10x10cv')"),
    Case("op.methods.corrected_t(three, 'a', 'x')", "known: a, «b», c",
         "op.methods.corrected_t(three, 'a', 'b')"),
    Case("op.methods.corrected_t(three, 'a', 'a')",
         "name two learners",
         "op.methods.corrected_t(three, 'a', 'b')"),
    Case("op.methods.corrected_t(three)", 'as in «corrected_t(scores, "a", "b")»',
         'scores = three; op.methods.corrected_t(scores, "a", "b")'),
    Case("op.methods.wilcoxon(ten)", "need a dataset column with at least "
         "2", f"op.methods.wilcoxon({DATASETS})"),
    Case(f"op.methods.mcnemar({REGRESSED})", "or «paired_t» on the item losses instead",
         f"op.methods.paired_t({REGRESSED})"),
    Case(f"op.methods.all_pairs({REGRESSED})", "Use simultaneous() or paired_t on the item losses",
         f"op.methods.simultaneous({REGRESSED})"),
    Case(f"op.methods.all_pairs({REGRESSED})", "or «paired_t»",
         f"op.methods.paired_t({REGRESSED})"),
    Case(f"op.methods.cochran_q({REGRESSED})", "Use simultaneous() or paired_t on the item losses",
         f"op.methods.simultaneous({REGRESSED})"),
    Case("op.methods.calibrated_t(ten)", "Run the learners with «design='5x5cv+20halves'»",
         "op.methods.calibrated_t(op.run({'bayes': GaussianNB(), 'one': DummyClassifier("
         "strategy='uniform', random_state=1)}, X, y, design='5x5cv+20halves', random_state=1))"),
    Case("op.methods.calibrated_t(op.Scores.from_arrays({k: np.arange(18) % (j + 2) for j, k in "
         "enumerate('ab')}, design='2x3cv+2halves'))", "or pass n, the number of items, to the "
         "method", "op.methods.calibrated_t(op.Scores.from_arrays({k: np.arange(18) % (j + 2) "
         "for j, k in "
         "enumerate('ab')}, design='2x3cv+2halves'), n=60)"),
    Case("op.methods.calibrated_t(op.Scores.from_arrays({k: np.arange(18) % (j + 2) for j, k in "
         "enumerate('ab')}, design='2x3cv+2halves/grouped'))", "or pass n, the number of groups, "
         "to the method", "op.methods.calibrated_t(op.Scores.from_arrays({k: np.arange(18) % "
         "(j + 2) for "
         "j, k in enumerate('ab')}, design='2x3cv+2halves/grouped'), n=20)"),
    Case("op.methods.conservative_z(ten)", "needs a run with «design='10x15halves@1/10'»",
         "op.methods.conservative_z(op.run({'bayes': GaussianNB(), 'one': DummyClassifier("
         "strategy='uniform', random_state=1)}, X, y, design='10x15halves@1/10', random_state=1))"),
    Case(f"op.methods.corrected_t({DATASETS})", "Use «wilcoxon»",
         f"op.methods.wilcoxon({DATASETS})"),
    Case(f"op.methods.corrected_t({DATASETS})", "or «sign_test»",
         f"op.methods.sign_test({DATASETS})"),
    Case("from dataclasses import replace; op.methods.corrected_t(replace(scores, "
         "values=scores.values[:, "
         "1:], addresses=scores.addresses[1:], design=None))",
         "Run the missing splits", "op.methods.corrected_t(scores)"),
    Case("op.methods.mcnemar(ten)", "or use a method on split scores such as «corrected_t»",
         "op.methods.corrected_t(ten)"),
    Case("op.methods.mcnemar(Scores.from_arrays({'a': [.5], 'b': [.6]}))",
         "Provide predictions or losses per item",
         "op.methods.mcnemar(Scores.from_predictions(y, {'a': y, 'b': 1 - y}))"),
    Case(STORED + "; Scores.read('s.db', layout='wide')",
         "Remove the option: «Scores.read('s.db')»", "Scores.read('s.db')"),
    Case("op.methods.fisher_combination(ten)", "Pass the p-values",
         "op.methods.fisher_combination([.1, .2, .3])"),
    Case("op.methods.fisher_combination(ten)", "or use «averaged_t(scores)»",
         "scores = Scores.from_arrays({'a': a.reshape(10, 10), 'b': b.reshape(10, 10)}, "
         "design='10*10cv'); op.methods.averaged_t(scores)"),
    Case("op.methods.accuracy_interval(held_out)", "Pass the name of one learner: «a», b, c",
         "op.methods.accuracy_interval(held_out, 'a')"),
    Case("op.methods.corrected_t([.5], [.6], n_train=9, n_test=1)", "such as design=«'10x10cv'»",
         "op.methods.corrected_t(a, b, design='10x10cv')"),
    Case("op.compare(held_out, method='corrected_t')", "Use «mcnemar» for this design",
         "op.compare(held_out, method='mcnemar')"),
    Case("op.compare(scores, method='mcnemar')",
         "or see outperform.«methods.table(design='10x10cv')»",
         "op.methods.table(design='10x10cv')"),
    # Plug-ins, each of whose names must be new.
    Case("from outperform.extend import Code, register_note; "
         "register_note(Code('OP101', 'info', 'It is so.', 'Because.'))",
         "Use your own letters, such as «'MY101'»",
         "from outperform.extend import Code, register_note; "
         "register_note(Code('MY101', 'info', 'It is so.', 'Because.'))"),
    Case("from outperform.extend import register_format; register_format('.csv', len)",
         "such as «'.scores'»",
         "from outperform.extend import register_format; register_format('.scores', len)"),
    Case("from outperform.extend import register_format; told = lambda path: ten; "
         "told.__module__ = 'mine'; register_format('.told', told); "
         "Scores.read('s.told', design='10cv')",
         "Remove the option", "Scores.read('s.told')", {"s.told": "anything"}),
    Case("from outperform.extend import View, register_view; from outperform.views import VIEWS; "
         "from dataclasses import replace; "
         "Differences = type('Differences', (), {'__module__': 'mine'}); "
         "register_view(replace(VIEWS['Differences'], type=Differences))", "rename the class",
         "from outperform.extend import View, register_view; from outperform.views import VIEWS; "
         "from dataclasses import replace; Mine = type('Mine', (), {'__module__': 'mine'}); "
         "register_view(replace(VIEWS['Differences'], type=Mine)); VIEWS.pop('Mine')"),
    Case("op.methods.corrected_t(a, b, design='10x10cv').verdict(rope=float('nan'))",
         "a finite number, got nan. Use for example «rope=0.01»",
         "op.methods.corrected_t(a, b, design='100cv').verdict(rope=0.01)"),
    Case("$ outperform compare s.csv --method mcnemar --design 3cv",
         "or see «outperform methods --design 3cv»",
         files={"s.csv": "fold,a,b\n0,.5,.6\n1,.4,.7\n2,.3,.4\n"}),
    # Comparisons and scores as they are kept.
    Case("op.compare(three).pvalue", "Name two learners: «comparison[\"a\", \"b\"].pvalue»",
         "comparison = op.compare(three); comparison[\"a\", \"b\"].pvalue"),
    Case("from unittest.mock import patch\nwith patch.dict('sys.modules', pyarrow=None):\n"
         "    scores.to_frame(kind='pyarrow')", "or use «kind='polars'»",
         "from unittest.mock import patch\nwith patch.dict('sys.modules', pyarrow=None):\n"
         "    scores.to_frame(kind='polars')"),
    Case("scores.to_csv('s.csv')", "overwrite it: «scores.to_csv('s.csv', force=True)»",
         "scores.to_csv('s.csv', force=True)", before="scores.to_csv('s.csv')"),
    Case("scores.to_csv('s.csv')", "Choose another name", "scores.to_csv('t.csv')",
         before="scores.to_csv('s.csv')"),
    Case("op.plan(op.methods.all_pairs(right.T))", "Pass scores of "
         "cross-validation",
         "op.plan(ten)"),
    Case("op.plan(op.methods.all_pairs(right.T))", "or of a run with «design='5x5cv+20halves'»",
         "op.plan(op.run({'bayes': GaussianNB(), 'one': DummyClassifier(strategy='stratified', "
         "random_state=0)}, X, y, design='5x5cv+20halves', random_state=1))"),
    Case("op.methods.calibrated_t(a[:25].reshape(5, 5), b[:20].reshape(4, 5), n=60)",
         "shape (M, 2, 5)",
         "op.methods.calibrated_t(a[:25].reshape(5, 5), b[:20].reshape(2, 2, 5), n=60)"),
    Case(f"{GRID}Scores.from_frame(rows, design='3x2cv+2halves')",
         "pass the design that made them", f"{GRID}Scores.from_frame(rows, design='3*3x2cv')"),
    Case("op.Scores.read('s.csv', metric=['f1', 'auc'])", "Pass one of them",
         "op.Scores.read('s.csv', metric='f1')",
         files={"s.csv": "model,fold,f1,auc\na,0,.5,.6\na,1,.4,.7\nb,0,.3,.4\nb,1,.6,.5\n"}),
    Case("op.compare({'bayes': GaussianNB(), 'one': DummyClassifier()}, X, y, design='5cv', "
         "metric=['accuracy', 'f1'])", "pass «scoring=['accuracy', 'f1']»",
         "op.compare({'bayes': GaussianNB(), 'one': DummyClassifier()}, X, y > y.min(), "
         "design='5cv', scoring=['accuracy', 'f1'])"),
]  # fmt: skip
