"""The paper as plain Markdown, for the journal, and as a PDF: `python joss/build.py [FOLDER]`.

Its numbers come from benchmarks/results by the functions that the documentation uses: the role
{measured} takes a call of `docs/explanation/charts.py`, and {made} one of this file. Debian's
pandoc makes a page of the Markdown, with its references and formulas; Chromium, which the tests of
the page need anyway, prints it. Without one of the two it says so, and makes no PDF.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "docs" / "explanation"))

import charts  # noqa: E402

METHODS = {
    "elpd ± SE of points, by points": "5-fold by points, elpd ± SE",
    "elpd ± SE of points, by groups": "groups left out, elpd ± SE of points",
    "paired t, by groups": "groups left out, paired t over groups",
    "corrected t (Nadeau and Bengio; baycomp), by groups": "groups left out, corrected t",
    "rivals": "**groups left out, rivals**",
}
NUMBERS_OF_GROUPS = (4, 6, 10, 20)
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


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "_build").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("paper.md", "paper.bib"):
        shutil.copy(HERE / name, folder / name)
    (folder / "paper.md").write_text(paper(), encoding="utf-8")
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    for name, found in (("pandoc", shutil.which("pandoc")), ("chromium", browser)):
        if found is None:
            print(f"{folder / 'paper.md'} is not printed: there is no {name} here")
            return 0
    print_it(folder, str(browser))
    print(f"{folder / 'paper.pdf'}, {(folder / 'paper.pdf').stat().st_size // 1024} kB")
    return 0


def paper() -> str:
    """The text, with its numbers."""
    text = (HERE / "paper.md").read_text(encoding="utf-8")
    text = re.sub(r"\{measured\}`([^`]+)`", lambda call: str(eval(call[1])), text)
    return re.sub(r"\{made\}`([^`]+)`", lambda call: str(eval(call[1])), text)


def table() -> str:
    """Failure rates and how often winners are named, by method and number of groups."""
    lines = charts.heads("observed groups", *map(str, NUMBERS_OF_GROUPS))
    for method, name in METHODS.items():
        cells = [charts.cell(method, number) for number in NUMBERS_OF_GROUPS]
        rates = [(each["failed"]["study"], each["named"]["value"]) for each in cells]
        shown = [f"{lost['value']:.1f}±{lost['error']:.1f} / {named:.0f}" for lost, named in rates]
        lines.append(f"| {name} | {' | '.join(shown)} |")
    sets = [charts.cell("rivals", number)["named"]["data_sets"] for number in NUMBERS_OF_GROUPS]
    return "\n".join([*lines, f"| data sets | {' | '.join(map(str, sets))} |"])


def print_it(folder: Path, browser: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        style = Path(scratch) / "style.css"
        style.write_text(STYLE)
        page = Path(scratch) / "paper.html"
        make = ["pandoc", "paper.md", "--citeproc", "--standalone", "--self-contained", "--mathml"]
        # The journal's form has authors with affiliations, of which this page shows the names.
        head = ["--metadata", "author=The rivals developers", "--css", str(style)]
        subprocess.run([*make, *head, "--output", str(page)], cwd=folder, check=True)
        # A profile of its own, so that a browser that runs is left alone.
        sheet = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
        profile = f"--user-data-dir={scratch}/profile"
        out = f"--print-to-pdf={folder / 'paper.pdf'}"
        command = [*sheet, profile, out, page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    sys.exit(main())
