"""The rules of the house: layers, names, texts, dependencies, and what no module may do."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

import pytest
from places import ROOT

SRC = ROOT / "src"

EXACT = "exact rates are derived for the formulas of these tests alone"
KNOWN = {
    "lab.certification in _tested: one.method in HALF": "it alone is about training on half",
    "lab.exact in _holdout: get(name) is mcnemar": EXACT,
    "lab.exact in judged_readings: get(name) is corrected_t": EXACT,
    "lab.exact in judged_readings: get(name) is not five_by_two_t": EXACT,
    "lab.exact in ratio_of: get(name) is corrected_t": EXACT,
}
"""Violations that are there today, with the reason: one that is gone must leave this table."""

# Lowest first. A room, or a module outside the rooms, is in one layer.
LAYERS = [
    set(names.split())
    for names in (
        "_version errors lazy notes references validation numerics",
        "designs scores views",
        "registry procedures results testing",
        "advice readers storage engine",
        "verbs",
        "lab",
        "report",
        "extend __init__ cli __main__",
    )
]
MOST_FLAT = 10

DISPLAY = (
    *(
        "plot",
        "report",
        "record",
        "to_latex",
        "to_markdown",
        "methods_text",
        "summary",
        "estimand",
    ),
    *("sentence", "sentences", "to_text", "_repr_html_", "__repr__", "__str__"),
)
"""Methods that show: they alone may import `report`, inside the call."""
DOORS = {
    "read": ("readers", "storage"),
    "from_arrays": ("readers",),
    "from_frame": ("readers",),
    "from_search": ("readers",),
    "to_csv": ("readers",),
}
"""Methods of scores that import what reads for them, or knows metrics, inside the call."""

MOST_SKIPPED = 20
"""Lines that the formatter is told to leave as they are."""

PATTERNS = {
    "designs.notation": "designs as users write them",
    "engine.environment": "warnings of learners",
    "engine.estimators": "memory addresses in what objects print",
    "engine.given_splits": "what a user's splitter prints",
    "engine.pools": "Python's message for a missing module",
    "lab.scenarios": "the words of a class's name",
    "readers.aggregates": "names of columns in files of users",
    "readers.column_names": "names of columns in files of users",
    "readers.arff": "text of ARFF files",
    "readers.helm_logs": "names of runs in logs",
    "readers.lm_eval_logs": "names of files of logs",
    "readers.csv_files": "text of CSV files",
    "readers.text_lines": "text of files of users",
    "readers.json_files": "labels of rows in files of users",
    "readers.transposed": "names of columns in files of users",
    "readers.files": "how JSON begins",
    "readers.workbooks": "cells of worksheets",
    "readers.cv_results": "names of columns that scikit-learn writes",
    "readers.own_files": "the scores inside a page, and characters to escape",
    "readers.score_table": "numbers in labels of users",
    "report.figures.svg": "SVG that matplotlib wrote",
    "report.formatting": "line breaks in names of users, and names of metrics",
    "report.paper_escapes": "characters to escape",
    "testing.laws": "numbers in what a plug-in's result prints",
    "verbs.explain": "codes as users type them",
}
"""Modules that use regular expressions, and on what: never on sentences of ours."""
REQUIREMENT = re.compile(r"\b[DBRNF]-\d\d\b")
MODULES = {"scikit-learn": "sklearn", "dask": "distributed"}
"""What a distribution is imported as, where that is not its name."""

FORBIDDEN_MODULES = ["scipy.stats", "pandas", "pickle", "cloudpickle", "dill", "shelve", "marshal"]
FORBIDDEN_CALLS = {"eval", "exec", "joblib.load", "joblib.dump", "yaml.load", "tempfile.mktemp"}


@dataclass(frozen=True)
class Imported:
    """One import of a module of the package: by whom, inside which functions, and of what."""

    module: str
    inside: tuple[str, ...]
    other: str

    def __str__(self) -> str:
        where = f" in {'.'.join(self.inside)}" if self.inside else ""
        return f"{self.module} imports {self.other}{where}"


@cache
def parsed(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def source_files() -> dict[str, str]:
    """Return the source of every module of the package by its dotted name."""
    return {
        ".".join(path.relative_to(SRC).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted(SRC.glob("outperform/**/*.py"))
    }


def statements(
    node: ast.AST, inside: tuple[str, ...] = ()
) -> Iterator[tuple[ast.AST, tuple[str, ...]]]:
    """Walk all that runs, now or when it is called, with the functions and classes it is in.

    What stands under `if TYPE_CHECKING` is for type checkers alone.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            for statement in child.orelse:
                yield statement, inside
                yield from statements(statement, inside)
            continue
        yield child, inside
        named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        yield from statements(child, (*inside, child.name) if named else inside)


