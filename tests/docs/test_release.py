"""What would be released works by itself: the wheel in an empty environment, and its version."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from places import ROOT

import outperform as op


def run(*command: str | Path, cwd: Path) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env |= {"PYTHONUTF8": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8", env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of an environment with the wheel, and with our dependencies only."""
    folder = tmp_path_factory.mktemp("release")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "empty", symlinks=True)
    programs = folder / "empty" / "bin"
    install = "--python", programs / "python", "install", "-q", "--no-deps", "--no-index", wheel
    run(sys.executable, "-m", "pip", "--disable-pip-version-check", *install, cwd=folder)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run(programs / "python", "-c", where, cwd=folder).strip())
    # Packages are found where they are, so that nothing is downloaded; .pth files are not read.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return programs


@pytest.mark.slow
def test_the_wheel_runs_the_demo_in_an_empty_environment(installed: Path, tmp_path: Path) -> None:
    said = run(
        installed / "outperform", "demo", "--design", "holdout@1/3", "--jobs", "1", cwd=tmp_path
    )
    assert "logistic" in said
    assert "verdict" in said
    assert (tmp_path / "report.html").read_text("utf-8").startswith("<!doctype html>")
    where = run(
        installed / "python", "-c", "import outperform; print(outperform.__file__)", cwd=tmp_path
    )
    assert Path(where.strip()).is_relative_to(installed.parent)
    assert run(installed / "outperform", "--version", cwd=tmp_path).strip().endswith(op.__version__)
