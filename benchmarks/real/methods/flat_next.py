"""Law "groups" of this library, without simulations, over the next group."""

from methods._ours import compare

NAME = "rivals, next group, no simulations"
QUESTION = "next"
VIEWS = ("groups",)
PACKAGE = "rivals"


def asked(key):
    return key["groups"] >= 3


def judge(losses, simulations, order):
    return compare(losses, None, groups=True).over(1)
