"""The direction of flow: who may import whom, and what no module may import or call at all."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SRC = Path(__file__).parent.parent / "src"

# Lowest first. A package counts as one module here.
LAYERS = [
    set(names.split())
    for names in (
        "_version errors lazy notes references validation numerics",
        "designs scores views",
        "registry procedures results testing",
        "advice readers columns learners data store engine",
        "verbs",
        "lab",
        "report",
        "papers",
        "extend cli __init__ __main__",
    )
]

FORBIDDEN_MODULES = ["scipy.stats", "pandas", "pickle", "cloudpickle", "dill", "shelve", "marshal"]
FORBIDDEN_CALLS = {"eval", "exec", "joblib.load", "joblib.dump", "yaml.load", "tempfile.mktemp"}


def source_files() -> dict[str, str]:
    """Return the source of every module of the package by its dotted name."""
    return {
        ".".join(path.relative_to(SRC).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted(SRC.glob("outperform/**/*.py"))
    }


def run_on_import(node: ast.AST) -> Iterator[ast.AST]:
    """Walk the statements that run when a module is imported by a user, not by a type checker."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            for statement in child.orelse:
                yield statement
                yield from run_on_import(statement)
            continue
        yield child
        yield from run_on_import(child)


def imported_names(module: str, node: ast.AST) -> list[str]:
    """Return the dotted names one import statement of a module may bind or load."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        package = module.split(".")[: -node.level] if node.level else []
        origin = ".".join([*package, *([node.module] if node.module else [])])
        return [f"{origin}.{alias.name}" for alias in node.names]
    return []


def module_of(name: str, modules: set[str]) -> str | None:
    """Return the module of the package that a dotted name leads to."""
    parts = name.split(".")
    if parts[0] != "outperform":
        return None
    while parts:
        for candidate in (".".join(parts), ".".join([*parts, "__init__"])):
            if candidate in modules:
                return candidate
        parts.pop()
    return None


def imports_within(sources: dict[str, str]) -> dict[str, set[str]]:
    """Return which modules of the package each module imports when it is itself imported."""
    graph: dict[str, set[str]] = {}
    for module, source in sources.items():
        statements = run_on_import(ast.parse(source))
        names = (name for node in statements for name in imported_names(module, node))
        found = {module_of(name, set(sources)) for name in names}
        graph[module] = {other for other in found if other is not None} - {module}
    return graph


def layer(module: str) -> int:
    part = module.split(".")[1]
    for height, names in enumerate(LAYERS):
        if part in names:
            return height
    raise AssertionError(f"{module}: add it to a layer in tests/test_layers.py")


def upward_imports(sources: dict[str, str]) -> list[str]:
    return [
        f"{module} imports {other}, which is above it"
        for module, others in imports_within(sources).items()
        for other in sorted(others)
        if layer(other) > layer(module)
    ]


def forbidden_uses(sources: dict[str, str]) -> list[str]:
    """Return where a module imports or calls, at any depth, what no module may."""
    found = []
    for module, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            names = imported_names(module, node)
            if isinstance(node, ast.Attribute):
                names = [ast.unparse(node)]
            for name in names:
                if any(f"{name}.".startswith(f"{bad}.") for bad in FORBIDDEN_MODULES):
                    found.append(f"{module}:{node.lineno} uses {name}")
            if isinstance(node, ast.Call):
                if ast.unparse(node.func) in FORBIDDEN_CALLS:
                    found.append(f"{module}:{node.lineno} calls {ast.unparse(node.func)}")
                if any(k.arg == "shell" and ast.unparse(k.value) == "True" for k in node.keywords):
                    found.append(f"{module}:{node.lineno} opens a shell")
    return found


def test_every_module_imports_from_its_own_layer_or_below() -> None:
    assert upward_imports(source_files()) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    TopologicalSorter(imports_within(source_files())).prepare()


def test_no_module_uses_what_is_slow_to_import_or_unsafe() -> None:
    assert forbidden_uses(source_files()) == []


def test_importing_the_package_loads_the_standard_library_only() -> None:
    program = (
        "import sys; before = set(sys.modules); import outperform; "
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) - sys.stdlib_module_names == {"outperform"}


@pytest.mark.parametrize(
    "statement",
    [
        "import outperform.engine",
        "from outperform.engine import run",
        "from outperform import engine",
        "from .engine import run",
        "from . import engine",
        "try:\n    from . import engine\nexcept ImportError:\n    pass",
        "class C:\n    from . import engine",
        "if TYPE_CHECKING:\n    pass\nelse:\n    from . import engine",
    ],
)
def test_an_import_from_above_is_seen_however_it_is_written(statement: str) -> None:
    sources = {"outperform.notes": statement, "outperform.engine": ""}
    assert upward_imports(sources) == [
        "outperform.notes imports outperform.engine, which is above it"
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "def plot():\n    from . import engine",
        "if TYPE_CHECKING:\n    from . import engine",
        "import typing\nif typing.TYPE_CHECKING:\n    from . import engine",
    ],
)
def test_an_import_that_does_not_run_at_import_is_free(statement: str) -> None:
    assert upward_imports({"outperform.notes": statement, "outperform.engine": ""}) == []


def test_a_circle_within_a_layer_is_seen() -> None:
    sources = {
        "outperform.notes": "from . import errors",
        "outperform.errors": "from . import notes",
    }
    with pytest.raises(CycleError):
        TopologicalSorter(imports_within(sources)).prepare()


def test_a_module_without_a_layer_is_refused() -> None:
    with pytest.raises(AssertionError, match=r"outperform\.utils: add it to a layer"):
        upward_imports({"outperform.utils": "from . import errors", "outperform.errors": ""})


@pytest.mark.parametrize(
    "statement",
    [
        "def f():\n    from scipy import stats",
        "import scipy.stats as ss",
        "import scipy\nscipy.stats.norm",
        "from scipy.stats import norm",
        "from pandas import DataFrame",
        "import pickle",
        "eval('1')",
        "joblib.load('a')",
        "run('ls', shell=True)",
    ],
)
def test_a_forbidden_use_is_seen(statement: str) -> None:
    assert forbidden_uses({"outperform.notes": statement})


def test_what_resembles_a_forbidden_use_is_free() -> None:
    source = "import scipy.special, re\nre.compile('')\nframe.eval('x')\ndata.pandas"
    assert forbidden_uses({"outperform.notes": source}) == []


def test_type_checkers_are_told_every_public_name() -> None:
    import outperform

    tree = ast.parse((SRC / "outperform" / "__init__.py").read_text(encoding="utf-8"))
    told = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }
    assert told == {*outperform.__all__, "__version__"}


def test_a_method_in_a_file_of_its_own_is_served_by_name() -> None:
    import outperform
    from outperform.procedures.corrected_t import corrected_t

    for path in (SRC / "outperform" / "procedures").glob("[a-z]*.py"):
        assert getattr(outperform, path.stem).name == path.stem
    assert outperform.corrected_t is corrected_t
    with pytest.raises(AttributeError, match="no attribute 'corected_t'"):
        _ = outperform.corected_t
