"""From draws of the risks to probabilities and rejections: kernels of the comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._types import FloatArray

Fight: TypeAlias = "Callable[[int, int], Duel]"


@dataclass(frozen=True)
class Duel:
    """One pair that decides about a model: P(R_rival < R_model) with its Monte Carlo standard error."""

    model: int
    rival: int
    probability: float
    standard_error: float


def probability_below(a: FloatArray, b: FloatArray) -> tuple[float, float]:
    """P(a < b) for independent draws, ties counted half, and its standard error. Both must be sorted.

    The error is that of a two-sample U statistic: the variances of the placements of each sample in the other, over
    the sizes. Where no draw overlaps it is not zero but at the resolution of the samples.

    Examples
    --------
    >>> probability_below(np.array([1.0, 2.0]), np.array([2.0, 3.0]))[0]
    0.875
    """
    # Twice the number of a below each b, and of b below each a: whole numbers, so that a probability is exact.
    below, above = _twice_below(a, b), _twice_below(b, a)
    variance = np.var(below / (2 * a.size)) / b.size + np.var(above / (2 * b.size)) / a.size
    return int(below.sum()) / (2 * a.size * b.size), max(sqrt(variance), 0.5 / min(a.size, b.size))


def _twice_below(sample: FloatArray, points: FloatArray) -> npt.NDArray[np.intp]:
    """Twice the number of the sorted sample below each of the sorted points, those equal to it counted once."""
    left = np.searchsorted(sample, points, "left")
    if (sample[np.minimum(left, sample.size - 1)] != points).all():  # no ties: the second search can be spared
        return 2 * left
    return left + np.searchsorted(sample, points, "right")


def probability_matrix(draws: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """[a, b] = P(R_a < R_b) of every pair, ½ on the diagonal, and the standard errors."""
    n = len(draws)
    probability, error = np.full((n, n), 0.5), np.zeros((n, n))
    for a in range(n):
        for b in range(a + 1, n):
            probability[a, b], error[a, b] = probability_below(draws[a], draws[b])
            probability[b, a], error[b, a] = 1.0 - probability[a, b], error[a, b]
    return probability, error


def reject(risk: FloatArray, probability: FloatArray, threshold: float) -> dict[int, Duel]:
    """The rejection rule on a matrix of probabilities: the duel that rejects a model, by model.

    A model is rejected when some rival of lower empirical risk beats it with a probability above the threshold; of
    several such rivals, the one of lowest empirical risk is named.

    Examples
    --------
    >>> probability = np.array([[0.5, 0.97, 0.8], [0.03, 0.5, 0.4], [0.2, 0.6, 0.5]])
    >>> [(duel.model, duel.rival) for duel in reject(np.array([0.1, 0.3, 0.2]), probability, 0.95).values()]
    [(1, 0)]
    """
    order = np.argsort(risk, kind="stable")
    beats = (probability > threshold) & (risk[:, None] < risk[None, :])  # [rival, model]
    first = order[np.argmax(beats[order], axis=0)]
    return {
        model: Duel(model, int(first[model]), float(probability[first[model], model]), 0.0)
        for model in order.tolist()
        if beats[first[model], model]
    }


def decide(
    risk: FloatArray,
    draws: list[FloatArray],
    threshold: float,
    more: Callable[[int], bool],
) -> tuple[dict[int, Duel], list[Duel]]:
    """Reject each model that some rival of lower empirical risk beats with probability above the threshold.

    Rivals are tried in the order of their empirical risk, and the first that is clearly better is enough. Where only
    unclear ones are left (the threshold within two standard errors), `more(model)` is asked for more draws, which it
    adds to `draws`, until it declines.

    Parameters
    ----------
    risk : array
        Empirical risk of each model.
    draws : list of array
        Sorted draws of the risk of each model; replaced in place by `more`.
    threshold : float
    more : callable
        `more(model)` extends the draws of one model; False if it may not.

    Returns
    -------
    rejections : dict
        The duel that rejects a model, by model.
    undecided : list of Duel
        Where the threshold is still within two standard errors, though no clear rival settles the matter.
    """
    if threshold >= 1.0:  # no probability exceeds 1
        return {}, []
    fight = _remembering(draws)
    while True:
        sizes = [sample.size for sample in draws]
        rejections, undecided = _decide_once(_serious_rivals(risk, draws, threshold), fight, threshold, more)
        # Draws that were added for one model may bear on what was decided before about another.
        if sizes == [sample.size for sample in draws]:
            return rejections, undecided


def _decide_once(
    serious: dict[int, list[int]], fight: Fight, threshold: float, more: Callable[[int], bool]
) -> tuple[dict[int, Duel], list[Duel]]:
    rejections: dict[int, Duel] = {}
    undecided: list[Duel] = []
    for model, rivals in serious.items():
        rejection, unclear = _face(model, rivals, fight, threshold)
        # A list, not any(...): every sample that decides is to grow.
        while unclear and rejection is None and sum([more(place) for place in (model, *_rivals_of(unclear))]):
            rejection, unclear = _face(model, _rivals_of(unclear), fight, threshold)
        if rejection is None and unclear:
            undecided.extend(unclear)
            rejection = next((duel for duel in unclear if duel.probability > threshold), None)
        if rejection is not None:
            rejections[model] = rejection
    return rejections, undecided


def _rivals_of(duels: list[Duel]) -> list[int]:
    return [duel.rival for duel in duels]


def _remembering(draws: list[FloatArray]) -> Fight:
    """Duels, each computed once for the same draws."""
    known: dict[tuple[int, int, int, int], Duel] = {}

    def fight(model: int, rival: int) -> Duel:
        key = (model, rival, draws[model].size, draws[rival].size)
        if key not in known:
            known[key] = Duel(model, rival, *probability_below(draws[rival], draws[model]))
        return known[key]

    return fight


def _face(model: int, rivals: list[int], fight: Fight, threshold: float) -> tuple[Duel | None, list[Duel]]:
    """The first clear rejection, or else the duels that are unclear."""
    unclear = []
    for rival in rivals:
        duel = fight(model, rival)
        if abs(duel.probability - threshold) <= 2.0 * duel.standard_error:
            unclear.append(duel)
        elif duel.probability > threshold:
            return duel, []
    return None, unclear


def _serious_rivals(risk: FloatArray, draws: list[FloatArray], threshold: float) -> dict[int, list[int]]:
    """For each model, best first: those of lower empirical risk, best first, without the ones that two quantiles rule out.

    R_B ≥ t and R_A < t exclude R_B < R_A, hence P(R_B < R_A) ≤ 1 − P(R_B ≥ t) P(R_A < t) for every t. With the median
    on one side and a quantile of order 2 (1 − ε) on the other the product is at least 1 − ε, so that B cannot reject
    A. Thus a thousand models that all survive need no half million duels. A margin keeps unclear pairs.
    """
    order = np.argsort(risk, kind="stable")
    rank = 2.0 * (1.0 - threshold + 1.0 / sqrt(min(sample.size for sample in draws)))
    middle = np.array([sample[sample.size // 2] for sample in draws])
    low = np.array([sample[min(ceil(rank * sample.size), sample.size - 1)] for sample in draws])
    high = np.array([sample[max(sample.size - 1 - ceil(rank * sample.size), 0)] for sample in draws])

    found = {}
    for model in order.tolist():
        better = order[risk[order] < risk[model]]
        excluded = (low[model] < middle[better]) | (middle[model] < high[better])
        found[model] = (better if rank >= 1.0 else better[~excluded]).tolist()
    return found
