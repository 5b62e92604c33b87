"""Refusals of running learners, of stores, and of what is made of a run."""

from obeying import Case

RUN = "op.run(learners, X, y, design='3cv', random_state=1"
FILLED = RUN + ", store='s.db')"
HALF = """
import sys; sys.path.insert(0, '')
from outperform.storage import Store, Learner, StoredExperiment, Outcome, Address
experiment = StoredExperiment(data='0123456789abcdef' * 2, design='3cv', scoring='accuracy', seed=7,
                        n_items=9, metric='accuracy', loss='zero-one')
tree = Learner('tree', 'p', 'v')
first = Address(0, 0, 0)
"""
OLDER = (
    "; import sqlite3; db = sqlite3.connect('s.db'); "
    "db.execute('PRAGMA user_version = 1'); db.close()"
)
CURVE = "op.learning_curve(learners, X, y, random_state=1"


def stored(lines: str, mode: str = "") -> str:
    """Return a program that opens a store and does something with it."""
    inside = "".join(f"\n    {line}" for line in lines.split("; "))
    return f"{HALF}with Store.open('s.db', experiment{mode}) as store:{inside}"


SEARCH = (
    "import sklearn; from sklearn.model_selection import GridSearchCV, GroupKFold; grid = "
    "{'var_smoothing': [1e-9, 1e-3]}; who = np.arange(len(y)) // 2\n"
)
SEARCHED = (
    "GridSearchCV(bayes, grid, cv=GroupKFold(2)), X, y, groups=who, design='3cv/grouped', "
    "random_state=1, params={'sample_weight': y + 1.0})"
)
THREADS = "import joblib\nwith joblib.parallel_backend('threading'): "

