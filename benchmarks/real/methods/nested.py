"""Nested cross-validation by points (Bates, Hastie and Tibshirani 2024) of the difference.

Each repetition leaves out pairs of five folds. The mean squared error of inner cross-validation
is what it misses an outer fold by, less the sampling variance of that fold; its root is kept
between the naive standard error and √5 times that, and the estimate is corrected for bias.
"""

import numpy as np
from scipy.special import ndtr

from methods._pairs import by_pairs

NAME = "nested cross-validation"
QUESTION = "all"
VIEWS = ("nested",)


def judge(losses, simulations, order):
    folds = [fold for repetition in losses for fold in repetition]
    k = len(losses[0])

    def probability(a, b):
        inner = [inside[a] - inside[b] for inside, _ in folds]
        outer = [outside[a] - outside[b] for _, outside in folds]
        missed = [
            (x.mean() - y.mean()) ** 2 - y.var(ddof=1) / y.size
            for x, y in zip(inner, outer, strict=True)
        ]
        points = np.concatenate(outer[:k])
        naive = points.std(ddof=1) / np.sqrt(points.size)
        error = np.clip(np.sqrt(max(np.mean(missed) * (k - 1) / k, 0.0)), naive, np.sqrt(k) * naive)
        nested = np.concatenate(inner).mean()
        bias = (1.0 + (k - 2) / k) * (nested - np.concatenate(outer).mean())
        return float(ndtr(-(nested - bias) / error))

    return by_pairs(len(folds[0][0]), probability)
