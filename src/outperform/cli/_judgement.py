"""Options that verbs share, judging scores for a verb, and gates."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Collection, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import click

from ..errors import counted
from ._output import GATE, say

if TYPE_CHECKING:
    from ..notes import Note
    from ..results.comparison import Comparison
    from ..scores.split_scores import Scores


def methods(_: Any, __: Any, typed: str) -> list[str]:
    from ..registry import table

    return [name for name in ("auto", *table().names) if name.startswith(typed)]


def designs(_: Any, __: Any, typed: str) -> list[str]:
    from ..designs.notation import EXAMPLES

    return [design for design in EXAMPLES if design.startswith(typed)]


def adjustments(_: Any, __: Any, typed: str) -> list[str]:
    from ..results.adjustments import FAMILY_ADJUSTMENTS

    return [name for name in ("auto", *FAMILY_ADJUSTMENTS) if name.startswith(typed)]


def topics(ctx: Any, parameter: Any, typed: str) -> list[str]:
    from ..notes import NOTES

    codes = [code for code in NOTES if code.startswith(typed.upper())]
    return [name for name in methods(ctx, parameter, typed) if name != "auto"] + codes


JSON = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
RECORD = click.option(
    "--record",
    metavar="FILE",
    help="Write a record that outperform verify recomputes (*.outperform.json).",
)
SUMMARY = click.option(
    "--summary",
    metavar="FILE",
    help="Append verdict, tables and notes as Markdown to this file, such as $GITHUB_STEP_SUMMARY.",
)
FORCE = click.option("--force", is_flag=True, help="Overwrite existing files.")
METHOD = click.option(
    "--method",
    default="auto",
    metavar="METHOD",
    shell_complete=methods,
    help="Statistical test; by default the one for the design (see outperform methods).",
)
ALTERNATIVE = click.option(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    help="Alternative hypothesis; greater: the first learner is better.",
)
ADJUST = click.option(
    "--adjust",
    default="auto",
    metavar="NAME",
    shell_complete=adjustments,
    help="Adjustment for multiple comparisons: single-step (default for t-type methods), "
    "bergmann-hommel (default over datasets), shaffer, holm (default for others), hommel, "
    "hochberg, bonferroni, benjamini-hochberg, none.",
)
CONTROL = click.option(
    "--control", metavar="LEARNER", help="Compare every other learner with this one only."
)
ALPHA = click.option("--alpha", type=float, default=0.05, help="Significance level (default 0.05).")
ROPE = click.option("--rope", type=float, help="Differences within ±ROPE count as equivalent.")

DESIGN = click.option(
    "--design",
    metavar="DESIGN",
    shell_complete=designs,
    help="Design that produced the scores, if the file does not say.",
)
METRIC = click.option("--metric", metavar="NAME", help="Metric to use, if the file has several.")
LOWER = click.option(
    "--lower-is-better/--greater-is-better",
    default=None,
    help="Whether lower scores are better, as for errors and losses.",
)
COLUMN = click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="ROLE=NAME",
    help="Role of a column, if its name does not show it: learner, score, dataset, repeat, fold, "
    "y_true, n_train, n_test; for logs also item and sample. Sizes may be numbers.",
)
LAYOUT = click.option(
    "--layout",
    type=click.Choice(["long", "wide", "predictions", "correct", "items"]),
    help="How to read rows and columns, if the file is ambiguous.",
)
SEPARATOR = click.option(
    "--separator", metavar="CHARACTER", help="Field separator, if it cannot be detected."
)
SHEET = click.option(
    "--sheet", metavar="NAME", help="Worksheet to read, if a workbook has several."
)
LIMIT = click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=N",
    help="Raise a limit on input files: bytes, rows, columns, cells, field, ratio, scores, json, "
    "sheet.",
)
DROP = click.option(
    "--drop-incomplete",
    is_flag=True,
    help="Drop splits on which some learner has no score.",
)

MISSING = click.option(
    "--missing",
    type=click.Choice(["pairwise", "complete"]),
    help="What to do if a learner has no score on some datasets: complete drops these datasets, "
    "pairwise compares each pair on the datasets that both have (default: an error).",
)
FAMILY = click.option(
    "--family", metavar="COLUMN", help="Column of dataset families; each family counts as one."
)


def _together(*options: Any) -> Callable[[Any], Any]:
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


judging = _together(METHOD, ALTERNATIVE, ADJUST, CONTROL, ALPHA, ROPE)
"""How scores are judged: method, alternative, adjust, control, alpha, rope."""
reading = _together(
    *(DESIGN, METRIC, LOWER, LAYOUT, COLUMN, DROP, MISSING, FAMILY, SEPARATOR, SHEET, LIMIT)
)
"""How a file is read: design, metric, lower_is_better, layout, columns, drop_incomplete, …"""


NOT_WORSE = "not-worse"
VERDICTS = ("outperforms", "outperformed", "equivalent", "no decision", NOT_WORSE)
NAMED = 10
"""Pairs that are named where a gate is not met."""


def _verdicts(_: Any, __: Any, given: Sequence[str]) -> tuple[str, ...]:
    words = [_known(word.strip()) for text in given for word in text.split(",")]
    for word in words:
        if word not in VERDICTS:
            from ..errors import did_you_mean

            raise click.UsageError(f"--require {word!r}: {did_you_mean(word, VERDICTS)}")
    return tuple(dict.fromkeys(words))


def _known(typed: str) -> str:
    """Return a verdict as it is spelt here, whether a space, "-" or "_" joins its two words."""
    ours = {word.replace(" ", "-"): word for word in VERDICTS}
    return ours.get(typed.replace(" ", "-").replace("_", "-"), typed)


def _offered(_: Any, __: Any, typed: str) -> list[str]:
    return [word for word in VERDICTS if word.startswith(typed)]


REQUIRE = click.option(
    "--require",
    multiple=True,
    metavar="VERDICT[,…]",
    callback=_verdicts,
    shell_complete=_offered,
    help="Exit with status 1 unless the verdict is one of these: outperforms, outperformed, "
    "equivalent, no decision, not-worse (worse by less than --rope). Applies to the first of two "
    "learners, in the order named or else as in the file, or to every learner vs. the control.",
)


GRADE = click.option(
    "--grade",
    type=click.Choice(["exact", "measured", "assumed"]),
    help="Exit with status 1 unless the evidence has at least this grade: measured needs a run of "
    "a design such as 5x5cv+20halves.",
)


ON_UNDECIDED = click.option(
    "--on-undecided",
    type=click.Choice(["fail", "warn"]),
    default="fail",
    help="What a gate does on the verdict 'no decision' if --require is not met: fail (default), "
    "or warn and exit with status 0.",
)


def check_rope(required: Sequence[str], rope: float | None, typed: Sequence[str]) -> None:
    """Refuse a gate that needs a rope without one, with a command that has it."""
    lacking = [word for word in required if word in ("equivalent", NOT_WORSE)]
    if lacking and rope is None:
        command = shlex.join(["outperform", "compare", "--rope", "0.01", *typed])
        raise click.UsageError(
            f"--require {lacking[0]} needs --rope, the largest difference that does not matter, in "
            f"units of the score. With 0.01: {command}"
        )


def gate(
    found: Comparison,
    required: Sequence[str],
    alpha: float,
    rope: float | None,
    grade: str | None = None,
    *,
    on_undecided: str = "fail",
) -> tuple[int, list[str]]:
    """Return the status of a gate, met only where every pair has one of the verdicts required.

    With a `grade` the evidence of every pair must have it, too, or a higher one. Pairs without a
    decision may be let through, but never one that is worse. The lines say what was not met.
    """
    said = [] if has_grade(found, grade, alpha) else [_low(found, grade, alpha)]
    low = GATE if said else 0
    if not required:
        return low, said
    came = outcomes(found, alpha, rope)
    asks = NOT_WORSE in required
    p = _not_worse(found, rope) if asks and rope is not None else [None] * len(came)
    fine = [one["not_worse"] for one in found.rows(alpha=alpha, rope=rope)] if asks else p
    failed = [
        (names, word, value)
        for names, word, value, passes in zip(found.pair_names, came, p, fine, strict=True)
        if not (word in required or passes)
    ]
    for names, word, value in failed[:NAMED]:
        said.append(
            f"Required of {' vs. '.join(names)}: {_asked(found, names, required, alpha, rope)}. "
            f"Found: {word}{_told(value) if asks else ''}."
        )
    if len(failed) > NAMED:
        said.append(f"… and {counted(len(failed) - NAMED, 'more pair')}.")
    worst = [word for _, word, _ in failed if word != UNDECIDED or on_undecided == "fail"]
    if failed and not worst:
        ends = "passes because of --on-undecided warn" if low == 0 else "fails because of the grade"
        said.append(f"Warning: the data are inconclusive; the gate {ends}.")
    return (GATE if worst else low), said


def in_summary(
    status: int, said: Sequence[str], required: Sequence[str], grade: str | None
) -> list[str]:
    """Return what was required, and whether the gate passed; nothing where there is no gate."""
    asked = [f"verdict {' or '.join(required)}"] if required else []
    asked += [f"grade {grade} or better"] if grade is not None else []
    if not asked:
        return []
    return [f"Gate {'failed' if status else 'passed'}: required {', '.join(asked)}.", *said]


UNDECIDED = "no decision"


def graded(found: Comparison, grade: str | None) -> int:
    """Return the status of a gate on the grade alone."""
    if has_grade(found, grade, 0.05):
        return 0
    say(_low(found, grade, 0.05))
    return GATE


def has_grade(found: Comparison, grade: str | None, alpha: float) -> bool:
    """Tell whether the evidence has the grade at α, or a higher one."""
    from ..registry import GRADES
    from ..results.stress import grade_at

    return grade is None or GRADES.index(grade_at(found, alpha)) <= GRADES.index(grade)


def _low(found: Comparison, grade: str | None, alpha: float) -> str:
    from ..results.stress import grade_at

    made = grade_at(found, alpha)
    return f"Required grade: {grade}. Found: {made} ({found.method.title})."


def _not_worse(found: Comparison, rope: float) -> list[float | None]:
    """Return the p-value, adjusted for the family, that each pair's first is not worse."""
    logs = found.log_noninferiority(rope).tolist()
    return [None if math.isnan(value) else math.exp(value) for value in logs]


