"""`advise`: which design and which method answer the question that is asked, and at what cost.

Implements B-28, D-01, D-15 and D-58.
"""

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
from ..errors import DataError, DesignError, MethodError, argument, counted
from ..numerics.measured_sizes import SIZES
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
    "train_size": ": it applies to large samples; here the design determines it",
    "fits": ": it matters for small samples only",
    "learners": ": it counts the learners that are compared",
    "results": ": it matters with several datasets only",
}


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice on design and method, as `advise` returns it; prints as a short page.

    Attributes
    ----------
    question : int
        Dietterich's number of the question.
    answered_as : int
        The question that is answered instead, where the one asked has no direct answer.
    design : str
        The design to run, in short notation.
    method : str
        Name of the recommended method.
    fits : int or None
        Training runs of each learner.
    learners : int
        Number of learners that are compared.
    established : bool
        False if no statistical method is established; the advice is then the nearest one.
    python : str
        Python code that can be pasted.
    command : str
        A command line that can be pasted.
    reasons : tuple of Reason
        Why this is advised, each with its papers.
    warnings : tuple of Reason
        What to keep in mind, each with its papers.
    measured : str
        How often the method rejected true null hypotheses; empty if that was not measured.
    answers : mapping
        The answers the advice is based on.

    Examples
    --------
    >>> import outperform as op
    >>> advice = op.advise(domains="one", about="algorithm", aim="compare", n=500, learners=2)
    >>> advice.cost
    900
    >>> advice.to_dict()["established"]
    True
    """

    question: int
    answered_as: int
    design: str
    method: str
    fits: int | None
    learners: int
    established: bool
    python: str
    command: str
    reasons: tuple[Reason, ...] = ()
    warnings: tuple[Reason, ...] = ()
    measured: str = ""
    answers: Mapping[str, Any] = field(default_factory=dict)

    @property
    def cost(self) -> int | None:
        """Training runs of all learners together."""
        return None if self.fits is None else self.fits * self.learners

    def to_dict(self) -> dict[str, Any]:
        """Return the advice as data for JSON.

        Returns
        -------
        dict
            The attributes, and the question in words.
        """

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
            "measured": self.measured or None,
            "python": self.python,
            "command": self.command,
            "answers": dict(self.answers),
        }

    def __str__(self) -> str:
        from ..report import advice_text

        return advice_text.advice(self)


def advise(
    *,
    domains: str | None = None,
    about: str | None = None,
    aim: str | None = None,
    n: int | None = None,
    sample: str | None = None,
    loss: str | None = None,
    learners: int | None = None,
    results: str | None = None,
    train_size: int | None = None,
    fits: int | None = None,
    half: str | None = None,
    worse: str | None = None,
) -> Advice:
    """Find the design and the method for a question, by Dietterich's nine questions.

    Parameters
    ----------
    domains : {"one", "several"}, optional
        Whether the question is about one domain or several.
    about : {"classifier", "algorithm"}, optional
        Fitted models that will be used, or algorithms that will be trained again.
    aim : {"estimate", "compare"}, optional
        Whether to estimate the performance of one learner or to compare learners.
    n : int, optional
        Number of items.
    sample : {"large", "small"}, optional
        Large: enough for a separate test set, and for algorithms several disjoint training sets.
    loss : {"zero-one", "log", "squared", "absolute"}, optional
        Loss of an item.
    learners : int, optional
        Number of learners that are compared.
    results : {"table", "splits", "none"}, optional
        Which results there are over several datasets: one score of each learner and dataset, the
        scores of every split, or none yet.
    train_size : int, optional
        The training size that matters, for large samples.
    fits : int, optional
        How many times each learner can be trained, for small samples.
    half : {"yes", "no"}, optional
        Whether half of the data give about the same accuracy.
    worse : {"false alarm", "miss", "neither"}, optional
        Which error would be worse.

    Returns
    -------
    Advice
        What to do; `python` and `command` can be pasted.

    Raises
    ------
    DataError
        If answers contradict each other.

    Notes
    -----
    The questions are those of Dietterich (1998); advice on several partitions follows Bradford and
    Brodley (2001).

    Examples
    --------
    >>> import outperform as op
    >>> advice = op.advise(domains="one", about="algorithm", aim="compare", n=500)
    >>> advice.design, advice.method
    ('10x5cv+40halves', 'calibrated_t')
    """
    given = {
        "domains": domains,
        "about": about,
        "aim": aim,
        "n": n,
        "sample": sample,
        "loss": loss,
        "learners": learners,
        "results": results,
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
        items = counted(smallest, "item")
        said = f"Test sets have only {items}; at least {FEWEST} are recommended"
        yield Reason(said, ("D-24",))
    large = n >= ENOUGH[known["about"]]
    if (known["sample"] == "large") != large:
        yield Reason(
            f"{argument(sample=known['sample'])} is used, although {n:,} items would count as "
            f"{'large' if large else 'small'} (large: at least {ENOUGH[known['about']]:,})",
            (),
        )


def _unused(given: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[Reason]:
    """Say which answers play no part in the question that is asked."""
    asked = {question.key for question in path(known)}
    for key in ("loss", "learners", "results", "train_size", "fits", "half", "worse"):
        if given[key] is not None and key not in asked and (key, given[key]) != ("learners", 1):
            why = UNUSED.get(key, "")
            yield Reason(f"{argument(**{key: given[key]})} has no effect here{why}", ())


def _default(asked: Question, known: Mapping[str, Any]) -> Any:
    if asked.key == "train_size" and "n" in known:
        return max(known["n"] // (2 * SETS), 1)  # half of the data train, half test
    return asked.default


def measured(method: str, design: str) -> str:
    """Say how often a test rejected true null hypotheses; nothing for one that was not measured."""
    if (found := SIZES.get(f"{method} {design}")) is None:
        return ""
    cases, _, usual, most = found
    return (
        f"Measured on {cases} true null hypotheses at α = 5 %: it rejects {usual:.1f} % in the "
        f"median case and {most:.1f} % in the worst."
    )


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
        measured=measured(plan.method, plan.design),
        answers=dict(known),
    )


# What to paste for models that are fitted already, by the method that answers.
OF_ONE_MODEL = {
    "accuracy_interval": "print(op.accuracy_interval((y_test == predicted).sum(), len(y_test)))",
}
OF_MODELS = {
    "mcnemar": "print(op.all_pairs(y_test, predictions))  # names to predicted labels",
    "simultaneous": "print(op.simultaneous(losses, lower_is_better=True))",
    "paired_t": "print(op.paired_t(losses_a, losses_b, unit='items', lower_is_better=True))",
}
CLASSIFIERS = ("tree", "nb", "logistic", "knn", "forest")
REGRESSORS = ("tree", "linear", "knn", "forest")
OF_PREDICTIONS = {"mcnemar": "outperform compare predictions.csv"}
OVER_DATASETS = {
    "table": 'print(op.compare("benchmark.csv"))  # columns: dataset, learner, score',
    "splits": 'print(op.compare("benchmark.csv", method="hierarchical"))  # and a column fold',
    "none": "print(op.compare(op.benchmark(learners, datasets)))  # six or more, name: (X, y)",
}


def _python(plan: Plan, answered: int, known: Mapping[str, Any]) -> str:
    scoring = SCORING.get(known.get("loss", ""))
    how = f'design="{plan.design}"' + (f', scoring="{scoring}"' if scoring else "")
    if answered == 9:
        return OVER_DATASETS[known["results"]]
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
        return _over_datasets(plan, known)
    if answered == 3 and (pasted := OF_PREDICTIONS.get(plan.method)):
        return pasted
    k = 1 if known["aim"] == "estimate" else known["learners"]
    names = CLASSIFIERS if known["loss"] in ("zero-one", "log") else REGRESSORS
    words = ["outperform run data.csv --target target", *_named(names, k)]
    words += ["--task numbers"] * (names is REGRESSORS)
    words.append(f"--design {plan.design}")
    scoring = SCORING.get(known["loss"])
    words += [f"--scoring {scoring}"] * (scoring is not None)
    line = " ".join(words)
    if known["aim"] == "compare" and plan.method != default_method(plan.design):
        line += f" --method {plan.method}"
    return line


def _named(names: tuple[str, ...], k: int) -> list[str]:
    """Return so many learners as options; beyond ours, names to be replaced by others."""
    more = (f"tree{i}=tree" for i in range(2, k))
    return [f"--learner {name}" for name in [*names, *more][:k]]


def _over_datasets(plan: Plan, known: Mapping[str, Any]) -> str:
    """Return a command for several datasets: a table of results, or data files to be run on."""
    if known["results"] == "none":
        files = "outperform run a.csv b.csv c.csv d.csv e.csv f.csv --target target"
        return " ".join([files, *_named(CLASSIFIERS, known["learners"]), "--store benchmark"])
    line = "outperform compare benchmark.csv"
    if plan.method != default_method("datasets"):
        return f"{line} --method {plan.method} --rope 0.01"
    return line
