"""Bayesian models that were fitted before: log likelihoods in trees of ArviZ."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rivals._core.cautions import warn
from rivals._core.losses import Losses
from rivals._core.types import FloatArray
from rivals.read._densities import DENSITY
from rivals.read._posterior_draws import (
    draws_first,
    groups_of,
    leave_one_out_losses,
    log_likelihood_in,
    loss_of_draws,
    relative_efficiency,
)

HELD_OUT = "log_likelihood_held_out"
SIMULATED = "log_likelihood_simulated"
FITTED = "log_likelihood"
# The dimension that tells simulations apart.
SIMULATION = "simulation"


def posterior(
    tree: Any,
    *,
    groups: Any = None,
    variable: str | None = None,
    held_out: str = HELD_OUT,
    simulated: str = SIMULATED,
) -> Losses:
    """Losses of a Bayesian model from a tree of ArviZ.

    The loss of a point is minus the log of its mean likelihood over the draws. With log
    likelihoods of held-out points these are judged; with those of the points of the fit, as PyMC,
    Bambi and NumPyro store them, each is judged by the posterior without it (PSIS-LOO).

    Parameters
    ----------
    tree : DataTree, InferenceData, mapping or ELPDData
        With the group "log_likelihood_held_out", or "log_likelihood"; or what
        `arviz_stats.loo_kfold(..., pointwise=True)` returned.
    groups : array_like, optional
        The group of each point.
    variable : str, optional
        Which variable of the group, if there are several.
    held_out, simulated : str
        Groups of log likelihoods: of held-out points, and of points that the model simulated, with
        a dimension "simulation" if there are several simulations.

    Returns
    -------
    Losses

    See Also
    --------
    left_out_posterior : Fits without each group, for answers about new groups.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray
    >>> rng = np.random.default_rng(0)
    >>> values = -rng.exponential(size=(2, 50, 60))
    >>> held_out = xarray.Dataset({"y": (("chain", "draw", "point"), values)})
    >>> tree = xarray.DataTree.from_dict({"log_likelihood_held_out": held_out})
    >>> posterior(tree, groups=np.repeat(["a", "b", "c"], 20))
    Losses(60 points, mean 0.6947, 3 groups)
    """
    if hasattr(tree, "elpd_i"):
        return _of_elpd(tree, groups)
    there = groups_of(tree)
    if held_out in there:
        observed = loss_of_draws(_points(tree, held_out, variable))
    elif FITTED in there:
        values = _points(tree, FITTED, variable)
        observed = leave_one_out_losses(values, relative_efficiency(tree))
        _question_groups(groups)
    else:
        raise ValueError(
            f"the tree has no group {held_out!r}, and no {FITTED!r}; it has "
            f"{', '.join(there) or 'none'}; compute log likelihoods "
            "(pymc.compute_log_likelihood, numpyro.infer.log_likelihood)"
        )
    drawn = _simulated(tree, simulated, variable) if simulated in there else None
    source = DENSITY if held_out in there else replace(DENSITY, alone=True)
    return Losses(observed, drawn, groups=groups, source=source)


def _points(tree: Any, group: str, variable: str | None) -> FloatArray:
    """Log likelihoods, draws × points."""
    values = draws_first(log_likelihood_in(tree, group, variable))
    return values.reshape(len(values), -1)


def _simulated(tree: Any, group: str, variable: str | None) -> FloatArray:
    """Losses of simulated points, a row for each simulation."""
    array = log_likelihood_in(tree, group, variable)
    if SIMULATION in array.dims:
        array = array.transpose(SIMULATION, ...)
        return np.stack([np.ravel(loss_of_draws(draws_first(each))) for each in array])
    return np.ravel(loss_of_draws(draws_first(array)))


def _question_groups(groups: Any) -> None:
    if groups is not None:
        warn(
            "each point was left out alone, and its model has seen the other points of its group: "
            "such losses say too little about new groups; fit without each group by "
            "rivals.read.left_out_posterior"
        )


def _of_elpd(elpd: Any, groups: Any) -> Losses:
    """Pointwise values that ArviZ computed."""
    if elpd.elpd_i is None:
        raise ValueError("the ELPDData has no values of points; pass pointwise=True to ArviZ")
    if elpd.scale != "log":
        raise ValueError(f"the ELPDData has scale {elpd.scale!r}; compute it with scale 'log'")
    is_kfold = elpd.kind == "loo_kfold"
    if not is_kfold:
        _question_groups(groups)
    values = np.ravel(np.asarray(elpd.elpd_i, dtype=np.float64))
    left_out = True if is_kfold and groups is not None else None
    source = replace(DENSITY, left_out=left_out, library="ArviZ", alone=not is_kfold)
    return Losses(-values, groups=groups, source=source)
