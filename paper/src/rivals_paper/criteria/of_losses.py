"""Criteria from losses on held-out data: B^R, of their means, and B^Q, point by point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from rivals_paper.criteria.score import Score, error_of_sum, one_per_point


class Probability(NamedTuple):
    """A probability and its standard error."""

    value: float
    standard_error: float


def risk(losses: ArrayLike) -> Score:
    """The mean loss on held-out data, with its sampling error.

    The B^R of the paper is the reference's risk minus the model's, over ln 10.

    Examples
    --------
    >>> score = risk([1.0, 2.0, 3.0])
    >>> score.value, round(score.standard_error, 3)
    (2.0, 0.577)
    """
    each = one_per_point(losses, "losses")
    shares = each / each.size
    return Score(
        "risk",
        float(each.mean()),
        standard_error=error_of_sum(shares),
        scale="loss per point",
        pointwise=shares,
    )


def loss_only(losses: ArrayLike, reference: ArrayLike, *, tolerance: float) -> Probability:
    """B^Q = P(Q < Q_reference + η), η ~ N(0, tolerance²).

    The expectation over η is exact. Losses are paired by the point that they belong to, a choice
    that the paper leaves open: independent draws of both losses give other numbers.

    Parameters
    ----------
    losses, reference : array_like
        Loss of each point under the model and under the reference, on the same data.
    tolerance : float
        Standard deviation of η (c_Q in the paper). 0 counts ties half.

    Examples
    --------
    >>> loss_only([1.0, 2.0], [2.0, 1.0], tolerance=0.5).value
    0.5
    """
    a = one_per_point(losses, "losses")
    b = one_per_point(reference, "losses of the reference")
    if a.shape != b.shape:
        raise ValueError(f"B^Q pairs losses of the same points; got {a.size} and {b.size}")
    if not 0 <= tolerance < np.inf:
        raise ValueError(f"tolerance must be a finite number, 0 or more; got {tolerance!r}")
    below = ndtr((b - a) / tolerance) if tolerance > 0 else np.heaviside(b - a, 0.5)
    error = np.std(below, ddof=1) / np.sqrt(a.size) if a.size > 1 else np.inf
    return Probability(float(below.mean()), float(error))
