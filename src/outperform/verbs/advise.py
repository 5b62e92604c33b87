"""`advise`: which design and which method answer the question that is asked, and at what cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..advice.questions import (
    ENOUGH,
    NINE,
    PLANS,
    SETS,
    Plan,
    Question,
    Reason,
    number_of,
    of_loss,
    path,
    questions,
    settled,
)
from ..designs import parse
from ..errors import DataError, DesignError, MethodError, argument
from ..registry import default_method

__all__ = ["Advice", "Question", "Reason", "advise", "questions"]


SCORING = {
    "log": "neg_log_loss",
    "squared": "neg_mean_squared_error",
    "absolute": "neg_mean_absolute_error",
}


FEWEST = 30
"""Items of a test set that Dietterich asks for (D-24)."""
UNUSED = {
    "train_size": ": it is chosen with large samples; here it follows from the design",
    "fits": ": it matters for small samples only",
    "learners": ": it counts the learners that are compared",
}


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do: prints as a short page; `python` and `command` can be pasted."""

    question: int
    """Dietterich's number of the question that was asked."""
    answered_as: int
    """The question that is answered instead, where the one asked has no direct answer."""
    design: str
    method: str
    fits: int | None
    """Training runs of each learner (D-58)."""
    learners: int
    established: bool
    """False if no statistical method is established; the advice is then the nearest one."""
    python: str
    command: str
    reasons: tuple[Reason, ...] = ()
    warnings: tuple[Reason, ...] = ()
    answers: Mapping[str, Any] = field(default_factory=dict)

    @property
    def cost(self) -> int | None:
        """Training runs in all."""
        return None if self.fits is None else self.fits * self.learners

    def to_dict(self) -> dict[str, Any]:
        def listed(all_: tuple[Reason, ...]) -> list[dict[str, Any]]:
            return [{"text": each.text, "papers": list(each.papers)} for each in all_]

        return {
            "schema": "outperform/advice/1",
            "question": self.question,
            "asked": NINE[self.question],
            "answered_as": self.answered_as,
            "design": self.design,
            "method": self.method,
            "fits": self.fits,
            "learners": self.learners,
            "cost": self.cost,
            "established": self.established,
            "reasons": listed(self.reasons),
            "warnings": listed(self.warnings),
            "python": self.python,
            "command": self.command,
            "answers": dict(self.answers),
        }

    def __str__(self) -> str:
        from ..report import advice_text

        return advice_text.advice(self)

    def _repr_html_(self) -> str:
        from ..report.html import notebook_objects

        return notebook_objects.advice(self)


def advise(
    *,
    domains: str | None = None,
    about: str | None = None,
    aim: str | None = None,
    n: int | None = None,
    sample: str | None = None,
    loss: str | None = None,
    learners: int | None = None,
    train_size: int | None = None,
    fits: int | None = None,
    half: str | None = None,
    worse: str | None = None,
) -> Advice:
    """Find out which of Dietterich's nine questions you ask, and how to answer it (D-01 to D-15).

    Parameters
    ----------
    domains : "one" or "several"
    about : "classifier" or "algorithm"
        Fitted models that will be used, or algorithms that will be trained again.
    aim : "estimate" or "compare"
    n, sample : number of items, or "large" or "small"
        Large: enough for a separate test set, and for algorithms several disjoint training sets.
    loss : "zero-one", "log", "squared" or "absolute"
    learners : how many are compared
    train_size : the training size that matters, where data are many
    fits : how many times each learner can be trained
    half : "yes" or "no"
        Whether half of the data give about the same accuracy (B-28).
    worse : "false alarm", "miss" or "neither"
    """
    given = {
        "domains": domains,
        "about": about,
        "aim": aim,
        "n": n,
        "sample": sample,
        "loss": loss,
        "learners": learners,
        "train_size": train_size,
        "fits": fits,
        "half": half,
        "worse": worse,
    }
    known = settled(given)
    while (asked := questions(known)) is not None:
        if asked.default is None:
            words = " or ".join(argument(**{asked.key: value}) for value, _ in asked.choices)
            more = f", or {argument(n=300)} with the number of items"
            raise MethodError(
                f"The {asked.key!r} parameter is missing. {asked.text} Pass {words}"
                f"{more if asked.key == 'sample' else ''}"
            )
        known[asked.key] = _default(asked, known)
    _check(known)
    number = number_of(known)
    answered = {2: 6, 4: 8}.get(number, number)
    plan = PLANS[answered](known)
    plan = of_loss(plan, known, number)
    if answered != number:
        why = Reason(
            "Without a separate test set, the fitted models themselves cannot be judged; the "
            f"algorithms that trained them are compared instead (question {answered})",
            ("D-03",) if number == 2 else ("D-05",),
        )
        plan = replace(plan, warnings=(why, *plan.warnings))
    plan = replace(plan, warnings=(*plan.warnings, *_fits(plan, known), *_unused(given, known)))
    return _advice(plan, number, answered, known)


