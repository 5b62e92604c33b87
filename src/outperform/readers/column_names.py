"""Columns: what a column of a score file is for, as far as its name tells."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

# Compared as `normal` writes them. "key…" and "numberof…" are Weka's.
ROLES = {
    "learner": "learner model classifier regressor algorithm algo method approach estimator scheme "
    "keyscheme clf modelname methodname algorithmname learnername classifiername learnerid wflowid",
    "score": "score scores value result testscore .estimate",
    "metric": "metric measure scoring .metric",
    "dataset": "dataset datasets datasetname data task domain keydataset benchmark",
    "family": "family datasetfamily",
    "partition": "partition",
    "repeat": "repeat rep run repetition replication keyrun",
    "fold": "fold split keyfold foldid foldno foldnr foldnumber foldindex cvfold outerfold",
    "n_train": "ntrain trainsize numberoftraininginstances",
    "n_test": "ntest testsize numberoftestinginstances",
    "seed": "seed randomstate",
    "y_true": "ytrue y ytest label labels truelabel target targets truth actual actuals "
    "actualclass groundtruth gt gold goldlabel goldanswer correctanswer correctlabel answerkey",
}
SPLIT_LABEL = r"(?i)^(cv[\W_]*)?(fold|split|boot(strap)?s?|resample)[\W_]*\d+$"
"""Cells that name a split, such as Fold01 and Bootstrap0001 of tidymodels."""
ADDRESS = ("partition", "repeat", "fold")
SPLIT = ("dataset", "family", *ADDRESS, "n_train", "n_test", "seed")
LAYOUTS: dict[str, tuple[str, ...]] = {
    "long": ("learner", "score", "metric", *SPLIT),
    "wide": ("metric", *SPLIT),
    "predictions": ("y_true",),
    "correct": (),
    "items": (),
}
KNOWN = {
    "greater": "accuracy acc auc rocauc auroc prauc auprc averageprecision f1 fscore fmeasure ndcg "
    "precision recall sensitivity specificity balancedaccuracy percentcorrect kappa kappastatistic "
    "mcc matthewscorrcoef jaccard r2 explainedvariance topkaccuracy correct iscorrect "
    "loglikelihood loglik",
    "lower": "err mse rmse mae mape nll brier percentincorrect wrong incorrect failed failure "
    "fail mistake mistakes misclassified rmsle msle medae mdape smape wape mase nmae nrmse nmse "
    "crps ece mce wer cer ter perplexity ppl fid pinball regret bitsperbyte bpb bpc eer fpr fnr "
    "fdr falsepositiverate falsenegativerate falsediscoveryrate falsealarmrate misclassification "
    "misclassificationrate crossentropy errors nerrors numerrors numberoferrors errorcount lpips "
    "negativeloglikelihood negloglikelihood editdistance levenshtein hausdorff",
    # Written beside scores by scikit-learn, pandas and R; never the scores of a learner.
    "aside": "id index row rowid item itemid fittime scoretime trainscore date status "
    "pvalue pval pvalues padj qvalue diff difference",
    # Where the cells are whole numbers: they count or name rows, or say how many items there were.
    "number": "trial iteration iter idx no nr num number step epoch k n count counts size support "
    "nsamples nitems docid sampleid questionid exampleid instanceid promptid caseid taskid runid "
    "experimentid uid uuid question doc sample example instance case",
    # They name items of a test set; those that may number splits are told by their cells.
    "item": "item itemid doc docid dochash sample sampleid question questionid example exampleid "
    "instance instanceid case caseid prompt promptid problem problemid id index idx row rowid uid",
    # Of these: they may number splits.
    "split": "id index idx row rowid trial trialid runid iteration iter no nr num number k",
    # The last word of a name that counts what one run goes through, or settings: no splits.
    "progress": "epoch epochs step steps round rounds checkpoint depth layer layers degree shots "
    "budget generation stage level size year month week day hour years months weeks days hours "
    "neighbors neighbours horizon lag lambda alpha beta gamma c user digit class temperature",
    # The last word of a name that tells of a time, or of what a learner takes up.
    "time": "time times seconds secs sec duration elapsed runtime walltime cputime minutes "
    "timestamp traintime testtime predicttime hours memory ram params parameters flops",
    # Words of which rows and columns are named that summarise others: one of the first is needed.
    "summary": "mean average avg std sd stdev stddev stderr se sem var variance median min max "
    "minimum maximum best worst total sum overall count deviation rank ci all pooled win wins ties "
    "gmean hmean pvalue",
    "beside_summary": "standard std dev error score scores accuracy of folds fold splits rank cv "
    "geo geometric harmonic macro micro weighted losses",
    # They may name the true labels, or a learner: it has to be said.
    "maybe_truth": "true class expected reference outcome solution answer observed",
}

LONGEST = 200
"""Characters of a name of a metric; looking for brackets takes the square of a longer one."""
_ROW_NUMBERS = {"index", "idx", "row", "rowid"}
_UNITS = {"s", "ms", "kb", "mb", "gb", "mib", "gib"}
_ROLE_OF = {name: role for role, names in ROLES.items() for name in names.split()}
_GREATER, _LOWER, _ASIDE, _NUMBER, _ITEM, _SPLIT, _PROGRESS, _TIME, _SUMMARY, _BESIDE, _TRUTH = (
    set(names.split()) for names in KNOWN.values()
)


def normal(name: str) -> str:
    """Return a name as it is compared: no case, spaces, underscores, dashes, nor MLflow's kind."""
    plain = re.sub(r"^(params|metrics|classif|regr)\.|[\s_\-#/]+", "", name).casefold()
    return plain.replace("²", "2")


