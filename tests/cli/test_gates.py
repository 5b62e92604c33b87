"""Gates: what --require lets pass, and that "not worse" is the one-sided test it says it is."""

import json
import re
import shlex

import numpy as np
import pytest
from launching import run_here, write_scores
from places import TESTS
from scipy import stats

import outperform as op
from outperform import MethodError, OutperformError
from outperform.methods import bonferroni


def split_scores(gain, spread=0.02, seed=1, names=("new", "old")):
    """Return ten folds by five repeats, the first ahead by `gain`."""
    rng = np.random.default_rng(seed)
    base = 0.9 + 0.01 * rng.normal(size=(5, 10))
    gaps = rng.normal(size=(5, 10))
    gaps = gain + spread * (gaps - gaps.mean())
    return op.Scores.from_arrays(
        dict(zip(names, (base + gaps, base), strict=True)), design="5x10cv", metric="accuracy"
    )


def write(path, scores):
    both = zip(scores.addresses, scores.values.T, strict=True)
    rows = [f"{r},{fold},{','.join(map(str, values))}" for (_, r, fold), values in both]
    path.write_text("\n".join([f"repeat,fold,{','.join(scores.names)}", *rows]) + "\n")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# The test behind it.


@pytest.mark.parametrize("gain", [-0.03, -0.008, 0.0, 0.05])
@pytest.mark.parametrize("rope", [0.005, 0.02])
def test_not_worse_is_the_one_sided_t_against_minus_the_rope(gain, rope):
    scores = split_scores(gain)
    result = op.methods.corrected_t(scores)
    d = scores.values[0] - scores.values[1]
    t = (d.mean() + rope) / (d.std(ddof=1) * np.sqrt(1 / 50 + 1 / 9))
    p = stats.t.sf(t, 49)
    assert result.noninferiority(rope) == pytest.approx(p, rel=1e-9)
    verdict = result.verdict(alpha=0.05, rope=rope)
    assert verdict.not_worse is bool(p < 0.05)
    against = op.methods.corrected_t(scores, mu0=-rope, alternative="greater")
    assert against.pvalue == pytest.approx(p, rel=1e-9)
    assert result.verdict().not_worse is None


def test_not_worse_of_right_and_wrong_is_the_score_test_of_tango():
    result = op.methods.mcnemar(table=[[10, 30], [34, 226]])
    low = result.interval(0.9).low
    assert result.noninferiority(-low) == pytest.approx(0.05, abs=1e-9)
    assert result.noninferiority(-low * 1.01) < 0.05 < result.noninferiority(-low * 0.99)


def test_not_worse_of_ranks_is_the_signed_rank_test_moved_by_the_rope():
    d = np.random.default_rng(2).normal(0.0, 0.02, 15)
    for rope in (0.005, 0.02):
        theirs = stats.wilcoxon(d + rope, alternative="greater", method="exact").pvalue
        assert op.methods.wilcoxon(d, unit="datasets").noninferiority(rope) == pytest.approx(
            theirs, rel=1e-12
        )


def test_not_worse_of_an_f_rests_on_its_t():
    rng = np.random.default_rng(3)
    losses = rng.normal(0.3, 0.05, (2, 6, 40))
    found = op.methods.quasi_f(*losses, lower_is_better=True)
    low = found.interval(0.9).low
    assert found.noninferiority(abs(low)) == pytest.approx(0.05, rel=1e-6)


def test_for_losses_not_worse_means_not_larger():
    error = {"new": [0.21, 0.20, 0.22, 0.21, 0.20], "old": [0.30, 0.31, 0.29, 0.30, 0.32]}
    scores = op.Scores.from_arrays(error, design="5cv", lower_is_better=True)
    assert op.methods.corrected_t(scores, "new", "old").verdict(rope=0.01).not_worse
    assert not op.methods.corrected_t(scores, "old", "new").verdict(rope=0.01).not_worse


def test_who_outperforms_is_not_worse_and_who_is_equivalent_too():
    for gain in np.linspace(-0.03, 0.03, 25):
        verdict = op.methods.corrected_t(split_scores(gain, spread=0.01)).verdict(rope=0.012)
        if verdict.outcome in ("outperforms", "equivalent"):
            assert verdict.not_worse
        if verdict.outcome == "outperformed":
            assert not verdict.not_worse


