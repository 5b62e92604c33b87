"""Print scores.csv: two learners on the breast cancer data, 10x10cv, one row for each fit."""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import outperform as op


def main() -> None:
    x, y = load_breast_cancer(return_X_y=True)
    learners = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "forest": RandomForestClassifier(random_state=1),
    }
    splits = list(op.parse("10x10cv").split(len(y), random_state=1))
    print("learner,repeat,fold,score,n_train,n_test")
    for name, learner in learners.items():
        for split in splits:
            learner.fit(x[split.train], y[split.train])
            score = float(learner.score(x[split.test], y[split.test]))
            sizes = f"{len(split.train)},{len(split.test)}"
            print(f"{name},{split.repeat},{split.fold},{score!r},{sizes}")


if __name__ == "__main__":
    main()
