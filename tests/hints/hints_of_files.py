"""Refusals of files and frames of scores, in Python and on the command line."""

from hints_of_commands import LONG, ONES, WIDE
from obeying import Case

READ = 'Scores.read("s.csv")'
LABELS = "y_true,tree,nb\n" + "a,a,b\nb,b,b\nc,a,c\na,a,a\n" * 5
TWO_METRICS = "learner,fold,metric,score\n" + "".join(
    f"{who},{k},{metric},0.{k + 5}\n" for who in "ab" for k in range(3) for metric in ("acc", "auc")
)
OTHER = "learner,fold,speed,memory\na,0,0.5,0.6\na,1,0.7,0.7\nb,0,0.6,0.8\nb,1,0.5,0.7\n"
MANY = "fold,accuracy,auc\n" + "".join(f"{k},0.{k + 5},0.{k + 6}\n" for k in range(3))
ODD = "learner,seed,score\na,1,0.5\na,2,0.6\nb,1,0.4\nb,2,0.8\n"
NUMBERED = "learner,fold,score\na,0,0.5\na,1,0.6\na,2,0.7\nb,0,0.4\nb,1,0.8\nb,2,0.9\n"
SIDES = "learner,split,cut,score\n" + "".join(
    f"{who},{side},{k},0.{k + 5}\n" for who in "ab" for k in range(3) for side in ("train", "test")
)
PROBABLE = "y_true,nb,tree\n2,0.2,1\n0,0.7,0\n1,0.9,1\n"


def csv(text: str | bytes) -> dict[str, str | bytes]:
    return {"s.csv": text}


def without(text: str, *lines: str) -> str:
    return "".join(f"{line}\n" for line in text.splitlines() if line not in lines)


