"""Refusals of tables that other tools wrote."""

import io
import zipfile

from obeying import Case
from workbooks_for_tests import workbook

SEARCH = (
    "params,param_C,iter,n_resources,split0_test_acc,split1_test_acc,split0_test_auc,"
    "split1_test_auc\n"
)
TWO = SEARCH + "{'C': 1},1,0,50,.6,.7,.8,.9\n{'C': 2},2,0,50,.5,.6,.7,.8\n"
HALVED = TWO + "{'C': 1},1,1,100,.7,.8,.8,.9\n"
ARENA = "dataset,fold,method,metric_error,imputed\n" + "".join(
    f"{d},{f},{m},0.{f + 1}{k},False\n" for d in "de" for f in range(3) for k, m in enumerate("AB")
)
MORE = "".join(line for line in ARENA.replace("d,", "f,").splitlines(True) if line[0] == "f")
IMPUTED = ARENA.replace("0.30,False", "0.30,True")
ONE_IMPUTED = (ARENA + MORE).replace("e,2,A,0.30,False", "e,2,A,0.30,True")
FEWER = "".join(line for line in ARENA.splitlines(True) if not line.startswith("e,2"))
RAGGED = "".join(line for line in FEWER.splitlines(True) if not line.startswith("d,2,A"))

FLOWS = "flow_name,data_name,function,value,values\n" + "".join(
    f'{flow},{data},accuracy,0.{7 + at}{k},"[0.5, 0.{k + 4}]"\n'
    for at, flow in enumerate("AB")
    for k, data in enumerate("def")
)
WORDS = FLOWS.replace('"[0.5, 0.4]"', '"[0.5, ""no""]"', 1)
NO_FOLDS = "".join(f"{line.split(',' + chr(34))[0]}\n" for line in FLOWS.splitlines())

READ = 'Scores.read("s.csv")'


def csv(text: str) -> dict[str, str | bytes]:
    return {"s.csv": text}


LONG = "learner,fold,score\na,0,0.5\na,1,0.6\nb,0,0.4\nb,1,0.8\n"
ROWS = [["learner", "fold", "score"], ["a", 0, 0.5], ["a", 1, 0.6], ["b", 0, 0.4], ["b", 1, 0.8]]
ARFF = "@relation r\n@attribute learner string\n@attribute fold numeric\n"
ARFF += "@attribute score numeric\n@data\na,0,0.5\na,1,0.6\nb,0,0.4\nb,1,0.8\n"
LISTS = '{"a": [0.5, 0.6], "b": [0.4, 0.8]}'
ONE = workbook(first=ROWS)
TWO_SHEETS = {"s.xlsx": workbook(first=ROWS, second=ROWS)}
BOOK = 'Scores.read("s.xlsx")'


def zipped(data: bytes = b"", **members: bytes) -> bytes:
    """Return an archive with more members."""
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return out.getvalue()


def squeezed(book: bytes) -> bytes:
    """Return a workbook that says of its members that they are packed with bzip2."""
    changed = bytearray(book)
    for mark, method in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = -1
        while (at := changed.find(mark, at + 1)) >= 0:
            changed[at + method] = zipfile.ZIP_BZIP2
    return bytes(changed)


def locked(data: bytes) -> bytes:
    """Return an archive whose first member says that it is encrypted."""
    at = data.index(b"PK\x01\x02") + 8
    return data[:at] + b"\x01" + data[at + 1 :]


PROBABLE = "y_true,a,b\n0,0.2,0.4\n1,0.7,0.8\n0,0.3,0.9\n1,0.6,0.1\n"

RUNS = "run_id,experiment_id,status,params.net,params.fold,metrics.acc\n" + "".join(
    f"{m}{f},0,FINISHED,{m},{f},0.{f + 5}\n" for m in "ab" for f in range(4)
)
STOPPED = RUNS.replace("params.net", "params.model").replace("a1,0,FINISHED", "a1,0,FAILED")
SEARCHED = "from sklearn.model_selection import GridSearchCV as G; from sklearn.dummy import "
SEARCHED += "DummyClassifier as D; X, y = [[0]] * 8, [0, 1] * 4; "
SEARCHED += "search = G(D(), {'strategy': ['prior', 'uniform']}, cv=2); "
REPORTED = """
import numpy as np
class R:
    ml_task = "regression"; estimator_name_ = "r"; y = None
    def __init__(self, shift=0):
        rows = np.roll(np.arange(6), shift)
        self.split_indices = [(rows[3:], rows[:3]), (rows[:3], rows[3:])]
        self.y_test = rows % 2
        self.metrics = type("M", (), {"r2": lambda self, aggregate: np.array([[0.5, 0.6]]),
            "recall": lambda self, aggregate: np.ones((2, 2)),
            "accuracy": lambda self, aggregate: np.array([[0.5, 0.6]])})()
    def get_predictions(self, data_source): return [0] * 6
class One(R):
    split_indices = property(lambda self: getattr(self, "nothing"), lambda self, value: None)
class C:
    def __init__(self, *reports): self.reports_ = dict(zip("ab", reports))
"""

