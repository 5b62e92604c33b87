"""Where the tests, their golden values and the project itself are."""

from pathlib import Path

TESTS = Path(__file__).parent
GOLDEN = TESTS / "golden"
ROOT = TESTS.parent
