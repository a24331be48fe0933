"""Law "groups" of this library, without simulations, over as many new groups as at hand."""

from methods._ours import compare

NAME = "rivals, study repeated, no simulations"
QUESTION = "study"
VIEWS = ("groups",)
PACKAGE = "rivals"


def asked(key):
    return key["groups"] >= 3


def judge(losses, simulations, order):
    return compare(losses, None, groups=True).over(len(losses))
