"""Bad input of every kind gets a typed error: what came, what is needed, what to do."""

import numpy as np
import pandas as pd
import pytest

import outperform as op
from outperform import DataError, DesignError, MethodError, OutperformError

A, B = [0.81, 0.79, 0.84], [0.80, 0.78, 0.85]
Y = [0, 1, 1]

# (what is called, the kind of error, words of the message)
REFUSED = {
    "nan": (lambda: op.methods.kfold_t([0.1, float("nan")]), DataError, ("a[1] is nan", "finite")),
    "infinity": (
        lambda: op.methods.kfold_t(A, [1, 2, np.inf]),
        DataError,
        ("b[2] is inf", "finite"),
    ),
    "several metrics of learners": (
        lambda: op.compare({"a": None, "b": None}, [[1.0]] * 3, Y, metric=["accuracy", "f1"]),
        DataError,
        ("must be one name, got ['accuracy', 'f1']", "scoring="),
    ),
    "several metrics of a frame": (
        lambda: op.compare(pd.DataFrame({"fold": [0, 1, 2], "a": A, "b": B}), metric=["f1"]),
        DataError,
        ("must be one name, got ['f1']",),
    ),
    "several metrics of a log": (
        lambda: op.Items.read("a.jsonl", metric=["f1"]),
        DataError,
        ("must be one name",),
    ),
    "none": (lambda: op.methods.kfold_t([0.1, None]), DataError, ("a[1] is None",)),
    "text": (lambda: op.methods.kfold_t(["0.1", "0.2"]), DataError, ("got text", "np.asarray")),
    "text among numbers": (
        lambda: op.methods.kfold_t([0.1, "x", None]),
        DataError,
        ("a[1] must be a number, got 'x'",),
    ),
    "a path": (lambda: op.methods.kfold_t("scores.csv"), DataError, ("Scores.read(path)",)),
    "complex": (lambda: op.methods.kfold_t([1j, 2j]), DataError, ("complex", "numbers")),
    "dates": (lambda: op.methods.kfold_t(np.array(["2026-01-01"], "M8[D]")), DataError, ("dates",)),
    "empty": (lambda: op.methods.kfold_t([]), DataError, ("empty",)),
    "one score": (lambda: op.methods.kfold_t([0.5]), DataError, ("At least 2", "10x10cv")),
    "ragged": (
        lambda: op.methods.corrected_t([[1, 2], [3]], design="2x2cv"),
        DataError,
        ("ragged",),
    ),
    "masked": (
        lambda: op.methods.kfold_t(np.ma.array([1.0, 2.0], mask=[0, 1])),
        DataError,
        ("masked", "both arrays"),
    ),
    "a great integer": (lambda: op.methods.kfold_t([2**60, 1]), DataError, ("a[0]", "2**53")),
    "an integer beyond int64": (
        lambda: op.methods.kfold_t([10**30, 1]),
        DataError,
        ("a[0]", "2**53"),
    ),
    "unequal lengths": (
        lambda: op.methods.kfold_t(A, B[:2]),
        DataError,
        ("(3,)", "(2,)", "same shape"),
    ),
    "two axes": (lambda: op.methods.kfold_t([A, B]), DataError, ("shape (2, 3)", "axes (folds)")),
    "three folds in 5x2": (lambda: op.methods.five_by_two_t([A, B]), DataError, ("(repeats, 2)",)),
    "labels that differ": (
        lambda: op.methods.kfold_t(
            pd.Series(A, index=list("xyz")), pd.Series(B, index=list("xyw"))
        ),
        DataError,
        ("labels", "to_numpy()"),
    ),
    "repeated labels": (
        lambda: op.methods.kfold_t(
            pd.Series(A, index=list("xxy")), pd.Series(B, index=list("xyx"))
        ),
        DataError,
        ("duplicate index labels",),
    ),
    "three learners in a mapping": (
        lambda: op.methods.kfold_t({"a": A, "b": B, "c": A}),
        DataError,
        ("3 learners", "two"),
    ),
    "no sizes": (
        lambda: op.methods.corrected_t(A, B),
        MethodError,
        ("design='10x10cv'", "n_train="),
    ),
    "half of the sizes": (
        lambda: op.methods.corrected_t(A, B, n_test=3),
        DataError,
        ("n_train is missing",),
    ),
    "an empty test set": (
        lambda: op.methods.corrected_t(A, B, n_train=9, n_test=0),
        DataError,
        ("n_test must be at least 1", "got 0"),
    ),
    "a fractional size": (
        lambda: op.methods.corrected_t(A, B, n_train=9.5, n_test=1),
        DataError,
        ("got 9.5 at n_train", "not an integer"),
    ),
    "another design": (
        lambda: op.methods.kfold_t(A, B, design="30xresampled@1/3"),
        DataError,
        ("has 30 scores per learner", "got 3"),
    ),
    "a design of another kind": (
        lambda: op.methods.kfold_t(A * 10, B * 10, design="30xresampled@1/3"),
        MethodError,
        ("valid for: kfold", "Use corrected_t"),
    ),
    "no such design": (lambda: op.methods.kfold_t(A, design="10-fold"), DesignError, ("'10cv'",)),
    "alternative": (
        lambda: op.methods.kfold_t(A, alternative="bigger"),
        MethodError,
        ("known: greater",),
    ),
    "direction of an F": (
        lambda: op.methods.five_by_two_f([[1, 2], [3, 5]], alternative="less"),
        MethodError,
        ("no direction", "or use five_by_two_t", "method='five_by_two_t'"),
    ),
    "unknown keyword": (
        lambda: op.methods.kfold_t(A, desing="10cv"),
        MethodError,
        ("'desing'", "signature"),
    ),
    "unknown variant": (
        lambda: op.methods.mcnemar(table=[[1, 2], [3, 4]], variant="exakt"),
        MethodError,
        ("did you mean 'exact'",),
    ),
    "mu0 that is not a number": (
        lambda: op.methods.kfold_t(A, mu0="x"),
        DataError,
        ("'mu0'", "must be a number, got 'x'"),
    ),
    "level": (
        lambda: op.methods.kfold_t(A).interval(95),
        MethodError,
        ("'level'", "between 0 and 1, got 95"),
    ),
    "alpha": (
        lambda: op.methods.kfold_t(A).verdict(alpha=0),
        MethodError,
        ("got 0.", "alpha=0.05"),
    ),
    "rope": (
        lambda: op.methods.kfold_t(A).equivalence(-0.1),
        MethodError,
        ("must be positive, got -0.1",),
    ),
    "missing predictions": (lambda: op.methods.mcnemar(Y, Y), DataError, ("table=[[n00, n01]",)),
    "a short prediction": (
        lambda: op.methods.mcnemar(Y, Y, [0, 1]),
        DataError,
        ("b has 2 items", "3"),
    ),
    "text against numbers": (
        lambda: op.methods.mcnemar(Y, Y, ["0", "1", "1"]),
        DataError,
        ("y has number labels", "b has text labels", "astype(str)"),
    ),
    "a missing label": (
        lambda: op.methods.mcnemar(["a", None], ["a", "b"], ["a", "b"]),
        DataError,
        ("y[1] is missing",),
    ),
    "nan label": (
        lambda: op.methods.mcnemar([0.0, np.nan], [0, 1], [0, 1]),
        DataError,
        ("y[1] is missing",),
    ),
    "negative count": (
        lambda: op.methods.mcnemar(table=[[1, -2], [3, 4]]),
        DataError,
        ("got -2 at table[0, 1]", "negative"),
    ),
    "fractional count": (
        lambda: op.methods.mcnemar(table=[[1, 2.5], [3, 4]]),
        DataError,
        ("got 2.5 at table[0, 1]", "not an integer"),
    ),
    "wrong table": (
        lambda: op.methods.mcnemar(table=[1, 2, 3, 4]),
        DataError,
        ("[[n00, n01], [n10, n11]]",),
    ),
    "empty table": (lambda: op.methods.mcnemar(table=[[0, 0], [0, 0]]), DataError, ("empty",)),
    "table and labels": (
        lambda: op.methods.mcnemar(Y, Y, Y, table=[[1, 2], [3, 4]]),
        DataError,
        ("Both",),
    ),
    "more right than items": (
        lambda: op.methods.accuracy_interval(11, 10),
        DataError,
        ("between 0 and n",),
    ),
    "no number of items": (lambda: op.methods.accuracy_interval(83), DataError, ("n is missing",)),
    "normal interval at one": (
        lambda: op.methods.accuracy_interval(10, 10, variant="normal"),
        DataError,
        ("zero width", "wilson"),
    ),
    "halves": (lambda: op.methods.conservative_z(0.1, [0.1, 0.2]), DataError, ("(M, 2)",)),
    "one training set": (lambda: op.methods.quasi_f([A], [B]), DataError, ("at least 2 of each",)),
    "not right or wrong": (lambda: op.methods.cochran_q([[1, 2], [0, 1]]), DataError, ("0 or 1",)),
    "one model": (lambda: op.methods.cochran_q([[1], [0]]), DataError, ("k at least 2",)),
    "p of zero": (
        lambda: op.methods.fisher_combination([0.1, 0.0]),
        DataError,
        ("greater than 0 and at most 1",),
    ),
    "no such method": (lambda: op.explain("corected_t"), MethodError, ("'corrected_t'",)),
    "no such code": (lambda: op.explain("OP999"), MethodError, ("Unknown note code",)),
    "an interval of an F": (
        lambda: op.methods.five_by_two_f([[1, 2], [3, 5]]).equivalence(0.1),
        MethodError,
        ("has no interval", "Use five_by_two_t", "method='five_by_two_t'"),
    ),
    "no scores": (lambda: op.Scores.from_arrays([A, B]), DataError, ("mapping",)),
    "unequal scores": (
        lambda: op.Scores.from_arrays({"a": A, "b": B[:2]}),
        DataError,
        ("split by split",),
    ),
    "an unknown learner": (
        lambda: op.methods.corrected_t(
            op.Scores.from_arrays({"tree": A, "bayes": B}, design="3cv"), "tree", "base"
        ),
        DataError,
        ("did you mean 'bayes'",),
    ),
    "three learners unnamed": (
        lambda: op.methods.corrected_t(
            op.Scores.from_arrays({"a": A, "b": B, "c": A}, design="3cv")
        ),
        DataError,
        ("name the two",),
    ),
    "items that do not exist": (
        lambda: op.methods.mcnemar(op.Scores.from_arrays({"a": A, "b": B}, design="3cv")),
        DataError,
        ("no losses of single items",),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_with_what_came_and_what_is_needed(name):
    call, kind, words = REFUSED[name]
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, OutperformError)
    for word in words:
        assert word in str(caught.value)


def test_labelled_scores_are_aligned_by_label_and_say_so():
    first = pd.Series(A, index=list("xyz"))
    second = pd.Series(B, index=list("xyz"))
    result = op.methods.kfold_t(first, second.loc[["z", "x", "y"]])
    assert result.statistic == op.methods.kfold_t(A, B).statistic
    assert "OP002" in [note.code for note in result.notes]
