"""The continuous ranked probability score of a standardised value, in closed form.

CRPS(F, y) = E|Y − y| − E|Y − Y′| / 2; of location and scale it is scale · CRPS((y − location) /
scale). The forms are those of Jordan, Krüger and Lerch (2019).
"""

from __future__ import annotations

import numpy as np
from scipy.special import beta, gammaln, ndtr, stdtr

from rivals._core.types import FloatArray


def normal(z: FloatArray) -> FloatArray:
    """Under the normal of mean 0 and deviation 1.

    Examples
    --------
    >>> normal(np.array([0.0, 3.0])).round(4).tolist()
    [0.2337, 2.4366]
    """
    density = np.exp(-(z**2) / 2.0) / np.sqrt(2.0 * np.pi)
    return np.asarray(z * (2.0 * ndtr(z) - 1.0) + 2.0 * density - 1.0 / np.sqrt(np.pi))


def laplace(z: FloatArray) -> FloatArray:
    """Under the Laplace distribution of median 0 and scale 1.

    Examples
    --------
    >>> laplace(np.array([0.0, 3.0])).round(4).tolist()
    [0.25, 2.2998]
    """
    return np.asarray(np.abs(z) + np.exp(-np.abs(z)) - 0.75)


def student(z: FloatArray, freedom: FloatArray | float) -> FloatArray:
    """Under Student's t; infinite for one degree of freedom or fewer, which have no mean.

    Examples
    --------
    >>> student(np.array([0.0, 3.0]), 5.0).round(4).tolist()
    [0.2569, 2.3629]
    """
    n = np.asarray(freedom, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        height = np.exp(gammaln((n + 1.0) / 2.0) - gammaln(n / 2.0)) / np.sqrt(n * np.pi)
        density = height * (1.0 + z**2 / n) ** (-(n + 1.0) / 2.0)
        spread = np.sqrt(n) * beta(0.5, n - 0.5) / beta(n / 2.0, 0.5) ** 2
        near = 2.0 * (density * (n + z**2) - spread) / (n - 1.0)
    return np.where(n > 1.0, z * (2.0 * stdtr(n, z) - 1.0) + near, np.inf)
