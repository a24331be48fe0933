"""Akaike's information criterion: −2 log likelihood at its maximum + 2 k.

An estimate of the loss on new data, for a model refitted to other new data (Akaike 1973).
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from rivals._say.arguments import check_size
from rivals.criteria.checks import check_log_likelihood
from rivals.criteria.score import Score, Variations

VARIATIONS = Variations(in_distribution=True, parameters=True)


def aic(log_likelihood: ArrayLike, n_parameters: int) -> Score:
    """Return Akaike's information criterion.

    Parameters
    ----------
    log_likelihood : array_like
        Log likelihood of each data point (or their sum) at the maximum, **fitted to these same
        data**.
    n_parameters : int
        Number of fitted parameters.

    See Also
    --------
    bic : a larger penalty.
    table : all criteria side by side.

    Examples
    --------
    >>> aic([-1.0, -2.0, -0.5], 2).value
    11.0
    """
    total = check_log_likelihood(log_likelihood).sum()
    k = check_size(n_parameters, "n_parameters", least=0)
    return Score("AIC", float(-2 * total + 2 * k), scale="−2 log likelihood", variations=VARIATIONS)
