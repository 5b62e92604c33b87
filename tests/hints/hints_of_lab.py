"""Refusals of studies, populations, certificates and the public benchmark."""

from dataclasses import replace

from obeying import Case

from outperform import registry

UNPUBLISHED = replace(registry.get("mcnemar"), published_design=None)
LAB = "from outperform import lab; population = lab.DesignedPopulation(0.2); "
STUDY = LAB + "op.study({}, population, n_reps=5, random_state=1)"
POOL = "from outperform import lab; pool = lab.Pool(X, y); rng = np.random.default_rng(0); "
CONTEST = (
    "from outperform import lab; "
    "contest = lab.Contest(lab.Mirror(), GaussianNB(), GaussianNB(), n=40); "
)
TWO = "{'a': GaussianNB(), 'b': DummyClassifier()}"
NORMAL = "from outperform.lab import *; "
KNOWN = """
from outperform.lab import SixClasses
from reproduction.damage import calibrate
from names_for_hints import Known
"""
FOLDS = (
    "op.certify({{'a': GaussianNB(), 'b': DummyClassifier()}}, X, y, methods=[{}], n_reps=1, "
    "n_truth=2)"
)
CERTIFY = (
    "from sklearn.linear_model import LinearRegression, Ridge; "
    "op.certify({}, X, y, methods=['corrected_t'], n_reps=1, n_truth=2{})"
)
RARE = (
    "from sklearn.linear_model import LogisticRegression; "
    "op.certify({{'a': LogisticRegression(), 'b': GaussianNB()}}, "
    "np.random.default_rng(0).normal(size=(200, 2)), np.arange(200) % 7 == 0, "
    "methods=[('corrected_t', '2cv')], n={}, n_reps=4, n_truth=2)"
)
PAIR = "op.compare({{'a': [0.8, 0.9, 0.7], '{}': [0.7, 0.8, 0.6]}}, design='3cv')"
TRUST = (
    "op.certify({'a': GaussianNB(), 'b': DummyClassifier()}, X, y, "
    "methods=['corrected_t'], n_reps=1, n_truth=2).report('trust.html'); "
)
SLOW = """
from unittest.mock import patch
with patch('outperform.lab.certification.TOO_SLOW', 0):
    """
THIRDS = "X, np.arange(len(y)) % 3"
LINES = "{'a': LinearRegression(), 'b': Ridge()}"
PARTS = "op.run(learners, X, y, design='2*3cv', random_state=1)"

