"""Dietterich's nine questions (D-01): which one is asked, what answers it, and who says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .. import validation
from ..errors import DataError, MethodError, argument, call, did_you_mean
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
    """What is used without an answer; None where an answer is required."""
    explanation: str = ""
    """What the question means and why it matters; shown for "?"."""

    @property
    def is_number(self) -> bool:
        return not self.choices

    def to_dict(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "text": self.text,
            "choices": [list(choice) for choice in self.choices],
            "default": self.default,
            "explanation": self.explanation,
        }

    def read(self, answer: Any) -> Any:
        """Return an answer as it is kept, or an error that says what would do."""
        if self.choices:
            word = str(answer).strip().lower()
            allowed = [value for value, _ in self.choices]
            if word not in allowed:
                hint = did_you_mean(word, allowed)
                raise MethodError(
                    f"The {self.key!r} parameter must be {' or '.join(map(repr, allowed))}, got "
                    f"{answer!r}; {hint}"
                )
            return word
        number = validation.one_number(_number(answer, self.key), self.key)
        if number < 1 or number % 1:
            raise DataError(
                f"The {self.key!r} parameter must be a positive integer, got {answer!r}"
            )
        return int(number)


DOMAINS = Question(
    "domains",
    "Is this about one task, or about several?",
    (
        ("one", "one task, with one dataset (e.g. customers who leave)"),
        ("several", "several tasks, with a dataset each (e.g. a benchmark of 20 datasets)"),
    ),
    explanation="With one task, the result applies to data like these. With several, each dataset "
    "gives one difference, and the result applies to datasets like these.",
)
ABOUT = Question(
    "about",
    "Is it about fitted models, or about the algorithms that train them?",
    (
        ("classifier", "fitted models (e.g. the model in production vs. a new one)"),
        ("algorithm", "learning algorithms (e.g. boosting vs. logistic regression)"),
    ),
    explanation="A fitted model will be used as it is, and only the test items are random. An "
    "algorithm will be trained again, so the result also has to allow for other training sets.",
)
AIM = Question(
    "aim",
    "Do you want to estimate the accuracy of one, or to compare several?",
    (
        ("estimate", "estimate one (e.g. how accurate is it?)"),
        ("compare", "compare two or more (e.g. is A more accurate than B?)"),
    ),
    explanation="An estimate comes with an interval; a comparison with an interval for the "
    "difference, a p-value and a verdict.",
)
TEST_SET = Question(
    "sample",
    "Is there a separate test set that the models have never seen?",
    (
        ("large", "yes, or enough data to set one aside (e.g. 1,000 items or more)"),
        ("small", "no, all data are used for training"),
    ),
    explanation="Items that a model was trained on say little about new items. Without a test "
    "set, the algorithms are compared instead, by resampling.",
)
MANY_SETS = Question(
    "sample",
    "Are there enough data for several disjoint training sets and a test set?",
    (
        ("large", "yes (e.g. 5,000 items: 8 training sets of 300, and a test set)"),
        ("small", "no, training sets have to overlap (e.g. 300 items)"),
    ),
    explanation="Disjoint training sets are independent, so the variation between them can be "
    "measured directly. With fewer data, training sets overlap and the test has to correct for it.",
)
LOSS = Question(
    "loss",
    "What counts as an error?",
    (
        ("zero-one", "a wrong label (accuracy)"),
        ("log", "log loss of predicted probabilities"),
        ("squared", "squared error of predicted numbers"),
        ("absolute", "absolute error of predicted numbers"),
    ),
    "zero-one",
    "Right or wrong labels have tests of their own, such as McNemar's; other losses are compared "
    "by their means.",
)
LEARNERS = Question(
    "learners",
    "How many learners are compared (e.g. 2)?",
    default=2,
    explanation="With three or more, all pairs are compared, and p-values are adjusted for their "
    "number.",
)
RESULTS = Question(
    "results",
    "What has been measured on the datasets?",
    (
        ("table", "one score for each learner and dataset"),
        ("splits", "the scores of several splits of each dataset"),
        ("none", "nothing yet: the learners are to be run"),
    ),
    "table",
    "With the scores of splits, a model of all datasets also estimates how uncertain the result on "
    "each one is, and what to expect on a new one. Learners that are run here keep their splits.",
)
TRAIN_SIZE = Question(
    "train_size",
    "Which training size matters, in items (e.g. 200)?",
    default=200,
    explanation="The size of the training sets that the algorithms will have in practice. The "
    "result applies to this size.",
)
FITS = Question(
    "fits",
    "How many times can each learner be trained (e.g. 450)?",
    default=450,
    explanation="More fits make the result more reliable: 450 (most of them on half of the data) "
    "allow the calibrated design 10x5cv+40halves, 225 the smaller one, 5x5cv+20halves, 100 allow "
    "10-fold cross-validation repeated 10 times, 10 a single one.",
)
HALF = Question(
    "half",
    "Are the learners about as accurate when trained on half of the data?",
    (("yes", "yes (e.g. the learning curve is flat)"), ("no", "no, or not known")),
    "no",
    "The 5x2cv test trains on half of the data, and applies to learners trained on that many.",
)
WORSE = Question(
    "worse",
    "Which mistake is worse?",
    (
        ("false alarm", "claiming a difference that does not exist"),
        ("miss", "missing a difference that exists"),
        ("neither", "neither"),
    ),
    "neither",
    "Some tests make fewer false alarms, others miss fewer differences.",
)
ALL = (DOMAINS, ABOUT, AIM, MANY_SETS, LOSS, LEARNERS, RESULTS, TRAIN_SIZE, FITS, HALF, WORSE)


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
            raise MethodError(f"Unknown question {key!r}; {did_you_mean(str(key), keys)}")
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
        return [*path, LEARNERS, RESULTS]
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
        raise DataError(
            f"The {key!r} parameter must be a positive integer, such as 100, got {answer!r}"
        ) from None


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


CALIBRATED = ((450, "10x5cv+40halves"), (225, "5x5cv+20halves"))
"""Calibrated designs by the fits they cost, the most thorough first."""
MEASURED_FROM = 60
"""Items below which the calibrated t-test lowers its grade."""
FEWEST = 40
"""Items below which the data cannot be halved, as in the default of a run."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, and which requirement of which paper says so."""

    text: str
    ids: tuple[str, ...]

    @property
    def papers(self) -> tuple[str, ...]:
        """The papers that say so, by author and year."""
        return tuple(dict.fromkeys(cited(PAPER_OF[one[0]]) for one in self.ids))

    def __str__(self) -> str:
        return f"{self.text} ({'; '.join(self.papers)})" if self.ids else self.text


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
        (Reason("Applies to this fitted model, not to the algorithm that trained it", ("D-14",)),),
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
                "All pairs are one family: p-values are adjusted, and intervals are simultaneous",
                ("F-05", "F-11"),
            )
        )
    method = "mcnemar" if zero_one else "simultaneous" if many else "paired_t"
    warning = Reason("The p-value does not include the variation between training sets", ("D-14",))
    return Plan("holdout@1/3", method, tuple(reasons), (warning,))


