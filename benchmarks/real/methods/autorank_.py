"""`autorank` at its defaults: it chooses the tests of all models, and says which pairs differ.

It gives no probability of a pair: P is 1, 0 or ½. It wants five groups or more.
"""

import numpy as np
import pandas as pd
from autorank import autorank

from methods._pairs import by_pairs, means

NAME = "autorank"
QUESTION = "all"
VIEWS = ("groups",)
PACKAGE = "autorank"


def asked(key):
    return key["design"] == "left out" and key["groups"] >= 5


def judge(losses, simulations, order):
    found = autorank(pd.DataFrame(means(losses)), order="ascending")
    table = found.rankdf.sort_index()
    nemenyi = found.posthoc == "nemenyi"

    def probability(a, b):
        apart = table.ci_upper[a] < table.ci_lower[b] or table.ci_upper[b] < table.ci_lower[a]
        gap = abs(table.meanrank[a] - table.meanrank[b])
        differ = found.pvalue < found.alpha and (gap > found.cd if nemenyi else apart)
        return 0.5 - 0.5 * np.sign(table.meanrank[a] - table.meanrank[b]) * differ

    return by_pairs(len(table), probability)
