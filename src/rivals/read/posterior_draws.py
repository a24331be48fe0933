"""How posterior draws become losses, also without each point; and the groups of a tree of draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from rivals._say.arguments import check_choice
from rivals._say.optional import need
from rivals._say.warn import warn
from rivals._types import FloatArray

Reduction = Literal["lpd", "mean", "plugin"]

# Vehtari et al. (2024): above this shape the weights have too heavy a tail for any
# practical number of draws.
LARGEST_SHAPE = 0.7
# How many of the points are named.
NAMED = 5


def check_reduction(reduction: str, leave_one_out: bool) -> None:
    """A reduction that is known, and the one that leave-one-out weights are for."""
    check_choice(reduction, "reduction", ("lpd", "mean", "plugin"))
    if leave_one_out and reduction != "lpd":
        raise ValueError(
            "leave_one_out is for the reduction 'lpd', of the posterior predictive; got "
            f"{reduction!r}"
        )


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


def effective_draws(log_likelihood: FloatArray) -> FloatArray:
    """How many draws the mean likelihood of each unit rests on, from (draws, units): (Σ p)² / Σ p².

    Examples
    --------
    >>> effective_draws(np.log([[0.5, 1.0], [0.5, 1e-9]])).round(3)
    array([2., 1.])
    """
    return np.asarray(
        np.exp(2.0 * logsumexp(log_likelihood, axis=0) - logsumexp(2.0 * log_likelihood, axis=0))
    )


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
    _warn_of_shapes(shape, n_draws, where)
    return weights


def _warn_of_shapes(shape: FloatArray, n_draws: int, where: str) -> None:
    """Warn of points whose weights have too heavy a tail."""
    largest = min(1.0 - 1.0 / np.log10(max(n_draws, 11)), LARGEST_SHAPE)
    bad = np.flatnonzero(~(shape <= largest))
    if not bad.size:
        return
    named = ", ".join(f"{index} ({shape[index]:.2f})" for index in bad[:NAMED])
    if bad.size > NAMED:
        named += ", …"
    warn(
        f"{where}: leave-one-out losses of {bad.size} of {shape.size} points are not to be "
        f"trusted, since their Pareto k̂ exceeds {largest:.2f}: point {named}, counted from 0; "
        "more draws help where k̂ is below 0.7; else use folds"
    )


def relative_efficiency(draws: Any) -> float:
    """Effective number of posterior draws over their number, as `az.loo` computes it: the
    mean over all parameters; 1 for one chain.

    Parameters
    ----------
    draws : object
        A tree with the group posterior, an MCMC of NumPyro, or anything else, whose
        efficiency is taken for 1.
    """
    values = _by_chain(draws)
    if not values or len(values[0]) == 1:
        return 1.0
    effective = _array_stats().ess
    sizes = [np.ravel(effective(each, chain_axis=0, draw_axis=1, method="mean")) for each in values]
    return float(np.mean(np.concatenate(sizes)) / np.prod(values[0].shape[:2]))


def _by_chain(draws: Any) -> list[npt.NDArray[Any]]:
    """The draws of each parameter, (chains, draws, ...); none if they are not known."""
    if hasattr(draws, "get_samples"):
        return [np.asarray(each) for each in draws.get_samples(group_by_chain=True).values()]
    if "posterior" not in groups_of(draws):
        return []
    group = getattr(draws["posterior"], "dataset", draws["posterior"])
    values = []
    for parameter in group.data_vars.values():
        if parameter.dtype.kind in "biuf" and "chain" in parameter.dims:
            values.append(parameter.transpose("chain", "draw", ...).values)
    return values


def groups_of(tree: Any) -> list[str]:
    """Names of the groups of a DataTree, an InferenceData or a mapping; none of anything else."""
    groups = getattr(tree, "children", None)
    if groups is None and callable(getattr(tree, "groups", None)):
        groups = tree.groups()
    elif groups is None and isinstance(tree, Mapping):
        groups = tree
    return [str(group) for group in groups or ()]


def _array_stats() -> Any:
    return need(
        "arviz_stats.base", extra="arviz", purpose="leave-one-out cross-validation"
    ).array_stats
