"""`compare`: learners or scores in, every pair judged by one method and adjusted as a family.

Implements B-08.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import registry, validation
from ..designs import Design
from ..errors import DataError, MethodError, argument, counted, did_you_mean
from ..notes import Note
from ..numerics import pair_counts
from ..procedures.max_t import max_t
from ..registry import Method, Procedure
from ..results.adjustments import (
    ALL_PAIRS,
    FAMILY_ADJUSTMENTS,
    SINGLE_STEP,
    family_log_pvalues,
)
from ..results.assumptions import AT_ALPHA, named, strains
from ..results.comparison import Comparison, paired, position_of, usual_adjustment
from ..results.evidence import ALTERNATIVES, Evidence, highest_level, joined, side_by_side
from ..results.stress import stressed
from ..scores.benchmark import Benchmark
from ..scores.benchmark_checks import ALPHA, checked, refuse_undecidable
from ..scores.item_summary import scores_of
from ..scores.items import Items
from ..scores.split_scores import Scores
from ..views import Contingency, metric_of_items, notes_on_items

CHECKED = 50
"""Pairs that a method's other checks are made on, one by one."""
CHECKED_VALUES = 2**22
"""Differences in these pairs together: of a million items, checks are made on four pairs."""
BLOCK = 2**20
"""Differences judged at a time: 8 MB."""


REPLICATES = 100
"""Splits beyond which scores may as well be bootstrap replicates."""
USUAL = {"metrics": "scoring", "scorer": "scoring", "cv": "design", "splitter": "design"}
"""What scikit-learn or a reader may call a parameter, and what it is called here."""