def test_a_family_adjusts_the_one_sided_p_values_of_its_pairs():
    rng = np.random.default_rng(4)
    base = 0.8 + 0.02 * rng.normal(size=(5, 10))
    made = {
        n: base + 0.02 * rng.normal(size=(5, 10)) + g
        for n, g in (("a", -0.005), ("b", 0.0), ("c", 0.002))
    } | {"old": base}
    scores = op.Scores.from_arrays(made, design="5x10cv")
    found = op.compare(scores, control="old")
    alone = [found[name, "old"].noninferiority(0.02) for name in "abc"]
    assert np.exp(found.log_noninferiority(0.02)) == pytest.approx(bonferroni(alone))
    decided = [row["not_worse"] for row in found.rows(rope=0.02)]
    assert decided == [p < 0.05 for p in bonferroni(alone)]
    assert [found.verdict(name, "old", rope=0.02).not_worse for name in "abc"] == decided
    turned = [found["old", name].noninferiority(0.02) for name in "abc"]
    assert np.exp(found.log_noninferiority(0.02, turned=True)) == pytest.approx(bonferroni(turned))
    assert [row["not_worse"] for row in found.rows()] == [None] * 3


def test_nothing_is_said_of_differences_that_never_vary():
    flat = op.Scores.from_arrays({"a": [0.9] * 10, "b": [0.8] * 10}, design="10cv")
    result = op.methods.corrected_t(flat)
    assert result.noninferiority(0.01) is None
    assert result.verdict(rope=0.01).not_worse is False


def constant(k=1, shape=(5, 10), seed=6):
    """Return one block of scores, k times over."""
    return [0.9 + 0.01 * np.random.default_rng(seed).normal(size=shape)] * k


ALIKE = {
    "corrected_t": lambda: op.methods.corrected_t(
        op.Scores.from_arrays(dict(zip("ab", constant(2), strict=True)), design="5x10cv")
    ),
    "five_by_two_t": lambda: op.methods.five_by_two_t(*constant(2, (5, 2))),
    "quasi_f": lambda: op.methods.quasi_f(*constant(2, (6, 40)), lower_is_better=True),
    "paired_t": lambda: op.methods.paired_t(*constant(2, 12), unit="items"),
}


@pytest.mark.parametrize("name", ALIKE)
def test_a_model_that_did_not_change_is_equivalent_without_a_test(name):
    result = ALIKE[name]()
    assert result.pvalue == 1
    assert result.equivalence(0.001) is result.noninferiority(0.001) is None
    for one in (result.verdict(rope=0.001), result.verdict(alpha=1e-9, rope=0.001)):
        assert (one.outcome, one.not_worse) == ("equivalent", True)
        assert one.sentence.endswith(
            "are equivalent within ±0.001: their scores are identical (OP101)."
        )
    assert result.verdict() == "no decision"
    assert result.to_dict(rope=0.001)["not_worse"] is True


@pytest.mark.parametrize(
    ("result", "narrow", "wide"),
    [
        (op.methods.mcnemar(table=[[30, 0], [0, 50]]), 0.01, 0.05),
        (op.methods.mcnemar(table=[[10, 0], [0, 200]], variant="exact"), 0.01, 0.02),
    ],
)
def test_items_that_all_agree_are_tested_for_few_of_them_leave_much_possible(result, narrow, wide):
    assert result.pvalue == 1
    assert result.noninferiority(narrow) > 0.05 > result.noninferiority(wide)
    assert result.verdict(rope=narrow) == "no decision"
    assert result.verdict(rope=narrow).not_worse is False
    assert result.verdict(rope=wide) == "equivalent"
    assert result.verdict(rope=wide).not_worse is True


