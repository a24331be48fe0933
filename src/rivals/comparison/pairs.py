"""A number for every pair of models, as a table with names on both axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rivals._say.optional import need
from rivals._say.words import probability_text, shortened, show
from rivals._types import FloatArray
from rivals.comparison import pasting, rendering

# Names above the columns and before the rows are cut to these lengths.
LONGEST_HEADING = 20
LONGEST_FIRST = 30


@dataclass(frozen=True, eq=False)
class PairTable:
    """A number for every pair of models, with names on both axes: that the row beats the column.

    Examples
    --------
    >>> import numpy as np
    >>> pairs = PairTable(("A", "B"), np.array([[0.5, 0.9], [0.1, 0.5]]))
    >>> pairs["A", "B"]
    0.9
    >>> print(pairs)
       A      B
    ─  ─────  ─────
    A         0.900
    B  0.100
    """

    names: tuple[str, ...]
    values: FloatArray

    def __getitem__(self, pair: tuple[str, str]) -> float:
        row, column = pair
        return float(self.values[self._place(row), self._place(column)])

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise KeyError(
                f"unknown model {show(name)!r}; there are {', '.join(map(show, self.names))}"
            )
        return self.names.index(name)

    def cells(self) -> list[list[str]]:
        """The rows as text, each with its name first; nothing on the diagonal."""
        lines = []
        for place, name in enumerate(self.names):
            numbers = [probability_text(value) for value in self.values[place]]
            numbers[place] = ""
            lines.append([show(name), *numbers])
        return lines

    def to_dataframe(self) -> Any:
        """For pandas, with the names on both axes."""
        pandas = need("pandas", extra="pandas", purpose="to_dataframe")
        return pandas.DataFrame(self.values, index=list(self.names), columns=list(self.names))

    def to_markdown(self) -> str:
        """For Markdown."""
        return pasting.markdown(self._headings, self.cells())

    def to_latex(self) -> str:
        """For LaTeX, without further packages."""
        return pasting.latex(self._headings, self.cells())

    @property
    def _headings(self) -> list[str]:
        return ["", *map(show, self.names)]

    def __str__(self) -> str:
        """As many columns side by side as fit the terminal, the others below."""
        headings = [shortened(show(name), LONGEST_HEADING) for name in self.names]
        names = [shortened(show(name), LONGEST_FIRST) for name in self.names]
        numbers = [cells[1:] for cells in self.cells()]
        widest = max(map(len, [*headings, "> .999"]))
        room = rendering.terminal_width() - max(map(len, names))
        n_columns = max(room // (2 + widest), 1)
        tables = []
        for begin in range(0, len(names), n_columns):
            some = slice(begin, begin + n_columns)
            body = [[name, *row[some]] for name, row in zip(names, numbers, strict=True)]
            tables.append(rendering.text(["", *headings[some]], body))
        return "\n\n".join(tables)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return rendering.html(
            self._headings,
            self.cells(),
            after="The probability that the row has a lower risk than the column.",
        )
