"""Criteria from losses on held-out data: B^R, of their means, and B^Q, of their distributions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from rivals._core.types import FloatArray
from rivals.criteria._score import Score, error_of_sum, one_per_point

# Quantiles at which a distribution of losses is read.
MOST = 2**11


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


def loss_only(losses: ArrayLike, reference: ArrayLike, *, tolerance: float = 0.0) -> Probability:
    """B^Q = P(Q < Q_reference + η), η ~ N(0, tolerance²), of independent draws.

    As the paper defines it, from the two distributions of losses alone: which losses belong to the
    same point does not matter. The expectation over η is exact; of more than 2 048 losses their
    distributions are read at so many quantiles.

    Parameters
    ----------
    losses, reference : array_like
        Losses under the model and under the reference.
    tolerance : float
        Standard deviation of η (c_Q in the paper). 0 counts ties half.

    Examples
    --------
    >>> loss_only([1.0, 2.0], [2.0, 1.0], tolerance=0.5).value
    0.5
    """
    if not 0 <= tolerance < np.inf:
        raise ValueError(f"tolerance must be a finite number, 0 or more; got {tolerance!r}")
    a = one_per_point(losses, "losses")
    b = one_per_point(reference, "losses of the reference")
    # How probably each loss is the lower one, against all of the other model.
    of_a = 1.0 - _below(b, a, tolerance)
    of_b = _below(a, b, tolerance)
    if a.size == b.size:  # on the same points both move together
        error = np.std(of_a + of_b, ddof=1) / np.sqrt(a.size) if a.size > 1 else np.inf
    else:
        error = np.hypot(*(np.std(each) / np.sqrt(each.size) for each in (of_a, of_b)))
    return Probability(float(of_b.mean()), float(error))


def _below(losses: FloatArray, values: FloatArray, tolerance: float) -> FloatArray:
    """P(a loss < value + η) of each value."""
    ordered = np.sort(losses)
    if tolerance == 0.0:
        sides = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
        return np.asarray(sum(sides) / (2.0 * losses.size))
    if ordered.size > MOST:
        ordered = np.quantile(ordered, (np.arange(MOST) + 0.5) / MOST)
    found = [
        ndtr((piece[:, None] - ordered) / tolerance).mean(axis=1)
        for piece in np.array_split(values, -(-values.size // MOST))
    ]
    return np.concatenate(found)