@pytest.mark.parametrize("method", [op.methods.wilcoxon, op.methods.sign_test])
def test_datasets_that_all_agree_are_tested_and_must_be_enough(method):
    assert method(*constant(2, 4), unit="datasets").verdict(rope=0.01) == "no decision"
    enough = method(*constant(2, 5), unit="datasets")
    assert enough.noninferiority(0.01) == pytest.approx(2**-5)
    assert enough.verdict(rope=0.01) == "equivalent"


@pytest.mark.parametrize("rope", [-1.0, 0.0, float("nan")])
def test_a_rope_that_is_none_is_refused_also_where_nothing_differs(rope):
    scores = op.Scores.from_arrays(dict(zip("ab", constant(2), strict=True)), design="5x10cv")
    for ask in (op.methods.corrected_t(scores), op.compare(scores)["a", "b"]):
        with pytest.raises(OutperformError, match="rope="):
            ask.verdict(rope=rope)
    with pytest.raises(OutperformError, match="rope="):
        op.compare(scores).outcomes(rope=rope)


def test_scores_that_all_differ_by_the_value_tested_are_not_the_same():
    (a,) = constant(shape=12)
    moved = op.methods.paired_t(a + 0.25, a, mu0=0.25, unit="items")
    assert moved.pvalue == 1
    assert moved.verdict(rope=0.01) == "no decision"
    assert moved.verdict(rope=0.01).not_worse is False
    one = op.methods.paired_t(np.full(12, 0.25), mu0=0.25, unit="items")
    assert one.verdict(rope=0.01) == "no decision"


@pytest.mark.parametrize("adjust", ["holm", "bonferroni", "hochberg", "benjamini-hochberg", "none"])
def test_a_pair_that_is_the_same_does_not_help_or_hurt_the_others(adjust):
    rng = np.random.default_rng(7)
    base = 0.8 + 0.02 * rng.normal(size=(5, 10))
    made = {
        "a": base - 0.004 + 0.02 * rng.normal(size=(5, 10)),
        "same": base.copy(),
        "c": base + 0.02 * rng.normal(size=(5, 10)),
        "old": base,
    }
    found = op.compare(op.Scores.from_arrays(made, design="5x10cv"), control="old", adjust=adjust)
    alone = [found[name, "old"].noninferiority(0.02) for name in ("a", "same", "c")]
    assert alone[1] is None
    shared = op.methods.adjust(alone, adjust)
    logs = found.log_noninferiority(0.02)
    assert np.isnan(logs).tolist() == [False, True, False]
    assert np.exp(logs[[0, 2]]) == pytest.approx([shared[0], shared[2]])
    assert found.outcomes(rope=0.02)[1] == "equivalent"
    assert found.outcomes()[1] == "no decision"
    for pair in (("same", "old"), ("old", "same")):
        verdict = found.verdict(*pair, rope=0.02)
        assert (verdict.outcome, verdict.not_worse) == ("equivalent", True)
        assert verdict.sentence.endswith("their scores are identical (OP101).")
    assert found.rows(rope=0.02)[1]["not_worse"] is True
    (_, runs, _) = found.robustness(rope=0.02)
    assert runs.equivalent == (True,) * 5


def test_in_a_family_not_worse_rests_on_its_one_sided_tests_alone(monkeypatch):
    rng = np.random.default_rng(8)
    base = 0.8 + 0.02 * rng.normal(size=(5, 10))
    made = {
        n: base + 0.01 * rng.normal(size=(5, 10)) + g
        for n, g in (("a", 0.03), ("b", 0.0), ("c", 0.002))
    } | {"old": base}
    found = op.compare(op.Scores.from_arrays(made, design="5x10cv"), control="old")
    assert found.outcomes()[0] == "outperforms"
    assert found.not_worse(0.01)[0]
    never = np.zeros(3)
    monkeypatch.setattr(type(found), "log_noninferiority", lambda *_, **__: never)
    assert found.not_worse(0.01).tolist() == [False] * 3


