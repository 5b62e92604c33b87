"""The registry of methods and procedures: what each is, where it is valid, how it is called.

Implements D-14 and D-58.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from .errors import MethodError, argument, call, did_you_mean
from .lazy import load_plug_ins
from .notes import Note
from .results.evidence import ALTERNATIVES, Alternative, Evidence, Pivot, Tail
from .results.stress import notes_at, stressed
from .scores.item_summary import scores_of
from .scores.items import ITEMS_KINDS, Items
from .scores.performance import Performance, performances
from .scores.split_scores import Scores
from .validation import choice
from .views import VIEWS, Context, View

if TYPE_CHECKING:
    import inspect

    from .designs import Design
    from .results.comparison import Comparison
    from .results.result import Result


Check: TypeAlias = Callable[[Any, dict[str, Any]], Iterator[Note]]
"""Looks at a view and the options asked, and says what is strained."""
Standing = Literal["recommended", "reference", "discouraged"]
Grade = Literal["exact", "measured", "assumed", "discouraged"]
"""What a p-value rests on: a finite-sample law, a measurement on these learners and data, a
formula's assumption on overlap or normality, or what is known to mislead."""
GRADES: tuple[Grade, ...] = ("exact", "measured", "assumed", "discouraged")
Source = Literal["test data", "training data", "internal randomness", "label noise"]