def tokens(name: str) -> list[str]:
    """Return the words in a name, without case."""
    return re.findall(r"[^\W\d_]+", re.sub("([a-z])([A-Z])", r"\1 \2", name).casefold())


def is_summary(label: str) -> bool:
    """Tell whether a row or column is named as a summary of others: 'mean', 'Std. Dev.', '25%'."""
    words = set(tokens(label))
    other = re.fullmatch(r"(25|50|75)%|p.?values?|w\W?t\W?l", label.strip().casefold()) is not None
    return other or (bool(words & _SUMMARY) and words <= _SUMMARY | _BESIDE)


def may_be_truth(name: str) -> bool:
    """Tell whether a column is named as one of true labels often is, and a learner might be."""
    return normal(name) in _TRUTH


def names_items(name: str) -> bool:
    """Tell whether a column is named after the items of a test set."""
    return normal(name) in _ITEM


def item_columns(names: Iterable[str]) -> list[str]:
    """Return the columns named after items: their ids first, numbers of rows last.

    Rows are numbered in the order of a file, so that in another file a number is another item.
    """
    return sorted(filter(names_items, names), key=_vagueness)


def _vagueness(name: str) -> int:
    text = normal(name)
    if text in _ROW_NUMBERS:
        return 3
    if text in ("id", "uid", "sampleid", "promptid"):
        return 1
    return 0 if text == "item" or text.endswith(("id", "hash")) else 2


def is_progress(name: str) -> bool:
    """Tell whether a column that counts is named after epochs or settings, and not after splits."""
    return not _PROGRESS.isdisjoint(tokens(name)[-1:])


def may_number_splits(name: str, *, long: bool) -> bool:
    """Tell whether a column that counts may number splits, as far as its name tells.

    In a long frame its name has to say so: beside learners settings are counted as well.
    """
    text = normal(name).rstrip(".")
    if is_unnamed(name) or long:
        return is_unnamed(name) or (text in _SPLIT and not text.startswith("iter"))
    return text in _SPLIT or not (is_number_of_row(name) or is_progress(name))


def are_numbered(names: Sequence[str]) -> bool:
    """Tell whether several columns are named as splits are numbered: 0, 1, 2 or fold1, fold2."""
    split = r"((cv|test)\W?)?(fold|split|run|rep|repeat|seed|cv|f|s)?\W?\d+(\W?(test|score|acc))*"
    return len(names) > 1 and all(
        re.fullmatch(split, name.strip().casefold().replace("_", " ")) for name in names
    )


def is_number_of_row(name: str) -> bool:
    """Tell whether a column of whole numbers is named as one that counts or names rows."""
    last = re.search(r"([^\W\d_]+)\W*$", name.casefold())
    known = normal(name) in _NUMBER | _ASIDE or (
        last is not None and last[1] in ("id", "nr", "idx")
    )
    return known or is_unnamed(name)