def test_a_method_without_interval_names_one_that_has_it_and_that_one_works():
    rng = np.random.default_rng(5)
    a, b = 0.8 + 0.01 * rng.normal(size=(2, 5, 2))
    for ask in (lambda r: r.noninferiority(0.01), lambda r: r.verdict(rope=0.01)):
        with pytest.raises(MethodError) as refused:
            ask(op.methods.five_by_two_f(a, b))
        advised = re.search(r"method='(\w+)'", str(refused.value))[1]
        assert ask(getattr(op, advised)(a, b)) is not None
    whole = op.Scores.from_arrays({"a": a, "b": b, "c": b}, design="5x2cv")
    with pytest.raises(MethodError, match="method='five_by_two_t'"):
        op.compare(whole, method="five_by_two_f").outcomes(rope=0.01)


# The gate.


@pytest.mark.parametrize(
    ("gain", "asked", "status"),
    [
        (0.05, "--rope 0.01 --require not-worse", 0),
        (0.05, "--rope 0.01 --require equivalent", 1),
        (0.05, "--rope 0.01 --require outperforms,equivalent", 0),
        (0.05, "--rope 0.01 --require equivalent --require outperforms", 0),
        (0.0, "--rope 0.02 --require outperforms,equivalent", 0),
        (0.0, "--rope 0.02 --require outperforms", 1),
        (0.0, "--rope 0.02 --require not-worse", 0),
        (0.0, "--rope 0.0005 --require not-worse", 1),
        (0.0, "--rope 0.0005 --require not-worse,no decision", 0),
        (-0.05, "--rope 0.01 --require not-worse", 1),
        (-0.05, "--rope 0.01 --require not-worse,outperformed", 0),
        (-0.05, "old new --rope 0.01 --require not-worse", 0),
    ],
)
def test_a_gate_lets_pass_what_it_requires(here, capsys, gain, asked, status):
    write(here / "scores.csv", split_scores(gain))
    words = shlex.split(asked.replace("no decision", "'no decision'"))
    assert run_here("compare", "scores.csv", *words) == status
    said = capsys.readouterr().err
    assert ("Required of " in said) == bool(status)


@pytest.mark.parametrize(
    ("asked", "status"),
    [("not-worse", 0), ("equivalent", 0), ("outperforms", 1), ("no decision", 1)],
)
@pytest.mark.parametrize("kind", ["splits", "answers", "benchmark"])
def test_a_model_that_did_not_change_passes_the_gates_of_a_rope(here, capsys, kind, asked, status):
    rng = np.random.default_rng(9)
    if kind == "splits":
        (scores,) = constant()
        write(
            here / "it.csv",
            op.Scores.from_arrays(dict.fromkeys(("new", "old"), scores), design="5x10cv"),
        )
    elif kind == "answers":
        rows = [f"{i},{x},{x}" for i, x in enumerate(rng.integers(0, 2, 400))]
        (here / "it.csv").write_text("\n".join(["item,new,old", *rows]) + "\n")
    else:
        rows = [f"d{i},{x:.4f},{x:.4f}" for i, x in enumerate(rng.uniform(0.6, 0.9, 5))]
        (here / "it.csv").write_text("\n".join(["dataset,new,old", *rows]) + "\n")
    assert run_here("compare", "it.csv", "--rope", "0.01", "--require", asked) == status
    said = capsys.readouterr()
    assert "All differences equal the null value" in said.out
    assert "p = 0" not in said.out + said.err
    assert run_here("compare", "it.csv", "--rope", "0.01", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["not_worse"], found["pvalue"]) == ("equivalent", True, 1)


def test_what_is_said_of_inconclusive_data_agrees_with_the_exit_status(here):
    write(here / "scores.csv", split_scores(0.0))
    warn = ("compare", "scores.csv", "--require", "outperforms", "--on-undecided", "warn")
    assert run_here(*warn, "--summary", "warned.md") == 0
    assert "Gate passed" in (here / "warned.md").read_text()
    assert run_here(*warn, "--grade", "measured", "--summary", "failed.md") == 1
    assert "Gate failed" in (here / "failed.md").read_text()
    assert run_here("compare", "scores.csv", "--summary", "no_gate.md") == 0
    assert "Gate" not in (here / "no_gate.md").read_text()