def compare(
    learners_or_scores: Any,
    X: Any = None,
    y: Any = None,
    *more_logs: Any,
    design: Any = None,
    method: str = "auto",
    scoring: Any = None,
    alternative: str = "two-sided",
    adjust: str = "auto",
    control: str | None = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    store: Any = None,
    groups: Any = None,
    params: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    on_error: str = "record",
    fitted: bool = False,
    keep: Any = None,
    metric: str | None = None,
    missing: str | None = None,
    cluster: str | None = None,
    common_items: bool | None = None,
    allow_other_prompts: bool | None = None,
    partial: bool | None = None,
    errors: str | None = None,
    population: str | None = None,
    lower_is_better: bool | None = None,
    **reading: Any,
) -> Comparison:
    """Compare learners, or scores measured before, and judge every pair.

    With X and y the learners are trained and tested over a design. Without them the first argument
    is what was measured before.

    Parameters
    ----------
    learners_or_scores : mapping, list, path, data frame, Scores, Items or Benchmark
        With X and y: a mapping of names to learners, a list of learners or of (name, learner).
        Without: `Scores`, `Items`, a `Benchmark`, the path of a file of scores or predictions or of
        a store, a data frame, or a mapping of names to arrays of scores.
    X : array-like, sparse matrix, data frame or path, optional
        Features; or the path of a second log of an evaluation.
    y : array-like, str or path, optional
        Target, or the name of a column of X; or the path of a third log.
    *more_logs : path
        Further logs, item by item: `compare("a.jsonl", "b.jsonl")`.
    design : str, Design, splitter or list of (train, test), optional
        How the data are split. Splitters and pairs of row numbers are run exactly as given. By
        default "5x5cv+20halves", or the nearest design the data allow, with a note; a `method`
        other than "auto" is run on the design it was published with. For scores measured before:
        the design that made them, if the file does not tell.
    method : str, default='auto'
        Name of a method of `outperform.methods`. "auto" looks it up by the design, before any
        score is seen.
    scoring : str, callable, list or mapping, optional
        One or several metrics of scikit-learn; the first is the primary one. By default accuracy
        for classifiers and r2 for regressors.
    alternative : {"two-sided", "less", "greater"}, default='two-sided'
        Alternative hypothesis; "greater" says that the first learner of a pair is better.
    adjust : str, default='auto'
        How p-values are adjusted for the family of all pairs: "single-step", "holm", "hochberg",
        "hommel", "shaffer", "bergmann-hommel", "bonferroni", "benjamini-hochberg" or "none". "auto"
        is "single-step" for t-type methods, "bergmann-hommel" over datasets ("shaffer" for more
        than 13 learners), and "holm" for other methods and against a control.
    control : str, optional
        Compare each other learner with this one only, the other first, in a family of k - 1.
    random_state : int, optional
        Seed. If None, one is drawn and kept with the scores.
    n_jobs : int, optional
        Number of workers; -1 uses all cores. It does not change the result.
    store : path, optional
        Keeps every result; the same call again resumes.
    groups : array-like or str, optional
        Group of each row, or a column of X; the rows of a group stay together.
    params : mapping, optional
        Passed to fit, such as {"sample_weight": weights}; see `run`.
    time_limit : float, optional
        Seconds allowed for each fit.
    on_error : {"record", "raise"}, default='record'
        Whether to go on when a fit fails, and raise `RunFailed` at the end, or to raise at the
        first.
    fitted : bool, default=False
        The learners are fitted models and X and y a test set: none is trained, each predicts once,
        and the verdict applies to these models.
    keep : str or list of str, optional
        What a store keeps of the models' answers; see `run`.
    metric : str, optional
        Which of several metrics is judged, by default the primary one. For a store, any scorer of
        scikit-learn that can be computed from the predictions it kept. For arrays, the name of
        their metric: a known one, such as "rmse" or "auc", says which way is better.
    missing : {"complete", "pairwise"}, optional
        What to do with datasets on which a learner has no score: leave them out, or judge each pair
        on the datasets both have. By default they are rejected.
    cluster : str, optional
        Column of a log that names the cluster of an item; see `Items.read`.
    common_items : bool, optional
        Whether to use only the items that all logs have.
    allow_other_prompts : bool, optional
        Whether logs may have different prompts for the same item.
    partial : bool, optional
        Whether to accept the log of a run that did not finish.
    errors : str, optional
        What an item without a score counts as; see `Items.read`.
    population : {"new", "these"}, optional
        Whether the verdict applies to new items like these, or to these items only.
    lower_is_better : bool, optional
        Whether smaller scores of arrays, a file or log are better.
    **reading : object
        Further options of `Scores.read` and `Items.read` for files and frames, such as
        `drop_incomplete=True` or `score="acc"`.

    Returns
    -------
    Comparison
        All pairs with estimates, intervals, p-values and notes. `verdict()` decides.

    Raises
    ------
    OutperformError
        If the data, the design or the method cannot be used; the message says what to do instead.

    Notes
    -----
    With single-step adjustment, p-values and simultaneous intervals come from the same quantile, so
    that an interval excludes 0 exactly if the verdict names a better learner. With other
    adjustments each interval is that of its pair alone. Datasets of one family count as one
    dataset.

    Examples
    --------
    >>> import outperform as op
    >>> cmp = op.compare("examples/scores.csv")
    >>> cmp.verdict("logistic", "forest").outcome
    'no decision'
    >>> scores = {"tree": [0.81, 0.79, 0.84, 0.80], "bayes": [0.78, 0.75, 0.80, 0.79]}
    >>> round(op.compare(scores, design="4cv").pvalue, 3)
    0.069
    """
    validation.choice(adjust, "adjust", ("auto", *FAMILY_ADJUSTMENTS))
    validation.choice(alternative, "alternative", ALTERNATIVES)
    if control is not None and adjust in ALL_PAIRS:
        raise MethodError(
            f"{argument(adjust=adjust)} is for all pairs, but every learner is compared with "
            f"{control!r} only. Use {argument(adjust='holm')} or {argument(adjust='hommel')}"
        )
    if method != "auto":
        registry.for_scores(method)
    of_logs = {
        "cluster": cluster,
        "common_items": common_items,
        "allow_other_prompts": allow_other_prompts,
        "partial": partial,
        "errors": errors,
        "population": population,
        "lower_is_better": lower_is_better,
    }
    _check_reading(reading)
    validation.one_metric(metric)
    logs = _logs((learners_or_scores, X, y, *more_logs), of_logs, reading)
    if logs:
        learners_or_scores = Items.read(*logs, metric=metric, **of_logs, **reading)
        X = y = None
        metric, reading = None, {}
    known = {"lower_is_better": lower_is_better, "missing": missing}
    reading |= {} if logs else {name: value for name, value in known.items() if value is not None}
    benchmark = None
    if validation.is_benchmark(learners_or_scores):
        learners_or_scores = Benchmark.read(learners_or_scores)
    if isinstance(learners_or_scores, Scores | Benchmark | Items) or (X is None and y is None):
        scores, metric = _measured(learners_or_scores, design, metric, reading)
        if len(set(scores.datasets or ())) > 1:
            benchmark, scores = over_datasets(scores)
        validation.measured_already(
            X=X,
            y=y,
            scoring=scoring,
            random_state=random_state,
            n_jobs=n_jobs,
            store=store,
            groups=groups,
            params=params,
            time_limit=time_limit,
            on_error=None if on_error == "record" else on_error,
            fitted=fitted or None,
            keep=keep,
        )
    else:
        from ..engine.estimators import named_learners
        from ..engine.running import run_admitted

        _refuse_direction(reading, scoring)
        _for_files(reading)
        judge, usual = registry.judging(method)
        needs = ("predict",) if fitted else ("fit", "predict")
        learners = named_learners(learners_or_scores, needs=needs)
        _check_pairs(tuple(learners), control)  # before any fit is made
        scores = run_admitted(
            learners,
            X,
            y,
            design=design,
            scoring=scoring,
            random_state=random_state,
            n_jobs=n_jobs,
            store=store,
            groups=groups,
            params=params,
            time_limit=time_limit,
            on_error=on_error,
            fitted=fitted,
            keep=keep,
            admit=judge,
            usual=usual,
            judged=metric,
        )
    if metric is not None:
        from ..engine.rescoring import for_metric

        scores = for_metric(scores, metric)
    if len(scores.names) < 2:
        raise DataError(
            f"{len(scores.names)} learner was passed; a comparison needs at least 2. To test one "
            "against a value, use corrected_t(scores, mu0=…)"
        )
    if control is not None:
        position_of(control, scores.names, "control")
    _check_pairs(scores.names, control)
    found = _compared(scores, method, alternative, adjust, control)
    if benchmark is not None:
        if method == "auto":
            n, least = _attainable(found)
            refuse_undecidable(scores, found.method.name, found.method.title, n, least)
        found = replace(found, benchmark=benchmark, ranking=lambda: ranking(scores))
    target = scores.target if y is None else y
    if isinstance(y, str):
        from ..engine.learning_data import named_columns

        target = named_columns(X, y, None)[1]
    shown = found if found.scores is scores else replace(found, scores=scores)
    strained = strains(shown, target)
    ratio = scores.test_train_ratio
    unseen = stressed(
        found.method, found.evidence, ratio, lambda one: replace(found, evidence=one).log_adjusted()
    )
    # Whether neighbours are correlated is judged again: here the classes are known.
    said = [note for note in found.notes if note.code != "OP309"]
    found = found.noted((*_still(found), *said, *strained, *unseen))
    return found.noted((*found.notes, *_checked(found), *_adjusted_least(found)))


