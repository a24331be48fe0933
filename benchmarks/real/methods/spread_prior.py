"""Law "groups" with the spread of points in place of the misfit, which needs no simulation.

The scale of the prior of τ is √(c/2) times the pooled standard deviation of the differences between
points. At c = 1/8 it states about as much as law "groups" does: is misfit the better scale?
"""

import numpy as np

from methods._pairs import by_pairs
from rivals.method.probability import probability_over
from rivals.method.spread import spread_between_groups

NAME = "law groups, spread of points as the scale"
QUESTION = "study"
VIEWS = ("groups",)
C = 1 / 8


def judge(losses, simulations, order):
    sizes = np.array([one.shape[1] for one in losses])

    def probability(a, b):
        parts = [one[a] - one[b] for one in losses]
        squares = sum(np.sum((part - part.mean()) ** 2) for part in parts)
        variance = squares / (sizes.sum() - sizes.size)
        means = np.array([[part.mean() for part in parts]])
        scale = np.sqrt([[C / 2 * variance]])
        spread = spread_between_groups(means, variance / sizes[None, :], scale)
        return float(probability_over(spread, len(losses))[0, 0])

    return by_pairs(len(losses[0]), probability)
