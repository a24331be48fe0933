"""Friedman's test of the ranks of all models in groups; then Nemenyi's of pairs, both at 5 %."""

import numpy as np
from scikit_posthocs import posthoc_nemenyi_friedman
from scipy.stats import friedmanchisquare, rankdata

from methods._pairs import by_pairs, means, one_sided

NAME = "Friedman and Nemenyi (scikit-posthocs)"
QUESTION = "all"
VIEWS = ("groups",)
THRESHOLD = 0.975
PACKAGE = "scikit-posthocs"


def judge(losses, simulations, order):
    scores = means(losses)
    ranks = rankdata(scores, axis=1).mean(axis=0)
    p_values = np.asarray(posthoc_nemenyi_friedman(scores))
    least = 0.0 if friedmanchisquare(*scores.T).pvalue < 0.05 else 0.05

    def probability(a, b):
        return one_sided(max(p_values[a, b], least), ranks[a] - ranks[b])

    return by_pairs(scores.shape[1], probability)
