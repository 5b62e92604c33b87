"""Bouckaert & Frank: does a test say the same when it is repeated? Tables 1 to 5."""

from .exhibits import EXHIBITS

__all__ = ["EXHIBITS"]