def _told(p: float | None) -> str:
    from ..report.formatting import pvalue

    return f", {pvalue(p)} for {NOT_WORSE}"


def _asked(
    found: Comparison,
    names: tuple[str, str],
    required: Sequence[str],
    alpha: float,
    rope: float | None,
) -> str:
    first, second = names
    against = ""
    if NOT_WORSE in required:
        against = f"{first} worse than {second} by less than {rope:g}, one-sided, "
    family = f", adjusted for {found.n_pairs} pairs" if found.family_size > 1 else ""
    return f"{' or '.join(required)} ({against}α = {alpha:g}{family})"


INFERRED = ("OP001", "OP002", "OP503", "OP504", "OP505", "OP506", "OP507", "OP509")
"""Notes on how input was read and a run was made: said on stderr where the answer has no notes."""

DEFAULTS: dict[str, Any] = {
    "method": "auto",
    "alternative": "two-sided",
    "adjust": "auto",
    "control": None,
}


def check_asked(alpha: float, rope: float | None) -> None:
    """Refuse α and rope that make no sense, before any file is read."""
    from .. import validation

    validation.fraction(alpha, "alpha")
    if rope is not None:
        validation.rope_width(rope)


def compared(scores: Scores, rope: float | None = None, **asked: Any) -> Comparison:
    """Judge all pairs, or every learner against the control.

    Learners that always tie are equivalent within any rope: then the default test is named.
    """
    from .. import registry
    from ..errors import DataError
    from ..scores.benchmark_checks import always_tied
    from ..verbs.compare import compare

    if len(scores.names) < 2 and scores.measured is not None:
        raise DataError(
            f"Found only one model, {scores.names[0]!r}; a comparison needs at least 2. Add the "
            "log of another model: outperform compare FILE1 FILE2. For one model alone use "
            "op.estimate in Python"
        )
    if len(scores.names) < 2:
        raise DataError(
            f"Found only one learner, {scores.names[0]!r}; a comparison needs at least 2. If a "
            "column "
            "names the learners, add --column learner=NAME"
        )
    known = scores.design is not None or len(set(scores.datasets or ())) > 1
    if (
        not known
        and scores.n_splits > 1
        and bool(((scores.values == 0) | (scores.values == 1)).all())
    ):
        raise DataError(
            "All scores are 0 or 1, and the file does not say how the data were split. If each row "
            "is an item and 1 means correct, add --layout correct; if each row is a split, add the "
            f"design, such as --design {scores.n_splits}cv"
        )
    if len(set(scores.datasets or ())) > 1 and rope is not None and asked["method"] == "auto":
        asked["method"] = registry.default_method("datasets") if always_tied(scores) else "auto"
    return compare(scores, **asked)


