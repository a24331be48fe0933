"""The same, with its rule of thumb: a difference of elpd below 4 is small, and states nothing."""

from scipy.special import ndtr

from methods._arviz import table
from methods._pairs import by_pairs, joined

NAME = "arviz-stats compare, differences below 4 left open"
QUESTION = "all"
VIEWS = ("points",)
PACKAGE = "arviz-stats"
SMALL = 4.0


def judge(losses, simulations, order):
    points = joined(losses)

    def probability(a, b):
        found = table(points[[a, b]])
        worse = found.iloc[1]
        surely = ndtr(worse.elpd_diff / worse.dse)
        if worse.elpd_diff < SMALL:
            surely = min(surely, 0.95)
        return surely if found.index[0] == "0" else 1.0 - surely

    return by_pairs(len(points), probability)
