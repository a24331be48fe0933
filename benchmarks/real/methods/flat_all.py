"""Law "groups" of this library, without simulations, over all groups to come."""

import math

from methods._ours import compare

NAME = "rivals, all groups, no simulations"
QUESTION = "all"
VIEWS = ("groups",)
PACKAGE = "rivals"


def asked(key):
    return key["groups"] >= 3


def judge(losses, simulations, order):
    return compare(losses, None, groups=True).over(math.inf)
