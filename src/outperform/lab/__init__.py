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
- `effect` is how far from the null, 0 being the null. In populations it is the true difference Δ
  of the scores; in a `Contest` it is handed to whatever was given as a function of it.
- `block` is part of a scenario: a block has one seed, by address (effect, block), so answers are
  the same bits whatever the number of workers or of blocks in a task, and memory stays flat. In a
  block each reading has random numbers of its own: asking for one more method changes no other.

Scenarios: `DesignedPopulation` (Dietterich's, by sufficient statistics), `SimulatedLearners` (any
error probabilities ε(x), item by item), `CorrelatedNormal` (differences with given σ² and ρ) and
`Contest` (two learners run on datasets of a source), of which `OneSide` shows one learner's own
scores. `record` keeps every score of a contest, where the same fits are to answer for all sides.

A **source** (`scenarios.Source`) draws datasets: `source.draw(n, rng) -> Dataset(X, y, X_second)`;
`source.delta` is the true difference where the source alone settles it. Sources: `BayesianNetwork`,
`SixClasses`, `Pool` (real data as a population), `Mirror`, `LabelNoise`, `SmallCluster`. A
`Contest` makes a scenario of a source and two learners: a study needs to know scenarios alone.

`exact.rejection_rates` gives the rates of the designed population as finite sums, and
`calibration.calibrate` makes two learners equal, or a fraction λ apart, at each training size.
"""

_HOME = {
    "BayesianNetwork": "networks",
    "BinaryContest": "binary_contests",
    "Calibration": "calibration",
    "Contest": "contests",
    "CorrelatedNormal": "normal",
    "Dataset": "scenarios",
    "DesignedPopulation": "designed",
    "LabelNoise": "sources",
    "Mirror": "sources",
    "OneSide": "one_side",
    "Pool": "sources",
    "Reading": "scenarios",
    "Records": "records",
    "Scenario": "scenarios",
    "SimulatedLearners": "profiles",
    "SixClasses": "sources",
    "SmallCluster": "sources",
    "Source": "scenarios",
    "block_seed": "scenarios",
    "blocks": "scenarios",
    "Anatomy": "anatomy_of_variance",
    "PartitionStudy": "partitioning",
    "Repetitions": "repeating",
    "Study": "summaries",
    "anatomy": "anatomy_of_variance",
    "Damaged": "damaged",
    "ExactStudy": "exact_studies",
    "OwnStudy": "own_data",
    "calibrate": "calibration",
    "error_profile": "profiles",
    "fold_correlation": "anatomy_of_variance",
    "halvings_correlation": "anatomy_of_variance",
    "learner_errors": "truth",
    "overlap": "anatomy_of_variance",
    "partition_study": "partitioning",
    "own_data_study": "own_data",
    "pooled_correlation": "anatomy_of_variance",
    "reading": "scenarios",
    "repetitions": "repeating",
    "replicate": "repeating",
    "stream": "scenarios",
    "study": "studies",
    "tally": "partitioning",
    "true_difference": "truth",
    "record": "records",
    "rejection_rates": "exact",
}

__all__ = list(_HOME)

TYPE_CHECKING = False
if TYPE_CHECKING:  # what type checkers read
    from .calibration import Calibration as Calibration
    from .calibration import calibrate as calibrate
    from .contests import Contest as Contest
    from .damaged import Damaged as Damaged
    from .designed import DesignedPopulation as DesignedPopulation
    from .exact import rejection_rates as rejection_rates
    from .exact_studies import ExactStudy as ExactStudy
    from .networks import BayesianNetwork as BayesianNetwork
    from .normal import CorrelatedNormal as CorrelatedNormal
    from .one_side import OneSide as OneSide
    from .own_data import OwnStudy as OwnStudy
    from .own_data import own_data_study as own_data_study
    from .profiles import SimulatedLearners as SimulatedLearners
    from .profiles import error_profile as error_profile
    from .records import Records as Records
    from .records import record as record
    from .scenarios import Dataset as Dataset
    from .scenarios import Reading as Reading
    from .scenarios import Scenario as Scenario
    from .scenarios import Source as Source
    from .scenarios import block_seed as block_seed
    from .scenarios import blocks as blocks
    from .scenarios import reading as reading
    from .scenarios import stream as stream
    from .sources import LabelNoise as LabelNoise
    from .sources import Mirror as Mirror
    from .sources import Pool as Pool
    from .sources import SixClasses as SixClasses
    from .sources import SmallCluster as SmallCluster
    from .studies import study as study
    from .summaries import Study as Study
    from .truth import learner_errors as learner_errors
    from .truth import true_difference as true_difference


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
