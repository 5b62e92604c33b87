"""What a refusal advises works when it is done, from Python and from the command line."""

import re
import shlex

import numpy as np
import pytest
from launching import run_here

import outperform as op
from outperform import MethodError, registry
from outperform.testing.subject import answer


def drawn(shape, seed=0):
    return dict(
        zip("ab", 0.8 + 0.02 * np.random.default_rng(seed).normal(size=(2, *shape)), strict=True)
    )


@pytest.mark.parametrize("shape", [(2,), (3,), (12,), (100,), (3, 4), (5, 2), (10, 10)])
def test_every_design_advised_for_scores_without_one_is_one_that_fits_them(shape):
    given = drawn(shape)
    for build in (dict, op.Scores.from_arrays):
        with pytest.raises(MethodError, match="design of these scores is unknown") as refused:
            op.compare(build(given))
        advised = re.findall(r"design='([^']+)'", str(refused.value))
        assert len(advised) >= (2 if len(shape) == 1 else 1)
        for design in advised:
            assert op.compare(build(given), design=design).n == np.prod(shape)


def test_a_method_is_advised_only_where_the_sizes_it_needs_are_known():
    given = drawn((12,))
    with pytest.raises(MethodError) as refused:
        op.compare(op.Scores.from_arrays(given))
    assert "method=" not in str(refused.value)
    sized = op.Scores.from_arrays(given, n_train=90, n_test=10)
    with pytest.raises(MethodError) as refused:
        op.compare(sized)
    (method,) = re.findall(r"method='(\w+)'", str(refused.value))
    assert op.compare(sized, method=method).method.name == method


def test_one_score_for_each_model_is_not_given_a_design_that_would_not_do():
    with pytest.raises(MethodError, match="scores of every split") as refused:
        op.compare({"a": [0.8], "b": [0.7]})
    assert "design=" not in str(refused.value)


def test_what_the_command_line_advises_without_a_design_works(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = ["{:.4f},{:.4f}".format(*pair) for pair in zip(*drawn((12,)).values(), strict=True)]
    (tmp_path / "scores.csv").write_text("a,b\n" + "\n".join(rows) + "\n")
    assert run_here("compare", "scores.csv") == 2
    advised = re.findall(r"--design (\S+)", capsys.readouterr().err)
    assert len(advised) == 2
    for design in advised:
        assert run_here("compare", "scores.csv", "--design", design) == 0


@pytest.mark.parametrize("asked", [["--alternative", "greater"], ["--rope", "0.01"]])
def test_what_is_advised_beside_an_f_works(tmp_path, monkeypatch, capsys, asked):
    monkeypatch.chdir(tmp_path)
    a, b = drawn((5, 2)).values()
    rows = [f"{r},{f},{a[r, f]:.4f},{b[r, f]:.4f}" for r in range(5) for f in range(2)]
    (tmp_path / "scores.csv").write_text("repeat,fold,a,b\n" + "\n".join(rows) + "\n")
    words = ["compare", "scores.csv", "--method", "five_by_two_f", *asked]
    assert run_here(*words) == 2
    said = capsys.readouterr().err
    (option,) = re.findall(r"--method \S+", said)
    assert run_here("compare", "scores.csv", *shlex.split(option), *asked) == 0


@pytest.mark.parametrize(
    "method", [m.name for m in op.methods.table() if m.name in registry.METHODS]
)
def test_no_refusal_of_an_interval_advises_what_reads_other_scores(method):
    found = registry.get(method)
    for check in (lambda: found.check_interval("x"), lambda: found.check_direction("less")):
        said = str(answer(check))
        assert "t-type" not in said
        for name in re.findall(r"method='(\w+)'", said):
            other = registry.get(name)
            assert (other.view, other.layout) == (found.view, found.layout)
            assert set(found.designs) <= set(other.designs)


def test_a_rope_over_datasets_needs_no_other_method(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    rows = [f"d{i},{0.8 + 0.01 * rng.normal():.4f},0.8" for i in range(20)]
    (tmp_path / "bench.csv").write_text("dataset,a,b\n" + "\n".join(rows) + "\n")
    for method in ("wilcoxon", "sign_test"):
        words = ["--method", method, "--rope", "0.05", "--require", "equivalent"]
        assert run_here("compare", "bench.csv", *words) == 0
