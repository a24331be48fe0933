"""What leaving one point out does to a posterior: Pareto smoothed importance weights of its draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rivals._checks import need, warn
from rivals._types import FloatArray

# Vehtari et al. (2024): above this shape the weights have too heavy a tail for any practical number of draws.
LARGEST_SHAPE = 0.7
NAMED = 5


def relative_efficiency(draws: Any) -> float:
    """Effective number of posterior draws over their number, as `az.loo` computes it: the mean over all parameters; 1 for one chain.

    Parameters
    ----------
    draws : object
        A tree with the group posterior, an MCMC of NumPyro, or anything else, whose efficiency is taken for 1.
    """
    if hasattr(draws, "get_samples"):
        values = [np.asarray(each) for each in draws.get_samples(group_by_chain=True).values()]
    elif "posterior" in groups_of(draws):
        group = getattr(draws["posterior"], "dataset", draws["posterior"])
        values = [each.transpose("chain", "draw", ...).values for each in group.data_vars.values()]
    else:
        return 1.0
    if not values or len(values[0]) == 1:
        return 1.0
    ess = _array_stats().ess
    sizes = [np.ravel(ess(each, chain_axis=0, draw_axis=1, method="mean")) for each in values]
    return float(np.mean(np.concatenate(sizes)) / np.prod(values[0].shape[:2]))


def groups_of(tree: Any) -> list[str]:
    """Names of the groups of a DataTree, an InferenceData or a mapping; none of anything else."""
    groups = getattr(tree, "children", None)
    if groups is None:
        groups = tree.groups() if callable(getattr(tree, "groups", None)) else tree if isinstance(tree, Mapping) else ()
    return [str(group) for group in groups]


def _array_stats() -> Any:
    return need("arviz_stats.base", extra="arviz", purpose="leave-one-out cross-validation").array_stats


def leave_one_out_weights(log_likelihood: FloatArray, where: str, efficiency: float = 1.0) -> FloatArray:
    """Logs of the weights that turn posterior draws into draws of the posterior without each point, (draws, points).

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
        smoothed, shape[varies] = _array_stats().psislw(log_likelihood.T[varies], r_eff=efficiency, axis=-1)
        weights[:, varies] = np.asarray(smoothed).T
    largest = min(1.0 - 1.0 / np.log10(max(n_draws, 11)), LARGEST_SHAPE)
    bad = np.flatnonzero(~(shape <= largest))
    if bad.size:
        named = ", ".join(f"{index} ({shape[index]:.2f})" for index in bad[:NAMED])
        warn(
            f"{where}: leave-one-out losses of {bad.size} of {n_points} points are not to be trusted, since their Pareto k̂ exceeds "
            f"{largest:.2f}: point {named}{', …' if bad.size > NAMED else ''}; more draws help where k̂ is below 0.7; else refit without these "
            "points, or use held-out data or folds"
        )
    return weights
