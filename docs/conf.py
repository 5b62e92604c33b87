"""How Sphinx builds the site: `make site`. Nothing is fetched, neither to build nor to read it."""

import re
from pathlib import Path

from outperform import __version__

project = "outperform"
author = "outperform developers"
copyright = f"2026, {author}"
release = version = __version__
language = "en"
smartquotes = False  # it would join the dashes of options

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
root_doc = "index"
nitpicky = False
default_role = "code"  # docstrings write names as Markdown does
highlight_language = "none"

myst_enable_extensions = ["colon_fence", "html_image"]
myst_heading_anchors = 4

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
add_module_names = False
napoleon_google_docstring = False
napoleon_use_param = False  # types are words; as references they would lead anywhere
napoleon_use_rtype = False

html_theme = "furo"
html_title = "outperform"
html_static_path = ["theme"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).parent / "theme" / "scorer.js")
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # it fetches pages, which a browser refuses for files on disk
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b6e99", "color-brand-content": "#0b6e99"},
    "dark_css_variables": {"color-brand-primary": "#6cc4ea", "color-brand-content": "#6cc4ea"},
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

REQUIREMENT = re.compile(r" \((?:(?:E-)?[DBRNF]-?\d+(?:, | to | and )?)+\)")


COLON = "\N{RATIO} "
CODE = re.compile(r"(`[^`]*`)")


def keep_sentences(app, what, name, obj, options, lines):
    """Keep the words of an attribute from being read as a type, a colon and a description."""
    if what in ("attribute", "property"):
        lines[:] = [line.replace(": ", COLON) for line in lines]


def as_restructured_text(app, what, name, obj, options, lines):
    """Escape bars, as in |t|, and take out ids of requirements, which are for authors."""
    for number, line in enumerate(lines):
        parts = CODE.split(REQUIREMENT.sub("", line.replace(COLON, ": ")))
        parts[::2] = [part.replace("|", "\\|") for part in parts[::2]]
        lines[number] = "".join(parts)


def setup(app):
    app.connect("autodoc-process-docstring", keep_sentences, priority=400)  # before napoleon
    app.connect("autodoc-process-docstring", as_restructured_text, priority=600)
