"""Refusals of given splits, fitted models, groups and what methods have no answer to."""

from obeying import Case

M = "from sklearn import model_selection as m; "
GIVEN = M + "op.run(learners, X, y, design={}, random_state=1)"
KEPT = "train, test = np.arange(40), np.arange(40, 60); "
FITTED = (
    "models = {'a': GaussianNB().fit(X, y), 'b': DummyClassifier().fit(X, y)}; "
    "op.compare(models, X, y, fitted=True"
)
TRAINED = "op.compare(learners, X, y, design='3cv', random_state=1)"
NAMED = "X = pd.DataFrame(X, columns=['who', 'b', 'c']).assign(who=[*range(10)] * 6); "
GROUPS = NAMED + "op.run(learners, X, y, groups={}, design='3cv/grouped', random_state=1)"
MANY = "correct = np.random.default_rng(0).random((5, 20)) < .5; op.methods.all_pairs(correct, {})"
BACKWARDS = "y, a = pd.Series(y), pd.Series(y)[::-1]; op.methods.mcnemar(y, {}, y)"
FISHER = "result = op.methods.fisher_combination([.1, .2, .3]); "
HALF = """
class Half(GaussianNB):
    def fit(self, rows, y):
        if (rows != first).any(axis=1).all():
            raise ValueError('lost')
        return super().fit(rows, y)
first = X[0]
try:
    op.run({'a': Half(), 'b': GaussianNB()}, X, y, design='5cv', random_state=1, store='s.db')
except op.OutperformError:
    pass
from outperform.storage import export
"""
WHOLE = (
    "from outperform.storage import export; op.run(learners, X, y, design='5cv', "
    "random_state=1, store='t.db'); export('t.db', 't.csv'); "
)

MAE = """
def mae(model, X, y):
    return float((model.predict(X) != y).mean())
from sklearn.metrics import make_scorer, zero_one_loss
"""
SCORED = MAE + "op.{}(learners, X, y, design='3cv', random_state=1, scoring={})"
TURNED = "{'neg_mae': lambda model, X, y: -mae(model, X, y)}"

