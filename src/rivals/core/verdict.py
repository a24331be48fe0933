"""From draws of the risks to probabilities and rejections, fast for many models.

`decide` is the rule of `rivals.method.rule` on draws: it looks only at pairs that may matter, and
asks for more draws where the Monte Carlo error leaves a pair open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations
from math import sqrt

import numpy as np
import numpy.typing as npt

from rivals._types import BoolArray, FloatArray, IntArray
from rivals.method.rule import Duel

# Common points at which the distribution functions of all models are compared, to find the pairs
# that need no duel.
COARSE = 512
# Quantiles of each model from which the common points are chosen.
QUANTILES = 33
# Pairs in a block.
BLOCK = 2**20
# Bins in which the pairs of many models are counted.
BINS = 2**13
# What sums of products may be off by.
ROUNDING = 1e-9


def probability_below(a: FloatArray, b: FloatArray) -> tuple[float, float]:
    """P(a < b) for independent draws, ties counted half, and its standard error.

    Both must be sorted. The error is that of a two-sample U statistic: the variances of the
    placements of each sample in the other, over the sizes. Where no draw overlaps it is not zero
    but at the resolution of the samples.

    Examples
    --------
    >>> probability_below(np.array([1.0, 2.0]), np.array([2.0, 3.0]))[0]
    0.875
    """
    # Twice the number of a below each b, and of b below each a: whole numbers, which keeps a
    # probability exact.
    below, above = _twice_below(a, b)
    variance = np.var(below / (2 * a.size)) / b.size + np.var(above / (2 * b.size)) / a.size
    probability = int(below.sum()) / (2 * a.size * b.size)
    return probability, max(sqrt(variance), 0.5 / min(a.size, b.size))


def _twice_below(a: FloatArray, b: FloatArray) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Twice the number of the sorted a below each of the sorted b, and of b below each a.

    Those equal to it count once.
    """
    left = np.searchsorted(a, b, "left")
    if (a[np.minimum(left, a.size - 1)] != b).all():  # no ties: the second search can be spared
        return 2 * left, 2 * _counts(left, a.size)
    right = np.searchsorted(a, b, "right")
    return left + right, _counts(left, a.size) + _counts(right, a.size)


def _counts(places: npt.NDArray[np.intp], size: int) -> npt.NDArray[np.intp]:
    """How many of the places are at most 0, 1, …, size − 1.

    What a search the other way round would find, faster.
    """
    return np.cumsum(np.bincount(places, minlength=size)[:size])