@dataclass(frozen=True, eq=False)
class Method:
    """A registered method: a function from one input to evidence, called with arrays or `Scores`.

    Attributes
    ----------
    name : str
        Name of the method.
    title : str
        Title, as in tables.
    paper : str
        Key of its paper.
    requirements : tuple of str
        Ids of what it implements.
    designs : tuple of str
        Kinds of designs it is valid for.
    default_for : tuple of str
        Kinds of designs it is the default method for.
    accounts_for : tuple of Source
        Sources of variation that are in the p-value (Dietterich, 1998).
    published_design : str or None
        The design of the paper; its number of fits is the cost.
    standing : {"recommended", "reference", "discouraged"}
        Whether to use it.
    grade : Grade
        The highest that its verdicts can have.
    advice : str
        When to use it, in one sentence.
    instead : str or None
        Method to use instead.
    layout : str
        Layout of the arrays it reads.
    unit : str
        What each value of its arrays is of, where a call must say so: "datasets" or "items".
    kernel : Callable[..., Evidence]
        The function, from a view to evidence.
    view : View
        How its input is made.
    note : str or None
        Code of the note that every result has.
    unsaid_on : tuple of str
        Kinds of designs on which the note does not hold.
    undefined_note : str
        What is said where nothing varies and so no p-value exists.
    checks : tuple of Check
        Functions that yield notes on doubtful assumptions.
    interval_inverts : bool
        Whether the interval inverts the test.
    has_interval : bool
        Whether it has an interval.
    directed : bool
        Whether the statistic has a direction.
    has_pvalue : bool
        False for a posterior: its verdicts rest on probabilities.
    compares : bool
        False for an omnibus test, which does not say which side is better.
    estimand : str
        What the estimate is, if not a difference of two scores.
    centre : str
        What the estimate is of the differences, where it is not their mean.
    first_counts : bool
        True where the first split has a part of its own, so that it may not change places.
    assumes_overlap : bool
        True where the variance rests on a formula for how splits correlate.
    any_splits : bool
        True where some splits of the design may be missing: how they are arranged plays no part.

    Examples
    --------
    >>> import outperform as op
    >>> method = op.corrected_t
    >>> method.name, method.standing, method.fits, method.options
    ('corrected_t', 'recommended', 100, ())
    >>> a, b = [[0.8, 0.9, 0.7], [0.8, 0.9, 0.6]], [[0.7, 0.8, 0.7], [0.8, 0.7, 0.5]]
    >>> evidence = method.batch(a, b, design="3cv")
    >>> evidence.pvalue().round(3)
    array([0.333, 0.388])
    >>> design = op.parse("3cv")
    >>> scores = op.Scores.from_arrays({"a": a[0], "b": b[0]}, design=design)
    >>> method.check_design(design), method.check_scores(scores)
    (None, None)
    >>> method.check_direction("less"), method.check_interval("equivalence")
    (None, None)
    >>> view = op.extend.Differences.of(scores, "a", "b")
    >>> found = method.on(view)
    >>> method.grade_of(found, ()), [n.code for n in method.notes_on(view, found, {}, design)]
    ('assumed', ['OP315'])
    >>> method.standing_note(design)
    []
    """

    name: str
    title: str
    paper: str
    requirements: tuple[str, ...]
    designs: tuple[str, ...]
    default_for: tuple[str, ...]
    accounts_for: tuple[Source, ...]
    published_design: str | None
    standing: Standing
    grade: Grade
    advice: str
    instead: str | None
    layout: str
    unit: str
    kernel: Callable[..., Evidence]
    view: View
    note: str | None
    unsaid_on: tuple[str, ...]
    undefined_note: str
    checks: tuple[Check, ...]
    interval_inverts: bool
    has_interval: bool
    directed: bool
    has_pvalue: bool
    compares: bool
    estimand: str
    centre: str
    first_counts: bool
    assumes_overlap: bool
    any_splits: bool

    def __call__(self, *data: Any, alternative: str = "two-sided", **keywords: Any) -> Result:
        """Judge arrays or `Scores`; see `help()` of the method for its arrays."""
        from .results.result import Result

        choice(alternative, "alternative", ALTERNATIVES)
        options = {k: keywords.pop(k) for k in self.options if k in keywords}
        view, asked = self._read(data, keywords)
        evidence = self.on(view, **options)
        self.check_direction(alternative)
        side: Alternative = alternative  # type: ignore[assignment]  # checked by `choice`
        own = self.notes_on(view, evidence, options, asked.design, side)
        made = Result(
            method=self,
            names=asked.names,
            metric=asked.metric,
            design=asked.design,
            n=asked.n,
            evidence=evidence,
            alternative=side,
            seed=asked.seed,
            notes=(*asked.notes, *design_notes(asked.design), *own),
            options=self._asked_options(options),
            greater_is_better=not asked.lower_is_better,
            performances=asked.performances or self._performances(data, asked.names),
            frame_kind=getattr(data[0], "frame_kind", None) if data else None,
        )
        made = replace(made, notes=(*made.notes, *self._strains(data, view, made)))
        return replace(made, notes=notes_at(made))

    def on(self, view: Any, **options: Any) -> Evidence:
        """Apply the kernel to a view; leading axes of the view are experiments.

        Parameters
        ----------
        view : object
            Input of the type that the method reads.
        **options : object
            Options of the method.

        Returns
        -------
        Evidence
            One entry for each experiment.
        """
        evidence = self.kernel(view, **options)
        null = getattr(view, "null", None)
        if isinstance(evidence, Pivot | Tail) and null is not None and null != evidence.null:
            return replace(evidence, identical=view.identical, null=null)
        return replace(evidence, identical=view.identical)

    def batch(self, *data: Any, **keywords: Any) -> Evidence:
        """Judge many experiments in one call: leading axes of the arrays are experiments.

        Parameters
        ----------
        *data : array-like
            Arrays of the method.
        **keywords : object
            Other arguments and options.

        Returns
        -------
        Evidence
            One entry for each experiment.
        """
        options = {k: keywords.pop(k) for k in self.options if k in keywords}
        view, _ = self._read(data, {**keywords, "batch": True})
        return self.on(view, **options)

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the kernel's own keyword arguments, such as `variant`."""
        code = self.kernel.__code__
        first = code.co_argcount
        return code.co_varnames[first : first + code.co_kwonlyargcount]

    def _asked_options(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return all options with their values, so that a result can be made again."""
        return {**(self.kernel.__kwdefaults__ or {}), **given}

    @property
    def fits(self) -> int | None:
        """Training runs of each learner in the published design."""
        return _fits(self.published_design)

    @property
    def sources(self) -> str:
        """What it accounts for, in words."""
        return ", ".join(self.accounts_for) or "none of the four sources of variation"

    @property
    def summary(self) -> str:
        """The first line of the method's docstring."""
        return _summary(self.kernel)

    @property
    def __signature__(self) -> inspect.Signature:
        return self._called(self.view.arrays)

    def _called(self, read: Callable[..., Any]) -> inspect.Signature:
        import inspect

        form = inspect.signature(read).parameters.values()
        own = inspect.signature(self.kernel).parameters
        shown = [
            p.replace(default=None) if p.name == "lower_is_better" else p
            for p in form
            if p.name not in ("layout", "batch")
        ]
        shown += [own[name] for name in self.options]
        word = inspect.Parameter.KEYWORD_ONLY
        if self.unit:
            shown.append(inspect.Parameter("unit", word, default=None))
        shown.append(inspect.Parameter("alternative", word, default="two-sided"))
        return inspect.Signature([p.replace(annotation=inspect.Parameter.empty) for p in shown])

    def __reduce__(self) -> tuple[Any, ...]:
        """A registered method is sent by name; one made of it, by what differs."""
        if METHODS.get(self.name) is self:
            return get, (self.name,)
        differs = {"name": self.name, "title": self.title, "requirements": self.requirements}
        return _variant, (self.kernel.__name__, differs)

    def __repr__(self) -> str:
        return f"<method {self.name}: {self.title} ({self.standing})>"

    def _read(self, data: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, Context]:
        if data and isinstance(data[0], Items):
            data = (scores_of(data[0]), *data[1:])
        from_scores = bool(data) and isinstance(data[0], Scores)
        read = self.view.scores if from_scores else self.view.read
        if self.unit and not from_scores:
            self._check_unit(keywords.pop("unit", None), len(data), keywords)
        try:
            view, asked = read(self.layout, *data, **keywords)
        except TypeError:
            form = self.view.scores if from_scores else self.view.arrays
            _check_call(self, form, data, keywords)
            raise
        if from_scores:
            self.check_scores(data[0])
        elif asked.design is not None:
            self.check_design(asked.design)
        return view, asked

    def _strains(self, data: tuple[Any, ...], view: Any, made: Result) -> list[Note]:
        """Return what `compare` would say of these scores, beyond what is said already."""
        from .results.comparison import strained_by_pair

        scores = data[0] if data else None
        scores = scores_of(scores) if isinstance(scores, Items) else scores
        codes = {note.code for note in made.notes}
        notes = strained_by_pair(made, scores if isinstance(scores, Scores) else None, view)
        return [note for note in notes if note.code not in codes]

    def _check_unit(self, unit: Any, n_sides: int, keywords: dict[str, Any]) -> None:
        """Refuse arrays of which nothing says what a value is of: folds are not independent."""
        told = unit is None and (keywords.get("design") is not None or "batch" in keywords)
        if told or unit == self.unit:
            return
        sides = "a, b" if n_sides > 1 else "a"
        about = {"datasets": "the mean scores of datasets", "items": "items of one test set"}
        names = {"datasets": "wilcoxon", "items": "paired_t"} | {self.unit: self.name}
        ways = [f"outperform.{names[of]}({sides}, unit={of!r}) for {about[of]}" for of in about]
        raise MethodError(
            f"The 'unit' parameter must be {self.unit!r}, what each value of {self.name} is of, "
            f"got {unit!r}. Use {', '.join(ways)}, or "
            f"outperform.corrected_t({sides}, design='10cv') for folds, with your design"
        )

    def _performances(self, data: tuple[Any, ...], names: Any) -> tuple[Performance, ...]:
        """Return the mean score of each side, where `Scores` were given."""
        scores = data[0] if data else None
        scores = scores_of(scores) if isinstance(scores, Items) else scores
        if not isinstance(scores, Scores) or {*names} - {*scores.names, None}:
            return ()
        return performances(scores, names, of_items=self.view.of_items)

    def check_scores(self, scores: Scores) -> None:
        """Reject scores of a design, or with gaps, that this method is not valid for.

        Parameters
        ----------
        scores : Scores
            Scores of the learners.

        Raises
        ------
        MethodError
            If the method is not valid; the message says what to use.
        """
        if scores.measured is not None and scores.measured.kind in self.designs:
            return
        if len(set(scores.datasets or ())) > 1:
            _check_kind(self, "datasets")
        elif scores.design is not None:
            self.check_design(scores.design)
            if scores.n_missing > 0 and not self.any_splits:
                raise MethodError(
                    f"{scores.n_missing} of {scores.design.n_splits()} splits of {scores.design} "
                    f"are missing; {self.name} needs all of them. Use "
                    f"{argument(method='corrected_t')}, or run the missing splits."
                )

    def check_design(self, design: Design) -> None:
        """Reject a design that this method is not valid for.

        Parameters
        ----------
        design : Design
            The design.

        Raises
        ------
        MethodError
            If the method is not valid; the message says what to use.
        """
        _check_kind(self, design.kind, str(design))

    def check_direction(self, alternative: str) -> None:
        """Reject a one-sided alternative for a statistic without direction.

        Parameters
        ----------
        alternative : str
            The alternative hypothesis.

        Raises
        ------
        MethodError
            If the method cannot test it.
        """
        if alternative != "two-sided" and not self.has_pvalue:
            raise MethodError(
                f"{self.name} gives the probabilities of both directions, so the 'alternative' "
                f"parameter must be 'two-sided', got {alternative!r}. Use "
                f"{argument(alternative='two-sided')}"
            )
        if alternative != "two-sided" and not self.directed:
            raise MethodError(
                f"The statistic of {self.name} has no direction, so the 'alternative' parameter "
                f"must be 'two-sided', got {alternative!r}. Use {argument(alternative='two-sided')}"
                f"{self._instead('directed', ', or use {} on the same scores: {}')}"
            )

    def check_interval(self, wanted: str) -> None:
        """Reject what needs an interval if the method has none.

        Parameters
        ----------
        wanted : str
            What needs an interval, for the message.

        Raises
        ------
        MethodError
            If the method has no interval.
        """
        if not self.has_pvalue:
            raise MethodError(
                f"{self.name} gives posterior probabilities instead of p-values and intervals, so "
                f"{wanted} has no p-value. Use result.probabilities(rope)"
            )
        if not self.has_interval:
            way = self._instead("has_interval", "Use {} on the same scores: {}")
            way = way or (f"Use {self.instead} on the scores." if self.instead else self.advice)
            raise MethodError(
                f"{self.name} has no interval, so {wanted} is not available: its statistic has no "
                f"direction or combines p-values. {way}"
            )

    def _instead(self, able: str, words: str) -> str:
        """Say which method reads the same input and has what this one lacks, if there is one."""
        name = next(
            (
                m.name
                for m in _ordered(METHODS.values())
                if (m.view, m.layout) == (self.view, self.layout) and getattr(m, able)
            ),
            None,
        )
        return "" if name is None else words.format(name, argument(method=name))

    def grade_of(self, evidence: Evidence, notes: Iterable[Note]) -> Grade:
        """Return the grade of one verdict.

        It is the grade of the method, unless evidence or a note lowers it. A method without a grade
        rests on assumptions.

        Parameters
        ----------
        evidence : Evidence
            Evidence of the result.
        notes : iterable of Note
            Notes of the result.

        Returns
        -------
        str
            "exact", "measured", "assumed" or "discouraged".
        """
        if self.grade == "exact" and not getattr(evidence, "counted", False):
            return "assumed"
        if self.grade == "measured" and any(note.lowers for note in notes):
            return "assumed"
        return self.grade

    def notes_on(
        self,
        view: Any,
        evidence: Evidence,
        options: dict[str, Any],
        design: Design | None,
        alternative: Alternative = "two-sided",
    ) -> list[Note]:
        """Return the notes on one experiment.

        Parameters
        ----------
        view : object
            Input of the method, or None if unknown.
        evidence : Evidence
            Evidence of the result.
        options : dict
            Options of the call.
        design : Design or None
            The design of the scores.
        alternative : {"two-sided", "less", "greater"}, default='two-sided'
            The alternative hypothesis.

        Returns
        -------
        list of Note
            The notes.
        """
        notes = []
        if bool(evidence.identical):
            notes.append(Note("OP101"))
        elif bool(evidence.undefined) and not math.isnan(evidence.null):
            notes.append(Note(self.undefined_note))
        notes += self.standing_note(design)
        for check in self.checks if view is not None else ():
            notes += check(view, options)
        if not self.has_interval and self.has_pvalue:
            notes.append(Note("OP403"))
        elif not self.interval_inverts and self.has_pvalue:
            notes.append(Note("OP402"))
        ratio = getattr(view, "test_train_ratio", None)
        return notes + stressed(self, evidence, ratio, lambda one: one.log_pvalue(alternative))

    def standing_note(self, design: Design | None) -> list[Note]:
        """Return the note that every result of the method has on a design.

        Parameters
        ----------
        design : Design or None
            The design of the scores.

        Returns
        -------
        list of Note
            Empty if there is none.
        """
        silent = self.note is None or (design is not None and design.kind in self.unsaid_on)
        return [] if silent else [Note(self.note or "")]


class _MethodDoc:
    """The docstring of a method, put together when it is asked for; the class has its own."""

    def __init__(self, of_class: str | None) -> None:
        self.of_class = of_class

    def __get__(self, found: Method | None, owner: type[Method]) -> str | None:
        if found is None:
            return self.of_class
        from .references import PAPERS
        from .views.call_docs import composed

        about = [found.advice, f"Valid for {', '.join(found.designs)}."]
        about += [f"{PAPERS[found.paper]}."] if found.paper in PAPERS else []
        if found.view.pairs is not None:
            about.append("`Scores` and the names of two learners can be passed instead of arrays.")
        taken = found.__signature__.parameters
        return composed(found.title, found.kernel, found.view.arrays, taken, about)


Method.__doc__ = _MethodDoc(Method.__doc__)  # type: ignore[assignment]


def _is_needed(parameter: inspect.Parameter | None) -> bool:
    return parameter is not None and parameter.default is parameter.empty


@dataclass(frozen=True, eq=False)
class Procedure:
    """A registered function that judges a family, partitions or counts: no test of two learners."""

    name: str
    kernel: Callable[..., Any]
    title: str
    paper: str
    requirements: tuple[str, ...]
    designs: tuple[str, ...]
    standing: Standing
    advice: str
    reads: str
    """What it judges, in words that follow "reads"."""
    example: str
    """A call that works, for its page and for refusals."""
    accounts_for: tuple[Source, ...] = ()
    published_design: str | None = None
    of_scores: bool = False
    """True where it makes a `Comparison` of `Scores`, so that `compare` can ask it."""
    default_for: tuple[str, ...] = ()
    instead: str | None = None

    def __call__(self, *data: Any, **keywords: Any) -> Any:
        return self.kernel(*data, **keywords)

    def compare(self, scores: Scores, **asked: Any) -> Comparison:
        """Judge the pairs of scores, with no more asked than the function has parameters for."""
        if len(set(scores.datasets or ())) > 1:
            _check_kind(self, "datasets")
        elif scores.design is not None:
            self.check_design(scores.design)
        taken = self.__signature__.parameters
        for word, value in asked.items():
            if word not in taken:
                raise MethodError(
                    f"The {word!r} parameter does not apply to {self.name}, got {value!r}. Remove "
                    "it."
                )
        if "control" not in asked and _is_needed(taken.get("control")):
            raise MethodError(
                f"{self.name} compares every learner with one control. Name it: "
                f"{argument(control=scores.names[0])}"
            )
        found: Comparison = self.kernel(scores, **asked)
        return found

    def check_design(self, design: Design) -> None:
        """Refuse a design this procedure is not valid for, saying what to use instead."""
        _check_kind(self, design.kind, str(design))

    @property
    def fits(self) -> int | None:
        return _fits(self.published_design)

    @property
    def sources(self) -> str:
        """What it accounts for, in words; none where it gives no p-value for a difference."""
        return ", ".join(self.accounts_for)

    @property
    def summary(self) -> str:
        return _summary(self.kernel)

    @property
    def __signature__(self) -> inspect.Signature:
        import inspect

        shown = inspect.signature(self.kernel).parameters.values()
        return inspect.Signature([p.replace(annotation=inspect.Parameter.empty) for p in shown])

    def __repr__(self) -> str:
        return f"<procedure {self.name}: {self.title} ({self.standing})>"


METHODS: dict[str, Method] = {}
PROCEDURES: dict[str, Procedure] = {}
Registered: TypeAlias = Method | Procedure
_F = TypeVar("_F", bound=Callable[..., Any])
_R = TypeVar("_R", Method, Procedure, Registered)
_OURS = f"{__package__}.procedures"


def method(
    *,
    title: str,
    paper: str,
    requirements: tuple[str, ...],
    designs: tuple[str, ...],
    accounts_for: tuple[Source, ...],
    standing: Standing,
    advice: str,
    grade: Grade | None = None,
    layout: str = "",
    unit: str = "",
    default_for: tuple[str, ...] = (),
    published_design: str | None = None,
    instead: str | None = None,
    note: str | None = None,
    unsaid_on: tuple[str, ...] = (),
    undefined_note: str = "OP102",
    checks: tuple[Check, ...] = (),
    interval_inverts: bool = True,
    has_interval: bool = True,
    directed: bool = True,
    has_pvalue: bool = True,
    compares: bool = True,
    estimand: str = "",
    centre: str = "",
    first_counts: bool = False,
    any_splits: bool = False,
    assumes_overlap: bool = False,
) -> Callable[[Callable[..., Evidence]], Method]:
    """Register a function as a method; the type of its first argument says what it reads.

    Parameters
    ----------
    title : str
        Title, as in tables.
    paper : str
        Key of `outperform.references`, or a citation.
    requirements : tuple of str
        Ids of what it implements; may be empty.
    designs : tuple of str
        Kinds of designs it is valid for.
    accounts_for : tuple of str
        Sources of variation that are in the p-value.
    standing : {"recommended", "reference", "discouraged"}
        Whether to use it.
    advice : str
        When to use it, in one sentence.
    grade : {"exact", "measured", "assumed", "discouraged"}, optional
        Highest grade of its verdicts.
    layout : str, default=''
        Layout of the arrays it reads.
    unit : str, default=''
        What each value of its arrays is of, where a call must say so: "datasets" or "items".
    default_for : tuple of str, default=()
        Kinds of designs it is the default for.
    published_design : str, optional
        The design of the paper.
    instead : str, optional
        Method to use instead.
    note : str, optional
        Code of the note that every result has.
    unsaid_on : tuple of str, default=()
        Kinds of designs on which the note does not hold.
    undefined_note : str, default='OP102'
        Code of the note if nothing varies.
    checks : tuple of callable, default=()
        Functions of view and options that yield notes.
    interval_inverts : bool, default=True
        Whether the interval inverts the test.
    has_interval : bool, default=True
        Whether it has an interval.
    directed : bool, default=True
        Whether the statistic has a direction.
    has_pvalue : bool, default=True
        False for a posterior.
    compares : bool, default=True
        False for an omnibus test.
    estimand : str, default=''
        What the estimate is, if not a difference of two scores.
    centre : str, default=''
        What the estimate is of the differences, if not their mean.
    first_counts : bool, default=False
        Whether the first split has a part of its own.
    any_splits : bool, default=False
        Whether some splits may be missing.
    assumes_overlap : bool, default=False
        Whether the variance rests on a formula for how splits correlate.

    Returns
    -------
    callable
        Decorates a function from a view to evidence; the result is a `Method`.

    Examples
    --------
    >>> import numpy as np
    >>> from outperform.extend import Differences, Pivot, T, method
    >>> @method(title="Plain t", paper="a note", requirements=(), designs=("kfold",),
    ...         accounts_for=(), standing="reference", advice="An example.")
    ... def plain_t(d: Differences) -> Pivot:
    ...     return Pivot(d.mean, d.sd / np.sqrt(d.n_splits), T(d.n_splits - 1))
    >>> round(plain_t([0.8, 0.9, 0.7], [0.7, 0.8, 0.65], design="3cv").pvalue, 3)
    0.038
    """

    def register(kernel: Callable[..., Evidence]) -> Method:
        name = kernel.__name__
        _check_free(name, kernel)
        view = _view_of(kernel)
        made = Method(
            name=name,
            title=title,
            paper=paper,
            requirements=requirements,
            designs=designs,
            default_for=default_for,
            accounts_for=accounts_for,
            published_design=published_design,
            standing=standing,
            grade=grade or ("discouraged" if standing == "discouraged" else "assumed"),
            advice=advice,
            instead=instead,
            layout=layout or view.layouts[0],
            unit=unit,
            kernel=kernel,
            view=view,
            note=note,
            unsaid_on=unsaid_on,
            undefined_note=undefined_note,
            checks=checks,
            interval_inverts=interval_inverts,
            has_interval=has_interval,
            directed=directed,
            has_pvalue=has_pvalue,
            compares=compares,
            estimand=estimand,
            centre=centre,
            first_counts=first_counts,
            any_splits=any_splits,
            assumes_overlap=assumes_overlap,
        )
        object.__setattr__(made, "__name__", name)
        METHODS[name] = made
        return made

    return register


def procedure(**about: Any) -> Callable[[_F], _F]:
    """Register a function that judges a family, partitions or counts, and return it.

    Parameters
    ----------
    **about : object
        `title`, `paper`, `requirements`, `designs`, `standing`, `advice`, `reads` and `example`, as
        in the registrations of this package.

    Returns
    -------
    callable
        Decorates a function, which stays as it is.

    Examples
    --------
    >>> from outperform.extend import procedure
    >>> @procedure(title="Mean p-value", paper="a note", requirements=(), designs=("partitions",),
    ...            standing="reference", advice="An example.", reads="p-values",
    ...            example="mean_p([0.2, 0.1])")
    ... def mean_p(values):
    ...     return sum(values) / len(values)
    >>> mean_p([0.25, 0.75])
    0.5
    """

    def register(kernel: _F) -> _F:
        _check_free(kernel.__name__, kernel)
        PROCEDURES[kernel.__name__] = Procedure(name=kernel.__name__, kernel=kernel, **about)
        return kernel

    return register


def _check_free(name: str, kernel: Callable[..., Any]) -> None:
    taken = METHODS.get(name) or PROCEDURES.get(name)
    if taken is not None and taken.kernel.__module__ != kernel.__module__:
        raise MethodError(
            f"A method named {name!r} already exists (in {taken.kernel.__module__}). Method "
            "names must be unique."
        )


@dataclass(frozen=True, slots=True)
class MethodTable:
    """A list of methods and procedures that prints as a table."""

    rows: tuple[Registered, ...]

    def __iter__(self) -> Iterator[Registered]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Registered:
        return self.rows[index]

    def __contains__(self, name: object) -> bool:
        return any(name in (row, row.name, row.kernel) for row in self.rows)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.rows)

    def __repr__(self) -> str:
        width = max((len(row.name) for row in self.rows), default=0)
        return "\n".join(f"{r.name:<{width}}  {r.standing:<11}  {r.title}" for r in self.rows)


