"""Student's prediction of the difference in a new group, from the mean losses of groups."""

import numpy as np
from scipy.special import stdtr

from methods._pairs import by_pairs, means

NAME = "t prediction of a new group"
QUESTION = "next"
VIEWS = ("groups",)


def judge(losses, simulations, order):
    scores = means(losses)
    k = len(scores)

    def probability(a, b):
        d = scores[:, a] - scores[:, b]
        scale = max(d.std(ddof=1), 1e-300) * np.sqrt(1.0 + 1.0 / k)
        return float(stdtr(k - 1, -d.mean() / scale))

    return by_pairs(scores.shape[1], probability)