def probability_matrix(draws: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """[a, b] = P(R_a < R_b) of every pair, ½ on the diagonal, and the standard errors."""
    n = len(draws)
    probability = np.full((n, n), 0.5)
    error = np.zeros((n, n))
    for a, b in combinations(range(n), 2):
        probability[a, b], error[a, b] = probability_below(draws[a], draws[b])
        probability[b, a] = 1.0 - probability[a, b]
        error[b, a] = error[a, b]
    return probability, error


def probability_row(draws: list[FloatArray], row: int) -> FloatArray:
    """One row of `probability_matrix`."""
    probability = np.full(len(draws), 0.5)
    for other in range(row):
        probability[other] = 1.0 - probability_below(draws[other], draws[row])[0]
    for other in range(row + 1, len(draws)):
        probability[other] = probability_below(draws[row], draws[other])[0]
    return probability


def exceedance_matrix(draws: Sequence[FloatArray], margin: float) -> tuple[FloatArray, FloatArray]:
    """[a, b] = P(R_a < R_b − margin) of every pair, 0 on the diagonal, and the standard errors."""
    n = len(draws)
    probability = np.zeros((n, n))
    error = np.zeros((n, n))
    for a, b in permutations(range(n), 2):
        probability[a, b], error[a, b] = probability_below(draws[a] + margin, draws[b])
    return probability, error


def binned_probabilities(
    draws: Sequence[FloatArray], bins: int = BINS
) -> tuple[FloatArray, FloatArray]:
    """[a, b] = P(R_a < R_b) of every pair and its standard error: quick for many models.

    They come from counts in common bins. Draws that fall into the same bin count half. What this
    may add, if the order within each bin were a coin's, is part of the error.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> samples = [rng.normal(place, 1.0, 4000) for place in (0.0, 0.0, 1.0)]
    >>> binned_probabilities(samples)[0].round(1).tolist()
    [[0.5, 0.5, 0.8], [0.5, 0.5, 0.8], [0.2, 0.2, 0.5]]
    """
    sizes = np.array([sample.size for sample in draws], dtype=np.float64)
    mass, middle = _in_bins(draws, bins)
    probability = _by_products(mass, middle)
    placements = middle**2 @ mass.T - probability**2  # variance of the part of a below a draw of b
    within_bins = 0.25 * mass**2 @ (mass**2).T
    variance = placements / sizes[None, :] + placements.T / sizes[:, None] + within_bins
    resolution = 0.5 / np.minimum(sizes[:, None], sizes[None, :])
    error = np.maximum(np.sqrt(np.maximum(variance, 0.0)), resolution)
    return probability, error - np.diag(np.diagonal(error))


def binned_probability(draws: Sequence[FloatArray], bins: int = BINS) -> FloatArray:
    """The same without the errors."""
    return _by_products(*_in_bins(draws, bins))


def _in_bins(draws: Sequence[FloatArray], bins: int) -> tuple[FloatArray, FloatArray]:
    """The part of each sample in each common bin, and that below the middle of it."""
    # Every sample sets equally many edges, so that none of them falls into a few bins.
    each = max(bins // len(draws), 64)
    ordered = [np.sort(sample) for sample in draws]
    own_edges = [
        sample[np.linspace(0, sample.size - 1, each).astype(np.intp)] for sample in ordered
    ]
    edges = np.unique(np.concatenate(own_edges))
    below = np.ones((len(draws), edges.size + 1))
    for row, sample in zip(below, ordered, strict=True):
        row[:-1] = np.searchsorted(sample, edges) / sample.size
    return np.diff(below, axis=1), 0.5 * (below[:, 1:] + below[:, :-1])


def _by_products(mass: FloatArray, middle: FloatArray) -> FloatArray:
    upper = np.triu(middle @ mass.T, k=1)
    return np.asarray(upper + np.tril(1.0 - upper.T, k=-1) + 0.5 * np.eye(len(mass)))


def decide(
    risk: FloatArray,
    draws: list[FloatArray],
    threshold: float,
    more: Callable[[int], bool],
    margin: float = 0.0,
) -> tuple[dict[int, Duel], list[Duel]]:
    """Reject each model that some rival of lower empirical risk beats, as `rule.reject` would.

    Rivals are tried in the order of their empirical risk, and the first that is clearly better is
    enough. Where only unclear ones are left (the threshold within two standard errors),
    `more(model)` is asked for more draws, which it adds to `draws`, until it declines.

    Parameters
    ----------
    risk : array
        Empirical risk of each model.
    draws : list of array
        Sorted draws of the risk of each model; replaced in place by `more`.
    threshold : float
    more : callable
        `more(model)` extends the draws of one model; False if it may not.
    margin : float
        A rival must be better by more than this.

    Returns
    -------
    rejections : dict
        The duel that rejects a model, by model.
    undecided : list of Duel
        Duels in which the threshold is still within two standard errors, and no clear rival
        decides.
    """
    if threshold >= 1.0:  # no probability exceeds 1
        return {}, []
    while True:
        sizes = [sample.size for sample in draws]
        serious = _serious_rivals(risk, draws, threshold, margin)
        rejections, undecided = _decide_once(serious, draws, threshold, more, margin)
        # Draws that were added for one model may bear on what was decided before about another.
        if sizes == [sample.size for sample in draws]:
            return rejections, undecided


def _decide_once(
    serious: dict[int, list[int]],
    draws: list[FloatArray],
    threshold: float,
    more: Callable[[int], bool],
    margin: float,
) -> tuple[dict[int, Duel], list[Duel]]:
    rejections: dict[int, Duel] = {}
    undecided: list[Duel] = []
    for model, rivals in serious.items():
        rejection, unclear = _face(model, rivals, draws, threshold, margin)
        while unclear and rejection is None:
            # Every sample that decides must grow, so all of them are asked.
            grown = [more(place) for place in (model, *_rivals_of(unclear))]
            if not any(grown):
                break
            rejection, unclear = _face(model, _rivals_of(unclear), draws, threshold, margin)
        if rejection is None and unclear:
            undecided.extend(unclear)
            rejection = next((duel for duel in unclear if duel.probability > threshold), None)
        if rejection is not None:
            rejections[model] = rejection
    return rejections, undecided


def _rivals_of(duels: list[Duel]) -> list[int]:
    return [duel.rival for duel in duels]


def _face(
    model: int, rivals: list[int], draws: list[FloatArray], threshold: float, margin: float
) -> tuple[Duel | None, list[Duel]]:
    """The first clear rejection, or else the duels that are unclear."""
    unclear = []
    for rival in rivals:
        shifted = draws[rival] + margin if margin else draws[rival]
        duel = Duel(model, rival, *probability_below(shifted, draws[model]))
        if abs(duel.probability - threshold) <= 2.0 * duel.standard_error:
            unclear.append(duel)
        elif duel.probability > threshold:
            return duel, []
    return None, unclear


def _serious_rivals(
    risk: FloatArray, draws: list[FloatArray], threshold: float, margin: float
) -> dict[int, list[int]]:
    """For each model, best first.

    Those of lower empirical risk, best first, that may reject it.
    """
    order = np.argsort(risk, kind="stable")
    sizes = np.array([sample.size for sample in draws])
    found = {}
    for models, low, high in _bounds(draws, order, margin):
        hopeless = _out_of_reach(
            low, high, sizes[models][:, None], sizes[order][None, :], threshold
        )
        serious = (risk[order][None, :] < risk[models][:, None]) & ~hopeless
        for model, row in zip(models.tolist(), serious, strict=True):
            found[model] = order[row].tolist()
    return found


def _bounds(
    draws: list[FloatArray], order: IntArray, margin: float
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """Of some models after the other in this order, bounds on P(rival better), [model, rival].

    They come from the distribution functions of all models at common points, as two matrix
    products. The law of a model gives each interval between points a mass; a rival is below a draw
    in it with a probability between the values of its distribution function at both ends.
    """
    points = _common_points(draws)
    below = _distribution_functions(draws, order, points)
    of_rivals = _distribution_functions(draws, order, points - margin) if margin else below
    step = max(BLOCK // len(draws), 1)
    for begin in range(0, len(draws), step):
        mass = np.diff(below[begin : begin + step], axis=1)
        low = mass @ of_rivals[:, :-1].T
        high = mass @ of_rivals[:, 1:].T
        yield order[begin : begin + step], low, high


def _distribution_functions(
    draws: list[FloatArray], order: IntArray, points: FloatArray
) -> FloatArray:
    """Fraction of the draws of each model below −∞, each point, and +∞."""
    below = np.zeros((len(draws), points.size + 2))
    below[:, -1] = 1.0
    for row, place in enumerate(order.tolist()):
        below[row, 1:-1] = np.searchsorted(draws[place], points) / draws[place].size
    return below


def _out_of_reach(
    low: npt.ArrayLike, high: npt.ArrayLike, n: npt.ArrayLike, m: npt.ArrayLike, threshold: float
) -> BoolArray:
    """Whether a probability within bounds is below the threshold by two standard errors and more.

    It comes from n and m draws.
    """
    # Placements lie in [0, 1], so their variance is at most p (1 − p).
    nearest = np.clip(0.5, low, np.maximum(low, high))
    largest = np.maximum(nearest * (1.0 - nearest), 0.0)
    error = np.sqrt(largest * (1.0 / np.asarray(n) + 1.0 / np.asarray(m)))
    resolution = 0.5 / np.minimum(n, m)
    # A little more than two, and a little room, for rounding.
    return np.asarray(high + 2.001 * np.maximum(error, resolution) + ROUNDING < threshold)


def _common_points(draws: list[FloatArray]) -> FloatArray:
    """Points where the distribution functions of all models are kept: their quantiles, thinned."""
    ranks = np.linspace(0.0, 1.0, QUANTILES)
    pool = np.unique([sample[(ranks * (sample.size - 1)).astype(np.intp)] for sample in draws])
    return pool[np.linspace(0, pool.size - 1, min(COARSE, pool.size)).astype(np.intp)]
