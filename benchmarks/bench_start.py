"""What a fresh process pays: importing the package, a first test, a first McNemar."""

from __future__ import annotations

from timing import Row, process_ratio

FIRST_T = (
    "import outperform as op; "
    "op.corrected_t([.8, .7, .9], [.7, .7, .8], n_train=150, n_test=30).pvalue"
)
FIRST_MCNEMAR = "import outperform as op; op.mcnemar(table=[[20, 5], [15, 60]]).pvalue"


def measure() -> list[Row]:
    peer = process_ratio("import mlxtend.evaluate", FIRST_MCNEMAR, rounds=7)
    bare = process_ratio("import outperform", "pass", rounds=41)
    return [
        Row("import outperform / bare Python", bare, 1.3, floor=False),
        Row("first corrected_t on lists / import numpy, scipy.special",
            process_ratio(FIRST_T, "import numpy, scipy.special", rounds=21), 1.3, floor=False),
        Row("import mlxtend.evaluate / first McNemar from counts", peer, 5),
    ]  # fmt: skip
