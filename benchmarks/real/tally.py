"""From judgements and what became of them to errors: the arithmetic of the benchmark.

A winner is *stated* where P exceeds the threshold of the method. Its *error* is how often it then
loses, by each of the three questions. All data sets weigh the same: error is what is lost, averaged
over data sets, over what is stated, averaged likewise; ± is the jackknife over data sets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from truth import QUESTIONS

FloatArray = npt.NDArray[np.float64]
EQUAL = (10, 20, 40)  # % stated, at which methods are compared
BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
CURVE_POINTS = 40


@dataclass(frozen=True)
class Judged:
    """All judgements of one method with so many groups: a row for each pair of models."""

    data: npt.NDArray[np.str_]
    firm: FloatArray  # the larger of P[a, b] and P[b, a], at least ½
    doubt: FloatArray  # 1 − firm, to more digits: what orders very sure judgements
    lost: FloatArray  # [row, question]: how often the one that it favours loses
    stated: npt.NDArray[np.bool_]

    @property
    def weight(self) -> FloatArray:
        """Of each row, such that all data sets weigh the same and all rows together 1."""
        names, place, counts = np.unique(self.data, return_inverse=True, return_counts=True)
        return np.asarray(1.0 / (names.size * counts[place]))


def judged(lines: list[tuple[dict[str, Any], dict[str, Any]]], threshold: float) -> Judged:
    """From pairs of a judgement and its problem."""
    data: list[str] = []
    firm = []
    doubt = []
    lost = []
    for said, problem in lines:
        p = numbers(said["P"])
        q = numbers(said["Q"]) if "Q" in said else 1.0 - p
        won = np.array([problem["truth"][question] for question in QUESTIONS])
        data += [problem["data"]] * p.size
        firm.append(np.maximum(p, q))
        whole = np.abs(p + q - 1.0) < 1e-3  # not so with a region of equivalence
        doubt.append(np.where(whole, np.minimum(p, q), 1.0 - np.maximum(p, q)))
        lost.append(np.where(p >= q, 1.0 - won, won).T)
    together = np.concatenate(firm)
    return Judged(
        np.array(data),
        together,
        np.concatenate(doubt),
        np.concatenate(lost),
        together > threshold,
    )


def numbers(values: list[float | None]) -> FloatArray:
    """No answer states nothing."""
    return np.array([0.5 if x is None else x for x in values])


# ---------------------------------------------------------------- scores


def score(found: Judged) -> dict[str, Any]:
    """Errors by each question, stated, and the same at equal stated, in %."""
    names = np.unique(found.data)
    stated = by_data(found, found.stated.astype(float), names)
    result: dict[str, Any] = {
        "stated": 100 * float(stated.mean()),
        "stated_se": 100 * error_of_mean(stated),
        "data_sets": int(names.size),
        "judgements": int(found.data.size),
        "error": {},
    }
    for place, question in enumerate(QUESTIONS):
        lost = by_data(found, found.stated * found.lost[:, place], names)
        result["error"][question] = ratio(lost, stated)
    result["equal"] = {str(part): at_equal(found, part, names) for part in EQUAL}
    return result


def by_data(found: Judged, values: FloatArray, names: npt.NDArray[np.str_]) -> FloatArray:
    """The mean of each data set."""
    return np.array([values[found.data == name].mean() for name in names])


def ratio(lost: FloatArray, stated: FloatArray) -> list[float] | None:
    """Error in % and its jackknife error over data sets; none where nothing is stated."""
    if stated.sum() == 0.0:
        return None
    rest = (lost.sum() - lost) / np.maximum(stated.sum() - stated, 1e-12)
    spread = np.sqrt((lost.size - 1) * np.var(rest))
    return [100 * float(lost.sum() / stated.sum()), 100 * float(spread)]


def at_equal(found: Judged, part: float, names: npt.NDArray[np.str_]) -> dict[str, Any] | None:
    """Errors when the firmest judgements are stated, as many as this part of all in %.

    Equally firm ones are stated in part. None where the method has no order of so many: where
    more than half of what would be stated is equally firm as what would not.
    """
    order = np.argsort(found.doubt, kind="stable")
    reached = np.cumsum(found.weight[order])
    limit = found.doubt[order[min(np.searchsorted(reached, part / 100), order.size - 1)]]
    above = found.doubt < limit
    equal = found.doubt == limit
    missing = part / 100 - found.weight[above].sum()
    if limit >= 0.5 or missing > 0.5 * part / 100:
        return None
    share = above + equal * missing / found.weight[equal].sum()
    stated = by_data(found, share, names)
    errors = {}
    for place, question in enumerate(QUESTIONS):
        errors[question] = ratio(by_data(found, share * found.lost[:, place], names), stated)
    return errors


def reliability(found: Judged, question: str) -> list[list[float]]:
    """Mean P, how often the favoured one wins, and the part of judgements, of each bin of P."""
    won = 1.0 - found.lost[:, QUESTIONS.index(question)]
    weight = found.weight
    rows = []
    for low, high in pairwise(BINS):
        inside = (found.firm > low) & (found.firm <= high)
        whole = weight[inside].sum()
        if whole > 0.0:
            means = [float(weight[inside] @ x[inside] / whole) for x in (found.firm, won)]
            rows.append([*means, float(whole)])
    return rows


def curve(found: Judged, question: str) -> list[list[float]]:
    """[stated %, error %] at thresholds from high to low."""
    lost = found.lost[:, QUESTIONS.index(question)]
    weight = found.weight
    levels = np.quantile(found.doubt, np.linspace(0.0, 1.0, CURVE_POINTS), method="nearest")
    rows = []
    for limit in np.unique(levels):
        kept = found.doubt <= limit
        whole = weight[kept].sum()
        rows.append([100 * float(whole), 100 * float(weight[kept] @ lost[kept] / whole)])
    return rows


def own_errors(found: Judged, question: str) -> dict[str, list[float]]:
    """Data set → stated % and lost % of its judgements."""
    lost = found.stated * found.lost[:, QUESTIONS.index(question)]
    rows = {}
    for name in np.unique(found.data):
        inside = found.data == name
        rows[str(name)] = [
            100 * float(found.stated[inside].mean()),
            100 * float(lost[inside].mean()),
        ]
    return rows


def gap(first: Judged, second: Judged, question: str) -> list[float]:
    """Error of the second method less that of the first, in points; jackknife over data sets."""
    names = np.intersect1d(first.data, second.data)
    place = QUESTIONS.index(question)
    sums = []
    for found in (first, second):
        stated = by_data(found, found.stated.astype(float), names)
        sums.append((by_data(found, found.stated * found.lost[:, place], names), stated))

    def without(one: int | None) -> float:
        kept = np.arange(names.size) != one
        errors = [lost[kept].sum() / max(stated[kept].sum(), 1e-12) for lost, stated in sums]
        return 100 * float(errors[1] - errors[0])

    rest = [without(one) for one in range(names.size)]
    return [without(None), float(np.sqrt((names.size - 1) * np.var(rest)))]


# ---------------------------------------------------------------- the truly best of all


def best(
    lines: list[tuple[dict[str, Any], dict[str, Any]]], threshold: float
) -> dict[str, list[float]]:
    """How often the truly best of all candidates is rejected, and what part survives, in %."""
    rejected: dict[str, list[float]] = {}
    survivors: dict[str, list[float]] = {}
    for said, problem in lines:
        beaten = matrix(said, len(problem["models"])) > threshold
        gone = beaten.any(axis=0)
        rejected.setdefault(problem["data"], []).append(float(gone[problem["best"]]))
        survivors.setdefault(problem["data"], []).append(float(1.0 - gone.mean()))
    return {"rejected": spread(rejected), "survive": spread(survivors)}


def matrix(said: dict[str, Any], n_models: int) -> FloatArray:
    """[a, b]: P(a better than b)."""
    found = np.full((n_models, n_models), 0.5)
    a, b = np.triu_indices(n_models, 1)
    found[a, b] = numbers(said["P"])
    found[b, a] = numbers(said["Q"]) if "Q" in said else 1.0 - found[a, b]
    return found


def spread(values: dict[str, list[float]]) -> list[float]:
    """Mean over data sets in %, and its standard error."""
    each = np.array([np.mean(one) for one in values.values()])
    return [100 * float(each.mean()), 100 * error_of_mean(each)]


def error_of_mean(values: FloatArray) -> float:
    """Over data sets; 0 of a single one."""
    return float(values.std(ddof=min(1, values.size - 1)) / np.sqrt(values.size))


def with_digits(value: Any, digits: int = 3) -> Any:
    """The same with rounded numbers, for files."""
    round_one: Callable[[Any], Any] = lambda x: with_digits(x, digits)  # noqa: E731
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, dict):
        return {name: round_one(x) for name, x in value.items()}
    return [round_one(x) for x in value] if isinstance(value, list) else value