def imported_names(module: str, node: ast.AST) -> list[str]:
    """Return the dotted names one import statement of a module may bind or load."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        package = module.split(".")[: -node.level] if node.level else []
        origin = ".".join([*package, *([node.module] if node.module else [])])
        return [f"{origin}.{alias.name}" for alias in node.names]
    return []


def served_lazily(sources: dict[str, str]) -> dict[str, str]:
    """Return which module each name of a package with a lazy table comes from."""
    found = {}
    for module, source in sources.items():
        if not module.endswith("__init__") or "lazy(__name__)" not in source:
            continue
        for node in ast.walk(parsed(source)):
            if isinstance(node, ast.ImportFrom) and node.level == 1:
                for alias, name in zip(node.names, imported_names(module, node), strict=True):
                    if alias.asname == alias.name:
                        found[f"{module.removesuffix('.__init__')}.{alias.name}"] = name
    return found


def module_of(name: str, modules: set[str], served: dict[str, str]) -> str | None:
    """Return the module of the package that a dotted name leads to."""
    if name.partition(".")[0] != "outperform":
        return None
    parts = served.get(name, name).split(".")
    while parts:
        for candidate in (".".join(parts), ".".join([*parts, "__init__"])):
            if candidate in modules:
                return candidate
        parts.pop()
    return None


def all_imports(sources: dict[str, str]) -> list[Imported]:
    """Return which modules of the package each module imports, ever."""
    served, modules, found = served_lazily(sources), set(sources), {}
    for module, source in sources.items():
        for node, inside in statements(parsed(source)):
            for name in imported_names(module, node):
                other = module_of(name, modules, served)
                if other is not None and other != module:
                    found[Imported(module, inside, other)] = None
    return list(found)


def room(module: str) -> str:
    return module.split(".")[1]


def layer(module: str) -> int:
    for height, names in enumerate(LAYERS):
        if room(module) in names:
            return height
    raise AssertionError(f"{module}: add it to a layer in tests/house/test_layers.py")


def is_display(one: Imported) -> bool:
    return room(one.other) == "report" and any(name in DISPLAY for name in one.inside)


def is_door(one: Imported) -> bool:
    doors = DOORS.get(one.inside[-1], ()) if one.inside else ()
    return room(one.module) == "scores" and room(one.other) in doors


def upward_imports(sources: dict[str, str]) -> list[str]:
    return [
        f"{one} (above it)"
        for one in all_imports(sources)
        if layer(one.other) > layer(one.module) and not is_display(one) and not is_door(one)
    ]


def cycles(sources: dict[str, str]) -> list[str]:
    """Return one import of each cycle: the graph without them has none."""
    edges = [one for one in all_imports(sources) if not is_display(one) and not is_door(one)]
    found = []
    while True:
        graph: dict[str, set[str]] = defaultdict(set)
        for one in edges:
            graph[one.module].add(one.other)
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            around = error.args[1][::-1]
            links = set(pairwise(around))
            closing = [one for one in edges if (one.module, one.other) in links]
            last = max(closing, key=lambda one: (bool(one.inside), str(one)))
            edges = [one for one in edges if (one.module, one.other) != (last.module, last.other)]
            found.append(f"{last} (cycle of {len(links)})")
        else:
            return found


def flat_modules(sources: dict[str, str]) -> list[str]:
    flat = [module for module in sources if module.count(".") == 1]
    return [] if len(flat) <= MOST_FLAT else [f"{len(flat)} modules lie flat, not {MOST_FLAT}"]


def shared_names(sources: dict[str, str]) -> list[str]:
    """Return names of modules, folders and public classes that several have; `cli` is apart."""
    found: dict[str, set[str]] = defaultdict(set)
    for module, source in sources.items():
        if room(module) == "cli":
            continue
        path = module.removesuffix(".__init__")
        if path != "outperform" and "__main__" not in path:
            found[f"module {path.rpartition('.')[2]}"].add(path)
        for node in parsed(source).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[f"class {node.name}"].add(module)
    return [
        f"{name} is in {' and '.join(sorted(homes))}"
        for name, homes in found.items()
        if len(homes) > 1
    ]


def names_compared(sources: dict[str, str], names: set[str]) -> list[str]:
    """Return where a module decides by a name of a view or method, or by what the method `is`."""
    found = []
    for module, source in sources.items():
        if room(module) in ("views", "procedures"):
            continue
        tree = parsed(source)
        constants = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node, inside in statements(tree):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                sides += [
                    constants[s.id] for s in sides if isinstance(s, ast.Name) and s.id in constants
                ]
                held = [one for side in sides for one in held_by(side)]
                if any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
                    held += [s.id for s in sides if isinstance(s, ast.Name) and s.id.islower()]
            elif isinstance(node, ast.MatchValue):
                held = held_by(node.value)
            else:
                continue
            if names & set(held):
                found.append(f"{module} in {'.'.join(inside)}: {ast.unparse(node)}")
    return found


def held_by(node: ast.AST) -> list[object]:
    """Return a constant, or the constants of a tuple, list, set or keys of a dict."""
    if isinstance(node, ast.Constant):
        return [node.value]
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return [one for each in node.elts for one in held_by(each)]
    if isinstance(node, ast.Dict):
        return [one for key in node.keys if key is not None for one in held_by(key)]
    return []


def ids_shown(sources: dict[str, str]) -> list[str]:
    """Return strings with a requirement id among other words; docstrings are not shown."""
    found = []
    for module, source in sources.items():
        tree = parsed(source)
        unseen = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        found += [
            f"{module} says {node.value[max(where.start() - 30, 0) : where.end() + 1]!r}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            if id(node) not in unseen and REQUIREMENT.fullmatch(node.value) is None
            for where in REQUIREMENT.finditer(node.value)
        ]
    return found


def patterns_used(sources: dict[str, str]) -> list[str]:
    users = {
        module
        for module, source in sources.items()
        for node in ast.walk(parsed(source))
        if "re" in [name.partition(".")[0] for name in imported_names(module, node)]
    }
    allowed = {f"outperform.{module}" for module in PATTERNS}
    return [
        *(f"{module} imports re" for module in sorted(users - allowed)),
        *(f"{module} no longer imports re" for module in sorted(allowed - users)),
    ]


def prefixes_cut(sources: dict[str, str]) -> list[str]:
    """Return where the beginning or end of a sentence of several words is cut off."""
    return [
        f"{module} in {'.'.join(inside)}: {node.func.attr}({node.args[0].value!r})"
        for module, source in sources.items()
        for node, inside in statements(parsed(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in ("removeprefix", "removesuffix")
        if isinstance(node.args[0], ast.Constant) and " " in str(node.args[0].value)
    ]


def undeclared(sources: dict[str, str]) -> list[str]:
    """Return dependencies that are declared and not imported, or imported and not declared."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(one for name in extras if name not in ("docs", "test") for one in extras[name]),
    ]
    names = [re.split(r"[\[<>=]", one)[0] for one in wanted]
    declared = {MODULES.get(name, name) for name in names}
    used = {
        name.partition(".")[0]
        for module, source in sources.items()
        for node in ast.walk(parsed(source))
        for name in imported_names(module, node)
    } - {"outperform", *sys.stdlib_module_names}
    return [
        *(f"{name} is declared and never imported" for name in sorted(declared - used)),
        *(f"{name} is imported and not declared" for name in sorted(used - declared)),
    ]


