"""Refusals on the command line."""

from obeying import Case

HEAD = "fold,new,old\n"
WIDE = HEAD + "".join(f"{k},{0.80 + k / 100},{0.70 + (k * 7 % 10) / 100}\n" for k in range(10))
THREE = "fold,a,b,c\n" + "".join(
    f"{k},{0.8 + k / 100},{0.7 + (k * 7 % 10) / 100},{0.6 + (k * 3 % 10) / 100}\n"
    for k in range(10)
)
LONG = "learner,fold,score\n" + "".join(
    f"{who},{k},{base + (k * 7 % 10) / 100}\n"
    for who, base in (("new", 0.8), ("old", 0.7))
    for k in range(10)
)
ONES = "a,b\n" + "1,1\n" * 20 + "1,0\n" * 9 + "0,1\n" * 4 + "0,0\n" * 7
ITEMS = "x,z,kind\n" + "".join(
    f"{k * 7 % 30},{k * 11 % 13},{'ab'[k * 7 % 30 > 14]}\n" for k in range(30)
)
AMOUNTS = ITEMS.replace("kind", "size").replace("a\n", "1.5\n").replace("b\n", "2.25\n")
COUNTS = "x,size\n" + "".join(f"{k * 7 % 60},{k % 40}\n" for k in range(200))
DATA = """
import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
y = np.arange(30) % 2
X = np.random.default_rng(0).normal(size=(30, 2)) + y[:, None]
"""
EXPERIMENT = DATA + "learners = {'bayes': GaussianNB(), 'dummy': DummyClassifier()}\n"
LARGE = EXPERIMENT.replace("30", "90")
RUN = "$ outperform run data.csv --target kind --learner tree --learner nb --design 3cv --seed 0"


def files(**kept: str) -> dict[str, str]:
    return {name.replace("_", "."): text for name, text in kept.items()}


