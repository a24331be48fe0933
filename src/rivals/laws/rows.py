"""The other question of one data set: not another place, but new rows from the same one.

As method "groups" answers it where rows are units, from mean differences and their errors alone.
"""

from __future__ import annotations

from math import inf

import numpy as np

from rivals._core.law import TOGETHER
from rivals._core.losses import Provenance
from rivals._core.types import FloatArray, IntArray
from rivals.laws.groups import board_of
from rivals.method import leads
from rivals.method.budget import Budget
from rivals.method.error import MeanErrors


def wins_in_new_rows(
    means: FloatArray, errors: MeanErrors, n_rows: int, source: Provenance
) -> FloatArray:
    """[a, b] = P that a has the lower mean loss in as many new rows.

    Examples
    --------
    >>> from rivals.method.error import mean_errors
    >>> losses = np.random.default_rng(0).exponential(size=(2, 400)) + [[0.0], [0.2]]
    >>> found = wins_in_new_rows(losses.mean(axis=1), mean_errors(losses), 400, Provenance())
    >>> found.round(2).tolist()
    [[0.5, 0.95], [0.05, 0.5]]
    """
    degrees = n_rows - 1.0 if errors.degrees == inf else errors.degrees
    n_folds = (source.n_folds or n_rows) if source.left_out else 0

    def budget(a: IntArray, b: IntArray) -> Budget:
        unit = n_rows * errors.of_pairs(a, b)
        return Budget.of_rows(means[a] - means[b], unit, n_rows, degrees, None, n_folds)

    board = board_of(means, lambda a, b: budget(a, b).score(n_rows), TOGETHER // leads.SCALES.size)
    a, b = np.triu_indices(means.size, 1)
    spent = budget(a, b)
    found = np.full((means.size, means.size), 0.5)
    found[a, b] = leads.again(spent.score(n_rows), spent.ratio(n_rows), board.of(a, b))
    found[b, a] = 1.0 - found[a, b]
    return found
