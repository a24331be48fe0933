"""`arviz_stats.compare` of each pair: the difference of elpd over `dse` (p_worse, where it is)."""

from scipy.special import ndtr

from methods._arviz import table
from methods._pairs import by_pairs, joined

NAME = "arviz-stats compare, p_worse"
QUESTION = "all"
VIEWS = ("points",)
PACKAGE = "arviz-stats"


def judge(losses, simulations, order):
    points = joined(losses)

    def probability(a, b):
        found = table(points[[a, b]])
        worse = found.iloc[1]
        surely = worse["p_worse"] if "p_worse" in found else ndtr(worse.elpd_diff / worse.dse)
        return surely if found.index[0] == "0" else 1.0 - surely

    return by_pairs(len(points), probability)
