"""ArviZ trees (DataTree of 1.x, InferenceData of 0.x), in memory or from NetCDF; and how
posterior draws become losses, also without each point.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np
from scipy.special import logsumexp

from rivals._say.arguments import check_choice
from rivals._say.optional import need
from rivals._say.warn import warn
from rivals._say.words import show
from rivals._types import FloatArray
from rivals.losses import Losses
from rivals.read.inputs import chosen
from rivals.read.two_samples import make_losses
from rivals.read.xarrays import open_labelled

Reduction = Literal["lpd", "mean", "plugin"]

# Vehtari et al. (2024): above this shape the weights have too heavy a tail for any
# practical number of draws.
LARGEST_SHAPE = 0.7
NAMED = 5

HELD_OUT, SIMULATED, TRAINING = (
    "log_likelihood_held_out",
    "log_likelihood_simulated",
    "log_likelihood",
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
    if isinstance(tree, (str, PathLike)):
        where, tree = show(fspath(tree)), open_labelled(tree)
    held_out = held_out or (TRAINING if leave_one_out else HELD_OUT)
    if held_out == TRAINING and TRAINING in groups_of(tree) and not leave_one_out:
        warn(
            f"{where}: the group {TRAINING!r} is, by convention, of the data that the model "
            "was fitted to: its losses are biased low; pass leave_one_out=True"
        )

    def draws_of(group: str, rows: str | None = None) -> FloatArray:
        """Draws by points, (draws, n), and by the dimension `rows` between them where the
        group has it.
        """
        array = _log_likelihood(tree, group, variable, where)
        absent = [name for name in sample_dims if name not in array.dims]
        if absent:
            raise ValueError(
                f"{where}, group {group!r}: no dimension {absent[0]!r}; it has "
                f"{array.dims}; pass sample_dims="
            )
        kept = [name for name in (rows,) if name in array.dims]
        values = np.asarray(array.transpose(*sample_dims, *kept, ...).values, dtype=np.float64)
        n_draws = int(np.prod(values.shape[: len(sample_dims)]))
        return values.reshape(n_draws, *(array.sizes[name] for name in kept), -1)

    observed = draws_of(held_out)
    weights = (
        leave_one_out_weights(observed, where, relative_efficiency(tree)) if leave_one_out else None
    )
    losses = reduce_draws(observed, reduction, f"{where}, group {held_out!r}", weights)
    if simulated == SIMULATED and simulated not in groups_of(tree):
        warn(
            f"{where} has observed losses alone: the log likelihood of simulated data, "
            f"group {SIMULATED!r}, cannot be computed from posterior_predictive without the "
            "model. Compare them with groups=, if there are replications; else, with the "
            "model, use rivals.read.posterior"
        )
        return Losses(losses)
    synthetic = reduce_draws(
        draws_of(simulated, simulation), reduction, f"{where}, group {simulated!r}"
    )
    return make_losses(variable or "in the tree", losses, synthetic, where)


def check_reduction(reduction: str, leave_one_out: bool) -> None:
    """A reduction that is known, and the one that leave-one-out weights are for."""
    check_choice(reduction, "reduction", ("lpd", "mean", "plugin"))
    if leave_one_out and reduction != "lpd":
        raise ValueError(
            "leave_one_out is for the reduction 'lpd', of the posterior predictive; got "
            f"{reduction!r}"
        )


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
    return data[
        chosen([str(name) for name in data.data_vars], variable, f"{where}, group {group!r}")
    ]


def reduce_draws(
    draws: FloatArray, reduction: Reduction, where: str, log_weights: FloatArray | None = None
) -> FloatArray:
    """One loss per point from the log likelihood for each draw of the parameters, (draws,
    ...), which may be weighted.
    """
    if log_weights is not None:
        return np.asarray(-logsumexp(draws + log_weights, axis=0))
    if reduction == "plugin" and len(draws) != 1:
        raise ValueError(
            f"{where}: 'plugin' means one set of parameters, but there are {len(draws)} "
            "draws; use 'lpd' or 'mean', or a point estimate"
        )
    if reduction != "lpd":
        return np.asarray(-draws.mean(axis=0))
    return np.asarray(np.log(len(draws)) - logsumexp(draws, axis=0))


def relative_efficiency(draws: Any) -> float:
    """Effective number of posterior draws over their number, as `az.loo` computes it: the
    mean over all parameters; 1 for one chain.

    Parameters
    ----------
    draws : object
        A tree with the group posterior, an MCMC of NumPyro, or anything else, whose
        efficiency is taken for 1.
    """
    values = []
    if hasattr(draws, "get_samples"):
        values = [np.asarray(each) for each in draws.get_samples(group_by_chain=True).values()]
    elif "posterior" in groups_of(draws):
        group = getattr(draws["posterior"], "dataset", draws["posterior"])
        numbers = [
            each
            for each in group.data_vars.values()
            if each.dtype.kind in "biuf" and "chain" in each.dims
        ]
        values = [each.transpose("chain", "draw", ...).values for each in numbers]
    if not values or len(values[0]) == 1:
        return 1.0
    sizes = [
        np.ravel(_array_stats().ess(each, chain_axis=0, draw_axis=1, method="mean"))
        for each in values
    ]
    return float(np.mean(np.concatenate(sizes)) / np.prod(values[0].shape[:2]))


def groups_of(tree: Any) -> list[str]:
    """Names of the groups of a DataTree, an InferenceData or a mapping; none of anything else."""
    groups = getattr(tree, "children", None)
    if groups is None:
        groups = (
            tree.groups()
            if callable(getattr(tree, "groups", None))
            else tree
            if isinstance(tree, Mapping)
            else ()
        )
    return [str(group) for group in groups]


def _array_stats() -> Any:
    return need(
        "arviz_stats.base", extra="arviz", purpose="leave-one-out cross-validation"
    ).array_stats


def leave_one_out_weights(
    log_likelihood: FloatArray, where: str, efficiency: float = 1.0
) -> FloatArray:
    """Logs of the weights that turn posterior draws into draws of the posterior without
    each point, (draws, points).

    Parameters
    ----------
    log_likelihood : array, shape (draws, points)
        Of the data that the model was fitted to, for each draw.
    where : str
        Whose they are, for messages.
    efficiency : float
        As `relative_efficiency` gives it: correlated draws need a longer tail.

    Returns
    -------
    array, shape (draws, points)
        The weights of each point add up to one.
    """
    n_draws, n_points = log_likelihood.shape
    weights = np.full(log_likelihood.shape, -np.log(n_draws))
    shape = np.zeros(n_points)
    # If all draws are equal, leaving a point out changes nothing.
    varies = np.ptp(log_likelihood, axis=0) > 0
    if varies.any():
        smoothed, shape[varies] = _array_stats().psislw(
            log_likelihood.T[varies], r_eff=efficiency, axis=-1
        )
        weights[:, varies] = np.asarray(smoothed).T
    largest = min(1.0 - 1.0 / np.log10(max(n_draws, 11)), LARGEST_SHAPE)
    bad = np.flatnonzero(~(shape <= largest))
    if bad.size:
        named = ", ".join(f"{index} ({shape[index]:.2f})" for index in bad[:NAMED])
        warn(
            f"{where}: leave-one-out losses of {bad.size} of {n_points} points are not to "
            f"be trusted, since their Pareto k̂ exceeds {largest:.2f}: point "
            f"{named}{', …' if bad.size > NAMED else ''}, counted from 0; more draws help "
            "where k̂ is below 0.7; else use folds"
        )
    return weights
