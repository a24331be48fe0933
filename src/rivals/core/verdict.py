"""From draws of the risks to probabilities and rejections: kernels of the comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._types import BoolArray, FloatArray, IntArray

Fight: TypeAlias = "Callable[[int, int], Duel | None]"

# Points at which distribution functions are kept to find the pairs that need no duel: common to all models, and for one
# model with large samples, where that leaves an error of 1/FINE at most.
COARSE, FINE = 512, 2048
# Quantiles of each model from which the common points are chosen.
QUANTILES = 33
# Pairs in a block.
BLOCK = 2**20
# Bins in which the pairs of many models are counted.
BINS = 2**13
# What sums of products may be off by.
ROUNDING = 1e-9


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
    # Twice the number of a below each b, and of b below each a: whole numbers, which keeps a probability exact.
    below, above = _twice_below(a, b)
    variance = np.var(below / (2 * a.size)) / b.size + np.var(above / (2 * b.size)) / a.size
    return int(below.sum()) / (2 * a.size * b.size), max(sqrt(variance), 0.5 / min(a.size, b.size))


def _twice_below(a: FloatArray, b: FloatArray) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Twice the number of the sorted a below each of the sorted b, those equal to it counted once; and of b below each a."""
    left = np.searchsorted(a, b, "left")
    if (a[np.minimum(left, a.size - 1)] != b).all():  # no ties: the second search can be spared
        return 2 * left, 2 * _counts(left, a.size)
    right = np.searchsorted(a, b, "right")
    return left + right, _counts(left, a.size) + _counts(right, a.size)


def _counts(places: npt.NDArray[np.intp], size: int) -> npt.NDArray[np.intp]:
    """How many of the places are at most 0, 1, …, size − 1: what a search the other way round would find, faster."""
    return np.cumsum(np.bincount(places, minlength=size)[:size])


