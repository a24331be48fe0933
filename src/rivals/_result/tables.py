"""The tables of a result."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from functools import partial

import numpy as np

from rivals._core.beside import Beside
from rivals._core.decided import Decided
from rivals._core.texts import Refusal, opt
from rivals._core.types import FloatArray
from rivals._questions.equivalence import equivalent_models
from rivals._result import sentences as say
from rivals._result.renderers import Column, Table

# A table has room for the losses of so many models in each group.
MOST_COLUMNS = 12


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
    over = f"over {say.plural('row' if result.groups is None else result.noun)}"
    columns = [
        Column("model", ranking, is_text=True),
        Column(over, [float(risk[result.place[name]]) for name in ranking], loss, "mean loss"),
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
    wins = f"{wins[:-1]} at another place)"
    if result.correction is not None:
        return [
            ("through the curve", wins, beside.better),
            ("as it is", wins, beside.plain()),
        ]
    if not result.c_is_unknown:
        return [(wins, "", beside.better)]
    return [
        (f"c = {result.c:g}", wins, beside.better),
        ("c unknown", wins, beside.without_c()),
    ]


def pairs(result: Decided) -> Table:
    """Every pair of models, the better first."""
    order = [result.place[name] for name in result.ranking]
    places = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    probability = result.probability
    risk = result.evidence.risk
    gaps = [float(risk[b] - risk[a]) for a, b in places]
    decimals = say.decimals_for(gaps)
    return Table(
        (
            Column("better", [result.names[a] for a, _ in places], is_text=True),
            Column("worse", [result.names[b] for _, b in places], is_text=True),
            Column("difference", gaps, partial(say.fixed, decimals=decimals)),
            Column("P", [float(probability[a, b]) for a, b in places], say.probability),
        )
    )


def groups_table(result: Decided) -> Table:
    """Every group: its size, and the mean loss of each model; of many models, of the best."""
    summary = result.groups
    if summary is None:
        raise Refusal(f"there are no groups; compare with {opt.groups}, the group of each point")
    best = [result.place[name] for name in result.ranking[:MOST_COLUMNS]]
    means = summary.means[best]
    decimals = say.decimals_for(np.ptp(means, axis=0).tolist())
    columns = [
        Column(summary.noun, summary.groups, is_text=True),
        Column(f"{summary.source.point}s", summary.sizes.tolist()),
    ]
    for place, losses in zip(best, means, strict=True):
        shown = Column(
            result.names[place],
            losses.tolist(),
            partial(say.fixed, decimals=decimals),
            "mean loss",
        )
        columns.append(shown)
    lowest = [result.names[best[place]] for place in np.argmin(means, axis=0).tolist()]
    columns.append(Column("lowest", lowest, is_text=True))
    return Table(tuple(columns))


def word(result: Decided, name: str) -> str:
    """The decision about a model, in a word or two."""
    if name in result.rejections:
        by = result.rejections[name].by
        return "rejected" if by == result.ranking[0] else f"rejected by {by}"
    return "best" if name == result.best else "not rejected"


def there(result: Decided, name: str) -> str:
    """The name of a model; one that is not there is told which are."""
    if name in result.place:
        return name
    near = get_close_matches(str(name), result.names, n=1)
    meant = f"did you mean {near[0]!r}?" if near else f"there are {say.listed(result.names)}"
    raise ValueError(f"there is no model {name!r}; {meant}")
