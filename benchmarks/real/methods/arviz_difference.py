"""`arviz_stats.compare` of each pair: Φ(elpd_diff/dse), which later releases call p_worse."""

from scipy.special import ndtr

from methods._arviz import table
from methods._pairs import by_pairs, joined

NAME = "arviz-stats compare, p_worse"
QUESTION = "all"
VIEWS = ("points",)
PACKAGE = "arviz-stats"


def asked(key):
    return key["groups"] == 10


def judge(losses, simulations, order):
    points = joined(losses)

    def probability(a, b):
        found = table(points[[a, b]])
        score = found.elpd_diff.iloc[1] / found.dse.iloc[1]
        return float(ndtr(score if found.index[0] == "0" else -score))

    return by_pairs(len(points), probability)
