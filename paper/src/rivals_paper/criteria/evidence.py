"""The evidence, by nested sampling: the probability of the data, averaged over the prior.

Skilling (2006); sampled by dynesty (Speagle 2020). The difference of two log evidences is the log
of the Bayes factor.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rivals import RivalsWarning
from rivals.criteria import Score, difference
from rivals_paper.arrays import RNG, FloatArray
from rivals_paper.checks import need

# A posterior this close to an end of the prior (as a fraction of prior mass) piles up there.
EDGE = 0.01


@dataclass(frozen=True, eq=False)
class Evidence:
    """The result of nested sampling: the log evidence, and weighted draws of the posterior.

    Parameters
    ----------
    score : Score
        Minus the log evidence, with its error: lower is better.
    parameters : ndarray, shape (draws, parameters)
    weights : ndarray, shape (draws,)
        Posterior weights, prior volume included.

    Examples
    --------
    >>> import numpy as np
    >>> from rivals_paper import criteria
    >>> score = criteria.Score(
    ...     "log evidence", 12.3, standard_error=0.1, scale="−log evidence"
    ... )
    >>> evidence = criteria.Evidence(
    ...     score, np.array([[0.0], [1.0]]), np.array([0.25, 0.75])
    ... )
    >>> evidence.resample(5, rng=0).shape
    (5, 1)
    """

    score: Score
    parameters: FloatArray = field(repr=False)
    weights: FloatArray = field(repr=False)

    def resample(self, n: int, rng: RNG = None) -> FloatArray:
        """Return `n` equally weighted draws of the posterior."""
        chosen = np.random.default_rng(rng).choice(self.weights.size, size=n, p=self.weights)
        return self.parameters[chosen]


def log_evidence(
    log_likelihood: Callable[[FloatArray], float],
    prior_transform: Callable[[FloatArray], ArrayLike],
    n_parameters: int,
    *,
    n_live: int = 500,
    precision: float = 0.01,
    rng: RNG = None,
    progress: bool = True,
    **options: Any,
) -> Evidence:
    """Return the log evidence of a model by nested sampling.

    Parameters
    ----------
    log_likelihood : callable
        ``log_likelihood(parameters)`` of all the data together; −inf if the parameters are
        impossible.
    prior_transform : callable
        Maps the unit cube to parameters distributed as the prior.
    n_parameters : int
    n_live : int
        Number of live points: the error is inversely proportional to its square root.
    precision : float
        Stop when the remaining evidence is below this, in nats.
    rng : int, SeedSequence, Generator or None
    progress : bool
        Show dynesty's progress.
    **options
        Passed to `dynesty.NestedSampler`: ``sample="rwalk"``, ``bound="multi"``, ...

    Returns
    -------
    Evidence

    Warns
    -----
    RivalsWarning
        If most of the posterior piles up at an end of the prior: the prior excludes values that the
        data favour.

    Examples
    --------
    >>> import numpy as np
    >>> from rivals_paper import criteria
    >>> y = np.random.default_rng(0).normal(0.3, 1.0, 20)
    >>> def log_likelihood(parameters):
    ...     return float(np.sum(-((y - parameters[0]) ** 2) / 2 - np.log(2 * np.pi) / 2))
    >>> evidence = criteria.log_evidence(
    ...     log_likelihood,
    ...     lambda unit: 10 * unit - 5,
    ...     1,
    ...     n_live=50,
    ...     precision=0.1,
    ...     rng=0,
    ...     progress=False,
    ... )
    >>> exact = (
    ...     y.size * np.log(2 * np.pi) / 2
    ...     + y.size * np.var(y) / 2
    ...     - np.log(np.sqrt(2 * np.pi / y.size) / 10)
    ... )
    >>> bool(abs(evidence.score.value - exact) < 4 * evidence.score.standard_error)
    True
    """
    dynesty = need("dynesty", "nested sampling")
    sampler = dynesty.NestedSampler(
        partial(_checked, log_likelihood),
        prior_transform,
        n_parameters,
        nlive=n_live,
        rstate=np.random.default_rng(rng),
        **options,
    )
    sampler.run_nested(dlogz=precision, print_progress=progress)
    run = sampler.results
    weights = np.exp(run.logwt - run.logz[-1])
    weights /= weights.sum()
    doubts = _pressed(np.asarray(run.samples_u), weights)
    for doubt in doubts:
        warnings.warn(doubt, RivalsWarning, stacklevel=2)
    score = Score(
        "log evidence",
        -float(run.logz[-1]),
        standard_error=float(run.logzerr[-1]),
        scale="−log evidence",
        diagnostics=doubts,
    )
    return Evidence(score, np.asarray(run.samples), weights)


def bayes_factor(model: Evidence, reference: Evidence) -> tuple[float, float]:
    """Return log10 of the Bayes factor of a model over a reference, and its standard error.

    Positive values favour the model.

    Parameters
    ----------
    model, reference : Evidence
        From `log_evidence`, for the same data.

    Returns
    -------
    (float, float)

    Examples
    --------
    >>> import numpy as np
    >>> from rivals_paper import criteria
    >>> def evidence(log_evidence):
    ...     score = criteria.Score(
    ...         "log evidence", -log_evidence, standard_error=0.1, scale="−log evidence"
    ...     )
    ...     return criteria.Evidence(score, np.zeros((1, 1)), np.ones(1))
    >>> value, error = criteria.bayes_factor(evidence(-10.0), evidence(-14.6))
    >>> round(value, 2), round(error, 2)
    (2.0, 0.06)
    """
    value, error = difference(model.score, reference.score)
    return -value / log(10), (error or 0.0) / log(10)


def _checked(log_likelihood: Callable[[FloatArray], float], parameters: FloatArray) -> float:
    """The log likelihood, with an error that names the parameters at which it is not a number."""
    value = float(log_likelihood(parameters))
    if np.isnan(value) or value == np.inf:
        raise ValueError(
            f"log likelihood: {value} at the parameters {np.asarray(parameters).tolist()}; "
            "return −inf for impossible parameters, and keep the noise level above zero"
        )
    return value


def _pressed(cube: FloatArray, weights: FloatArray) -> tuple[str, ...]:
    """List the parameters whose posterior piles up at an end of the prior."""
    doubts = []
    for index, column in enumerate(cube.T):
        for end, mass in (
            ("lower", weights @ (column < EDGE)),
            ("upper", weights @ (column > 1 - EDGE)),
        ):
            if mass > 0.5:
                doubts.append(
                    f"the prior of parameter {index} excludes values that the data favour, "
                    "and the evidence reflects the prior more than the model: "
                    f"{100 * mass:.0f} % of the posterior lies in its {end} {100 * EDGE:.0f} %; widen it, "
                    "or check its units"
                )
    return tuple(doubts)
