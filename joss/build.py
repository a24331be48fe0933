"""The paper as a PDF: `python joss/build.py [OUT.pdf]`, and its numbers: `… --numbers`.

A number stands between `<!-- charts.… -->` and `<!-- end -->`: what that function of
`docs/explanation/charts.py` gives, from committed results. `--numbers` writes them anew.

Debian's pandoc makes a page of it, with its references and its formulas; Chromium, which the tests
of the report need anyway, prints it. Without one of the two it says so, and makes nothing.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NUMBER = re.compile(r"<!-- (charts\..*?) -->.*?<!-- end -->")
STYLE = """
@page { size: A4; margin: 22mm 24mm; }
body { font: 10.5pt/1.4 serif; max-width: none; margin: 0; padding: 0; }
h1 { font-size: 13pt; } h1.title { font-size: 18pt; }
h1, h2 { line-height: 1.2; break-after: avoid; }
col { width: auto !important; }
table { border-collapse: collapse; font-size: 8.5pt; margin: 1em auto; break-inside: avoid; }
th, td { padding: 2pt 6pt; text-align: left; border-bottom: 0.5pt solid #999; }
td:not(:first-child) { white-space: nowrap; }
code { font-size: 9pt; } pre { background: #f4f4f4; padding: 6pt; break-inside: avoid; }
figure { margin: 1em 0; text-align: center; break-inside: avoid; }
img { max-width: 100%; } figcaption { font-size: 9pt; }
.csl-entry { margin-bottom: 4pt; font-size: 9pt; }
a { color: inherit; }
"""


def with_numbers(text: str) -> str:
    """The text with its numbers as the results have them."""
    sys.path.insert(0, str(HERE.parent / "docs" / "explanation"))
    import charts

    def number(found: re.Match[str]) -> str:
        return f"<!-- {found[1]} -->{eval(found[1], {'charts': charts})}<!-- end -->"

    return NUMBER.sub(number, text)


def main() -> int:
    if sys.argv[1:] == ["--numbers"]:
        paper = HERE / "paper.md"
        paper.write_text(with_numbers(paper.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    out = Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "paper.pdf").resolve()
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    for name, found in (("pandoc", shutil.which("pandoc")), ("chromium", browser)):
        if found is None:
            print(f"joss/paper.md is not built: there is no {name} here")
            return 0
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        style = Path(folder) / "style.css"
        style.write_text(STYLE)
        page = Path(folder) / "paper.html"
        make = ["pandoc", "paper.md", "--citeproc", "--standalone", "--self-contained", "--mathml"]
        # The journal's form has authors with affiliations, of which this page shows the names.
        head = ["--metadata", "author=The rivals developers", "--css", style]
        subprocess.run([*make, *head, "--output", page], cwd=HERE, check=True)
        # A profile of its own, so that a browser that runs is left alone.
        sheet = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
        profile = f"--user-data-dir={folder}/profile"
        command = [*sheet, profile, f"--print-to-pdf={out}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    print(f"joss/paper.md is {out.name}, {out.stat().st_size // 1024} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
