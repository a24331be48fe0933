"""Leave-one-out cross-validation from posterior draws, by Pareto smoothed importance sampling."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rivals._say.optional import need
from rivals.criteria.checks import check_draws
from rivals.criteria.score import Score, elpd


def loo(draws: ArrayLike, *, relative_efficiency: float = 1.0) -> Score:
    """Return the expected log pointwise predictive density, by leave-one-out (PSIS-LOO).

    Parameters
    ----------
    draws : array_like, shape (draws, points)
        Log likelihood of each data point for each draw of the posterior, equally weighted.
    relative_efficiency : float
        Effective number of draws over their number; 1 for independent draws.

    Returns
    -------
    Score
        The elpd, a sum over the points, in nats: higher is better.

    See Also
    --------
    waic : a simpler estimate of the same.
    table : all criteria side by side.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y, mu = rng.normal(size=50), rng.normal(scale=50**-0.5, size=(1000, 1))
    >>> score = loo(-((y - mu) ** 2) / 2 - np.log(2 * np.pi) / 2)
    >>> round(score.value, 1), round(score.standard_error, 1)
    (-68.1, 4.0)
    """
    array_stats = need(
        "arviz_stats.base", extra="criteria", purpose="leave-one-out cross-validation"
    ).array_stats
    matrix = check_draws(draws)
    # If all draws are equal, as for a model without free parameters, leaving a point out changes
    # nothing.
    varies = np.ptp(matrix, axis=0) > 0
    pointwise = matrix[0].copy()
    shape = np.zeros(matrix.shape[1])
    if varies.any():
        smoothed = array_stats.loo(matrix.T[varies, None, :], r_eff=relative_efficiency)
        pointwise[varies] = smoothed[0]
        shape[varies] = smoothed[1]
    # Vehtari et al. (2024): the largest Pareto shape at which S draws suffice.
    largest = min(1 - 1 / np.log10(matrix.shape[0]), 0.7)
    many = int((shape > largest).sum())
    where = f"at {many} of {pointwise.size} points; refit without each of these"
    doubt = f"LOO is unreliable: the Pareto shape exceeds {largest:.2f} {where}"
    return elpd("elpd (LOO)", pointwise, doubt if many else None)