def _one_algorithm(known: Mapping[str, Any]) -> Plan:
    reason = Reason(
        "Several disjoint training sets and one test set: the mean test loss, with a standard "
        "error that includes both training sets and test items",
        ("D-06",),
    )
    return Plan(_disjoint(known), "estimate", (reason,))


def _cross_validated(known: Mapping[str, Any]) -> Plan:
    reason = Reason(
        "Stratified 10-fold cross-validation, which trains on 90% of the data", ("D-07",)
    )
    smooth = Reason(
        "Assumes that accuracy changes smoothly with training size; learning_curve checks this at "
        "smaller sizes",
        ("D-08",),
    )
    return Plan(f"10cv{_stratified(known)}", "estimate", (reason,), (smooth,))


def _algorithms(known: Mapping[str, Any]) -> Plan:
    reason = Reason(
        "Disjoint training sets and one test set: the quasi-F test treats both training sets and "
        "test items as random",
        ("D-09",),
    )
    return Plan(_disjoint(known), "quasi_f", (reason, *_family(known)))


def _resampled(known: Mapping[str, Any]) -> Plan:
    """Question 8, by what can be afforded and which mistake is worse."""
    plan = _affordable(known)
    size = Reason(
        "Applies to algorithms trained on as many items as the training sets have, not on all the "
        "data; assumes that their difference changes slowly with training size",
        ("D-57", "D-08"),
    )
    reasons = (*plan.reasons, *_departure(plan, known), *_family(known))
    return replace(plan, reasons=reasons, warnings=(*plan.warnings, size))


