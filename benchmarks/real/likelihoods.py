"""The laws of a response given a linear predictor: log densities, their derivatives, and draws.

Each likelihood has `extras`, its parameters beside the linear predictor (all of them logarithms).
`loss` is the negative log density of each point. `slopes` are the derivatives of the loss by the
predictor and by each extra, for fitting.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import digamma, expit, gammaln

FloatArray = npt.NDArray[np.float64]
Slopes = tuple[FloatArray, list[FloatArray]]
HALF_LOG_2PI = 0.5 * np.log(2.0 * np.pi)
# Of a predictor on the log scale: what lies beyond is a blunder of extrapolation, and overflows.
MOST = 15.0


class Normal:
    extras: ClassVar[dict[str, tuple[float, float]]] = {"log scale": (-12.0, 12.0)}
    with_scale: ClassVar[bool] = True

    def loss(self, y: FloatArray, at: FloatArray, extra: FloatArray) -> FloatArray:
        return 0.5 * ((y - at) / np.exp(extra[0])) ** 2 + extra[0] + HALF_LOG_2PI

    def slopes(self, y: FloatArray, at: FloatArray, extra: FloatArray) -> Slopes:
        z = (y - at) / np.exp(extra[0])
        return -z / np.exp(extra[0]), [1.0 - z**2]

    def draw(self, at: FloatArray, extra: FloatArray, rng: np.random.Generator) -> FloatArray:
        return at + np.exp(extra[0]) * rng.standard_normal(at.size)


class Laplace(Normal):
    ROUNDED = (
        0.05  # |z| is rounded off at zero where it is fitted, so that it has a slope everywhere
    )

    def loss(self, y: FloatArray, at: FloatArray, extra: FloatArray) -> FloatArray:
        return np.abs(y - at) / np.exp(extra[0]) + extra[0] + np.log(2.0)

    def slopes(self, y: FloatArray, at: FloatArray, extra: FloatArray) -> Slopes:
        z = (y - at) / np.exp(extra[0])
        sign = z / np.hypot(z, self.ROUNDED)
        return -sign / np.exp(extra[0]), [1.0 - z * sign]

    def draw(self, at: FloatArray, extra: FloatArray, rng: np.random.Generator) -> FloatArray:
        return at + np.exp(extra[0]) * rng.laplace(size=at.size)


class Student(Normal):
    extras: ClassVar[dict[str, tuple[float, float]]] = {
        "log scale": (-12.0, 12.0),
        "log freedom": (0.5, 4.5),
    }

    def loss(self, y: FloatArray, at: FloatArray, extra: FloatArray) -> FloatArray:
        nu, z = np.exp(extra[1]), (y - at) / np.exp(extra[0])
        norm = gammaln(nu / 2) - gammaln((nu + 1) / 2) + 0.5 * np.log(nu * np.pi) + extra[0]
        return norm + 0.5 * (nu + 1) * np.log1p(z**2 / nu)

    def slopes(self, y: FloatArray, at: FloatArray, extra: FloatArray) -> Slopes:
        nu, z = np.exp(extra[1]), (y - at) / np.exp(extra[0])
        pull = (nu + 1) / (nu + z**2)
        by_nu = 0.5 * (
            digamma(nu / 2)
            - digamma((nu + 1) / 2)
            + 1 / nu
            + np.log1p(z**2 / nu)
            - pull * z**2 / nu
        )
        return -pull * z / np.exp(extra[0]), [1.0 - pull * z**2, nu * by_nu]

    def draw(self, at: FloatArray, extra: FloatArray, rng: np.random.Generator) -> FloatArray:
        return at + np.exp(extra[0]) * rng.standard_t(np.exp(extra[1]), at.size)


class Gamma:
    """The mean is the exponential of the predictor."""

    extras: ClassVar[dict[str, tuple[float, float]]] = {"log shape": (-6.0, 12.0)}
    with_scale: ClassVar[bool] = False

    def loss(self, y: FloatArray, at: FloatArray, extra: FloatArray) -> FloatArray:
        a, at = np.exp(extra[0]), limited(at)
        return gammaln(a) - a * extra[0] + a * at - (a - 1) * np.log(y) + a * y * np.exp(-at)

    def slopes(self, y: FloatArray, at: FloatArray, extra: FloatArray) -> Slopes:
        a, at = np.exp(extra[0]), limited(at)
        ratio = y * np.exp(-at)
        return a * (1.0 - ratio), [a * (digamma(a) - extra[0] - 1.0 + at - np.log(y) + ratio)]

    def draw(self, at: FloatArray, extra: FloatArray, rng: np.random.Generator) -> FloatArray:
        a = np.exp(extra[0])
        return np.maximum(rng.gamma(a, np.exp(limited(at)) / a), 1e-300)


class Poisson:
    extras: ClassVar[dict[str, tuple[float, float]]] = {}
    with_scale: ClassVar[bool] = False

    def loss(self, y: FloatArray, at: FloatArray, extra: FloatArray) -> FloatArray:
        at = limited(at)
        return np.exp(at) - y * at + gammaln(y + 1)

    def slopes(self, y: FloatArray, at: FloatArray, extra: FloatArray) -> Slopes:
        return np.exp(limited(at)) - y, []

    def draw(self, at: FloatArray, extra: FloatArray, rng: np.random.Generator) -> FloatArray:
        return rng.poisson(np.exp(limited(at))).astype(np.float64)


class NegativeBinomial:
    """The variance is mean + mean² / size."""

    extras: ClassVar[dict[str, tuple[float, float]]] = {"log size": (-6.0, 8.0)}
    with_scale: ClassVar[bool] = False

    def loss(self, y: FloatArray, at: FloatArray, extra: FloatArray) -> FloatArray:
        r, at = np.exp(extra[0]), limited(at)
        total = np.logaddexp(extra[0], at)
        return (
            gammaln(r) + gammaln(y + 1) - gammaln(y + r) + r * (total - extra[0]) + y * (total - at)
        )

    def slopes(self, y: FloatArray, at: FloatArray, extra: FloatArray) -> Slopes:
        r, mean = np.exp(extra[0]), np.exp(limited(at))
        by_r = digamma(r) - digamma(y + r) + np.log1p(mean / r) + (y - mean) / (r + mean)
        return r * (mean - y) / (r + mean), [r * by_r]

    def draw(self, at: FloatArray, extra: FloatArray, rng: np.random.Generator) -> FloatArray:
        r = np.exp(extra[0])
        return rng.poisson(np.exp(limited(at)) * rng.gamma(r, 1.0 / r, at.size)).astype(np.float64)


class Bernoulli:
    """The log odds of 1 are the predictor."""

    extras: ClassVar[dict[str, tuple[float, float]]] = {}
    with_scale: ClassVar[bool] = False

    def loss(self, y: FloatArray, at: FloatArray, extra: FloatArray) -> FloatArray:
        return np.logaddexp(0.0, at) - y * at

    def slopes(self, y: FloatArray, at: FloatArray, extra: FloatArray) -> Slopes:
        return expit(at) - y, []

    def draw(self, at: FloatArray, extra: FloatArray, rng: np.random.Generator) -> FloatArray:
        return (rng.random(at.size) < expit(at)).astype(np.float64)


def limited(at: FloatArray) -> Any:
    """A predictor on the log scale that cannot overflow."""
    return np.clip(at, -MOST, MOST)
