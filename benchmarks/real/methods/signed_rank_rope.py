"""The Bayesian signed-rank test of `baycomp` with a ROPE of 0.01 nats; asked as without."""

import numpy as np
from baycomp import SignedRankTest

from methods._pairs import means

NAME = "Bayesian signed rank with a ROPE (baycomp)"
QUESTION = "all"
VIEWS = ("groups",)
PACKAGE = "baycomp"
OPTIONS = {"rope": 0.01, "nsamples": 2000, "random_state": 0}


def asked(key):
    return key["design"] == "left out" and key["groups"] == 10


def judge(losses, simulations, order):
    scores = -means(losses).T
    found = np.full((len(scores), len(scores)), 0.5)
    for a, b in zip(*np.triu_indices(len(scores), 1), strict=True):
        better, _, worse = SignedRankTest.probs(scores[a], scores[b], **OPTIONS)
        found[a, b] = better
        found[b, a] = worse
    return found
