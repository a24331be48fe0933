"""Bayesian models, fitted without each group: any sampler, by log likelihoods of its draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rivals._core.cautions import warn
from rivals._core.grouping import Grouping
from rivals._core.losses import Provenance
from rivals._core.texts import naming
from rivals._core.types import FloatArray, IntArray
from rivals.read._densities import DENSITY
from rivals.read._folds import (
    Fold,
    asked_rows,
    foldings_of_groups,
    grouping_in,
    how_often,
    units_of_groups,
)
from rivals.read._judging import Judged, assembled
from rivals.read._posterior_draws import (
    draws_first,
    effective_draws,
    groups_of,
    log_likelihood_in,
    loss_of_draws,
    refuse_old_effects,
)
from rivals.read._rows import index_of_rows, take
from rivals.read._running import functions_of, run_folds

# With fewer effective draws the log of their mean likelihood is too low by more than 0.05.
FEWEST_DRAWS = 10


def left_out_posterior(
    build: Any,
    data: Any,
    *,
    groups: Any,
    repeats: int | None = None,
    joint: bool = False,
    new_effects: bool = False,
    n_jobs: int | None = None,
    point: str = "point",
) -> Any:
    """Losses of Bayesian models on left-out groups.

    Of PyMC, NumPyro, Stan, or any other sampler.

    Parameters
    ----------
    build : callable, or mapping of these
        `build(rows)` samples the posterior of some rows of the data, and returns a function: from
        rows that were left out to their log likelihood for each draw, an array draws × points, an
        array of xarray with the dimensions "chain" and "draw", or a tree of ArviZ with the group
        "log_likelihood".
    data : data frame or mapping of arrays
        Of a mapping, what has an entry for each point is divided into rows; all else goes to every
        fit as it is.
    groups : array_like or str
        The group of each row, or the name of its column. One group is left out at a time; of more
        than 20, ten folds of whole groups.
    repeats : int, optional
        How often more than 20 groups are divided into folds, once by default; losses are means over
        these foldings.
    joint : bool
        True for one loss per group: minus the log of the joint predictive density of its points. A
        model of what the points of a group share is then given credit for it.
    new_effects : bool
        Says that the function draws effects of new groups from the population, though it holds
        draws of those of other groups.
    n_jobs : int, optional
        Processes (joblib); one by default.
    point : str
        What one point is called.

    Returns
    -------
    dict or Losses
        Name → `Losses`, in the order of the data; of one function, its `Losses`.

    See Also
    --------
    leave_groups_out : Without refits, for hierarchical models.
    leave_out : The same for models with one set of parameters.
    posterior : From log likelihoods in a tree of ArviZ.

    Notes
    -----
    A hierarchical model has an effect for each group. For a group that was left out, draw it from
    the population, once for each draw of the parameters: no data speak of it. Jointly, only those
    draws count whose effect resembles that of the group; a warning says where these are too few.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import stats
    >>> from rivals.read import left_out_posterior
    >>> rng = np.random.default_rng(0)
    >>> data = {"y": rng.normal(size=60), "school": np.repeat(["a", "b", "c"], 20)}
    >>> def build(rows):  # the exact posterior of a mean; else a sampler
    ...     mean = rng.normal(rows["y"].mean(), len(rows["y"]) ** -0.5, size=(500, 1))
    ...     return lambda new: stats.norm(mean, 1.0).logpdf(new["y"])
    >>> left_out_posterior(build, data, groups="school")
    Losses(60 points, mean 1.3514, 3 groups)
    """
    builds = functions_of(build, "build")
    grouping = grouping_in(data, groups)
    often = how_often(repeats, grouping.codes.size, grouping, cheap=False)
    foldings = foldings_of_groups(grouping, often)
    there = asked_rows(foldings, data, grouping.codes, grouping)
    units, of_groups = foldings, grouping
    if joint:
        pairs = [units_of_groups(folding, grouping) for folding in foldings]
        units, of_groups = [each[0] for each in pairs], pairs[0][1]
        there = [np.arange(grouping.codes.size)] * often
    size = len(foldings[0])
    folds = [fold for folding in foldings for fold in folding]
    asked = [rows for rows in there for _ in range(size)]
    job = _LeftOut(list(builds.values()), data, grouping, folds, asked, joint, new_effects)
    found = run_folds(job, list(builds), folds, noun=grouping.noun, n_jobs=n_jobs)
    if joint:
        there = [np.arange(len(grouping.names))] * often
    index = None if joint else index_of_rows(data, groups=groups)
    source = replace(DENSITY, loss=f"joint {DENSITY.loss}") if joint else DENSITY
    losses = {}
    for name, parts in zip(builds, found, strict=True):
        if joint:
            _warn_of_few_draws(name, parts)
        judged = []
        for number in range(often):
            part = parts[number * size :][:size]
            own = [(each.losses, np.empty((0, each.losses.size))) for each in part]
            known = [each.everywhere for each in part if each.everywhere is not None]
            judged.append(Judged(own, source, np.stack(known) if len(known) == size else None))
        with naming(f"model {name!r}" if name else "build"):
            said = Provenance(point=point)
            losses[name] = assembled(judged, units, of_groups, index, said, there)
    return losses if isinstance(build, Mapping) else losses[""]


class _Found(NamedTuple):
    """The losses of a fold, how many draws each rests on, and losses where all fits are asked."""

    losses: FloatArray
    draws: FloatArray
    everywhere: FloatArray | None


@dataclass(frozen=True)
class _LeftOut:
    """Samples a posterior without some groups, and judges it there."""

    builds: list[Callable[[Any], Any]]
    data: Any
    grouping: Grouping
    folds: list[Fold]
    asked: list[IntArray]
    joint: bool
    new_effects: bool

    def __call__(self, model: int, fold: int) -> _Found:
        train, test = self.folds[fold].train, self.folds[fold].test
        log_likelihood = self.builds[model](take(self.data, train))
        if not callable(log_likelihood):
            raise TypeError(
                "build(rows) must return a function from the rows left out to their log "
                f"likelihood, draws × points; it returned {type(log_likelihood).__name__}"
            )
        n_fitted = np.unique(self.grouping.codes[train]).size
        if not self.new_effects:
            refuse_old_effects(log_likelihood, n_fitted, len(self.grouping.names))
        values = self._at(log_likelihood, test)
        everywhere = None
        if self.asked[fold].size:
            # It may hold for the rows left out alone: that is no error.
            try:
                everywhere = loss_of_draws(self._at(log_likelihood, self.asked[fold]))
            except Exception:
                everywhere = None
        return _Found(loss_of_draws(values), effective_draws(values), everywhere)

    def _at(self, log_likelihood: Callable[[Any], Any], rows: IntArray) -> FloatArray:
        values = _draws_by_points(log_likelihood(take(self.data, rows)), rows.size)
        if self.joint:
            codes = self.grouping.codes[rows]
            values = values @ (codes[:, None] == np.unique(codes)).astype(np.float64)
        return values


def _draws_by_points(found: Any, n_points: int) -> FloatArray:
    """What a function returned, as draws × points."""
    if "log_likelihood" in groups_of(found):
        found = log_likelihood_in(found, "log_likelihood", None)
    values = draws_first(found)
    if values.ndim == 3 and values.shape[2] == n_points:  # chains, draws, points
        values = values.reshape(-1, n_points)
    if values.ndim != 2 or values.shape[1] != n_points:
        raise ValueError(
            f"the log likelihood has shape {values.shape} for {n_points} points left out; it must "
            "be draws × points"
        )
    return values


def _warn_of_few_draws(name: str, parts: list[_Found]) -> None:
    """The log of a mean of m draws is too low by about 1 / 2m, so the harmonic mean over groups
    says by how much losses are too large.
    """
    draws = np.concatenate([each.draws for each in parts])
    average = 1.0 / np.mean(1.0 / draws)
    if average < FEWEST_DRAWS:
        warn(
            f"{f'model {name!r}: ' if name else ''}the joint losses rest on an effective number of "
            f"{average:.1f} draws on average, {draws.min():.1f} for one group; they are too large "
            f"by about {0.5 / average:.2f} nats; few draws have effects that resemble those of the "
            "group left out; let build(rows) return more of them"
        )
