"""Log likelihoods of posterior draws, in any form, and the losses they make."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from scipy.special import logsumexp

from rivals._core.cautions import warn
from rivals._core.optional import need
from rivals._core.texts import Refusal, opt
from rivals._core.types import FloatArray

# Dimensions over which parameters were drawn.
DRAWN = ("chain", "draw")
# Vehtari et al. (2024): above this shape the weights have too heavy a tail for any number of draws.
LARGEST_SHAPE = 0.7
# How deep draws are looked for in what a function holds.
DEEPEST = 4
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


def refuse_old_effects(places: Any, n_fitted: int, n_groups: int) -> None:
    """Refuse draws of effects that belong to other groups than those that are judged.

    A new group, judged by them, would be given the effect of another one. `places` are what a
    function returned, and the function itself, in whose variables draws are looked for.
    """
    if n_fitted == n_groups:
        return
    for name, shape in _indexed(places):
        if n_fitted > 1 and n_fitted in shape:
            raise Refusal(
                f"the draws hold {name!r}, which has {n_fitted} values: one for each group that "
                "the model was fitted to, and none for those left out, which would be judged by "
                "the effects of other groups. Draw the effect of a new group from the population "
                f"and return draws without {name!r} (draws.posterior.drop_vars), or judge by "
                f"rivals.read.leave_groups_out(tree, data, effect={name!r}, …); if new effects are "
                f"drawn already, or {name!r} is no effect of groups, say {opt.new_effects(True)}"
            )


def _indexed(found: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Variables with more than draws, and the shape of a draw, wherever draws are held."""
    if depth > DEEPEST:
        return
    if isinstance(found, tuple):
        for each in found:
            yield from _indexed(each, name, depth + 1)
    elif hasattr(found, "dims") and hasattr(found, "values") and not hasattr(found, "data_vars"):
        if set(DRAWN) & set(found.dims):
            sizes = zip(found.dims, found.shape, strict=True)
            shape = tuple(size for dim, size in sizes if dim not in DRAWN)
            if shape and not str(found.name or name).startswith("log_lik"):
                yield str(found.name or name), shape
    elif groups_of(found) and not isinstance(found, dict):
        if "posterior" in groups_of(found):
            data = getattr(found["posterior"], "dataset", found["posterior"])
            for own, each in data.data_vars.items():
                yield from _indexed(each, str(own), depth + 1)
    elif hasattr(found, "data_vars"):
        for own, each in found.data_vars.items():
            yield from _indexed(each, str(own), depth + 1)
    elif isinstance(found, Mapping):
        for own, each in found.items():
            yield from _indexed(each, str(own), depth + 1)
    elif isinstance(found, partial):
        yield from _indexed((found.func, *found.args, found.keywords), name, depth + 1)
    elif inspect.isfunction(found) or inspect.ismethod(found):
        function = found.__func__ if inspect.ismethod(found) else found
        held = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        for own, cell in held:
            with suppress(ValueError):  # not assigned yet
                yield from _indexed(cell.cell_contents, own, depth + 1)
    elif name and len(getattr(found, "shape", ())) > 1 and depth:
        yield name, tuple(found.shape[1:])


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
