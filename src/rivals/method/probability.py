"""The probability that the risk of one model is lower than that of another, by more than a margin.

One data set, method "transport":   P = Φ( (m_b − m_a − δ) / √(c (W_a² + W_b²) + se²) )

m_a is the mean loss of model a, se the standard error of the paired difference, δ the margin.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, stdtr

from rivals._core.types import FloatArray


def probability_lower(
    gap: FloatArray, variance: FloatArray, degrees: FloatArray | None = None
) -> FloatArray:
    """P(R_a < R_b) from the gap m_b − m_a − δ and the variance of the difference.

    Normal, or Student's t where the variance is an estimate with so many degrees of freedom.

    Examples
    --------
    >>> probability_lower(np.array([0.0, 1.645, -1.645]), np.ones(3)).round(3)
    array([0.5 , 0.95, 0.05])
    """
    if not np.isfinite(variance).all():
        raise ValueError("losses this large overflow; rescale the loss")
    spread = np.sqrt(np.maximum(variance, 0.0))  # rounding can make that of like models negative
    no_spread = np.where(gap == 0.0, 0.0, np.inf)
    with np.errstate(over="ignore"):
        score = np.divide(np.abs(gap), spread, out=no_spread, where=spread > 0.0)
    # The smaller of both probabilities has all its digits; the other is what is left of 1.
    smaller = ndtr(-score) if degrees is None else stdtr(degrees, -score)
    return np.asarray(np.where(gap < 0.0, smaller, 1.0 - smaller))
