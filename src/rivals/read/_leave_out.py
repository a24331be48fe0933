"""Any model that can be fitted, without each group: statsmodels, mixed models, your own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rivals._core.arrays import finite, targets
from rivals._core.checks import check_size
from rivals._core.grouping import Grouping
from rivals._core.losses import Losses, Provenance
from rivals._core.predictions import Kind, Predictions
from rivals._core.seeds import FOLD_SIMULATION, entropy_from, stream
from rivals._core.texts import Refusal, naming, opt
from rivals._core.types import RNG, FloatArray, IntArray
from rivals.read._at_rows import at_rows, density_at, is_candidate, predictions_at, target_of
from rivals.read._cross_validation import N_SIMULATIONS, elsewhere_of, in_order
from rivals.read._densities import DENSITY
from rivals.read._estimators import library_of
from rivals.read._folds import (
    Fold,
    asked_rows,
    foldings_of_groups,
    grouping_in,
    how_often,
    units_of_groups,
)
from rivals.read._judging import (
    Judged,
    Judging,
    assembled,
    grouping_of_rows,
    named_alike,
    tested,
    trained,
)
from rivals.read._mixed_models import check_same_groups
from rivals.read._noise import PREDICTED, of_each_model, warn_of_counts
from rivals.read._point_losses import CRPS, OF_DISTRIBUTIONS, asked_for, crps
from rivals.read._rows import column, index_of_rows, take
from rivals.read._running import functions_of, run_folds
from rivals.read._statsmodels_fits import check_rows_of_fit


def leave_out(
    fit: Any,
    data: Any,
    *,
    groups: Any,
    target: Any = None,
    repeats: int | None = None,
    loss: Any = "log",
    noise: Any = None,
    joint: bool = False,
    n_simulations: int = N_SIMULATIONS,
    n_jobs: int | None = None,
    point: str = "point",
    rng: RNG = None,
) -> Any:
    """Losses of any fitted model on left-out groups.

    Parameters
    ----------
    fit : callable, or mapping of these
        `fit(rows)` fits a model to some rows of the data and returns

        - what a formula of statsmodels gave: OLS, GLM, GEE, Logit, Probit, Poisson, negative
          binomial, MNLogit, OrderedModel, MixedLM (at the marginal density of a new group);
        - a frozen distribution of SciPy, a fitted classifier, or a `Candidate` whose loss takes
          rows;
        - or a function from the rows left out to any of these, as
          `lambda rows: scipy.stats.poisson(model.predict(rows))`.

        What only predicts numbers needs `noise` or `loss`.
    data : data frame or mapping of arrays
    groups : array_like or str
        The group of each row, or the name of its column. One group is left out at a time; of more
        than 20, ten folds of whole groups.
    target : array_like or str, optional
        What is predicted, or the name of its column; a formula of statsmodels has it.
    repeats : int, optional
        How often more than 20 groups are divided into folds, once by default; losses are means over
        these foldings.
    loss, noise
        As in `cross_validated`; one loss.
    joint : bool
        True for one loss per group: minus the log of the joint density of its points. A model of
        what the points of a group share is then given credit for it.
    n_simulations : int
        Simulated data sets of each model, for "log", which methods "transport", "beta" and "paper"
        need; "groups" needs none.
    n_jobs : int, optional
        Processes (joblib); one by default, which is fastest for small fits.
    point : str
        What one point is called, as "visit".
    rng : int, SeedSequence, Generator, optional
        Seeds the simulations.

    Returns
    -------
    Predictions or Losses
        Name → `Losses`, in the order of the data; of one function, its `Losses`.

    See Also
    --------
    cross_validated : The same for scikit-learn's estimators.
    left_out_posterior : The same for Bayesian models.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from scipy import stats
    >>> rng = np.random.default_rng(0)
    >>> data = {"y": rng.normal(1.0, 2.0, size=80), "site": np.repeat(["a", "b", "c", "d"], 20)}
    >>> fits = {
    ...     "normal": lambda rows: stats.norm(rows["y"].mean(), rows["y"].std()),
    ...     "standard": lambda rows: stats.norm(0.0, 1.0),
    ... }
    >>> losses = rivals.read.leave_out(fits, data, groups="site", target="y", rng=0)
    >>> rivals.compare(losses).best
    'normal'
    """
    fits = functions_of(fit, "fit")
    asked = asked_for(loss)
    if len(asked) > 1:
        raise Refusal(
            f"{opt['loss']}: one is judged here; of the predictions that are kept others are asked "
            "for by compare(predictions, loss=[…])"
        )
    if noise is not None and asked[0] not in OF_DISTRIBUTIONS:
        raise Refusal(
            f"{opt.noise} is for {opt.loss('log')} and 'crps'; leave out {opt.noise}, or {opt.loss}"
        )
    noises = of_each_model(noise, list(fits))
    if PREDICTED in [each for each in noises if isinstance(each, str)]:
        raise Refusal(
            f"{opt.noise(PREDICTED)} is for read.cross_validated; here, return a function "
            "of the rows "
            "that gives a distribution, as lambda rows: scipy.stats.norm(*model.predict(rows))"
        )
    if joint and (asked[0] != "log" or noise is not None):
        raise Refusal(
            f"{opt.joint(True)} is of the log density of models that give one; leave out "
            f"{opt.loss} and {opt.noise}"
        )
    index = index_of_rows(data, groups=groups, target=target)
    grouping = grouping_in(data, groups)
    often = how_often(repeats, grouping.codes.size, grouping, cheap=False)
    entropy = entropy_from(rng)
    foldings = foldings_of_groups(grouping, often, entropy)
    there = asked_rows(foldings, data, grouping.codes, grouping)
    if joint:
        there = [np.arange(grouping.codes.size)] * len(foldings)
    job = _LeftOut(
        list(fits.values()),
        data,
        index,
        grouping,
        foldings,
        there,
        None if target is None else targets(column(data, target, "target"), "target"),
        asked[0],
        noises,
        joint,
        check_size(n_simulations, "n_simulations", least=0),
        entropy,
    )
    found = run_folds(job, list(fits), job.folds, noun=grouping.noun, n_jobs=n_jobs)
    if found[0][0].kind:
        read = job.predictions(found, list(fits), point)
        return read if isinstance(fit, Mapping) else read[""]
    judged = []
    for place, name in enumerate(fits):
        with naming(f"model {name!r}" if name else "fit"):
            judged.append(job.judged(place, found[place]))
    if noise is None and judged[0][0].source.loss == DENSITY.loss:
        warn_of_counts(job.targets(found[0][0].target))
    losses = {}
    for name, each in zip(fits, named_alike(judged), strict=True):
        with naming(f"model {name!r}" if name else "fit"):
            losses[name] = job.assembled(each, point)
    if not isinstance(fit, Mapping):
        return losses[""]
    return Predictions(
        np.empty(grouping.codes.size),
        {},
        asked=asked,
        known={asked[0]: losses},
        groups=losses[next(iter(losses))].groups,
        columns=data,
    )


class _Found(NamedTuple):
    """What a fold gave: its losses and simulated ones, or predictions; and losses or predictions
    where all fits are asked, if it could be judged there.
    """

    value: Any
    target: str
    source: Provenance
    everywhere: Any = None
    kind: str = ""  # of predictions that are to be judged by a metric


@dataclass(frozen=True)
class _LeftOut:
    """Fits a model without some groups, and judges it there."""

    models: list[Callable[[Any], Any]]
    data: Any
    index: Any
    grouping: Grouping
    foldings: list[list[Fold]]
    there: list[IntArray]
    given: npt.NDArray[Any] | None
    loss: Any
    noises: list[Any]
    joint: bool
    n_simulations: int
    entropy: int

    @property
    def folds(self) -> list[Fold]:
        """Of all foldings."""
        return [fold for folding in self.foldings for fold in folding]

    def __call__(self, model: int, fold: int) -> _Found:
        train, test = self.folds[fold].train, self.folds[fold].test
        fitted = self.models[model](take(self.data, train))
        check_rows_of_fit(fitted, train.size)
        target = target_of(fitted)
        said = Provenance(library=library_of(getattr(fitted, "model", fitted)))
        if self.joint:
            check_same_groups(fitted, self.grouping.codes[train])
        value, source, kind = self._at(fitted, test, model, fold, target)
        everywhere = None
        asked = self.there[fold // len(self.foldings[0])]
        if asked.size:
            # What a function of the rows gives may hold for those left out alone: that is no error,
            # P is then made from losses alone.
            try:
                alone = replace(self, n_simulations=0)
                everywhere = alone._at(fitted, asked, model, fold, target)[0]
                everywhere = everywhere[0] if isinstance(everywhere, tuple) else everywhere
            except Exception:
                everywhere = None
        return _Found(value, target, replace(source, library=said.library), everywhere, kind)

    def _at(
        self, fitted: Any, rows: IntArray, model: int, fold: int, target: str
    ) -> tuple[Any, Provenance, str]:
        """Losses at some rows, and simulated ones; or predictions, and of which kind."""
        at = take(self.data, rows)
        fitted = at_rows(fitted, at)
        if is_candidate(fitted):
            self._check_losses_only(model)
            return self._of_candidate(fitted, at, rows.size, model, fold), Provenance(), ""
        if self._judges_predictions(model):
            return predictions_at(fitted, at, rows.size), Provenance(), self._kind
        units = np.unique(self.grouping.codes[rows], return_inverse=True)[1]
        density = density_at(fitted, at, rows.size, units)
        came = self.targets(target)[rows]
        rng = stream(self.entropy, FOLD_SIMULATION, model, fold)
        if self.loss == "crps":
            return crps(density, came, self.n_simulations, rng), Provenance(loss=CRPS.name), ""
        judged = density.losses(came, self.n_simulations, rng, units if self.joint else None)
        return judged, density.source, ""

    @property
    def _kind(self) -> Kind | Any:
        """Of predictions: numbers, that have no noise and are judged by a metric."""
        return "" if self.loss in OF_DISTRIBUTIONS else "numbers"

    def predictions(self, found: list[list[_Found]], names: list[str], point: str) -> Predictions:
        """What was predicted, kept for any loss."""
        rows, folds = tested(self.foldings)
        size = len(self.foldings[0])
        pairs = [[(each.value, each.everywhere) for each in of_model] for of_model in found]
        complete = all(each is not None for of_model in pairs for _, each in of_model)
        libraries = {of_model[0].source.library for of_model in found}
        said = Provenance(
            **trained(self.foldings, self.grouping),
            point=point,
            library=libraries.pop() if len(libraries) == 1 else "",
        )
        index = self.index
        return Predictions(
            self.targets(found[0][0].target)[rows],
            {name: in_order(pairs[place], self.foldings) for place, name in enumerate(names)},
            "numbers",
            (self.loss,),
            {},
            grouping_of_rows(self.grouping, rows),
            folds,
            columns=self.data,
            elsewhere=elsewhere_of(pairs, names, self.there, size) if complete else (),
            source=said,
            index=None if index is None else index[rows],
        )

    def judged(self, model: int, found: Sequence[_Found]) -> list[Judged]:
        """The losses of the folds of a model, and what they are, of each folding."""
        size = len(self.foldings[0])
        said = found[0].source
        judged = []
        for number, folding in enumerate(self.foldings):
            part = found[number * size :][:size]
            values = [each.value for each in part]
            everywhere = [each.everywhere for each in part if each.everywhere is not None]
            everywhere = everywhere if len(everywhere) == size else []
            if isinstance(values[0], tuple):
                stacked = np.stack(everywhere) if everywhere else None
                judged.append(Judged(values, said, stacked))
                continue
            judging = Judging(
                self.targets(found[0].target),
                folding,
                OF_DISTRIBUTIONS[self.loss],
                self.noises[model] or "gaussian",
                self.n_simulations,
                (self.entropy, FOLD_SIMULATION, model, *((number,) if number else ())),
            )
            each = judging.judged(values, self.there[number], everywhere)
            judged.append(each._replace(source=replace(each.source, library=said.library)))
        return judged

    def assembled(self, judged: list[Judged], point: str) -> Losses:
        """In the order of the data, or of the groups."""
        said = Provenance(point=point, library=judged[0].source.library)
        if not self.joint:
            return assembled(judged, self.foldings, self.grouping, self.index, said, self.there)
        sources = [replace(each.source, loss=f"joint {each.source.loss}") for each in judged]
        units = [units_of_groups(folding, self.grouping) for folding in self.foldings]
        foldings, grouping = [each[0] for each in units], units[0][1]
        asked = [np.arange(len(self.grouping.names))] * len(foldings)
        parts = [each._replace(source=source) for each, source in zip(judged, sources, strict=True)]
        return assembled(parts, foldings, grouping, None, said, asked)

    def _judges_predictions(self, model: int) -> bool:
        return self.noises[model] is not None or self.loss not in OF_DISTRIBUTIONS

    def _check_losses_only(self, model: int) -> None:
        if self._judges_predictions(model) or self.joint or self.loss != "log":
            raise Refusal(
                f"a Candidate has a loss of its own; leave out {opt.loss}, {opt.noise} and "
                f"{opt.joint}, or return "
                "a distribution"
            )

    def _of_candidate(
        self, candidate: Any, at: Any, n_points: int, model: int, fold: int
    ) -> tuple[FloatArray, FloatArray]:
        observed = _one_for_each(candidate.loss(at), n_points)
        rng = stream(self.entropy, FOLD_SIMULATION, model, fold)
        drawn = [
            _one_for_each(candidate.loss(candidate.simulate(n_points, rng)), n_points)
            for _ in range(self.n_simulations)
        ]
        return observed, np.array(drawn).reshape(-1, n_points)

    def targets(self, name: str) -> npt.NDArray[Any]:
        """That were given, or those of the formula."""
        if self.given is not None:
            return self.given
        if not name:
            raise Refusal(
                f"{opt['target']}: pass the name of the column that is predicted, as "
                f"{opt.target('y')}"
            )
        return targets(column(self.data, name, "target"), name)


def _one_for_each(losses: Any, n_points: int) -> FloatArray:
    found = finite(losses, "losses")
    if found.shape != (n_points,):
        raise ValueError(f"losses have shape {found.shape} for {n_points} points")
    return found
