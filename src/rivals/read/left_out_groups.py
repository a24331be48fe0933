"""Posteriors with whole groups left out in turn: a Bayesian model is fitted anew without each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias

import numpy as np

from rivals._random import LEFT_OUT, entropy_from
from rivals._say.arguments import check_size
from rivals._say.labels import as_labels, read_groups
from rivals._say.rows import in_index_order, name_of, row_labels
from rivals._say.warn import warn
from rivals._say.words import listed, show
from rivals._types import RNG, FloatArray, IntArray
from rivals.comparison import N_SIMULATIONS
from rivals.losses import Losses
from rivals.read.cross_validation import ended_itself, run_folds
from rivals.read.folds import Splits, splits_by_groups
from rivals.read.inputs import take
from rivals.read.posterior_draws import effective_draws, reduce_draws
from rivals.read.posteriors import simulated_targets
from rivals.read.probabilistic_programs import Program, fingerprint, program

# Of a fold: losses, losses of simulations as rows, the effective number of draws behind each, and a
# fingerprint of the draws.
Judged: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, str]

# With fewer effective draws the log of their mean likelihood is too low by more than 0.05.
FEWEST_DRAWS = 10


def left_out_posterior(
    build: Callable[[Any], tuple[Any, Any]],
    data: Any,
    *,
    groups: Any,
    joint: bool = False,
    held_out: Callable[[Any], Any] | None = None,
    variable: str | None = None,
    observed: str | None = None,
    n_simulations: int = N_SIMULATIONS,
    executor: Executor | int | None = 0,
    progress: bool = False,
    rng: RNG = None,
) -> Losses:
    """Losses of a Bayesian model on groups that were left out of its fit: PyMC, Bambi, NumPyro or
    CmdStanPy.

    One group is left out at a time; of more than 20 groups, ten folds of whole groups are made.
    Your function fits the model to the other rows, and the rows that were left out are judged by
    its posterior predictive. The losses carry the groups, so that `compare` asks which model would
    be better in *new* groups.

    Parameters
    ----------
    build : callable
        `build(rows)` fits the model to some rows of the data and returns (model, draws), as
        `posterior` takes them.
    data : mapping or data frame
        Arrays by name, or a table. Of a mapping, what has one entry for each point is divided into
        rows; all else, such as a number of groups, goes to every fit as it is.
    groups : array_like or str
        The group of each point, or the name of its column in `data`.
    joint : bool
        True for one loss per group: minus the log of the *joint* predictive density of its points.
        A model of what the points of a group share is then given credit for it.
    held_out : callable, optional
        From the rows that were left out to what `posterior` takes as `held_out`; by default they
        are that: for NumPyro and Bambi. PyMC needs them by the names of its `pymc.Data`, CmdStanPy
        with the number of points.
    variable, observed : str, optional
        As in `posterior`.
    n_simulations : int
        From the posterior predictive of each fold: each point from another draw, or, if `joint`,
        each group as a whole.
    executor : int, Executor or None
        Where folds are fitted, as in `cross_validated`.
    progress : bool
        Whether to show a bar.
    rng : int, SeedSequence, Generator, optional
        Seeds the simulations; the seed of the sampler is up to `build`.

    Returns
    -------
    Losses
        One for each point in the order of the data; if `joint`, one for each group.

    See Also
    --------
    posterior : One posterior and held-out data.
    cross_validated : The same for estimators of scikit-learn.

    Notes
    -----
    A hierarchical model has an effect for each group. Give it one for those that are left out as
    well: no data speak of it, so that its draws come from the population, as those of a new group
    should. Jointly, only those draws count whose effect resembles that of the group: a warning
    says where these are too few.

    To judge the same fits point by point and jointly, keep in `build` what it returned.

    Examples
    --------
    >>> import numpy as np
    >>> import numpyro
    >>> from numpyro import distributions
    >>> from rivals.read import left_out_posterior
    >>> def model(y=None, n=1):
    ...     mean = numpyro.sample("mean", distributions.Normal(0, 5))
    ...     with numpyro.plate("points", n):
    ...         numpyro.sample("y", distributions.Normal(mean, 1.0), obs=y)
    >>> def build(rows):  # an MCMC, or here the exact posterior
    ...     n = len(rows["y"])
    ...     draws = np.random.default_rng(1).normal(rows["y"].mean(), n**-0.5, size=500)
    ...     return model, {"mean": draws}
    >>> rng = np.random.default_rng(0)
    >>> data = {"y": rng.normal(size=60), "school": np.repeat(["a", "b", "c"], 20)}
    >>> left_out_posterior(
    ...     build, data, groups="school", held_out=lambda rows: {"y": rows["y"], "n": 20}, rng=0
    ... )
    Losses(60 observed, 16 × 60 synthetic, empirical risk 1.3531)
    """
    if not callable(build):
        raise TypeError(
            "build must be a function that fits the model to some rows; got "
            f"{type(build).__name__}, and one fit to all rows has seen every group"
        )
    labels, group_name = _groups_of(data, groups)
    codes, names = read_groups(labels, len(labels))
    if len(names) < 2:
        raise ValueError(
            f"groups: all points are in one group ({show(names[0])}), so none can be left out; "
            "pass the group of each point"
        )
    job = LeftOut(
        build=build,
        data=data,
        held_out=held_out,
        codes=codes,
        group_names=names,
        splits=splits_by_groups(codes),
        joint=joint,
        variable=variable,
        observed=observed,
        n_simulations=check_size(n_simulations, "n_simulations"),
        entropy=entropy_from(rng),
    )
    (found,) = run_folds(job, executor, progress)
    if joint:
        _warn_of_few_draws(job, [effective for _, _, effective, _ in found])
    _warn_of_one_fit([draws for *_, draws in found])
    # Which losses a fold gave: those of its points, or of its groups.
    units = [test if not joint else np.unique(codes[test]) for _, test in job.splits]
    order = np.argsort(np.concatenate(units))
    if joint:
        _, first = np.unique(codes, return_index=True)
        labels = labels[first]
    return Losses(
        np.concatenate([own for own, *_ in found])[order],
        np.concatenate([simulated for _, simulated, *_ in found], axis=1)[:, order],
        groups=labels,
        group_name=group_name,
        unit="nats",
        may_repeat=True,
        folds="groups",
        index=None if joint else row_labels(data),
    )


def _warn_of_few_draws(job: LeftOut, effective: Sequence[FloatArray]) -> None:
    """The log of a mean of m draws is too low by about 1 / 2m, so the harmonic mean over groups
    says by how much losses are too large.
    """
    draws = np.concatenate(effective)
    average = 1.0 / np.mean(1.0 / draws)
    if not average < FEWEST_DRAWS:
        return
    groups = np.concatenate([np.unique(job.codes[test]) for _, test in job.splits])
    worst = job.group_names[groups[np.argmin(draws)]]
    warn(
        f"the joint losses rest on few draws: an effective number of {average:.1f} on average, "
        f"{draws.min():.1f} for {show(worst)}; they are too large by about {0.5 / average:.2f} "
        "nats; few draws have effects that resemble those of the group left out; let build(rows) "
        "return more of them"
    )


def _warn_of_one_fit(fingerprints: Sequence[str]) -> None:
    """Fits to different rows have different draws, unless they do not use the rows."""
    if len(set(fingerprints)) == 1 and fingerprints[0]:
        warn(
            "the draws are the same whichever group is left out, to the last digit: does "
            "build(rows) return a fit that was made outside it? That has seen the groups it is "
            "judged in; fit to the rows that build is given"
        )


@dataclass(frozen=True)
class LeftOut:
    """A model with every fold of groups: a job for `_workers`, of one place."""

    build: Callable[[Any], tuple[Any, Any]]
    data: Any
    held_out: Callable[[Any], Any] | None
    codes: IntArray
    group_names: Sequence[str]
    splits: Splits
    joint: bool
    variable: str | None
    observed: str | None
    n_simulations: int
    entropy: int
    contents = "the model and its data"
    progress = "leaving out groups: {} of {} folds"
    names = ("the model",)

    def prepare(self, place: int, indices: range) -> dict[int, Any]:
        """Nothing: every fold has its own fit."""
        return {}

    def run(self, place: int, index: int, prepared: None) -> Judged | Exception:
        """The losses of a fold, or an error that names its groups."""
        where = self.where(place, index)
        try:
            return self.losses(index)
        except SystemExit as error:
            return RuntimeError(f"{where}: {ended_itself(error)}")
        except Exception as error:
            if isinstance(error, (TypeError, ValueError)):
                kind = TypeError if isinstance(error, TypeError) else ValueError
                return kind(f"{where}: {error}")
            error.add_note(f"in the {where}")
            return error

    def where(self, place: int, index: int) -> str:
        """A fold in words, by the groups that it leaves out."""
        _, test = self.splits[index]
        left_out = [self.group_names[code] for code in np.unique(self.codes[test])]
        return f"fit without {listed(left_out)} (fold {index + 1} of {len(self.splits)})"

    def losses(self, index: int) -> Judged:
        """Losses of the points or groups left out, those of simulations of them as rows, and how
        many draws the losses rest on.
        """
        train, test = self.splits[index]
        fitted, draws = self._fitted(train, test)
        (likelihood,) = fitted.log_likelihood([fitted.observed])
        n_points = test.size
        if likelihood.ndim == 1 or likelihood[0].size % n_points:
            raise ValueError(
                f"the log likelihood has shape {likelihood.shape}, draws first, for {n_points} "
                "points left out; there must be one for each of them"
            )
        _, units = np.unique(self.codes[test], return_inverse=True)
        together = units if self.joint else np.arange(n_points)
        seed = entropy_from(np.random.SeedSequence(self.entropy, spawn_key=(LEFT_OUT, index)))
        simulations = simulated_targets(
            fitted, n_points, None, self.n_simulations, seed, together=together
        )

        member = together[:, None] == np.arange(together.max() + 1)

        def of_units(values: FloatArray) -> FloatArray:
            of_points = values.reshape(len(values), n_points, -1).sum(axis=2)
            return np.asarray(of_points @ member)

        def reduced(values: FloatArray) -> FloatArray:
            return reduce_draws(of_units(values), "lpd", "the posterior")

        synthetic = [reduced(values) for values in fitted.log_likelihood(simulations)]
        effective = effective_draws(of_units(likelihood))
        return reduced(likelihood), np.stack(synthetic), effective, draws

    def _fitted(self, train: IntArray, test: IntArray) -> tuple[Program, str]:
        """The model at the rows left out, and a fingerprint of its draws."""
        built = self.build(_rows(self.data, train, self.codes.size))
        if not (isinstance(built, tuple) and len(built) == 2):
            raise TypeError(
                f"build(rows) must return (model, draws); it returned {type(built).__name__}"
            )
        rows = _rows(self.data, test, self.codes.size)
        given = rows if self.held_out is None else self.held_out(rows)
        fitted = program(*built, given, self.variable, self.observed)
        if fitted.seen:
            raise ValueError(
                "the model holds the very data that were left out; build(rows) must fit it to the "
                "rows it is given"
            )
        return fitted, fingerprint(built[1])


def _groups_of(data: Any, groups: Any) -> tuple[Any, str | None]:
    """The group of each point, and what a group is called."""
    name = name_of(groups)
    if isinstance(groups, str):
        name = groups
        columns = data if isinstance(data, Mapping) else getattr(data, "columns", ())
        if groups not in columns:
            there = [str(column) for column in columns]
            near = get_close_matches(groups, there, n=1)
            hint = f"; did you mean {show(near[0])!r}?" if near else ""
            raise ValueError(
                f"groups: the data have no column {show(groups)!r}; they have {listed(there)}{hint}"
            )
        groups = data[groups]
    if groups is None or np.ndim(groups) != 1:
        raise ValueError(
            "groups: pass one label for each point, or the name of their column in the data; got "
            f"{type(groups).__name__}"
        )
    groups = in_index_order(groups, row_labels(data), "groups", "the data")
    _check_rows(data, len(groups))
    return as_labels(groups, len(groups)), name


def _check_rows(data: Any, n_labels: int) -> None:
    """Refuse labels of other points than those of the data: every fit would get all of these."""
    columns = data if isinstance(data, Mapping) else {"the table": data}
    rows = {name: len(values) for name, values in columns.items() if np.ndim(values) > 0}
    if n_labels in rows.values():
        return
    found = listed([f"{name} has {count}" for name, count in rows.items()])
    raise ValueError(
        f"groups: got {n_labels} labels, but nothing in the data has as many rows ({found}); pass "
        "the group of each point"
    )


def _rows(data: Any, rows: IntArray, n_points: int) -> Any:
    """Some rows of the data; what has no row for each point stays as it is."""
    if not isinstance(data, Mapping):
        return take(data, rows)
    kept = {}
    for name, values in data.items():
        has_rows = np.ndim(values) > 0 and len(values) == n_points
        kept[name] = take(values, rows) if has_rows else values
    return kept
