"""B^Q, the loss-only criterion: how often one model's loss is below the other's, point by point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from rivals.criteria.checks import check_point_losses


class Probability(NamedTuple):
    """A probability and its standard error."""

    value: float
    standard_error: float


def loss_only(losses: ArrayLike, reference: ArrayLike, *, tolerance: float) -> Probability:
    """Return B^Q = P(Q < Q_reference + η), η ~ N(0, tolerance²), over the data points.

    The expectation over η is exact, so no random numbers are needed.

    Parameters
    ----------
    losses, reference : array_like
        Loss of each data point under the model and under the reference, on the same data.
    tolerance : float
        Standard deviation of η (c_Q in the paper). 0 counts ties half.

    Returns
    -------
    Probability
        With the standard error due to the finite number of points.

    See Also
    --------
    risk : mean losses, with errors.
    table : all criteria side by side.

    Examples
    --------
    >>> loss_only([1.0, 2.0], [2.0, 1.0], tolerance=0.5).value
    0.5
    """
    a = check_point_losses(losses)
    b = check_point_losses(reference)
    if a.shape != b.shape:
        raise ValueError(
            f"B^Q pairs losses on the same data: got {a.size} and {b.size}; "
            "pass both for the same points"
        )
    if not (np.isfinite(tolerance) and tolerance >= 0):
        raise ValueError(f"tolerance must be a finite number, 0 or above; got {tolerance!r}")
    below = ndtr((b - a) / tolerance) if tolerance > 0 else np.heaviside(b - a, 0.5)
    error = np.std(below, ddof=1) / np.sqrt(a.size) if a.size > 1 else np.inf
    return Probability(float(below.mean()), float(error))