CASES = [
    Case(READ, "Remove the column to use 'value' alone", READ, csv(WORDS),
         csv(NO_FOLDS.replace(",values", ""))),
    Case('Scores.read("s.csv")', "names them: «learner='params.net'»", files=csv(RUNS)),
    Case("$ outperform compare s.csv", "them: «--column learner=params.net»", files=csv(RUNS)),
    Case(READ, "Run them again", "", csv(STOPPED), csv(STOPPED.replace("FAILED", "FINISHED"))),
    Case(READ, "«drop_incomplete=True»", files=csv(STOPPED)),
    Case(SEARCHED + "Scores.from_search(search)", "Fit it: «search.fit(X, y)»",
         SEARCHED + "search.fit(X, y); Scores.from_search(search)"),
    Case(REPORTED + "Scores.from_frame(C(R(), R(1)))", "Use the same splitter for every report",
         REPORTED + "Scores.from_frame(C(R(), R()))"),
    Case(REPORTED + "Scores.from_frame(R(), metric='auc')", "Use one that it has",
         REPORTED + "Scores.from_frame(R(), metric='r2')"),
    Case(REPORTED + "Scores.from_frame(R(), metric='recall')", "such as «metric='accuracy'»",
         REPORTED + "Scores.from_frame(R(), metric='accuracy')"),
    Case(REPORTED + "Scores.from_frame(C(One(), One()))", "use reports of a cross-validation",
         REPORTED + "Scores.from_frame(C(R(), R()))"),
    Case(REPORTED + "One.ml_task = 'binary-classification'; Scores.from_frame(C(One(), One(1)))",
         "Use the same X_test and y_test",
         REPORTED + "One.ml_task = 'binary-classification'; Scores.from_frame(C(One(), One()))"),
    Case("import sklearn.model_selection as m; Scores.from_frame({str(k): m.cross_validate("
         "GaussianNB(), X, y, cv=m.KFold(3 + k), return_indices=True) for k in (0, 1)})",
         "Pass the same cv to cross_validate",
         "import sklearn.model_selection as m; Scores.from_frame({str(k): m.cross_validate("
         "GaussianNB(), X, y, cv=m.KFold(3), return_indices=True) for k in (0, 1)})"),
    Case('Scores.read("s.csv", metric="f1")', "Pass metric='roc_auc', «metric='log_loss'»",
         "Scores.read('s.csv', metric='log_loss')", csv(PROBABLE)),
    Case('Scores.read("s.csv", metric="f1")', "or «metric='accuracy'»",
         "Scores.read('s.csv', metric='accuracy')", csv(PROBABLE)),
    Case("$ outperform compare s.csv --metric f1", "«--metric brier_score»",
         "$ outperform compare s.csv --metric brier_score", csv(PROBABLE)),
    Case('Scores.read("s.csv", metric="auc")', "Pass metric='log_loss' or «metric='brier_score'»",
         "Scores.read('s.csv', metric='brier_score')", csv(PROBABLE.replace("1,0.7", "0,0.7"))),
    Case('Scores.read("s.csv", metric="r2")', "or «metric='mean_absolute_error'»",
         "Scores.read('s.csv', metric='mean_absolute_error')",
         csv(PROBABLE.replace("\n0,", "\n0.5,"))),
    Case('Scores.read("s.csv", layout="items", design="2cv")', "or pass «design='loo'»",
         "Scores.read('s.csv', layout='items', design='loo')", csv("a,b\n0.5,0.6\n0.7,0.9\n")),
    Case(READ, "expected a list of records", "", csv("[1, 2]"), csv(LISTS)),
    Case(READ, "expected a list of records", "", csv('{"a": 1}'), csv(LISTS)),
    Case(READ, "lists must have the same length", "", csv('{"a": [1, 2], "b": [1]}'), csv(LISTS)),
    Case(READ, "each line must be a JSON object", "", csv('{"a": 1}\n{"a": 2}\n[1]'), csv(LISTS)),
    Case(READ, "Check that the file is complete", "", csv(LISTS[:-3]), csv(LISTS)),
    Case(READ, "a list of scores for each learner", "",
         csv('{"a": {"x": 1}, "b": {"test_score": [0.4, 0.8]}}'),
         csv('{"a": {"test_score": [0.5, 0.6]}, "b": {"test_score": [0.4, 0.8]}}')),
    Case('Scores.read("s.csv", limits={"json": 9})', "«limits={'json': 34}»",
         "Scores.read('s.csv', limits={'json': 34})", csv(LISTS)),
    Case(BOOK, "Choose one: «sheet='first'»", files=TWO_SHEETS),
    Case("$ outperform compare s.xlsx", "Choose one: «--sheet first»", files=TWO_SHEETS),
    Case('Scores.read("s.xlsx", sheet="secon")', "did you mean «'second'»",
         "Scores.read('s.xlsx', sheet='second')", TWO_SHEETS),
    Case('Scores.read("s.csv", sheet="first")', "Remove it", READ, csv(LONG)),
    Case(BOOK, "Check how the file was written", "", {"s.xlsx": workbook(s=[])}, {"s.xlsx": ONE}),
    Case(BOOK, "Unpack it first", 'Scores.read("scores.csv")',
         {"s.xlsx": zipped(**{"scores.csv": LONG.encode()})}, {"scores.csv": LONG}),
    Case(BOOK, "Save it again", "", {"s.xlsx": ONE[:300]}, {"s.xlsx": ONE}),
    Case(BOOK, "Save it again", "", {"s.xlsx": zipped(**{"xl/workbook.xml": b"<a/>"})},
         {"s.xlsx": ONE}),
    Case(BOOK, "Save it again", "", {"s.xlsx": squeezed(ONE)}, {"s.xlsx": ONE}),
    Case(BOOK, "Save it without a password", "", {"s.xlsx": locked(ONE)}, {"s.xlsx": ONE}),
    Case(BOOK, "raise the limit: «limits={'bytes': 1099511627776, 'ratio': 1032}»",
         files={"s.xlsx": zipped(ONE, bomb=bytes(2**25))}),
    Case(READ, "Check that the file is complete", "", csv("@relation r\n@data\n"), csv(ARFF)),
    Case(READ, "only dense rows", "", csv(ARFF + "{0 a}\n"),
         csv(ARFF)),
    Case(READ, "Quote cells that contain ','", "", csv(ARFF.replace("a,1", "a,b,1")),
         csv(ARFF.replace("a,1", "'a,b',1").replace("a,0", "'a,b',0"))),
    Case(READ, "unbalanced quote", "", csv(ARFF + "'c,0,0.5\n"), csv(ARFF)),
    Case(READ, "has @relation, @attribute lines", "", csv(ARFF.replace("@attr", "@at")), csv(ARFF)),
    Case(READ, "Convert the file: iconv", "", {"s.csv": ARFF.encode() + b"\xe9,0,1\n"}, csv(ARFF)),
    Case(READ, "Choose one: «metric='acc'»", files=csv(TWO)),
    Case("$ outperform compare s.csv", "Choose one: «--metric acc»", files=csv(TWO)),
    Case('Scores.read("s.csv", metric="accc")', "did you mean «'acc'»",
         "Scores.read('s.csv', metric='acc')", csv(TWO)),
    Case('Scores.read("s.csv", metric="acc")', "«frame[frame['iter'] == frame['iter'].max()]»",
         "frame = pd.read_csv('s.csv'); "
         "Scores.from_frame(frame[frame['iter'] == frame['iter'].max()], metric='acc')",
         csv(HALVED)),
    Case(READ, "for every learner: «drop_incomplete=True»", files=csv(IMPUTED)),
    Case(READ, "or drop their datasets: «missing='complete'»",
         files=csv(ONE_IMPUTED)),
    Case(READ, "Run them", "", csv(RAGGED), csv(FEWER)),
]  # fmt: skip