def role_of(name: str) -> str | None:
    """Return what a column of this name is for, if the name is known."""
    return _ROLE_OF.get(normal(name))


def bare(name: str) -> str:
    """Return the name of a metric without scikit-learn's `test_`."""
    return re.sub(
        "^(test|validation|valid|val|evaluation|eval|dev(?!iance))(?=.)", "", normal(name)
    )


def metric_named(column: str) -> str:
    """Return the metric that a column of scores is named after."""
    plain = re.sub(r"^metrics\.", "", column)
    return re.sub("^test[ _-]", "", plain, flags=re.IGNORECASE)


def lower_is_better(metric: str) -> bool | None:
    """Tell the orientation of a metric from its name; None if the name is not known.

    An arrow says it; a minus or "neg" before the name turns it, and units after it say nothing.
    """
    if len(metric) > LONGEST:
        return None
    said = re.search(r"[↓↑]|\b(lower|higher|greater)[ _]is[ _]better", metric.casefold())
    if said and said[0] != metric.casefold():  # alone it is no metric, but our own column
        return said[0] == "↓" or said[1] == "lower"
    plain = re.sub(r"[(\[{](?![^)\]}]*neg).*?[)\]}]|%", "", metric).strip()
    name = re.sub("((micro|macro|weighted|score)|(?<=.)(test|val|validation))+$", "", bare(plain))
    minus = re.match(r"[-−–]\s*[^\W\d]", plain) is not None
    if name.lstrip("−–") in _LOWER:
        return not minus
    turned = re.match("(negative|neg|minus|d2|1)(.+)", name.lstrip("−–"))
    loss = re.sub("^[−–]", "", turned[2]) if turned else name.lstrip("−–")
    if loss in _LOWER or loss.endswith(("error", "errorrate", "loss", "deviance", "divergence")):
        return (turned is None) is not minus
    if turned and turned[1] in ("1", "neg", "negative", "minus") and loss in _GREATER:
        return True
    return minus if name.lstrip("−–") in _GREATER else None


def names_cost(name: str) -> bool:
    """Tell whether a name is that of a time or of what a learner takes up: less is better."""
    return not (_TIME | {"latency", "cost", "costs"}).isdisjoint(tokens(name))


def shared_metric(names: Sequence[str]) -> str | None:
    """Return the metric that all columns name, as in lr_rmse and rf_rmse; None if there is none."""
    words = [dict.fromkeys(re.split(r"[\W_]+", name.casefold())) for name in names]
    shared = [word for word in words[0] if all(word in others for others in words[1:])]
    return next((word for word in shared if lower_is_better(word) is not None), None)


def shown(value: object) -> str:
    """Quote hostile text for a message: one line, printable, not too long."""
    text = str(value)
    quoted = repr(text if len(text) <= 60 else text[:59] + "…")
    if unicodedata.is_normalized("NFC", text):
        return quoted
    return "".join(rf"\u{ord(c):04x}" if unicodedata.combining(c) else c for c in quoted)


def listed(values: Sequence[object], most: int = 6) -> str:
    return ", ".join(map(shown, values[:most])) + (", …" if len(values) > most else "")


def names_split(cell: object) -> bool:
    """Tell whether a cell names a split, so that its row is no item."""
    return re.search(SPLIT_LABEL, str(cell)) is not None


def is_unnamed(name: str) -> bool:
    """Tell whether a column has no name, as an index that was written to a file has none."""
    return normal(name) == "" or normal(name).startswith("unnamed:")


def is_aside(name: str) -> bool:
    """Tell whether a column is named as none that scores can stand in: a time, an index, a date."""
    text = normal(name)
    trained = text.startswith("train") and lower_is_better(text.removeprefix("train")) is not None
    words = tokens(name)
    last = words[-1:] if _UNITS.isdisjoint(words[-1:]) else words  # as in time_train_s
    timed = text in _TIME or not _TIME.isdisjoint(last)
    return trained or timed or text in _ASIDE or is_unnamed(name)


def names_summary(name: str) -> bool:
    """Tell whether some word in a name is that of a summary, as in 'mean_test_score'."""
    return not _SUMMARY.isdisjoint(tokens(name))
