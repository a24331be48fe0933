"""The widely applicable information criterion: elpd from the data the model was fitted to.

Σ_i log mean_s p(y_i | θ_s) − Σ_i Var_s log p(y_i | θ_s) (Watanabe 2010; Vehtari, Gelman & Gabry
2017).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rivals.criteria.checks import check_draws, check_weights
from rivals.criteria.score import Score, elpd

# Vehtari et al. (2017): beyond this variance of one point's log likelihood WAIC is unreliable.
LARGEST_VARIANCE = 0.4


def waic(draws: ArrayLike, *, weights: ArrayLike | None = None, quadrature: bool = False) -> Score:
    """Return the expected log pointwise predictive density, estimated by WAIC.

    Parameters
    ----------
    draws : array_like, shape (draws, points)
        Log likelihood of each data point for each draw of the posterior.
    weights : array_like, optional
        Weights of the draws, for example from nested sampling; they must include the prior volume,
        not only the likelihood.
    quadrature : bool
        Whether rows and weights come from a quadrature rule rather than from random draws.

    Returns
    -------
    Score
        The elpd, a sum over the points, in nats: higher is better. Its standard error is that of
        the sum over the data points.

    See Also
    --------
    loo : more robust, and says where it fails.
    table : all criteria side by side.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y, mu = rng.normal(size=50), rng.normal(scale=50**-0.5, size=(1000, 1))
    >>> score = waic(-((y - mu) ** 2) / 2 - np.log(2 * np.pi) / 2)
    >>> round(score.value, 1), round(score.standard_error, 1)
    (-68.1, 4.0)
    """
    matrix = check_draws(draws)
    share = check_weights(weights, matrix.shape[0])
    top = matrix.max(axis=0)
    density = top + np.log(share @ np.exp(matrix - top))
    mean = share @ matrix
    # The correction makes the variance unbiased for independent draws: 1/(S−1) for equal weights.
    variance = (share @ (matrix - mean) ** 2) / (1.0 if quadrature else 1 - share @ share)
    pointwise = density - variance
    many = int((variance > LARGEST_VARIANCE).sum())
    doubt = (
        f"WAIC is unreliable: the variance exceeds {LARGEST_VARIANCE} at {many} of "
        f"{pointwise.size} points; use LOO"
    )
    return elpd("elpd (WAIC)", pointwise, doubt if many else None)
