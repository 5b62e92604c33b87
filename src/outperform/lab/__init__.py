"""The lab: populations with a known truth, to study the tests themselves.

Two kinds of things are drawn, both frozen dataclasses that hold settings and no state.

A **scenario** (`scenarios.Scenario`) draws what methods read, many experiments at once:

    readings = [reading("mcnemar"), reading("kfold_t"), reading("corrected_t", "10x10cv")]
    for number, n_reps in blocks(100_000, scenario.block):
        seed = block_seed(random_state, effect_index, number)
        views = scenario.draw(readings, n_reps, seed, effect)      # {reading: view}
        p = get("mcnemar").on(views[readings[0]]).pvalue()         # shape (n_reps,)

- `reading(method, design=None)` says what a method reads (view and design; by default the design it
  was published with). Readings are hashable; methods with equal readings share one view, and all
  views of a call are of the same experiments (the same data), drawn once.
- Leading axis: experiments. The views are those of `outperform.views`, positive where the first
  side is better, so `method.on(view)` judges them all in one call.
- `effect` is how far from the null, 0 being the null. In populations it is added to the true
  difference Δ of the scores; in a `Contest` it is handed to whatever was given as a function of it.
- `block` is part of a scenario: a block has one seed, by address (effect, block), so answers are
  the same bits whatever the number of workers or of blocks in a task, and memory stays flat. In a
  block each reading has random numbers of its own: asking for one more method changes no other.

Scenarios: `DesignedPopulation` (Dietterich's, by sufficient statistics), `CorrelatedNormal`
(differences with given σ² and ρ) and `Contest` (any two learners run on datasets), of which
`OneSide` shows one learner's own scores.

A **source** (`scenarios.Source`) draws datasets: `source.draw(n, rng) -> Dataset(X, y, X_second)`;
`source.delta` is the true difference where the source alone settles it. Sources: `SixClasses`,
`Pool` (real data as a population), `Mirror`, `LabelNoise`, `SmallCluster`. A `Contest` makes a
scenario of a source and two learners: a study needs to know scenarios alone.
"""

from ..lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:  # what type checkers read, and the one table of names
    from .contests import Contest as Contest
    from .contests import OneSide as OneSide
    from .populations import CorrelatedNormal as CorrelatedNormal
    from .populations import DesignedPopulation as DesignedPopulation
    from .scenarios import Dataset as Dataset
    from .scenarios import LabelNoise as LabelNoise
    from .scenarios import Mirror as Mirror
    from .scenarios import Pool as Pool
    from .scenarios import Reading as Reading
    from .scenarios import Scenario as Scenario
    from .scenarios import SixClasses as SixClasses
    from .scenarios import SmallCluster as SmallCluster
    from .scenarios import Source as Source
    from .scenarios import block_seed as block_seed
    from .scenarios import blocks as blocks
    from .scenarios import mirror_population as mirror_population
    from .scenarios import reading as reading
    from .scenarios import stream as stream
    from .studies import study as study
    from .study_results import Study as Study

__getattr__, __dir__ = lazy(__name__)