def probability_matrix(draws: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """[a, b] = P(R_a < R_b) of every pair, ½ on the diagonal, and the standard errors."""
    n = len(draws)
    probability, error = np.full((n, n), 0.5), np.zeros((n, n))
    for a in range(n):
        for b in range(a + 1, n):
            probability[a, b], error[a, b] = probability_below(draws[a], draws[b])
            probability[b, a], error[b, a] = 1.0 - probability[a, b], error[a, b]
    return probability, error


def binned_probabilities(draws: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """[a, b] = P(R_a < R_b) of every pair and its standard error, from counts in common bins: quick for many models.

    Draws that fall into the same bin count half. What this may add, if the order within each bin were a coin's, is part of
    the error.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> probability, error = binned_probabilities([rng.normal(place, 1.0, 4000) for place in (0.0, 0.0, 1.0)])
    >>> probability.round(1).tolist()
    [[0.5, 0.5, 0.8], [0.5, 0.5, 0.8], [0.2, 0.2, 0.5]]
    """
    sizes = np.array([sample.size for sample in draws], dtype=np.float64)
    # Every sample sets equally many edges, so that none of them falls into a few bins.
    each = max(BINS // len(draws), 64)
    ordered = [np.sort(sample) for sample in draws]
    edges = np.unique(
        np.concatenate([sample[np.linspace(0, sample.size - 1, each).astype(np.intp)] for sample in ordered])
    )
    below = np.stack([np.searchsorted(sample, edges) for sample in ordered]) / sizes[:, None]
    below = np.hstack([below, np.ones((len(draws), 1))])
    mass, middle = np.diff(below, axis=1), 0.5 * (below[:, 1:] + below[:, :-1])
    upper = np.triu(middle @ mass.T, k=1)
    probability = upper + np.tril(1.0 - upper.T, k=-1) + 0.5 * np.eye(len(draws))
    placements = middle**2 @ mass.T - probability**2  # variance of the part of a below a draw of b
    variance = placements / sizes[None, :] + placements.T / sizes[:, None] + 0.25 * mass**2 @ (mass**2).T
    error = np.maximum(np.sqrt(np.maximum(variance, 0.0)), 0.5 / np.minimum(sizes[:, None], sizes[None, :]))
    return probability, error - np.diag(np.diagonal(error))


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


def rejected(risk: FloatArray, draws: list[FloatArray], threshold: float) -> BoolArray:
    """Whether each model is rejected, by these draws and no more: `reject` on `probability_matrix`, without making that.

    Examples
    --------
    >>> rejected(np.array([0.1, 0.2]), [np.arange(60.0), np.arange(60.0) + 50], 0.95)
    array([False,  True])
    """
    functions, order = _Compressed(draws), np.argsort(risk, kind="stable")
    found = np.zeros(risk.size, dtype=bool)
    for models, low, high in functions.bounds(order, order):
        better = risk[order][None, :] < risk[models][:, None]
        found[models] = (better & (low > threshold + ROUNDING)).any(axis=1)
        open_ = better & (high > threshold - ROUNDING) & ~found[models][:, None]
        for row in np.flatnonzero(open_.any(axis=1)):
            model = models[row]
            found[model] = any(
                probability_below(draws[rival], draws[model])[0] > threshold for rival in order[open_[row]]
            )
    return found


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
        Duels in which the threshold is still within two standard errors, and no clear rival decides.
    """
    if threshold >= 1.0:  # no probability exceeds 1
        return {}, []
    fight = _remembering(draws, threshold)
    field = _Field(risk, draws, threshold)
    while True:
        sizes = [sample.size for sample in draws]
        rejections, undecided = _decide_once(field.serious_rivals(), fight, threshold, more)
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
        # A list, not any(...): every sample that decides must grow.
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


def _remembering(draws: list[FloatArray], threshold: float) -> Fight:
    """Duels, each computed once for the same draws; None where the rival cannot reach the threshold."""
    known: dict[tuple[int, int], tuple[tuple[int, int], Duel | None]] = {}

    def fight(model: int, rival: int) -> Duel | None:
        sizes = draws[model].size, draws[rival].size
        if known.get((model, rival), (None,))[0] != sizes:
            known[model, rival] = sizes, _duel(model, rival, draws, threshold)
        return known[model, rival][1]

    return fight


def _duel(model: int, rival: int, draws: list[FloatArray], threshold: float) -> Duel | None:
    own, other = draws[model], draws[rival]
    if own.size > 4 * FINE and _out_of_reach(*_fine_bounds(own, other), own.size, other.size, threshold):
        return None
    return Duel(model, rival, *probability_below(other, own))


def _fine_bounds(own: FloatArray, other: FloatArray) -> tuple[float, float]:
    """Bounds on P(other < own) from every so many of the sorted draws of `own`."""
    step = own.size // FINE
    begins, weight = own[::step], np.full(-(-own.size // step), step / own.size)
    weight[-1] = 1.0 - weight[:-1].sum()
    ends = np.append(begins[1:], own[-1])
    low = weight @ np.searchsorted(other, begins, "left") / other.size
    return float(low), float(weight @ np.searchsorted(other, ends, "right") / other.size)


def _face(model: int, rivals: list[int], fight: Fight, threshold: float) -> tuple[Duel | None, list[Duel]]:
    """The first clear rejection, or else the duels that are unclear."""
    unclear = []
    for rival in rivals:
        duel = fight(model, rival)
        if duel is None:
            continue
        if abs(duel.probability - threshold) <= 2.0 * duel.standard_error:
            unclear.append(duel)
        elif duel.probability > threshold:
            return duel, []
    return None, unclear


class _Compressed:
    """Distribution functions of all models at common points, and what they say about all pairs at once.

    With F_B(e_k) of the rival at points e_k, and the fraction of the draws of the model between these points, sums of products
    bound P(R_B < R_A) from both sides, ties or not: two matrix products for all pairs.
    """

    def __init__(self, draws: list[FloatArray]) -> None:
        self._points = _common_points(draws)
        self._below = np.zeros((len(draws), self._points.size + 2))  # fraction of the draws below −∞, each point, +∞
        self._below[:, -1] = 1.0
        self.sizes = np.zeros(len(draws))
        for model, sample in enumerate(draws):
            self.replace(model, sample)

    def replace(self, model: int, sample: FloatArray) -> None:
        self._below[model, 1:-1] = np.searchsorted(sample, self._points) / sample.size
        self.sizes[model] = sample.size

    def bounds(self, models: IntArray, rivals: IntArray) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
        """Of some models after the other, [model, rival]: bounds on P(R_rival < R_model)."""
        functions = self._below[rivals]
        step = max(BLOCK // max(rivals.size, 1), 1)
        for begin in range(0, models.size, step):
            some = models[begin : begin + step]
            mass = np.diff(self._below[some], axis=1)
            yield some, mass @ functions[:, :-1].T, mass @ functions[:, 1:].T


class _Field:
    """Which rivals may reject which models.

    If even the upper bound on a probability lies below the threshold by more than two standard errors, no duel is
    needed. A thousand models that all survive then need far fewer than half a million duels.
    """

    def __init__(self, risk: FloatArray, draws: list[FloatArray], threshold: float) -> None:
        self._risk, self._draws, self._threshold = risk, draws, threshold
        self._order = np.argsort(risk, kind="stable")
        self._functions = _Compressed(draws)
        everyone = np.arange(risk.size)
        self._hopeless = np.zeros((risk.size, risk.size), dtype=bool)  # [model, rival]
        self._compare(everyone, everyone)

    def serious_rivals(self) -> dict[int, list[int]]:
        """For each model, best first: those of lower empirical risk, best first, that may reject it."""
        self._refresh()
        found = {}
        for model in self._order.tolist():
            better = self._order[: np.searchsorted(self._risk[self._order], self._risk[model])]
            found[model] = better[~self._hopeless[model, better]].tolist()
        return found

    def _refresh(self) -> None:
        """Look again at the models that have more draws than before."""
        changed = np.flatnonzero([sample.size for sample in self._draws] != self._functions.sizes)
        if changed.size:
            for model in changed.tolist():
                self._functions.replace(model, self._draws[model])
            everyone = np.arange(self._risk.size)
            self._compare(changed, everyone)
            self._compare(everyone, changed)

    def _compare(self, models: IntArray, rivals: IntArray) -> None:
        sizes = self._functions.sizes
        for some, low, high in self._functions.bounds(models, rivals):
            self._hopeless[np.ix_(some, rivals)] = _out_of_reach(
                low, high, sizes[some][:, None], sizes[rivals][None, :], self._threshold
            )


def _out_of_reach(
    low: npt.ArrayLike, high: npt.ArrayLike, n: npt.ArrayLike, m: npt.ArrayLike, threshold: float
) -> BoolArray:
    """Whether a probability within bounds, from n and m draws, is below the threshold by more than two standard errors."""
    # Placements lie in [0, 1], so their variance is at most p (1 − p).
    nearest = np.clip(0.5, low, np.maximum(low, high))
    error = np.sqrt(np.maximum(nearest * (1.0 - nearest), 0.0) * (1.0 / np.asarray(n) + 1.0 / np.asarray(m)))
    # A little more than two, and a little room, for rounding.
    return np.asarray(high + 2.001 * np.maximum(error, 0.5 / np.minimum(n, m)) + ROUNDING < threshold)


def _common_points(draws: list[FloatArray]) -> FloatArray:
    """Points where the distribution functions of all models are kept: quantiles of the models, thinned out."""
    ranks = np.linspace(0.0, 1.0, QUANTILES)
    pool = np.unique([sample[(ranks * (sample.size - 1)).astype(np.intp)] for sample in draws])
    return pool[np.linspace(0, pool.size - 1, min(COARSE, pool.size)).astype(np.intp)]
