"""Law "groups" of this library, with simulations, over as many new groups as at hand."""

from methods._ours import compare

NAME = "rivals, study repeated"
QUESTION = "study"
VIEWS = ("groups",)
PACKAGE = "rivals"


def judge(losses, simulations, order):
    return compare(losses, simulations, groups=True).over(len(losses))
