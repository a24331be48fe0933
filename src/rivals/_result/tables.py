"""The tables of a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from math import nan
from typing import Any, ClassVar

import numpy as np

from rivals._core.beside import Beside
from rivals._core.checks import place_of
from rivals._core.decided import Decided
from rivals._core.types import FloatArray
from rivals._questions.equivalence import equivalent_models
from rivals._result import sentences as say
from rivals._result.renderers import Answer, Column, Table

# Of `to_records`, of data frames and of JSON.
COLUMNS = (
    *("model", "beside", "rank", "risk", "difference", "low", "high"),
    *("p_better", "p_equivalent", "p_worse", "p_better_one_group"),
    *("outcome", "because", "rejected_by"),
)


def table(result: Decided, model: str, most: int | None = None) -> Table:
    """Models by risk, all or the best few, beside one of them."""
    ranking = result.ranking[:most]
    beside = result.beside(model, ranking)
    rows = [None if name == model else beside.row(name) for name in ranking]
    seen = [row for row in rows if row is not None]
    low, high = beside.low[seen], beside.high[seen]
    decimals = say.decimals_for([*(high - low).tolist(), *np.abs(beside.gap[seen]).tolist()])

    loss = partial(say.fixed, decimals=decimals)

    def each(values: FloatArray) -> list[float | None]:
        return [None if row is None else float(values[row]) for row in rows]

    worse = "worse than the best" if model == result.best else f"worse than {model}"
    risk = result.evidence.risk
    source = result.summary.source
    sign = -1.0 if source.metric == "higher" else 1.0
    counted = result.units is not None and result.n_groups == result.summary.n_points
    unit = result.noun if counted or result.groups is not None else "row"
    over = f"over {say.plural(source.point)}"
    if source.weights == "groups":
        over = say.mean_over(result.repeated, unit)
    columns = [
        Column("model", ranking, is_text=True),
        Column(
            over,
            [sign * float(risk[result.place[name]]) for name in ranking],
            loss,
            say.measure(source),
        ),
        Column("mean", each(beside.gap), loss, worse),
        Column(
            f"{100 * result.setting.level:g} % interval",
            [
                None if row is None else (float(beside.low[row]), float(beside.high[row]))
                for row in rows
            ],
            partial(say.span, decimals=decimals),
            worse,
        ),
    ]
    for head, over, values in chances(result, beside):
        columns.append(Column(head, each(values), _chance, over))
    columns.append(Column("decision", decisions(result, ranking), is_text=True))
    return Table(tuple(columns))


def decisions(result: Decided, names: Sequence[str]) -> list[str]:
    """The decision about each of some models, in a word or two."""
    same = equivalent_models(result)
    return ["equivalent" if name in same else word(result, name) for name in names]


def _chance(value: float | None) -> str:
    return "–" if value is None else say.probability(value)


def chances(result: Decided, beside: Beside) -> list[tuple[str, str, FloatArray]]:
    """Heads and rows of the probabilities: what decides, and what else a reader should know."""
    model = result.names[beside.model]
    by_more = say.by_more(result.setting.margin, result.summary.source.unit)
    wins = f"P({'best' if model == result.best else model} wins again{by_more})"
    if result.units is not None:
        own = result.new_groups or 1.0
        first = own if result.groups is None else result.of_each(1.0)
        horizons = list(dict.fromkeys([first, own]))
        heads = [say.new(number, result.noun) for number in horizons]
        rows = [beside.chance(number) for number in horizons]
        return [(head, f"{wins} in", row) for head, row in zip(heads, rows, strict=True)]
    if result.method.again:
        return [(say.new(1.0, result.method.again), f"{wins} in", beside.better)]
    if not result.c_is_unknown:
        return [(f"c = {say.value_of_c(result.c)}", wins, beside.better)]
    wins = f"{wins[:-1]} at another place)"
    return [
        (f"c = {result.c:g}", wins, beside.better),
        ("c unknown", wins, beside.without_c()),
    ]


def word(result: Decided, name: str) -> str:
    """The decision about a model, in a word or two."""
    if name in result.rejections:
        by = result.rejections[name].by
        return "rejected" if by == result.ranking[0] else f"rejected by {by}"
    return "best" if name == result.best else "not rejected"


@dataclass(frozen=True, eq=False, repr=False)
class BesideOthers(Beside, Answer):
    """One model beside all others, by risk, with its table."""

    decided: Decided

    COLUMNS: ClassVar[tuple[str, ...]] = COLUMNS

    @property
    def table(self) -> Table:
        """Every model beside this one."""
        return table(self.decided, self.decided.names[self.model])

    def __str__(self) -> str:
        return str(self.table)

    __repr__ = __str__

    def to_records(self) -> list[dict[str, Any]]:
        """A row for each model, this one included."""
        decided = self.decided
        own, risk = decided.names[self.model], decided.risk
        found = {row["model"]: row for row in self.records()}
        found[own] = dict.fromkeys(COLUMNS, nan) | {"difference": 0.0, "outcome": "", "because": ""}
        rows = []
        for rank, name in enumerate(decided.ranking, start=1):
            rejection = decided.rejections.get(name)
            about = {
                "model": name,
                "beside": own,
                "rank": rank,
                "risk": risk[name],
                "rejected_by": rejection.by if rejection else None,
            }
            rows.append({column: {**found[name], **about}[column] for column in COLUMNS})
        return rows


def beside_others(result: Decided, name: str) -> BesideOthers:
    """Of all models, in the order of their risk."""
    place_of(name, result.names)
    core = result.beside(name, result.ranking)
    known = {each.name: getattr(core, each.name) for each in fields(core)}
    return BesideOthers(**known, decided=result)