def _departure(plan: Plan, known: Mapping[str, Any]) -> tuple[Reason, ...]:
    """Say where the advice is not Dietterich's own, 5x2cv from ten fits on, and why."""
    if known["fits"] < 10 or any("D-55" in reason.ids for reason in plan.reasons):
        return ()
    text = (
        "Departs from Dietterich, who recommends 5x2cv where a learner can be trained ten times: "
        "5x2cv trains on half of the data only, and ten repetitions with other seeds disagreed "
        "on 14 to 18 of 27 datasets"
    )
    if known["fits"] < 15:
        text += f". {argument(half='yes')} recommends it"
    return (Reason(text, ("D-55", "R-16")),)


def _affordable(known: Mapping[str, Any]) -> Plan:
    fits, folds = known["fits"], _stratified(known)
    worse = known.get("worse", "neither")
    if fits < 10:
        once = Reason("Each learner can be trained only once", ("D-55",))
        fitted = Reason("Applies to the fitted models rather than to the algorithms", ("D-14",))
        method = "mcnemar" if known["loss"] == "zero-one" else "paired_t"
        return Plan("holdout@1/3", method, (once,), (fitted,))
    if worse == "miss":
        power = Reason("The most powerful test, if missing a difference is worse", ("D-55",))
        alarm = Reason(
            "About twice as many false alarms as α states, with real learners", ("D-48",)
        )
        one = Reason("The verdict may depend on the partition; try several", ("B-29",))
        return Plan(f"10cv{folds}", "kfold_t", (power,), (alarm, one))
    if worse == "false alarm" and fits >= 165:
        halvings = 10 if fits >= 315 else 5
        safe = Reason(
            "Conservative; 5 to 10 halvings and 15 resamples are enough", ("N-19", "N-32")
        )
        return Plan(f"{halvings}x15halves@1/10", "conservative_z", (safe,))
    if fits >= CALIBRATED[-1][0] and known.get("n", FEWEST) >= FEWEST:
        plan = _calibrated(fits)
        if known.get("n", MEASURED_FROM) >= MEASURED_FROM:
            return plan
        few = Reason(
            f"With fewer than {MEASURED_FROM} items the evidence is graded assumed: the error rate "
            "was measured on larger datasets only",
            (),
        )
        return replace(plan, warnings=(*plan.warnings, few))
    if fits >= 100:
        best = Reason(
            "The corrected t-test on 10×10 cross-validation is the most replicable test", ("R-26",)
        )
        return Plan(f"10x10cv{folds}", "corrected_t", (best,))
    if fits >= 30:
        thirds = Reason(
            "The corrected t-test on 30 random splits: in our measurements it had more power than "
            "on 10-fold cross-validation, and fewer false alarms than on repeated cross-validation",
            (),
        )
        return Plan("30xresampled@1/3", "corrected_t", (thirds,))
    if fits >= 20:
        runs = Reason(
            "The corrected t-test on repeated cross-validation; ten repeats are best",
            ("R-19", "R-26"),
        )
        return Plan(f"{fits // 10}x10cv{folds}", "corrected_t", (runs,))
    if fits >= 15:
        enough = Reason("15 random splits are enough for the corrected resampled t-test", ("N-32",))
        return Plan("15xresampled@1/10", "corrected_t", (enough,))
    rerun = Reason("Least replicable: another seed may give another verdict", ("R-16",))
    if known.get("half") == "yes":
        five = Reason("5x2cv, because half of the data give comparable accuracy", ("D-55", "B-28"))
        return Plan("5x2cv", "five_by_two_t", (five,), (rerun,))
    ten = Reason(
        "10-fold cross-validation, because half of the data may be too few; with the corrected "
        "t-test instead of the plain one",
        ("B-28", "N-18"),
    )
    one = Reason("The verdict may depend on the partition; average over several", ("B-29",))
    return Plan(f"10cv{folds}", "corrected_t", (ten,), (one,))


