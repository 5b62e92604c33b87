"""Write docs/calibration_datasets.md: size and power of tests over datasets, measured.

Finished rows are kept in a file of JSON lines, so that a stopped run goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import math
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import Any

from calibration.dataset_population import (
    ROPE,
    DatasetPopulation,
    dataset_rates,
    model_rates,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "calibration_datasets.md"
LEARNERS = 5
EFFECT = 0.02
SETTINGS = {
    "equal noise": DatasetPopulation(),
    "unequal noise": DatasetPopulation(unequal=1.0),
}
EFFECTS = {
    "all learners equal": (0.0,) * LEARNERS,
    f"the first better by {EFFECT:g}": (EFFECT, *(0.0,) * (LEARNERS - 1)),
}
SEED = 20261118
WIDTH = 128


def rows(n_reps: int, n_models: int, kept: Path | None) -> list[dict[str, Any]]:
    """Return every row, from the file where it is there, else measured and written to it."""
    done: dict[str, list[dict[str, Any]]] = {}
    if kept is not None and kept.exists():
        for line in kept.read_text("utf-8").splitlines():
            found = json.loads(line)
            done[found["key"]] = found["rows"]
    made = []
    for noise, population in SETTINGS.items():
        for truth, effects in EFFECTS.items():
            for kind in ("tests", "model"):
                key = f"{noise}/{truth}/{kind}/{n_reps if kind == 'tests' else n_models}"
                if key not in done:
                    found = (
                        dataset_rates(population, effects, n_reps, SEED)
                        if kind == "tests"
                        else [model_rates(population, effects, n_models, SEED)]
                    )
                    done[key] = [asdict(one) for one in found]
                    if kept is not None:
                        with kept.open("a", encoding="utf-8") as file:
                            file.write(json.dumps({"key": key, "rows": done[key]}) + "\n")
                made += [{"noise": noise, "truth": truth, **row} for row in done[key]]
    return made


def text(made: list[dict[str, Any]], n_reps: int, n_models: int) -> str:
    population = DatasetPopulation()
    lines = [
        "# Tests over datasets, measured",
        "",
        f"A population of datasets with a known truth: {LEARNERS} learners on "
        f"{population.n_datasets} datasets of {population.n_splits} splits that correlate by "
        f"{population.rho:g}. A learner's own effect on a dataset has a standard deviation of "
        f"{population.between:g}, the noise of a split {population.within:g}; with unequal noise "
        "the latter varies between datasets by a factor of e (one standard deviation of its "
        f"logarithm). {n_reps:,} experiments for each row of tests, {n_models:,} for the "
        "hierarchical model, α = 0.05; ± is the Monte Carlo standard error.",
        "",
        "*Any pair* is the share of experiments with a verdict on any of the ten pairs: the "
        "familywise error where all learners are equal. *First pair* is the share with a verdict "
        "on the first two learners: the power where the first is better. The Bayesian methods "
        "judge only that pair, and need a posterior probability above 0.95 outside the region of "
        f"equivalence of ±{ROPE:g}, which does not control the error rate at α.",
        "",
        "Printed by `python calibration/tools/calibration_datasets.py`.",
        "",
    ]
    for noise in SETTINGS:
        for truth in EFFECTS:
            chosen = [row for row in made if (row["noise"], row["truth"]) == (noise, truth)]
            lines += [
                f"## {noise.capitalize()}, {truth}",
                "",
                "| procedure | any pair | first pair | equivalent |",
                "| --- | ---: | ---: | ---: |",
            ]
            for row in chosen:
                same = "–" if row["equivalent"] is None else _rate(row["equivalent"], row["n"])
                alone = "" if row["equivalent"] is None else " (first pair only)"
                lines.append(
                    f"| {row['procedure']}{alone} | {_rate(row['any_pair'], row['n'])} | "
                    f"{_rate(row['first_pair'], row['n'])} | {same} |"
                )
            lines.append("")
    return "\n".join(line if line[:1] == "|" else textwrap.fill(line, WIDTH) for line in lines)


def _rate(count: int, n: int) -> str:
    share = count / n
    return f"{share:.3f} ± {math.sqrt(max(share * (1 - share), 1 / n) / n):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reps", type=int, default=4000)
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--keep", type=Path, help="a file of finished rows, to go on from")
    asked = parser.parse_args()
    made = rows(asked.reps, asked.models, asked.keep)
    PAGE.write_text(text(made, asked.reps, asked.models), encoding="utf-8")
    print(f"{PAGE.name} written")


if __name__ == "__main__":
    main()
