"""The bootstrap over points, from one group: how often a has the lower mean of resampled ones."""

import numpy as np

from methods._pairs import joined

NAME = "bootstrap of points"
QUESTION = "all"
VIEWS = ("groups",)
RESAMPLES = 1000


def asked(key):
    return key["groups"] == 1


def judge(losses, simulations, order):
    points = joined(losses)
    n = points.shape[1]
    counts = np.random.default_rng(0).multinomial(n, np.full(n, 1.0 / n), RESAMPLES)
    drawn = (points @ counts.T / n).T
    return 0.5 - 0.5 * np.mean(np.sign(drawn[:, :, None] - drawn[:, None, :]), axis=0)
