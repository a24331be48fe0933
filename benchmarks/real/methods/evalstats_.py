"""Paired differences as evalstats judges them at its own defaults: each group's mean is an item."""

import numpy as np
from evalstats import pairwise_differences

from methods._pairs import by_pairs, means, one_sided

NAME = "evalstats, means of groups"
QUESTION = "all"
VIEWS = ("groups",)
PACKAGE = "evalstats"


def judge(losses, simulations, order):
    scores = means(losses).T  # models × items

    def probability(a, b):
        found = pairwise_differences(scores, a, b, rng=np.random.default_rng(0))
        return one_sided(found.p_value, float(np.mean(scores[a] - scores[b])))

    return by_pairs(len(scores), probability, slow=True)