def scores_in(source: Any, design: Any = None) -> Scores:
    """Return what was measured before, whatever holds it: a file, a log, a frame, a store."""
    logs = _logs((source,), {}, {})
    given = Items.read(*logs) if logs else source
    if validation.is_benchmark(given):
        given = Benchmark.read(given)
    return _measured(given, design, None, {})[0]


def over_datasets(scores: Scores) -> tuple[Benchmark, Scores]:
    """Return scores on several datasets as a checked table, and what counts: maybe families."""
    benchmark = checked(Benchmark(scores))
    alone = benchmark.families in (None, benchmark.datasets)
    return benchmark, benchmark.scores if alone else benchmark.by_family()


def ranking(scores: Scores, random_state: int = 0) -> Comparison:
    """Judge all pairs over datasets by mean differences with simultaneous intervals.

    By max-t; where pairs have datasets of their own, by Bonferroni's t.
    """
    if np.isnan(scores.values).any():
        return _compared(scores, "dataset_t", "two-sided", SINGLE_STEP, None)
    return max_t(scores, random_state=random_state)


def _check_pairs(names: Sequence[str], control: str | None) -> None:
    if control is None:
        pair_counts.check_number(len(names), remedy=pair_counts.with_control(names))


OF_ITEMS = {"item", "sample"}
"""Columns that only items have."""