def table(design: Any = None) -> MethodTable:
    """List all methods and procedures, or those valid for a design, recommended ones first.

    Parameters
    ----------
    design : str, Design or splitter, optional
        Only methods valid for it, such as "10x10cv".

    Returns
    -------
    MethodTable
        Prints as a table; iterate over it, or ask whether a name is in it.

    Examples
    --------
    >>> import outperform as op
    >>> op.methods.table(design="5x2cv").names[:3]
    ('corrected_t', 'five_by_two_f', 'five_by_two_t')
    >>> "corrected_t" in op.methods.table(design="10cv")
    True
    """
    load_all()
    rows: list[Registered] = [*METHODS.values(), *PROCEDURES.values()]
    return MethodTable(_ordered(rows, None if design is None else _kind(design)))


def _ordered(rows: Iterable[_R], kind: str | None = None) -> tuple[_R, ...]:
    """Return those valid for a kind of design, recommended ones first."""
    load_all()
    order = {"recommended": 0, "reference": 1, "discouraged": 2}
    valid = (m for m in rows if kind is None or kind in m.designs)
    return tuple(sorted(valid, key=lambda m: (order[m.standing], m.name)))


def registered(name: str) -> Registered:
    """Return a method or procedure by name, or an error that names the near ones."""
    load_all()
    found = METHODS.get(name) or PROCEDURES.get(name)
    if found is None:
        near = did_you_mean(name, [*METHODS, *PROCEDURES])
        raise MethodError(f"Unknown method {name!r}; {near}")
    return found


