"""Learners that behave badly, each in one way, and good ones to stand beside them.

They live in a module of their own because worker processes import it by name.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import random
import signal
import sys
import threading
import time
import warnings
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin


class Centroids(ClassifierMixin, BaseEstimator):
    """A good learner: the nearest class mean."""

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale

    def fit(self, X: Any, y: Any) -> Centroids:
        X = np.asarray(X, dtype=float)
        self.classes_ = np.unique(y)
        self.means_ = np.stack([X[y == c].mean(axis=0) for c in self.classes_]) * self.scale
        return self

    def predict(self, X: Any) -> Any:
        X = np.asarray(X, dtype=float)
        return self.classes_[((X[:, None] - self.means_) ** 2).sum(axis=2).argmin(axis=1)]


class Misbehaved(Centroids):
    """A learner that does `deed` in fit, at every split or where `only` items are trained on."""

    def __init__(self, deed: str = "raise", only: int | None = None) -> None:
        self.deed, self.only = deed, only

    @property
    def scale(self) -> float:
        return 1.0

    def fit(self, X: Any, y: Any) -> Misbehaved:
        if self.only is None or len(y) == self.only:
            getattr(self, f"_{self.deed}")(X, y)
        super().fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        answer = super().predict(X)
        if self.deed == "nan":
            return np.full(len(answer), np.nan)
        if self.deed == "short":
            return answer[:-1]
        if self.deed == "text":
            return answer.astype(str)
        if self.deed == "objects":
            return np.array([{} for _ in answer], dtype=object)
        if self.deed == "nothing":
            return None
        return answer

    def _raise(self, X: Any, y: Any) -> None:
        raise RuntimeError("the learner's own error")

    def _import(self, X: Any, y: Any) -> None:
        import_module("nowhere_at_all")

    def _unpicklable(self, X: Any, y: Any) -> None:
        class Local(Exception):
            def __init__(self, one: int, two: int) -> None:
                self.lock = threading.Lock()

            def __str__(self) -> str:
                raise ValueError("not even text")

        raise Local(1, 2)

    def _exit(self, X: Any, y: Any) -> None:
        raise SystemExit(3)

    def _interrupt(self, X: Any, y: Any) -> None:
        raise KeyboardInterrupt

    def _leave(self, X: Any, y: Any) -> None:
        os._exit(3)

    def _segfault(self, X: Any, y: Any) -> None:
        ctypes.string_at(0)

    def _sigkill(self, X: Any, y: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def _hang(self, X: Any, y: Any) -> None:
        while True:
            time.sleep(0.01)

    def _swallow(self, X: Any, y: Any) -> None:
        n_swallowed = 0
        while n_swallowed < 3:  # the limit comes again every 0.2 s
            try:
                time.sleep(0.01)
            except BaseException:
                n_swallowed += 1

    def _hang_in_c(self, X: Any, y: Any) -> None:
        sum(itertools.repeat(0))  # never returns, and never looks for signals

    def _memory(self, X: Any, y: Any) -> None:
        np.ones(2**55, dtype=np.int8)

    def _leak(self, X: Any, y: Any) -> None:
        _LEAKED.append(np.ones(2**20))

    def _nan(self, X: Any, y: Any) -> None:
        pass

    _short = _text = _objects = _nothing = _nan

    def _print(self, X: Any, y: Any) -> None:
        print("noise on standard output")
        os.write(1, b"noise on the descriptor\n")

    def _write(self, X: Any, y: Any) -> None:
        with open("written_by_a_learner.txt", "w") as file:
            file.write("here")

    def _change(self, X: Any, y: Any) -> None:
        X[:] = 0.0
        y[:] = 0

    def _unlock(self, X: Any, y: Any) -> None:
        X.setflags(write=True)
        X[:] = 0.0

    def _reseed(self, X: Any, y: Any) -> None:
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002

    def _thread(self, X: Any, y: Any) -> None:
        threading.Thread(target=time.sleep, args=(10_000,)).start()

    def _stop_timer(self, X: Any, y: Any) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        time.sleep(1.5)  # longer than the limit, shorter than the hard one


_LEAKED: list[Any] = []


class Logged(Misbehaved):
    """Writes a line at every start, with the name and the rows it is told apart by."""

    def __init__(
        self, log: str = "", name: str = "", deed: str = "nan", only: int | None = None
    ) -> None:
        super().__init__(deed, only)
        self.log, self.name = log, name

    def fit(self, X: Any, y: Any) -> Logged:
        with open(self.log, "a") as file:
            file.write(f"{self.name} {np.asarray(X)[:, 0].tolist()}\n")
        super().fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return Centroids.predict(self, X)


class Gambler(Centroids):
    """Draws from the global generators, from its random_state, or both."""

    def __init__(self, scale: float = 1.0, random_state: Any = None) -> None:
        super().__init__(scale)
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Gambler:
        super().fit(X, y)
        self.noise_ = random.random() + np.random.random()  # noqa: NPY002
        if self.random_state is not None:
            self.noise_ += np.random.default_rng(self.random_state).random()
        return self

    def predict(self, X: Any) -> Any:
        chosen = np.random.default_rng(int(self.noise_ * 1e9)).random(len(X)) < 0.5
        return np.where(chosen, super().predict(X), self.classes_[0])


class Mean(RegressorMixin, BaseEstimator):
    """A good regressor: the mean, seen to be deterministic."""

    def fit(self, X: Any, y: Any) -> Mean:
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_) + 0.5 * (np.asarray(X)[:, 0] - 0.1)


class Sharing(Centroids):
    """Offers fit_predict_splits, and counts how it is asked."""

    calls: list[int] = []  # noqa: RUF012
    fits = 0

    def __init__(self, scale: float = 1.0, broken: bool = False) -> None:
        super().__init__(scale)
        self.broken = broken

    def fit(self, X: Any, y: Any) -> Sharing:
        Sharing.fits += 1
        super().fit(X, y)
        return self

    def fit_predict_splits(self, X: Any, y: Any, splits: Any) -> list[Any]:
        Sharing.calls.append(len(splits))
        if self.broken:
            raise RuntimeError("cannot share")
        answers = []
        for train, test in splits:
            model = Centroids(self.scale).fit(X[train], y[train])
            answers.append(model.predict(X[test]))
        return answers


class Duck:
    """Has fit and predict and nothing of scikit-learn."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def fit(self, X: Any, y: Any) -> None:
        self.seen.append(len(y))
        self.inner = Centroids().fit(X, y)

    def predict(self, X: Any) -> Any:
        return self.inner.predict(X)