def _logs(
    given: Sequence[Any], of_logs: Mapping[str, Any], reading: Mapping[str, Any]
) -> list[Any]:
    """Return the paths of logs, where that is what was given; refuse their options without."""
    paths = [one for one in given if one is not None]
    several = len(paths) > 1 and all(isinstance(one, str | os.PathLike) for one in paths)
    ours = {name: value for name, value in of_logs.items() if name != "lower_is_better"}
    asked = next((name for name, value in ours.items() if value is not None), None)
    first = given[0]
    is_path = isinstance(first, str | os.PathLike) and not validation.is_store(first)
    named = asked is not None or not OF_ITEMS.isdisjoint(reading)
    if several or (is_path and len(paths) == 1 and (named or _is_log(first))):
        return paths
    if asked is not None:
        raise DataError(
            f"The {asked!r} parameter is for logs of items, which are files. Use "
            f"Items.from_arrays or Items.from_frame for items in memory, which have options too"
        )
    return []


def _is_log(path: Any) -> bool:
    from ..readers.item_logs import is_log

    return is_log(path)


def _is_of_items(frame: Any) -> bool:
    from ..readers.judgements import is_judged_frame
    from ..readers.plain_rows import is_log_frame

    return is_log_frame(frame) or is_judged_frame(frame)


def _check_reading(reading: Mapping[str, Any]) -> None:
    """Refuse keywords that neither this function nor a reader has."""
    if not reading:
        return
    from ..readers import known_options

    for name in reading.keys() - known_options():
        meant = USUAL.get(name)
        words = [meant] if meant else sorted({*known_options(), *(compare.__kwdefaults__ or {})})
        raise TypeError(
            f"compare() got an unexpected keyword argument {name!r}; "
            f"{did_you_mean(meant or name, words)}"
        )


def _refuse_direction(reading: Mapping[str, Any], scoring: Any) -> None:
    """Refuse a direction where learners are run: of scorers, greater values are better."""
    if "lower_is_better" not in reading:
        return
    name = getattr(scoring, "__name__", None)
    turned = "scoring='neg_mean_squared_error'"
    if name and name.isidentifier():
        turned = f"scoring={{'neg_{name}': lambda model, X, y: -{name}(model, X, y)}}"
    raise DataError(
        "The 'lower_is_better' parameter is for scores that were measured before; of scorers, "
        f"greater values are better. For an error pass its negative: {turned}"
    )


def _for_files(reading: Mapping[str, Any]) -> None:
    """Refuse options of reading where nothing is read."""
    named = next(iter(reading), None)
    if named is not None:
        raise DataError(
            f"The {named!r} parameter is for files and data frames of scores. Leave it out, or "
            "pass the path of a file"
        )