def _check(known: Mapping[str, Any]) -> None:
    """Refuse answers that contradict each other."""
    learners, aim = known.get("learners", 2), known.get("aim")
    if known["domains"] == "several" and aim == "estimate":
        raise DataError(
            f"{argument(aim='estimate')} and {argument(domains='several')} exclude each other: "
            "accuracy is estimated on one dataset, and learners are compared over several. Pass "
            f"{argument(domains='one')} or {argument(aim='compare')}"
        )
    if aim == "estimate" and "learners" in known and learners > 1:
        raise DataError(
            f"{argument(aim='estimate')} is about one learner, got {argument(learners=learners)}; "
            f"pass {argument(aim='compare')}, or leave learners out"
        )
    if aim != "estimate" and learners < 2:
        raise DataError("The 'learners' parameter must be at least 2 for a comparison, got 1")


def _fits(plan: Plan, known: Mapping[str, Any]) -> Iterator[Reason]:
    """Refuse a plan that so few items cannot fill; say where its test sets are small (D-24)."""
    n = known.get("n")
    if n is None or known["domains"] == "several":
        return
    try:
        sizes = parse(plan.design).sizes(n)
    except DesignError as error:
        raise DataError(
            f"n = {n} items are too few for {plan.design}, which would be recommended ({error}). "
            "Collect more items"
        ) from None
    smallest = int(sizes.n_test.min())
    if smallest < FEWEST:
        items = f"{smallest} item{'s' * (smallest != 1)}"
        said = f"Test sets have only {items}; at least {FEWEST} are recommended"
        yield Reason(said, ("D-24",))
    large = n >= ENOUGH[known["about"]]
    if (known["sample"] == "large") != large:
        yield Reason(
            f"{argument(sample=known['sample'])} is followed, although {n:,} items would count as "
            f"{'large' if large else 'small'} (large: at least {ENOUGH[known['about']]:,})",
            (),
        )


def _unused(given: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[Reason]:
    """Say which answers play no part in the question that is asked."""
    asked = {question.key for question in path(known)}
    for key in ("loss", "learners", "train_size", "fits", "half", "worse"):
        if given[key] is not None and key not in asked and (key, given[key]) != ("learners", 1):
            why = UNUSED.get(key, "")
            yield Reason(f"{argument(**{key: given[key]})} has no effect here{why}", ())


def _default(asked: Question, known: Mapping[str, Any]) -> Any:
    if asked.key == "train_size" and "n" in known:
        return max(known["n"] // (2 * SETS), 1)  # half of the data train, half test
    return asked.default


def _advice(plan: Plan, number: int, answered: int, known: Mapping[str, Any]) -> Advice:
    several = answered == 9
    k = 1 if known.get("aim") == "estimate" else known["learners"]
    return Advice(
        question=number,
        answered_as=answered,
        design=plan.design,
        method=plan.method,
        fits=None if several else parse(plan.design).n_fits(),
        learners=k,
        established=plan.established,
        python=_python(plan, answered, known),
        command=_command(plan, answered, known),
        reasons=plan.reasons,
        warnings=plan.warnings,
        answers=dict(known),
    )


# What to paste for models that are fitted already, by the method that answers.
OF_ONE_MODEL = {
    "accuracy_interval": "print(op.accuracy_interval((y_test == predicted).sum(), len(y_test)))",
}
OF_MODELS = {
    "mcnemar": "print(op.all_pairs(y_test, predictions))  # names to predicted labels",
    "simultaneous": "print(op.simultaneous(losses, lower_is_better=True))",
    "paired_t": "print(op.paired_t(losses_a, losses_b, lower_is_better=True))",
}
CLASSIFIERS = ("tree", "nb", "logistic", "knn", "forest")
REGRESSORS = ("tree", "linear", "knn", "forest")
OF_PREDICTIONS = {"mcnemar": "outperform compare predictions.csv"}


def _python(plan: Plan, answered: int, known: Mapping[str, Any]) -> str:
    scoring = SCORING.get(known.get("loss", ""))
    how = f'design="{plan.design}"' + (f', scoring="{scoring}"' if scoring else "")
    if answered == 9:
        return 'print(op.compare("scores.csv"))  # columns: dataset, learner, score'
    if answered == 1 and (pasted := OF_ONE_MODEL.get(plan.method)):
        return pasted
    if known["aim"] == "estimate":
        return f"print(op.estimate(learner, X, y, {how}))"
    if answered == 3:
        return OF_MODELS[plan.method]
    if plan.method != default_method(plan.design):
        how += f', method="{plan.method}"'
    return f"print(op.compare(learners, X, y, {how}))"


def _command(plan: Plan, answered: int, known: Mapping[str, Any]) -> str:
    if answered == 9:
        return "outperform compare scores.csv"
    if answered == 3 and (pasted := OF_PREDICTIONS.get(plan.method)):
        return pasted
    k = 1 if known["aim"] == "estimate" else known["learners"]
    names = CLASSIFIERS if known["loss"] in ("zero-one", "log") else REGRESSORS
    more = (f"tree{i}=tree" for i in range(2, k))  # names to be replaced by learners of one's own
    named = [*names, *more][:k]
    words = ["outperform run data.csv --target target", *(f"--learner {name}" for name in named)]
    words += ["--task numbers"] * (names is REGRESSORS)
    words.append(f"--design {plan.design}")
    scoring = SCORING.get(known["loss"])
    words += [f"--scoring {scoring}"] * (scoring is not None)
    line = " ".join(words)
    if known["aim"] == "compare" and plan.method != default_method(plan.design):
        line += f" --method {plan.method}"
    return line
