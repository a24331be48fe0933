"""What would reverse a result: effects of an instrument, applied to the observed signal itself.

Two recordings of one process differ by the effects of both. So each effect of size s is applied
twice, which is once with √2 s, and the losses of all models are computed again; points are drawn
anew for both, which gives the mean difference D of two models the variance 2 s_d²/n. Then

    P(the other model is ahead) = mean over effects of Φ( −D / √(2 s_d²/n) ) .
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, ndtri

from rivals._core.types import FloatArray

# Effects that a size alone describes; coloured noise is forgotten within a part of the recording.
NAMED = ("gain", "offset", "drift", "coloured noise")
FORGOTTEN = 0.1
# Quantiles of a normal effect, and how many standard deviations it may reach.
QUANTILES = ndtri((np.arange(1024) + 0.5) / 1024)
REACH = 4.0
# So many standard errors are as good as infinitely many.
SURE = 40.0
# Sizes are asked down to a largest one halved so often.
OCTAVES = 9
# Places at which D is computed, within each octave; and halvings of a bracket of sizes.
PER_OCTAVE = 4
HALVINGS = 7


def moments(losses: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means of models × points, and the covariance of these means with points drawn anew twice."""
    centred = losses - losses.mean(axis=1, keepdims=True)
    return losses.mean(axis=1), 2.0 * (centred @ centred.T) / losses.shape[1] ** 2


def gaps(means: FloatArray, covariance: FloatArray, best: int) -> tuple[FloatArray, FloatArray]:
    """How far each model is behind one of them, and the standard error of that."""
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    variance = own + own[..., best, None] - 2.0 * covariance[..., best, :]
    return means - means[..., best, None], np.sqrt(np.maximum(variance, 0.0))


def chance_behind(gap: FloatArray, error: FloatArray) -> FloatArray:
    """Φ(−gap/error); of no error a step."""
    known = error > 0.0
    z = np.where(known, gap / np.where(known, error, 1.0), SURE * np.sign(gap))
    return np.asarray(ndtr(-z))


def places(largest: float) -> FloatArray:
    """Values of a normal effect at which losses are computed: dense about 0."""
    outward = largest * np.sqrt(2.0) * REACH * 2.0 ** -np.arange(0, OCTAVES + 2, 1 / PER_OCTAVE)
    return np.concatenate([-outward, [0.0], outward[::-1]])


def chances_of_shift(
    at: FloatArray, gap: FloatArray, error: FloatArray, sizes: FloatArray
) -> FloatArray:
    """P(behind) of each size of an effect that is one normal number; gap and error at `at`."""
    values = np.sqrt(2.0) * sizes[:, None] * QUANTILES
    found = chance_behind(np.interp(values, at, gap), np.interp(values, at, error))
    return np.asarray(found.mean(axis=1))


def first_size(sizes: FloatArray, chances: FloatArray, risk: float) -> float:
    """The smallest size at which the chance reaches the risk; 0 or infinity beyond the ends."""
    above = np.flatnonzero(chances >= risk)
    if not above.size:
        return np.inf
    k = int(above[0])
    if k == 0:
        return 0.0
    share = (risk - chances[k - 1]) / (chances[k] - chances[k - 1])
    return float(np.exp(np.log(sizes[k - 1]) + share * np.log(sizes[k] / sizes[k - 1])))


def bisected(chance: Callable[[float], FloatArray], largest: float, risk: float) -> FloatArray:
    """The size at which each of several rising chances reaches the risk, to a tenth or so."""
    least = largest * 2.0**-OCTAVES
    known = {size: chance(size) for size in (least, largest)}
    found = np.empty(known[least].size)
    for model in range(found.size):
        if known[least][model] >= risk or known[largest][model] < risk:
            found[model] = 0.0 if known[least][model] >= risk else np.inf
            continue
        low, high = least, largest
        for _ in range(HALVINGS):
            middle = float(np.sqrt(low * high))
            if middle not in known:
                known[middle] = chance(middle)
            low, high = (low, middle) if known[middle][model] >= risk else (middle, high)
        found[model] = np.sqrt(low * high)
    return found
