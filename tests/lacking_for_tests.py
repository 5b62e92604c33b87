"""A module that tests take away from workers."""

from __future__ import annotations

from typing import Any

from models_for_tests import Centroids


class Lacking(Centroids):
    """Cannot be read by a worker without this module."""


def unchanged(X: Any) -> Any:
    return X
