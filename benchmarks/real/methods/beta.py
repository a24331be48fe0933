"""Law "beta" of this library, the process of the paper, from one data set; slow, so asked less."""

from methods._ours import compare

NAME = "rivals, one data set (law beta)"
QUESTION = "next"
VIEWS = ("groups",)
PACKAGE = "rivals"


def asked(key):
    return key["groups"] == 1 and key["set"] < 1


def judge(losses, simulations, order):
    return compare(losses, simulations, groups=False, law="beta").probability
