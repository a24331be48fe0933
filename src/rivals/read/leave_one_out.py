"""What leaving one point out does to a posterior: Pareto smoothed importance weights of its draws."""

from __future__ import annotations

import numpy as np

from rivals._checks import need, warn
from rivals._types import FloatArray

# Vehtari et al. (2024): above this shape the weights have too heavy a tail for any practical number of draws.
LARGEST_SHAPE = 0.7
NAMED = 5


def leave_one_out_weights(log_likelihood: FloatArray, where: str) -> FloatArray:
    """Logs of the weights that turn posterior draws into draws of the posterior without each point, (draws, points).

    Parameters
    ----------
    log_likelihood : array, shape (draws, points)
        Of the data that the model was fitted to, for each draw.
    where : str
        Whose they are, for messages.

    Returns
    -------
    array, shape (draws, points)
        The weights of each point add up to one.
    """
    array_stats = need("arviz_stats.base", extra="arviz", purpose="leave-one-out cross-validation").array_stats
    n_draws, n_points = log_likelihood.shape
    weights = np.full(log_likelihood.shape, -np.log(n_draws))
    shape = np.zeros(n_points)
    # If all draws are equal, leaving a point out changes nothing.
    varies = np.ptp(log_likelihood, axis=0) > 0
    if varies.any():
        smoothed, shape[varies] = array_stats.psislw(log_likelihood.T[varies], r_eff=1.0, axis=-1)
        weights[:, varies] = np.asarray(smoothed).T
    largest = min(1.0 - 1.0 / np.log10(max(n_draws, 11)), LARGEST_SHAPE)
    bad = np.flatnonzero(~(shape <= largest))
    if bad.size:
        named = ", ".join(f"{index} ({shape[index]:.2f})" for index in bad[:NAMED])
        warn(
            f"{where}: leave-one-out losses of {bad.size} of {n_points} points are not to be trusted, since their Pareto k̂ exceeds "
            f"{largest:.2f}: point {named}{', …' if bad.size > NAMED else ''}; more draws help where k̂ is below 0.7; else refit without these "
            "points, or use held-out data or folds"
        )
    return weights
