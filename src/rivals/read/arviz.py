"""ArviZ trees (DataTree of 1.x, InferenceData of 0.x), in memory or from NetCDF."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike, fsdecode
from typing import Any

import numpy as np

from rivals._say.warn import warn
from rivals._say.words import show
from rivals._types import FloatArray
from rivals.losses import Folds, Losses
from rivals.read.inputs import chosen
from rivals.read.posterior_draws import (
    Reduction,
    check_reduction,
    groups_of,
    leave_one_out_weights,
    reduce_draws,
    relative_efficiency,
)
from rivals.read.two_samples import make_losses
from rivals.read.xarrays import open_labelled

HELD_OUT = "log_likelihood_held_out"
SIMULATED = "log_likelihood_simulated"
TRAINING = "log_likelihood"


def arviz_tree(
    tree: Any,
    *,
    reduction: Reduction,
    held_out: str | None = None,
    simulated: str = SIMULATED,
    variable: str | None = None,
    sample_dims: tuple[str, ...] = ("chain", "draw"),
    simulation: str = "simulation",
    leave_one_out: bool = False,
) -> Losses:
    """Losses of one model from the log likelihoods in an ArviZ tree.

    Parameters
    ----------
    tree : DataTree, InferenceData, or path
        A path is that of a NetCDF file, or of a Zarr folder.
    reduction : {"lpd", "mean", "plugin"}
        How draws of the parameters become one loss per data point, for both groups alike.
        "lpd": −log of the mean likelihood, the loss of the posterior predictive; the
        simulated data must then be drawn from the posterior predictive. "mean": minus the
        mean log likelihood. "plugin": one set of parameters, so one draw.
    held_out : str, optional
        Group with the log likelihood of held-out data; by default
        "log_likelihood_held_out", with `leave_one_out` "log_likelihood".
    simulated : str
        Group with the log likelihood of data that the model simulated.
    variable : str, optional
        Which variable of these groups, if there are several.
    sample_dims : tuple of str
        Dimensions over which the parameters were drawn.
    simulation : str
        Dimension of the group `simulated` that tells simulations apart, if it has one.
    leave_one_out : bool
        True if the points are those that the model was fitted to. The loss of each point is
        then that of the posterior without it, by Pareto smoothed importance sampling
        (PSIS-LOO); for the reduction "lpd". Data are simulated at the inputs of these
        points, and judged by the whole posterior: without one point it differs only to
        second order.

    Returns
    -------
    Losses

    Examples
    --------
    >>> import numpy as np
    >>> import xarray
    >>> rng = np.random.default_rng(0)
    >>> def group():
    ...     log_likelihood = -rng.exponential(size=(2, 50, 100))
    ...     return xarray.Dataset({"y": (("chain", "draw", "point"), log_likelihood)})
    >>> tree = {"log_likelihood_held_out": group(), "log_likelihood_simulated": group()}
    >>> arviz_tree(tree, reduction="lpd")
    Losses(100 observed, 100 synthetic, empirical risk 0.68988)
    """
    check_reduction(reduction, leave_one_out)
    where = "the tree"
    if isinstance(tree, (str, bytes, PathLike)):
        where = show(fsdecode(tree))
        tree = open_labelled(tree)
    if held_out is None:
        held_out = TRAINING if leave_one_out else HELD_OUT
    if held_out == TRAINING and TRAINING in groups_of(tree) and not leave_one_out:
        warn(
            f"{where}: the group {TRAINING!r} is, by convention, of the data that the model was "
            "fitted to: its losses are biased low; pass leave_one_out=True"
        )
    array = _log_likelihood(tree, held_out, variable, where)
    observed = _draws(array, sample_dims, None, f"{where}, group {held_out!r}")
    weights = None
    if leave_one_out:
        weights = leave_one_out_weights(observed, where, relative_efficiency(tree))
    folds: Folds | None = "points" if leave_one_out else None
    losses = reduce_draws(observed, reduction, f"{where}, group {held_out!r}", weights)
    if simulated == SIMULATED and simulated not in groups_of(tree):
        warn(
            f"{where} has observed losses alone: the log likelihood of simulated data, group "
            f"{SIMULATED!r}, cannot be computed from posterior_predictive without the model. "
            f"{_what_to_do(leave_one_out)}"
        )
        return Losses(losses, folds=folds)
    array = _log_likelihood(tree, simulated, variable, where)
    draws = _draws(array, sample_dims, simulation, f"{where}, group {simulated!r}")
    synthetic = reduce_draws(draws, reduction, f"{where}, group {simulated!r}")
    made = make_losses(variable or "in the tree", losses, synthetic, where)
    return replace(made, folds=folds)


def _what_to_do(leave_one_out: bool) -> str:
    """With observed losses alone. Without one point, a model has still seen the others of its
    group.
    """
    if leave_one_out:
        return (
            "With the model, use rivals.read.posterior, or left_out_posterior if there are groups"
        )
    return (
        "Compare them with groups=, if there are replications; else, with the model, use "
        "rivals.read.posterior"
    )


def _draws(
    array: Any, sample_dims: tuple[str, ...], simulation: str | None, where: str
) -> FloatArray:
    """Draws by points, (draws, n), and by simulations between them where the array has these."""
    for name in sample_dims:
        if name not in array.dims:
            raise ValueError(
                f"{where}: no dimension {name!r}; it has {array.dims}; pass sample_dims="
            )
    first = list(sample_dims)
    if simulation is not None and simulation in array.dims:
        first.append(simulation)
    values = np.asarray(array.transpose(*first, ...).values, dtype=np.float64)
    n_draws = int(np.prod(values.shape[: len(sample_dims)]))
    return values.reshape(n_draws, *values.shape[len(sample_dims) : len(first)], -1)


def _log_likelihood(tree: Any, group: str, variable: str | None, where: str) -> Any:
    groups = groups_of(tree)
    if group not in groups:
        hint = ""
        if group == HELD_OUT and TRAINING in groups:
            hint = (
                f"; {TRAINING!r} is that of the data the model was fitted to: pass "
                f"leave_one_out=True, or held_out={TRAINING!r} if you accept losses that "
                "are too low"
            )
        raise ValueError(
            f"{where}: no group {group!r}; it has {', '.join(map(show, groups)) or 'none'}{hint}"
        )
    # Nodes of a DataTree hold a dataset; groups of an InferenceData are one.
    data = getattr(tree[group], "dataset", tree[group])
    variables = [str(name) for name in data.data_vars]
    return data[chosen(variables, variable, f"{where}, group {group!r}")]
