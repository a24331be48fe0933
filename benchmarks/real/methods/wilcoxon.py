"""Wilcoxon's signed-rank test of the mean losses of groups, pair by pair, at 5 % of two sides."""

from scipy.stats import wilcoxon

from methods._pairs import by_pairs, means, one_sided

NAME = "Wilcoxon"
QUESTION = "all"
VIEWS = ("groups",)
THRESHOLD = 0.975
PACKAGE = "scipy"


def judge(losses, simulations, order):
    scores = means(losses)

    def probability(a, b):
        x, y = scores[:, a], scores[:, b]
        return one_sided(wilcoxon(x, y).pvalue, (x - y).mean())

    return by_pairs(scores.shape[1], probability)
