"""How results are shown: sentences, text, LaTeX, Markdown, HTML and figures."""
