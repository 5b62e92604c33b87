"""Packages that serve their names on first use: one table, which type checkers read too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import outperform as op
from outperform import engine, lab
from outperform.lazy import lazy

PACKAGES = (lab, engine)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_name_of_the_table_is_there_and_listed(package) -> None:
    assert package.__all__
    for name in package.__all__:
        assert getattr(package, name).__name__ == name
        assert name in dir(package)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_what_is_not_in_the_table_is_no_attribute(package) -> None:
    with pytest.raises(AttributeError, match=f"'{package.__name__}' has no attribute 'studdy'"):
        _ = package.studdy
    assert not hasattr(package, "__wrapped__")


def test_a_name_is_its_own_module_where_the_table_imports_it_from_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "idle"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from outperform.lazy import lazy\nTYPE_CHECKING = False\nif TYPE_CHECKING:\n"
        "    from . import sub as sub\n    from .sub import one as one\n"
        "    from .sub import hidden\n__getattr__, __dir__ = lazy(__name__)\n"
    )
    (folder / "sub.py").write_text("one = 1\nhidden = 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    import idle

    assert idle.__all__ == ["sub", "one"]
    assert idle.one == 1
    assert idle.sub.hidden == 2
    assert not hasattr(idle, "hidden")


def loaded_by(program: str) -> set[str]:
    """Return the modules that a program of its own has loaded at its end."""
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split("\n")[-2].split())


def test_importing_the_package_loads_the_standard_library_only() -> None:
    loaded = {name.partition(".")[0] for name in loaded_by("import outperform")}
    before = {name.partition(".")[0] for name in loaded_by("")}
    assert loaded - before - sys.stdlib_module_names == {"outperform"}


@pytest.mark.parametrize("package", ["lab", "engine"])
def test_importing_a_package_loads_none_of_its_modules(package: str) -> None:
    loaded = loaded_by(f"import outperform.{package}; dir(outperform.{package})")
    assert {name for name in loaded if name.startswith("outperform")} == {
        "outperform",
        "outperform.lazy",
        f"outperform.{package}",
    }
    assert not loaded & {"numpy", "scipy", "sklearn"}


@pytest.mark.slow
def test_a_study_of_the_designed_population_loads_neither_engine_nor_run_store() -> None:
    loaded = loaded_by(
        "import outperform as op\n"
        "op.study(['corrected_t'], op.lab.DesignedPopulation(0.1), n_reps=50).rates()"
    )
    assert "outperform.lab.populations" in loaded
    assert not loaded & {"sklearn", "polars", "matplotlib", "outperform.engine.running"}
    assert not loaded & {"outperform.storage.run_store", "outperform.storage.run_reader"}


@pytest.mark.slow
def test_a_verdict_needs_no_report() -> None:
    loaded = loaded_by(
        "import outperform as op\n"
        "pair = op.methods.corrected_t([0.8, 0.9, 0.7], [0.7, 0.8, 0.65], design='3cv')\n"
        "pair.verdict(alpha=0.01, rope=0.02).outcome"
    )
    assert "outperform.results.verdict" in loaded
    assert not {name for name in loaded if name.startswith("outperform.report")}


def test_the_helper_serves_the_very_objects() -> None:
    get, listed = lazy("outperform.lab")
    assert get("DesignedPopulation") is op.lab.DesignedPopulation
    assert "DesignedPopulation" in listed()
