"""Tables of the page: columns of text and bars, each kept once however often it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, log10
from typing import Any

from rivals._result import sentences as say
from rivals._result.renderers import Column

# Left and right of the longest bar, as a part of the width.
ROOM = 0.06
MOST_TICKS = 4

Ends = tuple[float, float] | None


class Pool:
    """Columns, bars and sentences of the page, to which tables point by number."""

    def __init__(self) -> None:
        self.columns: list[dict[str, Any]] = []
        self.texts: list[str] = []
        self.bars: list[dict[str, Any]] = []
        self._places: dict[Any, int] = {}

    def table(self, columns: Sequence[Column], centres: Sequence[Any], ends: Sequence[Ends]) -> Any:
        """What `page.js` needs to show a table: numbers of columns, and of the bars."""
        return {"columns": [self.column(each) for each in columns], "bar": self.bar(centres, ends)}

    def column(self, column: Column) -> int:
        cells = [str(cell) for cell in column.cells]
        kind = "text" if column.is_text else "number"
        plain = {"over": column.over, "head": column.head, "kind": kind, "cells": cells}
        return self._kept(self.columns, plain, (column.over, column.head, kind, *cells))

    def text(self, text: str) -> int:
        return self._kept(self.texts, text, text)

    def bar(self, centres: Sequence[Any], ends: Sequence[Ends]) -> int:
        """Bars on one axis, in thousandths of its width, and its ticks."""
        drawn = bars(centres, ends)
        return self._kept(self.bars, drawn, repr(drawn))

    def _kept(self, kept: list[Any], new: Any, key: Any) -> int:
        place = self._places.setdefault((id(kept), key), len(kept))
        if place == len(kept):
            kept.append(new)
        return place


def bars(centres: Sequence[Any], ends: Sequence[Ends]) -> dict[str, Any]:
    """Low end, centre and high end of each row, in thousandths of the axis; ticks with labels."""
    known = [float(value) for pair in ends if pair is not None for value in pair]
    known += [float(value) for value in centres if value is not None]
    finite = [value for value in known if isfinite(value)] or [0.0]
    low, high = min(*finite, 0.0), max(*finite, 0.0)
    width = (high - low) or 1.0
    low, high = low - ROOM * width, high + ROOM * width

    def place(value: float) -> int:
        return round(1000 * min(max((value - low) / (high - low), 0.0), 1.0))

    rows = []
    for centre, pair in zip(centres, ends, strict=True):
        at = None if centre is None or not isfinite(centre) else place(centre)
        is_known = pair is not None and all(map(isfinite, pair))
        rows.append([*map(place, pair), at] if is_known and pair is not None else [at, at, at])
    return {"rows": rows, "ticks": [[place(tick), text] for tick, text in ticks(low, high)]}


def ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Round numbers between two values, zero among them if it is there."""
    rough = (high - low) / MOST_TICKS
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= rough)
    decimals = max(-floor(log10(step)), 0)
    first, last = -floor(-low / step), floor(high / step)
    return [(n * step, say.fixed(n * step, decimals)) for n in range(first, last + 1)]