def add_summary(
    found: Comparison,
    path: str,
    *,
    alpha: float,
    rope: float | None,
    record: str | None,
    gate: Sequence[str] = (),
) -> None:
    """Append the judgement as Markdown to the summary page of a continuous-integration run."""
    from ..report.step_summary import step_summary

    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(step_summary(found, alpha=alpha, rope=rope, record=record, gate=gate))
    except OSError as error:
        raise click.ClickException(
            f"The '--summary' option must name a file that can be written, got {path!r} "
            f"({error.strerror})"
        ) from None


def outcomes(found: Comparison, alpha: float, rope: float | None) -> list[str]:
    """Return the verdict on every pair."""
    if found.n_pairs == 1:
        return [found[found.pair_names[0]].verdict(alpha, rope).outcome]
    return found.outcomes(alpha, rope)


def as_text(found: Comparison, *, alpha: float, rope: float | None) -> str:
    """Return the judgement as text, with all its notes."""
    from ..report import text
    from ..results.assumptions import notes_at

    told = found.notes
    if found.n_pairs == 1:
        told = found[found.pair_names[0]].notes
    return text.comparison(found, alpha, rope=rope, notes=notes_at(found, told, alpha))


def say_inferred(notes: Collection[Note], answered: Collection[Note] = ()) -> None:
    """Say on stderr what was inferred and is not among the notes of the answer."""
    left = [note for note in notes if note.code in INFERRED and note not in answered]
    say(*map(str, left))


def as_dict(found: Comparison, *, alpha: float, rope: float | None) -> dict[str, Any]:
    """Return the judgement in the vocabulary of --json: one result, or one for each pair."""
    from ..results.assumptions import notes_at

    asked: dict[str, Any] = {"level": round(1 - alpha, 12), "alpha": alpha, "rope": rope}
    family = found.to_dict(**asked)
    if found.n_pairs > 1:
        return family | {"alpha": alpha, "rope": rope}
    pair = found[found.pair_names[0]]
    shared = ("estimand", "robustness", "datasets")
    more: dict[str, Any] = {key: family[key] for key in shared if key in family}
    notes = notes_at(found, pair.notes, alpha)
    more["notes"] = [{"code": note.code, "text": note.text} for note in notes]
    return pair.to_dict(**asked) | more | {"alpha": alpha, "rope": rope}
