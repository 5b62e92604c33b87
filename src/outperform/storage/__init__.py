"""One SQLite kernel; on it the store of a run, which keeps every result, and that of a study.

The contract of the store of a run, each sentence held by tests/storage/test_store.py:

- A store belongs to one experiment: its data, seed and family of splits; another is refused, naming
  what differs. The size of the design, metrics and learners are contents that may grow: a larger
  design holds the splits of a smaller one, and only what is missing is run.
- A cell has an outcome by each metric. Beside it are kept the targets and what the model answered
  (predictions, and whatever else a scorer called), exact to the last bit, so that a metric that is
  added later needs no refit. The notes of the last run are kept, too.
- A cell is a learner (name, hash of its parameters, hash of library versions) at an address
  (partition, repeat, fold); a change in a module that the learner's own code imports is not seen.
  Once stored it is final, whatever its status: storing the same again changes nothing, storing
  something else raises. The same means status, score and losses; the time it took and the words
  of a traceback may differ, and the first stay. Only `forget_failed` takes cells away, so that
  they are run again.
- An ok cell has a finite score, and finite losses if any; other cells keep their error alone.
- Results are committed every 100, or 0.2 s after the first that waits, even if no other comes
  (unless `commits_late` was turned off, as a run does while its cells are brief: then with the
  next). What is committed survives the death of the process at any moment, and is durable.
- Whatever is read is checked: every row has a checksum over its keys, its values and the
  experiment, and the planned number of cells is kept, so that changed, moved, swapped and lost
  rows are noticed. `outperform check FILE` names them; nothing is repaired.
- The state of a run is derived from its results; there is no second record that could disagree.
- Scores come from complete experiments only, and are the same as those of the run that made them.
- Several processes may create, open and fill one store at once. A cell is claimed by at most one
  owner, whose claim ends with its lease or its life.
- What cannot be used is refused in one line and left as it was: a directory, another program's
  file, another schema, a file that may not be written. A store that may not be written can be read.
- A full disk stops a run; everything committed is kept and the run resumes when there is room.
- The file can be read by its owner only, and holds no pickles.
"""

from ..lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:  # what type checkers read, and the one table of names
    from .checking import check as check
    from .contents import Address as Address
    from .contents import CellCounts as CellCounts
    from .contents import Learner as Learner
    from .contents import MetricKey as MetricKey
    from .contents import Outcome as Outcome
    from .contents import Problem as Problem
    from .contents import StoredExperiment as StoredExperiment
    from .contents import StoreIncomplete as StoreIncomplete
    from .exporting import export as export
    from .kernel import StoreDamaged as StoreDamaged
    from .kernel import StoreError as StoreError
    from .kernel import StoreFull as StoreFull
    from .run_reader import seconds_of_fits as seconds_of_fits
    from .run_store import Store as Store

__getattr__, __dir__ = lazy(__name__)
