"""What a store knows a model by: what changed is fitted again, what is the same is not."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import deque
from importlib import import_module, invalidate_caches, reload
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

import cloudpickle
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import outperform as op

X = np.random.default_rng(0).normal(size=(40, 2))
Y = np.arange(40) % 2

OWN = """
from sklearn.base import BaseEstimator, ClassifierMixin
import numpy as np
{head}
class Own(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        return np.full(len(X), {answer})
"""


class Holder(ClassifierMixin, BaseEstimator):
    def __init__(self, part: Any = None) -> None:
        self.part = part

    def fit(self, X: Any, y: Any) -> Holder:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)


def reran(store: Path, model: Any) -> bool:
    """Run with a store; tell whether a model was fitted again."""
    found = op.run({"own": model}, X, Y, design="2cv", random_state=0, store=store)
    return "OP506" in {note.code for note in found.notes}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name in [name for name in sys.modules if name.partition(".")[0].startswith("own_")]:
        del sys.modules[name]
    invalidate_caches()


BY_MODULE = {
    "helper": (
        {"own_a.py": OWN.format(head="from own_b import g", answer="g()")},
        {"own_b.py": "def g(): return 0"},
        {"own_b.py": "def g(): return 1"},
    ),
    "global": (
        {},
        {"own_a.py": OWN.format(head="G = 0", answer="G")},
        {"own_a.py": OWN.format(head="G = 1", answer="G")},
    ),
    "two steps away, lazily": (
        {
            "own_a.py": OWN.format(head="import own_b", answer="own_b.g()"),
            "own_b.py": "def g():\n    from own_c import deep\n    return deep.G",
            "own_c/__init__.py": "",
        },
        {"own_c/deep.py": "G = 0"},
        {"own_c/deep.py": "G = 1"},
    ),
    "package with a version": (
        {"own_a/__init__.py": "__version__ = '1.0'\nfrom .model import Own"},
        {"own_a/model.py": OWN.format(head="", answer="0")},
        {"own_a/model.py": OWN.format(head="", answer="1")},
    ),
    "relative, in a folder without a file of its own": (
        {
            "own_a.py": "from own_n.m import Own",
            "own_n/m.py": OWN.format(head="from . import h", answer="h.G"),
        },
        {"own_n/h.py": "G = 0"},
        {"own_n/h.py": "G = 1"},
    ),
}


@pytest.mark.parametrize("case", BY_MODULE)
def test_a_changed_module_is_seen_wherever_it_is_imported(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    always, before, after = BY_MODULE[case]
    store = tmp_path / "s.db"
    for files, changed in [(always | before, False), (before, False), (after, True)]:
        write(tmp_path, files)
        assert reran(store, import_module("own_a").Own()) is changed


def test_a_module_edited_but_not_imported_again_is_the_one_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    write(tmp_path, {"own_a.py": OWN.format(head="", answer="0")})
    module, store = import_module("own_a"), tmp_path / "s.db"
    reran(store, module.Own())
    (tmp_path / "own_a.py").write_text(OWN.format(head="", answer="1"))
    assert not reran(store, module.Own())
    assert reran(store, reload(module).Own())


def typed(text: str) -> dict[str, Any]:
    """Run text as it were typed at a prompt."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(text, scope)
    return scope


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("G = 0", "G = 1"),
        ("def f(): return 0\nG = 0", "def f(): return 1\nG = 0"),
        (
            "H = [0]\ndef f(): return g()\ndef g(): return H[0]",
            "H = [1]\ndef f(): return g()\ndef g(): return H[0]",
        ),
        ("f = (lambda k: lambda: k)(0)", "f = (lambda k: lambda: k)(1)"),
        *(
            (text.replace("?", "0"), text.replace("?", "1"))
            for text in (
                "class C:\n    def f(self): return ?\ndef f(): return C().f()",
                "class C:\n    parts = [?]\ndef f(): return C.parts[0]",
                "class C:\n    class D:\n        def f(self): return ?\ndef f(): return C.D().f()",
                "class M(type):\n    def f(cls): return ?\nclass C(metaclass=M): pass\n"
                "def f(): return C.f()",
                "from enum import Enum\nclass C(Enum):\n    A = ?\ndef f(): return C.A.value",
                "def f(): return f.k\nf.k = ?",
                "from functools import update_wrapper\nclass C:\n"
                "    def __init__(self, g, k): update_wrapper(self, g); self.k = k\n"
                "    def __call__(self): return self.k\nf = C(lambda: None, ?)",
                "from types import MethodType\nf = MethodType(lambda self: ?, 1)",
            )
        ),
        (
            "def g(x, y): return x\ndef f(): return g(x=0, y=1)",
            "def g(y, x): return y\ndef f(): return g(x=0, y=1)",
        ),
    ],
    ids=[
        *("value", "function", "value of a function's function", "closure", "class"),
        *("list of a class", "inner class", "metaclass", "enum", "attribute of a function"),
        *("decorator", "bound", "order of arguments"),
    ],
)
def test_what_a_class_typed_at_a_prompt_reads_belongs_to_it(
    before: str, after: str, tmp_path: Path
) -> None:
    own = OWN.format(head="", answer="f() if 'f' in globals() else G")
    store = tmp_path / "s.db"
    assert not reran(store, typed(before + own)["Own"]())
    again = typed(before + own + "\n# said otherwise")["Own"]()
    assert not reran(store, again)
    assert not reran(store, cloudpickle.loads(cloudpickle.dumps(again)))
    assert reran(store, typed(after + own)["Own"]())


