"""Log likelihoods of posterior draws, in any form, and the losses they make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import logsumexp

from rivals._core.cautions import warn
from rivals._core.optional import need
from rivals._core.types import FloatArray

# Dimensions over which parameters were drawn.
DRAWN = ("chain", "draw")
# Vehtari et al. (2024): above this shape the weights have too heavy a tail for any number of draws.
LARGEST_SHAPE = 0.7
# How many of the points are named.
NAMED = 5


def groups_of(tree: Any) -> list[str]:
    """Names of the groups of a DataTree, an InferenceData or a mapping; none of anything else."""
    groups = getattr(tree, "children", None)
    if groups is None and callable(getattr(tree, "groups", None)):
        groups = tree.groups()
    elif groups is None and isinstance(tree, Mapping):
        groups = tree
    return [str(group) for group in groups or ()]


def log_likelihood_in(tree: Any, group: str, variable: str | None) -> Any:
    """The variable of a group, as an array with names of its dimensions."""
    data = getattr(tree[group], "dataset", tree[group])
    names = [str(name) for name in data.data_vars]
    if variable is None and len(names) == 1:
        variable = names[0]
    if variable not in names:
        wrong = "has several variables" if variable is None else f"has no {variable!r}"
        raise ValueError(f"group {group!r} {wrong}; pass variable= one of {', '.join(names)}")
    return data[variable]


def draws_first(values: Any) -> FloatArray:
    """Log likelihoods as (draws, …), from an array with names of its dimensions or without."""
    if hasattr(values, "dims"):
        drawn = [name for name in DRAWN if name in values.dims]
        if not drawn:
            raise ValueError(
                f"the log likelihood has dimensions {values.dims}, none of them 'chain' or 'draw'"
            )
        values = values.transpose(*drawn, ...).values
        return np.asarray(values, dtype=np.float64).reshape(-1, *values.shape[len(drawn) :])
    return np.asarray(values, dtype=np.float64)


def loss_of_draws(log_likelihood: FloatArray) -> FloatArray:
    """Minus the log of the mean likelihood over draws, the first axis: of the predictive density.

    Examples
    --------
    >>> loss_of_draws(np.log([[0.5], [0.25]])).round(3)
    array([0.981])
    """
    return np.asarray(np.log(len(log_likelihood)) - logsumexp(log_likelihood, axis=0))


def effective_draws(log_likelihood: FloatArray) -> FloatArray:
    """How many draws the mean likelihood of each unit rests on: (Σ p)² / Σ p².

    Examples
    --------
    >>> effective_draws(np.log([[0.5, 1.0], [0.5, 1e-9]])).round(3)
    array([2., 1.])
    """
    with np.errstate(invalid="ignore"):  # a likelihood of zero is refused with the losses
        logs = 2.0 * logsumexp(log_likelihood, axis=0) - logsumexp(2.0 * log_likelihood, axis=0)
    return np.asarray(np.exp(logs))


def leave_one_out_losses(log_likelihood: FloatArray, efficiency: float) -> FloatArray:
    """Losses of the posterior without each point, by Pareto smoothed importance sampling.

    `log_likelihood` has shape (draws, points); correlated draws have an efficiency below one.
    """
    array_stats = need(
        "arviz_stats.base", extra="arviz", purpose="leave-one-out cross-validation"
    ).array_stats
    losses = loss_of_draws(log_likelihood)
    # If all draws agree, leaving a point out changes nothing.
    varies = np.ptp(log_likelihood, axis=0) > 0
    if not varies.any():
        return losses
    own = log_likelihood.T[varies]
    weights, shape = array_stats.psislw(own, r_eff=efficiency, axis=-1)
    losses[varies] = -logsumexp(own + np.asarray(weights), axis=1)
    _warn_of_shapes(np.flatnonzero(varies), np.asarray(shape), len(log_likelihood))
    return losses


def _warn_of_shapes(points: Any, shape: FloatArray, n_draws: int) -> None:
    """Points whose weights have too heavy a tail."""
    largest = min(1.0 - 1.0 / np.log10(max(n_draws, 11)), LARGEST_SHAPE)
    bad = np.flatnonzero(~(shape <= largest))
    if not bad.size:
        return
    named = ", ".join(f"{points[index]} ({shape[index]:.2f})" for index in bad[:NAMED])
    warn(
        f"leave-one-out losses of {bad.size} of {shape.size} points are not to be trusted, since "
        f"their Pareto k̂ exceeds {largest:.2f}: point {named}{', …' if bad.size > NAMED else ''}, "
        "from 0; more draws help where k̂ is below 0.7, else leave groups of points out "
        "(rivals.read.left_out_posterior)"
    )


def relative_efficiency(tree: Any) -> float:
    """Effective number of posterior draws over their number, as ArviZ computes it; 1 for one
    chain, or without the posterior.
    """
    if "posterior" not in groups_of(tree):
        return 1.0
    posterior = getattr(tree["posterior"], "dataset", tree["posterior"])
    drawn = [
        values.transpose(*DRAWN, ...).values
        for values in posterior.data_vars.values()
        if values.dtype.kind in "biuf" and set(DRAWN) <= set(values.dims)
    ]
    if not drawn or len(drawn[0]) == 1:
        return 1.0
    array_stats = need("arviz_stats.base", extra="arviz", purpose="effective draws").array_stats
    sizes = [
        np.ravel(array_stats.ess(values, chain_axis=0, draw_axis=1, method="mean"))
        for values in drawn
    ]
    return float(np.mean(np.concatenate(sizes)) / np.prod(drawn[0].shape[:2]))
