"""Minimum description length, as normalised maximum likelihood: −log likelihood + log complexity.

The complexity ∫ max_θ p(x | θ) dx says how much of all possible data the family can fit (Rissanen
1996; Grünwald 2007). It is infinite for many families unless the parameters are restricted: here
the integral runs over the data whose best parameters lie in a stated domain. Two methods, which
agree for many data: by Monte Carlo, and by the Fisher information, (k/2) log(n/2π) + log ∫ √det
I(θ) dθ.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import log, pi
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from rivals import RivalsWarning
from rivals.criteria import Score, one_per_point
from rivals_paper.arrays import RNG, FloatArray

# Below this many effective samples the Monte Carlo complexity and its error are unreliable.
FEW_SAMPLES = 50


def mdl(log_likelihood: ArrayLike, complexity: Score) -> Score:
    """Return the description length of the data by the normalised maximum likelihood of a family.

    Parameters
    ----------
    log_likelihood : array_like
        Log likelihood of each data point (or their sum) at the maximum, fitted to these same data.
    complexity : Score
        **The family's own** log complexity for this number of data, from `complexity_monte_carlo`
        or `complexity_fisher`.

    Returns
    -------
    Score
        In nats: lower is better. Its standard error is that of the complexity.

    Examples
    --------
    >>> from rivals_paper import criteria
    >>> complexity = criteria.complexity_fisher(
    ...     lambda mean: [[1.0]], [(-5.0, 5.0)], n_data=3, rng=0
    ... )
    >>> round(criteria.mdl([-1.0, -2.0, -0.5], complexity).value, 3)
    5.433
    """
    total = one_per_point(log_likelihood, "log likelihood", sign=-1).sum()
    return Score(
        "MDL",
        float(-total + complexity.value),
        standard_error=complexity.standard_error,
        scale="−log likelihood",
        diagnostics=complexity.diagnostics,
    )


def complexity_monte_carlo(
    simulate: Callable[[FloatArray, np.random.Generator], Any],
    log_likelihood: Callable[[FloatArray, Any], FloatArray],
    maximise: Callable[[Any], tuple[FloatArray, float]],
    nodes: ArrayLike,
    *,
    inside: Callable[[FloatArray], bool] | None = None,
    n_samples: int = 4000,
    rng: RNG = None,
) -> Score:
    """Return the log complexity of a family by importance sampling.

    Data sets are drawn from the even mixture of the family's members at `nodes`, whose density is
    known exactly; the complexity is the mean of max_θ p(x | θ) / mixture(x). Nodes should cover the
    domain about as densely as the data can tell parameters apart (a few standard errors at most),
    else the error grows.

    Parameters
    ----------
    simulate : callable
        ``simulate(parameters, rng)`` returns a data set of the size of the real one.
    log_likelihood : callable
        ``log_likelihood(nodes, data)`` of the whole data set, at each of the nodes.
    maximise : callable
        ``maximise(data)`` returns the best parameters and the log likelihood there.
    nodes : array_like, shape (nodes, parameters)
        Parameters of the members of the mixture.
    inside : callable, optional
        ``inside(parameters)`` says whether best parameters belong to the domain. By default all do.
    n_samples : int
        Number of data sets.
    rng : int, SeedSequence, Generator or None

    Returns
    -------
    Score
        The log complexity with its Monte Carlo error.

    Warns
    -----
    RivalsWarning
        If few samples carry the whole result.

    Examples
    --------
    A Gaussian of unknown mean between −5 and 5 and of variance 1, for 100 data points; a data set
    is its mean:

    >>> import numpy as np
    >>> def log_likelihood(means, data):
    ...     return -50 * (data - means[:, 0]) ** 2 + np.log(100 / (2 * np.pi)) / 2
    >>> score = complexity_monte_carlo(
    ...     simulate=lambda mean, rng: rng.normal(mean[0], 0.1),
    ...     log_likelihood=log_likelihood,
    ...     maximise=lambda data: (np.array([data]), np.log(100 / (2 * np.pi)) / 2),
    ...     nodes=np.linspace(-5.5, 5.5, 111)[:, None],
    ...     inside=lambda mean: abs(mean[0]) < 5,
    ...     n_samples=2000,
    ...     rng=0,
    ... )
    >>> round(score.value, 1)
    3.7
    """
    points = np.atleast_2d(np.asarray(nodes, dtype=np.float64))
    generator = np.random.default_rng(rng)
    log_weights = np.full(n_samples, -np.inf)
    for i in range(n_samples):
        data = simulate(points[i % len(points)], generator)
        best, maximum = maximise(data)
        if inside is None or inside(best):
            mixture = logsumexp(log_likelihood(points, data)) - log(len(points))
            log_weights[i] = maximum - mixture
    if np.isneginf(log_weights).all():
        raise ValueError(
            f"inside: none of the {n_samples} simulated data sets has its best parameters in the "
            "domain; move the nodes"
        )
    value, error, weights = _log_mean(log_weights)
    effective = float(weights.sum() ** 2 / (weights @ weights))
    doubts: tuple[str, ...] = ()
    if effective < FEW_SAMPLES:
        doubts = (
            (
                f"the complexity is unreliable: it rests on {effective:.0f} effective samples of "
                f"{n_samples}; add nodes or samples"
            ),
        )
        warnings.warn(doubts[0], RivalsWarning, stacklevel=2)
    return _log_complexity(value, error, doubts)


def complexity_fisher(
    fisher: Callable[[FloatArray], ArrayLike],
    domain: ArrayLike,
    n_data: int,
    *,
    n_nodes: int = 1024,
    n_repeats: int = 8,
    rng: RNG = None,
) -> Score:
    """Return the log complexity of a family for many data, by its Fisher information.

    Parameters
    ----------
    fisher : callable
        ``fisher(parameters)`` returns the information matrix of one data point (the average over
        the design).
    domain : array_like, shape (parameters, 2)
        Lower and upper end of each parameter. The result does not depend on the parametrisation;
        logs of scales make the integral easy.
    n_data : int
    n_nodes : int
        Points of the quasi-random rule for the integral, a power of two.
    n_repeats : int
        Independent scramblings, from which the error is estimated.
    rng : int, SeedSequence, Generator or None

    Returns
    -------
    Score

    Examples
    --------
    A Gaussian of unknown mean between −5 and 5 and of variance 1, for 100 data points:

    >>> score = complexity_fisher(lambda mean: [[1.0]], [(-5.0, 5.0)], n_data=100, rng=0)
    >>> round(score.value, 3)
    3.686
    """
    from scipy.stats import qmc

    box = np.asarray(domain, dtype=np.float64)
    if box.ndim != 2 or box.shape[1] != 2 or not (box[:, 0] < box[:, 1]).all():
        raise ValueError(
            "domain: expected a lower and a larger upper end for each parameter; "
            f"got {box.tolist()}"
        )
    k = len(box)
    means = np.empty(n_repeats)
    for r, seed in enumerate(np.random.default_rng(rng).spawn(n_repeats)):
        unit = qmc.Sobol(k, rng=seed).random(n_nodes)
        information = np.array(
            [fisher(point) for point in box[:, 0] + unit * (box[:, 1] - box[:, 0])]
        )
        sign, log_determinant = np.linalg.slogdet(information.reshape(-1, k, k))
        if not (sign > 0).all():
            raise ValueError(
                f"fisher: the information is singular at {int((sign <= 0).sum())} of {n_nodes} "
                "points of the domain: some parameters cannot be told apart there; reparametrise, "
                "or shrink the domain"
            )
        means[r] = logsumexp(log_determinant / 2) - log(n_nodes)
    volume = float(np.log(box[:, 1] - box[:, 0]).sum())
    integral, error, _ = _log_mean(means)
    return _log_complexity(k / 2 * log(n_data / (2 * pi)) + volume + integral, error)


def _log_complexity(value: float, error: float, doubts: tuple[str, ...] = ()) -> Score:
    name = "log complexity"
    return Score(name, value, standard_error=error, scale=name, diagnostics=doubts)


def _log_mean(logs: FloatArray) -> tuple[float, float, FloatArray]:
    """The log of the mean, its error, and the numbers themselves relative to the largest."""
    relative = np.exp(logs - logs.max())
    mean = relative.mean()
    error = float(relative.std(ddof=1) / mean / np.sqrt(logs.size))
    return float(logs.max() + np.log(mean)), error, relative
