"""Errors of the library say what to pass in Python; here that becomes what to type."""

from __future__ import annotations

import re
from collections.abc import Callable

ROLES = (
    "learner",
    "score",
    "dataset",
    "partition",
    "repeat",
    "fold",
    "y_true",
    "n_train",
    "n_test",
)
SAME = "metric layout design scoring method store alternative adjust control alpha rope null"
OTHERS = "separator domains about aim sample loss learners fits half worse"
OPTIONS = {
    **{name: f"--{name}" for name in (*SAME.split(), *OTHERS.split())},
    "random_state": "--seed",
    "n_jobs": "--jobs",
    "time_limit": "--time-limit",
    "train_size": "--train-size",
}
FLAGS = {
    "lower_is_better": "--lower-is-better",
    "fitted": "--fitted",
    "drop_incomplete": "--drop-incomplete",
    "incomplete": "--incomplete",
    "isolate": "--isolate",
    "force": "--force",
    "confirm_large": "--confirm-large",
    "exact": "--exact",
}
WORDS = r"'[^']*'|\"[^\"]*\"|-?[\w.@/*…-]*[\w@…]"
ASSIGNED = re.compile(
    rf"(?<!--column )(?<!--limit )(?<![\w'\"(.-])([a-z_]+)=(\[[^\]]*\]|\{{[^}}]*\}}|{WORDS})"
)
CALLS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(r"outperform\.methods\(design=('[^']*'|\"[^\"]*\")\)"),
        lambda found: f"outperform methods --design {_typed(found[1])}",
    ),
    (re.compile(r"outperform\.methods\(\)"), lambda _: "outperform methods"),
    (re.compile(r"explain\('(\w+)'\)"), lambda found: f"outperform explain {found[1]}"),
    (
        re.compile(r"first outperform\.storage\.Store\.open\([^)]*\)\.forget_failed\(\)"),
        lambda _: "add --retry",
    ),
)


def as_options(text: str) -> str:
    """Return a message in which arguments such as ``design='10cv'`` are options."""
    for pattern, typed in CALLS:
        text = pattern.sub(typed, text)
    return ASSIGNED.sub(_option, text)


def _option(found: re.Match[str]) -> str:
    name, value = found[1], found[2]
    if name in ROLES:
        words = re.findall(WORDS, value) if value.startswith("[") else [value]
        return " ".join(f"--column {name.replace('_', '-')}={_typed(word)}" for word in words)
    if name == "limits":
        pairs = re.findall(r"'(\w+)': (\S+?)(?=[,}])", value)
        return " ".join(f"--limit {key}={number}" for key, number in pairs)
    if name in FLAGS and value == "True":
        return FLAGS[name]
    return f"{OPTIONS[name]} {_typed(value)}" if name in OPTIONS else found[0]


def _typed(value: str) -> str:
    """Return a value as a shell takes it: quoted where it must be, NAME where it is left open."""
    import shlex

    plain = value[1:-1] if value[:1] in ("'", '"') else value
    return "NAME" if plain == "…" else shlex.quote(plain)
