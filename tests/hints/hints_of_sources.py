"""Refusals of tables that other tools wrote."""

from obeying import Case

SEARCH = (
    "params,param_C,iter,n_resources,split0_test_acc,split1_test_acc,split0_test_auc,"
    "split1_test_auc\n"
)
TWO = SEARCH + "{'C': 1},1,0,50,.6,.7,.8,.9\n{'C': 2},2,0,50,.5,.6,.7,.8\n"
HALVED = TWO + "{'C': 1},1,1,100,.7,.8,.8,.9\n"
ARENA = "dataset,fold,method,metric_error,imputed\n" + "".join(
    f"{d},{f},{m},0.{f + 1}{k},False\n" for d in "de" for f in range(3) for k, m in enumerate("AB")
)
IMPUTED = ARENA.replace("0.30,False", "0.30,True")
FEWER = "".join(line for line in ARENA.splitlines(True) if not line.startswith("e,2"))
RAGGED = "".join(line for line in FEWER.splitlines(True) if not line.startswith("d,2,A"))

READ = 'Scores.read("s.csv")'


def csv(text: str) -> dict[str, str | bytes]:
    return {"s.csv": text}


CASES = [
    Case(READ, "Pass the one you mean: «metric='acc'»", files=csv(TWO)),
    Case("$ outperform compare s.csv", "Pass the one you mean: «--metric acc»", files=csv(TWO)),
    Case('Scores.read("s.csv", metric="accc")', "did you mean «'acc'»",
         "Scores.read('s.csv', metric='acc')", csv(TWO)),
    Case('Scores.read("s.csv", metric="acc")', "«frame[frame['iter'] == frame['iter'].max()]»",
         "frame = pd.read_csv('s.csv'); "
         "Scores.from_frame(frame[frame['iter'] == frame['iter'].max()], metric='acc')",
         csv(HALVED)),
    Case(READ, "for every learner: «drop_incomplete=True»", files=csv(IMPUTED)),
    Case(READ, "Run the missing splits", "", csv(RAGGED), csv(FEWER)),
    Case(READ, "or remove these datasets", "", csv(RAGGED),
         csv("".join(line for line in RAGGED.splitlines(True) if not line.startswith("d,")))),
]  # fmt: skip
