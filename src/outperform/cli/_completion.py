"""What shells offer while a command is typed: methods, designs, codes, learners of a file."""

from __future__ import annotations

from typing import Any

__all__ = ["adjustments", "designs", "methods", "topics"]


def methods(_: Any, __: Any, typed: str) -> list[str]:
    from ..registry import methods

    return [name for name in ("auto", *methods().names) if name.startswith(typed)]


def designs(_: Any, __: Any, typed: str) -> list[str]:
    from ..notation import EXAMPLES

    return [design for design in EXAMPLES if design.startswith(typed)]


def adjustments(_: Any, __: Any, typed: str) -> list[str]:
    from ..adjustments import ADJUSTMENTS

    return [name for name in ADJUSTMENTS if name.startswith(typed)]


def topics(ctx: Any, parameter: Any, typed: str) -> list[str]:
    from ..notes import NOTES

    codes = [code for code in NOTES if code.startswith(typed.upper())]
    return [name for name in methods(ctx, parameter, typed) if name != "auto"] + codes
