"""What happened in each group, and what it says about groups to come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from rivals._say.arguments import check_choice
from rivals._say.words import plural, show
from rivals._types import FloatArray, IntArray
from rivals.comparison import pasting, rendering
from rivals.comparison.answers import Answers
from rivals.comparison.digits import Number, format_of_differences
from rivals.laws.base import Applied
from rivals.laws.differences import Differences, quantile

LEVEL = 0.9
# Of more groups than this, the first are printed.
MOST_GROUPS = 24
FIRST_GROUPS = 8
# Of so many models × groups the laws are computed together.
TOGETHER = 2**14

Interval = tuple[float, float]


@dataclass(frozen=True)
class GroupOutcome:
    """One group: how each model did there.

    Attributes
    ----------
    name : str
        The group.
    points : int
        How many there are in it.
    difference : mapping
        Model → its mean loss in this group less that of the best model (or baseline), and the
        sampling error of this difference.
    winners : tuple of str
        The model of the lowest mean loss in this group; several only if they are equal.
    """

    name: str
    points: int
    difference: Mapping[str, tuple[float, float]]
    winners: tuple[str, ...]


@dataclass(frozen=True)
class BetweenGroups:
    """How the difference of one model to the best varies between groups: d_g ~ N(μ, τ² + v_g).

    Intervals are central and hold 90 %.

    Attributes
    ----------
    mean : float
        μ, the mean difference over all groups to come: its median under the law.
    mean_interval : tuple of float
    spread : float
        τ, the standard deviation of the difference between groups: its median.
    spread_interval : tuple of float
    i_squared : float or None
        I² = τ²/(τ² + v): which part of the variance of the differences is between groups, v being
        the typical sampling variance of one (Higgins and Thompson 2002). At the median of τ. None
        where no group has two points: the sampling error is then unknown.
    new_group : tuple of float
        The prediction interval: where the difference of the risks in a new group lies.
    """

    mean: float
    mean_interval: Interval
    spread: float
    spread_interval: Interval
    i_squared: float | None
    new_group: Interval


@dataclass(frozen=True, eq=False, repr=False)
class GroupsTable:
    """Every group, and how the differences to the best model vary between them.

    Attributes
    ----------
    kind : str
        What one group is called.
    best : str
        The model to which the others are compared: that of the lowest mean loss, or `against`.
    models : tuple of str
        The other models, from the lowest mean loss to the highest.
    groups : tuple of GroupOutcome
        `name`, `points`, `difference` (model → value and sampling error) and `winners` of each.
    between : mapping
        Model → `BetweenGroups`: `mean` (μ), `spread` (τ), their intervals, `i_squared` and
        `new_group`, the prediction interval. None for a model whose losses are those of the best,
        or differ from them by a constant.

    See Also
    --------
    Comparison.groups_table : makes it.
    rivals.plots.plot_groups : draws the differences of two models.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> rng = np.random.default_rng(0)
    >>> school = np.repeat(["north", "south", "east", "west"], 100)
    >>> a = rng.exponential(size=400)
    >>> b = a + 0.3 + 0.1 * rng.standard_normal(400)
    >>> table = rivals.compare({"A": a, "B": b}, groups=school).groups_table()
    >>> table.groups[0].name, table.groups[0].points, table.groups[0].winners
    ('east', 100, ('A',))
    >>> low, high = table.between["B"].new_group
    >>> low < 0.3 < high
    True
    """

    kind: str
    best: str
    models: tuple[str, ...]
    groups: tuple[GroupOutcome, ...]
    between: Mapping[str, BetweenGroups | None]

    def rows(self) -> list[dict[str, Any]]:
        """One row per group and model other than the best, as plain numbers and text."""
        rows = []
        for group in self.groups:
            for model in self.models:
                difference, error = group.difference[model]
                rows.append(
                    {
                        "group": group.name,
                        "model": model,
                        "points": group.points,
                        "difference": difference,
                        "difference_error": error,
                        "won_by": ", ".join(group.winners),
                    }
                )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and text."""
        between = {}
        for model, found in self.between.items():
            between[model] = None if found is None else _plain(asdict(found))
        return {
            "kind": self.kind,
            "best": self.best,
            "groups": [_plain(asdict(group)) for group in self.groups],
            "between": between,
        }

    def to_dataframe(self) -> Any:
        """One row per group and model (needs pandas)."""
        return rendering.dataframe(self.rows(), "group")

    def to_markdown(self) -> str:
        """Both printed tables, for Markdown."""
        tables = [pasting.markdown(*self._of_groups()), pasting.markdown(*self._of_models())]
        return "\n\n".join([*tables, pasting.in_markdown(self._about)])

    def to_latex(self) -> str:
        """Both printed tables, for LaTeX; how to read them, as a comment."""
        models = pasting.latex(*self._of_models(), after=self._about)
        return "\n\n".join([pasting.latex(*self._of_groups()), models])

    def __str__(self) -> str:
        n_groups = len(self.groups) if len(self.groups) <= MOST_GROUPS else FIRST_GROUPS
        n_models = self._fitting(n_groups)
        parts = [rendering.text(*self._of_groups(n_models, n_groups))]
        left_out = []
        if n_groups < len(self.groups):
            left_out.append(f"{len(self.groups) - n_groups} more {plural(self.kind)}")
        if n_models < len(self.models):
            left_out.append(f"{len(self.models) - n_models} more models")
        if left_out:
            parts.append(f"… and {' and '.join(left_out)}: to_dataframe() has all.")
        parts += ["", rendering.text(*self._of_models()), "", rendering.wrap(self._about)]
        return "\n".join(parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return rendering.html(*self._of_groups()) + rendering.html(
            *self._of_models(), after=self._about
        )

    @property
    def _about(self) -> str:
        kinds = plural(self.kind)
        what = f"Differences are mean losses less that of {show(self.best)}, ± sampling error."
        i_squared = "; I²: the part of their variance that is not sampling error"
        if self._one_loss_each:
            what = f"Every {self.kind} has one loss: differences are to that of {show(self.best)}."
            i_squared = ""
        return (
            f"{what} μ: their mean over all {kinds} to come; τ: how much they vary between them"
            f"{i_squared}; last, where nine in ten new ones lie. Intervals hold 90 %."
        )

    @property
    def _one_loss_each(self) -> bool:
        """Whether no group has a sampling error: there is nothing to print of it."""
        return all(group.points == 1 for group in self.groups)

    def _fitting(self, n_groups: int) -> int:
        """How many models have room beside each other in the terminal; one at least."""
        room = rendering.terminal_width()
        for n_models in range(2, len(self.models) + 1):
            if rendering.width_of(*self._of_groups(n_models, n_groups)) > room:
                return n_models - 1
        return len(self.models)

    def _of_groups(
        self, n_models: int | None = None, n_groups: int | None = None
    ) -> tuple[list[str], list[list[str]]]:
        """Headings and cells: a column for each model and a line for each group, or for so many of
        them.
        """
        models = self.models[:n_models]
        points = [] if self._one_loss_each else ["points"]
        headings = [self.kind, *points, *(show(model) for model in models), "won by"]
        cells = []
        for group in self.groups[:n_groups]:
            line = [show(group.name), *(str(group.points) for _ in points)]
            for model in models:
                difference, error = group.difference[model]
                plus_minus = f" ± {self._number(error)}" if error else ""
                line.append(f"{self._number(difference)}{plus_minus}")
            line.append(", ".join(map(show, group.winners)))
            cells.append(line)
        return headings, cells

    def _of_models(self) -> tuple[list[str], list[list[str]]]:
        headings = ["model", "μ", "τ", "I²", f"a new {self.kind}"]
        cells = []
        for model in self.models:
            found = self.between[model]
            if found is None:
                cells.append([show(model), "", "", "", "not judged"])
                continue
            cells.append(
                [
                    show(model),
                    f"{self._number(found.mean)} ({self._range(found.mean_interval)})",
                    f"{self._number(found.spread)} ({self._range(found.spread_interval)})",
                    "" if found.i_squared is None else f"{100.0 * found.i_squared:.0f} %",
                    self._range(found.new_group),
                ]
            )
        if self._one_loss_each:
            place = headings.index("I²")
            for line in [headings, *cells]:
                del line[place]
        return headings, cells

    def _range(self, interval: Interval) -> str:
        low, high = interval
        return f"{self._number(low)} … {self._number(high)}"

    @cached_property
    def _number(self) -> Number:
        """Digits for all numbers alike."""
        pairs = [group.difference[model] for group in self.groups for model in self.models]
        return format_of_differences(pairs)


def groups_table(result: Answers, against: str | None = None) -> GroupsTable:
    """Every group of a comparison beside the others: differences to the best, or to a baseline."""
    grouping = result.applied.setting.groups
    if grouping is None or not result.applied.law.needs_groups:
        raise ValueError(
            "groups_table is about groups, and this comparison has none; compare with groups=, "
            "the replication of each point"
        )
    applied: Any = result.applied
    place = result.place
    best = result.ranking[0]
    base = best if against is None else check_choice(against, "against", result.names)
    others = [model for model in result.ranking if model != base]
    differences = {}
    for model in others:
        differences[model] = applied.in_each_group(place[model], place[base])
    to_best = differences
    if base != best:  # so that a tie is one whatever the baseline
        to_best = {}
        for model in result.ranking[1:]:
            to_best[model] = applied.in_each_group(place[model], place[best])
    winners = _winners(result.ranking, to_best)
    sizes = grouping.sizes.tolist()
    groups = []
    for index, name in enumerate(grouping.names):
        here = {}
        for model in others:
            difference, error = differences[model]
            here[model] = (float(difference[index]), float(error[index]))
        groups.append(GroupOutcome(name, sizes[index], here, winners[index]))
    places = np.array([place[model] for model in others])
    errors = np.stack([differences[model][1] for model in others])
    found = _between(result.applied, places, place[base], errors)
    between = dict(zip(others, found, strict=True))
    return GroupsTable(grouping.kind, base, tuple(others), tuple(groups), between)


def _winners(
    ranking: Sequence[str], differences: Mapping[str, tuple[FloatArray, FloatArray]]
) -> list[tuple[str, ...]]:
    """Who has the lowest mean loss in each group."""
    rows = [differences[model][0] for model in ranking[1:]]
    to_best = np.stack([np.zeros_like(rows[0]), *rows])
    lowest = to_best == to_best.min(axis=0)
    return [
        tuple(model for model, is_lowest in zip(ranking, column, strict=True) if is_lowest)
        for column in lowest.T
    ]


def _between(
    applied: Applied, models: IntArray, base: int, errors: FloatArray
) -> list[BetweenGroups | None]:
    """The laws of μ and τ of some models beside another, and of their differences in a new group.

    `errors` are those of the differences in each group, models × groups.
    """
    found: list[BetweenGroups | None] = []
    step = max(1, TOGETHER // errors.shape[1])
    for begin in range(0, models.size, step):
        piece = slice(begin, begin + step)
        found += _between_some(applied, models[piece], base, errors[piece])
    return found


def _between_some(
    applied: Applied, models: IntArray, base: int, errors: FloatArray
) -> list[BetweenGroups | None]:
    law: Any = applied
    bases = np.full_like(models, base)
    new_group = law.differences_over(models, bases, 1.0)
    mean = law.differences_over(models, bases, inf)
    with np.errstate(over="ignore"):  # the variance of μ, which is not asked for here
        spread = law.spread(models, bases)
    middle_of_mean = quantile(mean, 0.5).tolist()
    of_mean = _intervals(mean)
    of_new_group = _intervals(new_group)
    found: list[BetweenGroups | None] = []
    for place, is_judged in enumerate(new_group.std.any(axis=1)):
        if not is_judged:  # the same losses, or a constant between them
            found.append(None)
            continue
        low, middle, high = _quantiles(spread.tau[place], spread.weight[0, place])
        found.append(
            BetweenGroups(
                mean=middle_of_mean[place],
                mean_interval=of_mean[place],
                spread=middle,
                spread_interval=(low, high),
                i_squared=_i_squared(middle, errors[place]),
                new_group=of_new_group[place],
            )
        )
    return found


def _intervals(law: Differences) -> list[Interval]:
    low = quantile(law, 0.5 - 0.5 * LEVEL)
    high = quantile(law, 0.5 + 0.5 * LEVEL)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _quantiles(tau: FloatArray, weight: FloatArray) -> tuple[float, float, float]:
    """The interval and the median of τ, from its probabilities on a grid of log τ."""
    below = np.cumsum(weight) - 0.5 * weight
    levels = [0.5 - 0.5 * LEVEL, 0.5, 0.5 + 0.5 * LEVEL]
    low, middle, high = np.exp(np.interp(levels, below, np.log(tau))).tolist()
    return low, middle, high


def _i_squared(spread: float, errors: FloatArray) -> float | None:
    """τ²/(τ² + v), v the typical sampling variance: (G − 1) Σw / ((Σw)² − Σw²), w = 1/v_g."""
    largest = errors.max()
    if largest == 0.0:
        return None
    precision = (largest / errors) ** 2
    total = precision.sum()
    typical = (errors.size - 1) * total / (total**2 - np.sum(precision**2))
    return float(1.0 / (1.0 + typical * (largest / spread) ** 2))


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Tuples as lists, as JSON has them."""
    plain: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            plain[key] = _plain(value)
        elif isinstance(value, tuple):
            plain[key] = list(value)
        else:
            plain[key] = value
    return plain
