"""Numbers, names and intervals as readers want them; names and files may hold anything."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..errors import spelt, spelt_name
from ..readers.column_names import bare

if TYPE_CHECKING:
    from ..procedures.sufficiency import Sufficiency
    from ..results.comparison import Comparison


Row = dict[str, Any]
"""One pair of a comparison, as `rows` gives it."""
PLAIN = 8
"""Decimals up to which numbers are written out; of more, three figures and a power of ten."""


def decimals_for(stderr: float | None, *values: float) -> int:
    """Return how many decimals show two figures of the standard error (or of the value)."""
    size = stderr or max((abs(v) for v in values if math.isfinite(v)), default=0.0)
    if not size or not math.isfinite(size):
        return 3
    return min(max(1 - math.floor(math.log10(size)), 0), 15)


def apart(value: float, decimals: int, *limits: float, sign: bool = False) -> str:
    """Return a number in as many decimals as tell it from 0 and from each limit that it is not."""
    needed = _needed(value, decimals, limits)
    if needed is not None:
        return fixed(value, needed, sign=sign)
    text = f"{value:+.17g}" if float(f"{value:.15g}") in limits else f"{value:+.15g}"
    return text.replace("-", "−") if sign else text.lstrip("+").replace("-", "−")


def ends(
    low: float, high: float, decimals: int, *limits: float, sign: bool = False
) -> tuple[str, str]:
    """Return both ends of an interval, none of them printed as a limit that it is not.

    An end printed as 0.0000 beside a decision would seem to deny it.
    """
    needed = (_needed(end, decimals, limits) for end in (low, high))
    common = max([decimals, *(n for n in needed if n is not None and n <= PLAIN)])
    first, second = (apart(end, common, *limits, sign=sign) for end in (low, high))
    return first, second


def bracketed(interval: Iterable[float], decimals: int, *limits: float, sign: bool = False) -> str:
    """Return an interval in brackets."""
    low, high = interval
    return f"[{', '.join(ends(low, high, decimals, *limits, sign=sign))}]"


def _needed(value: float, decimals: int, limits: tuple[float, ...]) -> int | None:
    others = [limit for limit in (0.0, *limits) if limit != value]
    plain = decimals <= PLAIN and abs(value) < 1e7
    if plain and all(abs(value - other) * 10**decimals > 1.5 for other in others):
        return decimals  # the usual case, and tables have thousands of numbers
    for more in range(decimals, max(decimals, PLAIN + 1) + 1):
        if fixed(value, more) not in [fixed(other, more) for other in others]:
            return more
    return None


def fixed(value: float, decimals: int, *, sign: bool = False) -> str:
    """Return a fixed-point number with a true minus sign; very large or small ones in powers."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    small = value != 0 and decimals > PLAIN
    text = f"{value:+.3g}" if small or abs(value) >= 1e7 else f"{value:+.{decimals}f}"
    if not text.strip("+-0."):
        return text.lstrip("+-")  # what shows as zero has no side to show
    text = text.replace("-", "−")
    return text if sign else text.lstrip("+")


def short(value: float | None) -> str:
    """Return a statistic or a count in at most four significant figures."""
    if value is None:
        return "–"
    if value == int(value) and abs(value) < 1e7:
        return f"{int(value)}".replace("-", "−")
    return f"{value:.4g}".replace("-", "−")


def pvalue(p: float | None, log_p: float | None = None) -> str:
    """Return "p = 0.021" or "p < 0.001"; below 1e-300 the power of ten from its logarithm."""
    number = p_number(p, log_p)
    if p is None:
        return number
    return f"p {number}" if number[0] in "<>" else f"p = {number}"


def p_number(p: float | None, log_p: float | None = None, *, power: str = "10^−{}") -> str:
    """Return a p-value as it stands in a table: "0.021" or "< 0.001"."""
    if p is None:
        return "no p-value"
    if p >= 0.9995:
        return "1" if p == 1 else "> 0.999"
    if p >= 0.001:
        return f"{p:.3f}"
    if log_p is not None and log_p < math.log(1e-300):
        return f"< 0.001 ({power.format(-math.ceil(log_p / math.log(10)))})"
    return "< 0.001"


