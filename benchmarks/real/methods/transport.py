"""Law "transport" of this library from one data set, as `compare` decides; groups are ignored."""

from methods._ours import decided

NAME = "rivals, one data set (law transport)"
QUESTION = "next"
VIEWS = ("groups",)
PACKAGE = "rivals"


def asked(key):
    return key["design"] == "frozen"


def judge(losses, simulations, order):
    return decided(losses, simulations, groups=False)