def get(name: str) -> Method:
    """Return a test of two learners by name."""
    found = registered(name)
    if isinstance(found, Procedure):
        raise _other_input(found)
    return found


def for_scores(name: str) -> Registered:
    """Return what `compare` can ask about scores by name."""
    found = registered(name)
    if isinstance(found, Procedure) and not found.of_scores:
        raise _other_input(found)
    return found


def _other_input(found: Procedure) -> MethodError:
    return MethodError(
        f"{found.name} takes {found.reads}, not the scores of two learners. Use it in Python: "
        f"outperform.{found.example}"
    )


def judging(method: str) -> tuple[Callable[[Any], object], str | None]:
    """Return what refuses a design that a method is not for, and the design to run by default.

    The latter is the one it was published with; None leaves it to the engine.
    """
    if method == "auto":
        return default_method, None
    asked = for_scores(method)
    usual = asked.published_design
    if usual is None and "repeated-kfold" in asked.designs:
        usual = "10x10cv"
    return asked.check_design, usual


def default_method(design: Any) -> str:
    """Return the name of the method that `method="auto"` takes for a design (a look-up)."""
    load_all()
    kind = _kind(design)
    found = _default(kind)
    if found is None:
        valid = _ordered(METHODS.values(), kind)
        usable = " or ".join(f"{argument(method=m.name)} ({m.standing})" for m in valid)
        why = "neither cross-validation nor random splits of one size" if kind == "custom" else kind
        raise MethodError(
            f"Design {str(design)!r} ({why}) has no default method; "
            + (f"specify one: {usable}" if usable else "no available method is valid for it.")
        )
    return found


