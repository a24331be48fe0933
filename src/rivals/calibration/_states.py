"""Which c are shown to keep their promise, which break it, and which more experiments would settle.

Every c of a scenario is in one of four states. *Kept*: named winners were found to fail no more
often than promised, and are shown, with 95 % confidence, to fail no more than twice as often.
*Broken*: they are shown to fail more often. *Silent*: too few winners are named to show anything.
*Open*: the rest, with the number of experiments that would probably settle it.

More experiments turn open states into kept or broken ones. The c that is used is the smallest that
is kept: of all that keep the promise, the one that names most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, nan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from rivals._core.setting import one_of
from rivals._core.types import FloatArray
from rivals._result.renderers import Column, Table
from rivals._result.sentences import value_of_c
from rivals.calibration import _words as say
from rivals.calibration._promise import LEVEL, PROMISES, THRESHOLD, Promise, State

RULES = ("bound", "error")
# The worst first: of several scenarios the worst decides.
STATES = ("broken", "open", "silent", "kept")
# Windows of B, with as many experiments each, in which the paper's bound is judged.
WINDOWS = 4
# Beyond this part of undecided truths nothing is kept.
MOST_UNDECIDED = 0.2
# No more experiments than this are ever forecast; each guess is so much larger than the last.
MOST = 2**20
GROWTH = 1.25


class Windows(NamedTuple):
    """Experiments in groups: how many fail, how many there are, and which part may fail."""

    failed: FloatArray
    size: FloatArray
    allowed: FloatArray  # beside what is promised
    most: float  # a larger part that fails counts as this


def judge_experiments(
    experiments: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]],
    c: Sequence[float],
    *,
    rule: str = "bound",
    promise: str = "usual",
) -> States:
    """Judge experiments from anywhere.

    Parameters
    ----------
    experiments : mapping
        Scenario → (probabilities, experiments × c; truth: 1 where a is better, 0 where b is, ½ or
        nan where undecided).
    c : sequence of float
        The values of c, increasing.
    rule : {"bound", "error"}
        What is promised. "error": no more than 5 % of the named winners fail. "bound": B is no more
        confident than the truth, by more than 0.05, in any of four windows of B (the bound of the
        paper).
    promise : {"usual", "strict"}
        What has to be shown: no more than twice that, or no more than that.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(512) < 0.5
    >>> certain = np.where(truth, 0.99, 0.01)
    >>> guessed = np.where(rng.random(512) < 0.5, 0.99, 0.01)
    >>> found = judge_experiments({"Ω": (np.stack([guessed, certain], axis=1), truth)}, c=[0.1, 1])
    >>> [state.state for state in found.states[0]]
    ['broken', 'kept']
    """
    one_of(*RULES)("rule", rule)
    kept = PROMISES[one_of(*PROMISES)("promise", promise)]
    states = []
    for name, (stated, true) in experiments.items():
        probability, truth = checked(name, stated, true, len(c))
        states.append(judge(probability, truth, c, rule, kept))
    return States(tuple(experiments), tuple(c), tuple(states), rule, promise)


def judge(
    probability: FloatArray, truth: FloatArray, c: Sequence[float], rule: str, promise: Promise
) -> tuple[State, ...]:
    """The states of all c of one scenario.

    c are tried from the largest that is not silent downwards, each at full confidence, until one
    is not kept: a fixed sequence, so that the chance that any c is wrongly called kept is no more
    than 5 %.
    """
    known = ~np.isnan(truth)
    counted = int(known.sum())
    too_many_unknown = truth.size - counted > MOST_UNDECIDED * truth.size
    found: list[State] = []
    stopped: State | None = None
    for value, column in zip(reversed(c), probability.T[::-1], strict=True):
        named = np.maximum(column, 1.0 - column) > THRESHOLD
        agrees = (column > 0.5) == (truth > 0.5)
        right, wrong = int(np.sum(named & known & agrees)), int(np.sum(named & known & ~agrees))
        windows = _windows(column[known], truth[known], rule)
        excess, _, at_most = _excess(windows, LEVEL)
        at_least = _excess(windows, LEVEL / len(c))[1]
        fulfilled = excess <= promise.most and at_most <= promise.shown
        state, enough, because = "open", None, ""
        if at_least > promise.most:
            state = "broken"
        elif too_many_unknown:
            because = "undecided"
        elif right + wrong < promise.least_winners:
            state = "silent"
        elif stopped is not None:
            because = "a larger c"
        elif fulfilled:
            state = "kept"
        if state in ("open", "silent") and because != "undecided":
            factor = _factor(windows, right + wrong, promise)
            enough = None if factor is None else _rounded(truth.size * factor)
            if because:
                enough = _later(enough, stopped)
        found.append(
            State(
                float(value),
                state,
                truth.size,
                truth.size - counted,
                right,
                wrong,
                int(np.sum(named & ~known)),
                excess,
                at_least,
                at_most,
                enough,
                because,
            )
        )
        if state in ("open", "broken") and right + wrong >= promise.least_winners:
            stopped = stopped or found[-1]
    return tuple(reversed(found))


def _windows(probability: FloatArray, truth: FloatArray, rule: str) -> Windows:
    """One window of the named winners; or four windows of B, both halves of the curve folded."""
    claimed = np.maximum(probability, 1.0 - probability)
    failed = (probability > 0.5) != (truth > 0.5)
    if rule == "error":
        named = claimed > THRESHOLD
        n_failed, n_named = float(np.sum(failed & named)), float(named.sum())
        return Windows(np.array([n_failed]), np.array([n_named]), np.zeros(1), 1.0)
    order = np.argsort(claimed, kind="stable")
    parts = [part for part in np.array_split(order, WINDOWS) if part.size]
    return Windows(
        np.array([float(failed[part].sum()) for part in parts]),
        np.array([float(part.size) for part in parts]),
        np.array([1.0 - claimed[part].mean() for part in parts]),
        0.5,  # beyond, the truth is on the other side of ½
    )


def _excess(windows: Windows, level: float) -> tuple[float, float, float]:
    """The largest excess of failures over windows, with limits that hold for all at once."""
    failed, size, allowed, most = windows
    if not size.sum():
        return nan, 0.0, 1.0
    rates = (failed / size, *limits(failed, size, level / size.size))
    found, low, high = (float(np.max(np.minimum(rate, most) - allowed)) for rate in rates)
    return found, low, high


def limits(failed: FloatArray, size: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Exact limits of a binomial proportion, each wrong with probability `level`.

    Clopper and Pearson.

    Examples
    --------
    >>> low, high = limits(np.array([0.0]), np.array([57.0]), 0.05)
    >>> low, high.round(3)
    (array([0.]), array([0.051]))
    """
    low = betaincinv(np.maximum(failed, 1e-9), size - failed + 1.0, level)
    high = betaincinv(failed + 1.0, np.maximum(size - failed, 1e-9), 1.0 - level)
    return np.where(failed > 0, low, 0.0), np.where(failed < size, high, 1.0)


