"""The engine: learners × splits → Scores, the only part that fits models.

Its promises, each held by a test in tests/engine: test_engine.py, test_cells.py, test_hostile.py or
test_determinism.py:

- A cell is a learner at an address. Its seed belongs to the address; nothing else about a run
  (workers, backend, tasks, order, other learners, resuming) changes a bit of its outcome.
  A learner that draws from the global random state is seeded for its cell, too; on Dask it
  shares that state with Dask's own threads, so there only a `random_state` makes it repeatable.
- The caller's learners and data are never changed, nor the global random state.
- What a learner does is its own affair: whatever it raises, and where cells run in processes of
  their own whatever kills or hangs them, is recorded by name, and every other cell is as it was.
- A run that is not complete is never returned: it raises, and a store keeps what is done.
- Workers compute; this process alone writes.
"""

from ..lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:  # what type checkers read, and the one table of names
    from .running import run as run

__getattr__, __dir__ = lazy(__name__)
