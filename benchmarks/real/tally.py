"""From judgements and what became of them to rates: the arithmetic of the benchmark.

A winner is *named* where P exceeds the threshold. Its *failure rate* is how often it then has the
higher mean loss, by each of the three questions. All data sets weigh the same: a rate is what is
counted, averaged over data sets, over what it is counted of, averaged likewise; ± is the jackknife
over data sets. A probability that knows the noise of fresh groups is scored with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from truth import QUESTIONS

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Line = dict[str, Any]

BANDS = ((0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 0.99), (0.99, 1.0))
EQUAL = (10, 20, 40)  # % named, at which methods are compared
# Of scores: no method is punished more for what it calls impossible.
LEAST = 1e-3


@dataclass(frozen=True)
class Judged:
    """What one method says: a row for each pair of models, the favoured one first."""

    data: npt.NDArray[np.str_]
    groups: npt.NDArray[np.intp]
    p: FloatArray  # that the favoured one is better, at least ½ (less with a tie)
    doubt: FloatArray  # 1 − p, to more digits: what orders very sure judgements
    noisy: FloatArray  # p with the noise of fresh groups, where the method knows it
    won: FloatArray  # rows × questions

    def only(self, rows: BoolArray) -> Judged:
        return Judged(*(getattr(self, one.name)[rows] for one in fields(self)))

    @property
    def weight(self) -> FloatArray:
        """Of each row, such that all data sets weigh the same at each number of groups."""
        cells = np.char.add(np.char.add(self.data, "|"), self.groups.astype(str))
        _, place, counts = np.unique(cells, return_inverse=True, return_counts=True)
        return np.asarray(1.0 / counts[place])


def judged(lines: Iterable[Line], method: str) -> Judged:
    """All judgements of one method."""
    parts: list[tuple[Any, ...]] = []
    for line in lines:
        if method not in line["P"]:
            continue
        forward, back = np.split(numbers(line["P"][method]), 2)
        noisy = np.split(numbers(line["noisy"].get(method, line["P"][method])), 2)
        won = np.array([line["truth"][question] for question in QUESTIONS]).T
        first = forward >= back
        size = forward.size
        parts.append(
            (
                np.repeat(line["data"], size),
                np.repeat(line["groups"], size),
                np.where(first, forward, back),
                np.where(first, back, forward),
                np.where(first, noisy[0], noisy[1]),
                np.where(first[:, None], won, 1.0 - won),
            )
        )
    return Judged(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def numbers(values: list[float | None]) -> FloatArray:
    """No answer names nobody."""
    return np.array([0.5 if x is None else x for x in values])


# ---------------------------------------------------------------- rates


@dataclass(frozen=True)
class Rate:
    """A part of something, its jackknife error, and of how many data sets and pairs."""

    value: float
    error: float | None  # none of a single data set
    data_sets: int
    pairs: int

    def percent(self) -> dict[str, Any]:
        return self.plain(100.0, 2)

    def plain(self, unit: float = 1.0, digits: int = 4) -> dict[str, Any]:
        error = None if self.error is None else round(unit * self.error, digits)
        return {
            "value": round(unit * self.value, digits),
            "error": error,
            "data_sets": self.data_sets,
            "pairs": self.pairs,
        }


def rate(found: Judged, counted: FloatArray, of: BoolArray) -> Rate | None:
    """The mean of what is counted over some of the rows; none without any."""
    if not of.any():
        return None
    weight = found.weight * of
    names, place = np.unique(found.data, return_inverse=True)
    above = np.bincount(place, weight * counted, names.size)
    below = np.bincount(place, weight, names.size)
    kept = below.sum() - below
    n_data_sets = int(np.sum(below > 0.0))
    error = None
    if n_data_sets > 1:
        rest = (above.sum() - above) / kept
        error = float(np.sqrt((names.size - 1) * np.var(rest)))
    return Rate(float(above.sum() / below.sum()), error, n_data_sets, int(of.sum()))


def every(found: Judged) -> BoolArray:
    return np.ones(found.p.size, dtype=bool)


def named(found: Judged, threshold: float) -> Rate:
    """How often a winner is named."""
    one = rate(found, (found.p > threshold).astype(np.float64), every(found))
    assert one is not None
    return one


def failed(found: Judged, threshold: float, question: str) -> Rate | None:
    """How often a named winner fails."""
    lost = 1.0 - found.won[:, QUESTIONS.index(question)]
    return rate(found, lost, found.p > threshold)


def reliability(
    found: Judged, question: str, low: float, high: float, *, noisy: bool = False
) -> dict[str, Any] | None:
    """Of P in a band: how often the favoured one won, mean P, and the gap with its error.

    With `noisy` the band is of P with the noise of fresh groups, and the gap is from it.
    """
    p = found.noisy if noisy else found.p
    inside = (p > low) & (p <= high)
    won = found.won[:, QUESTIONS.index(question)]
    whole = rate(found, won, inside)
    gap = rate(found, won - found.noisy, inside)
    mean = rate(found, p, inside)
    if whole is None or gap is None or mean is None:
        return None
    return {
        "low": low,
        "high": high,
        "won": whole.percent(),
        "mean P": round(100.0 * mean.value, 2),
        "won less P with noise": gap.percent(),
    }


def scores(found: Judged, question: str) -> tuple[FloatArray, FloatArray]:
    """Log score and Brier score of each row; the fraction that won counts both ways."""
    won = found.won[:, QUESTIONS.index(question)]
    p = np.clip(found.noisy, LEAST, 1.0 - LEAST)
    log = won * np.log(p) + (1.0 - won) * np.log1p(-p)
    return log, won * (1.0 - p) ** 2 + (1.0 - won) * p**2


def at_equal(found: Judged, part: float, question: str) -> Rate | None:
    """Failures when the most confident judgements name a winner, as many as this part in %.

    None where more than half of what would be named is as confident as what would not.
    """
    weight = found.weight / found.weight.sum()
    order = np.argsort(found.doubt, kind="stable")
    reached = np.cumsum(weight[order])
    limit = found.doubt[order[min(np.searchsorted(reached, part / 100), order.size - 1)]]
    above = found.doubt < limit
    if limit >= 0.5 or part / 100 - weight[above].sum() > 0.5 * part / 100:
        return None
    return rate(found, 1.0 - found.won[:, QUESTIONS.index(question)], found.doubt <= limit)


# ---------------------------------------------------------------- the truly best of all


def best(lines: Iterable[Line], method: str, threshold: float) -> dict[str, Rate]:
    """How often the truly best of all candidates is rejected, and what part survives."""
    data: list[str] = []
    groups: list[int] = []
    rejected: list[float] = []
    survive: list[float] = []
    for line in lines:
        if method not in line["P"]:
            continue
        n_models = len(line["models"])
        p = np.full((n_models, n_models), 0.5)
        a, b = np.triu_indices(n_models, 1)
        p[a, b], p[b, a] = np.split(numbers(line["P"][method]), 2)
        gone = (p > threshold).any(axis=0)
        data.append(line["data"])
        groups.append(line["groups"])
        rejected.append(float(gone[line["best"]]))
        survive.append(float(1.0 - gone.mean()))
    nothing = np.zeros(len(data))
    rows = Judged(np.array(data), np.array(groups), nothing, nothing, nothing, nothing[:, None])
    found = {}
    for name, values in (("rejected", rejected), ("survive", survive)):
        one = rate(rows, np.array(values), every(rows))
        assert one is not None
        found[name] = one
    return found
