"""`Plan`: how probably so many more groups bring a verdict, for each model that still survives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import isinf
from typing import Any

import numpy as np

from rivals._random import PLANNED_GROUPS, entropy_from, stream
from rivals._say.arguments import check_size
from rivals._say.words import plural, probability_text, show
from rivals._schemas import stamp
from rivals._types import RNG, BoolArray, FloatArray
from rivals.comparison import pasting, rendering
from rivals.comparison.answers import Answers
from rivals.core.more_groups import draw_futures

# By default: the numbers of groups to add.
MORE_GROUPS: tuple[int, ...] = (5, 10, 20, 40)
# What more groups may show is drawn so many times; the chances are then known to ± 0.011.
N_FUTURES = 2000
# A ceiling above this is none.
NO_CEILING = 0.995
LISTED_REJECTIONS = 4


def plan(result: Answers, more_groups: Any = MORE_GROUPS, *, rng: RNG = None) -> Plan:
    """The chance that so many more groups tell each survivor from the best model.

    `rng` is the entropy of the comparison by default.
    """
    _check_groups(result)
    numbers = checked_numbers(more_groups)
    best, *others = result.survivors
    _check_undecided(result, others)
    places = {name: place for place, name in enumerate(result.names)}
    setting = result.applied.setting
    entropy = setting.entropy if rng is None else entropy_from(rng)
    chance = np.empty((len(others), len(numbers)))
    ceiling = np.empty(len(others))
    even_odds = np.empty(len(others))
    for row, name in enumerate(others):
        outlook = result.applied.outlook(places[name], places[best])
        generator = stream(entropy, PLANNED_GROUPS, places[name])
        futures = draw_futures(outlook.spread, N_FUTURES, generator)
        chance[row] = [outlook.chance(futures, number) for number in numbers]
        ceiling[row] = outlook.ceiling
        even_odds[row] = outlook.even_odds(futures)
    undecided = [places[name] for name in others]
    assert setting.groups is not None  # the law has them
    return Plan(
        names=result.names,
        best=best,
        models=tuple(others),
        more_groups=numbers,
        chance=_read_only(chance),
        ceiling=_read_only(ceiling),
        even_odds=_read_only(even_odds),
        probability=_read_only(result.best_decides[undecided]),
        groups=len(setting.groups.names),
        kind=setting.groups.kind,
        new_groups=setting.new_groups,
        threshold=setting.threshold,
        margin=setting.margin,
        entropy=entropy,
    )


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """How probably so many more groups tell each surviving model from the best.

    New groups are taken to be like those at hand, in their differences and in their sizes. A
    verdict is that one of the two models is better, by more than the margin if there is one, with
    a probability above the threshold: the best, or the other.

    Attributes
    ----------
    names : tuple of str
        All models of the comparison, in the order given.
    best : str
        The model of lowest mean loss.
    models : tuple of str
        The other survivors, best first.
    more_groups : tuple of int
        How many groups are added.
    chance : array, shape (models, numbers)
        Of a verdict on each model, with so many more groups.
    ceiling : array, shape (models,)
        What the chance tends to as ever more groups are added. It is below 1 where the question is
        about one new group, or a few, or where there is a margin.
    even_odds : array, shape (models,)
        With so many more groups the chance is one half; infinite where no number does.
    probability : array, shape (models,)
        How probably the best is better, by more than the margin, as the groups at hand say.
    groups : int
        At hand.
    kind : str
        What one of them is called.
    new_groups : float or None
        How many new groups the verdict is about; None: as many as are then at hand.
    threshold, margin : float
        Those of the comparison.
    entropy : int
        The integer that repeats the plan, as `rng`.

    See Also
    --------
    Comparison.plan : makes a plan.
    rivals.plots.plot_plan : draws it.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> rng = np.random.default_rng(1)
    >>> school = np.repeat(np.arange(8), 50)
    >>> a = rng.exponential(size=400)
    >>> b = a + 0.1 + 0.2 * rng.standard_normal(8)[school]
    >>> result = rivals.compare({"A": a, "B": b}, groups=school, rng=0)
    >>> plan = result.plan([8, 80])
    >>> plan.models, plan.chance.round(1)
    (('B',), array([[0.4, 0.8]]))
    """

    names: tuple[str, ...]
    best: str
    models: tuple[str, ...]
    more_groups: tuple[int, ...]
    chance: FloatArray
    ceiling: FloatArray
    even_odds: FloatArray
    probability: FloatArray
    groups: int
    kind: str
    new_groups: float | None
    threshold: float
    margin: float
    entropy: int

    @cached_property
    def standard_error(self) -> FloatArray:
        """Monte Carlo standard error of `chance`."""
        return _read_only(np.sqrt(self.chance * (1.0 - self.chance) / N_FUTURES))

    @property
    def limited(self) -> BoolArray:
        """Whether the chance stays below certainty, however many groups are added."""
        return self.ceiling < NO_CEILING

    @property
    def verdict(self) -> str:
        """What the chances are of, in sentences."""
        return " ".join([*self._question(), *self._limits()])

    def _question(self) -> list[str]:
        several = show(plural(self.kind))
        return [
            f"The chance that so many more {several}, like the {self.groups} at hand, decide "
            f"between a model and {show(self.best)}: that one of them is "
            f"better{_by_more(self.margin)}, with a probability above {self.threshold:g}, "
            f"{self._where()}."
        ]

    def _where(self) -> str:
        """What the verdict is about."""
        several = show(plural(self.kind))
        if self.new_groups is None:
            return f"in a repeated study of as many {several} as there are then"
        if isinf(self.new_groups):
            return f"in the mean over all {several} to come"
        if self.new_groups == 1.0:
            return f"in a single new {show(self.kind)}"
        return f"in the mean over {self.new_groups:.0f} new {several}"

    def _limits(self) -> list[str]:
        """Which models no number of groups may tell from the best."""
        limits = [
            f"{show(self.models[row])} {_two_digits(self.ceiling[row])}"
            for row in np.flatnonzero(self.limited)
        ]
        if not limits:
            return []
        several = show(plural(self.kind))
        return [f"With ever more {several} the chance tends to: {', '.join(limits)}."]

    # ---------------------------------------------------------------- how it is shown

    def rows(self) -> list[dict[str, Any]]:
        """One row for each model and number of groups, as plain numbers and text."""
        found = []
        for row, model in enumerate(self.models):
            for column, number in enumerate(self.more_groups):
                values = {
                    "model": model,
                    "more_groups": number,
                    "chance": float(self.chance[row, column]),
                    "standard_error": float(self.standard_error[row, column]),
                    "ceiling": float(self.ceiling[row]),
                    "even_odds": _finite(self.even_odds[row]),
                }
                found.append(values)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and text; an infinite number for even odds is null."""
        new_groups: int | str | None = None
        if self.new_groups is not None:
            new_groups = "inf" if isinf(self.new_groups) else int(self.new_groups)
        return {
            **stamp("plan"),
            "best": self.best,
            "models": list(self.models),
            "more_groups": list(self.more_groups),
            "chance": self.chance.tolist(),
            "standard_error": self.standard_error.tolist(),
            "ceiling": self.ceiling.tolist(),
            "even_odds": [_finite(number) for number in self.even_odds],
            "probability": self.probability.tolist(),
            "groups": self.groups,
            "kind": self.kind,
            "new_groups": new_groups,
            "threshold": self.threshold,
            "margin": self.margin,
            "entropy": self.entropy,
            "verdict": self.verdict,
        }

    def to_dataframe(self) -> Any:
        """One row for each model and number of groups (needs pandas)."""
        return rendering.dataframe(self.rows(), "model")

    def to_markdown(self) -> str:
        """The printed table, for Markdown; what the chances are of, below it."""
        return pasting.markdown(*self._table(), after=f"{self.verdict} {self._error()}.")

    def to_latex(self) -> str:
        """The printed table, for LaTeX; what the chances are of, as a comment."""
        return pasting.latex(*self._table(), after=f"{self.verdict} {self._error()}.")

    def _error(self) -> str:
        return f"Monte Carlo error at most {self.standard_error.max():.3f}, rng = {self.entropy}"

    def __str__(self) -> str:
        headings, cells = self._table()
        sentences = [*self._question(), *self._limits(), self._error()]
        paragraphs = [rendering.wrap(sentence) for sentence in sentences]
        return "\n".join([rendering.text(headings, cells), "", *paragraphs])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return rendering.html(*self._table(), after=self.verdict)

    def _table(self) -> tuple[list[str], list[list[str]]]:
        more = [f"{number} more" for number in self.more_groups]
        cells = []
        for row, model in enumerate(self.models):
            chances = [_two_digits(chance) for chance in self.chance[row]]
            now = probability_text(self.probability[row])
            cells.append([show(model), now, *chances, _odds(self.even_odds[row])])
        return ["model", "P now", *more, "even odds"], cells