def _factor(windows: Windows, known: int, promise: Promise) -> float | None:
    """By what the experiments would have to grow, if the rates stay as they are."""
    failed, size, allowed, most = windows
    if not known:
        return None
    rate = (failed + 0.5) / (size + 1.0)  # none of few is not none
    factor = GROWTH
    while size.max() * factor < MOST:
        grown = Windows(rate * size * factor, size * factor, allowed, most)
        excess, low, high = _excess(grown, LEVEL)
        settled = (excess <= promise.most and high <= promise.shown) or low > promise.most
        if settled and known * factor >= promise.least_winners:
            return factor
        factor *= GROWTH
    return None


def _rounded(n: float) -> int:
    return ceil(n / 64) * 64


def _later(own: int | None, larger: State | None) -> int | None:
    """A c below one that is open waits for it; below one that is broken it is never kept."""
    if own is None or larger is None or larger.enough is None:
        return None
    return max(own, larger.enough)


@dataclass(frozen=True, eq=False)
class States:
    """The state of each c, for each scenario and for all.

    Attributes
    ----------
    scenarios : tuple of str
    c : tuple of float
        Increasing.
    states : tuple of tuple of State
        Of each scenario, at each c.
    rule : {"bound", "error"}
        What is promised: the paper's bound over the curve, or the failure rate of named winners.
    promise : {"usual", "strict"}
        What has to be shown.

    See Also
    --------
    rivals.Calibration.states : of a calibration.
    judge_experiments : of experiments from elsewhere.
    """

    scenarios: tuple[str, ...]
    c: tuple[float, ...]
    states: tuple[tuple[State, ...], ...]
    rule: str
    promise: str

    @cached_property
    def overall(self) -> tuple[State, ...]:
        """At each c the state of the scenario in which it is worst."""
        columns = zip(*self.states, strict=True)
        return tuple(min(each, key=lambda s: STATES.index(s.state)) for each in columns)

    def of(self, state: str) -> tuple[float, ...]:
        """The values of c in one state, over all scenarios."""
        one_of(*STATES)("state", state)
        return tuple(each.c for each in self.overall if each.state == state)

    @property
    def kept(self) -> tuple[float, ...]:
        """The values of c that are kept in all scenarios; empty if there is none."""
        return self.of("kept")

    def choose(self) -> float:
        """The smallest c that is kept."""
        if not self.kept:
            raise ValueError(self.nothing_kept())
        return self.kept[0]

    def nothing_kept(self) -> str:
        """Why no c is kept, where, and how many experiments would probably tell."""
        reasons = [
            (each.c, say.reason(self.rule, self.where(each), PROMISES[self.promise], each))
            for each in sorted(self.overall, key=lambda s: (STATES.index(s.state), -s.c))
        ]
        hopeful = [each.enough for each in self.overall if each.enough and each.promising]
        settled = [each.enough for each in self.overall if each.enough and each.state == "open"]
        return say.none_kept(
            reasons,
            self.rule,
            min(hopeful, default=None),
            min(settled, default=None),
            undecided=any(each.because == "undecided" for each in self.overall),
            silent=all(each.state == "silent" for each in self.overall),
        )

    def column(self, c: float) -> tuple[State, ...]:
        """What each scenario says at one c."""
        if c not in self.c:
            raise ValueError(f"c = {c!r} was not tried; {', '.join(f'{v:g}' for v in self.c)} were")
        return tuple(row[self.c.index(c)] for row in self.states)

    def where(self, state: State) -> str:
        """The scenario that a state is of; nothing where there is one scenario."""
        if len(self.scenarios) == 1:
            return ""
        rows = zip(self.scenarios, self.states, strict=True)
        return next(name for name, row in rows if any(each is state for each in row))

    @property
    def table(self) -> Table:
        """A row for each scenario and c."""
        rows = [
            (name, state)
            for name, row in zip(self.scenarios, self.states, strict=True)
            for state in row
        ]
        found = [state for _, state in rows]
        of_rule = [
            Column("failed", [each.excess for each in found], say.rate),
            Column("at most", [each.at_most for each in found], say.rate),
        ]
        if self.rule == "bound":
            of_rule = [
                Column("excess", [each.excess for each in found], say.difference),
                Column("at most", [each.at_most for each in found], say.difference),
            ]
        columns = [
            Column("scenario", [name for name, _ in rows], is_text=True),
            Column("c", [each.c for each in found], value_of_c),
            Column("named", [each.named for each in found], over="winners"),
            Column("right", [each.right for each in found], over="winners"),
            Column("wrong", [each.wrong for each in found], over="winners"),
            Column("undecided", [each.undecided for each in found], over="winners"),
            *of_rule,
            Column("this c", [say.state(each) for each in found], is_text=True),
        ]
        return Table(tuple(columns[len(self.scenarios) == 1 :]))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "rule": self.rule,
            "promise": self.promise,
            "scenarios": list(self.scenarios),
            "c": list(self.c),
            "states": [each.state for each in self.overall],
            "enough": [each.enough for each in self.overall],
            "kept": list(self.kept),
            "of_each_scenario": [[each.to_dict() for each in row] for row in self.states],
        }

    def __str__(self) -> str:
        return str(self.table)

    def _repr_html_(self) -> str:
        return self.table.html()


def checked(
    name: str, probability: npt.ArrayLike, truth: npt.ArrayLike, n_c: int
) -> tuple[FloatArray, FloatArray]:
    """Probabilities, experiments × c, and truths of 1, 0 or nan."""
    stated = np.asarray(probability, dtype=np.float64)
    true = np.array(truth, dtype=np.float64)
    true[true == 0.5] = np.nan
    if stated.ndim != 2 or stated.shape != (true.size, n_c) or not true.size:
        raise ValueError(
            f"{name!r}: probabilities must have a row for each of {true.size} experiments and a "
            f"column for each of {n_c} c; their shape is {stated.shape}"
        )
    if not ((stated >= 0.0) & (stated <= 1.0)).all():
        raise ValueError(f"{name!r}: probabilities must lie between 0 and 1")
    if not np.isin(true[~np.isnan(true)], (0.0, 1.0)).all():
        raise ValueError(f"{name!r}: the truth must be 1, 0, or nan where it is undecided")
    return stated, true
