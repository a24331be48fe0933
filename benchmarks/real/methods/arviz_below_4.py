"""The same, with its rule of thumb: a difference of elpd below 4 is small, and states nothing."""

from scipy.special import ndtr

from methods._arviz import table
from methods._pairs import by_pairs, joined

NAME = "arviz-stats compare, differences below 4 left open"
QUESTION = "all"
VIEWS = ("points",)
PACKAGE = "arviz-stats"
SMALL = 4.0


def asked(key):
    return key["groups"] == 10


def judge(losses, simulations, order):
    points = joined(losses)

    def probability(a, b):
        found = table(points[[a, b]])
        score = found.elpd_diff.iloc[1] / found.dse.iloc[1]
        p = float(ndtr(score if found.index[0] == "0" else -score))
        return min(max(p, 0.05), 0.95) if found.elpd_diff.iloc[1] < SMALL else p

    return by_pairs(len(points), probability)
