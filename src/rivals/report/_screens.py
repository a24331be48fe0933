"""What `compare` prints, at every setting that the page offers: decided here, looked up there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import product
from math import floor, inf, log10, prod
from typing import Any

from rivals._core.decided import Decided
from rivals._core.setting import CalibratedC, Setting
from rivals._core.texts import in_python
from rivals._result import account, tables
from rivals._result import sentences as say
from rivals._result.renderers import Column
from rivals.report._rows import Pool

# The table has so many models. Each further setting takes its time: of more than MANY models or
# groups, neither c nor margin can be changed, and few thresholds; of more models than the table has
# nothing.
MOST_ROWS = 300
MANY_MODELS = 30
MANY_GROUPS = 2000
# Beside so many models all others are shown.
MOST_BESIDE = 12
THRESHOLDS = (0.7, 0.8, 0.85, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999)
FEW_THRESHOLDS = (0.9, 0.95, 0.99)
VALUES_OF_C = tuple(2.0**octave for octave in range(-6, 5, 2))
N_MARGINS = 5
HEADS = {"threshold": "Threshold", "c": "Sensitivity c", "margin": "Margin"}


@dataclass(frozen=True)
class Axis:
    """An option that can be changed: its values, how each is called, and which one is the run's."""

    option: str
    values: tuple[Any, ...]
    labels: tuple[str, ...]
    own: int

    def alone(self) -> Axis:
        """The run's value, and no other."""
        only = slice(self.own, self.own + 1)
        return Axis(self.option, self.values[only], self.labels[only], 0)

    def plain(self) -> dict[str, Any]:
        meaning = next(each for each in fields(Setting) if each.name == self.option).metadata
        return {
            "option": self.option,
            "labels": list(self.labels),
            "own": self.own,
            "head": HEADS.get(self.option, ""),
            "meaning": meaning["meaning"],
        }


def axes_of(result: Decided) -> list[Axis]:
    """The options that mean something for this result, with the values that the page offers."""
    large = _is_large(result)
    offered = FEW_THRESHOLDS if large else THRESHOLDS
    axes = [_numbers("threshold", offered, result.setting.threshold)]
    if result.groups is not None:
        axes.insert(0, _questions(result))
    if not large and not _why_no_c(result):
        axes.append(_numbers("c", VALUES_OF_C, result.c))
    if not large and not result.method.draws:  # which draws: a margin takes its time
        axes.append(_numbers("margin", (0.0, *_margins(result)), result.setting.margin))
    if len(result.names) > MOST_ROWS:
        axes = [each.alone() for each in axes]
    return axes


def screens_of(result: Decided, pool: Pool) -> dict[str, Any]:
    """Each setting: table, conclusion, track record, what intervals covered, and how many models
    are not rejected.

    In the order of `itertools.product` over the axes.
    """
    axes = axes_of(result)
    names = [axis.option for axis in axes]
    thresholds = axes[names.index("threshold")].values
    decided: dict[Any, list[list[Any]]] = {}
    screens = []
    for values in product(*(axis.values for axis in axes)):
        options = dict(zip(names, values, strict=True))
        place = thresholds.index(options.pop("threshold"))
        rest = tuple(options.values())
        if rest not in decided:
            decided[rest] = _at_thresholds(result.at(**options), thresholds, pool)
        screens.append(decided[rest][place])
    return {
        "axes": [axis.plain() for axis in axes if len(axis.values) > 1],
        "screens": screens,
        "lowest": result.ranking[0],
        "n_models": len(result.names),
        "why_no_c": _why_no_c(result),
    }


def beside_others(result: Decided, pool: Pool) -> list[dict[str, Any]]:
    """The table beside each of the best models, such as a baseline; the run's own setting."""
    found = []
    for name in result.ranking[1:MOST_BESIDE] if len(result.names) > 2 else []:
        columns = tables.table(result, name, MOST_ROWS).columns
        found.append({"model": name, **pool.table(columns, *_drawn(result, name))})
    return found


