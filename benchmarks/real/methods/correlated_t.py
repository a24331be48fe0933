"""Nadeau and Bengio's corrected t: the correlated t test of `baycomp`, without a ROPE."""

from baycomp import CorrelatedTTest

from methods._pairs import by_pairs, means

NAME = "corrected t (Nadeau and Bengio; baycomp)"
QUESTION = "all"
VIEWS = ("points", "groups")
PACKAGE = "baycomp"


def judge(losses, simulations, order):
    scores = -means(losses)

    def probability(a, b):
        return CorrelatedTTest.probs(scores[:, a], scores[:, b])[0]

    return by_pairs(scores.shape[1], probability)
