"""The forest plot: a difference in each group, and over new ones."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from rivals._core.checks import place_of
from rivals._core.decided import Decided
from rivals._core.setting import HowMany
from rivals._core.texts import Refusal, opt
from rivals._core.types import FloatArray, IntArray
from rivals._result import account
from rivals._result import sentences as say
from rivals.plots._style import (
    COLOURS,
    axes_or_new,
    finish,
    ink,
    is_narrow,
    literal,
    names_of,
    room_for_rows,
    small,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals._result.comparison import Comparison

# Of more groups names are not written; of very many, these are drawn.
MOST_NAMES = 40
MOST_DRAWN = 400
HEIGHT_OF_MANY = 6.0  # inches


def plot_forest(
    result: Comparison,
    model: str | None = None,
    *,
    beside: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the forest plot of two models' difference.

    The difference in each group, its mean over new groups, and the prediction interval of one.

    Below the groups stand the answers to the three questions: the prediction interval of one new
    group, the study repeated, and the mean over all groups, each with P. τ and I² are written, as
    in meta-analysis.

    Parameters
    ----------
    result : Comparison
        With groups. Of more than 400, as many are drawn, evenly spaced in their order.
    model : str, optional
        By default the second best.
    beside : str, optional
        The model that it is compared with; by default the best.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    See Also
    --------
    rivals.GroupSummaries : mean losses in each group, as `result.summary` has them.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> rng = np.random.default_rng(0)
    >>> school = np.repeat([f"school {i}" for i in range(8)], 100)
    >>> a = rng.exponential(size=800)
    >>> b = a + 0.2 + np.repeat(0.15 * rng.standard_normal(8), 100)
    >>> ax = rivals.plots.plot_forest(rivals.compare({"line": a, "mean": b}, groups=school))
    >>> ax.get_xlabel()
    'difference in mean loss'
    """
    decided = result._decided
    best = beside or decided.ranking[0]
    other = _nearest(decided, best) if model is None else model
    for name in (best, other):
        place_of(name, decided.names)
    values, half = in_each_group(decided, other, best)
    order = _drawn(values)
    rows = np.arange(order.size)
    questions = answers(decided, other, best)
    height = 2.2 + 0.17 * (order.size + len(questions))
    ax = axes_or_new(ax, height=height if order.size <= MOST_NAMES else HEIGHT_OF_MANY)
    _draw_groups(ax, values[order], half[order], rows)
    found = decided.beside(best, (other,))
    _draw_answers(ax, questions, float(found.gap[found.row(other)]), order.size)
    _name_rows(ax, decided, order, [each.new_groups for each in questions])
    ax.axvline(0.0, color=ink(ax, 0.5), linewidth=0.9, zorder=0)
    covered = [] if is_narrow(ax) else account.covered(decided, "difference")
    caption = " ".join([_caption(decided, other, best, values), *covered])
    return finish(ax, say.difference(decided.summary.source), "", caption)


def _nearest(result: Decided, best: str) -> str:
    """The next best model whose difference from a model is known."""
    others = [name for name in result.ranking if name != best]
    summary, place = result.groups, result.place
    known = [n for n in others if summary is not None and summary.known[place[n], place[best]]]
    return (known or others)[0]


@dataclass(frozen=True)
class Answer:
    """What the difference of two models would be over so many new groups: interval, and P."""

    new_groups: HowMany
    low: float
    high: float
    chance: float


def in_each_group(result: Decided, other: str, best: str) -> tuple[FloatArray, FloatArray]:
    """The difference of the mean losses of two models in each group, and half of its interval.

    The interval is that of the group by itself: it knows nothing of the others.
    """
    summary = result.groups
    if summary is None:
        raise Refusal(
            "a forest plot is of groups, and this comparison has none; compare with "
            f"{opt.groups}, the "
            "group of each point"
        )
    if other == best:
        raise ValueError(f"a forest plot is of two models; got {best!r} twice")
    a, b = result.place[other], result.place[best]
    if not summary.known[a, b]:
        raise ValueError(
            f"the error of the difference between {other!r} and {best!r} is not known; draw "
            "another pair"
        )
    width = float(ndtri(0.5 + 0.5 * result.setting.level))
    sampling = summary.sampling(np.array([a]), np.array([b]))[0]
    return summary.gaps[a] - summary.gaps[b], np.asarray(width * np.sqrt(sampling))


