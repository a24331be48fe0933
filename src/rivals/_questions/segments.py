"""Where is it worse? The same comparison within each of some segments, such as devices.

Segments are fixed: a replication has the same ones, with new groups within each. So P within a
segment is that of `compare` on its rows alone. It is not made stricter for the number of segments:
the prior of leads has done that (docs/howto/segments.md has how often equal models are named).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from rivals._core.arrays import common_index
from rivals._core.decided import Decided, Part
from rivals._core.grouping import Grouping
from rivals._core.law import Law
from rivals._core.losses import Study
from rivals._core.texts import Refusal, in_python, naming, opt
from rivals._result import sentences as say
from rivals._result.renderers import Answer, Column, Table

# Fewer groups, or rows, than this show nothing of how they differ.
LEAST_UNITS = 3
# A screen has room for so many rows.
MOST_ROWS = 20


@dataclass(frozen=True, eq=False)
class Segments(Answer):
    """One model beside others, in each segment.

    Attributes
    ----------
    own : str
        The model that is judged: the best of all, or the new one of a gate.
    models : tuple of str
        The others.
    noun : str
        What a segment is called.
    whole : Decided
        The comparison of all rows.
    parts : dict
        Segment → its part of all rows, and its comparison.
    """

    own: str
    models: tuple[str, ...]
    noun: str
    whole: Decided
    parts: dict[str, tuple[float, Decided]]

    COLUMNS: ClassVar[tuple[str, ...]] = (
        *("segment", "model", "beside", "share", "difference", "low", "high"),
        *("p_better", "outcome"),
    )

    @cached_property
    def _records(self) -> list[dict[str, Any]]:
        found = []
        for segment, (share, result) in self.parts.items():
            for row in result.beside(self.own, self.models).records():
                row |= {"segment": segment, "beside": self.own, "share": share}
                found.append({**row, "units": _units(result)})
        return found

    def to_records(self) -> list[dict[str, Any]]:
        """A row for each segment and other model."""
        return [{name: row[name] for name in self.COLUMNS} for row in self._records]

    @property
    def worse(self) -> list[dict[str, Any]]:
        """The rows in which the model is worse than another."""
        return [row for row in self.to_records() if row["outcome"] == "worse"]

    @property
    def reversed(self) -> tuple[str, ...]:
        """Models that stand the other way in every segment.

        How much each segment weighs makes such an order, and no segment has it.
        """
        gaps = dict(zip(self.models, self._gaps(self.whole), strict=True))
        within = np.array([self._gaps(result) for _, result in self.parts.values()])
        return tuple(
            name
            for (name, gap), values in zip(gaps.items(), within.T, strict=True)
            if gap and (np.sign(values) == -np.sign(gap)).all()
        )

    def _gaps(self, result: Decided) -> list[float]:
        risk = result.risk
        return [risk[name] - risk[self.own] for name in self.models]

    @property
    def conclusion(self) -> str:
        """Where it is worse, and whether segments turn the order."""
        return in_python(say.segments(self.own, self._records, self.reversed, self.noun))

    @property
    def table(self) -> Table:
        """A row for each segment, the worst first."""
        rows = sorted(self._records, key=lambda row: row["p_better"])
        widths = [row["high"] - row["low"] for row in rows]
        decimals = say.decimals_for([*widths, *(abs(row["difference"]) for row in rows)])
        ends = [(row["low"], row["high"]) for row in rows]
        level = say.percent(self.whole.setting.level)
        alone = f"{self.models[0]} " if len(self.models) == 1 else ""
        worse = f"{alone}worse than {self.own}"

        def of(name: str) -> list[Any]:
            return [row[name] for row in rows]

        others = [Column("model", of("model"), is_text=True)] if len(self.models) > 1 else []
        return Table(
            (
                Column(self.noun, of("segment"), is_text=True),
                Column("of all rows", of("share"), say.percent),
                Column(_head(self.whole), of("units")),
                *others,
                Column("mean", of("difference"), lambda v: say.fixed(v, decimals), worse),
                Column(f"{level} interval", ends, lambda v: say.span(v, decimals), worse),
                Column(f"P({self.own} better)", of("p_better"), say.probability),
                Column(self.own, of("outcome"), is_text=True),
            )
        )

    def __str__(self) -> str:
        hidden = say.not_shown(len(self._records) - MOST_ROWS)
        rows = self.table.first(MOST_ROWS).text()
        return in_python("\n".join([rows, *hidden, "", self.conclusion]))

    def _repr_html_(self) -> str:
        return f"{self.table.html()}<p>{say.html(self.conclusion)}</p>"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**super().to_dict(), "conclusion": self.conclusion, "reversed": [*self.reversed]}


def by(
    result: Decided,
    column: Any = None,
    *,
    own: str | None = None,
    models: tuple[str, ...] | None = None,
) -> Segments:
    """Decide within each segment as overall."""
    parts = result.parts if column is None else _asked(result, column)
    if not parts:
        raise Refusal(
            f"{opt['by']}: there are no segments; pass the label of the segment of each point"
        )
    own = result.best if own is None else own
    others = tuple(name for name in result.ranking if name != own) if models is None else models
    found = {
        part.name: (part.share, Decided.of(result.method, part.summary, result.setting))
        for part in parts
    }
    return Segments(own, others, parts[0].noun, result, found)


def _asked(result: Decided, column: Any) -> tuple[Part, ...]:
    """The parts of segments that nobody knew of when losses were compared."""
    if result.study is None:
        raise Refusal(
            f"{opt['by']}: this comparison holds no losses of points, from which those of segments "
            f"could be taken; compare the losses with {opt.by}"
        )
    common_index({"the points": result.study, opt["by"]: column})
    return parts_of(result.study, Grouping.of(column, what="by"), result.method)


def parts_of(study: Study, labels: Grouping, law: Law[Any]) -> tuple[Part, ...]:
    """What a law needs of the rows of each segment; rows are sorted once."""
    noun = "segment" if labels.noun == "group" else labels.noun
    _check(study, labels, law, noun)
    found = []
    for name, begin, size in zip(labels.names, labels.begins, labels.sizes, strict=True):
        with naming(f"{noun} {name!r}"):
            part = study.taken(labels.order[begin : begin + size])
            found.append(Part(name, float(size / study.n_points), law.summarise(part), noun))
    return tuple(found)


def _check(study: Study, labels: Grouping, law: Law[Any], own: str) -> None:
    if not law.needs_groups:
        raise Refusal(
            f"{opt['by']}: segments are judged over new groups or rows, by method 'groups'; method "
            f"{law.name!r} does not know them; leave {opt.method} out"
        )
    if labels.codes.size != study.n_points:
        raise Refusal(
            f"{opt['by']}: {labels.codes.size} labels for {study.n_points} points; every point "
            f"needs its {own}"
        )
    if len(labels.names) < 2:
        raise Refusal(f"{opt['by']}: all points are in one {own}, {labels.names[0]!r}")
    units = labels.sizes
    noun = study.source.point
    if study.groups is not None:
        seen = np.unique(labels.codes * len(study.groups.names) + study.groups.codes)
        units = np.bincount(seen // len(study.groups.names), minlength=len(labels.names))
        noun = study.groups.noun
    few = [labels.names[place] for place in np.flatnonzero(units < LEAST_UNITS)]
    if few:
        least = int(units.min())
        raise Refusal(
            f"{opt['by']}: {own} {few[0]!r} has points of {say.count(least, noun)}"
            f"{f' (and {len(few) - 1} more have as few)' if len(few) > 1 else ''}; its difference "
            f"over new {say.plural(noun)} cannot be known from fewer than {LEAST_UNITS}; put it "
            "together with another, or leave its points out"
        )


def _units(result: Decided) -> int:
    return result.n_groups or int(result.summary.n_points)


def _head(result: Decided) -> str:
    return say.plural(result.noun if result.n_groups else result.summary.source.point)