def _measured(
    given: Any, design: Any, metric: str | None, reading: Mapping[str, Any]
) -> tuple[Scores, str | None]:
    """Return scores that were measured before, and the metric that is still to be chosen."""
    known = {} if design is None else {"design": design}
    missing = reading.get("missing")
    if isinstance(given, Scores | Benchmark | Items) or validation.is_store(given):
        _for_files({name: value for name, value in reading.items() if name != "missing"})
        if isinstance(given, Benchmark):
            scores = given.to_scores(missing)
        elif isinstance(given, Scores):
            gaps = given.datasets is not None and bool(np.isnan(given.values).any())
            scores = Benchmark.of(given).to_scores(missing) if gaps or missing else given
        else:
            scores = scores_of(given) if isinstance(given, Items) else Scores.read(given)
    else:
        options = {**known, **reading} | ({} if metric is None else {"metric": metric})
        scores, metric = _read(given, options), None
    return (scores if design is None else scores.made_by(design)), metric


def _read(given: Any, options: Mapping[str, Any]) -> Scores:
    """Read what holds scores: a file, a data frame, results of scikit-learn, arrays."""
    if isinstance(given, str | os.PathLike):
        return Scores.read(given, **options)
    if hasattr(given, "cv_results_"):
        return Scores.from_search(given, **options)
    of_items = not OF_ITEMS.isdisjoint(options) if options else None
    if hasattr(given, "columns") and (_is_of_items(given) if of_items is None else of_items):
        return scores_of(Items.from_frame(given, **options))
    if hasattr(given, "columns") or hasattr(given, "reports_") or _is_nested(given):
        return Scores.from_frame(given, **options)
    if isinstance(given, Mapping) and not any(hasattr(v, "fit") for v in given.values()):
        arrays = Scores.from_arrays.__kwdefaults__ or {}
        _for_files({name: value for name, value in options.items() if name not in arrays})
        return Scores.from_arrays(given, **options)
    raise DataError(
        f"{type(given).__name__} was passed without X and y; pass the data to fit learners, as in "
        'compare(learners, X, y), or what was measured, as in compare("scores.csv")'
    )


def _is_nested(given: Any) -> bool:
    """Tell whether a mapping is that of a search, or of what cross_validate returned."""
    if not isinstance(given, Mapping) or not given:
        return False
    return (
        "fit_time" in given or "params" in given or isinstance(next(iter(given.values())), Mapping)
    )


def _compared(
    scores: Scores, asked: str, alternative: str, adjust: str, control: str | None
) -> Comparison:
    side: Any = alternative
    method = registry.for_scores(_auto(scores) if asked == "auto" else asked)
    if isinstance(method, Procedure):
        how = {"alternative": alternative, "adjust": adjust, "control": control}
        usual = compare.__kwdefaults__ or {}
        found = method.compare(scores, **{w: v for w, v in how.items() if v != usual[w]})
        notes = (*scores.notes, *registry.design_notes(scores.design), *found.notes)
        return replace(
            found,
            design=scores.design,
            seed=scores.seed,
            notes=tuple(dict.fromkeys(notes)),
            scores=scores,
            procedure=method.name,
        )
    method.check_direction(side)
    evidence, view, n = _judged(method, scores, control)
    fallen_back = False
    if adjust == "auto":
        adjust = usual_adjustment(method, evidence, len(scores.names), control)
        fallen_back = adjust == "shaffer"
    return Comparison(
        scores.names,
        method,
        evidence,
        adjust,
        n=n,
        metric=metric_of_items(scores) if method.view.of_items else scores.metric,
        design=scores.design,
        alternative=side,
        seed=scores.seed,
        notes=(
            *scores.notes,
            *(notes_on_items(scores) if method.view.of_items else ()),
            *registry.design_notes(scores.design),
            *_about(method, scores.design),
            *_ignored(method, scores.measured),
            *((Note("OP343"),) if fallen_back else ()),
        ),
        scores=scores,
        control=control,
        options=dict(method.kernel.__kwdefaults__ or {}),
        greater_is_better=scores.greater_is_better,
        view=view,
    )


