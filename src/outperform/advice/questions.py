"""Dietterich's nine questions: what must be known to tell which one is asked (D-01)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .. import validation
from ..errors import DataError, MethodError, did_you_mean

__all__ = ["ENOUGH", "NINE", "Question", "number_of", "path", "questions", "settled"]


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