# ---------------------------------------------------------------- what is asked for


def checked_numbers(more_groups: Any) -> tuple[int, ...]:
    """Whole numbers of groups to add, one or several.

    Examples
    --------
    >>> checked_numbers([5, 10.0]), checked_numbers(3)
    ((5, 10), (3,))
    """
    several = isinstance(more_groups, Iterable) and not isinstance(more_groups, (str, bytes))
    given = list(more_groups) if several else [more_groups]
    if not given:
        listing = ", ".join(map(str, MORE_GROUPS))
        raise ValueError(
            "plan needs at least one number of groups to add: got none; pass some, or leave them "
            f"out for {listing}"
        )
    return tuple(_checked(number) for number in given)


def _checked(number: Any) -> int:
    whole = isinstance(number, (float, np.floating)) and float(number).is_integer()
    try:
        return check_size(int(number) if whole else number, "more_groups")
    except (TypeError, ValueError):
        raise ValueError(
            f"more_groups must be whole numbers, 1 or more: got {show(repr(number))}; say how many "
            "groups you could add, such as [5, 10, 20]"
        ) from None


def _check_groups(result: Answers) -> None:
    if not result.applied.law.needs_groups:
        raise ValueError(
            f"a plan is for groups, and law {result.applied.law.name!r} knows none; compare with "
            "groups=, the replication of each point"
        )