def answers(result: Decided, other: str, best: str) -> list[Answer]:
    """Over one new group, as many as the decision is about, and all groups."""
    beside = result.beside(best, (other,))
    row = beside.row(other)
    found = []
    each = result.of_each
    for new_groups in dict.fromkeys([each(1.0), result.new_groups or 1.0, each(inf)]):
        low, high = beside.interval(new_groups)
        chance = float(beside.chance(new_groups)[row])
        found.append(Answer(new_groups, float(low[row]), float(high[row]), chance))
    return found


def _drawn(values: FloatArray) -> IntArray:
    """Groups in the order of their differences, the largest on top; of very many some of them."""
    order = np.argsort(-values, kind="stable")
    if order.size <= MOST_DRAWN:
        return order
    places: IntArray = np.linspace(0, order.size - 1, MOST_DRAWN).round().astype(np.intp)
    return order[places]


def _draw_groups(ax: Axes, values: FloatArray, half: FloatArray, rows: IntArray) -> None:
    many = not _are_named(ax, rows.size)
    colours = [COLOURS[0] if value > 0.0 else COLOURS[1] for value in values]
    thin: dict[str, Any] = {"linewidth": 0.5, "alpha": 0.5} if many else {"linewidth": 1.2}
    ax.hlines(rows, values - half, values + half, color=colours, **thin)
    ax.scatter(values, rows, color=colours, s=3 if many else 14, zorder=3)


def _draw_answers(ax: Axes, found: list[Answer], gap: float, n_rows: int) -> None:
    look: dict[str, Any] = {"va": "center", "fontsize": small(ax)}
    places = _places(ax, n_rows, [each.new_groups for each in found])
    for place, each in zip(places, found, strict=True):
        ax.hlines(place, each.low, each.high, color=ink(ax, 0.75), linewidth=3.0)
        ax.plot([gap], [place], marker="D", color=ink(ax), markersize=4)
        ax.text(1.01, place, say.p_is(each.chance), transform=ax.get_yaxis_transform(), **look)


def _are_named(ax: Axes, n_rows: int) -> bool:
    return n_rows <= min(MOST_NAMES, room_for_rows(ax) - 3)


def _places(ax: Axes, n_rows: int, questions: list[HowMany]) -> list[float]:
    """Where the answers stand, below the groups, as far apart as their text needs."""
    step = max(1.0, n_rows / max(room_for_rows(ax) - 5, 5))
    return [n_rows + step * (0.4 + number) for number in range(len(questions))]


def _name_rows(ax: Axes, result: Decided, order: IntArray, questions: list[HowMany]) -> None:
    noun = result.noun
    places = _places(ax, order.size, questions)
    groups = result.groups
    assert groups is not None
    heads = [say.new(number, noun) for number in questions]
    named = order if _are_named(ax, order.size) else order[:0]
    labels = names_of(ax, [*(groups.groups[place] for place in named), *heads])
    ax.set_yticks([*range(named.size), *places], labels, fontsize=small(ax))
    ax.tick_params(axis="y", length=0)
    ax.axhline(0.5 * (order.size - 1 + places[0]), color=ink(ax, 0.25), linewidth=0.7)
    ax.set_ylim(places[-1] + 0.8 * (places[-1] - order.size + 1) / len(places), -1.0)


def _caption(result: Decided, other: str, best: str, values: FloatArray) -> str:
    groups = result.groups
    assert groups is not None
    beside = result.beside(best, (other,))
    row = beside.row(other)
    return say.picture_of_groups(
        literal(best),
        literal(other),
        int(np.sum(values > 0.0)),
        min(values.size, MOST_DRAWN),
        values.size,
        groups.noun,
        float(beside.tau[row]),
        float(beside.i2[row]),
        groups.source.unit,
        result.setting.level,
    )
