"""Law "groups" of this library, with simulations, over the next group."""

from methods._ours import compare

NAME = "rivals, next group"
QUESTION = "next"
VIEWS = ("groups",)
PACKAGE = "rivals"


def judge(losses, simulations, order):
    return compare(losses, simulations, groups=True).over(1)
