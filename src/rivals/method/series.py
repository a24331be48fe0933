"""Groups in order of time: the budget of an autoregression of order one.

    cov(d_s, d_t) = σ² ρ^|s − t|,   ρ flat on 0, .05 … .95,
    seen = σ² c(G),   new = σ² c(m),   c(n) = (n + 2 Σ_{l<n} (n − l) ρ^l)/n²,

σ² at each ρ from the prewhitened differences, G − 1 degrees of freedom. P is the mean of Student's
t over ρ, each weighing by its likelihood; its normal score goes on to the prior of leads. d̄ stays
the plain mean.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from scipy.special import ndtri, stdtr

from rivals._core.types import FloatArray
from rivals.method.budget import FARTHEST, Budget

RHO = np.linspace(0.0, 0.95, 20)


@dataclass(frozen=True, eq=False)
class Series(Budget):
    """Of several pairs at a time, as a `Budget`.

    Attributes
    ----------
    variance : array, shape (pairs, rho)
        σ² at each ρ.
    weights : array, shape (pairs, rho)
    """

    variance: FloatArray
    weights: FloatArray

    @classmethod
    def of_budget(cls, budget: Budget, values: FloatArray) -> Series:
        """The same budget, but for what neighbours share."""
        n_groups = values.shape[1]
        found = [_at(rho, values) for rho in RHO]
        variance = np.maximum(
            np.stack([each for each, _ in found], axis=1), budget.noise[:, None] + 1e-300
        )
        log_likelihood = np.stack([each for _, each in found], axis=1)
        weights = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        known = {each.name: getattr(budget, each.name) for each in fields(Budget)}
        of_groups = np.sum(weights * variance * _of_mean(n_groups), axis=1)
        part = np.divide(
            of_groups, budget.of_groups, out=np.ones_like(of_groups), where=budget.of_groups > 0.0
        )
        if not budget.again.any():  # what is supposed, is a part of what groups leave
            known["training"] = budget.training * part
        known["of_groups"] = of_groups
        return cls(**known, variance=variance, weights=weights)

    def new(self, new_groups: float) -> FloatArray:
        shared = np.sum(self.weights * self.variance * _of_mean(new_groups), axis=1)
        return np.asarray(shared + self.again)

    def score(self, new_groups: float, value: FloatArray | float = 0.0) -> FloatArray:
        n_groups = np.asarray(self.degrees) + 1.0
        of_both = self.variance * (_of_mean(float(n_groups)) + _of_mean(new_groups))
        total = np.sqrt(of_both + (self.training + self.again)[:, None])
        far = np.abs(np.broadcast_to(value, self.lead.shape) - self.lead)
        beyond = np.sum(self.weights * stdtr(self.degrees, -far[:, None] / total), axis=1)
        normal = np.minimum(-ndtri(beyond), FARTHEST)
        return np.asarray(
            np.sign(value - self.lead) * normal * np.sqrt(1.0 + self.ratio(new_groups))
        )

    def parts(self, new_groups: float) -> dict[str, FloatArray]:
        points = self.points + self.noise / new_groups
        training = self.training + self.again
        whole = self.seen + self.new(new_groups) - training
        return {"groups": np.maximum(whole - points, 0.0), "points": points, "training": training}


def _of_mean(number: float) -> FloatArray:
    """c(n) at each ρ: the variance of a mean of n neighbours, in parts of σ².

    Examples
    --------
    >>> _of_mean(1)[[0, 10]].tolist(), _of_mean(4)[0].tolist(), _of_mean(2)[10].tolist()
    ([1.0, 1.0], 0.25, 0.75)
    """
    if number == np.inf:
        return np.zeros(RHO.size)
    far = 2.0 * RHO * (1.0 - RHO**number) / (number * (1.0 - RHO) ** 2)
    return np.asarray(((1.0 + RHO) / (1.0 - RHO) - far) / number)


def _at(rho: float, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """σ² of each pair, and its log likelihood with the mean integrated out."""
    n_groups = values.shape[1]
    root = np.sqrt(1.0 - rho * rho)
    white = np.concatenate([values[:, :1], (values[:, 1:] - rho * values[:, :-1]) / root], axis=1)
    ones = np.r_[1.0, np.full(n_groups - 1, (1.0 - rho) / root)]
    precision = float(ones @ ones)
    mean = white @ ones / precision
    squares = np.sum((white - mean[:, None] * ones) ** 2, axis=1)
    degrees = n_groups - 1.0
    log_squares = np.log(np.maximum(squares, 1e-300))
    return squares / degrees, -0.5 * (
        np.log(precision) + degrees * (np.log(1.0 - rho * rho) + log_squares)
    )
