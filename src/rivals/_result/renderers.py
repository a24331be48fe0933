"""One table, and its renderers: text, HTML, Markdown, LaTeX; and answers, which have one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

from rivals._core.optional import need
from rivals._core.texts import in_python

if TYPE_CHECKING:
    from pandas import DataFrame

GAP = "   "
LATEX = {
    "&": r"\&",
    "%": r"\%",
    "_": r"\_",
    "#": r"\#",
    "$": r"\$",
    "^": r"\^{}",
    "~": r"\~{}",
    "<": "$<$",
    ">": "$>$",
    "–": "--",
    "−": "$-$",
    "∞": r"$\infty$",
}
# What Markdown would read as a link, a picture, code, emphasis, a tag, or the end of a cell.
MARKDOWN = str.maketrans({sign: f"\\{sign}" for sign in "\\`*[]<|"})


@dataclass(frozen=True)
class Column:
    """Values under a head, and how they are shown; `over` spans neighbours that have the same."""

    head: str
    values: Sequence[Any]
    show: Callable[[Any], str] = str
    over: str = ""
    is_text: bool = False

    @property
    def cells(self) -> list[str]:
        return [self.show(value) for value in self.values]


@dataclass(frozen=True)
class Table:
    """Columns of equal length, and notes that stand below them.

    Examples
    --------
    >>> print(Table((Column("model", ["A", "B"], is_text=True), Column("loss", [1.0, 2.0]))).text())
    model   loss
    A       1.0
    B       2.0
    """

    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([self.text(), *self.notes])

    def _repr_html_(self) -> str:
        return self.html() + "".join(f"<p>{escape(note)}</p>" for note in self.notes)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells, row by row, as text."""
        return list(zip(*(column.cells for column in self.columns), strict=True))

    def first(self, n_rows: int) -> Table:
        """The first rows alone."""
        columns = tuple(replace(each, values=each.values[:n_rows]) for each in self.columns)
        return Table(columns, self.notes)

    def spans(self) -> list[tuple[str, list[Column]]]:
        """Heads over several columns; empty over the others."""
        return [(over, list(group)) for over, group in groupby(self.columns, lambda c: c.over)]

    def text(self) -> str:
        """For a terminal: numbers right-aligned, and centred under their heads."""
        blocks = []
        for over, columns in self.spans():
            lines = [GAP.join(parts) for parts in zip(*map(_text_column, columns), strict=True)]
            width = max(len(over), len(lines[0]))
            blocks.append([over.center(width), *(line.center(width) for line in lines)])
        lines = [GAP.join(parts).rstrip() for parts in zip(*blocks, strict=True)]
        return "\n".join(lines if any(column.over for column in self.columns) else lines[1:])

    def html(self) -> str:
        """With every name escaped."""
        over = "".join(
            f'<th colspan="{len(columns)}">{escape(head)}</th>' for head, columns in self.spans()
        )
        kinds = ["text" if column.is_text else "number" for column in self.columns]
        heads = "".join(
            f'<th class="{kind}">{escape(column.head)}</th>'
            for kind, column in zip(kinds, self.columns, strict=True)
        )
        body = "".join(f"<tr>{_html_cells(kinds, row)}</tr>" for row in self.rows)
        return f"<table><thead><tr>{over}</tr><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"

    def markdown(self) -> str:
        """Heads in one line: Markdown knows no spans."""
        heads = [_whole_head(column) for column in self.columns]
        rules = ["---" if column.is_text else "---:" for column in self.columns]
        cells = [[markdown(cell) for cell in row] for row in [heads, *self.rows]]
        lines = ["| " + " | ".join(row) + " |" for row in [cells[0], rules, *cells[1:]]]
        return "\n".join(lines)

    def latex(self) -> str:
        """A tabular of booktabs."""
        kinds = "".join("l" if column.is_text else "r" for column in self.columns)
        over = " & ".join(
            rf"\multicolumn{{{len(columns)}}}{{c}}{{{_latex(head)}}}"
            for head, columns in self.spans()
        )
        heads = " & ".join(_latex(column.head) for column in self.columns)
        body = [" & ".join(map(_latex, row)) + r" \\" for row in self.rows]
        lines = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", over + r" \\", heads + r" \\"]
        return "\n".join([*lines, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"])


class Answer:
    """What answers one question: printed, in a notebook, as records and data frame, in JSON.

    Columns have the same names whatever the options are; what is unknown is nan.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ()

    def to_records(self) -> list[dict[str, Any]]:
        """Plain rows."""
        raise NotImplementedError

    def to_dataframe(self) -> DataFrame:
        """`to_records` as a pandas data frame."""
        pandas = need("pandas", extra="table", purpose="a data frame")
        frame: DataFrame = pandas.DataFrame(self.to_records(), columns=list(self.COLUMNS))
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        rows = [{name: plain(v) for name, v in row.items()} for row in self.to_records()]
        return {"records": rows, "conclusion": str(self)}

    def _around(self) -> tuple[list[str], list[str]]:
        """What stands above and below the table, for a notebook."""
        return [], []

    def _repr_html_(self) -> str:
        table = getattr(self, "table", None)
        above, below = self._around()
        shown = table._repr_html_() if table is not None else f"<p>{escape(str(self))}</p>"
        lead, trail = (
            "".join(f"<p>{escape(in_python(line))}</p>" for line in lines)
            for lines in (above, below)
        )
        return f"{lead}{shown}{trail}"


def rows(**columns: Any) -> list[dict[str, Any]]:
    """Records from columns of equal length; one value stands for all rows."""
    lists = {k: v.tolist() if hasattr(v, "tolist") else v for k, v in columns.items()}
    size = max(len(v) for v in lists.values() if isinstance(v, (list, tuple)))
    whole = {k: v if isinstance(v, (list, tuple)) else [v] * size for k, v in lists.items()}
    return [dict(zip(whole, row, strict=True)) for row in zip(*whole.values(), strict=True)]


def plain(value: Any) -> Any:
    """For JSON, which knows neither infinity nor numbers that are missing."""
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, float) and not isfinite(value):
        return None if value != value else str(value)
    return value


def markdown(text: str) -> str:
    """Text that means itself in Markdown."""
    return text.translate(MARKDOWN)


def _html_cells(kinds: Sequence[str], row: Sequence[str]) -> str:
    return "".join(
        f'<td class="{kind}">{escape(cell)}</td>' for kind, cell in zip(kinds, row, strict=True)
    )


def _whole_head(column: Column) -> str:
    return f"{column.over} {column.head}".strip()


def _text_column(column: Column) -> list[str]:
    """The head and the cells of a column, all of one width."""
    cells = column.cells
    own = max(map(len, cells))
    width = max(own, len(column.head))
    if column.is_text:
        return [column.head.ljust(width), *(cell.ljust(width) for cell in cells)]
    return [column.head.center(width), *(cell.rjust(own).center(width) for cell in cells)]


def _latex(text: str) -> str:
    """Special characters escaped; the backslash first."""
    safe = text.replace("\\", r"\textbackslash ").replace("{", r"\{").replace("}", r"\}")
    for character, written in LATEX.items():
        safe = safe.replace(character, written)
    return safe
