"""A meta-analysis of the groups' differences: REML, with Hartung and Knapp's t and error.

Each group's difference is known with the error of its points; τ² by restricted maximum likelihood.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import stdtr

from methods._pairs import by_pairs

NAME = "REML, Hartung and Knapp"
QUESTION = "all"
VIEWS = ("groups",)


def judge(losses, simulations, order):
    def probability(a, b):
        gaps = [one[a] - one[b] for one in losses]
        mean = np.array([one.mean() for one in gaps])
        error = np.array([one.var(ddof=1) / one.size for one in gaps])
        error = np.maximum(error, 1e-12 * max(mean.var(), 1e-300))
        tau = reml(mean, error)
        weight = 1.0 / (tau + error)
        centre = weight @ mean / weight.sum()
        variance = weight @ (mean - centre) ** 2 / (mean.size - 1) / weight.sum()
        return float(stdtr(mean.size - 1, -centre / np.sqrt(max(variance, 1e-300))))

    return by_pairs(len(losses[0]), probability)


def reml(mean, error):
    """τ² of the highest restricted likelihood."""

    def minus(tau):
        weight = 1.0 / (tau + error)
        centre = weight @ mean / weight.sum()
        rest = weight @ (mean - centre) ** 2
        return 0.5 * (rest - np.log(weight).sum() + np.log(weight.sum()))

    largest = 10.0 * (mean.var(ddof=1) + 1e-300)
    found = minimize_scalar(minus, bounds=(0.0, largest), method="bounded")
    return found.x if found.fun < minus(0.0) else 0.0
