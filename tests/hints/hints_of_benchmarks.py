"""Refusals of tables of several datasets."""

import numpy as np
from hints_of_commands import EXPERIMENT, ITEMS, files
from hints_of_files import csv
from obeying import Case

TABLE = "dataset,a,b,c\n" + "".join(
    f"d{i},.{60 + i},.{50 + 3 * i},.{55 + 7 * i % 5}\n" for i in range(8)
)
GAP = TABLE.replace(".51", "", 1).replace("d1,.61,.53", "d1,.61,")
LACKING = "dataset,a,b,c\n" + "".join(
    f"p{i},.{50 + i},.{60 - i},\nq{i},.{70 + i},,.{65 - i}\nr{i},,.{60 - i},.{50 + i}\n"
    for i in range(6)
)
APART = "dataset,a,b,c\n" + "".join(
    f"p{i},.{50 + i},.{60 - i},\nq{i},.{70 + i},,.{65 - i}\n" for i in range(6)
)
CONSTANT = "dataset,a,b,c\n" + "".join(f"d{i},.{60 + i},.{50 + 3 * i},.5\n" for i in range(8))
PERCENT = TABLE + "d8,61,57,59\n"
FAMILIES = "dataset,family,a,b\n" + "".join(f"d{i},f,.{60 + i},.{50 + 3 * i}\n" for i in range(8))
TWICE = "dataset,family,learner,score\nd0,f,a,.5\nd0,g,b,.6\n" + "".join(
    f"d{i},f{i},a,.{70 + i}\nd{i},f{i},b,.{80 - i}\n" for i in range(1, 7)
)
RUN = "op.benchmark(learners, {{'a': (X, y), 'b': (X, y)}}, design='3cv', random_state=0, store={})"
DATA = np.arange(60.0).reshape(30, 2), np.arange(30) % 2
SEVERAL = (
    "$ outperform run a.csv b.csv --target kind --learner tree --learner nb --design 3cv --seed 0"
)
COMPARE = 'op.compare("s.csv")'
NAMED = TABLE.replace("dataset", "name")
CELL = TABLE.replace(".64", "64")
FEW = "".join(TABLE.splitlines(keepends=True)[:5])
SPLITS = "dataset,learner,fold,score\n" + "".join(
    f"d{i},{who},{fold},.{60 + 7 * i + fold * (2 if who == 'a' else 1)}\n"
    for i in range(4)
    for who in "ab"
    for fold in range(3)
)
TIED = "dataset,a,b\n" + "".join(f"d{i},.{60 + i},.{60 + i}\n" for i in range(8))
ROWS = "{},p,q,r,s,t\nrf,.91,.62,.73,.84,.55\nnb,.89,.61,.75,.80,.54\nsvm,.90,.64,.72,.81,.52\n"
ONE = "Benchmark.of(Scores.from_arrays({'a': [.5, .6], 'b': [.6, .7]}))"

