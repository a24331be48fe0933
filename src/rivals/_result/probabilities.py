"""P of every pair of models, by their names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rivals._core.checks import place_of
from rivals._core.types import FloatArray
from rivals._result import sentences as say
from rivals._result.renderers import Answer, Column, Table, plain, rows


@dataclass(frozen=True, eq=False, repr=False)
class Probabilities(Answer):
    """A matrix whose rows and columns have the names of models.

    Attributes
    ----------
    names : tuple of str
    matrix : array, shape (models, models)
        [a, b] = P(a better than b by more than the margin); nan where that is not known.

    Examples
    --------
    >>> p = Probabilities(("A", "B"), np.array([[0.5, 0.9], [0.1, 0.5]]))
    >>> float(p["A", "B"]), float(p[0, 1]), p["A"]
    (0.9, 0.9, {'A': 0.5, 'B': 0.9})
    >>> np.asarray(p).shape
    (2, 2)
    """

    names: tuple[str, ...]
    matrix: FloatArray

    COLUMNS: ClassVar[tuple[str, ...]] = ("model", "beside", "p_better")

    def __getitem__(self, key: Any) -> Any:
        """A row by a name, a value by two; by numbers and slices as the matrix has it."""
        if isinstance(key, str):
            row = self.matrix[place_of(key, self.names)]
            return dict(zip(self.names, row.tolist(), strict=True))
        if isinstance(key, tuple):
            key = tuple(place_of(k, self.names) if isinstance(k, str) else k for k in key)
        return self.matrix[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        return np.array(self.matrix, dtype=dtype, copy=copy)

    @property
    def table(self) -> Table:
        """P(model of the row better than that of the column)."""
        over = "P(better than …)"
        columns = [Column("model", self.names, is_text=True)]
        for name, values in zip(self.names, self.matrix.T.tolist(), strict=True):
            columns.append(Column(name, values, say.probability, over))
        return Table(tuple(columns))

    def __str__(self) -> str:
        return str(self.table)

    __repr__ = __str__

    def to_records(self) -> list[dict[str, Any]]:
        """A row for each pair, both ways."""
        a, b = np.nonzero(~np.eye(len(self.names), dtype=bool))
        names = np.array(self.names, dtype=object)
        return rows(model=names[a], beside=names[b], p_better=self.matrix[a, b])

    def to_dict(self) -> dict[str, Any]:
        """By the names of both, for JSON."""
        return {name: {k: plain(v) for k, v in self[name].items()} for name in self.names}