def _calibrated(fits: int) -> Plan:
    """Return the most thorough calibrated design that can be afforded."""
    design = next(design for cost, design in CALIBRATED if fits >= cost)
    measured = Reason(
        "The calibrated t-test measures how splits correlate. The corrected t-test on 10×10 "
        "cross-validation, the most replicable of the published tests, assumes it",
        ("R-26",),
    )
    cheaper = Reason(
        f"Cheaper, with evidence graded assumed instead of measured: {argument(design='10x10cv')}, "
        "100 fits",
        ("R-26",),
    )
    if design == CALIBRATED[0][1]:
        cheaper = Reason(
            f"Cheaper: {argument(design=CALIBRATED[1][1])} with {CALIBRATED[1][0]} fits, which a "
            f"store extends later; or {argument(design='10x10cv')}, 100 fits, with evidence graded "
            "assumed instead of measured",
            ("R-26",),
        )
    return Plan(design, "calibrated_t", (measured, cheaper))


def _several_domains(known: Mapping[str, Any]) -> Plan:
    """Question 9, by what was measured on the datasets."""
    ranks = Reason("Signed-rank test with one difference per dataset", ("D-11",))
    many = Reason("Tests on many datasets one by one need an adjustment, too", ("B-25", "B-26"))
    ignores = "An open question: such tests ignore how uncertain each comparison is"
    if known["results"] == "splits":
        model = Reason(
            "The hierarchical model uses the splits of all datasets and so accounts for how "
            "uncertain each comparison is; a test with one difference per dataset does not. "
            "Without a method, compare prints such a test, and this model for the two best "
            "learners",
            ("D-11",),
        )
        return Plan("splits of each dataset", "hierarchical", (model,), (many,))
    reasons = (ranks, *_family(known))
    if known["results"] == "none":
        model = Reason(
            f"{ignores}. The hierarchical model of the splits does not, and is printed as well "
            f"({argument(method='hierarchical')} for all pairs)",
            ("D-11",),
        )
        return Plan(f"{CALIBRATED[-1][1]} on each dataset", "wilcoxon", reasons, (model, many))
    open_ = Reason(f"{ignores}; also look at each dataset by itself (question 8)", ("D-11",))
    return Plan("one score for each dataset", "wilcoxon", reasons, (open_, many))


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
            "No test was designed for log loss in particular; this is the one for question "
            f"{number}, applied to log losses",
            ("D-12",),
        )
        return replace(plan, warnings=(*plan.warnings, said))
    if loss in ("squared", "absolute") and number in (2, 4, 6, 8):
        said = Reason(
            f"Not established: Dietterich names no appropriate test for {loss} errors in a small "
            "sample; this is the closest one",
            ("D-13",),
        )
        return replace(plan, established=False, warnings=(said, *plan.warnings))
    return plan


def _family(known: Mapping[str, Any]) -> tuple[Reason, ...]:
    if known["learners"] < 3:
        return ()
    text = (
        "All pairs are one family, with adjusted p-values; to compare with a baseline only, "
        f"{call('compare', 'results.db', control=...)} tests fewer pairs and has more power"
    )
    return (Reason(text, ("F-05", "B-08", "B-26")),)


def _disjoint(known: Mapping[str, Any]) -> str:
    size, n = known["train_size"], known.get("n")
    if n is not None and SETS * size + 30 > n:
        raise DataError(
            f"{SETS} disjoint training sets of {size} and a test set of 30 need {SETS * size + 30} "
            f"items, got {argument(n=n)}; use a smaller train_size, or {argument(sample='small')}"
        )
    return f"{SETS}disjoint@{size}"


def _stratified(known: Mapping[str, Any]) -> str:
    return "/stratified" if known["loss"] in ("zero-one", "log") else ""
