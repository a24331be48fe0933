"""The deviance information criterion: −2 log likelihood at a point + 2 p.

p comes from the spread of the posterior.

Spiegelhalter et al. (2002); the effective number of parameters p = 2 Var(log likelihood) is that of
Gelman et al. (2014), which cannot be negative.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from rivals.criteria.checks import check_draws, check_log_likelihood, check_weights
from rivals.criteria.score import Score, Variations

VARIATIONS = Variations(in_distribution=True, parameters=True)


def dic(log_likelihood: ArrayLike, draws: ArrayLike, *, weights: ArrayLike | None = None) -> Score:
    """Return the deviance information criterion.

    That is −2 log likelihood + 2 p, with p = 2 Var(log likelihood) over the posterior as the
    effective number of parameters: Gelman's choice, which is never negative, in place of the mean
    deviance less that at the posterior mean (Spiegelhalter et al. 2002).

    Parameters
    ----------
    log_likelihood : array_like
        Log likelihood of each data point (or their sum) at the posterior mean (or at the best
        parameters).
    draws : array_like, shape (draws, points)
        Log likelihood of each data point for each draw of the posterior.
    weights : array_like, optional
        Weights of the draws, for example from nested sampling.

    See Also
    --------
    waic : from the predictive density of each point.
    table : all criteria side by side.

    Examples
    --------
    >>> dic([-1.0, -2.0], [[-1.0, -2.0], [-1.5, -2.5]]).value
    7.0
    """
    matrix = check_draws(draws)
    share = check_weights(weights, matrix.shape[0])
    totals = matrix.sum(axis=1)
    mean = share @ totals
    variance = share @ (totals - mean) ** 2
    value = -2 * check_log_likelihood(log_likelihood).sum() + 4 * variance
    size = 1 / float(share @ share)
    doubts = (f"only {size:.0f} effective draws",) if size < 100 else ()
    return Score(
        "DIC", float(value), scale="−2 log likelihood", variations=VARIATIONS, diagnostics=doubts
    )
