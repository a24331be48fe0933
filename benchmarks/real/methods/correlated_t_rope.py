"""The correlated t test of `baycomp` with a region of practical equivalence of 0.01 nats."""

import numpy as np
from baycomp import CorrelatedTTest

from methods._pairs import means

NAME = "corrected t with a ROPE (baycomp)"
QUESTION = "all"
VIEWS = ("groups",)
PACKAGE = "baycomp"
ROPE = 0.01


def judge(losses, simulations, order):
    scores = -means(losses).T
    found = np.full((len(scores), len(scores)), 0.5)
    for a, b in zip(*np.triu_indices(len(scores), 1), strict=True):
        better, _, worse = CorrelatedTTest.probs(scores[a], scores[b], rope=ROPE)
        found[a, b] = better
        found[b, a] = worse
    return found