CASES = [
    # Scorers that are errors.
    Case(SCORED.format("run", "mae"), f"Pass «scoring={TURNED}»", SCORED.format("run", TURNED)),
    Case(SCORED.format("run", "mae"), "pass «scoring={'neg_mae': mae}»",
         SCORED.format("run", "{'neg_mae': mae}")),
    Case(SCORED.format("run", "zero_one_loss"),
         "Pass «scoring=make_scorer(zero_one_loss, greater_is_better=False)»",
         SCORED.format("run", "make_scorer(zero_one_loss, greater_is_better=False)")),
    Case(SCORED.format("compare", "mae, lower_is_better=True"),
         f"pass its negative: «scoring={TURNED}»", SCORED.format("compare", TURNED)),
    # Designs that draw no splits.
    Case("op.run(learners, X, y, design='5cv/given', random_state=1)",
         "pass the same splitter or list: «design=splitter»",
         M + "splitter = m.KFold(5); op.run(learners, X, y, design=splitter, random_state=1)"),
    Case(M + "op.learning_curve(learners, X, y, design=m.ShuffleSplit(3, test_size=6))",
         "pass «design='3xresampled@6'»"),
    Case("op.parse('7custom').sizes(60)", "or a list of (train, test) pairs",
         KEPT + "op.run(learners, X, y, design=[(train, test)], random_state=1)"),
    Case("op.parse('7custom').sizes(60)", "pass the same splitter or list: «design=splitter»",
         M + "splitter = m.KFold(3); op.run(learners, X, y, design=splitter, random_state=1)"),
    Case("op.run(learners, X, y, design='3seeds', random_state=1)", "use «design='3seeds@1/3'»",
         "op.run(learners, X, y, design='3seeds@1/3', random_state=1)"),
    Case("op.parse('5seeds*5x2cv')", "random splits: «design='5seeds*10cv'» or "
         "«design='5seeds*30xresampled@1/3'»",
         "op.run(learners, X, y, design='5seeds*10cv', random_state=1); "
         "op.run(learners, X, y, design='5seeds*30xresampled@1/3', random_state=1)"),
    Case("op.methods.seed_averaged_t(a[:6].reshape(3, 2), b[:6].reshape(3, 2))",
         "such as «n_train=90, n_test=10»",
         "op.methods.seed_averaged_t(a[:6].reshape(3, 2), b[:6].reshape(3, 2), n_train=90, "
         "n_test=10)"),
    Case("op.methods.seed_averaged_t(a[:6].reshape(3, 2), b[:6].reshape(3, 2), "
         "design='2seeds*5cv')",
         "Pass the design that made them",
         "op.methods.seed_averaged_t(a[:6].reshape(3, 2), b[:6].reshape(3, 2), "
         "design='2seeds*3cv')"),
    Case("op.compare({'x': [.8, .7, .9], 'y': [.7, .6]}, design='3seeds/unpaired').plot(kind='qq')",
         "use «plot(kind='intervals')»",
         "op.compare({'x': [.8, .7, .9], 'y': [.7, .6]}, design='3seeds/unpaired').plot("
         "kind='intervals')"),
    Case("op.run(learners, X, y, design='3seeds/unpaired', random_state=1)",
         "use «design='3seeds@1/3'»",
         "op.run(learners, X, y, design='3seeds@1/3', random_state=1)"),
    Case("from outperform.designs import Given; Given('2*5cv')", "use for example «'10cv/given'»",
         "op.parse('10cv/given')"),
    Case("list(op.parse('3cv/grouped').split(60, random_state=1, groups=np.ones(60)))",
         "remove '/grouped' and pass no groups", "list(op.parse('3cv').split(60, "
         "random_state=1))"),
    # Given splits.
    Case(GIVEN.format("iter([])"), "pass a list, «design=list(splits)», or the splitter itself",
         M + "splits = m.KFold(3).split(X); op.run(learners, X, y, design=list(splits), "
         "random_state=1)"),
    Case(GIVEN.format("m.KFold"), "such as design=«KFold()»", GIVEN.format("m.KFold()")),
    Case(KEPT + "op.run(learners, X, y, design=([*train], [*test]), random_state=1)",
         "even for a single one: «design=[(train, test)]»",
         KEPT + "op.run(learners, X, y, design=[(train, test)], random_state=1)"),
    Case(KEPT + "op.run(learners, X, y, design=([0, 1], [2, 3]), random_state=1)",
         "for one split pass «design=[(train, test)]»",
         KEPT + "op.run(learners, X, y, design=[(train, test)], random_state=1)"),
    Case(GIVEN.format("[(['a', 'b'], ['c'])]"), "by «index.get_indexer(labels)»",
         "index = pd.Index([f'r{k}' for k in range(60)]); labels = index[:40]; "
         "op.run(learners, X, y, design=[(index.get_indexer(labels), range(40, 60))], "
         "random_state=1)"),
    Case(GIVEN.format("[([0, 1, 2], [2, 3])]"), "remove it from one of them",
         GIVEN.format("[([0, 1], [2, 3])]")),
    Case(GIVEN.format("[(range(20), range(20, 30)), (range(25), range(25, 35))]"),
         "as in «design='5forward'»", GIVEN.format("'5forward'")),
    Case(GIVEN.format("[(range(20), range(20, 30)), (range(25), range(25, 35))]"),
         "«TimeSeriesSplit(n_splits=5)»", GIVEN.format("m.TimeSeriesSplit(n_splits=5)")),
    Case("op.run(learners, X, y, design='80forward', random_state=1)", "such as "
         "«design='2forward'»", "op.run(learners, X, y, design='2forward', random_state=1)"),
    Case("op.compare(three, adjust='shaffer', control=three.names[0])",
         "Use «adjust='holm'» or «adjust='hommel'»",
         "op.compare(three, adjust='holm', control=three.names[0]); op.compare(three, "
         "adjust='hommel', control=three.names[0])"),
    Case("from outperform.results.adjustments import family_log_pvalues; "
         "family_log_pvalues(np.log([.1, .2]), 'shaffer')",
         "Use «adjust='holm'» or «adjust='hommel'»",
         "op.compare(three, adjust='holm'); op.compare(three, adjust='hommel')"),
    Case("op.compare({f'l{i}': a[:10] + i * b[:10] for i in range(14)}, design='10cv', "
         "adjust='bergmann-hommel').adjusted()", "Use «adjust='shaffer'»",
         "op.compare({f'l{i}': a[:10] + i * b[:10] for i in range(14)}, design='10cv', "
         "adjust='shaffer').adjusted()"),
    Case(M + "op.run(learners, X, y, design=[*m.KFold(5).split(X)], "
         "groups=np.arange(60) % 10, random_state=1)", "Use «GroupKFold(n_splits=5)»",
         M + "op.run(learners, X, y, design=m.GroupKFold(n_splits=5), groups=np.arange(60) % 10, "
         "random_state=1)"),
    Case(M + "op.run(learners, X, y, design=[*m.KFold(5).split(X)], "
         "groups=np.arange(60) % 10, random_state=1)", "or pass no groups",
         GIVEN.format("[*m.KFold(5).split(X)]")),
    # Groups by name.
    Case("op.run(learners, X, y, groups='who', design='3cv/grouped', random_state=1)",
         "Pass a data frame", GROUPS.format("'who'")),
    Case("op.run(learners, X, y, groups='who', design='3cv/grouped', random_state=1)",
         "or one value for each item", "op.run(learners, X, y, groups=[*range(10)] * 6, "
         "design='3cv/grouped', random_state=1)"),
    Case(NAMED + "op.run(learners, X, 'who', groups='who', random_state=1)",
         "groups need a separate column", GROUPS.format("'who'")),
    Case("op.run(learners, X, y, groups=np.zeros(60), random_state=1)",
         "Pass groups with at least 2 different values",
         "op.run(learners, X, y, groups=np.arange(60) % 2, random_state=1)"),
    Case("op.run(learners, X, y, groups=np.zeros(60), random_state=1)", "or leave groups out",
         "op.run(learners, X, y, random_state=1)"),
    Case(GROUPS.format("'wo'"), "did you mean «'who'»", GROUPS.format("'who'")),
    # Fitted models.
    Case("model = GaussianNB().fit(X, y); op.run(model, X, y, design='3cv', random_state=1)",
         "pass «sklearn.base.clone(model)»",
         "import sklearn.base; model = GaussianNB().fit(X, y); "
         "op.run(sklearn.base.clone(model), X, y, design='3cv', random_state=1)"),
    Case("model = GaussianNB().fit(X[:30], y[:30]); op.run(model, X, y)",
         "give X and y that they were not trained on and pass «fitted=True»",
         "model = GaussianNB().fit(X[:30], y[:30]); op.run(model, X[30:], y[30:], fitted=True)"),
    Case(FITTED + ", scoring='f1')", "pass «scoring='accuracy'», 'neg_log_loss'"),
    Case(FITTED + ", scoring='f1')", "for two classes «'roc_auc'»",
         FITTED + ", scoring='roc_auc')"),
    Case(FITTED + ", groups=y)", "Leave groups out", FITTED + ")"),
    Case(FITTED + ", design='3cv')", "Leave it out", FITTED + ")"),
    Case(FITTED + ", design='3cv')", "or leave fitted=True out", TRAINED),
    Case(FITTED.replace("GaussianNB().fit(X, y)", "GaussianNB()") + ")", "Fit it on other items",
         FITTED + ")"),
    Case(FITTED.replace("GaussianNB().fit(X, y)", "GaussianNB()") + ")",
         "or leave fitted=True out", TRAINED),
    Case(FITTED.replace("GaussianNB().fit(X, y)", "GaussianNB().fit(X[:, :2], y)") + ")",
         "'a' failed: ValueError: X has 3 features", FITTED + ")"),
    Case("op.compare(op.run(learners, X, y, design='holdout@1/3', random_state=1, "
         "scoring='f1_macro'))", "or run a design with more splits, such as «'10x10cv'»",
         "X, y = np.tile(X, (9, 1)), np.tile(y, 9); op.compare(op.run(learners, X, y, "
         "design='10x10cv', random_state=1, scoring='f1_macro'))"),
    # Names, labels and numbers of learners.
    Case("op.run({' ': GaussianNB()}, X, y, design='3cv', random_state=1)", "such as «'tree'»",
         "op.run({'tree': GaussianNB()}, X, y, design='3cv', random_state=1)"),
    Case("op.run({'\\u00e9': GaussianNB(), 'e\\u0301': GaussianNB()}, X, y, design='3cv', "
         "random_state=1)", "Rename one", "op.run({'\\u00e9': GaussianNB(), 'b': GaussianNB()}, "
         "X, y, design='3cv', random_state=1)"),
    Case(BACKWARDS.format("a"), "Pass «a.to_numpy()»", BACKWARDS.format("a.to_numpy()")),
    Case(BACKWARDS.format("a"), "or «a.loc[y.index]»", BACKWARDS.format("a.loc[y.index]")),
    Case(MANY.format("max_pairs=100"), "Compare each with one of them: «control='model 1'»",
         MANY.format("max_pairs=100, control='model 1'")),
    Case(MANY.format("max_pairs=100"), "or raise the limit: «max_pairs=190»",
         MANY.format("max_pairs=190")),
    # What evidence does not give.
    Case(FISHER + "result.evidence.interval(.95)", "Read its p-value",
         FISHER + "result.evidence.pvalue()"),
    Case(FISHER + "result.evidence.pvalue('greater')", "Use «alternative='two-sided'»",
         FISHER + "result.evidence.pvalue(alternative='two-sided')"),
    Case(FISHER + "result.plot('estimation')", "read it as text: «print(result)»",
         FISHER + "print(result)"),
    Case("from outperform.report.figures import draw; draw(ten, 'learning-curve')",
         "«op.learning_curve(learners, X, y).plot()»",
         "op.learning_curve(learners, X, y).plot()"),
    Case("op.compare(ten).report('r.pdf')", "Write a page: «comparison.report('r.html')»",
         "comparison = op.compare(ten); comparison.report('r.html')"),
    Case("op.compare(ten).report('r.pdf')",
         "or a figure: «comparison.plot().savefig('r.pdf')»",
         "comparison = op.compare(ten); comparison.plot().savefig('r.pdf')"),
    Case("from outperform.registry import _view_of\ndef kernel(view: Difference): ...\n"
         "_view_of(kernel)", "did you mean 'Differences'",
         "from outperform.registry import _view_of\ndef kernel(view: Differences): ...\n"
         "_view_of(kernel)"),
    # Exports.
    Case(HALF + "export('s.db', 's.csv')", "«incomplete=True»",
         "from outperform.storage import export; export('s.db', 's.csv', incomplete=True)"),
    Case(HALF + "export('s.db', 's.csv', incomplete=True)\nScores.read('s.csv')",
         "«drop_incomplete=True»", "Scores.read('s.csv', drop_incomplete=True)"),
    Case(HALF + "export('s.db', 's.csv', incomplete=True)\nScores.read('s.csv')",
         "Run these fits and export again", WHOLE + "Scores.read('t.csv')"),
    Case(WHOLE + "Scores.read('t.csv', design='10cv')", "Remove the design option",
         "Scores.read('t.csv')"),
]  # fmt: skip
