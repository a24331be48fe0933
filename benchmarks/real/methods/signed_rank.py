"""The Bayesian signed-rank test of `baycomp` on the mean losses of groups, without a ROPE.

It is slow, so it is asked with ten groups left out only, and draws 2 000 instead of 50 000: the
standard error of P near 0.95 is then 0.005.
"""

from baycomp import SignedRankTest

from methods._pairs import by_pairs, means

NAME = "Bayesian signed rank (baycomp)"
QUESTION = "all"
VIEWS = ("groups",)
PACKAGE = "baycomp"


def asked(key):
    return key["design"] == "left out" and key["groups"] == 10


def judge(losses, simulations, order):
    scores = -means(losses)

    def probability(a, b):
        x, y = scores[:, a], scores[:, b]
        return SignedRankTest.probs(x, y, nsamples=2000, random_state=0)[0]

    return by_pairs(scores.shape[1], probability, slow=True)
