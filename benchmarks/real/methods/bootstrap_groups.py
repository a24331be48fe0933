"""The bootstrap over groups: how often a has the lower mean over resampled groups."""

import numpy as np

from methods._pairs import means

NAME = "bootstrap of groups"
QUESTION = "all"
VIEWS = ("groups",)
RESAMPLES = 5000


def judge(losses, simulations, order):
    scores = means(losses)
    n_groups = len(scores)
    chosen = np.random.default_rng(0).integers(n_groups, size=(RESAMPLES, n_groups))
    drawn = scores[chosen].mean(axis=1)
    return 0.5 - 0.5 * np.mean(np.sign(drawn[:, :, None] - drawn[:, None, :]), axis=0)
