"""Bradford & Brodley: how much a conclusion owes to the partition of the data."""

from ..exhibits import Exhibit
from .accuracies import table1
from .combining import combining, combining_runs
from .enough import families, open_questions, sufficient
from .figures import draw_fits, draw_sorted, figure5, sorted_figure
from .recounted import recounted
from .runs import COLUMNS, NEEDS, PAPER, PARAMETERS, SEED
from .single_partitions import groups, table4
from .verdicts import table2, table3

__all__ = ["EXHIBITS"]

RUN = (
    "TDDT-1 (here C4.5's tree with Mansour's pruning) against TDDT-2 (C4.5's own pruning) and "
    "against discretised naive Bayes, on 55 random partitions of 23 datasets."
)

EXHIBITS = (
    Exhibit(PAPER, "table1", "Table 1: mean accuracies over 55 partitions",
            "Three learners, each by ten-fold and by five times two-fold cross-validation.",
            ("B-09", "B-10", "B-27"), table1, PARAMETERS, needs=NEEDS, seed=SEED),
    Exhibit(PAPER, "table2", "Table 2: significance of the averaged t",
            RUN + " The mean of the t values is judged like one of them.",
            ("B-04", "B-05", "B-08", "B-15", "B-16"), table2, PARAMETERS, needs=NEEDS, seed=SEED),
    Exhibit(PAPER, "table3", "Table 3: what single partitions conclude",
            RUN + " Each partition alone finds one better, the other, or none.",
            ("B-07", "B-19"), table3, PARAMETERS, needs=NEEDS, seed=SEED),
    Exhibit(PAPER, "table4", "Table 4: single partitions against the averaged conclusion",
            RUN + " Of 5,060 conclusions 496 are wrong, 9.8%, if the average is right.",
            ("B-20", "B-29"), table4, PARAMETERS, needs=NEEDS, seed=SEED),
    Exhibit(PAPER, "recounted", "Tables 2 to 4 against one another, as printed",
            "Table 4 follows from Tables 2 and 3; captions and text speak of both.",
            ("B-12", "B-13", "B-14", "B-19", "B-20"), recounted),
    *(
        Exhibit(PAPER, f"figure{number}", f"Figure {number}: sorted significance, TDDT-1 against "
                f"{COLUMNS[at][0]}, {COLUMNS[at][1]}CV", "The significance of every partition, "
                "sorted; a panel for each dataset.", ("B-06", "B-11"), sorted_figure(at),
                PARAMETERS, draw_sorted, needs=NEEDS, seed=SEED)
        for number, at in ((1, 0), (2, 2), (3, 1), (4, 3))
    ),
    Exhibit(PAPER, "figure5", "Figure 5: normal curves through t values",
            "On crx, heart, labor-neg and mushroom a normal curve fits the t values; p-values it "
            "would fit poorly.", ("B-18",), figure5, PARAMETERS, draw_fits, needs=NEEDS, seed=SEED),
    Exhibit(PAPER, "groups", "Groups 1 to 4: what the choice of partition does",
            RUN + " Datasets are sorted by whether the conclusion changes.",
            ("B-12", "B-13", "B-14"), groups, PARAMETERS, needs=NEEDS, seed=SEED),
    Exhibit(PAPER, "combining", "Section 4: χ² and signed ranks of partitions",
            "Two ways of combining partitions that the paper tries and warns against.",
            ("B-21", "B-22", "B-23", "B-24"), combining),
    Exhibit(PAPER, "combining-runs", "Section 4: χ² and signed ranks on our runs",
            RUN + " Partitions are combined each way.", ("B-22", "B-24"), combining_runs,
            PARAMETERS, needs=NEEDS, seed=SEED),
    Exhibit(PAPER, "families", "Section 4: many datasets, many chances",
            "The chance of a false claim over 23 datasets, and Bonferroni's remedy.",
            ("B-25", "B-26"), families, {"datasets": 23, "α": 0.05}),
    Exhibit(PAPER, "sufficiency", "Section 4: are these partitions enough?",
            "A t test of whether the mean t is on its side of the threshold.",
            ("B-17", "B-28"), sufficient, PARAMETERS, needs=NEEDS, seed=SEED),
    Exhibit(PAPER, "open-questions", "Section 5: what the paper leaves open",
            "What does the significance of an averaged t measure, and why do partitions differ?",
            ("B-30",), open_questions, PARAMETERS | {"trials": 4000}, needs=NEEDS, seed=SEED),
)  # fmt: skip
