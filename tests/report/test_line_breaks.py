"""Lines of a page break between words, never between a number and its unit."""

from outperform.report.line_breaks import breakable, kept


def test_numbers_stay_with_their_signs_and_units():
    text = "Judged at α = 0.05 with 95 % intervals; p-values are adjusted."
    assert str(kept(text)) == (
        "Judged at α\u00a0=\u00a00.05 with 95\u00a0% intervals; "
        "<span class=kept>p-value</span>s are adjusted."
    )
    assert kept(text).striptags().replace("\u00a0", " ") == text


def test_hostile_words_are_escaped_inside_and_outside():
    assert "<b>" not in str(kept("a <b> of <b> = <i> and 5 % <b>"))
    assert kept("a <b> = <i> %").striptags().replace("\u00a0", " ") == "a <b> = <i> %"
    assert "<b>p-value</b>" not in str(kept("of <b>p-value</b>"))


def test_names_break_between_words_of_camel_case():
    assert str(breakable("RandomForest two")) == "Random<wbr>Forest two"
