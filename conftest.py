"""What tests may need, and how Hypothesis draws its examples.

`@pytest.mark.needs("datasets")` skips a test when the thing is not there, and says so. With
OUTPERFORM_STRICT_SKIPS=1 every other skip is a failure.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci")
os.environ["COLUMNS"] = "100"  # what is printed wraps at the width of the terminal


def _datasets() -> bool:
    folder = os.environ.get("OUTPERFORM_DATA")
    return bool(folder) and (Path(folder) / "index.json").is_file()


def _chromium() -> bool:
    return any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))


def _weka() -> bool:
    from weka_oracle import weka_jar

    return os.environ.get("OUTPERFORM_ORACLE") == "1" and weka_jar() is not None


def _may_mount() -> bool:
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    allowed = (int(line.split()[1], 16) for line in lines if line.startswith("CapEff:"))
    admin = 21  # CAP_SYS_ADMIN in linux/capability.h
    return any(mask >> admin & 1 for mask in allowed)


RESOURCES: dict[str, tuple[Callable[[], bool], str]] = {
    "datasets": (_datasets, "set OUTPERFORM_DATA to the folder that holds their index.json"),
    "root": (lambda: os.geteuid() == 0, "run as root"),
    "mount": (_may_mount, "run as root where disks may be mounted"),
    "chromium": (_chromium, "put chromium on the PATH"),
    "latex": (lambda: shutil.which("pdflatex") is not None, "put pdflatex on the PATH"),
    "dask": (lambda: find_spec("distributed") is not None, "pip install 'outperform[cluster]'"),
    "weka": (_weka, "install Weka and run make oracle"),
    "xgboost": (lambda: find_spec("xgboost") is not None, "run make interop"),
    "catboost": (lambda: find_spec("catboost") is not None, "run make interop"),
    "inspect_ai": (lambda: find_spec("inspect_ai") is not None, "run make interop"),
    "lm_eval": (lambda: find_spec("lm_eval") is not None, "run make interop"),
    "sphinx": (lambda: find_spec("sphinx") is not None, "pip install 'outperform[docs]'"),
}

_excused = pytest.StashKey[bool]()


def _needed(item: pytest.Item) -> list[str]:
    return [name for marker in item.iter_markers("needs") for name in marker.args]


def _forbid_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if os.environ.get("OUTPERFORM_STRICT_SKIPS") != "1":
        return
    if report.skipped and not hasattr(report, "wasxfail"):
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{why}\nonly @pytest.mark.needs(...) may skip a test here"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for name in _needed(item):
            there, remedy = RESOURCES.get(name, (lambda: True, ""))
            if not there():
                item.stash[_excused] = True
                item.add_marker(pytest.mark.skip(reason=f"needs {name}: {remedy}"), append=False)


def pytest_runtest_setup(item: pytest.Item) -> None:
    unknown = set(_needed(item)) - set(RESOURCES)
    if unknown:
        pytest.fail(f"needs {unknown}; conftest.py knows {sorted(RESOURCES)}", pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if not item.stash.get(_excused, False):
        _forbid_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Iterator[None]:
    report = yield
    _forbid_skip(report)
    return report


@pytest.fixture
def snapshot(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare text with tests/snapshots/NAME.txt; UPDATE_SNAPSHOTS=1 rewrites it."""

    def check(name: str, text: str) -> None:
        path = Path(__file__).parent / "tests" / "snapshots" / f"{name}.txt"
        if os.environ.get("UPDATE_SNAPSHOTS"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        assert path.exists(), f"no snapshot {path.name}; run once with UPDATE_SNAPSHOTS=1"
        assert path.read_text(encoding="utf-8") == text + "\n"

    return check


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A Dask cluster of two workers in processes of their own, one thread each."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    """A command run in this process sets variables for its workers, which no other test sees."""
    with patch.dict(os.environ):
        yield
