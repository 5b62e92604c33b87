"""How Sphinx builds the site: `make site`. Nothing is fetched, neither to build nor to read it."""

import re
from pathlib import Path

from docutils import nodes

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
napoleon_use_ivar = True  # attributes are a list, not entries of their own

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
        parts = CODE.split(REQUIREMENT.sub("", line.replace(COLON, ": ").replace(" -- ", " – ")))
        parts[::2] = [part.replace("|", "\\|") for part in parts[::2]]
        lines[number] = "".join(parts)


def with_dashes(app, doctree):
    """Write a dash where Sphinx parts an exception from its description by two hyphens."""
    for text in [node for node in doctree.findall(nodes.Text) if node == " -- "]:
        text.parent.replace(text, nodes.Text(" – "))


CURRENT = re.compile(r'<a class="current reference internal" href="#">')
TREES: dict[tuple[str, ...], str] = {}


def toctree_by_folder(app, pagename, templatename, context, doctree):
    """Make the tree of all pages once for each folder: its links are the same for all pages there.

    Sphinx makes it for each page, which takes a third of the build. What differs is which entry is
    the page itself; its item and those around it are marked.
    """
    made, folder = context.get("toctree"), pagename.rpartition("/")[0]

    def toctree(**options):
        key = folder, *map(str, options.items())
        own = f'<a class="reference internal" href="{pagename.rpartition("/")[2]}.html">'
        if key not in TREES:
            tree = CURRENT.sub(own, made(**options))
            TREES[key] = re.sub(r' class="current"|(?<=\d) current(?=")', "", tree)
        before, found, after = TREES[key].partition(own)
        if not found:
            return TREES[key]
        around, items = (
            [],
            list(re.finditer(r'<(ul|li)(?: class="([^"]*)")?>|</(?:ul|li)>', before)),
        )
        for item in items:
            around.append(item) if item[1] else around.pop()
        for item in reversed(around):
            name = f"{item[2]} current" if item[2] else "current"
            before = f'{before[: item.start()]}<{item[1]} class="{name}">{before[item.end() :]}'
        return f'{before}<a class="current reference internal" href="#">{after}'

    if made:
        context["toctree"] = toctree


def setup(app):
    app.connect("html-page-context", toctree_by_folder, priority=400)  # before the theme
    app.connect("doctree-read", with_dashes)
    app.connect("autodoc-process-docstring", keep_sentences, priority=400)  # before napoleon
    app.connect("autodoc-process-docstring", as_restructured_text, priority=600)
