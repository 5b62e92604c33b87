"""Print scores of two learners on the breast cancer data, one row for each fit.

scores.csv is what it prints for 10x10cv, calibrated.csv for 5x5cv+20halves, which takes a minute.
"""

import sys

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import outperform as op


def main(design: str = "10x10cv") -> None:
    x, y = load_breast_cancer(return_X_y=True)
    learners = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "forest": RandomForestClassifier(random_state=1),
    }
    splits = list(op.parse(design).split(len(y), random_state=1))
    halves = "+" in design
    print(f"learner,{'partition,' * halves}repeat,fold,score,n_train,n_test")
    for name, learner in learners.items():
        for split in splits:
            learner.fit(x[split.train], y[split.train])
            score = float(learner.score(x[split.test], y[split.test]))
            at = f"{split.partition}," * halves + f"{split.repeat},{split.fold}"
            print(f"{name},{at},{score!r},{len(split.train)},{len(split.test)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