def _auto(scores: Scores) -> str:
    """Return the method for scores by their design, datasets and kind of loss alone."""
    if len(set(scores.datasets or ())) > 1:
        return registry.default_method("datasets")
    if scores.design is None:
        if bool(((scores.values == 0) | (scores.values == 1)).all()):
            raise MethodError(
                "Every score is 0 or 1, and the design is unknown. If each value shows whether a "
                f"learner was correct on an item, read them with {argument(layout='correct')}, or "
                "use Scores.from_correct(names, table)"
            )
        raise MethodError(
            f"The design of these scores is unknown, but the method depends on it. {_ways(scores)}"
        )
    if scores.probabilities is not None and scores.metric == "roc_auc":
        return "delong"
    own = None if scores.measured is None else registry.default_for_items(scores.measured)
    default = own or registry.default_method(scores.design)
    losses = scores.items is not None and scores.items.loss != "zero-one"
    counts = registry.get(default).view.type is Contingency
    return "paired_t" if counts and losses else default


def _ways(scores: Scores) -> str:
    """Say what to pass for scores of unknown design: what works with as many as there are."""
    n = scores.n_splits + scores.n_missing
    repeats = (scores.full_grid or scores.addresses.max(axis=0) + 1)[1]
    if n < 2:
        return (
            "One score per learner is not enough for a test: provide the scores of every split, or "
            "the predictions for every item"
        )
    folds = [k for k in (10, 5) if n % k == 0 and n > k]
    repeated = [argument(design=f"{n // k}x{k}cv") for k in folds]
    ways = (
        f"{argument(design=f'{n}cv')} for cross-validation, "
        + (f"{' or '.join(repeated)} for repeated cross-validation, " if repeated else "")
        + f"{argument(design=f'{n}xresampled@1/3')} for random splits with a third for testing"
    )
    if repeats > 1 and n > repeats and n % repeats == 0:
        design = f"{repeats}x{n // repeats}cv"
        ways = f"{argument(design=design)} for repeated cross-validation"
    known = ""
    if scores.test_train_ratio:
        known = f". Or name a method, {argument(method='corrected_t')}"
    replicates = (
        ". Bootstrap replicates of one test set are not splits: provide the predictions for every "
        "item"
    )
    return f"Pass the design: {ways}{known}{replicates if n > REPLICATES else ''}"


