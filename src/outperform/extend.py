"""What authors of methods, views, designs, readers and scenarios import, served on first use."""

from .lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:  # what type checkers read, and the one table of names
    from .designs.base import Design as Design
    from .designs.base import Switched as Switched
    from .designs.notation import as_size as as_size
    from .designs.splitting import Split as Split
    from .designs.splitting import Units as Units
    from .designs.splitting import cross as cross
    from .designs.splitting import fold_sizes as fold_sizes
    from .designs.splitting import resample as resample
    from .designs.splitting import side_sizes as side_sizes
    from .designs.splitting import whole as whole
    from .errors import DataError as DataError
    from .errors import DesignError as DesignError
    from .errors import MethodError as MethodError
    from .lab.scenarios import Dataset as Dataset
    from .lab.scenarios import Reading as Reading
    from .lab.scenarios import Scenario as Scenario
    from .lab.scenarios import Source as Source
    from .lab.scenarios import stream as stream
    from .notes import Code as Code
    from .notes import Note as Note
    from .notes import register_note as register_note
    from .numerics.distributions import Binomial as Binomial
    from .numerics.distributions import Chi2 as Chi2
    from .numerics.distributions import F as F
    from .numerics.distributions import Normal as Normal
    from .numerics.distributions import T as T
    from .readers.formats import register_format as register_format
    from .registry import Method as Method
    from .registry import method as method
    from .registry import procedure as procedure
    from .results.evidence import Evidence as Evidence
    from .results.evidence import Exact as Exact
    from .results.evidence import Inverted as Inverted
    from .results.evidence import Pivot as Pivot
    from .results.evidence import Tail as Tail
    from .scores.split_scores import Scores as Scores
    from .testing import check_method as check_method
    from .validation import numbers as numbers
    from .views import Contingency as Contingency
    from .views import Counts as Counts
    from .views import Crossed as Crossed
    from .views import Differences as Differences
    from .views import Halves as Halves
    from .views import ItemDifferences as ItemDifferences
    from .views import ItemLosses as ItemLosses
    from .views import OverDatasets as OverDatasets
    from .views import Samples as Samples
    from .views import Values as Values
    from .views.contract import Case as Case
    from .views.contract import Context as Context
    from .views.contract import Inputs as Inputs
    from .views.contract import View as View
    from .views.contract import asked_of as asked_of
    from .views.contract import exchanged as exchanged
    from .views.contract import register_view as register_view
    from .views.contract import same_sides as same_sides

__getattr__, __dir__ = lazy(__name__)