def _default(kind: str) -> str | None:
    ours_first = sorted(METHODS.values(), key=lambda m: not m.kernel.__module__.startswith(_OURS))
    return next((m.name for m in ours_first if kind in m.default_for), None)


def has_default(kind: str) -> bool:
    """Tell whether some method is the default for a kind."""
    load_all()
    return _default(kind) is not None


def default_for_items(items: Items) -> str | None:
    """Return the method for items by how they were measured; None if as for any test set."""
    load_all()
    together = items.clusters is not None and items.population == "new"
    return _default("clustered-items" if items.preferences and together else items.kind)


def _check_kind(asked: Registered, kind: str, text: str | None = None) -> None:
    if kind in asked.designs:
        return
    better = _default(kind) or ", ".join(m.name for m in _ordered(METHODS.values(), kind))
    use = f"Use {better} for this design, or see" if better else "See"
    raise MethodError(
        f"{asked.name} is not valid for design {text or kind!r} ({kind}). It is valid for: "
        f"{', '.join(asked.designs)}. {use} {call('methods', design=text or kind)}"
    )


def _fits(published_design: str | None) -> int | None:
    from .designs import parse

    return None if published_design is None else parse(published_design).n_fits()


def _summary(kernel: Callable[..., Any]) -> str:
    return (kernel.__doc__ or "").strip().split("\n")[0]