@pytest.mark.parametrize(
    "text",
    [
        "from functools import singledispatch\n@singledispatch\ndef g(x): pass\n"
        "@g.register(int)\ndef _(x): return {}\ndef f(): return g(1)",
        "from threading import Lock\nclass C:\n    part = Lock()\n"
        "    def __init__(self): self.own = Lock()\n    def f(self): return {}\nc = C()\n"
        "def f(): return c.f()",
    ],
    ids=["dispatch", "code of what cannot be read"],
)
def test_what_cannot_be_pickled_is_known_by_its_code(text: str, tmp_path: Path) -> None:
    own = OWN.format(head="", answer="f()")
    models = [typed(text.format(k) + own)["Own"]() for k in (0, 0, 1)]
    assert [reran(tmp_path / "s.db", model) for model in models] == [False, False, True]


def test_a_class_made_without_a_module_is_known_by_its_code(tmp_path: Path) -> None:
    def made(answer: int) -> Any:
        scope: dict[str, Any] = {}
        exec(OWN.format(head="", answer=answer), scope)
        return scope["Own"]()

    store = tmp_path / "s.db"
    assert [reran(store, made(answer)) for answer in (0, 0, 1)] == [False, False, True]


@pytest.mark.parametrize(
    "text",
    [
        "import own_p.part\ndef f(): return own_p.part.G",
        "def f():\n    from own_p import part\n    return part.G",
    ],
)
def test_a_script_reads_modules_inside_packages(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    store, changed = tmp_path / "s.db", []
    for part in ("G = 0", "G = 0", "G = 1"):
        write(tmp_path, {"own_p/__init__.py": "", "own_p/part.py": part})
        own = typed(text + OWN.format(head="", answer="f()"))["Own"]()
        changed.append(reran(store, own))
    assert changed == [False, False, True]


def test_a_script_finds_its_own_models_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import threading\nimport outperform as op\nG = [0]\nLOCK = threading.Lock()\n"
        + OWN.format(head="", answer="G[0] if LOCK else 1")
        + "X, y = np.arange(40.0).reshape(40, 1), np.arange(40) % 2\n"
        "if __name__ == '__main__':\n"
        "    found = op.run({'own': Own()}, X, y, design='2cv', random_state=0, store='s.db')\n"
        "    print([note.code for note in found.notes])\n"
    )
    for text, changed in [("G = [0]", False), ("G = [0]", False), ("G = [1]", True)]:
        script.write_text(re.sub(r"G = \[\d\]", text, script.read_text()))
        command = [sys.executable, str(script)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert ("OP506" in done.stdout) is changed


class Frozen(BaseEstimator):
    """What scikit-learn's FrozenEstimator is: a clone of it stays fitted."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def __sklearn_clone__(self) -> Frozen:
        return self


class Settings(dict[str, int]):
    factor = 1


PARTS: dict[str, Any] = {
    "frame": lambda k: pd.DataFrame({"a": [*range(999), k], "b": ["x"] * 1000}),
    "polars": lambda k: pl.DataFrame({"a": [*range(999), k]}),
    "series": lambda k: pd.Series(range(999), index=[*range(998), k]),
    "deque": lambda k: deque([*range(999), k]),
    "pattern": lambda k: re.compile(f"{'a' * 400}{k}"),
    "bound method": lambda k: {0: k}.get,
    "iterator": lambda k: iter([k]),
    "subclass": lambda k: Settings(a=k),
    "masked": lambda k: np.ma.masked_equal([1, 2, 3], k),
    "fields": lambda k: np.zeros(2, dtype=[("a" if k == 1 else "b", "f8")]),
    "bytes": lambda k: bytearray([1] * 400 + [k]),
    "counter": lambda k: count(k),
    "order": lambda k: {"a": 1, "b": 1} if k == 1 else {"b": 1, "a": 1},
    "frozen": lambda k: Frozen(GaussianNB().fit(X + k * Y[:, None], Y)),
    "ufunc": lambda k: expit if k == 1 else np.exp,
}


@pytest.mark.parametrize("kind", PARTS)
def test_a_parameter_is_known_by_all_that_it_contains(kind: str, tmp_path: Path) -> None:
    store, make = tmp_path / "s.db", PARTS[kind]
    assert not reran(store, Holder(make(1)))
    assert not reran(store, Holder(make(1)))
    assert reran(store, Holder(make(2)))


def test_a_function_hidden_in_a_ufunc_is_refused(tmp_path: Path) -> None:
    with pytest.raises(op.DataError):
        reran(tmp_path / "s.db", Holder(np.frompyfunc(lambda x: x, 1, 1)))


def test_a_parameter_that_cannot_be_read_is_refused_with_a_store_only(tmp_path: Path) -> None:
    class Locked:
        def __init__(self) -> None:
            self.lock = Lock()

        def __deepcopy__(self, memo: Any) -> Locked:
            return self

    with pytest.raises(op.DataError) as caught:
        reran(tmp_path / "s.db", Holder(Locked()))
    assert "\n" not in str(caught.value)
    op.run({"own": Holder(Locked())}, X, Y, design="2cv", random_state=0)


def test_a_scorer_that_reads_a_changed_global_is_another_metric(tmp_path: Path) -> None:
    text = "\ndef own(model, X, y):\n    return G"
    found = [
        op.run(
            {"a": GaussianNB(), "b": Holder()},
            *(X, Y),
            design="2cv",
            scoring=typed(head + text)["own"],
            random_state=0,
            store=tmp_path / "s.db",
        ).values
        for head in ("G = 0.0", "G = 0.0", "G = 1.0")
    ]
    assert [np.unique(values).tolist() for values in found] == [[0], [0], [1]]


def test_models_fitted_with_different_versions_are_compared_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sklearn

    store, names = tmp_path / "s.db", []
    for version, name in [("1", "a"), ("1", "b"), ("2", "c")]:
        monkeypatch.setattr(sklearn, "__version__", version)
        op.run({name: Holder(name)}, X, Y, design="2cv", random_state=0, store=store)
        names.append({note.code for note in op.compare(store).notes} if name != "a" else set())
    assert ["OP510" in codes for codes in names] == [False, False, True]
