"""Law "groups" of this library, with simulations, over all groups to come."""

import math

from methods._ours import compare

NAME = "rivals, all groups"
QUESTION = "all"
VIEWS = ("groups",)
PACKAGE = "rivals"


def judge(losses, simulations, order):
    return compare(losses, simulations, groups=True).over(math.inf)