def _check_undecided(result: Answers, others: list[str]) -> None:
    """Refuse where every model but one is rejected, and say by whom."""
    if others:
        return
    decided = [
        f"{show(name)} is rejected by {show(rejection.by)} "
        f"({probability_text(rejection.probability)})"
        for name, rejection in result.rejections.items()
    ]
    n_others = len(decided) - LISTED_REJECTIONS
    rest = [f"so are {n_others} others"] if n_others > 0 else []
    raise ValueError(
        f"nothing to plan, all is decided: {', '.join([*decided[:LISTED_REJECTIONS], *rest])}; to "
        "plan for more, compare with a larger threshold=, with a margin=, or with new_groups=1, "
        "which asks about the next group"
    )


# ---------------------------------------------------------------- words


def _by_more(margin: float) -> str:
    return f" by more than {margin:g}" if margin else ""


def _odds(number: float) -> str:
    return "never" if isinf(number) else f"{number:.0f} more"


def _two_digits(chance: float) -> str:
    """Chances have a Monte Carlo error of a hundredth."""
    if chance < 0.005:
        return "< .01"
    return "> .99" if chance > 0.995 else f"{chance:.2f}"


def _finite(number: float) -> float | None:
    return None if isinf(number) else float(number)


def _read_only(array: FloatArray) -> FloatArray:
    array.flags.writeable = False
    return array
