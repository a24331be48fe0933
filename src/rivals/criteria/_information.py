"""Criteria from log likelihoods: at the best parameters, or for draws of a posterior."""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import ArrayLike

from rivals._core.arrays import finite
from rivals._core.optional import need
from rivals._core.types import FloatArray
from rivals.criteria._score import Score, error_of_sum, one_per_point

# Vehtari et al. (2017): beyond this variance of one point's log likelihood WAIC is unreliable.
LARGEST_VARIANCE = 0.4
# With fewer effective draws DIC is noise.
FEW_DRAWS = 100
DEVIANCE = "−2 log likelihood"


def log_likelihood(pointwise: ArrayLike) -> Score:
    """Minus the log likelihood at its maximum.

    The difference of two is minus the log of the likelihood ratio.

    Examples
    --------
    >>> log_likelihood([-1.0, -2.0, -0.5]).value
    3.5
    """
    return Score("log likelihood", -_total(pointwise), scale="−log likelihood")


def aic(pointwise: ArrayLike, n_parameters: int) -> Score:
    """Akaike's criterion: −2 log likelihood + 2 k (1973).

    Parameters
    ----------
    pointwise : array_like
        Log likelihood of each point (or their sum) at its maximum, fitted to these same data.
    n_parameters : int
        Number of fitted parameters.

    Examples
    --------
    >>> aic([-1.0, -2.0, -0.5], 2).value
    11.0
    """
    return Score("AIC", -2 * _total(pointwise) + 2 * _count(n_parameters), scale=DEVIANCE)


def bic(pointwise: ArrayLike, n_parameters: int, n_data: int | None = None) -> Score:
    """The Bayesian information criterion: −2 log likelihood + k ln n.

    Schwarz (1978); `n_data` is needed only where the log likelihood is a sum.

    Examples
    --------
    >>> round(bic([-1.0, -2.0, -0.5], 2).value, 3)
    9.197
    """
    each = one_per_point(pointwise, "log likelihood", sign=-1)
    if n_data is None and each.size == 1:
        raise ValueError("n_data is needed: the log likelihood is a single number")
    penalty = _count(n_parameters) * log(each.size if n_data is None else n_data)
    return Score("BIC", -2 * float(each.sum()) + penalty, scale=DEVIANCE)


def dic(pointwise: ArrayLike, draws: ArrayLike, *, weights: ArrayLike | None = None) -> Score:
    """The deviance information criterion: −2 log likelihood + 2 p.

    p = 2 Var(log likelihood) over the posterior, which is never negative (Gelman et al. 2014).

    Parameters
    ----------
    pointwise : array_like
        Log likelihood of each point (or their sum) at the posterior mean.
    draws : array_like, shape (draws, points)
        Log likelihood of each point for each draw of the posterior.
    weights : array_like, optional
        Of the draws, as from nested sampling.

    Examples
    --------
    >>> dic([-1.0, -2.0], [[-1.0, -2.0], [-1.5, -2.5]]).value
    7.0
    """
    matrix = _matrix(draws)
    share = _weights(weights, matrix.shape[0])
    totals = matrix.sum(axis=1)
    variance = share @ (totals - share @ totals) ** 2
    size = 1 / float(share @ share)
    return Score(
        "DIC",
        float(-2 * _total(pointwise) + 4 * variance),
        scale=DEVIANCE,
        diagnostics=(f"only {size:.0f} effective draws",) if size < FEW_DRAWS else (),
    )