def method_and_view_names() -> set[str]:
    from outperform import registry
    from outperform.views import VIEWS

    return {*registry.methods().names, *VIEWS}


RULES = {
    "a room imports from its own layer or below": upward_imports,
    "no modules import each other in a cycle": cycles,
    "few modules lie flat": flat_modules,
    "names of modules and classes are unique": shared_names,
    "nothing is decided by the name of a method or view": lambda sources: names_compared(
        sources, method_and_view_names()
    ),
    "no requirement id is in text that users read": ids_shown,
    "modules that use regular expressions say on what": patterns_used,
    "sentences are not cut up again": prefixes_cut,
    "declared dependencies are those imported": undeclared,
}


def forbidden_uses(sources: dict[str, str]) -> list[str]:
    """Return where a module imports or calls, at any depth, what no module may."""
    found = []
    for module, source in sources.items():
        for node in ast.walk(parsed(source)):
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


@cache
def violations(rule: str) -> set[str]:
    return {one.replace("outperform.", "") for one in RULES[rule](source_files())}


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_the_rule_is_kept(rule: str) -> None:
    new = sorted(violations(rule) - KNOWN.keys())
    assert not new, "\n".join([f"{rule}, but:", *new])


@pytest.mark.slow
def test_every_known_violation_is_still_there() -> None:
    gone = sorted(KNOWN.keys() - set().union(*map(violations, RULES)))
    assert not gone, "\n".join(["take these out of KNOWN:", *gone])


