"""The Bayesian information criterion: −2 log likelihood at its maximum + k ln n.

An approximation of −2 log evidence for many data and a prior worth one observation (Schwarz 1978).
"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from rivals._say.arguments import check_size
from rivals.criteria.checks import check_log_likelihood
from rivals.criteria.score import Score, Variations

VARIATIONS = Variations(parameters=True)


def bic(log_likelihood: ArrayLike, n_parameters: int, n_data: int | None = None) -> Score:
    """Return the Bayesian information criterion.

    Parameters
    ----------
    log_likelihood : array_like
        Log likelihood of each data point at the maximum, **fitted to these same data**.
    n_parameters : int
        Number of fitted parameters.
    n_data : int, optional
        Number of data points; needed only when `log_likelihood` is their sum.

    See Also
    --------
    aic : a smaller penalty.
    table : all criteria side by side.

    Examples
    --------
    >>> round(bic([-1.0, -2.0, -0.5], 2).value, 3)
    9.197
    """
    pointwise = check_log_likelihood(log_likelihood)
    if n_data is None and pointwise.size == 1:
        raise ValueError(
            "n_data is needed: log_likelihood is a single number; "
            "pass the number of points that it sums over"
        )
    n = pointwise.size if n_data is None else check_size(n_data, "n_data")
    k = check_size(n_parameters, "n_parameters", least=0)
    value = float(-2 * pointwise.sum() + k * math.log(n))
    return Score("BIC", value, scale="−2 log likelihood", variations=VARIATIONS)