CASES = [
    # Who won.
    Case('Scores.read("s.csv")', "Fill in the winner, or remove the row",
         "Path('s.csv').write_text('item,winner\\n1,a\\n3,b\\n'); Scores.read('s.csv')",
         csv("item,winner\n1,a\n2,\n3,b\n")),
    Case('Scores.read("s.csv")', "Keep the rows for two models, with 'tie' where neither won",
         "Path('s.csv').write_text('winner\\na\\nb\\ntie\\n'); Scores.read('s.csv')",
         csv("winner\na\nb\nc\ntie\n")),
    Case('Scores.read("s.csv")', "Keep the rows for two models",
         "Path('s.csv').write_text('model_a,model_b,winner\\nx,y,a\\nx,y,b\\n'); "
         "Scores.read('s.csv')", csv("model_a,model_b,winner\nx,y,a\nx,z,b\n")),
    Case('Scores.read("s.csv")', "Write 'x', 'y' or 'tie'",
         "Path('s.csv').write_text('model_a,model_b,winner\\nx,y,x\\nx,y,tie\\n'); "
         "Scores.read('s.csv')", csv("model_a,model_b,winner\nx,y,x\nx,y,z\n")),
    # What columns are for.
    Case('Scores.read("s.csv", fold="flod")', "did you mean «'fold'»?",
         "Scores.read('s.csv', fold='fold')", csv(WIDE)),
    Case('Scores.read("s.csv", metric="accurac")', "did you mean «'accuracy'»",
         "Scores.read('s.csv', metric='accuracy')", csv(MANY)),
    Case('Scores.read("s.csv", metric="au")', "did you mean «'auc'»",
         "Scores.read('s.csv', metric='auc')", csv(TWO_METRICS)),
    Case('Scores.read("s.csv")', "Choose one: «metric='acc'»", files=csv(TWO_METRICS)),
    Case("$ outperform compare s.csv", "Choose one: «--metric acc»",
         files=csv(TWO_METRICS)),
    Case('Scores.read("s.csv", layout="predictions", fold="tree")', "Remove this option",
         'Scores.read("s.csv", layout="predictions")', csv(LABELS)),
    Case('Scores.read("s.csv", layout="predictions", fold="fold")', "or pass «layout='long'»",
         files=csv(LONG)),
    Case('Scores.read("s.csv", layout="wide", y_true="y_true")', "or pass «layout='predictions'»",
         files=csv(LABELS)),
    Case('Scores.read("s.csv", layout="wide")', "list them: «learner=['fold', 'seed']»",
         files=csv("fold,seed\n0,1\n1,2\n")),
    Case('Scores.read("s.csv", layout="long")', "Name it: «score='how'»",
         'Scores.read("s.csv", learner="who", score="how")',
         csv(LONG.replace("learner,fold,score", "who,fold,how"))),
    Case('Scores.read("s.csv", layout="predictions")', "Name it: «y_true='right'»",
         'Scores.read("s.csv", y_true="right")', csv(LABELS.replace("y_true", "right"))),
    Case("$ outperform compare s.csv --layout predictions", "Name it: «--column y-true=right»",
         "$ outperform compare s.csv --column y-true=right", csv(LABELS.replace("y_true",
         "right"))),
    Case(READ, "Choose one: «fold='fold'»",
         files=csv(LONG.replace("learner,fold", "learner,fold,split").replace(",0.", ",1,0."))),
    Case(READ, "If it contains the scores, pass «score='speed'»", files=csv(OTHER)),
    Case("$ outperform compare s.csv", "pass «--column score=speed»", files=csv(OTHER)),
    Case(READ, "Name it: score='…'", "Scores.read('s.csv', score='speed')",
         csv(OTHER.replace("memory", "quality"))),
    Case(READ, "If every learner has its own column, pass «layout='wide'»",
         files=csv(WIDE.replace("new", "method"))),
    Case(READ, "Pass «layout='wide'»", files=csv(MANY)),
    Case("$ outperform compare s.csv", "Pass «--layout wide»", files=csv(MANY)),
    Case(READ, "or name the columns: «learner='who', score='accuracy'»",
         "Scores.read('s.csv', learner='who', score='accuracy')",
         csv("who,fold,accuracy,auc\na,0,.5,.6\nb,0,.7,.7\na,1,.8,.9\nb,1,.6,.6\n")),
    # What cells hold.
    Case(READ, "Keep one", "", csv(LONG + "new,0,0.8\n"), csv(LONG)),
    Case(READ, "drop those splits for every learner", "", csv(without(NUMBERED, "b,2,0.9")),
         csv(without(NUMBERED, "b,2,0.9", "a,2,0.7"))),
    Case(READ, "run the missing fits", "", csv(without(NUMBERED, "b,2,0.9")), csv(NUMBERED)),
    Case('Scores.read("s.csv", design="5x2cv")', "Pass the design that made these scores",
         'Scores.read("s.csv", design="3cv")', csv(NUMBERED)),
    Case('Scores.read("s.csv", design="3x2cv", fold="cut")',
         "or name the columns: repeat=…, fold=…",
         'Scores.read("s.csv", design="3x2cv", repeat="cut", fold="half")',
         csv("learner,cut,half,repeat,score\n"
             + "".join(f"{w},{r},{f},{f},0.{r + f}\n"
                       for w in "ab" for r in (0, 1, 2) for f in (0, 1)))),
    Case('Scores.read("s.csv", repeat="split")',
         "pass the column that identifies the split: fold=…",
         'Scores.read("s.csv", fold="cut")', csv(SIDES),
         csv("".join(line + "\n" for line in SIDES.splitlines() if "train" not in line))),
    Case(READ, "Write one row per learner and split with its test score", "",
         csv(NUMBERED.replace("score", "score,split").replace("\n", ",train\n")
             .replace("split,train", "split")), csv(NUMBERED)),
    Case(READ, "Add a fold column", "", csv("learner,score\na,0.5\na,0.6\nb,0.4\nb,0.8\n"),
         csv("learner,fold,score\na,0,0.5\na,1,0.6\nb,0,0.4\nb,1,0.8\n")),
    Case(READ, "Check the file", "",
         csv("learner,fold,n_test,score\na,0,5,.5\na,1,5,.6\nb,0,6,.5\nb,1,5,.7\n"),
         csv("learner,fold,n_test,score\na,0,5,.5\na,1,5,.6\nb,0,5,.5\nb,1,5,.7\n")),
    Case(READ, "Provide one score per split", "",
         csv("fold,y_true,a,b\n0,1,1,0\n1,0,0,0\n0,1,1,1\n1,1,1,1\n"),
         csv("fold,a,b\n0,1,.5\n1,.9,1\n")),
    Case(READ, "remove the column and pass «design='loo'»",
         "Scores.read('s.csv', design='loo')",
         csv("fold,y_true,a,b\n0,1,1,0\n1,0,0,0\n2,1,1,1\n"),
         csv("y_true,a,b\n1,1,0\n0,0,0\n1,1,1\n")),
    Case('Scores.read("s.csv", metric="f1")', "Remove the option", READ, csv(LABELS)),
    Case(READ, "Fill it in", "", csv(LONG.replace("new,0,", "new,,", 1)), csv(LONG)),
    Case('Scores.read("s.csv", n_test="items")', "Write the number of items", "",
         csv("learner,fold,items,score\na,0,few,.5\na,1,5,.6\n"),
         csv("learner,fold,items,score\na,0,5,.5\na,1,5,.6\n")),
    Case('Scores.read("s.csv", layout="correct")',
         "list those that are: learner=['…', '…']",
         'Scores.read("s.csv", layout="correct", learner=["a", "b"])',
         csv(ONES.replace("a,b\n", "host,a,b\n").replace("\n1", "\n7,1").replace("\n0", "\n7,0"))),
    Case("$ outperform compare s.csv --layout correct",
         "list those that are: --column learner=NAME --column learner=NAME",
         "$ outperform compare s.csv --layout correct --column learner=a --column learner=b",
         csv(ONES.replace("a,b\n", "host,a,b\n").replace("\n1", "\n7,1").replace("\n0", "\n7,0"))),
    Case(READ, "List the columns that contain predictions: learner=['…', '…']",
         'Scores.read("s.csv", learner=["tree", "nb"])',
         csv(LABELS.replace("y_true,", "y_true,host,").replace("\na,", "\na,m,")
             .replace("\nb,", "\nb,m,").replace("\nc,", "\nc,m,"))),
    Case(READ, "list the columns that are: learner=['…', '…']",
         'Scores.read("s.csv", learner=["tree"])', csv("y_true,age,tree\na,7,a\nb,8,a\n")),
    Case(READ, "for scores that rank items of two classes pass «metric='roc_auc'»",
         files=csv("y_true,a,b\n" + "1,2.5,.3\n0,-1.5,.4\n1,.7,1.4\n" * 3)),
    Case(READ, "1 where the probability is at least 0.5, else 0", "",
         csv(PROBABLE), csv("y_true,nb,tree\n1,0,1\n0,1,0\n1,1,1\n")),
    Case('Scores.from_frame(pl.DataFrame({"a": [[1.0], [2.0]], "b": [1.0, 2.0]}))', "Convert it",
         'Scores.from_frame(pl.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]}))'),
    Case('Scores.from_frame([1, 2])', "For arrays use «Scores.from_arrays»",
         'Scores.from_arrays({"a": [1, 2]})'),
    Case('Scores.from_frame("s.csv")', "for a file «Scores.read»", READ, csv(WIDE)),
    Case('Scores.from_frame(pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]))', "Rename them",
         'Scores.from_frame(pd.DataFrame([[1.0, 2.0]], columns=["a", "b"]))'),
    # Files.
    Case("Scores.read(pd.DataFrame())", "For a data frame use «Scores.from_frame(frame)»",
         "frame = pd.DataFrame({'a': [.5, .6], 'b': [.4, .7]}); Scores.from_frame(frame)"),
    Case(READ, "or «to_parquet»", "pl.DataFrame({'a': [.5, .6], 'b': [.4, .7]}).to_pandas()"
         ".to_parquet('s.csv'); Scores.read('s.csv')", csv(b"\x80\x04\x95")),
    Case(READ, "Save it as UTF-8", "", csv(WIDE.encode("utf-16")[:-1]), csv(WIDE)),
    Case(READ, "put the name of its first column in double quotes", "",
         csv("<5 trees,b\n0.5,0.6\n0.7,0.8\n"), csv('"<5 trees",b\n0.5,0.6\n0.7,0.8\n')),
    Case(READ, "Convert it to UTF-8 text", "", csv(b"a,b\n1,\x00\n"), csv(WIDE)),
    Case(READ, "Check that the file is complete", "", csv(""), csv(WIDE)),
    Case('Scores.read("s.csv", limits={"row": 5})', "did you mean «'rows'»",
         "Scores.read('s.csv', limits={'rows': 50})", csv(WIDE)),
    Case('Scores.read("s.csv", limits={"rows": 5})', "raise the limit: «limits={'rows': 10}»",
         files=csv(WIDE)),
    Case('Scores.read("s.csv", limits={"columns": 2})', "«limits={'columns': 3}»",
         files=csv(WIDE)),
    Case('Scores.read("t.csv")', "Check the path (relative to", READ, csv(WIDE)),
    Case('Scores.read(".")', "Pass the path of a file", READ, csv(WIDE)),
    Case('import gzip; Scores.read("s.csv")', "Download or write it again",
         "import gzip; Path('s.csv').write_bytes(gzip.compress(text)); Scores.read('s.csv')",
         csv(b"\x1f\x8b\x08damaged"), env={"text": WIDE.encode()}),
    Case(READ, "Write it again",
         "pl.DataFrame({'a': [.5, .6], 'b': [.4, .7]}).write_parquet('s.csv'); " + READ,
         csv(b"PAR1damagedPAR1")),
    Case("pl.DataFrame({'a': [.5], 'b': [.4]}).clear().write_parquet('s.csv'); " + READ,
         "Check how the file was written",
         "pl.DataFrame({'a': [.5], 'b': [.4]}).write_parquet('s.csv'); " + READ),
    Case(READ, "Convert the file: iconv -f latin1 -t utf-8",
         "import subprocess; text = subprocess.run(['iconv', '-f', 'latin1', '-t', 'utf-8', 's.csv'"
         "], capture_output=True, check=True).stdout; Path('s.csv').write_bytes(text); " + READ,
         csv(WIDE.replace("old", "früher").encode("latin1"))),
    Case('Scores.read("s.csv", separator=";;")', "such as «','»",
         "Scores.read('s.csv', separator=',')", csv(WIDE)),
    Case(READ, "Check how the file was written", "", csv("a,b\n"), csv(WIDE)),
    Case(READ, "Quote cells that contain ','; write decimals with a point", "",
         csv("fold,a,b\n0,0,5,0.6\n1,0.7,0.8\n"), csv("fold,a,b\n0,0.5,0.6\n1,0.7,0.8\n")),
    Case(READ, "Quote cells that contain ','", "",
         csv("learner,fold,score\nold, mine,0,0.5\nnew,0,0.6\n"),
         csv('learner,fold,score\n"old, mine",0,0.5\nnew,0,0.6\n')),
    Case(READ, "Double the quotes inside a cell", "",
         csv('learner,fold,score\n"a"b",0,0.5\nnew,0,0.6\n'),
         csv('learner,fold,score\n"a""b",0,0.5\nnew,0,0.6\n')),
    Case(READ, "Save it again", "", csv(WIDE.replace("\n", "\r", 3)), csv(WIDE)),
    Case(READ, "could be separated by ',' or «';'». Pass the right separator",
         "Scores.read('s.csv', separator=';')", csv("old;new,1\n0,5;7.5\n0,6;8.5\n")),
    Case(READ, "cannot be read as CSV", "", csv('fold,a,b\n0,5" x,1\n1,6" y,2\n'), csv(WIDE)),
    Case(READ, "Check its quotes", "", csv('fold,"a"x,b\n0,1,2\n'), csv("fold,a,b\n0,1,2\n")),
    Case(READ, "Add one, such as «learner,repeat,fold,score»",
         "Path('s.csv').write_text('learner,repeat,fold,score\\n' + text); Scores.read('s.csv')",
         csv("1,0,0,0.5\n2,0,0,0.6\n"), env={"text": "1,0,0,0.5\n2,0,0,0.6\n"}),
    Case(READ, "Rename one", "", csv("fold,a,a\n0,1,2\n"), csv("fold,a,b\n0,1,2\n")),
    # Reports.
    Case('op.compare(ten).report("report.html"); Scores.read("report.html", design="10cv")',
         "Remove the option: «Scores.read('report.html')»", "Scores.read('report.html')"),
    Case('op.compare(ten).report("report.html"); text = Path("report.html").read_text(); '
         'text = text.replace("outperform/report/1", "outperform/report/9"); '
         'Path("report.html").write_text(text); Scores.read("report.html")',
         "Write the report again with this version",
         'op.compare(ten).report("report.html", force=True); Scores.read("report.html")'),
    Case('op.compare(ten).report("report.html"); text = Path("report.html").read_text(); '
         'at = text.index(\'"values"\'); '
         'text = text[:at] + text[at:].replace("0.8", "0.9", 1); '
         'Path("report.html").write_text(text); Scores.read("report.html")',
         "Write the report again: comparison.report('report.html')",
         'comparison = op.compare(ten); import os; os.remove("report.html"); '
         "comparison.report('report.html'); Scores.read('report.html')"),
    Case('op.compare(ten).report("report.html"); text = Path("report.html").read_text(); '
         'Path("report.html").write_text(text.replace(\'"values"\', \'"vals"\')); '
         'Scores.read("report.html")',
         "Write the report again: «comparison.report('report.html')»",
         'comparison = op.compare(ten); import os; os.remove("report.html"); '
         "comparison.report('report.html'); Scores.read('report.html')"),
]  # fmt: skip
