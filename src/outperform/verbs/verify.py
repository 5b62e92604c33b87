"""`verify`: recompute everything that a record says, from the scores inside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import DataError, OutperformError, spelt, spelt_name
from ..results.records import (
    ASKED,
    FINDINGS,
    KEYS,
    KINDS,
    SCHEMA,
    SHORT,
    differences,
    family_of,
    seal,
)
from ..results.result import versions
from ..scores.items import Items
from ..scores.payload import check_size, decoded
from ..scores.split_scores import Scores
from .compare import compare

MOST_BYTES = 2**29
"""Of a record: more is refused before it is read."""
SHOWN = 10
"""Differences that are printed one by one."""


class DamagedRecord(DataError):
    """A file is no record, or one that cannot be read any more."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of recomputing a record, as `verify` returns it.

    Attributes
    ----------
    path : str
        File that was verified.
    sha256 : str
        The hash that the record carries.
    is_sealed : bool
        Whether the content still has that hash.
    differences : tuple[tuple[str, Any, Any], ...]
        The place, the recorded value and the recomputed one; empty if all agree to the last bit.
    other_versions : mapping
        Packages whose version differs from the recorded one: then and now.
    verdicts : tuple of str
        The recomputed verdict on each pair.

    Examples
    --------
    >>> import outperform as op
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "verdict.outperform.json")
    ...     sha256 = op.compare({"a": [3, 5, 4], "b": [1, 2, 2]}, design="3cv").record(path)
    ...     found = op.verify(path)
    >>> found.agrees, found.differences
    (True, ())
    >>> found.to_dict()["sealed"], len(found.lines())
    (True, 2)
    """

    path: str
    sha256: str
    is_sealed: bool
    differences: tuple[tuple[str, Any, Any], ...]
    other_versions: Mapping[str, tuple[str | None, str | None]]
    verdicts: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether the record is as it was written and every value was found again."""
        return self.is_sealed and not self.differences

    def to_dict(self) -> dict[str, Any]:
        """Return the verification as data for JSON.

        Returns
        -------
        dict
            Keys path, sha256, agrees, sealed, differences, other_versions and verdicts.
        """
        return {
            "path": self.path,
            "sha256": self.sha256,
            "agrees": self.agrees,
            "sealed": self.is_sealed,
            "differences": [
                {"place": place, "recorded": then, "recomputed": now}
                for place, then, now in self.differences
            ],
            "other_versions": {name: list(both) for name, both in self.other_versions.items()},
            "verdicts": list(self.verdicts),
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Return the verification in sentences.

        Returns
        -------
        list of str
            The lines that `print` shows.
        """
        word = "verified" if self.agrees else "NOT verified"
        said = [f"{spelt(self.path)}: {word} (sha256 {spelt_name(self.sha256[:SHORT])})"]
        if not self.is_sealed:
            said.append("  The content does not match its sha256: it was changed after writing.")
        said += [
            f"  {spelt_name(place)}: recorded {_shown(then)}, recomputed {_shown(now)}"
            for place, then, now in self.differences[:SHOWN]
        ]
        if len(self.differences) > SHOWN:
            said.append(f"  … and {len(self.differences) - SHOWN:,} more differences")
        said += [
            f"  {spelt_name(name)}: recorded with {spelt_name(then or 'none')}, now {now or 'none'}"
            for name, (then, now) in self.other_versions.items()
        ]
        return [*said, *(f"  {spelt(verdict)}" for verdict in self.verdicts[:SHOWN])]


def verify(path: Any) -> Verification:
    """Recompute a record from the scores inside it, and say what differs.

    The scores, not the results, are taken from the record: they are judged again by the recorded
    method with the recorded options, and every estimate, interval, p-value, verdict, grade and note
    is compared to the last bit. What is drawn at random, such as a bootstrap or the order of a
    race, is drawn again from the recorded seed. The file is read as data; no code is run from it.

    Parameters
    ----------
    path : path
        A file that `Comparison.record`, `Race.record` or `--record` has written.

    Returns
    -------
    Verification
        `agrees` is True if the content has its sha256 and every value was found again.

    Raises
    ------
    DataError
        If the file does not exist, is not a record, or is damaged.

    Examples
    --------
    >>> import outperform as op
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "verdict.outperform.json")
    ...     sha256 = op.compare("examples/scores.csv").record(path)
    ...     found = op.verify(path)
    >>> found.agrees
    True
    """
    held = _read(Path(path))
    recomputed, known = _compared, ASKED
    if held.get("kind") == "race":
        from .race_record import ASKED_OF_RACES

        recomputed, known = _raced, ASKED_OF_RACES
    asked = held["asked"]
    try:
        is_sealed = held.get("sha256") == seal(held)
        check_size(held["measured"])
        estimand, again, verdicts = recomputed(asked, decoded(held["measured"]))
        found = [
            *((name, held[name], None) for name in held if name not in KEYS),
            *((f"asked.{name}", asked[name], None) for name in asked if name not in known),
            *differences(held.get("estimand"), estimand, "estimand"),
            *differences(held["found"], again),
        ]
    except OutperformError as error:
        raise DamagedRecord(f"{path} cannot be recomputed: {_bounded(str(error))}") from None
    except Exception as error:  # a stranger's data: whatever they raise is damage
        raise DamagedRecord(f"{path} is a damaged record: {_bounded(repr(error))}") from None
    then = held["versions"]
    now = versions()
    return Verification(
        str(path),
        str(held.get("sha256")),
        is_sealed,
        tuple(found),
        {
            name: (then.get(name), now.get(name))
            for name in dict.fromkeys((*then, *now))
            if then.get(name) != now.get(name)
        },
        verdicts,
    )


def _compared(asked: Mapping[str, Any], scores: Any) -> tuple[str, dict[str, Any], tuple[str, ...]]:
    """Compare again; return the estimand, what was found, and the verdict on each pair."""
    if not isinstance(scores, Scores):
        raise DataError("a record needs scores")
    found = compare(
        scores,
        method=str(asked["method"]),
        alternative=str(asked["alternative"]),
        adjust=str(asked["adjust"]),
        control=asked["control"],
    )
    reading = {key: asked[key] for key in ("alpha", "level", "rope")}
    made = json.loads(found.to_json(**reading))
    verdicts = tuple(
        f"{spelt_name(first)} vs. {spelt_name(second)}: "
        f"{found.verdict(first, second, asked['alpha'], asked['rope'])}"
        for first, second in found.pair_names[:SHOWN]
    )
    again = {**{key: made[key] for key in FINDINGS}, "family": family_of(found)}
    return str(made["estimand"]), again, verdicts


def _raced(asked: Mapping[str, Any], scores: Any) -> tuple[str, dict[str, Any], tuple[str, ...]]:
    """Race again; return the estimand, how it ended, and that in words."""
    from .race import again
    from .race_record import RacedScores, findings

    if not isinstance(scores, Items) or len(scores.names) != 2:
        raise DataError("the record of a race needs the items of two models")
    raced = RacedScores.of(scores, called=asked["called"] is True)
    found = again(raced, (scores.names[0], scores.names[1]), asked)
    words = f"{found.outcome} after {found.n:,} of {found.n_items:,} items"
    names = " vs. ".join(map(spelt_name, found.names))
    return found.estimand(), findings(found), (f"{names}: {words}",)


def _read(path: Path) -> dict[str, Any]:
    """Return the content of a record, refusing what is none."""
    if not path.is_file():
        raise DataError(f"{str(path)!r} was not found. Name a file that --record has written")
    if path.stat().st_size > MOST_BYTES:
        raise DamagedRecord(f"{path} has more than {MOST_BYTES:,} bytes, which no record has")
    try:
        held = json.loads(
            path.read_bytes(),
            parse_constant=_no_constant,
            object_pairs_hook=_without_twins,
        )
    except DamagedRecord as error:
        raise DamagedRecord(f"{path} is a damaged record: {error}") from None
    except (ValueError, RecursionError):
        raise DamagedRecord(
            f"{path} is not a record, or was cut short: it is not valid JSON"
        ) from None
    schema = held.get("schema") if isinstance(held, dict) else None
    if schema != SCHEMA:
        raise DamagedRecord(f"{path} must have the schema {SCHEMA!r}, got {schema!r}")
    parts = ("measured", "asked", "found", "versions")
    lost = [name for name in parts if not isinstance(held.get(name), dict)]
    if held.get("kind", KINDS[0]) not in KINDS:
        raise DamagedRecord(
            f"{path} must be the record of a comparison or a race, got {held['kind']!r}"
        )
    if lost:
        raise DamagedRecord(f"{path} is a damaged record: no {' and no '.join(lost)}")
    if not all(isinstance(one, str | None) for one in held["versions"].values()):
        raise DamagedRecord(f"{path} is a damaged record: a version must be text")
    return dict(held)


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} among the numbers")


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict[str, Any]()
    for key, value in pairs:
        if key in made:
            raise DamagedRecord(f"duplicate key {key!r}")
        made[key] = value
    return made


def _shown(value: Any) -> str:
    return _bounded(spelt(json.dumps(value, ensure_ascii=False)), 80)


def _bounded(text: str, most: int = 400) -> str:
    line = text.replace("\n", " ")
    return line if len(line) <= most else f"{line[: most - 3]}…"
