"""Refusals of designs, methods, families, figures and advice."""

from obeying import Case

SPLIT = "list(op.parse('{}').split(60, random_state=1))"
SIXTY = "list(op.parse('{}').split(60, random_state=1, y=y))"
GROUPED = "list(op.parse('{}').split(60, random_state=1, groups=np.arange(60) // 6))"
MODEL = "from sklearn import model_selection as m; op.parse(m.{})"
ADVISE = "op.advise(domains='one', about='algorithm', aim='compare', n=300)"
PAIRS = "from outperform.numerics import pair_counts as pairs; "
TANGO = "from outperform.numerics.pair_counts import tango_interval, tango_z; "
SIGNS = (
    "op.methods.sign_test([.5, .6, .7, .8, .9, .55], [.4, .7, .6, .7, .5, .45], unit='datasets')"
)
DATED = (
    "op.run(learners, pd.DataFrame(X).assign(date=pd.date_range('2020', periods=60)).set_index("
    "'date'), y, design='{}', random_state=1)"
)

CASES = [
    # Designs
    Case("op.parse('10 fold cv')", "did you mean «'10cv'»?", "op.parse('10cv')"),
    Case("op.parse('5 x 2 fold')", "did you mean «'5x2cv'»?", "op.parse('5x2cv')"),
    Case("op.parse('leave one out')", "did you mean «'loo'»?", "op.parse('loo')"),
    Case("op.parse('whatever')", "valid forms are «10cv, 10x10cv, 5x2cv, loo, holdout@1/3, "
         "30xresampled@1/3, 30xresampled@1/10/train1/2, 10x15halves@1/10, 8disjoint@200, 55*10cv, "
         "20seeds@1/3, 5forward, 5forward/gap10, 5x5cv+20halves», "
         "optionally followed by /stratified",
         "[op.parse(each) for each in '10cv, 10x10cv, 5x2cv, loo, holdout@1/3, 30xresampled@1/3, "
         "30xresampled@1/10/train1/2, 10x15halves@1/10, 8disjoint@200, 55*10cv, "
         "20seeds@1/3, 5forward, 5forward/gap10, 5x5cv+20halves'.split(', ')]"),
    Case("op.parse('whatever')", "use for example «'10x10cv'»", "op.parse('10x10cv')"),
    Case("from outperform.designs import Holdout; Holdout(1.5)",
         "write for example «'1/3'», «'10%'» or «50»",
         "from outperform.designs import Holdout; Holdout('1/3'), Holdout('10%'), Holdout(50)"),
    Case("op.parse(object())", "use for example «'10x10cv'»", "op.parse('10x10cv')"),
    Case("from outperform.designs import PairedHalves; PairedHalves(10, 15, '1/2')", "try «1/10»",
         "from outperform.designs import PairedHalves; PairedHalves(10, 15, '1/10')"),
    Case("op.parse('10*loo')", "use for example «'55*10cv'»", "op.parse('55*10cv')"),
    Case("op.parse('loo/stratified')", "use «'5cv/stratified'»", "op.parse('5cv/stratified')"),
    Case("op.parse('loo/grouped')", "use «'5cv/grouped'»", "op.parse('5cv/grouped')"),
    Case("list(op.parse('10cv').split(60, random_state=None))", "draw one and record it",
         SPLIT.format("10cv")),
    Case(SPLIT.format("10cv/stratified"), "pass «y»", SIXTY.format("10cv/stratified")),
    Case(SPLIT.format("10cv/grouped"), "pass «groups»", GROUPED.format("10cv/grouped")),
    Case(GROUPED.format("5cv"), "or pass no groups", SPLIT.format("5cv")),
    Case(GROUPED.format("5cv"), "use «'5cv/grouped'»", GROUPED.format("5cv/grouped")),
    Case("list(op.parse('10cv').split(5, random_state=1))", "use at most «'5cv'»",
         "list(op.parse('5cv').split(5, random_state=1))"),
    Case("list(op.parse('10cv').split(5, random_state=1))", "or «'loo'»",
         "list(op.parse('loo').split(5, random_state=1))"),
    Case("list(op.parse('holdout@60').split(60, random_state=1))", "use fewer",
         "list(op.parse('holdout@20').split(60, random_state=1))"),
    Case("list(op.parse('holdout@60').split(60, random_state=1))", "a fraction such as «1/3»",
         "list(op.parse('holdout@1/3').split(60, random_state=1))"),
    Case("list(op.parse('3xresampled@40/train30').split(60, random_state=1))",
         "make one of the two smaller",
         "list(op.parse('3xresampled@20/train30').split(60, random_state=1))"),
    Case("list(op.parse('2x3halves@40').split(60, random_state=1))", "such as «1/10»",
         "list(op.parse('2x3halves@1/10').split(60, random_state=1))"),
    Case("list(op.parse('5x9cv+2halves').split(9, random_state=1))", "use at most "
         "«'5x4cv+2halves'»", "list(op.parse('5x4cv+2halves').split(9, random_state=1))"),
    Case("list(op.parse('5x9cv+2halves').split(3, random_state=1))", "use «'loo'»",
         "list(op.parse('loo').split(3, random_state=1))"),
    Case(GROUPED.format("5x5cv+20halves/grouped"), "use «'5x2cv+20halves/grouped'»",
         GROUPED.format("5x2cv+20halves/grouped")),
    Case("list(op.parse('5x5cv+20halves/grouped').split(60, groups=np.arange(60) // 9))",
         "use «'5cv/grouped'»",
         "list(op.parse('5cv/grouped').split(60, groups=np.arange(60) // 9))"),
    Case("list(op.parse('5x5cv+20halves/grouped').split(60, groups=np.ones(60)))",
         "leave '/grouped' out and pass no groups", SPLIT.format("5x5cv+20halves")),
    Case("op.run(learners, X, np.arange(60) % 12 == 0, design='5x5cv+2halves', random_state=1)",
         "Use «design='5x5cv+2halves/stratified'»",
         "op.run(learners, X, np.arange(60) % 12 == 0, design='5x5cv+2halves/stratified', "
         "random_state=1)"),
    Case("op.run(learners, X, np.arange(60) == 0, design='5x5cv+2halves', random_state=1)",
         "Use «design='10x10cv/stratified'»",
         "op.run({'guess': DummyClassifier()}, X, np.arange(60) == 0, "
         "design='10x10cv/stratified', random_state=1)"),
    Case("op.run(learners, X, np.arange(60) < 2, design='5x5cv+2halves', random_state=1)",
         "or merge or remove rare classes",
         "op.run(learners, X, np.arange(60) < 30, design='5x5cv+2halves', random_state=1)"),
    Case(DATED.format("5x5cv+2halves"), "use «design='5forward'»", DATED.format("5forward")),
    Case(DATED.format("5x5cv+2halves"), "if not, «design='10x10cv'»", DATED.format("10x10cv")),
    Case("list(op.parse('8disjoint@20').split(60, random_state=1))", "use fewer or smaller sets",
         "list(op.parse('4disjoint@5').split(60, random_state=1))"),
    Case("list(op.parse('3cv/grouped').split(6, random_state=1, groups=['a', 'b', 'c', 'a', 'b', "
         "None]))", "drop or fill these items",
         "list(op.parse('3cv/grouped').split(6, random_state=1, groups=[*'abcabc']))"),
    Case("list(op.parse('10cv/stratified').split(60, random_state=1, y=X[:, 0]))",
         "remove '/stratified'", "list(op.parse('10cv').split(60, random_state=1))"),
    Case("list(op.parse('10cv/stratified').split(60, random_state=1, y=X[:, 0]))",
         "or pass classes such as «y > np.median(y)»",
         "y = X[:, 0]; list(op.parse('10cv/stratified').split(60, random_state=1, "
         "y=y > np.median(y)))"),
    Case("list(op.parse('20cv/grouped').split(60, random_state=1, groups=np.arange(60) // 6))",
         "use at most «'10cv/grouped'»", GROUPED.format("10cv/grouped")),
    Case("list(op.parse('holdout@1/3/grouped').split(60, random_state=1, groups=np.ones(60)))",
         "remove '/grouped' and pass no groups", SPLIT.format("holdout@1/3")),
    Case(MODEL.format("LeavePOut(5)"), "as in «corrected_t(a, b, n_train=100, n_test=2)»",
         "op.methods.corrected_t(a, b, n_train=100, n_test=2)"),
    Case(MODEL.format("GroupShuffleSplit(test_size=5)"), "such as «test_size=0.2»",
         MODEL.format("GroupShuffleSplit(test_size=0.2)")),
    Case(MODEL.format("ShuffleSplit(train_size=20)"), "such as «test_size=0.1»",
         MODEL.format("ShuffleSplit(train_size=20, test_size=0.1)")),
    # Families
    Case("op.methods.adjust([.1, .2], 'holn')", "did you mean "
         "«'holm'»",
         "op.methods.adjust([.1, .2], 'holm')"),
    Case("op.methods.adjust([.1, 2], 'holm')", "give None for a comparison without a p-value",
         "op.methods.adjust([.1, None], 'holm')"),
    Case("op.methods.adjust([.1, .2], size=1)", "count every comparison of the family",
         "op.methods.adjust([.1, .2], size=2)"),
    Case("op.methods.adjust([[.1, .2], [.3]])", "give one per comparison",
         "op.methods.adjust([[.1, .2], [.3, .4]])"),
    Case("op.methods.familywise_error(2.5)", "count the tests", "op.methods.familywise_error(2)"),
    Case(PAIRS + "pairs.joint_correct([[0, 2]])", "use «all_pairs(y_true, predictions)»",
         "y_true, predictions = y, {'a': y, 'b': 1 - y}; op.methods.all_pairs(y_true, "
         "predictions)"),
    Case(PAIRS + "pairs.joint_correct([['a', 'b']])", "use «all_pairs(y_true, predictions)»",
         "y_true, predictions = y, {'a': y, 'b': 1 - y}; op.methods.all_pairs(y_true, "
         "predictions)"),
    Case(PAIRS + "pairs.joint_correct(np.ma.masked_array([[0, 1], [1, 1]], [[0, 1], [0, 0]]))",
         "drop those items or fill them with 0 or 1", PAIRS + "pairs.joint_correct([[1, 1]])"),
    Case(PAIRS + "pairs.joint_correct([[0, 1], [1]])", "check the rows",
         PAIRS + "pairs.joint_correct([[0, 1], [1, 1]])"),
    Case(PAIRS + "pairs.joint_correct([0, 1])", "for one model use «correct[:, None]»",
         PAIRS + "correct = np.array([0, 1]); pairs.joint_correct(correct[:, None])"),
    Case(PAIRS + "pairs.joint_correct(np.ones((0, 2)))",
         "check that the rows were not all filtered out",
         PAIRS + "pairs.joint_correct(np.ones((1, 2)))"),
    Case(PAIRS + "pairs.upper(0)", "give the number of models", PAIRS + "pairs.upper(3)"),
    Case("op.methods.all_pairs(y, [y, y])", '{"tree": labels, "bayes": labels}',
         'labels = y; op.methods.all_pairs(y, {"tree": labels, "bayes": labels})'),
    Case(TANGO + "tango_z(1, 2, 9, 3.0)", "give a difference of proportions",
         TANGO + "tango_z(1, 2, 9, 0.3)"),
    Case(TANGO + "tango_interval(5, 6, 9)",
         "count also the items both have right or both have wrong",
         TANGO + "tango_interval(5, 6, 19)"),
    Case(TANGO + "tango_interval([1, 2], [1, 2, 3], 9)", "give one entry per pair in each",
         TANGO + "tango_interval([1, 2], [1, 2], 9)"),
    Case(TANGO + "tango_interval([1, 2], [1, 2, 3], 9)", "or a single number for all",
         TANGO + "tango_interval(1, [1, 2, 3], 9)"),
    # Methods
    Case("op.methods.corrected_t(a, b)", "Pass «design='10x10cv'»"),
    Case("op.methods.corrected_t(a, b)", "or the sizes, such as «n_train=90, n_test=10»",
         "op.methods.corrected_t(a, b, n_train=90, n_test=10)"),
    Case("op.methods.corrected_t(bare)", "to Scores when they are built or read",
         "op.methods.corrected_t(Scores.from_arrays({'a': a, 'b': b}, design='10x10cv'))"),
    Case("op.methods.averaged_t(Scores.from_arrays({'a': a.reshape(2, 5, 10), 'b': "
         "b.reshape(2, 5, 10)}))",
         "Pass «design=»'55*10x10cv'",
         "op.methods.averaged_t(Scores.from_arrays({'a': a.reshape(2, 5, 10), 'b': "
         "b.reshape(2, 5, 10)}, "
         "design='2*5x10cv'))"),
    Case("op.methods.accuracy_interval(9, 9, variant='normal')", "Use «variant='wilson'»"),
    Case("op.methods.accuracy_interval(9, 9, variant='normal')", "or «variant='clopper-pearson'»"),
    Case("op.methods.accuracy_interval(8, 9, mu0=.05).verdict(rope=0.1)",
         "Compare two classifiers with «mcnemar»",
         "op.methods.mcnemar(y, y, 1 - y).verdict(rope=0.1)"),
    Case("op.methods.accuracy_interval(8, 9, mu0=.05).verdict(rope=0.1)", "or use the interval",
         "op.methods.accuracy_interval(8, 9).interval()"),
    Case("op.methods.mcnemar.batch(table=[[[5, 1], [2, 5]], [[5, 30], [20, 5]]], variant='auto')",
         "Pass «variant='exact'»"),
    Case("op.methods.proportions(table=[[10**7, 10**6], [10**6, 10**7]], variant='exact')",
         "Use mcnemar(variant='exact')",
         "op.methods.mcnemar(table=[[10**7, 10**6], [10**6, 10**7]], variant='exact')"),
    Case("from outperform.views.differences import Differences; g = a[:10].reshape(1, 5, 2); "
         "h = b[:10].reshape(1, 5, 2); op.methods.five_by_two_f.on(Differences.subtract(g, h))"
         ".pvalue('greater')",
         "Use alternative='two-sided'",
         "from outperform.views.differences import Differences; g = a[:10].reshape(1, 5, 2); "
         "h = b[:10].reshape(1, 5, 2); op.methods.five_by_two_f.on(Differences.subtract(g, "
         "h)).pvalue("
         "alternative='two-sided')"),
    Case("from outperform.views.differences import Differences; "
         "Differences.subtract(np.array([[[1.2e308, -1.2e308, 1.2e308]]]), None).sd",
         "Divide all scores by the same number",
         "from outperform.views.differences import Differences; "
         "Differences.subtract(np.array([[[1.2e308, -1.2e308, 1.2e308]]]) / 1e308, None).sd"),
    Case("op.methods.paired_t(op.run(learners, X, y, design='5xresampled@1/3', random_state=1))",
         "Use «corrected_t» on the split scores",
         "op.methods.corrected_t(op.run(learners, X, y, design='5xresampled@1/3', "
         "random_state=1))"),
    Case("op.methods.quasi_f(op.run(learners, X, y, design='5xresampled@1/3', random_state=1))",
         "as in «design='8disjoint@200'»",
         "X = np.repeat(X, 30, axis=0) + np.random.default_rng(2).normal(size=(1800, 3)); "
         "op.methods.quasi_f(op.run(learners, X, np.repeat(y, 30), design='8disjoint@200', "
         "random_state=1))"),
    Case("from outperform.verbs.estimate import grand_mean; "
         "grand_mean(np.ones((1, 5)))",
         "as in design=«'8disjoint@200'»", "op.parse('8disjoint@200')"),
    Case("op.compare(three)[['a', 'b']].verdict", "name two learners",
         "op.compare(three)['a', 'b'].verdict"),
    Case("from reproduction.partitions import *; partition_group([.7, .2, -.3])",
         "Use «signed_significance(t, df)»",
         "from outperform.results.partitions import signed_significance; "
         "from reproduction.partitions import *; t, df = [2.0, 1.1, -.5], 9; "
         "partition_group(signed_significance(t, df))"),
    Case("op.methods.sufficiency([2.0], df=9)", "as in design='55*10cv'",
         "scores = op.run(learners, X, y, design='3*5cv', random_state=1); "
         "op.methods.sufficiency(scores.values[0, ::5] * 5, df=4)"),
    Case("op.methods.simultaneous()", "«simultaneous(losses)» with one row per item and one column",
         "losses = right.astype(float); op.methods.simultaneous(losses)"),
    Case("op.methods.simultaneous(means=[.5, .6])", "or «means=», «covariance=» and «n=» together",
         "op.methods.simultaneous(means=[.5, .6], covariance=[[.1, .0], [.0, .1]], n=50)"),
    Case("op.methods.pooled_intervals([300, 310], n=384)",
         "counts of correct items, as in «n=384, sigma=.0205»",
         "op.methods.pooled_intervals([300, 310], n=384, sigma=.0205)"),
    Case("op.compare(held_out, method='simultaneous', adjust='bonferroni')", "Remove it",
         "op.compare(held_out, method='simultaneous')"),
    Case("op.compare(held_out, method='sufficiency')",
         "Use it in Python: outperform.«sufficiency([2.1, 3.4, 2.7, 1.9, 2.5], df=9)»",
         "op.methods.sufficiency([2.1, 3.4, 2.7, 1.9, 2.5], df=9)"),
    Case("op.methods.replicability([11, 3], n=10)",
         "Pass the number of repetitions on each dataset as «n»",
         "op.methods.replicability([11, 3], n=12)"),
    Case("op.methods.accuracy_interval(8, 9).verdict(rope=.1)", "Pass «mu0»",
         "op.methods.accuracy_interval(8, 9, mu0=.5).verdict(rope=.1)"),
    Case("op.methods.accuracy_interval(8, 9).verdict(rope=.1)", "or read the interval",
         "op.methods.accuracy_interval(8, 9).interval()"),
    Case("from outperform.references import bibtex; bibtex(['dieterich'])",
         "did you mean «'dietterich'»",
         "from outperform.references import bibtex; bibtex(['dietterich'])"),
    # Advice
    Case("op.advise()", "Pass «domains='one'»",
         "op.advise(domains='one', about='algorithm', aim='compare', n=300)"),
    Case(
        "op.advise(domains='one', about='classifier', aim='compare')", "or «n=300» with the "
        "number",
         "op.advise(domains='one', about='classifier', aim='compare', n=300)"),
    Case("op.advise(domains='several', about='algorithm', aim='estimate', n=300)",
         "or «aim='compare'»"),
    Case("op.advise(domains='several', about='algorithm', aim='estimate', n=300)",
         "Pass «domains='one'»"),
    Case("op.advise(domains='one', about='algorithm', aim='estimate', n=300, learners=3)",
         "pass «aim='compare'»"),
    Case("op.advise(domains='one', about='algorithm', aim='estimate', n=300, learners=3)",
         "or leave learners out",
         "op.advise(domains='one', about='algorithm', aim='estimate', n=300)"),
    Case("op.advise(domains='one', about='algorithm', aim='compare', n=3)", "Collect more items",
         ADVISE),
    Case("op.advise(domains='one', about='algoritm', aim='compare', n=300)",
         "did you mean «'algorithm'»", ADVISE),
    Case("op.advise(domains='one', about='algorithm', aim='compare', n='many')", "such as «100»",
         ADVISE.replace("300", "100")),
    Case("from outperform.advice.questions import settled; settled({'domain': 'one'})",
         "did you mean «'domains'»",
         "from outperform.advice.questions import settled; settled({'domains': 'one'})"),
    Case("op.advise(domains='one', about='algorithm', aim='compare', n=300, sample='large', "
         "train_size=200)", "use a smaller «train_size»",
         "op.advise(domains='one', about='algorithm', aim='compare', n=300, sample='large', "
         "train_size=20)"),
    Case("op.advise(domains='one', about='algorithm', aim='compare', n=300, sample='large', "
         "train_size=200)", "or «sample='small'»"),
    Case("Scores.from_arrays({'a': a.reshape(10, 10)}).made_by('5x20cv')",
         "Pass the design that made them",
         "Scores.from_arrays({'a': a.reshape(10, 10)}).made_by('10x10cv')"),
    Case("Scores.from_arrays({'a': a.reshape(10, 10)}).made_by('loo')", "or leave design out",
         "Scores.from_arrays({'a': a.reshape(10, 10)})"),
]  # fmt: skip
