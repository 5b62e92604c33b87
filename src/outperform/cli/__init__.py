"""The command line: answers on stdout; progress, inferences and warnings on stderr.

Exit status: 0 done; 1 a gate asked for with --require was not met; 2 bad usage or data, or the
answer could not be written; 3 cells failed, missing or damaged, so no verdict; 129, 130, 143
stopped by a signal with progress kept; 141 nobody reads the output any more; 70 a defect of this
program.

A verb is one file here: a module named as the verb, which holds a click command called `command`.
Modules whose name begins with _ hold what verbs share.
"""

from __future__ import annotations

from ._program import main, program

__all__ = ["main", "program"]
