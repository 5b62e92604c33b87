"""Lines of a page break between words, never between a number and its unit."""

from outperform.report.line_breaks import kept


def test_hostile_words_are_escaped_inside_and_outside():
    assert "<b>" not in str(kept("a <b> of <b> = <i> and 5 % <b>"))
    assert kept("a <b> = <i> %").striptags().replace("\u00a0", " ") == "a <b> = <i> %"
    assert "<b>p-value</b>" not in str(kept("of <b>p-value</b>"))
