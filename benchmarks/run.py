"""Run every benchmark, print one table of ratios, and exit 1 when a mark is missed."""

from __future__ import annotations

import sys
import time
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent


def main(chosen: list[str]) -> int:
    names = sorted(path.stem for path in HERE.glob("bench_*.py"))
    wanted = [name for name in names if not chosen or name.removeprefix("bench_") in chosen]
    print(f"{'':4} {'ratio':>9}  {'mark':>9}  what")
    missed = 0
    for name in wanted:
        started = time.perf_counter()
        print(f"measuring {name.removeprefix('bench_')} …", file=sys.stderr)
        for row in import_module(name).measure():
            sign = "≥" if row.floor else "≤"
            mark = "met " if row.met else "MISS"
            missed += not row.met
            note = f"  ({row.note})" if row.note else ""
            print(f"{mark} {row.ratio:9.3g}  {sign} {row.mark:7g}  {row.name}{note}", flush=True)
        print(f"  took {time.perf_counter() - started:.0f} s", file=sys.stderr)
    print(f"{missed} marks missed" if missed else "all marks met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main(sys.argv[1:]))
