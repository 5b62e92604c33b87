"""Designs as people write them: forms and strings, sizes, and scikit-learn splitters by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any

from ..errors import DesignError, did_you_mean
from .splitting import Size

EXAMPLES = (
    *("10cv", "10x10cv", "5x2cv", "loo", "holdout@1/3", "30xresampled@1/3"),
    *("30xresampled@1/10/train1/2", "10x15halves@1/10", "8disjoint@200", "55*10cv"),
    "20seeds@1/3",
    "5forward",
    "5forward/gap10",
    "5x5cv+20halves",
)
MOST_CHARACTERS = 120
"""Of a design: a longer text is none, and searching it for habits takes minutes."""
# How people write designs, and the form of ours to offer; the first that is found decides.
HABITS = {
    r"seed": "20seeds@1/3",
    r"forward|time|serie|expanding|sliding|rolling": "5forward",
    r"(?:cv|fold).*hal[fv]|calib": "5x5cv+20halves",
    r"hal[fv]": "10x15halves@1/10",
    r"disjoint|delve": "8disjoint@200",
    r"resampl|shuffle|random|bootstrap|monte": "30xresampled@1/3",
    r"hold|split": "holdout@1/3",
    r"loo|leave": "loo",
    r"([2-9]|[1-9]\d+)x([2-9]|[1-9]\d+)": "{0}x{1}cv",
    r"repeat": "10x10cv",
    r"([2-9]|[1-9]\d+)\W?k?\W?(?:fold|cv)|(?:fold|cv)\W?([2-9]|[1-9]\d+)": "{0}cv",
    r"fold|cv|cross": "10cv",
}

CROSS = {
    "KFold": "",
    "StratifiedKFold": "/stratified",
    "GroupKFold": "/grouped",
    "StratifiedGroupKFold": "/stratified/grouped",
}
REPEATED = {"RepeatedKFold": "", "RepeatedStratifiedKFold": "/stratified"}
# The fraction is scikit-learn's test size when neither size is given.
DRAWN = {
    "ShuffleSplit": ("", Fraction(1, 10)),
    "StratifiedShuffleSplit": ("/stratified", Fraction(1, 10)),
    "GroupShuffleSplit": ("/grouped", Fraction(1, 5)),
}
FOLDS = "specify its kind and number of folds, such as '5cv' for 5 folds that cover all items"
SIZES = "pass the sizes of its splits instead, as in corrected_t(a, b, n_train=100, n_test=2)"
INSTEAD = {
    "PredefinedSplit": FOLDS,
    "LeaveOneGroupOut": FOLDS,
    "LeavePOut": SIZES,
    "LeavePGroupsOut": SIZES,
}


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that says what it counts: f"{Amount(3):split}" is "3 splits"."""

    value: Size

    def __format__(self, what: str) -> str:
        if not what:
            return str(self.value)
        share = " of the" * isinstance(self.value, Fraction)
        return f"{self.value}{share} {what}{'s' * (self.value != 1)}"


def fill(form: str, values: dict[str, Any]) -> str:
    """Write a form, in which {} is a field and [] is left out when a field is None."""
    return re.sub(r"\[(.*)\]", "" if None in values.values() else r"\1", form).format(**values)


def read_text(
    text: str, forms: dict[str, str], examples: tuple[str, ...] = EXAMPLES
) -> tuple[str, dict[str, object]]:
    """Return the name of the form a string was filled from, and the values of its fields."""
    if len(text) > MOST_CHARACTERS:
        raise DesignError(
            f"{text[:20] + '…'!r} is not a design: of its {len(text):,} characters a design has at "
            f"most {MOST_CHARACTERS}; use for example '10x10cv'"
        )
    tidy = re.sub(r"\s", "", text).lower().replace("×", "x")
    tidy = re.sub(r"^(\d+\*)?1x(?!2cv)(?=\d+cv)", r"\1", tidy)  # 1x10cv is 10cv
    for name, form in forms.items():
        pattern = form.translate(
            {ord("*"): r"\*", ord("+"): r"\+", ord("["): "(?:", ord("]"): ")?"}
        )
        pattern = re.sub(r"\{(\w+)\}", _field, pattern)
        found = re.fullmatch(pattern + r"(?P<switches>(?:/stratified|/grouped)*)", tidy)
        if found:
            given = {key: value for key, value in found.groupdict().items() if value is not None}
            switches = given.pop("switches").split("/")[1:]
            values = {k: int(v) if v.isdecimal() and k != "of" else v for k, v in given.items()}
            return name, {**values, **dict.fromkeys(switches, True)}
    raise DesignError(
        f"{text!r} is not a design; valid forms are {', '.join(examples)}, optionally followed by "
        f"/stratified or /grouped; {_suggestion(tidy)}"
    )


