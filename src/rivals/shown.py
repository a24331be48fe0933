"""The tables of a result."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np

from rivals import sentences as say
from rivals._types import FloatArray, IntArray
from rivals.equivalence import equivalent_models
from rivals.judgement import Judgement
from rivals.laws.base import central_interval
from rivals.laws.transport import Transport
from rivals.laws.unknown_c import is_unknown, risks_without_c, without_c
from rivals.table import Column, Table

# A table has room for the losses of so many models in each group.
MOST_COLUMNS = 12


def table(result: Judgement, model: int, most: int | None = None) -> Table:
    """Models by risk, all or the best few, beside one of them."""
    ranking = result.ranking[:most]
    order = np.array([result.names.index(name) for name in ranking])
    others = order[order != model]
    risk = result.evidence.risk
    behind = risk - risk[model]
    low, high = interval_beside(result, model, others)
    decimals = say.decimals_for([*(high - low).tolist(), *np.abs(behind[others]).tolist()])
    ends = dict(zip(others.tolist(), zip(low.tolist(), high.tolist(), strict=True), strict=True))

    def loss(value: float | None) -> str:
        return say.fixed(value, decimals)

    def ends_shown(value: tuple[float, float] | None) -> str:
        return say.span(value, decimals)

    def beside(values: FloatArray) -> list[float | None]:
        return [None if place == model else float(values[place]) for place in order]

    name = result.names[model]
    is_best = name == result.best
    worse = "worse than the best" if is_best else f"worse than {name}"
    by_more = say.by_more(result.setting.margin, result.summary.source.unit)
    wins = f"P({'best' if is_best else name} wins again{by_more})"
    columns = [
        Column("model", ranking, is_text=True),
        Column("mean loss", risk[order].tolist(), loss),
        Column("mean", beside(behind), loss, worse),
        Column(
            f"{100 * result.setting.level:g} % interval",
            [ends.get(place) for place in order.tolist()],
            ends_shown,
            worse,
        ),
    ]
    for head, over, row in _chances(result, model, others, wins):
        columns.append(Column(head, beside(row), _chance, over))
    columns.append(Column("decision", decisions(result, ranking), is_text=True))
    return Table(tuple(columns))


def decisions(result: Judgement, names: Sequence[str]) -> list[str]:
    """The decision about each of some models, in a word or two."""
    same = equivalent_models(result)
    return ["equivalent" if name in same else word(result, name) for name in names]


def _chance(value: float | None) -> str:
    return "–" if value is None else say.probability(value)


def _chances(
    result: Judgement, model: int, others: IntArray, wins: str
) -> list[tuple[str, str, FloatArray]]:
    """Heads and rows of the probabilities: what decides, and what else a reader should know."""
    if result.groups is not None:
        horizons = sorted({1.0, float(result.new_groups or 1.0)})
        nouns = [say.new(number, noun(result)) for number in horizons]
        rows = [result.beside(model, number, others=others) for number in horizons]
        return [(head, f"{wins} in", row) for head, row in zip(nouns, rows, strict=True)]
    at_c = result.beside(model, None, others=others)
    if result.correction is not None:
        plain = result.uncorrected(model, others)
        return [("through the curve", wins, at_c), ("as it is", wins, plain)]
    if not is_unknown(result.law, result.setting):
        return [(wins, "", at_c)]
    unknown = np.full(len(result.names), np.nan)
    unknown[others] = chance_without_c(result, model, others)
    return [(f"c = {result.c:g}", wins, at_c), ("c unknown", wins, unknown)]


def chance_without_c(result: Judgement, model: int, others: IntArray) -> FloatArray:
    """P(a model better than each of some others) under law "transport", c unknown."""
    assert isinstance(result.law, Transport)
    models = np.full(others.size, model)
    law = without_c(result.law, result.summary, result.setting, models, others)
    return np.asarray(law.below(np.full(others.size, -result.setting.margin))[0])


def interval_beside(
    result: Judgement, model: int, others: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Between which values the risks of others lie beyond that of one.

    Not known, nan, where P was read through a curve: it says nothing of other values than zero, and
    intervals of the law would contradict P.
    """
    if result.correction is not None:
        return np.full(others.size, np.nan), np.full(others.size, np.nan)
    return result.law.interval(result.summary, result.setting, model, others)


def risk_interval(result: Judgement) -> tuple[FloatArray, FloatArray]:
    """Between which values the risk of each model lies; of one data set with c unknown."""
    if not is_unknown(result.law, result.setting):
        return result.law.risk_interval(result.summary, result.setting)
    assert isinstance(result.law, Transport)
    law = risks_without_c(result.law, result.summary, result.setting)
    return central_interval(law, len(result.names), result.setting.level)


def pairs(result: Judgement) -> Table:
    """Every pair of models, the better first."""
    order = [result.names.index(name) for name in result.ranking]
    places = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    probability = result.probability
    risk = result.evidence.risk
    gaps = [float(risk[b] - risk[a]) for a, b in places]
    decimals = say.decimals_for(gaps)
    return Table(
        (
            Column("better", [result.names[a] for a, _ in places], is_text=True),
            Column("worse", [result.names[b] for _, b in places], is_text=True),
            Column("difference", gaps, lambda value: say.fixed(value, decimals)),
            Column("P", [float(probability[a, b]) for a, b in places], say.probability),
        )
    )


def groups_table(result: Judgement) -> Table:
    """Every group: its size, and the mean loss of each model; of many models, of the best."""
    summary = result.groups
    if summary is None:
        raise ValueError("there are no groups; compare with groups=, the group of each point")
    best = [result.names.index(name) for name in result.ranking[:MOST_COLUMNS]]
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
            lambda value: say.fixed(value, decimals),
            "mean loss",
        )
        columns.append(shown)
    lowest = [result.names[best[place]] for place in np.argmin(means, axis=0).tolist()]
    columns.append(Column("lowest", lowest, is_text=True))
    return Table(tuple(columns))


def word(result: Judgement, name: str) -> str:
    """The decision about a model, in a word or two."""
    if name in result.rejections:
        by = result.rejections[name].by
        return "rejected" if by == result.ranking[0] else f"rejected by {by}"
    return "best" if name == result.best else "not rejected"


def noun(result: Judgement) -> str:
    """What a group is called."""
    return "group" if result.groups is None else result.groups.noun


def place_of(result: Judgement, name: str) -> int:
    """Where a model stands; a name that is not there is told which are."""
    if name in result.names:
        return result.names.index(name)
    near = get_close_matches(str(name), result.names, n=1)
    meant = f"did you mean {near[0]!r}?" if near else f"there are {say.listed(result.names)}"
    raise ValueError(f"there is no model {name!r}; {meant}")
