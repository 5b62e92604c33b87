"""Write logs/new.jsonl, logs/old.jsonl and logs/judged.csv: made-up answers to 240 questions."""

import json
from pathlib import Path

import numpy as np

LOGS = Path(__file__).parent / "logs"
SUBJECTS = 24
EACH = 10


def main() -> None:
    rng = np.random.default_rng(2026)
    n = SUBJECTS * EACH
    subject = np.repeat(np.arange(SUBJECTS), EACH)
    hard = rng.normal(0, 1, n)
    taught = rng.normal(0.45, 0.9, SUBJECTS)[subject]  # what the new model learned, by subject
    ability = {"new": 0.3 + taught - hard, "old": 0.3 - hard}
    LOGS.mkdir(exist_ok=True)
    for model, logit in ability.items():
        right = rng.random(n) < 1 / (1 + np.exp(-1.5 * logit))
        lines = [
            {"item": f"q{i:03d}", "model": model, "correct": int(right[i]), "subject": f"s{s:02d}"}
            for i, s in enumerate(subject)
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (LOGS / f"{model}.jsonl").write_text(text, encoding="utf-8")
    draws = rng.choice(["new", "old", "tie"], size=n, p=[0.44, 0.34, 0.22])
    rows = [f"q{i:03d},new,old,{winner}" for i, winner in enumerate(draws)]
    text = "\n".join(["question,model_a,model_b,winner", *rows]) + "\n"
    (LOGS / "judged.csv").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