@pytest.mark.slow
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
        "if TYPE_CHECKING:\n    pass\nelse:\n    from . import engine",
    ],
)
def test_an_import_from_above_is_seen_however_it_is_written(statement: str) -> None:
    sources = {"outperform.notes": statement, "outperform.engine": ""}
    said = "outperform.notes imports outperform.engine (above it)"
    assert upward_imports(sources) == [said]


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("def late():\n    from . import engine", "late"),
        ("class C:\n    from . import engine", "C"),
        ("class C:\n    def late(self):\n        from .engine import run", "C.late"),
        ("class C:\n    def plot(self):\n        from .engine import run", "C.plot"),
        ("class C:\n    def read(self):\n        from .engine import run", "C.read"),
    ],
)
def test_an_import_inside_a_function_counts(statement: str, where: str) -> None:
    sources = {"outperform.notes": statement, "outperform.engine": ""}
    said = f"outperform.notes imports outperform.engine in {where} (above it)"
    assert upward_imports(sources) == [said]


@pytest.mark.parametrize(
    ("module", "statement"),
    [
        ("notes", "if TYPE_CHECKING:\n    from . import engine"),
        ("notes", "import typing\nif typing.TYPE_CHECKING:\n    from . import engine"),
        ("notes", "class C:\n    def plot(self):\n        from .report import text"),
        ("scores", "class C:\n    def read(self):\n        from .readers import read"),
    ],
)
def test_types_display_and_readers_of_scores_are_free(module: str, statement: str) -> None:
    rooms = ("engine", "report", "report.text", "readers")
    sources = {f"outperform.{name}": "" for name in rooms} | {f"outperform.{module}": statement}
    assert upward_imports(sources) == []


def test_a_name_that_a_package_serves_lazily_leads_to_its_home() -> None:
    table = "if TYPE_CHECKING:\n    from .running import run as run\nf = lazy(__name__)"
    sources = {
        "outperform.engine.__init__": table,
        "outperform.engine.running": "def f():\n    from ..verbs.compare import compare",
        "outperform.verbs.compare": "def f():\n    from ..engine import run",
    }
    assert len(cycles(sources)) == 1
    assert "outperform.verbs.compare" in cycles(sources)[0]


def test_a_cycle_within_a_layer_is_seen() -> None:
    sources = {
        "outperform.notes": "from . import errors",
        "outperform.errors": "def late():\n    from . import notes",
    }
    said = "outperform.errors imports outperform.notes in late (cycle of 2)"
    assert cycles(sources) == [said]