class Unsendable(Centroids):
    """Cannot be pickled."""

    def __getstate__(self) -> Any:
        raise TypeError("this learner stays at home")


class CannotArrive(Centroids):
    """Can be pickled but not read back."""

    def __reduce__(self) -> Any:
        return _refuse, ()


def _refuse() -> None:
    raise ImportError("not on this machine")


class Lazy(Centroids):
    """Imports what it needs when it is fitted."""

    def fit(self, X: Any, y: Any) -> Lazy:
        import lacking_for_tests

        super().fit(lacking_for_tests.unchanged(X), y)
        return self


class Spy(Centroids):
    """Tells where the rows it was given come from, as an error, which is kept."""

    def fit(self, X: Any, y: Any) -> Any:
        frame: Any = sys._getframe()
        while "job" not in frame.f_locals:
            frame = frame.f_back
        rows = frame.f_locals["job"].table.rows
        raise RuntimeError(f"{os.getpid()} {type(rows).__name__} {getattr(rows, 'filename', '')}")


class Slow(Centroids):
    """Takes its time."""

    def __init__(self, seconds: float = 0.05) -> None:
        self.seconds = seconds

    @property
    def scale(self) -> float:
        return 1.0

    def fit(self, X: Any, y: Any) -> Slow:
        time.sleep(self.seconds)
        super().fit(X, y)
        return self


def accuracy_by_hand(model: Any, X: Any, y: Any) -> float:
    return float(np.mean(model.predict(X) == y))


class Warner(Centroids):
    """Warns at every fit, as often as it is told, in words that hold a number."""

    def __init__(self, times: int = 1, text: str = "no end in sight after") -> None:
        self.times, self.text = times, text

    @property
    def scale(self) -> float:
        return 1.0

    def fit(self, X: Any, y: Any) -> Warner:
        for at in range(self.times):
            with warnings.catch_warnings():  # which makes Python forget what it has shown
                warnings.simplefilter("ignore", DeprecationWarning)
            warnings.warn(f"{self.text} {at}", RuntimeWarning, stacklevel=1)
        super().fit(X, y)
        return self
