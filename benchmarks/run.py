"""Run every benchmark, print its ratios and tables, and exit 1 when a mark is missed.

Names choose some of them; --write renews what docs/benchmarks.md says of these.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from pathlib import Path

import page
from timing import Row, Table

HERE = Path(__file__).parent


def main(words: list[str]) -> int:
    chosen = [word for word in words if word != "--write"]
    names = [path.stem.removeprefix("bench_") for path in sorted(HERE.glob("bench_*.py"))]
    unknown = [word for word in chosen if word not in names]
    if unknown:
        print(f"there is no benchmark {unknown[0]!r}; there are {names}", file=sys.stderr)
        return 2
    print(f"{'':4} {'ratio':>9}  {'mark':>9}  what")
    missed = 0
    for name in chosen or names:
        parts = _measured(name)
        if "--write" in words:
            page.write({name: parts})
        missed += sum(not part.met for part in parts if isinstance(part, Row))
    print(f"{missed} marks missed" if missed else "all marks met")
    return 1 if missed else 0


def _measured(name: str) -> list[Row | Table]:
    started = time.perf_counter()
    print(f"measuring {name} …", file=sys.stderr)
    parts: list[Row | Table] = import_module(f"bench_{name}").measure()
    for part in parts:
        print(part, flush=True)
    print(f"  took {time.perf_counter() - started:.0f} s", file=sys.stderr)
    return parts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
