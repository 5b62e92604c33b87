"""Hints name arguments as their reader passes them: keywords in Python, options at a terminal."""

from outperform.cli._output import in_options
from outperform.errors import argument, call, either, written_by


def test_a_hint_is_written_for_python_unless_the_command_line_is_asked():
    assert argument(design="10cv", fitted=True) == "design='10cv', fitted=True"
    assert call("explain", "OP201") == "outperform.explain('OP201')"
    with written_by(in_options):
        assert argument(design="10cv") == "--design 10cv"
        assert argument(random_state=3, fitted=True) == "--seed 3 --fitted"
        assert argument(learner=["a b", "c"]) == "--column learner='a b' --column learner=c"
        assert argument(limits={"rows": 10}) == "--limit rows=10"
        assert argument(method=...) == "--method NAME"
        assert argument(learner=[..., ...]) == "--column learner=NAME --column learner=NAME"
        assert argument(n_jobs=-3, confirm_large=True) == "--jobs -3 --confirm-large"
        assert argument(separator=";") == "--separator ';'"
        assert call("methods", design="5x2cv") == "outperform methods --design 5x2cv"
        assert call("explain", "OP201") == "outperform explain OP201"
    assert argument(method=...) == "method=…"


def test_what_is_done_differently_at_a_terminal_is_said_for_each():
    assert either(python="store.forget_failed()", typed="add --retry") == "store.forget_failed()"
    with written_by(in_options):
        assert either(python="store.forget_failed()", typed="add --retry") == "add --retry"
