"""The difference of mean losses over its standard error, all points independent: elpd ± SE.

Points may be held out by five random folds, as is usual, or by whole groups.
"""

import numpy as np
from scipy.special import ndtr

from methods._pairs import by_pairs, joined

NAME = "elpd ± SE of points"
QUESTION = "all"
VIEWS = ("points", "groups")


def asked(key):
    return True


def judge(losses, simulations, order):
    points = joined(losses)

    def probability(a, b):
        difference = points[a] - points[b]
        error = difference.std(ddof=1) / np.sqrt(difference.size)
        return float(ndtr(-difference.mean() / max(error, 1e-300)))

    return by_pairs(len(points), probability)
