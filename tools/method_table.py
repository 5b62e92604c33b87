"""The table of methods on the site, from the registry."""

import outperform as op


def table() -> str:
    """Return one row for each method: name, designs, fits, sources of variation, standing."""
    rows = [
        "| method | valid for | fits | accounts for | standing |",
        "| --- | --- | ---: | --- | --- |",
    ]
    for m in op.methods.table():
        fits = "" if m.fits is None else str(m.fits)
        standing = m.standing + (f" (use `{m.instead}`)" if m.instead else "")
        default = {kind: f"**{kind}**" for kind in m.default_for}
        designs = ", ".join(default.get(kind, kind) for kind in m.designs)
        sources = ", ".join(m.accounts_for) or "–"
        rows.append(f"| `{m.name}` {m.title} | {designs} | {fits} | {sources} | {standing} |")
    return "\n".join(rows)