def test_against_a_control_every_model_must_pass_and_those_that_do_not_are_named(here, capsys):
    write_scores(here / "scores.csv", ("good", "b", "base"))
    gate = ("compare", "scores.csv", "--control", "base", "--rope", "0.02")
    assert run_here(*gate, "--require", "not-worse") == 0
    assert run_here(*gate, "--require", "outperforms") == 1
    lines = [x for x in capsys.readouterr().err.splitlines() if x.startswith("Required")]
    assert len(lines) == 1
    assert lines[0].startswith("Required of b vs. base: outperforms (α = 0.05")
    assert "adjusted for 2 pairs" in lines[0]


def test_json_tells_the_next_step_who_is_not_worse(here, capsys):
    write(here / "scores.csv", split_scores(0.05))
    assert run_here("compare", "scores.csv", "--rope", "0.01", "--json") == 0
    assert json.loads(capsys.readouterr().out)["not_worse"] is True
    assert run_here("compare", "scores.csv", "--json") == 0
    assert json.loads(capsys.readouterr().out)["not_worse"] is None


def test_the_text_says_who_is_not_worse_where_nothing_else_is_decided(here, capsys):
    write(here / "scores.csv", split_scores(0.004, spread=0.03))
    assert run_here("compare", "scores.csv", "--rope", "0.015") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "; new is not worse than old by more than 0.015." in said


@pytest.mark.parametrize("gate", ["not-worse", "equivalent", "outperforms,not-worse"])
def test_a_gate_that_needs_a_rope_says_so_with_a_command_that_works(here, capsys, gate):
    write(here / "my scores.csv", split_scores(0.0, names=("the new", "old")))
    asked = ["compare", "my scores.csv", "the new", "old", "--alpha", "0.1", "--require", gate]
    assert run_here(*asked) == 2
    said = capsys.readouterr().err
    command = re.search(r"With 0.01: (.*)", said)[1]
    program, *words = shlex.split(command)
    assert program == "outperform"
    assert words == ["compare", "--rope", "0.01", *asked[1:]]
    assert run_here(*words) in (0, 1)


@pytest.mark.parametrize("word", ["no-decision", "no_decision", "not_worse", "not worse"])
def test_a_verdict_may_be_spelt_with_a_space_a_hyphen_or_an_underscore(here, word):
    write(here / "s.csv", split_scores(0.004, spread=0.03))
    asked = ("compare", "s.csv", "--rope", "0.015", "--require")
    assert run_here(*asked, word) == 0
    assert run_here(*asked, "outperforms") == 1


@pytest.mark.parametrize("option", ["rope", "alpha"])
def test_an_option_that_is_not_a_number_is_refused_with_one_that_works(here, capsys, option):
    write(here / "s.csv", split_scores(0.0))
    assert run_here("compare", "s.csv", f"--{option}", "nan") == 2
    said = capsys.readouterr().err
    assert f"The {option!r} parameter must be a finite number, got nan" in said
    assert "split" not in said, "it is no score"
    hint = shlex.split(re.search(rf"--{option} 0\.\d+", said)[0])
    assert run_here("compare", "s.csv", *hint) == 0


def test_an_unknown_verdict_is_refused_by_name(here, capsys):
    write(here / "scores.csv", split_scores(0.0))
    assert run_here("compare", "scores.csv", "--require", "outperforms,betterr") == 2
    assert "'betterr'" in capsys.readouterr().err


# Files as people have them.

TRIALS = TESTS / "readers" / "trials"


@pytest.mark.parametrize(("verdict", "status"), [("not-worse", 0), ("equivalent", 1)])
def test_a_better_model_passes_the_gate_of_the_guide(capsys, verdict, status):
    asked = ("compare", str(TRIALS / "better.csv"), "--rope", "0.01", "--require", verdict)
    assert run_here(*asked) == status


def test_a_benchmark_is_told_with_its_intervals_and_what_they_are_of(capsys):
    assert run_here("compare", str(TRIALS / "bench.csv")) == 0
    said = capsys.readouterr().out
    assert len(re.findall(r"\[[+−]0\.\d+, [+−]0\.\d+\], \d+/\d+/\d+, p", said)) == 10
    assert "Estimates are the pseudomedian (Hodges–Lehmann) of the differences" in said
    assert "OP403" not in said
