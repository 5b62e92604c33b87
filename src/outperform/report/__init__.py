"""How results are shown: sentences, text blocks and HTML fragments."""