CASES = [
    # The program, and what is written.
    Case("$ outperform comapre s.csv", "did you mean «'compare'»", "$ outperform 'compare' s.csv",
         files(s_csv=WIDE)),
    Case("$ outperform compare s.csv --report r.html", "add «--force» to overwrite it",
         files=files(s_csv=WIDE, r_html="")),
    Case("$ outperform compare s.csv --report r.pdf", "must name a «.html» file",
         "$ outperform compare s.csv --report r.html", files(s_csv=WIDE)),
    Case("$ outperform certify e.py --learner bayse --learner dummy", "did you mean «'bayes'»",
         "$ outperform certify e.py --learner 'bayes' --learner dummy --reps 1 --methods kfold_t",
         files(e_py=LARGE)),
    Case("$ outperform certify s.csv", "define learners, X and y in one, such as «experiment.py»",
         "$ outperform certify experiment.py --reps 1 --methods kfold_t",
         files(s_csv=WIDE, experiment_py=LARGE)),
    Case("$ outperform certify e.py --learner A", "name two: «--learner A --learner B»",
         "$ outperform certify e.py --learner A --learner B --reps 1 --methods kfold_t",
         files(e_py=LARGE.replace("'bayes'", "'A'").replace("'dummy'", "'B'"))),
    Case("$ outperform certify e.py", "Remove params to measure the tests without it",
         "$ outperform certify e.py --reps 1 --methods kfold_t",
         files(e_py=LARGE + "params = {'sample_weight': np.ones(90)}"), files(e_py=LARGE)),
    Case("$ outperform certify e.py --report out/trust.html",
         "The directory 'out' was not found; create it: «mkdir -p out»",
         "$ outperform certify e.py --reps 1 --methods kfold_t --report out/trust.html",
         files(e_py=LARGE)),
    Case(f"$ outperform certify e.py --report {'r' * 300}.html", "use a shorter one",
         "$ outperform certify e.py --reps 1 --methods kfold_t --report r.html",
         files(e_py=LARGE)),
    Case("$ outperform certify e.py --report out.html", "is a directory; name a file in it",
         "$ outperform certify e.py --reps 1 --methods kfold_t --report out.html/trust.html",
         {"out.html/README": "", "e.py": LARGE}),
    Case("op.compare({'a': [0.8, 0.9, 0.7], 'b': [0.7, 0.8, 0.6]}, design='3cv')"
         ".report('r.html', certificate='none.html')",
         "Write one: «outperform certify experiment.py --report trust.html», and pass its path",
         "$ outperform certify experiment.py --report trust.html --reps 1 --methods kfold_t",
         files(experiment_py=LARGE)),
    Case("$ outperform certify e.py", "Remove groups",
         "$ outperform certify e.py --reps 1 --methods kfold_t",
         files(e_py=LARGE + "groups = np.arange(90) // 3"), files(e_py=LARGE)),
    Case("$ outperform completion bash --install", "add «--force» to overwrite it",
         files={".local/share/bash-completion/completions/outperform": "mine"}),
    Case("$ outperform completion", "as in «outperform completion bash»", before=(
        "import os; os.environ['SHELL'] = '/bin/tcsh'")),
    # compare
    Case("$ outperform compare s.csv --require equivalent",
         "With 0.01: «outperform compare --rope 0.01 s.csv --require equivalent»",
         files=files(s_csv=WIDE), status=1),
    Case("$ outperform compare s.csv --alpha 2", "Use for example «--alpha 0.05»",
         files=files(s_csv=WIDE)),
    Case("$ outperform compare s.csv --rope -1", "Use for example «--rope 0.01»",
         files=files(s_csv=WIDE)),
    Case("$ outperform compare s.csv --method corected_t", "did you mean «'corrected_t'»",
         "$ outperform compare s.csv --method 'corrected_t'", files(s_csv=WIDE)),
    Case("$ outperform compare s.csv new", "Name at least two learners, or none to compare all",
         "$ outperform compare s.csv", files(s_csv=WIDE)),
    Case("$ outperform compare s.csv new new", "name each learner once",
         "$ outperform compare s.csv new old", files(s_csv=WIDE)),
    Case("$ outperform compare s.csv --json --latex", "use one of them",
         "$ outperform compare s.csv --json", files(s_csv=WIDE)),
    Case("$ outperform rank s.csv new", "Name at least two learners, or none to rank all",
         "$ outperform rank s.csv", files(s_csv=WIDE)),
    Case("$ outperform rank s.csv --json --latex", "use one of them",
         "$ outperform rank s.csv --json", files(s_csv=WIDE)),
    Case("$ outperform compare s.csv --require outperforms", "name two of them",
         "$ outperform compare s.csv a b --require outperforms", files(s_csv=THREE)),
    Case("$ outperform compare s.csv --require outperforms", "add --control LEARNER",
         "$ outperform compare s.csv --require outperforms --control c", files(s_csv=THREE)),
    Case("$ outperform compare s.csv --column fold=fold --column score=score",
         "add «--column learner=NAME»",
         "$ outperform compare s.csv --column learner=NAME --column fold=fold",
         files(s_csv="fold,score\n0,0.8\n1,0.7\n2,0.9\n"),
         files(s_csv="NAME" + LONG.removeprefix("learner"))),
    Case("$ outperform compare s.csv --layout wide", "add «--layout correct»",
         files=files(s_csv=ONES)),
    Case("$ outperform compare s.csv --layout wide",
         "add the design, such as «--design 40cv»", files=files(s_csv=ONES)),
    Case("$ outperform compare s.csv", "Pass the design: «--design 100cv» for",
         files=files(s_csv="a,b\n" + "".join(f"0.{k:02},0.{k * 7 % 99:02}\n" for k in range(100)))),
    Case("$ outperform compare s.csv --column lerner=new", "did you mean «'learner'»",
         "$ outperform compare s.csv --column 'learner'=new --column 'learner'=old",
         files(s_csv=WIDE)),
    Case("$ outperform compare s.csv --limit row=5", "did you mean «'rows'»",
         "$ outperform compare s.csv --limit 'rows'=50", files(s_csv=WIDE)),
    Case("$ outperform compare s.csv --limit rows=5", "raise the limit: «--limit rows=10»",
         files=files(s_csv=WIDE)),
    Case("$ outperform compare s.db --design 5cv", "leave --design 5cv out",
         "$ outperform compare s.db", files(e_py=EXPERIMENT),
         before="$ outperform run e.py --design 3cv --store s.db"),
    Case("$ outperform check s.csv", "To compare scores: «outperform compare s.csv»",
         files=files(s_csv=WIDE)),
    # run
    Case("$ outperform run e.py --jobs 0", "use 1, or -1",
         "$ outperform run e.py --jobs 1 --design 3cv", files(e_py=EXPERIMENT)),
    Case("$ outperform run data.csv --design 3cv", "needs --target COLUMN and --learner",
         RUN, files(data_csv=ITEMS)),
    Case(RUN + " --export scores.csv", "add «--store results.db»", files=files(data_csv=ITEMS)),
    Case("$ outperform run e.py --design 3cv",
         'as in learners = {"tree": tree, "bayes": bayes}', "", files(e_py=DATA),
         files(e_py=DATA + 'tree, bayes = DummyClassifier(), GaussianNB()\n'
                           'learners = {"tree": tree, "bayes": bayes}\n')),
    Case(RUN.replace("kind", "king"), "did you mean «'kind'»", RUN.replace("kind", "'kind'"),
         files(data_csv=ITEMS)),
    Case(RUN.replace("tree", "tre"), "did you mean «'tree'»", RUN.replace("tree", "'tree'"),
         files(data_csv=ITEMS)),
    Case(RUN.replace("learner nb", "learner tree"), "write «--learner NAME=tree»",
         RUN.replace("learner nb", "learner NAME=tree"), files(data_csv=ITEMS)),
    Case("$ outperform run data.csv --target size --learner logistic --learner tree --design 3cv",
         "use «linear»",
         "$ outperform run data.csv --target size --learner linear --learner tree --design 3cv",
         files(data_csv=AMOUNTS)),
    Case("$ outperform run data.csv --target size --learner nb --learner tree --design 3cv",
         "add «--task classes»", files=files(data_csv=AMOUNTS)),
    Case("$ outperform run data.csv --target size --learner tree --learner knn --design 3cv",
         "«--task classes»", files=files(data_csv=COUNTS)),
    Case("$ outperform run data.csv --target size --learner tree --learner knn --design 3cv",
         "or «--task numbers»", files=files(data_csv=COUNTS)),
    Case(RUN, "Rename one", "", files(data_csv="x,x,kind\n1,2,a\n"), files(data_csv=ITEMS)),
    # plan
    Case("$ outperform plan b.csv --figure plan.svg", "leave it out", "$ outperform plan b.csv",
         files(b_csv="dataset,a,b\nu,.5,.61\nv,.6,.7\nw,.7,.72\nx,.8,.85\ny,.4,.47\n")),
    # advise
    Case("$ outperform advise --n 300", "Add «--domains one» or --domains several",
         "$ outperform advise --n 300 --domains one --about algorithm --aim compare"),
    Case("$ outperform advise --n 300 --domains one", "Add «--about classifier»",
         "$ outperform advise --n 300 --domains one --about classifier --aim compare"),
    Case("$ outperform advise --domains one --about classifier --aim compare",
         "Add «--sample large»"),
    Case("$ outperform advise --domains one --about classifier --aim compare",
         "or «--n» with the number of items",
         "$ outperform advise --domains one --about classifier --aim compare --n 300"),
    Case("$ outperform explain OP999", "e.g. outperform explain OP201",
         "$ outperform explain OP201"),
    Case("$ outperform explain corected_t", "did you mean «'corrected_t'»",
         "$ outperform explain 'corrected_t'"),
]  # fmt: skip