CASES = [
    Case("op.compare(learners, X, y, metric='f1', design='3cv', random_state=1)",
         "To measure it too, pass «scoring=['accuracy', 'f1']»"),
    # Learners and data.
    Case(f"{SEARCH}bayes = GaussianNB(); op.run({SEARCHED}",
         "Call «sklearn.set_config(enable_metadata_routing=True)» and say with «set_fit_request»",
         f"{SEARCH}sklearn.set_config(enable_metadata_routing=True)\ntry:\n    bayes = GaussianNB()"
         ".set_fit_request(sample_weight=True).set_score_request(sample_weight=False)\n    op.run("
         f"{SEARCHED}\nfinally:\n    sklearn.set_config(enable_metadata_routing=False)"),
    Case(RUN + ", params=[1])", "Pass «params={'sample_weight': weights}»",
         "weights = np.ones(len(y)); " + RUN + ", params={'sample_weight': weights})"),
    Case(RUN + ", params={'groups': y})", "Pass groups=… instead",
         "op.run(learners, X, y, design='3cv/grouped', groups=np.arange(len(y)) // 2, "
         "random_state=1)"),
    Case("from sklearn.neighbors import KNeighborsClassifier as K; op.run({'k': K(), 'b': "
         "GaussianNB()}, X, y, params={'sample_weight': y + 1.0}, design='3cv', random_state=1)",
         "call «sklearn.set_config(enable_metadata_routing=True)» to pass it only",
         "from sklearn.neighbors import KNeighborsClassifier as K; import sklearn\n"
         "sklearn.set_config(enable_metadata_routing=True)\ntry:\n"
         "    op.run({'k': K(), 'b': GaussianNB().set_fit_request(sample_weight=True)}, X, y, "
         "params={'sample_weight': y + 1.0}, design='3cv', random_state=1)\n"
         "finally:\n    sklearn.set_config(enable_metadata_routing=False)"),
    Case("import sklearn; sklearn.set_config(enable_metadata_routing=True)\ntry:\n    op.run("
         "GaussianNB().set_fit_request(sample_weight=False), X, y, params={'sample_weight': y + "
         "1.0}, design='3cv', random_state=1)\nfinally:\n    "
         "sklearn.set_config(enable_metadata_routing=False)",
         "Call «set_fit_request(sample_weight=True)» on those",
         "import sklearn\nwith sklearn.config_context(enable_metadata_routing=True):\n    op.run("
         "GaussianNB().set_fit_request(sample_weight=True), X, y, params={'sample_weight': y + "
         "1.0}, design='3cv', random_state=1)"),
    Case("import sklearn; from sklearn.metrics import make_scorer, accuracy_score as s\n"
         "with sklearn.config_context(enable_metadata_routing=True):\n"
         "    op.run(GaussianNB().set_fit_request(sample_weight=True), X, y, design='3cv', "
         "random_state=1, params={'sample_weight': y + 1.0}, "
         "scoring=make_scorer(s).set_score_request(sample_weight=True))",
         "Call «set_score_request(sample_weight=False)» on it",
         "import sklearn; from sklearn.metrics import make_scorer, accuracy_score as s\n"
         "with sklearn.config_context(enable_metadata_routing=True):\n"
         "    op.run(GaussianNB().set_fit_request(sample_weight=True), X, y, design='3cv', "
         "random_state=1, params={'sample_weight': y + 1.0}, "
         "scoring=make_scorer(s).set_score_request(sample_weight=False))"),
    Case("op.run({}, X, y, design='3cv', random_state=1)",
         'use for example «{"tree": tree, "bayes": bayes}»',
         "tree = bayes = GaussianNB(); op.run({'tree': tree, 'bayes': bayes}, X, y, design='3cv', "
         "random_state=1)"),
    Case("op.run({'a': GaussianNB}, X, y, design='3cv', random_state=1)",
         "pass an instance: «GaussianNB()»",
         "op.run({'a': GaussianNB()}, X, y, design='3cv', random_state=1)"),
    Case("op.run(learners, pd.DataFrame(X), pd.Series(y)[::-1], design='3cv', "
         "random_state=1)", "or «y.loc[X.index]» to pair them by label",
         "X, y = pd.DataFrame(X), pd.Series(y)[::-1]; "
         "op.run(learners, X, y.loc[X.index], design='3cv', random_state=1)"),
    Case("op.run(learners, pd.DataFrame(X), pd.Series(y)[::-1], design='3cv', "
         "random_state=1)", "Pass «y.to_numpy()» if both", "y = pd.Series(y)[::-1]; "
         "op.run(learners, pd.DataFrame(X), y.to_numpy(), design='3cv', random_state=1)"),
    Case("op.run(learners, np.ma.masked_array(X, X > 2), y, design='3cv', random_state=1)",
         "Pass «X.filled(np.nan)»",
         "X = np.ma.masked_array(X, X > 2); from sklearn.ensemble import "
         "HistGradientBoostingClassifier as H; op.run(H(max_iter=2), X.filled(np.nan), y, "
         "design='holdout@1/3', random_state=1)"),
    Case("op.run(learners, pl.DataFrame(X).lazy(), y, design='3cv', random_state=1)",
         "so pass «X.collect()»",
         "X = pl.DataFrame(X).lazy(); op.run(learners, X.collect(), y, design='3cv', "
         "random_state=1)"),
    Case("op.run(learners, X, np.where(y == 0, np.nan, y), design='3cv', random_state=1)",
         "Drop the item from X and y alike",
         "X, y = X[np.isfinite(y)], y[np.isfinite(y)]; op.run(learners, X, y, design='3cv', "
         "random_state=1)"),
    Case("op.run(learners, X, y, design='1000000x10cv', random_state=1)", "Use fewer repeats",
         "op.run(learners, X, y, design='2x10cv', random_state=1)"),
    Case(RUN + ", n_jobs=0)", "Use for example «n_jobs=2» for 2 workers",
         THREADS + RUN + ", n_jobs=2)"),
    Case(RUN + ", n_jobs=0)", "or leave it out to run in this process", RUN + ")"),
    Case(RUN + ", n_jobs=0)", "«n_jobs=-1» for all cores",
         THREADS + RUN + ", n_jobs=-1)"),
    # Scores.
    Case(RUN + ", scoring='acuracy')", "did you mean «'accuracy'»", RUN + ", scoring='accuracy')"),
    Case(RUN + ", scoring=3)", "such as «'accuracy'»", RUN + ", scoring='accuracy')"),
    Case(RUN + ", scoring=3)", "a callable (model, X, y) -> float",
         RUN + ", scoring=lambda model, X, y: float((model.predict(X) == y).mean()))"),
    Case("op.run({'a': DummyRegressor()}, X, y.astype(str), design='3cv', random_state=1, "
         "scoring='accuracy')", "or a classifier",
         "op.run({'a': DummyClassifier()}, X, y.astype(str), design='3cv', random_state=1, "
         "scoring='accuracy')"),
    Case("op.run({'a': DummyRegressor()}, X, X[:, 0], design='3cv', random_state=1, "
         "scoring='accuracy')", "use «scoring='r2'»"),
    Case("op.run({'a': DummyRegressor()}, X, X[:, 0], design='loo', random_state=1, scoring='r2')",
         "use «scoring='neg_mean_squared_error'»"),
    Case("op.run({'a': DummyRegressor()}, X, X[:, 0], design='loo', random_state=1, scoring='r2')",
         "or larger test sets",
         "op.run({'a': DummyRegressor()}, X, X[:, 0], design='3cv', random_state=1, scoring='r2')"),
    Case("op.run({'a': DummyRegressor(), 'b': GaussianNB()}, X, y, design='3cv', random_state=1)",
         "Leave one out", "op.run({'b': GaussianNB()}, X, y, design='3cv', random_state=1)"),
    Case("op.run({'a': DummyRegressor(), 'b': GaussianNB()}, X, y, design='3cv', random_state=1)",
         "or pass «scoring»",
         "op.run({'a': DummyRegressor(), 'b': GaussianNB()}, X, y, design='3cv', random_state=1, "
         "scoring='neg_mean_squared_error')"),
    # What failed.
    Case("class Bad(GaussianNB):\n    def fit(self, X, y):\n        raise ValueError('bad')\n"
         "op.run({'a': Bad()}, X, y, design='3cv', random_state=1)",
         "Fix or remove what failed, then run again; pass «store='results.db'»",
         "op.run({'a': GaussianNB()}, X, y, design='3cv', random_state=1, store='results.db')"),
    Case("class Bad(GaussianNB):\n    def fit(self, X, y):\n        raise ValueError('bad')\n"
         "op.run({'a': Bad()}, X, y, design='3cv', random_state=1, store='s.db')",
         "first outperform.storage.«Store.open('s.db', mode='write').forget_failed()»",
         "from outperform.storage import Store; "
         "Store.open('s.db', mode='write').forget_failed(); "
         "op.run({'a': GaussianNB()}, X, y, design='3cv', random_state=1, store='s.db')"),
    # Estimates and curves.
    Case("op.estimate(Scores.from_frame(pl.DataFrame({'dataset': [*'uv'], 'a': [.5, .6]})))",
         "Select one dataset", "op.estimate(one)"),
    Case("op.estimate(Scores.from_arrays({'a': a[:10]}))",
         "when they are built or read, for example «design='10cv'»",
         'op.estimate(Scores.read("scores.csv", design="10cv"))',
         {"scores.csv": "fold,a\n" + "".join(f"{k},0.{k + 10}\n" for k in range(10))}),
    Case("op.estimate(ten)", "Name it: estimate(…, «learner='a'»)",
         "op.estimate(ten, learner='a')"),
    Case("op.estimate(GaussianNB(), X, y, design='10x15halves@1/10', random_state=1)",
         "Use «design='10cv/stratified'»"),
    Case("op.estimate(GaussianNB(), X, y, design='10x15halves@1/10', random_state=1)",
         "«'30xresampled@1/10'»",
         "op.estimate(GaussianNB(), X, y, design='30xresampled@1/10', random_state=1)"),
    Case("op.estimate(GaussianNB(), X, y, design='10x15halves@1/10', random_state=1)",
         "or «'holdout@1/3'»",
         "op.estimate(GaussianNB(), X, y, design='holdout@1/3', random_state=1)"),
    Case(CURVE + ", design='10cv')", "Use for example «design='15xresampled@1/10'»"),
    Case(CURVE + ", sizes=(10, 10))", "as in «sizes=(0.3, 0.6, 0.9)»"),
    Case("op.methods.accuracy_lost(ten, [.5])", "Pass two Scores", "op.methods.accuracy_lost("
         + RUN + "), " + RUN.replace("3cv", "5x2cv") + "))"),
    Case("op.methods.accuracy_lost(ten, [.5])", "or two arrays",
         "op.methods.accuracy_lost([.6], [.5])"),
    Case("op.methods.accuracy_lost(" + RUN.replace("3cv", "5x2cv") +
         "), " + RUN.replace(
         "3cv",
         "10cv")
         + "))", "as in accuracy_lost(run of '10cv', run of '5x2cv')",
         "op.methods.accuracy_lost(" + RUN.replace("3cv", "10cv") +
              "), " + RUN.replace(
              "3cv",
              "5x2cv")
         + "))"),
    Case("op.explain('corected_t')", "did you mean «'corrected_t'»", "op.explain('corrected_t')"),
    Case("op.explain('OP999')", "e.g. outperform.«explain('OP201')»", "op.explain('OP201')"),
    # Figures and reports.
    Case("op.compare(ten).plot('interval')", "did you mean «'intervals'»",
         "op.compare(ten).plot('intervals')"),
    Case("op.methods.corrected_t(ten).plot('matrix')",
         "Draw the comparison: «op.compare(scores).plot('matrix')»",
         "scores = three; op.compare(scores).plot('matrix')"),
    Case("op.methods.corrected_t(ten).plot('matrix')", "it has «'estimation'»",
         "op.methods.corrected_t(ten).plot('estimation')"),
    Case("op.compare(ten).plot('sorted')", "such as «design='10x10cv'»",
         'op.compare(Scores.from_arrays({"a": a, "b": b}, design="10x10cv")).plot("sorted")'),
    Case("op.methods.all_pairs(right).plot('qq')", "Compare Scores: op.compare(",
         "op.compare(op.Scores.from_arrays({'a': a, 'b': b}, design='10x10cv'))"
         ".plot('qq')"),
    Case("op.compare(ten).plot('intervals', theme='drak')", "did you mean «'dark'»",
         "op.compare(ten).plot('intervals', theme='dark')"),
    Case("op.compare(ten).report('r.html'); op.compare(ten).report('r.html')",
         "or overwrite it: «comparison.report('r.html', force=True)»",
         "comparison = op.compare(ten); comparison.report('r.html', force=True)"),
    Case("op.compare(ten).report('deep/er/r.html')", "Create it: «mkdir -p 'deep/er'»",
         "op.compare(ten).report('deep/er/r.html')"),
    Case("Path('r.html').mkdir(); op.compare(ten).report('r.html', force=True)",
         "or pass another path", "op.compare(ten).report('s.html')"),
    # Stores.
    Case("Path('shut').mkdir(); Path('shut').chmod(0o555); " + RUN + ", store='shut/s.db')",
         "use another folder", "Path('open').mkdir(); " + RUN + ", store='open/s.db')"),
    Case("import sqlite3; db = sqlite3.connect('s.db'); "
         "db.execute('DELETE FROM split WHERE address = 0'); db.commit(); db.close(); "
         "Scores.read('s.db')", "run the same again with store=", FILLED, before=FILLED),
    Case(stored("store.register(tree, describe={}); "
                "store.add([(tree, first, Outcome(0.5, 1.0, np.array([0.1, np.nan]), 'ok'))])"),
         "Store it as failed, with a reason",
         stored("store.register(tree, describe={}); "
                "store.add([(tree, first, Outcome(None, 1.0, None, 'failed', 'why'))])")),
    Case(stored("store.put_splits([(first, 6, 3, [0, 1, 2])]); "
                "store.put_splits([(first, 6, 3, [3, 4, 5])])"), "use another file",
         stored("store.put_splits([(first, 6, 3, [3, 4, 5])])").replace("s.db", "t.db")),
    Case(stored("store.register(tree, describe={}); import os, sqlite3; "
                "from outperform.storage.sharing import _process; db = sqlite3.connect('s.db'); "
                "db.execute('INSERT INTO owner VALUES (NULL, ?, ?, ?, ?, 60, 9e9)', "
                "('me', *_process(os.getppid()))); db.commit(); db.close(); "
                "store.claim_all({tree: [first]}, owner='me', seconds=60)"),
         "every process needs a name of its own, such as a random one",
         stored("store.register(tree, describe={}); import secrets; "
                "store.claim_all({tree: [first]}, owner=secrets.token_hex(), seconds=60)")),
    Case("""
import os
from outperform.storage import stored_scores
many, stored_scores.MANY = stored_scores.MANY, 0
try:
    scores = Scores.read('s.db')
    os.replace('t.db', 's.db')
    scores.items.values
finally:
    stored_scores.MANY = many
""", "read them again", "Scores.read('s.db').items.values",
         before=FILLED + "; learners = dict(reversed(learners.items())); "
         + FILLED.replace("s.db", "t.db")),
    Case(FILLED + "; op.run(learners, X, y, design='4cv', random_state=1, store='s.db')",
         "Use another file for this one: «store='another.db'»"),
    Case("from outperform.storage import export\n" + FILLED
         + "\nexport('s.db', 's.csv')\nexport('s.db', 's.csv')", "choose another name",
         "from outperform.storage import export\nexport('s.db', 't.csv')"),
    Case("from outperform.storage import export\n" + FILLED
         + "\nexport('s.db', 's.csv')\nexport('s.db', 's.csv')", "or pass «force=True»",
         "from outperform.storage import export\nexport('s.db', 's.csv', force=True)"),
    Case("from outperform.storage import export\n" + FILLED + "\nexport('s.db', 'no/s.csv')",
         "use another folder", "from outperform.storage import export\nexport('s.db', 's.csv')"),
    Case("from outperform.storage import Store; Store.open('s.db', mode='raed')",
         "mode must be 'create', 'write' or «'read'»",
         FILLED + "; from outperform.storage import Store; "
         "Store.open('s.db', mode='read').close()"),
    Case(RUN + ", store='a\\0.db')", "check the path", RUN + ", store='a.db')"),
    Case(RUN + ", store=5)", "such as «'results.db'»", RUN + ", store='results.db')"),
    Case(RUN + ", store='.')", "such as results.db inside it", RUN + ", store='./results.db')"),
    Case(RUN + ", store='s.csv')", "pass the path of a new file", RUN + ", store='t.db')",
         {"s.csv": "a,b\n"}),
    Case("import sqlite3, contextlib\nwith contextlib.closing(sqlite3.connect('o.db')) as db:\n"
         "    db.execute('CREATE TABLE t (x)')\n" + RUN + ", store='o.db')",
         "pass the path of a new file", RUN + ", store='t.db')"),
    Case(RUN + ", store='no/s.db')", "create it: mkdir -p '/",
         "Path('no').mkdir(); " + RUN + ", store='no/s.db')"),
    Case("from outperform.storage import Store; Store.open('t.db', mode='read')",
         "check the path, or create the store with a run",
         RUN + ", store='t.db'); from outperform.storage import Store; "
         "Store.open('t.db', mode='read').close()"),
    Case(FILLED + "; import os; os.chmod('s.db', 0o400); " + FILLED, "«chmod u+w 's.db'», or",
         FILLED),
    Case(FILLED + "; import os; os.chmod('s.db', 0o400); " + FILLED, "or «store='another.db'»",
         RUN + ", store='another.db')"),
    Case("op.run({'a' * 10001: GaussianNB()}, X, y, design='3cv', random_state=1, store='s.db')",
         "use 1 to 10,000 characters",
         "op.run({'a' * 10000: GaussianNB()}, X, y, design='3cv', random_state=1, store='s.db')"),
    Case(HALF + "from outperform.storage import MetricKey\n"
         "Store.open('s.db', experiment).close()\n"
         "Store.open('s.db', experiment.with_metrics([MetricKey('accuracy', 'hits')]))",
         "use another file", HALF + "Store.open('t.db', experiment).close()"),
    Case(RUN + ", keep='predictions')", "Pass «store='results.db'» too",
         RUN + ", keep='predictions', store='results.db')"),
    Case(RUN + ", scoring=[])", "Use «scoring='accuracy'»", RUN + ", scoring='accuracy')"),
    Case(RUN + ", scoring=['f1', 'f1'])", "Give them different names: scoring={'first': …",
         RUN + ", scoring={'first': 'f1', 'second': 'accuracy'})"),
    Case("op.compare('s.db', metric='f1')",
         "run the same again with «scoring=['accuracy', 'f1']»",
         RUN + ", scoring=['accuracy', 'f1'], store='s.db')",
         before=RUN + ", store='s.db', keep='nothing')"),
    Case(RUN + ", scoring=['accuracy', 'f1']).for_metric('acuracy')", "did you mean «'accuracy'»",
         RUN + ", scoring=['accuracy', 'f1']).for_metric('accuracy')"),
    Case(FILLED + OLDER + "; op.run(learners, X, y, design='3cv', random_state=1, store='s.db')",
         "run again into another file: «store='another.db'»", RUN + ", store='another.db')"),
    Case(stored("store.add([(tree, first, Outcome(0.5, 0.1, None, 'ok'))])"),
         "register it first",
         stored("store.register(tree, describe={}); "
                "store.add([(tree, first, Outcome(0.5, 0.1, None, 'ok'))])")),
    Case(stored("store.register(tree, describe={}); "
                "store.add([(tree, first, Outcome(0.5, 0.1, None, 'good'))])"),
         "use one of («'ok'», ",
         stored("store.register(tree, describe={}); "
                "store.add([(tree, first, Outcome(0.5, 0.1, None, 'ok'))])")),
    Case(stored("store.register(tree, describe={}); "
                "store.add([(tree, first, Outcome(float('nan'), 0.1, None, 'ok'))])"),
         "Store it as failed, saying why",
         stored("store.register(tree, describe={}); "
                "store.add([(tree, first, Outcome(None, 0.1, None, 'failed', 'nan'))])")),
    Case(FILLED + "\nfrom outperform.storage import Store\n"
         "with Store.open('s.db', mode='read') as store:\n    store.scores(['baye'])",
         "did you mean «'bayes'»",
         FILLED + "\nfrom outperform.storage import Store\n"
         "with Store.open('s.db', mode='read') as store:\n    store.scores(['bayes'])"),
    Case(FILLED + "\nfrom outperform.storage import Store\n"
         "with Store.open('s.db', mode='read') as store:\n    store.forget_failed()",
         "use «mode='write'»",
         "from outperform.storage import Store\n"
         "with Store.open('s.db', mode='write') as store:\n    store.forget_failed()"),
    Case(FILLED + "\nfrom outperform.storage import Store\n"
         "store = Store.open('s.db', mode='read')\nstore.close()\nstore.scores()", "open it again",
         "from outperform.storage import Store\nstore = Store.open('s.db', mode='read')\n"
         "store.scores()\nstore.close()"),
    Case(FILLED + "\nscores = Scores.read('s.db')\nimport sqlite3\n"
         "db = sqlite3.connect('s.db')\ndb.execute('DELETE FROM cell WHERE learner = 2')\n"
         "db.commit()\ndb.close()\nscores = Scores.read('s.db')",
         "run the same again with store=", FILLED),
    Case("import sklearn\nwith sklearn.config_context(enable_metadata_routing=True):\n    op.run("
         "GaussianNB(), X, y, params={'sample_weight': y + 1.}, design='3cv', random_state=1)",
         "Call `GaussianNB.set_fit_request({metadata}=True/False)`",
         "import sklearn\nwith sklearn.config_context(enable_metadata_routing=True):\n    op.run("
         "GaussianNB().set_fit_request(sample_weight=True), X, y, params={'sample_weight': y + "
         "1.}, design='3cv', random_state=1)"),
]  # fmt: skip