def _judged(method: Method, scores: Scores, control: str | None) -> tuple[Evidence, Any, int]:
    """Judge all pairs, as the leading axis of the view; keep it where one call could hold it."""
    method.check_scores(scores)
    stacked = method.view.pairs
    if stacked is None:
        raise MethodError(
            f"{method.name} does not compare pairs of learners; call it directly: "
            f"outperform.{method.name}(…)"
        )
    i, j = paired(scores.names, control)
    if scores.datasets is not None and np.isnan(scores.values).any():
        return _each_pair(method, scores, i, j)

    def judge(at: int, n_pairs: int) -> tuple[Evidence, Any, int]:
        chosen = slice(at, at + n_pairs)
        view, n = stacked(method.layout, scores, i[chosen], j[chosen])
        return method.on(view), view, n

    step = max(BLOCK // method.view.width(scores), 1)
    if i.size <= step:
        return judge(0, step)
    blocks = [judge(at, step)[::2] for at in range(0, i.size, step)]
    evidence = joined([found for found, _ in blocks])
    return judge(0, i.size) if evidence is None else (evidence, None, blocks[0][1])


def _each_pair(method: Method, scores: Scores, i: Any, j: Any) -> tuple[Evidence, Any, int]:
    """Judge each pair on the datasets that both learners have."""
    found, sizes = [], []
    values = scores.dataset_means()
    for first, second in zip(i.tolist(), j.tolist(), strict=True):
        n = int((~np.isnan(values[[first, second]])).all(axis=0).sum())
        names = scores.names[first], scores.names[second]
        if n < 2:
            raise DataError(
                f"{names[0]!r} and {names[1]!r} have {counted(n, 'dataset')} in common; at least 2 "
                "are required. Remove one of them, or run what is missing"
            )
        view = method.view.scores(method.layout, scores, *names)[0]
        found.append(method.on(view))
        sizes.append(n)
    evidence = side_by_side(found)
    details = {**evidence.details, "n_datasets": np.array(sizes)}
    return replace(evidence, details=details), None, min(sizes)


def _still(found: Comparison) -> list[Note]:
    """Return which pairs scored the same everywhere, and which differ by what never varies."""
    marks = {
        "OP101": found.evidence.identical,
        found.method.undefined_note: found.evidence.undefined,
    }
    notes = []
    for code, where in marks.items():
        pairs = np.broadcast_to(np.asarray(where, dtype=bool), (found.n_pairs,))
        if pairs.any():
            notes.append(Note(code) if found.n_pairs == 1 else _of(found, Note(code), pairs))
    return notes


def _checked(found: Comparison) -> list[Note]:
    """Return what the method's own checks say of the first pairs, beyond what is said already."""
    if not found.method.checks:
        return []
    said = {"OP404", *AT_ALPHA, *(note.code for note in found.notes)}
    told: dict[str, tuple[Note, list[bool]]] = {}
    differ = set()
    width = 1 if found.scores is None else found.method.view.width(found.scores)
    for row in range(min(found.n_pairs, CHECKED, max(CHECKED_VALUES // max(width, 1), 1))):
        for note in found.own_notes(row):
            if note.code not in said:
                if note != told.get(note.code, (note,))[0]:
                    differ.add(note.code)
                told.setdefault(note.code, (note, [False] * found.n_pairs))[1][row] = True
    if found.n_pairs == 1:
        return [note for note, _ in told.values()]
    whole = {code: Note(code) if code in differ else note for code, (note, _) in told.items()}
    return [
        whole[code] if all(rows) else _of(found, Note(code), rows)
        for code, (_, rows) in told.items()
    ]


def _attainable(found: Comparison) -> tuple[int, float]:
    """Return the most values that a pair has, and the smallest two-sided p-value they can have."""
    n = int(np.max(found.evidence.details.get("n_datasets", found.n)))
    counts = getattr(found.evidence.companion, "highest", 1.0) < 1
    return n, 1 - highest_level(n) if counts else 0.0


def _adjusted_least(found: Comparison) -> list[Note]:
    """Return that no pair can differ once adjusted, where a pair alone could: so few datasets."""
    n, least = _attainable(found)
    least *= 1 if found.alternative == "two-sided" else 0.5
    if found.benchmark is None or not 0 < least < ALPHA or found.n_pairs == 1:
        return []
    by = "shaffer" if found.adjust in ALL_PAIRS else found.adjust  # their first steps are the same
    all_alike = np.full(found.n_pairs, np.log(least))
    adjusted = float(np.exp(family_log_pvalues(all_alike, by).min()))
    if adjusted < ALPHA:
        return []
    more = next(extra for extra in range(1, 99) if found.n_pairs * least / 2**extra < ALPHA)
    said = (
        f"With {n} datasets and {found.n_pairs} pairs the smallest possible adjusted p-value is "
        f"{adjusted:.2g}: no pair can differ significantly at α = {ALPHA:g}. {n + more} datasets "
        "are the fewest for which one can."
    )
    return [Note("OP347", said)]


def _of(found: Comparison, note: Note, where: Any) -> Note:
    return Note(note.code, f"{note.text} This applies to {named(found, where)}.")


def _ignored(method: Method, items: Items | None) -> list[Note]:
    """Return that items come in clusters, where the method takes them for independent."""
    clustered = items is not None and items.clusters is not None and items.population == "new"
    return [Note("OP369")] if clustered and "clustered-items" not in method.designs else []


def _about(method: Method, design: Design | None) -> list[Note]:
    """Return what is said of the method whatever the data."""
    said: Mapping[str, bool] = {
        "OP403": not method.has_interval and method.has_pvalue,
        "OP402": method.has_interval and not method.interval_inverts,
    }
    return [*method.standing_note(design), *(Note(code) for code, true in said.items() if true)]