_LONGEST = 200
_BREAKS = re.compile(r"[\t-\r\x85\u2028\u2029]+")
_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[_/])(?=\w)|(?<= )(?=\S)")


def sentence(text: str) -> str:
    """Return text of any length in one line; characters that show nothing or turn it are spelt."""
    return spelt(_BREAKS.sub(" ", str(text)))


def terminal(text: str) -> str:
    """Return a name with unseen characters spelt out, as <U+202E>; its length is bounded."""
    kept = spelt_name(str(text))
    return kept if len(kept) <= _LONGEST else kept[: _LONGEST - 1] + "…"


def name_parts(name: str) -> list[str]:
    """Return the parts of a name between which a line may break: words, also of CamelCase."""
    return _BETWEEN_WORDS.split(name)


def markup(text: str) -> str:
    """Return a sentence, or a name that was bounded, that shows as itself in HTML."""
    return html.escape(sentence(text), quote=True)


SHARES = frozenset(
    (
        "accuracy",
        "balancedaccuracy",
        "topkaccuracy",
        "error",
        "errorrate",
        "zerooneloss",
        "f1",
        "precision",
        "recall",
        "sensitivity",
        "specificity",
        "jaccard",
        "auc",
        "rocauc",
        "aucroc",
        "averageprecision",
        "brier",
    )
)
"""Metrics between 0 and 1, by their names without case, spaces and endings."""


def is_share(metric: str) -> bool:
    """Tell by its name whether a metric lies between 0 and 1."""
    name = bare(metric)
    return name in SHARES or re.sub("(micro|macro|weighted|score|ovr|ovo)+$", "", name) in SHARES


def score_interval(
    low: float, high: float, estimate: float, digits: int, metric: str, *limits: float
) -> tuple[str, str]:
    """Return the interval of one score in brackets, no wider than it can be, and what was cut.

    An accuracy of 95.3 is counted in percent, and is left as it is.
    """
    shown, cut = (low, high), ""
    if is_share(metric) and 0 <= estimate <= 1:
        shown = (max(low, 0.0), min(high, 1.0))
        over = [
            f"{apart(end, digits, limit)}, but {terminal(metric)} is {word} {limit}"
            for end, word, limit, beyond in (
                (low, "at least", 0, low < 0),
                (high, "at most", 1, high > 1),
            )
            if beyond and math.isfinite(end)
        ]
        cut = f"the formula gives {' and '.join(over)}" if over else ""
    return f"[{', '.join(ends(*shown, digits, *limits))}]", cut


def largest_difference(shown: Comparison) -> float:
    """Return the largest difference that scores of this metric can have, where they are shares."""
    scores = shown.scores
    if scores is None or not is_share(shown.metric):
        return math.inf
    rows = [scores.own(name) for name in scores.names]
    return 1.0 if all(row.min() >= 0 and row.max() <= 1 for row in rows) else math.inf


def turned(row: Row) -> Row:
    """Return a pair seen from its second side."""
    low, high = (None if row[end] is None else -row[end] for end in ("high", "low"))
    verdict = {"outperforms": "outperformed", "outperformed": "outperforms"}.get(row["verdict"])
    return {
        **row,
        "names": row["names"][::-1],
        "estimate": -row["estimate"],
        "low": low,
        "high": high,
        "verdict": verdict or row["verdict"],
    }


def estimate_text(row: Row, digits: int) -> str:
    """Return the estimate, by its own standard error where the table's would show it as 0."""
    if round(row["estimate"], digits) == 0:
        digits = max(digits, decimals_for(row["stderr"], row["estimate"]))
    shown = fixed if row["verdict"] == "no decision" else apart
    return shown(row["estimate"], digits, sign=True)


def threshold(enough: Sufficiency) -> str:
    """Return a threshold of t: two-sided tests have one on either side."""
    return ("±" if enough.alternative == "two-sided" else "") + short(enough.threshold)