def cut(result: Decided) -> str:
    """That the table goes on, if it does; and why less can be changed, if so."""
    hidden = say.not_shown(len(result.names) - MOST_ROWS)
    return in_python(
        " ".join([*hidden, *([say.too_many_to_change()] if _is_large(result) else [])])
    )


def _is_large(result: Decided) -> bool:
    return len(result.names) > MANY_MODELS or result.n_groups > MANY_GROUPS


def _at_thresholds(result: Decided, thresholds: Sequence[float], pool: Pool) -> list[list[Any]]:
    """The threshold changes the decision, and nothing else in the table."""
    best = result.ranking[0]
    columns = tables.table(result, best, MOST_ROWS).columns[:-1]
    table = pool.table(columns, *_drawn(result, best))
    found = []
    for threshold in thresholds:
        at = result.at(threshold=threshold)
        words = tables.decisions(at, at.ranking[:MOST_ROWS])
        found.append(
            [
                [*table["columns"], pool.column(Column("decision", words, is_text=True))],
                table["bar"],
                pool.text(in_python(account.conclusion(at))),
                pool.text(" ".join(account.track_record(at))),
                pool.text(" ".join(account.covered(at, "difference"))),
                len(at.survivors),
            ]
        )
    return found


def _drawn(result: Decided, name: str) -> tuple[list[Any], list[Any]]:
    """Centres and ends of the bars; nothing in the row of the model itself."""
    beside = result.beside(name, result.ranking[:MOST_ROWS])
    rows = [None if other == name else beside.row(other) for other in result.ranking[:MOST_ROWS]]
    gap, ends = (
        beside.gap.tolist(),
        list(zip(beside.low.tolist(), beside.high.tolist(), strict=True)),
    )
    return (
        [None if row is None else gap[row] for row in rows],
        [None if row is None else ends[row] for row in rows],
    )


def _questions(result: Decided) -> Axis:
    """One new group, the study repeated, all groups; or what else the run asked."""
    own, repeated = result.new_groups, result.repeated
    asked: dict[Any, Any] = {result.of_each(1.0): 1.0, repeated: None, result.of_each(inf): inf}
    asked[own] = result.setting.new_groups
    numbers = sorted(asked, key=_how_many)
    labels = tuple(say.question(number, repeated or 0, result.noun) for number in numbers)
    return Axis("new_groups", tuple(asked[each] for each in numbers), labels, numbers.index(own))


def _how_many(number: Any) -> float:
    """Of several factors the product, in which one that is kept is one."""
    return prod(each or 1.0 for each in number.values()) if isinstance(number, dict) else number


def _numbers(option: str, offered: Sequence[float], own: float) -> Axis:
    """Numbers in order, that of the run among them."""
    others = [value for value in offered if abs(value - own) > 1e-9 * max(abs(own), 1e-300)]
    values = sorted([*others, own])
    labels = tuple(f"{float(value):g}" for value in values)
    return Axis(option, tuple(values), labels, values.index(own))


def _margins(result: Decided) -> list[float]:
    """Round numbers, the largest of them not above the largest difference from the best."""
    risk = [result.risk[name] for name in result.ranking[:MOST_BESIDE]]
    widest = risk[-1] - risk[0]
    if not widest > 1e-12 * max(abs(risk[0]), 1e-300):
        return []
    power = floor(log10(widest))
    series = [factor * 10.0**place for place in range(power - 2, power + 1) for factor in (1, 2, 5)]
    below = [float(f"{value:.1g}") for value in series if value <= widest]
    return below[-N_MARGINS:]


def _why_no_c(result: Decided) -> str:
    """Why c cannot be changed; empty where it can."""
    if not result.summary.n_simulations:
        return say.without_c()
    if isinstance(result.setting.c, CalibratedC):
        return say.c_is_calibrated(result.c)
    return ""
