"""Law "transport" of this library from one data set, as `compare` decides."""

from methods._ours import decided

NAME = "rivals, one data set (law transport)"
QUESTION = "next"
VIEWS = ("groups",)
PACKAGE = "rivals"


def asked(key):
    return key["groups"] == 1


def judge(losses, simulations, order):
    return decided(losses, simulations, groups=False)
