"""Student's paired t test of the mean losses of groups, or of folds (scipy.stats.ttest_rel).

Its P is one-sided: 0.95 is significance at 10 % of two sides, which states more than 5 % would.
"""

from scipy.stats import ttest_rel

from methods._pairs import by_pairs, means

NAME = "paired t"
QUESTION = "all"
VIEWS = ("points", "groups")
PACKAGE = "scipy"


def judge(losses, simulations, order):
    scores = means(losses)

    def probability(a, b):
        return ttest_rel(scores[:, a], scores[:, b], alternative="greater").pvalue

    return by_pairs(scores.shape[1], probability)