CASES = [
    Case(COMPARE, "out for all («missing='complete'»)", files=csv(GAP)),
    Case(COMPARE, "that both have («missing='pairwise'»)", files=csv(GAP)),
    Case("$ outperform compare s.csv", "out for all («--missing complete»)", files=csv(GAP)),
    Case('op.compare("s.csv", missing="complete")', "«missing='pairwise'»",
         "op.compare('s.csv', missing='pairwise')", csv(LACKING)),
    Case('op.compare("s.csv", missing="pairwise")', "Remove one of them",
         'op.compare(Scores.read("s.csv", missing="pairwise").of(["a", "b"]))', csv(APART)),
    Case(COMPARE, "List the learners: «learner=['a', 'b']»",
         "op.compare(Scores.read('s.csv', learner=['a', 'b']))", csv(CONSTANT)),
    Case(COMPARE, "list them all: «learner=['a', 'b', 'c']»",
         "op.compare(Scores.read('s.csv', learner=['a', 'b', 'c']))", csv(CONSTANT)),
    Case(COMPARE, "Divide the former by 100", "", csv(PERCENT), csv(TABLE + "d8,.61,.57,.59\n")),
    Case("$ outperform compare s.csv", "name the metric: «--metric reward»", files=csv(PERCENT)),
    Case(COMPARE, "Write 0.64", "", csv(CELL), csv(TABLE)),
    Case("$ outperform compare s.csv", "name the metric: «--metric reward»", files=csv(CELL)),
    Case(COMPARE, "Rename it if these are different datasets", "", csv(TABLE + "d7,.6,.5,.4\n"),
         csv(TABLE + "d8,.6,.5,.4\n")),
    Case(COMPARE, "Add at least 2 datasets", "", csv(FEW),
         csv("".join(TABLE.splitlines(keepends=True)[:7]))),
    Case(COMPARE, "or use «method='dataset_t'», which assumes", files=csv(FEW)),
    Case(COMPARE, "use «method='hierarchical'», which uses the splits", files=csv(SPLITS)),
    Case("$ outperform compare s.csv", "«--method wilcoxon» computes the p-values regardless",
         files=csv(FEW)),
    Case(COMPARE, "Check that the columns are scores of different learners", "", csv(TIED),
         csv(TABLE)),
    Case("$ outperform compare s.csv", "«--method wilcoxon» compares them regardless",
         files=csv(TIED)),
    Case("$ outperform compare s.csv", "pass «--column dataset=name»", files=csv(NAMED)),
    Case("$ outperform compare s.csv", "such as «--design 8cv»", files=csv(NAMED)),
    Case(COMPARE, "rename the column to learner", "", csv(ROWS.format("")),
         csv(ROWS.format("learner"))),
    Case(COMPARE, "Leave the column out of the table", "", csv(FAMILIES),
         csv(FAMILIES.replace("family,", "").replace(",f,", ","))),
    Case(COMPARE, "Correct the column", "", csv(TWICE), csv(TWICE.replace("d0,g", "d0,f"))),
    Case("op.Benchmark.read('s.csv').by_family()", "Name the column that contains them",
         "op.Benchmark.read('s.csv', family='who').by_family()",
         csv(FAMILIES.replace("family", "who").replace("d7,f", "d7,g")).copy()),
    Case(f"op.{ONE}", "Name the column that tells them apart",
         "op.Benchmark.read('s.csv', dataset='on')", csv(TABLE.replace("dataset", "on"))),
    Case("op.Benchmark.of([1, 2])", "For a table use Benchmark.from_frame(frame)",
         "op.Benchmark.from_frame(pd.read_csv('s.csv'))", csv(TABLE)),
    Case("op.Benchmark.read('s.csv').on('d11')", "did you mean «'d1'»",
         "op.Benchmark.read('s.csv').on('d1')", csv(TABLE)),
    Case("op.compare({'a': [.5, .6, .7], 'b': [.6, .7, .7]}, design='3cv').plot('cd')",
         "Compare a table with a dataset column", "op.compare('s.csv').plot('cd')", csv(TABLE)),
    Case("op.compare('s.csv', control='a').plot('matrix')", "Leave control out",
         "op.compare('s.csv').plot('matrix')", csv(TABLE)),
    Case("op.compare('s.csv', control='a').plot('matrix')", "or draw «plot('intervals')»",
         "op.compare('s.csv', control='a').plot('intervals')", csv(TABLE)),
    Case("$ outperform compare s.csv --control a --plot matrix x.pdf",
         "or draw --plot intervals FILE",
         "$ outperform compare s.csv --control a --plot intervals x.pdf", csv(TABLE)),
    Case("$ outperform compare s.csv --control a --plot matrix x.pdf", "Leave --control out",
         "$ outperform compare s.csv --plot matrix x.pdf", csv(TABLE)),
    Case("$ outperform plan s.csv", "for example outperform plan FILE a b",
         "$ outperform plan s.csv a b", csv(TABLE)),
    Case("$ outperform compare s.csv --plot cdd x.pdf", "did you mean «'cd'»",
         "$ outperform compare s.csv --plot 'cd' x.pdf", csv(TABLE)),
    Case("$ outperform compare c.csv --plot cd x.pdf",
         "Compare a table with a dataset column: «outperform compare table.csv»",
         "$ outperform compare table.csv --plot cd x.pdf",
         {"c.csv": "fold,a,b\n1,.5,.6\n2,.6,.7\n3,.7,.8\n", "table.csv": TABLE}),
    Case("$ outperform compare s.csv --plot posterior x.pdf",
         "use a Bayesian method: «--method bayesian_signed_rank --rope 0.01»",
         files=csv(TABLE)),
    Case("op.compare('s.csv').plot('posterior')",
         "«op.compare(scores, method='bayesian_signed_rank').plot('posterior', rope=0.01)»",
         "scores = Scores.read('s.csv'); "
         "op.compare(scores, method='bayesian_signed_rank').plot('posterior', rope=0.01)",
         csv(TABLE)),
    # Running learners on several datasets.
    Case("op.benchmark(learners, X)", "as in «{'iris': (X, y), 'wine': (X2, y2)}»",
         "op.benchmark(learners, {'iris': (X, y), 'wine': (X2, y2)}, design='3cv', random_state=0)",
         env={"X2": DATA[0], "y2": DATA[1]}),
    Case("op.benchmark(learners, {'a': 1, 'b': 2})", "as a pair: «{'a': (X, y)}»",
         "op.benchmark(learners, {**{'a': (X, y)}, 'b': (X, y)}, design='3cv', random_state=0)"),
    Case(RUN.format("'s.csv'"), "Choose another name", RUN.format("'folder'"), csv(TABLE)),
    Case("op.Benchmark.read('folder')", "Restore it, or run the benchmark into a new folder",
         RUN.format("'new'") + "; op.Benchmark.read('new')",
         before=RUN.format("'folder'") +
         "; sorted(Path('folder').glob('*.name'))[0].write_text('x')"),
    Case("op.Benchmark.read('folder')", "Run the same benchmark again",
         RUN.format("'folder'") + "; op.Benchmark.read('folder')",
         before=RUN.format("'folder'") + "; sorted(Path('folder').glob('*.db'))[0].unlink()"),
    Case("op.Benchmark.read('folder', metric='f1')",
         "Remove the option: «Benchmark.read('folder')»", "op.Benchmark.read('folder')",
         before=RUN.format("'folder'")),
    Case(RUN.format("None").replace("learners", "{'bad': DummyClassifier(strategy='no')}"),
         "Fix or remove what failed", RUN.format("None")),
    Case(SEVERAL.replace("b.csv", "e.py"), "run one .py file at a time", "$ outperform run e.py "
         "--design 3cv", files(a_csv=ITEMS, e_py=EXPERIMENT)),
    Case("$ outperform run a.csv b.csv", "as in «--target class --learner tree --learner nb»",
         SEVERAL.replace("kind", "class"), files(**{n: ITEMS.replace("kind", "class")
                                                     for n in ("a_csv", "b_csv")})),
    Case("$ outperform run a.csv b.csv --learner nb", "Data files need «--target» COLUMN", SEVERAL,
         files(a_csv=ITEMS, b_csv=ITEMS)),
    Case(SEVERAL + " --retry", "leave it out", SEVERAL, files(a_csv=ITEMS, b_csv=ITEMS)),
    Case(SEVERAL.replace("b.csv", "a.csv"), "name each dataset once", SEVERAL,
         files(a_csv=ITEMS, b_csv=ITEMS)),
    Case("op.Benchmark.of({'d': 1, 'e': 2})", "must be Scores or a mapping",
         "op.Benchmark.of({'d': {'a': .5, 'b': .6}, 'e': {'a': .5, 'b': .6}})"),
]  # fmt: skip