def _field(found: re.Match[str]) -> str:
    number = r"\d{1,99}"  # int() refuses thousands of digits with an error of its own
    size = rf"{number}/{number}|\d*\.{number}%?|{number}%?"
    kinds = {"of": ".+", "test": size, "train": size, "window": r"\d{0,99}"}
    kind = kinds.get(found[1], number)
    return f"(?P<{found[1]}>{kind})"


def _suggestion(tidy: str) -> str:
    for habit, form in HABITS.items():
        found = re.search(habit, tidy)
        if found:
            near = form.format(*(number for number in found.groups() if number))
            if re.search("cv|holdout|resampled", near):
                near += "/stratified" * ("strat" in tidy) + "/grouped" * ("group" in tidy)
            return f"did you mean {near!r}?"
    hint = did_you_mean(tidy, EXAMPLES)
    return hint if hint.startswith("did you mean") else "use for example '10x10cv'"


def as_size(value: Any, name: str) -> Size:
    """Read a number of items, or a share of them such as 1/3, 0.1 or "10%".

    Parameters
    ----------
    value : int, float, Fraction or str
        The size.
    name : str
        Name of the parameter, for the message.

    Returns
    -------
    int or Fraction
        The size.

    Raises
    ------
    DesignError
        If it is not one.

    Examples
    --------
    >>> from outperform.extend import as_size
    >>> as_size("10%", "test"), as_size(20, "test")
    (Fraction(1, 10), 20)
    """
    size: Size = 0
    try:
        if isinstance(value, str) and not value.isdecimal():
            size = Fraction(value.removesuffix("%")) / (100 if value.endswith("%") else 1)
        elif isinstance(value, str | Integral) and not isinstance(value, bool):
            size = int(value)
        elif isinstance(value, Rational):
            size = Fraction(value)
        else:  # a float stands for the simple fraction it is nearest to, else for its decimals
            size = Fraction(float(value)).limit_denominator(1000)
            size = size if float(size) == value else Fraction(repr(float(value)))
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        pass  # refused below, with everything else that is no size
    if size <= 0 or (isinstance(size, Fraction) and size >= 1):
        raise DesignError(
            f"{name} must be a fraction between 0 and 1 or a positive number of items, "
            f"got {value!r}; write for example '1/3', '10%' or 50"
        )
    return size


def read_splitter(splitter: object) -> str:
    """Return the string of the design that a scikit-learn splitter stands for.

    It describes scores that were made with it: where data are split, its own splits are used. A
    share of the groups is read as the same share of the items.
    """
    kind = type(splitter)
    name = kind.__name__
    if not kind.__module__.startswith("sklearn."):
        raise DesignError(
            "a design must be a string, a number of folds, a design object of this package or a "
            f"scikit-learn splitter, got {name}; use for example '10x10cv'"
        )
    given = getattr(splitter, "__dict__", {})
    if name == "LeaveOneOut":
        return "loo"
    if name in CROSS:
        return f"{given['n_splits']}cv{CROSS[name]}"
    if name == "TimeSeriesSplit":
        size, most = given["test_size"], given["max_train_size"]
        text = f"{given['n_splits']}forward" + ("" if size is None else f"@{size}")
        text += f"/gap{given['gap']}" if given["gap"] else ""
        return text if most is None else f"{text}/sliding{most}"
    if name in REPEATED:
        return f"{given['n_repeats']}x{given['cvargs']['n_splits']}cv{REPEATED[name]}"
    if name in DRAWN:
        return f"{given['n_splits']}xresampled@{_sides(name, given)}{DRAWN[name][0]}"
    instead = INSTEAD.get(name, "use a string such as '10cv', '10x10cv' or '30xresampled@1/3'")
    raise DesignError(f"scikit-learn's {name} has no equivalent design; {instead}")


def _sides(name: str, given: dict[str, object]) -> str:
    sizes = {
        side: as_size(given[side], f"{side} of {name}")
        for side in ("test_size", "train_size")
        if given[side] is not None
    }
    test, train = sizes.get("test_size"), sizes.get("train_size")
    if name == "GroupShuffleSplit" and any(isinstance(size, int) for size in sizes.values()):
        raise DesignError(
            "GroupShuffleSplit counts groups, designs count items; "
            "give its sizes as fractions, such as test_size=0.2"
        )
    if test is None:
        if isinstance(train, int):
            raise DesignError(
                f"train_size={train} alone leaves the size of the test set unknown; give {name} a "
                "test_size as well, such as test_size=0.1"
            )
        test = DRAWN[name][1] if train is None else 1 - train
    return f"{test}" if train is None else f"{test}/train{train}"