def design_notes(design: Design | None) -> tuple[Note, ...]:
    """Return what is said of a design whatever the method."""
    said = {"custom": "OP313", "seeds": "OP407", "unpaired-seeds": "OP407", "forward": "OP408"}
    code = None if design is None else said.get(design.kind)
    return () if code is None else (Note(code),)


@cache
def load_all() -> None:
    """Import every method file, and what other packages offer as entry points."""
    from importlib import import_module
    from pkgutil import iter_modules

    from . import procedures

    for module in iter_modules(procedures.__path__):
        import_module(f"{procedures.__name__}.{module.name}")
    load_plug_ins()


def _view_of(kernel: Callable[..., Evidence]) -> View:
    """Return the view that a kernel reads: the type of its first argument."""
    reads = kernel.__annotations__[kernel.__code__.co_varnames[0]]
    name = (reads if isinstance(reads, str) else reads.__name__).rpartition(".")[2]
    if name not in VIEWS:
        raise MethodError(
            f"{kernel.__name__} takes {name}, which is not a registered view; "
            f"{did_you_mean(name, VIEWS)}"
        )
    return VIEWS[name]


def _variant(base: str, differs: dict[str, Any]) -> Method:
    return replace(get(base), **differs)


def _kind(design: Any) -> str:
    if isinstance(design, str) and design in design_kinds():
        return design
    from .designs import parse

    return parse(design).kind


def design_kinds() -> set[str]:
    """Return what a method can be valid for: the kinds of all designs, and several datasets."""
    from .designs.base import all_designs

    fixed = (design.kind for design in all_designs() if isinstance(design.kind, str))
    return {
        "datasets",
        *ITEMS_KINDS,
        "repeated-kfold",
        "repeated-2fold",
        *fixed,
    }  # two are of the same class


def _check_call(
    asked: Method, read: Callable[..., Any], data: tuple[Any, ...], keywords: dict[str, Any]
) -> None:
    """Explain a call whose arguments do not fit; anything else is not ours to explain."""
    import inspect

    try:
        inspect.signature(read).bind(asked.layout, *data, **keywords)
    except TypeError as error:
        raise MethodError(
            f"{asked.name}: {error}. The signature is {asked.name}{asked._called(read)}"
        ) from None
