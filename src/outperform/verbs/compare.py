"""`compare`: learners or scores in, every pair judged by one method and adjusted as a family."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import registry, validation
from ..designs import Design
from ..errors import DataError, MethodError, argument
from ..notes import Note
from ..numerics import pair_counts
from ..registry import Method, Procedure
from ..results.adjustments import ALL_PAIRS, FAMILY_ADJUSTMENTS
from ..results.assumptions import AT_ALPHA, named, strains
from ..results.comparison import Comparison, paired, position_of, usual_adjustment
from ..results.evidence import ALTERNATIVES, Evidence, joined, side_by_side
from ..results.influence import influence_notes
from ..results.stress import stressed
from ..scores.benchmark import Benchmark
from ..scores.benchmark_checks import checked
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
) -> Comparison:
    """Run learners over a design, 5x5cv+20halves unless another is asked, and judge every pair.

    Without `design`, a `method` other than "auto" is run on the design it was published with; where
    the data do not allow the default, the nearest that they allow is run, and a note says so.

    With `fitted=True` the learners are fitted models and X and y a test set: none is trained, each
    predicts once, and the verdict speaks of these models. A scikit-learn splitter or a list of
    (train, test) row numbers as `design` is run as given.

    Without X and y the first argument is what was measured: `Scores`, `Items`, a `Benchmark`, a
    file of scores or predictions, a store, a data frame, or a mapping of names to arrays of scores.
    Of several datasets, `missing` says what becomes of those on which a learner has no score:
    "complete" leaves them out, "pairwise" judges each pair on the datasets that both have; without
    it they are refused. Datasets with a family count as one for each family. Logs of evaluations,
    item by item, are given one after the other, `compare("a.jsonl", "b.jsonl")`; `cluster`,
    `common_items`, `allow_other_prompts`, `partial`, `errors`, `population` and `lower_is_better`
    are options of logs: see `Items.read`.

    `method="auto"` is a look-up by design, made before any score is seen. p-values are adjusted
    for the family of all pairs. `adjust="auto"` is "single-step" for t-type methods: adjusted
    p-values and simultaneous intervals come from the same quantile, so that an interval excludes
    0 exactly where the verdict names a better learner. Over datasets it is "bergmann-hommel", or
    "shaffer" for more than 13 learners; for other methods, and against a control, it is "holm".
    Beside these and "hochberg", "hommel", "benjamini-hochberg" and "none" each interval is that of
    its pair alone.
    With `control="name"` each other learner is judged against that one only, the other first and
    the control second, in a family of k − 1 (B-08). `metric` names which of several metrics is
    judged, by default the primary one, the first of `scoring`; of a store it may be any scorer of
    scikit-learn that can be computed from the predictions it has kept. Assumptions that the scores
    strain are noted.
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
    logs = _logs((learners_or_scores, X, y, *more_logs), of_logs)
    if logs:
        learners_or_scores, X, y = Items.read(*logs, metric=metric, **of_logs), None, None
        metric = None
    benchmark = None
    if validation.is_benchmark(learners_or_scores):
        learners_or_scores = Benchmark.read(learners_or_scores)
    if isinstance(learners_or_scores, Scores | Benchmark | Items) or (X is None and y is None):
        scores = _measured(learners_or_scores, design, missing)
        if len(set(scores.datasets or ())) > 1:
            benchmark = _judgeable(learners_or_scores, scores)
            scores = benchmark.scores if benchmark.families is None else benchmark.by_family()
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
        )
    if metric is not None:
        from ..engine.rescoring import for_metric

        scores = for_metric(scores, metric)
    given = isinstance(learners_or_scores, Scores | Benchmark | Items) or (X is None and y is None)
    if len(scores.names) < 2:
        raise DataError(
            f"{len(scores.names)} learner was passed; a comparison needs at least 2. To test one "
            "against a value, use corrected_t(scores, mu0=…)"
        )
    if control is not None:
        position_of(control, scores.names, "control")
    _check_pairs(scores.names, control)
    found = _compared(scores, method, alternative, adjust, control)
    found = replace(found, benchmark=benchmark)
    target = scores.target if y is None else y
    if isinstance(y, str):
        from ..engine.learning_data import named_columns

        target = named_columns(X, y, None)[1]
    shown = found if found.scores is scores else replace(found, scores=scores)
    strained = strains(shown, target)
    unseen = stressed(found) if given and scores.seed is None else []
    found = found.noted((*_still(found), *found.notes, *strained, *unseen))
    return found.noted((*found.notes, *_checked(found), *influence_notes(found)))


