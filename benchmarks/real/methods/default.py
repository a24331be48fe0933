"""The two lines of this library as they are: `compare` of each pair, with groups, and what it
rejects. Unstable rejections do not count."""

from methods._ours import decided

NAME = "rivals, as compare decides"
QUESTION = "study"
VIEWS = ("groups",)
PACKAGE = "rivals"


def judge(losses, simulations, order):
    return decided(losses, simulations, groups=True)
