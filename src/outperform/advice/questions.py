"""Dietterich's nine questions (D-01): which one is asked, what answers it, and who says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .. import validation
from ..errors import DataError, MethodError, did_you_mean
from ..references import cited

NINE = {
    1: "How accurate is this classifier, given a separate test set?",
    2: "How accurate is the classifier made from all of a small sample?",
    3: "Which of these classifiers is more accurate, given a separate test set?",
    4: "Which of the classifiers made from all of a small sample is more accurate?",
    5: "How accurate is this learning algorithm at a training size, given much data?",
    6: "How accurate is this learning algorithm, given a small sample?",
    7: "Which learning algorithm is more accurate at a training size, given much data?",
    8: "Which learning algorithm is more accurate, given a small sample?",
    9: "Which learning algorithm is more accurate over several domains?",
}

ENOUGH = {"classifier": 1_000, "algorithm": 5_000}
"""Items from which a sample counts as large. The rule is ours, the paper gives none: a third of
1,000 tells an accuracy to about ±.05; 5,000 make eight training sets of 300 and as large a test."""


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to ask: `choices` are (answer, words); without choices a number is asked."""

    key: str
    text: str
    choices: tuple[tuple[str, str], ...] = ()
    default: Any = None
    """What is taken where nothing is said; None where it must be said."""

    @property
    def is_number(self) -> bool:
        return not self.choices

    def to_dict(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "text": self.text,
            "choices": [list(choice) for choice in self.choices],
            "default": self.default,
        }

    def read(self, answer: Any) -> Any:
        """Return an answer as it is kept, or an error that says what would do."""
        if self.choices:
            word = str(answer).strip().lower()
            allowed = [value for value, _ in self.choices]
            if word not in allowed:
                hint = did_you_mean(word, allowed)
                raise MethodError(f"{self.key}={answer!r} is no answer to {self.text!r}; {hint}")
            return word
        number = validation.one_number(_number(answer, self.key), self.key)
        if number < 1 or number % 1:
            raise DataError(f"{self.key}={answer!r} was given; a whole number from 1 on is needed")
        return int(number)


DOMAINS = Question(
    "domains",
    "Does the question concern one domain (one task, one dataset), or several?",
    (("one", "one domain"), ("several", "several domains, with a dataset of each")),
)
ABOUT = Question(
    "about",
    "Is it about classifiers that are fitted and will be used, or about learning algorithms that "
    "will be trained anew?",
    (("classifier", "fitted classifiers"), ("algorithm", "learning algorithms")),
)
AIM = Question(
    "aim",
    "Is the accuracy of one to be estimated, or are several to be compared?",
    (("estimate", "estimate one"), ("compare", "compare several")),
)
TEST_SET = Question(
    "sample",
    "Is there a separate test set that the classifiers have never seen?",
    (("large", "yes, or data enough to set one aside"), ("small", "no, all data are trained on")),
)
MANY_SETS = Question(
    "sample",
    "Are there data enough for several disjoint training sets of the size that matters, and a "
    "test set beside them?",
    (("large", "yes"), ("small", "no, splits have to share items")),
)
LOSS = Question(
    "loss",
    "What counts as an error?",
    (
        ("zero-one", "right or wrong"),
        ("log", "log loss of class probabilities"),
        ("squared", "squared error of numbers"),
        ("absolute", "absolute error of numbers"),
    ),
    "zero-one",
)
LEARNERS = Question("learners", "How many learners are compared?", default=2)
TRAIN_SIZE = Question("train_size", "At which training size, in items?", default=200)
FITS = Question("fits", "How many times can each learner be trained?", default=100)
HALF = Question(
    "half",
    "Are the learners about as accurate when trained on half of the data?",
    (("yes", "yes"), ("no", "no, or not known")),
    "no",
)
WORSE = Question(
    "worse",
    "Which mistake is worse?",
    (
        ("false alarm", "to claim a difference that is not there"),
        ("miss", "to miss a difference that is there"),
        ("neither", "neither"),
    ),
    "neither",
)
ALL = (DOMAINS, ABOUT, AIM, MANY_SETS, LOSS, LEARNERS, TRAIN_SIZE, FITS, HALF, WORSE)


def questions(answers: Mapping[str, Any] | None = None) -> Question | None:
    """Return the next question that these answers leave open, None when all is known.

    Ask it, put the answer under its key, and call again; `Question.read` checks an answer, and
    `advise(**answers)` takes them all. n=768 answers how much data there is.
    """
    known = settled(answers or {})
    return next((asked for asked in path(known) if asked.key not in known), None)