def _check_pairs(names: Sequence[str], control: str | None) -> None:
    if control is None:
        pair_counts.check_number(len(names), remedy=pair_counts.with_control(names))


def _logs(given: Sequence[Any], of_logs: Mapping[str, Any]) -> list[Any]:
    """Return the paths of logs, where that is what was given; refuse their options without."""
    paths = [one for one in given if one is not None]
    several = len(paths) > 1 and all(isinstance(one, str | os.PathLike) for one in paths)
    asked = next((name for name, value in of_logs.items() if value is not None), None)
    first = given[0]
    is_path = isinstance(first, str | os.PathLike) and not validation.is_store(first)
    if several or (is_path and len(paths) == 1 and (asked is not None or _is_log(first))):
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


def _judgeable(given: Any, scores: Scores) -> Benchmark:
    """Return what was measured on several datasets, refused where it cannot be compared."""
    kept = given.kept if isinstance(given, Benchmark) else {}
    left = set(scores.datasets or ())
    return checked(Benchmark(scores, {name: one for name, one in kept.items() if name in left}))


def _measured(given: Any, design: Any, missing: str | None = None) -> Scores:
    """Return scores that were measured before, whatever holds them."""
    known = {} if design is None else {"design": design}
    if isinstance(given, Benchmark):
        scores = given.to_scores(missing)
    elif isinstance(given, Scores):
        scores = given if missing is None else Benchmark.of(given).to_scores(missing)
    elif isinstance(given, Items):
        scores = scores_of(given)
    elif missing is not None and not validation.is_store(given):
        known["missing"] = missing
        is_file = isinstance(given, str | os.PathLike)
        scores = Scores.read(given, **known) if is_file else Scores.from_frame(given, **known)
    elif isinstance(given, str | os.PathLike):
        scores = Scores.read(given, **({} if validation.is_store(given) else known))
    elif hasattr(given, "cv_results_"):
        scores = Scores.from_search(given, **known)
    elif hasattr(given, "columns") or hasattr(given, "reports_") or _is_nested(given):
        scores = Scores.from_frame(given, **known)
    elif isinstance(given, Mapping) and not any(hasattr(v, "fit") for v in given.values()):
        scores = Scores.from_arrays(given, **known)
    else:
        raise DataError(
            f"{type(given).__name__} was passed without X and y; pass the data to fit learners, as "
            "in "
            'compare(learners, X, y), or what was measured, as in compare("scores.csv")'
        )
    return scores if design is None else scores.made_by(design)


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
            "the design of these scores is unknown, and the method is chosen by it. "
            f"{_ways(scores)}"
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
            "One score for each learner cannot be judged: give the scores of every split, or the "
            "predictions for every item"
        )
    ways = (
        f"{argument(design=f'{n}cv')} if by cross-validation, "
        f"{argument(design=f'{n}xresampled@1/3')} if at random with a third for testing"
    )
    if repeats > 1 and n > repeats and n % repeats == 0:
        design = f"{repeats}x{n // repeats}cv"
        ways = f"{argument(design=design)} if by repeated cross-validation"
    known = ""
    if scores.test_train_ratio:
        known = f". Or name a method, {argument(method='corrected_t')}"
    return f"Say how the data were split: {ways}{known}"


def _judged(method: Method, scores: Scores, control: str | None) -> tuple[Evidence, Any, int]:
    """Judge all pairs, as the leading axis of the view; keep it where one call could hold it."""
    method.check_scores(scores)
    stacked = method.view.pairs
    if stacked is None:
        raise MethodError(
            f"{method.name} judges all learners at once, or no scores; call it itself: "
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
                f"{names[0]!r} and {names[1]!r} have {n} datasets in common; at least 2 are "
                "required. Remove one of them, or run what is missing"
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
