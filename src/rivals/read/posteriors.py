"""Posteriors of probabilistic programs: losses on held-out data, and on data that the
posterior predictive simulates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._random import POSTERIOR_CHOICE, POSTERIOR_PREDICTION, entropy_from, stream
from rivals._say.arguments import check_size
from rivals._say.warn import warn
from rivals._types import RNG, FloatArray, IntArray
from rivals.comparison import N_SIMULATIONS
from rivals.losses import Folds, Losses
from rivals.read.posterior_draws import (
    Reduction,
    check_reduction,
    leave_one_out_weights,
    reduce_draws,
    relative_efficiency,
)
from rivals.read.probabilistic_programs import Program, program


def posterior(
    model: Any,
    draws: Any,
    held_out: Any = None,
    *,
    variable: str | None = None,
    observed: str | None = None,
    reduction: Reduction = "lpd",
    leave_one_out: bool = False,
    n_simulations: int = N_SIMULATIONS,
    rng: RNG = None,
) -> Losses:
    """Losses of a Bayesian model from its posterior: PyMC, Bambi, NumPyro or CmdStanPy.

    The log likelihood of the held-out data is computed for each draw and reduced to one
    loss per point. Data are simulated from the posterior predictive at the held-out inputs,
    each point from another draw, and their losses are computed in the same way.

    Parameters
    ----------
    model : pymc.Model, bambi.Model, NumPyro model function or CmdStanModel
    draws : object
        The posterior: what `pymc.sample` or `bambi.Model.fit` returned; the samples of
        NumPyro, by name, its MCMC, or a tree of ArviZ made of it; a CmdStanMCMC.
    held_out : mapping or data frame
        PyMC: name → values of all `pymc.Data` that change, inputs and observed ones, as for
        `pymc.set_data`. Bambi: a data frame with the response. NumPyro: the arguments of
        the model, by name. CmdStanPy: the data of the Stan program.
    variable : str, optional
        The observed variable, if the model has several: PyMC and NumPyro. CmdStanPy: the
        generated quantity with the log likelihood of each point, "log_lik" by default.
    observed : str, optional
        What in `held_out` is observed, if that cannot be inferred: the name of `pymc.Data`
        or the argument of the model. CmdStanPy: the observed data, "y" by default; the
        generated quantity that simulates them is this name with "_rep".
    reduction : {"lpd", "mean", "plugin"}
        As in `arviz_tree`.
    leave_one_out : bool
        True if there are no held-out data: `held_out` are those that the model was fitted
        to (None: those in the model, for PyMC and Bambi), and the loss of each point is
        that of the posterior without it, by Pareto smoothed importance sampling (PSIS-LOO).
        A point is simulated by, and judged under, the same posterior without the observed
        one.
    n_simulations : int
    rng : int, SeedSequence, Generator, optional

    Returns
    -------
    Losses

    See Also
    --------
    arviz_tree : From log likelihoods that were computed before.
    cross_validated : Estimators of scikit-learn, fold by fold.

    Notes
    -----
    The points of the held-out data must be independent given the parameters: the log
    likelihood is taken point by point. The model itself is not changed. CmdStanPy runs the
    generated quantities once for the held-out data and once for each simulation.

    Examples
    --------
    >>> import numpy as np
    >>> import numpyro
    >>> from numpyro import distributions
    >>> from rivals.read import posterior
    >>> def model(x, y=None):
    ...     slope = numpyro.sample("slope", distributions.Normal(0, 5))
    ...     numpyro.sample("y", distributions.Normal(slope * x, 0.5), obs=y)
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> held_out = {"x": x, "y": 2.0 * x + 0.5 * rng.normal(size=200)}
    >>> draws = {"slope": rng.normal(2.0, 0.1, size=500)}  # or an MCMC that has run
    >>> posterior(model, draws, held_out, rng=0)
    Losses(200 observed, 16 × 200 synthetic, empirical risk 0.75474)

    In PyMC, with data in containers, the call is the same: `posterior(model,
    pymc.sample(model=model), {"x": x_new, "y_observed": y_new})`.
    """
    check_reduction(reduction, leave_one_out)
    n_simulations = check_size(n_simulations, "n_simulations")
    fitted = program(model, draws, held_out, variable, observed)
    _check_seen(fitted, leave_one_out)
    (likelihood,) = fitted.log_likelihood([fitted.observed])
    if likelihood.ndim == 1:
        raise ValueError(
            "the model has one likelihood for all points together, as a Gaussian process "
            "has; write them as independent given the parameters"
        )
    flat = likelihood.reshape(len(likelihood), -1)
    weights = None
    if leave_one_out:
        weights = leave_one_out_weights(flat, "the posterior", relative_efficiency(draws))

    def reduced(values: FloatArray) -> FloatArray:
        return reduce_draws(values.reshape(len(values), -1), reduction, "the posterior", weights)

    simulations = simulated_targets(
        fitted, flat.shape[1], weights, n_simulations, entropy_from(rng)
    )
    synthetic = np.stack([reduced(values) for values in fitted.log_likelihood(simulations)])
    folds: Folds | None = "points" if leave_one_out else None
    return Losses(reduced(likelihood), synthetic, may_repeat=True, folds=folds)


def _check_seen(fitted: Program, leave_one_out: bool) -> None:
    if fitted.of_points and not leave_one_out:
        warn(
            f"{fitted.of_points[0]!r} was drawn for each point of the fit, and is taken for "
            "the held-out ones; that is right for new data of the same units alone"
        )
    if leave_one_out and fitted.seen is False:
        raise ValueError(
            "leave_one_out is for the data that the model was fitted to, but others are "
            "given; leave out held_out or leave_one_out"
        )
    if fitted.seen and not leave_one_out:
        warn(
            "the held-out data are those in the model, to which it was fitted: such losses "
            "are biased low; pass other data, or leave_one_out=True"
        )


def simulated_targets(
    fitted: Program,
    n_points: int,
    log_weights: FloatArray | None,
    n_simulations: int,
    entropy: int,
    *,
    together: IntArray | None = None,
) -> list[npt.NDArray[Any]]:
    """Simulated data sets, each point of each from another draw of the posterior, or by the
    weights of draws at this point. Points of one number in `together` come from one draw.
    """
    if together is None:
        together = np.arange(n_points)
    n_units = int(together.max()) + 1
    found: list[npt.NDArray[Any]] = []
    while len(found) < n_simulations:
        seed = int(stream(entropy, POSTERIOR_PREDICTION, len(found)).integers(2**31))
        predicted = fitted.predict(seed)
        n_draws = len(predicted)
        n_more = min(n_simulations - len(found), n_draws)
        rng = stream(entropy, POSTERIOR_CHOICE, len(found))
        if log_weights is None:
            # Draws in an order of their own for each point: row s is the s-th simulation.
            order = np.broadcast_to(np.arange(n_draws)[:, None], (n_draws, n_units))
            chosen = rng.permuted(order, axis=0)[:n_more, together]
        else:
            chosen = _drawn_by_weights(log_weights, n_more, rng)
        # A point may consist of several numbers, which belong together.
        simulated = predicted.reshape(n_draws, n_points, -1)[chosen, np.arange(n_points)]
        # Simulated data keep what observed ones lack: numbers that were observed as integers may
        # not be simulated as such.
        kind = np.result_type(np.asarray(fitted.observed), simulated)
        found += list(simulated.reshape(n_more, *predicted.shape[1:]).astype(kind))
    return found


def _drawn_by_weights(log_weights: FloatArray, n: int, rng: np.random.Generator) -> IntArray:
    """For each point, n draws by its weights, (n, points)."""
    edges = np.cumsum(np.exp(log_weights), axis=0)
    levels = rng.random((n, log_weights.shape[1])) * edges[-1]
    return np.stack([np.sum(edges[:-1] < each, axis=0, dtype=np.intp) for each in levels])