def waic(draws: ArrayLike, *, weights: ArrayLike | None = None, quadrature: bool = False) -> Score:
    """Expected log predictive density (elpd), by WAIC.

    Σ_i log mean_s p(y_i | θ_s) − Σ_i Var_s log p(y_i | θ_s), in nats: higher is better (Watanabe
    2010).

    Parameters
    ----------
    draws : array_like, shape (draws, points)
        Log likelihood of each point for each draw of the posterior.
    weights : array_like, optional
        Of the draws, as from nested sampling; they must include the prior volume.
    quadrature : bool
        Whether rows and weights are those of a quadrature rule, not random draws.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y, mu = rng.normal(size=50), rng.normal(scale=50**-0.5, size=(1000, 1))
    >>> score = waic(-((y - mu) ** 2) / 2 - np.log(2 * np.pi) / 2)
    >>> round(score.value, 1), round(score.standard_error, 1)
    (-68.1, 4.0)
    """
    matrix = _matrix(draws)
    share = _weights(weights, matrix.shape[0])
    top = matrix.max(axis=0)
    density = top + np.log(share @ np.exp(matrix - top))
    # The correction makes the variance unbiased for independent draws: 1/(S−1) for equal weights.
    variance = share @ (matrix - share @ matrix) ** 2 / (1.0 if quadrature else 1 - share @ share)
    many = int((variance > LARGEST_VARIANCE).sum())
    doubt = f"WAIC is unreliable: the variance exceeds {LARGEST_VARIANCE} at {many} points; use LOO"
    return _elpd("elpd (WAIC)", density - variance, doubt if many else None)


def loo(draws: ArrayLike, *, relative_efficiency: float = 1.0) -> Score:
    """Expected log predictive density (elpd), by leave-one-out.

    Pareto smoothed importance sampling (PSIS-LOO), by arviz-stats.

    Parameters
    ----------
    draws : array_like, shape (draws, points)
        Log likelihood of each point for each draw of the posterior, equally weighted.
    relative_efficiency : float
        Effective number of draws over their number; 1 for independent draws.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y, mu = rng.normal(size=50), rng.normal(scale=50**-0.5, size=(1000, 1))
    >>> round(loo(-((y - mu) ** 2) / 2 - np.log(2 * np.pi) / 2).value, 1)
    -68.1
    """
    stats = need("arviz_stats.base", extra="arviz", purpose="leave-one-out cross-validation")
    matrix = _matrix(draws)
    # If all draws are equal, as for a model without free parameters, leaving a point out changes
    # nothing.
    varies = np.ptp(matrix, axis=0) > 0
    pointwise = matrix[0].copy()
    shape = np.zeros(matrix.shape[1])
    if varies.any():
        smoothed = stats.array_stats.loo(matrix.T[varies, None, :], r_eff=relative_efficiency)
        pointwise[varies], shape[varies] = smoothed[0], smoothed[1]
    # Vehtari et al. (2024): the largest Pareto shape at which S draws suffice.
    largest = min(1 - 1 / np.log10(matrix.shape[0]), 0.7)
    many = int((shape > largest).sum())
    doubt = f"LOO is unreliable: the Pareto shape exceeds {largest:.2f} at {many} points"
    return _elpd("elpd (LOO)", pointwise, doubt if many else None)


def _elpd(criterion: str, pointwise: FloatArray, doubt: str | None) -> Score:
    return Score(
        criterion,
        float(pointwise.sum()),
        standard_error=error_of_sum(pointwise),
        scale="log predictive density",
        lower_is_better=False,
        pointwise=pointwise,
        diagnostics=() if doubt is None else (doubt,),
    )


def _total(pointwise: ArrayLike) -> float:
    return float(one_per_point(pointwise, "log likelihood", sign=-1).sum())


def _count(n_parameters: int) -> int:
    if n_parameters != int(n_parameters) or n_parameters < 0:
        raise ValueError(f"n_parameters must be a whole number, 0 or more; got {n_parameters!r}")
    return int(n_parameters)


def _matrix(draws: ArrayLike) -> FloatArray:
    """Log likelihoods of draws × points."""
    found = np.asarray(draws, dtype=float)
    if found.ndim != 2 or found.shape[0] < 2:
        raise ValueError(
            "draws: need a row for each of several draws of the posterior and a column for each "
            f"point; got shape {found.shape}; stack chains first"
        )
    return -finite(-found, "log likelihood")


def _weights(weights: ArrayLike | None, n_draws: int) -> FloatArray:
    """Normalised weights of the draws, equal ones for None."""
    if weights is None:
        return np.full(n_draws, 1 / n_draws)
    found = np.asarray(weights, dtype=float)
    if found.shape != (n_draws,) or not (found >= 0).all() or not 0 < found.sum() < np.inf:
        raise ValueError(
            f"weights: need {n_draws}, one for each draw, 0 or more and not all 0; got shape "
            f"{found.shape}"
        )
    return np.asarray(found / found.sum())
