"""ArviZ trees (DataTree of 1.x, InferenceData of 0.x), in memory or from NetCDF."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any, Literal

import numpy as np
from scipy.special import logsumexp

from rivals._checks import check_choice, show, warn
from rivals._types import FloatArray
from rivals.losses import Losses
from rivals.read.inputs import chosen
from rivals.read.labelled_files import open_labelled
from rivals.read.leave_one_out import groups_of, leave_one_out_weights, relative_efficiency
from rivals.read.loss_tables import make_losses

Reduction = Literal["lpd", "mean", "plugin"]
REDUCTIONS: tuple[Reduction, ...] = ("lpd", "mean", "plugin")

HELD_OUT, SIMULATED, TRAINING = "log_likelihood_held_out", "log_likelihood_simulated", "log_likelihood"
NO_SIMULATIONS = (
    f"the log likelihood of simulated data, group {SIMULATED!r}, cannot be computed from posterior_predictive without the model. Compare them "
    "with groups=, if there are replications; else, with the model, rivals.read.posterior computes all that is needed, or save that group"
)


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
        How draws of the parameters become one loss per data point, for both groups alike. "lpd": −log of the mean
        likelihood, the loss of the posterior predictive; the simulated data must then be drawn from the posterior
        predictive. "mean": minus the mean log likelihood. "plugin": one set of parameters, so one draw.
    held_out : str, optional
        Group with the log likelihood of held-out data; by default "log_likelihood_held_out", with `leave_one_out` "log_likelihood".
    simulated : str
        Group with the log likelihood of data that the model simulated.
    variable : str, optional
        Which variable of these groups, if there are several.
    sample_dims : tuple of str
        Dimensions over which the parameters were drawn.
    simulation : str
        Dimension of the group `simulated` that tells simulations apart, if it has one.
    leave_one_out : bool
        True if the points are those that the model was fitted to. The loss of each point is then that of the posterior
        without it, by Pareto smoothed importance sampling (PSIS-LOO); for the reduction "lpd". Data are simulated at the
        inputs of these points, and judged by the whole posterior: without one point it differs only to second order.

    Returns
    -------
    Losses

    Examples
    --------
    >>> import numpy as np
    >>> import xarray
    >>> rng = np.random.default_rng(0)
    >>> group = lambda: xarray.Dataset({"y": (("chain", "draw", "point"), -rng.exponential(size=(2, 50, 100)))})
    >>> tree = {"log_likelihood_held_out": group(), "log_likelihood_simulated": group()}
    >>> arviz_tree(tree, reduction="lpd")
    Losses(100 observed, 100 synthetic, empirical risk 0.68988)
    """
    check_reduction(reduction, leave_one_out)
    where = "the tree"
    if isinstance(tree, (str, PathLike)):
        where, tree = show(fspath(tree)), open_labelled(tree)
    if held_out is None:
        held_out = TRAINING if leave_one_out else HELD_OUT
    if held_out == TRAINING and TRAINING in groups_of(tree) and not leave_one_out:
        warn(
            f"{where}: the group {TRAINING!r} is, by convention, the log likelihood of the data that the model was fitted to, and such "
            "losses are biased low, most for flexible models; compute it for held-out data, or pass leave_one_out=True",
        )

    def draws_of(group: str, kept: str | None) -> FloatArray:
        return _draws(_log_likelihood(tree, group, variable, where), sample_dims, kept, f"{where}, group {group!r}")

    observed = draws_of(held_out, None)
    weights = leave_one_out_weights(observed, where, relative_efficiency(tree)) if leave_one_out else None
    observed = reduce_draws(observed, reduction, f"{where}, group {held_out!r}", weights)
    if simulated == SIMULATED and simulated not in groups_of(tree):
        warn(f"{where} has observed losses alone: {NO_SIMULATIONS}")
        return Losses(observed)
    synthetic = reduce_draws(draws_of(simulated, simulation), reduction, f"{where}, group {simulated!r}")
    return make_losses(variable or "in the tree", observed, synthetic, where)


def check_reduction(reduction: str, leave_one_out: bool) -> None:
    """A reduction that is known, and the one that leave-one-out weights are for."""
    check_choice(reduction, "reduction", REDUCTIONS)
    if leave_one_out and reduction != "lpd":
        raise ValueError(
            f"leave_one_out is for the reduction 'lpd', the loss of the posterior predictive; got {reduction!r}"
        )


def _log_likelihood(tree: Any, group: str, variable: str | None, where: str) -> Any:
    groups = groups_of(tree)
    if group not in groups:
        hint = ""
        if group == HELD_OUT and TRAINING in groups:
            hint = (
                f"; {TRAINING!r} is that of the data the model was fitted to: compute the log likelihood of held-out data, or pass "
                f"held_out={TRAINING!r} if you accept that losses are then too low"
            )
        raise ValueError(f"{where}: no group {group!r}; it has {', '.join(map(show, groups)) or 'none'}{hint}")
    # Nodes of a DataTree hold a dataset; groups of an InferenceData are one.
    data = getattr(tree[group], "dataset", tree[group])
    return data[chosen([str(name) for name in data.data_vars], variable, f"{where}, group {group!r}")]


def _draws(array: Any, sample_dims: tuple[str, ...], kept: str | None, where: str) -> FloatArray:
    """Draws by points, (draws, n), and by the dimension `kept` between them where the array has it."""
    absent = [name for name in sample_dims if name not in array.dims]
    if absent:
        raise ValueError(
            f"{where}: no dimension {', '.join(map(repr, absent))}; it has {array.dims}; pass sample_dims="
        )
    rows = (kept,) if kept in array.dims else ()
    values = np.asarray(array.transpose(*sample_dims, *rows, ...).values, dtype=np.float64)
    n_draws = int(np.prod(values.shape[: len(sample_dims)]))
    return values.reshape(n_draws, *(array.sizes[name] for name in rows), -1)


def reduce_draws(
    draws: FloatArray, reduction: Reduction, where: str, log_weights: FloatArray | None = None
) -> FloatArray:
    """One loss per point from the log likelihood for each draw of the parameters, (draws, ...), which may be weighted."""
    n_draws = len(draws)
    if log_weights is not None:
        return np.asarray(-logsumexp(draws + log_weights, axis=0))
    if reduction == "plugin":
        if n_draws != 1:
            raise ValueError(
                f"{where}: 'plugin' means one set of parameters, but there are {n_draws} draws; use 'lpd' or 'mean', or "
                "compute the log likelihood at a point estimate"
            )
        return np.asarray(-draws[0])
    if reduction == "mean":
        return np.asarray(-draws.mean(axis=0))
    return np.asarray(np.log(n_draws) - logsumexp(draws, axis=0))
