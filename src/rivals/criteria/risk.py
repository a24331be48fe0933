"""The risk: the mean loss on held-out data, with its uncertainty due to few data.

B^R is the difference of two.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rivals.criteria.checks import check_point_losses
from rivals.criteria.score import Score, Variations

VARIATIONS = Variations(in_distribution=True)


def risk(losses: ArrayLike) -> Score:
    """Return the empirical risk, the mean loss on held-out data, with its sampling error.

    The B^R of René & Longtin (2025) is the reference's risk minus the model's, over ln 10.

    Parameters
    ----------
    losses : array_like
        Loss of each held-out data point.

    See Also
    --------
    loss_only : the probability that a loss is lower.
    rivals.compare : the same means with the uncertainty about a replication.

    Examples
    --------
    >>> score = risk([1.0, 2.0, 3.0])
    >>> score.value, round(score.standard_error, 3)
    (2.0, 0.577)
    """
    array = check_point_losses(losses)
    n = array.size
    error = float(np.std(array, ddof=1) / np.sqrt(n)) if n > 1 else float("inf")
    return Score(
        "risk",
        float(array.mean()),
        standard_error=error,
        scale="loss per point",
        variations=VARIATIONS,
        pointwise=array / n,
    )