def test_a_module_without_a_layer_is_refused() -> None:
    with pytest.raises(AssertionError, match=r"outperform\.utils: add it to a layer"):
        upward_imports({"outperform.utils": "from . import errors", "outperform.errors": ""})


@pytest.mark.parametrize(
    "statement",
    [
        "if method.name == 'mcnemar': pass",
        "if 'mcnemar' != method: pass",
        "if method.name in ('kfold_t', 'mcnemar'): pass",
        "TWO = {'mcnemar': 1}\nif method.name in TWO: pass",
        "match method.name:\n    case 'mcnemar': pass",
        "x = [m for m in all if m.view.name == 'Crossed']",
        "x = 1 if cmp.method is mcnemar else 2",
    ],
)
def test_a_decision_by_name_is_seen(statement: str) -> None:
    names = {"mcnemar", "Crossed"}
    assert names_compared({"outperform.verbs.compare": statement}, names)
    assert not names_compared({"outperform.procedures.mcnemar": statement}, names)
    assert not names_compared({"outperform.verbs.compare": statement}, {"corrected_t"})


@pytest.mark.parametrize("text", ["'as D-24 asks'", "f'{n} items (D-24)'", "x('(D-22, D-55)')"])
def test_an_id_in_a_text_is_seen(text: str) -> None:
    assert ids_shown({"outperform.notes": f"said = {text}"})


def test_an_id_in_a_docstring_a_comment_or_a_registration_is_free() -> None:
    source = "def f():\n    'As D-24 asks.'\n    # D-24\n    return method(requirements=('D-24',))"
    assert ids_shown({"outperform.notes": source}) == []


def test_names_that_are_shared_are_seen() -> None:
    sources = {
        "outperform.engine.tables": "class Row: pass\nclass _Own: pass",
        "outperform.report.tables": "class Row: pass\nclass _Own: pass",
        "outperform.cli.tables": "class Row: pass",
        "outperform.tables.__init__": "",
    }
    homes = "outperform.engine.tables and outperform.report.tables"
    assert shared_names(sources) == [
        f"module tables is in {homes} and outperform.tables",
        f"class Row is in {homes}",
    ]


def test_an_eleventh_flat_module_a_cut_sentence_and_a_pattern_are_seen() -> None:
    assert flat_modules({f"outperform.m{number}": "" for number in range(MOST_FLAT)}) == []
    assert flat_modules({f"outperform.m{number}": "" for number in range(MOST_FLAT + 1)})
    assert prefixes_cut({"outperform.notes": "text.removeprefix('Speaks of ')"})
    assert prefixes_cut({"outperform.notes": "value.removesuffix('%')"}) == []
    assert "outperform.notes imports re" in patterns_used({"outperform.notes": "import re"})
    assert "colorama is imported and not declared" in undeclared({"m": "import colorama"})


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


def test_few_lines_are_kept_from_the_formatter() -> None:
    mark = "fmt: " + "skip"
    rooms = [ROOT / name for name in ("src", "tests", "benchmarks", "tools", "reproduction")]
    files = [path for room in rooms for path in room.rglob("*.py")]
    assert len(files) > 300
    found = sum(path.read_text(encoding="utf-8").count(mark) for path in files)
    assert found <= MOST_SKIPPED


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
        assert getattr(outperform, path.stem).__name__ == path.stem
    assert outperform.corrected_t is corrected_t
    with pytest.raises(AttributeError, match="no attribute 'corected_t'"):
        _ = outperform.corected_t


@pytest.mark.slow
def test_modules_that_are_named_in_strings_are_there() -> None:
    modules = {name.removesuffix(".__init__") for name in source_files()}
    named = {
        (module, text)
        for module, source in source_files().items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(text := node.value, str)
        if re.fullmatch(r"outperform(\.[a-z_0-9]+)+", text)
    }
    known = {"outperform.plugins", "outperform.methods", "outperform.typed"}  # no modules
    assert {(where, text) for where, text in named if text not in modules | known} == set()