def settled(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return answers checked, with what follows from them; those left out as None are dropped."""
    keys = {asked.key: asked for asked in ALL} | {"n": Question("n", "How many items are there?")}
    for key in answers:
        if key not in keys:
            raise MethodError(f"{key!r} is not asked about; {did_you_mean(str(key), keys)}")
    known = {k: keys[k].read(v) for k, v in answers.items() if v is not None}
    if "n" in known and "sample" not in known and "about" in known:
        known["sample"] = "large" if known["n"] >= ENOUGH[known["about"]] else "small"
    return known


def number_of(known: Mapping[str, Any]) -> int:
    """Return which of the nine questions settled answers ask (D-01)."""
    if known["domains"] == "several":
        return 9
    number = 1 + 4 * (known["about"] == "algorithm") + 2 * (known["aim"] == "compare")
    return int(number + (known["sample"] == "small"))


def path(known: Mapping[str, Any]) -> list[Question]:
    """Return the questions that matter, as far as the answers lead."""
    path = [DOMAINS]
    if known.get("domains") == "several":
        return [*path, LEARNERS]
    path += [ABOUT, AIM, TEST_SET if known.get("about") == "classifier" else MANY_SETS, LOSS]
    if any(asked.key not in known for asked in path[:-1]):
        return path
    number = number_of(known)
    if known["aim"] == "compare":
        path.append(LEARNERS)
    if number in (5, 7):
        path.append(TRAIN_SIZE)
    if number in (4, 8):
        path.append(FITS)
        fits = known.get("fits", 0)
        path += [HALF] * (10 <= fits < 15) + [WORSE] * (fits >= 10)
    return path


def _number(answer: Any, key: str) -> Any:
    if not isinstance(answer, str):
        return answer
    try:
        return float(answer.strip().replace(",", "").replace("_", ""))
    except ValueError:
        raise DataError(f"{key}={answer!r} was given; a number is needed, such as 100") from None


PAPER_OF = {
    "D": "dietterich",
    "B": "bradford-brodley",
    "R": "bouckaert-frank",
    "N": "nadeau-bengio",
    "F": "feelders-verkooijen",
}
"""By the letter of a requirement."""
SETS = 8
"""Disjoint training sets, as in the design that quasi_f is published with."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, and which requirement of which paper says so."""

    text: str
    ids: tuple[str, ...]

    def __str__(self) -> str:
        said = "; ".join(dict.fromkeys(cited(PAPER_OF[one[0]]) for one in self.ids))
        return f"{self.text} ({said})" if said else self.text


@dataclass(frozen=True, slots=True)
class Plan:
    """What a question is answered by, before it is put into words to paste."""

    design: str
    method: str
    reasons: tuple[Reason, ...]
    warnings: tuple[Reason, ...] = ()
    established: bool = True


def _one_classifier(known: Mapping[str, Any]) -> Plan:
    zero_one = known["loss"] == "zero-one"
    text = "A binomial interval from a test set that the classifier has not seen"
    if not zero_one:
        text = "A normal or t interval for the mean loss over the items of a separate test set"
    return Plan(
        "holdout@1/3",
        "accuracy_interval" if zero_one else "estimate",
        (Reason(text, ("D-02",) if zero_one else ("D-12", "D-13")),),
        (Reason("Speaks of this classifier, not of the algorithm that made it", ("D-14",)),),
    )


def _classifiers(known: Mapping[str, Any]) -> Plan:
    zero_one, many = known["loss"] == "zero-one", known["learners"] > 2
    reasons = [
        Reason("McNemar's test on a separate test set", ("D-04", "D-16"))
        if zero_one
        else Reason("An interval for the mean difference of item losses", ("D-13", "F-02"))
    ]
    if many:
        reasons.append(
            Reason(
                "With several classifiers all pairs are one family: p-values and intervals have to "
                "hold together",
                ("F-05", "F-11"),
            )
        )
    method = "mcnemar" if zero_one else "simultaneous" if many else "paired_t"
    warning = Reason(
        "The variation that another training set would bring is not in the p-value", ("D-14",)
    )
    return Plan("holdout@1/3", method, tuple(reasons), (warning,))


def _one_algorithm(known: Mapping[str, Any]) -> Plan:
    reason = Reason(
        "Several disjoint training sets and one test set: the mean test loss, with a standard "
        "error of training sets and test items",
        ("D-06",),
    )
    return Plan(_disjoint(known), "estimate", (reason,))


def _cross_validated(known: Mapping[str, Any]) -> Plan:
    reason = Reason(
        "Stratified 10-fold cross-validation, which trains on 90% of the data", ("D-07",)
    )
    smooth = Reason(
        "Assumes that accuracy changes smoothly with training size; learning_curve() checks it at "
        "smaller sizes",
        ("D-08",),
    )
    return Plan(f"10cv{_stratified(known)}", "estimate", (reason,), (smooth,))


def _algorithms(known: Mapping[str, Any]) -> Plan:
    reason = Reason(
        "Disjoint training sets and one test set: the quasi-F test counts training sets and test "
        "items as random",
        ("D-09",),
    )
    return Plan(_disjoint(known), "quasi_f", (reason, *_family(known)))


def _resampled(known: Mapping[str, Any]) -> Plan:
    """Question 8, by what can be afforded and which mistake is worse."""
    plan = _affordable(known)
    size = Reason(
        "Speaks of algorithms trained on the size of the training sets, not of all the data; their "
        "difference has to change slowly with it",
        ("D-57", "D-08"),
    )
    return replace(plan, reasons=(*plan.reasons, *_family(known)), warnings=(*plan.warnings, size))


def _affordable(known: Mapping[str, Any]) -> Plan:
    fits, folds = known["fits"], _stratified(known)
    worse = known.get("worse", "neither")
    if fits < 10:
        once = Reason("When a learner can be trained once only, McNemar's test", ("D-55",))
        fitted = Reason("Speaks of the two fitted models rather than of algorithms", ("D-14",))
        method = "mcnemar" if known["loss"] == "zero-one" else "paired_t"
        return Plan("holdout@1/3", method, (once,), (fitted,))
    if worse == "miss":
        power = Reason("The most powerful test, for when missing a difference is worse", ("D-55",))
        alarm = Reason("Up to twice as many false alarms as α says, with real learners", ("D-48",))
        one = Reason("One partition may decide the verdict: look at several", ("B-29",))
        return Plan(f"10cv{folds}", "kfold_t", (power,), (alarm, one))
    if worse == "false alarm" and fits >= 165:
        halvings = 10 if fits >= 315 else 5
        safe = Reason(
            "Errs on the safe side; 5 to 10 halvings and 15 resamples do", ("N-19", "N-32")
        )
        return Plan(f"{halvings}x15halves@1/10", "conservative_z", (safe,))
    if fits >= 100:
        best = Reason(
            "Corrected 10×10 cross-validation: the most replicable of the tests", ("R-26",)
        )
        return Plan(f"10x10cv{folds}", "corrected_t", (best,))
    if fits >= 20:
        runs = Reason(
            "The corrected t over repeated cross-validation; ten repeats are best", ("R-19", "R-26")
        )
        return Plan(f"{fits // 10}x10cv{folds}", "corrected_t", (runs,))
    if fits >= 15:
        enough = Reason("15 random splits are enough for the corrected resampled t", ("N-32",))
        return Plan("15xresampled@1/10", "corrected_t", (enough,))
    rerun = Reason("Least replicable: another seed may say otherwise", ("R-16",))
    if known.get("half") == "yes":
        five = Reason("5x2cv, where half of the data give comparable accuracy", ("D-55", "B-28"))
        return Plan("5x2cv", "five_by_two_t", (five,), (rerun,))
    ten = Reason(
        "10-fold cross-validation, where half of the data would be too few; the corrected "
        "t instead of the plain one",
        ("B-28", "N-18"),
    )
    one = Reason("One partition may decide the verdict: average over several", ("B-29",))
    return Plan(f"10cv{folds}", "corrected_t", (ten,), (one,))


def _several_domains(known: Mapping[str, Any]) -> Plan:
    ranks = Reason("Signed ranks of one difference for each domain", ("D-11",))
    open_ = Reason(
        "The question is open: such tests ignore how uncertain each comparison is; look at each "
        "domain by question 8 as well",
        ("D-11",),
    )
    many = Reason("Tests of many domains one by one are a family too", ("B-25", "B-26"))
    return Plan("one score for each domain", "wilcoxon", (ranks, *_family(known)), (open_, many))


PLANS: dict[int, Callable[[Mapping[str, Any]], Plan]] = {
    1: _one_classifier,
    3: _classifiers,
    5: _one_algorithm,
    6: _cross_validated,
    7: _algorithms,
    8: _resampled,
    9: _several_domains,
}


def of_loss(plan: Plan, known: Mapping[str, Any], number: int) -> Plan:
    """Say what is not known of other losses than right and wrong (D-12, D-13)."""
    loss = known.get("loss", "zero-one")
    if loss == "log":
        said = Reason(
            "No test was made for log loss in particular; this is that of question "
            f"{number} on log losses",
            ("D-12",),
        )
        return replace(plan, warnings=(*plan.warnings, said))
    if loss in ("squared", "absolute") and number in (2, 4, 6, 8):
        said = Reason(
            f"Not established: for {loss} errors of a small sample Dietterich knows no appropriate "
            "test; what is advised is the nearest one",
            ("D-13",),
        )
        return replace(plan, established=False, warnings=(said, *plan.warnings))
    return plan


def _family(known: Mapping[str, Any]) -> tuple[Reason, ...]:
    if known["learners"] < 3:
        return ()
    text = (
        "All pairs are one family, adjusted together; with a baseline compare(…, control=NAME) "
        "asks less and finds more"
    )
    return (Reason(text, ("F-05", "B-08", "B-26")),)


def _disjoint(known: Mapping[str, Any]) -> str:
    size, n = known["train_size"], known.get("n")
    if n is not None and SETS * size + 30 > n:
        raise DataError(
            f"{SETS} disjoint training sets of {size} and a test set of 30 need {SETS * size + 30} "
            f"items, but n={n}; pass a smaller train_size, or sample='small'"
        )
    return f"{SETS}disjoint@{size}"


def _stratified(known: Mapping[str, Any]) -> str:
    return "/stratified" if known["loss"] in ("zero-one", "log") else ""
