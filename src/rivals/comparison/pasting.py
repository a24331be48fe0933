"""Cells as a table to paste: into Markdown, and into LaTeX. No further package is needed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rivals.comparison.rendering import Line

# With a backslash before it, each of these is the character itself in Markdown.
MARKED = re.compile(r"([\\`*_\[\]<>|~$&#])")
LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "±": r"$\pm$",
    "−": r"$-$",
    "√": r"$\surd$",
    "½": r"$\frac{1}{2}$",
    "²": "$^2$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "×": r"$\times$",
    "∞": r"$\infty$",
    "…": r"\ldots{}",
    # At the beginning of a line both would belong to the end of the line before it.
    "[": "{[}",
    "*": "{*}",
}
# What LaTeX would join into a dash, a quotation mark or ¡ and ¿.
JOINED = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)|(?<=[`!?])(?=`)")
# Greek letters, as in headings and often in names of models.
SMALL = "α β γ δ ε ζ η θ ι κ λ μ ν ξ π ρ ς σ τ υ φ χ ψ ω"
SMALL_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho varsigma "
    "sigma tau upsilon phi chi psi omega"
)
CAPITAL = "Γ Δ Θ Λ Ξ Π Σ Φ Ψ Ω"
CAPITAL_NAMES = "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
for letters, names in ((SMALL, SMALL_NAMES), (CAPITAL, CAPITAL_NAMES)):
    for letter, name in zip(letters.split(), names.split(), strict=True):
        LATEX[letter] = f"$\\{name}$"
# A hyphen before a number, and not within a name, is a minus.
MINUS = re.compile(r"(?<![\w.)])-(?=\.?\d)")


def markdown(
    headings: Line, body: Sequence[Line], notes: Sequence[str] = (), *, after: str = ""
) -> str:
    """A table for Markdown; below it a sentence, and the notes as a list.

    Examples
    --------
    >>> print(markdown(["model", "P"], [["A", "0.98"], ["a|b", ""]], ["A: few points"]))
    | model | P    |
    | ----- | ---- |
    | A     | 0.98 |
    | a\\|b  |      |
    <BLANKLINE>
    - A: few points
    """
    lines = [[in_markdown(cell) for cell in line] for line in (headings, *body)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = ["-" * max(width, 3) for width in widths]
    table = []
    for line in (lines[0], rule, *lines[1:]):
        cells = [cell.ljust(max(width, 3)) for cell, width in zip(line, widths, strict=True)]
        table.append(f"| {' | '.join(cells)} |")
    parts = ["\n".join(table), in_markdown(after)]
    parts.append("\n".join(f"- {in_markdown(note)}" for note in notes))
    return "\n\n".join(filter(None, parts))


def latex(
    headings: Line, body: Sequence[Line], notes: Sequence[str] = (), *, after: str = ""
) -> str:
    r"""A tabular for LaTeX; below it a sentence and the notes, as comments.

    Examples
    --------
    >>> print(latex(["model", "P"], [["A_1", "> .999"]], ["A_1: few points"]))
    \begin{tabular}{ll}
    \hline
    model & P \\
    \hline
    A\_1 & $>$ .999 \\
    \hline
    \end{tabular}
    % A_1: few points
    """
    lines = [" & ".join(map(in_latex, line)) + r" \\" for line in (headings, *body)]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * len(headings)}}}",
            r"\hline",
            lines[0],
            r"\hline",
            *lines[1:],
            r"\hline",
            r"\end{tabular}",
            *(f"% {line}" for line in (after, *notes) if line),
        ]
    )


def in_markdown(text: str) -> str:
    """Text whose characters mean themselves in Markdown."""
    return MARKED.sub(r"\\\1", text)


def in_latex(text: str) -> str:
    """Text whose characters mean themselves in LaTeX.

    Examples
    --------
    >>> print(in_latex("-0.5 ± 0.1"), in_latex("model-1 & 50 %"))
    $-$0.5 $\\pm$ 0.1 model-1 \\& 50 \\%
    """
    with_minus = MINUS.sub("−", text)
    return "{}".join(map(_escaped, JOINED.split(with_minus)))


def _escaped(text: str) -> str:
    return "".join(LATEX.get(character, character) for character in text)
