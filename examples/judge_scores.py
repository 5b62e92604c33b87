"""Test the example scores with the uncorrected and the corrected test, and write report.html."""

from html import escape
from pathlib import Path

import outperform as op

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>outperform: {title}</title>
<style>
  :root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }}
  body {{ max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }}
  table {{ border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; }}
  caption {{ text-align: left; font-weight: 600; padding: .3rem 0; }}
  th, td {{ padding: .3rem .6rem; border-top: 1px solid #8884; vertical-align: top; }}
  th {{ font-weight: 400; opacity: .7; width: 6rem; }}
</style>
<h1>{title}</h1>
<p>{verdict}</p>
<h2>The corrected test</h2>
{corrected}
<h2>The uncorrected test on the same differences</h2>
{plain}
</html>
"""


def main() -> None:
    scores = op.Scores.read(Path(__file__).with_name("scores.csv"))
    plain, corrected = op.repeated_kfold_t(scores), op.corrected_t(scores)
    print("The uncorrected test, as it is usually done:\n")
    print(plain)
    print("\nThe corrected test, on the same 100 differences:\n")
    print(corrected)
    page = PAGE.format(
        title=escape(" vs. ".join(corrected.names)),
        verdict=escape(str(corrected.verdict())),
        corrected=corrected._repr_html_(),
        plain=plain._repr_html_(),
    )
    Path("report.html").write_text(page, encoding="utf-8")
    print("\nreport.html written")


if __name__ == "__main__":
    main()
