"""The likelihood ratio: which model, at its best parameters, makes the data more probable."""

from __future__ import annotations

from numpy.typing import ArrayLike

from rivals.criteria.checks import check_log_likelihood
from rivals.criteria.score import Score, Variations

VARIATIONS = Variations()


def log_likelihood(pointwise: ArrayLike) -> Score:
    """Return minus the log likelihood.

    The difference of two is minus the log of the likelihood ratio.

    Parameters
    ----------
    pointwise : array_like
        Log likelihood of each data point (or their sum) at the maximum.

    See Also
    --------
    aic : the same with a penalty.
    table : all criteria side by side.

    Examples
    --------
    >>> log_likelihood([-1.0, -2.0, -0.5]).value
    3.5
    """
    total = check_log_likelihood(pointwise).sum()
    return Score("log likelihood", float(-total), scale="−log likelihood", variations=VARIATIONS)
