"""The table of criteria: what `table` returns, on a terminal, in a notebook, as numbers and as a data frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rivals._checks import need, show
from rivals._types import FloatArray
from rivals.comparison import rendering
from rivals.criteria.score import Variations


@dataclass(frozen=True, eq=False)
class CriteriaTable:
    """Criteria as rows, models as columns; each cell a difference against the reference ± its error.

    Attributes
    ----------
    names : tuple of str
    reference : str
    rows : tuple of Row
    omitted : dict
        Criterion → what was missing for it.

    See Also
    --------
    table : makes it.

    Examples
    --------
    >>> from rivals import criteria
    >>> models = {
    ...     "A": criteria.Fitted([-1.0, -2.0, -1.2], 2),
    ...     "B": criteria.Fitted([-1.1, -2.2, -1.0], 1),
    ... }
    >>> table = criteria.table(models)
    >>> [row.criterion for row in table.rows]
    ['log likelihood', 'AIC', 'BIC']
    >>> table.omitted["MDL"]
    'no complexity for A, B'
    """

    names: tuple[str, ...]
    reference: str
    rows: tuple[Row, ...]
    omitted: dict[str, str]

    def __getitem__(self, criterion: str) -> Row:
        for row in self.rows:
            if row.criterion == criterion:
                return row
        known = ", ".join(row.criterion for row in self.rows)
        raise KeyError(f"no criterion {criterion!r} in this table; it has {known}")

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """Headings and cells as text."""
        headings = ["criterion", *map(show, self.names), "scale", "better", "accounts for variations"]
        body = [
            [
                row.criterion,
                *(_cell(*pair) for pair in zip(row.difference, row.standard_error, strict=True)),
                row.scale,
                "lower" if row.lower_is_better else "higher",
                str(row.variations),
            ]
            for row in self.rows
        ]
        return headings, body

    @property
    def notes(self) -> list[str]:
        """What to know before you trust the numbers, and which criteria were left out and why."""
        doubts = [f"{row.criterion}: {doubt}" for row in self.rows for doubt in row.diagnostics]
        return doubts + [f"{criterion} left out: {reason}" for criterion, reason in self.omitted.items()]

    def __str__(self) -> str:
        return "\n".join([self._title, rendering.text(*self._table()), *map(rendering.wrap, self.notes)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return rendering.html(*self._table(), before=self._title, after=" ".join(self.notes))

    @property
    def _title(self) -> str:
        return f"Differences against {show(self.reference)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain numbers and text."""
        return {
            "names": list(self.names),
            "reference": self.reference,
            "omitted": dict(self.omitted),
            "rows": [
                {
                    "criterion": row.criterion,
                    "scale": row.scale,
                    "lower_is_better": row.lower_is_better,
                    "accounts_for": str(row.variations),
                    "difference": row.difference.tolist(),
                    "standard_error": [None if np.isnan(e) else e for e in row.standard_error.tolist()],
                    "diagnostics": list(row.diagnostics),
                }
                for row in self.rows
            ],
        }

    def to_dataframe(self) -> Any:
        """Return one line for each criterion and model, as a pandas DataFrame."""
        pandas = need("pandas", extra="pandas", purpose="data frames")
        return pandas.DataFrame(
            {
                "criterion": row.criterion,
                "model": name,
                "difference": row.difference[i],
                "standard_error": row.standard_error[i],
                "scale": row.scale,
                "lower_is_better": row.lower_is_better,
                "in_distribution": row.variations.in_distribution,
                "out_of_distribution": row.variations.out_of_distribution,
                "parameters": row.variations.parameters,
            }
            for row in self.rows
            for i, name in enumerate(self.names)
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Row:
    """One criterion for all models."""

    criterion: str
    scale: str
    variations: Variations
    difference: FloatArray
    standard_error: FloatArray
    lower_is_better: bool
    diagnostics: tuple[str, ...] = ()


def _cell(value: float, error: float) -> str:
    return f"{value:.4g}" if np.isnan(error) else f"{value:.4g} ± {error:.2g}"
