"""Leftovers: what joblib keeps in shared memory of runs that were killed is removed by the next."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache

from ..store.claims import Process, is_alive, this_process

__all__ = ["clean_up"]

FOLDERS = "joblib_memmapping_folder_"
MARK = "outperform_run_"
"""A file so named, beside joblib's folders, says which process they are of."""


def clean_up() -> None:
    """Remove the folders of our runs whose process is dead, and mark those of this process."""
    if os.name != "posix":
        return
    places = _places()
    for mark in _ours(places, MARK, stat.S_ISREG):
        with suppress(OSError, ValueError, TypeError):
            with open(mark, encoding="utf-8") as file:
                process = Process(*json.load(file))
            if _is_gone(process):
                for folder in _ours(places, f"{FOLDERS}{process.pid}_", stat.S_ISDIR):
                    shutil.rmtree(folder, ignore_errors=True)
                os.remove(mark)
    _mark(os.getpid())


@cache
def _mark(pid: int) -> None:
    for place in _places():
        path = os.path.join(place, f"{MARK}{pid}")
        with suppress(OSError):
            with suppress(FileNotFoundError):  # of an earlier process with this number
                os.remove(path)
            how = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with os.fdopen(os.open(path, how, 0o600), "w", encoding="utf-8") as file:
                json.dump(this_process(), file)
            atexit.register(_unmark, pid, path)
            return


def _unmark(pid: int, path: str) -> None:
    if os.getpid() == pid:  # and not a fork of it
        with suppress(OSError):
            os.remove(path)


def _places() -> list[str]:
    """Return where joblib may put its folders, as it looks for a place."""
    chosen = os.environ.get("JOBLIB_TEMP_FOLDER")
    return [os.path.expanduser(chosen)] if chosen else ["/dev/shm", tempfile.gettempdir()]


def _ours(places: list[str], start: str, kind: Callable[[int], bool]) -> Iterator[str]:
    """Yield what is named so and belongs to this user; links are not followed."""
    for place in places:
        with suppress(OSError):
            for name in os.listdir(place):
                path = os.path.join(place, name)
                if name.startswith(start):
                    found = os.lstat(path)
                    if found.st_uid == os.geteuid() and kind(found.st_mode):
                        yield path


def _is_gone(process: Process) -> bool:
    """Tell whether a process of this machine is dead and nobody else has its number."""
    if is_alive(process) is not False:
        return False
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return True
    return False