CASES = [
    # Studies
    Case(STUDY.format("[]"), "as in «['corrected_t']»", STUDY.format("['corrected_t']")),
    Case(STUDY.format("['mcnemar', 'mcnemar']"), "pass each once", STUDY.format("['mcnemar']")),
    Case(STUDY.format("[5]"), "pass a name, or (name, design), or (name, design, options)",
         STUDY.format("['mcnemar', ('kfold_t', '5cv'), ('mcnemar', None, {'variant': 'exact'})]")),
    Case(LAB + "op.study(['mcnemar'], population, n_reps=10**10, random_state=1)",
         "pass «confirm_large=True»",
         LAB + "op.study(['mcnemar'], population, n_reps=5, random_state=1, confirm_large=True)"),
    Case(FOLDS.format("('corrected_t', '10cv/stratified')"),
         "Use a design such as «'5x5cv+20halves'», «'10x10cv'» or «'30xresampled@1/3'»",
         FOLDS.format("('calibrated_t', '5x5cv+20halves'), ('corrected_t', '10x10cv'), "
                      "('corrected_t', '30xresampled@1/3')")),
    Case("from outperform import lab; op.study(['kfold_t'], lab.Mirror(), n_reps=1)",
         "as in «learners=(GaussianNB(), KNeighborsClassifier(1))»",
         "from outperform import lab; from sklearn.neighbors import KNeighborsClassifier; "
         "op.study(['kfold_t'], lab.Mirror(), n_reps=1, random_state=1, "
         "learners=(GaussianNB(), KNeighborsClassifier(1)))"),
    Case("from outperform import lab; from reproduction.exact import rejection_rates; "
         "rejection_rates(lab.DesignedPopulation(0.2, n=301), ['kfold_t'])", "such as «n=310»",
         "from outperform import lab; from reproduction.exact import rejection_rates; "
         "rejection_rates(lab.DesignedPopulation(0.2, n=310), ['kfold_t'])"),
    Case(STUDY.format("['mcnemar']") + ".coverage()", "run the study with «level=0.95»",
         LAB + "op.study(['mcnemar'], population, n_reps=5, level=0.95).coverage()"),
    Case(LAB + "op.study(['five_by_two_f'], population, n_reps=5, random_state=1, level=0.95)"
         ".coverage()", "use a method that has one, such as «corrected_t»",
         LAB + "op.study(['corrected_t'], population, n_reps=5, random_state=1, level=0.95)"
         ".coverage()"),
    Case(STUDY.format("['mcnemar']") + ".law('mcnemar')", "use a t-type method",
         STUDY.format("['kfold_t']") + ".law('kfold_t')"),
    Case(STUDY.format("['mcnemar']") + ".column('mcnemars')", "did you mean «'mcnemar'»",
         STUDY.format("['mcnemar']") + ".column('mcnemar')"),
    Case(STUDY.format("['mcnemar', 'kfold_t']") + ".rates(mu0=0.1)", "leave it out of a study",
         STUDY.format("['kfold_t']") + ".rates(mu0=0.1)"),
    Case("from outperform.lab import reading; reading('wilcoxon')",
         "Use for example «'corrected_t'»",
         "from outperform.lab import reading; reading('corrected_t')"),
    Case("from outperform.lab import reading; reading(unpublished)",
         "Use one explicitly, as in reading('mcnemar', «'holdout@1/3'»)",
         "from outperform.lab import reading; reading(unpublished, 'holdout@1/3')",
         env={"unpublished": UNPUBLISHED}),
    Case("from outperform.lab import reading; reading('cochran_q', 'holdout@1/3')",
         "Use for example «'corrected_t'»",
         "from outperform.lab import reading; reading('corrected_t')"),
    Case(LAB + "op.study(['mcnemar'], population, n_reps=5, store='no/s.db')",
         "create it: mkdir -p '/", LAB + "Path('no').mkdir(); "
         "op.study(['mcnemar'], population, n_reps=5, store='no/s.db')"),
    Case(LAB + "op.study(['mcnemar'], population, n_reps=5, store='s.db')",
         "pass the path of a new file",
         LAB + "op.study(['mcnemar'], population, n_reps=5, store='t.db')", {"s.db": "text"}),
    Case(LAB + "op.study(['mcnemar'], population, n_reps=5, store='s.db'); "
         "op.study(['mcnemar'], population, n_reps=6, store='s.db')",
         "pass the path of a new file",
         LAB + "op.study(['mcnemar'], population, n_reps=6, store='t.db')"),
    Case(LAB + "op.study(['mcnemar'], population, n_reps=5, store='s.db'); "
         "import sqlite3; "
         "db = sqlite3.connect('s.db'); db.execute('UPDATE block SET checksum = 1'); db.commit(); "
         "db.close(); op.study(['mcnemar'], population, n_reps=5, store='s.db').rates()",
         "Delete the file and run the study again",
         LAB + "Path('s.db').unlink(); op.study(['mcnemar'], population, n_reps=5, store='s.db')"),
    # Populations
    Case(STUDY.format("['wilcoxon']"), "Use for example «'corrected_t'»",
         STUDY.format("['corrected_t']")),
    Case("from outperform import lab; lab.DesignedPopulation(0.9, beta=.3).kinds()",
         "for example «beta=0.0»",
         "from outperform import lab; lab.DesignedPopulation(0.9, beta=0.0, spread=0.1).kinds()"),
    Case("from outperform import lab; op.study(['mcnemar'], lab.CorrelatedNormal(), n_reps=1)",
         "use for example reading(«'corrected_t'»)",
         "from outperform import lab; op.study(['corrected_t'], lab.CorrelatedNormal(), n_reps=2)"),
    Case("from reproduction.simulated_learners import *; op.study(['conservative_z'], "
         "SimulatedLearners([.1, .2, .3] * 100, [.2, .1, .3] * 100), n_reps=1)",
         "use for example reading(«'corrected_t'»)",
         "from reproduction.simulated_learners import *; op.study(['corrected_t'], "
         "SimulatedLearners([.1, .2, .3] * 100, [.2, .1, .3] * 100), n_reps=2)"),
    Case("from outperform import lab; lab.Mirror(shifts=(1.0,) * 99)", "give at most one for each",
         "from outperform import lab; lab.Mirror(shifts=(1.0,))"),
    Case("from outperform import lab; lab.SmallCluster().draw(2, np.random.default_rng(0))",
         "raise n", "from outperform import lab; "
         "lab.SmallCluster().draw(500, np.random.default_rng(0))"),
    Case(POOL + "pool.draw(99, rng)", "use fewer", POOL + "pool.draw(9, rng)"),
    Case(POOL + "pool.draw(99, rng)", "or pass «replace=True»",
         POOL + "lab.Pool(X, y, replace=True).draw(99, rng)"),
    Case("from reproduction.simulated_learners import error_profile; "
         "error_profile(GaussianNB(), X, y, n_train=60, n_sets=2, random_state=1)", "use fewer",
         "from reproduction.simulated_learners import error_profile; "
         "error_profile(GaussianNB(), X, y, n_train=30, n_sets=20, random_state=1)"),
    Case("from reproduction.simulated_learners import error_profile; "
         "error_profile(GaussianNB(), X, y, n_train=40, n_sets=2, random_state=1)",
         "such as «n_sets=4»",
         "from reproduction.simulated_learners import error_profile; "
         "error_profile(GaussianNB(), X, y, n_train=2, n_sets=4, random_state=1)"),
    Case("from outperform import lab; from reproduction.anatomy import anatomy; "
         + "anatomy(lab.DesignedPopulation(0.2), design='10cv')", "as in «'15xresampled@1/10'»",
         "from outperform import lab; from reproduction.anatomy import anatomy; "
         "anatomy(lab.DesignedPopulation(0.2), design='15xresampled@1/10', n_reps=5)"),
    Case("from outperform import lab; from reproduction.anatomy import anatomy; "
         "anatomy(lab.DesignedPopulation(0.2), n_reps=5).ratio('kfold_t')",
         "use one of t-test, resampled_t, «corrected_t»",
         "from outperform import lab; from reproduction.anatomy import anatomy; "
         "anatomy(lab.DesignedPopulation(0.2), n_reps=50).ratio('corrected_t')"),
    Case("from outperform import lab; from reproduction.anatomy import anatomy; "
         "anatomy(lab.DesignedPopulation(0.2), n_reps=5, side='first')",
         "pass «side='difference'»",
         "from outperform import lab; from reproduction.anatomy import anatomy; "
         "anatomy(lab.DesignedPopulation(0.2), n_reps=5, side='difference')"),
    Case(LAB + "from outperform.lab import Reading; asked = Reading(dict, op.parse('10cv')); "
         "population.draw([asked], 1, np.random.SeedSequence(1))",
         "use for example «reading('corrected_t')»",
         LAB + "from outperform.lab import reading; "
         "population.draw([reading('corrected_t')], 1, np.random.SeedSequence(1))"),
    Case(KNOWN + "calibrate(Known(0.3), Known, SixClasses(), weights=[0.0, 0.2], sizes=(20,), "
         "n_datasets=2, test=2000)", "pass a wider range of weights",
         KNOWN + "calibrate(Known(0.3), Known, SixClasses(), weights=[0.0, 0.5], sizes=(20,), "
         "n_datasets=2, test=2000)"),
    Case(KNOWN + "calibrate(Known(0.1), Known, SixClasses(), weights=[0.0, 0.2], sizes=(20,), "
         "n_datasets=2).at(0.5, 30)",
         "Calibrate with «sizes=[30]» and «fractions=[0.5]»",
         KNOWN + "calibrate(Known(0.1), Known, SixClasses(), weights=[0.0, 0.2], sizes=[30], "
         "fractions=[0.5], n_datasets=2).at(0.5, 30)"),
    # Contests
    Case(CONTEST + "op.study(['mcnemar'], lab.OneSide(contest), n_reps=1)",
         "as in [«'corrected_t'», «'conservative_z'»]",
         CONTEST + "op.study([('corrected_t', '3xresampled@1/3'), ('conservative_z', "
         "'2x2halves@1/10')], lab.OneSide(contest), n_reps=1)"),
    Case(CONTEST + "from reproduction.score_records import record; "
         "record(contest, {'ten': '3cv'}, n_reps=1, random_state=1)['five']", "use one of «ten»",
         CONTEST + "from reproduction.score_records import record; "
         "record(contest, {'ten': '3cv'}, n_reps=1, random_state=1)['ten']"),
    Case(CONTEST + "from dataclasses import replace; "
         "from reproduction.score_records import record; "
         "record(replace(contest, scoring='neg_log_loss'), {'ten': '3cv'}, n_reps=1, "
         "random_state=1)", "leave out `scoring`",
         CONTEST + "from reproduction.score_records import record; "
         "record(contest, {'ten': '3cv'}, n_reps=1, random_state=1)"),
    Case("from reproduction.repetitions import repetitions; "
         f"repetitions({PARTS}, 'paired_t', 'bayes', 'dummy')", "use for example «kfold_t»",
         "from reproduction.repetitions import repetitions; "
         f"repetitions({PARTS}, 'kfold_t', 'bayes', 'dummy')"),
    Case("from reproduction.repetitions import repetitions; "
         "repetitions(ten, 'kfold_t', 'a', 'b')", "as in design='10*10x10cv'",
         "from reproduction.repetitions import repetitions; "
         f"repetitions({PARTS}, 'kfold_t', 'bayes', 'dummy')"),
    Case("from reproduction.repetitions import repetitions; "
         "repetitions(op.run(learners, X, y, "
         "design='2*holdout@1/3', random_state=1, scoring='neg_log_loss'), 'mcnemar', 'bayes', "
         "'dummy')", "rerun with «scoring='accuracy'»",
         "from reproduction.repetitions import repetitions; "
         "repetitions(op.run(learners, X, y, "
         "design='2*holdout@1/3', random_state=1, scoring='accuracy'), 'mcnemar', 'bayes', "
         "'dummy')"),
    Case("from reproduction.partition_studies import partition_study; "
         "partition_study(ten, 'a', 'b')",
         "as in '55*10cv'",
         f"from reproduction.partition_studies import partition_study; partition_study({PARTS}, "
         "'bayes', 'dummy')"),
    # Certificates
    Case(CERTIFY.format("{'a': GaussianNB()}", ""), 'as in «{"tree": tree, "bayes": bayes}»',
         "tree, bayes = DummyClassifier(), GaussianNB(); "
         + CERTIFY.format('{"tree": tree, "bayes": bayes}', "")),
    Case(CERTIFY.format(TWO, ", scoring='acuracy'"), "did you mean «'accuracy'»",
         CERTIFY.format(TWO, ", scoring='accuracy'")),
    Case(CERTIFY.format(LINES, ", scoring='accuracy'"), "use «scoring='neg_mean_squared_error'»",
         CERTIFY.format(LINES, ", scoring='neg_mean_squared_error'")),
    Case(CERTIFY.format(TWO, ", n=len(y)"), "Pass n=", CERTIFY.format(TWO, ", n=len(y) // 3")),
    Case(CERTIFY.format(TWO, ", scoring='roc_auc'").replace("X, y", THIRDS),
         "Use «scoring='neg_log_loss'»",
         CERTIFY.format(TWO, ", scoring='neg_log_loss'").replace("X, y", THIRDS)),
    Case(CERTIFY.format(TWO, ", differences=(1, 2)"), "«differences=(0.01, 0.02, 0.05)»",
         CERTIFY.format(TWO, ", differences=(0.01, 0.02, 0.05)")),
    Case(CERTIFY.format(TWO, ", scoring='neg_log_loss'").replace("corrected_t", "mcnemar"),
         "Leave it out, and use a method such as «'corrected_t'»",
         CERTIFY.format(TWO, ", scoring='neg_log_loss'")),
    Case(SLOW + "op.certify(" + TWO + ", X, y, methods=['corrected_t'], minutes=1e-9)",
         "Allow more time: «minutes=1»", CERTIFY.format(TWO, ", minutes=1")),
    Case(RARE.format(10), "Use larger datasets (a larger n)", RARE.format(100)),
    Case(TRUST + PAIR.format("other") + ".report('r.html', certificate='trust.html')",
         "Leave it out, or certify these learners", PAIR.format("other") + ".report('r.html')"),
    Case(TRUST + PAIR.format("b") + ".report('trust.html', certificate='trust.html', force=True)",
         "Choose another name for the report",
         PAIR.format("b") + ".report('r.html', certificate='trust.html')"),
    Case(CERTIFY.format(TWO, "").replace("X, y", "X, np.c_[y, y]"), "Pass one column at a time",
         CERTIFY.format(TWO, "")),
    # The public benchmark
    Case(FOLDS.format("('kfold_t', '200cv')"), "Use a design such as «'10cv'»",
         FOLDS.format("('kfold_t', '10cv')")),
]  # fmt: skip
