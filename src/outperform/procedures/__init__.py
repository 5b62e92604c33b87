"""One file per method: the body is the paper's formula."""
