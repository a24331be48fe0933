"""The model confidence set of `arch` at 5 %, of all models: one outside loses to all inside."""

import numpy as np
from arch.bootstrap import MCS

from methods._pairs import by_pairs, joined

NAME = "model confidence set (arch)"
QUESTION = "all"
VIEWS = ("points",)
THRESHOLD = 0.975
PACKAGE = "arch"
SIZE = 0.05


def judge(losses, simulations, order):
    test = MCS(joined(losses).T, size=SIZE, seed=np.random.default_rng(0))
    test.compute()
    p = test.pvalues["Pvalue"].sort_index().to_numpy()

    def probability(a, b):
        if p[a] == p[b] or max(p[a], p[b]) <= SIZE:
            return 0.5
        return 1.0 - 0.5 * p[b] if p[a] > p[b] else 0.5 * p[a]

    return by_pairs(p.size, probability)
