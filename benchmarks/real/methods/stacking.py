"""The stacking weights of `arviz_stats.compare` of all models: more than ½ of the weight wins.

P is the weight of such a model against all others, and ½ where none has so much.
"""

import numpy as np

from methods._arviz import table
from methods._pairs import by_pairs, joined

NAME = "stacking weight above ½ (arviz-stats)"
QUESTION = "all"
VIEWS = ("points",)
THRESHOLD = 0.5
PACKAGE = "arviz-stats"


def judge(losses, simulations, order):
    found = table(joined(losses)).weight
    weight = np.array([found[str(place)] for place in range(len(found))])

    def probability(a, b):
        if max(weight[a], weight[b]) <= 0.5:
            return 0.5
        return weight[a] if weight[a] > 0.5 else 1.0 - weight[b]

    return by_pairs(weight.size, probability)
