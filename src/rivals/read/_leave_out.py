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
from rivals._core.losses import Fits, Losses, Provenance
from rivals._core.seeds import FOLD_SIMULATION, entropy_from, stream
from rivals._core.texts import Refusal, opt
from rivals._core.types import RNG, FloatArray
from rivals.read._at_rows import at_rows, density_at, is_candidate, predictions_at, target_of
from rivals.read._cross_validation import N_SIMULATIONS
from rivals.read._densities import DENSITY
from rivals.read._estimators import library_of
from rivals.read._folds import Fold, folds_of_groups, grouping_in, units_of_groups
from rivals.read._judging import Judged, Judging, assembled, named_alike, naming
from rivals.read._mixed_models import check_same_groups
from rivals.read._noise import PREDICTED, of_each_model, warn_of_counts
from rivals.read._point_losses import CRPS, LOG, PointLoss, crps, point_loss
from rivals.read._rows import column, index_of_rows, take
from rivals.read._running import functions_of, run_folds
from rivals.read._statsmodels_fits import check_rows_of_fit


def leave_out(
    fit: Any,
    data: Any,
    *,
    groups: Any,
    target: Any = None,
    loss: str | Callable[[Any, Any], Any] = "log",
    noise: Any = None,
    joint: bool = False,
    n_simulations: int = N_SIMULATIONS,
    n_jobs: int | None = 1,
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
    loss, noise
        As in `cross_validated`.
    joint : bool
        True for one loss per group: minus the log of the joint density of its points. A model of
        what the points of a group share is then given credit for it.
    n_simulations : int
        Simulated data sets of each model, for "log"; with three groups or more, 0 will do.
    n_jobs : int, optional
        Processes (joblib). Of small fits, one is fastest.
    point : str
        What one point is called, as "visit".
    rng : int, SeedSequence, Generator, optional
        Seeds the simulations.

    Returns
    -------
    dict or Losses
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
    chosen = point_loss(loss, classify=False)
    noises = of_each_model(noise, list(fits))
    if noise is not None and chosen.needs != "distribution":
        raise Refusal(
            f"{opt.noise} is for {opt.loss('log')} and 'crps'; leave out {opt.noise}, or {opt.loss}"
        )
    if PREDICTED in [each for each in noises if isinstance(each, str)]:
        raise Refusal(
            f"{opt.noise(PREDICTED)} is for read.cross_validated; here, return a function "
            "of the rows "
            "that gives a distribution, as lambda rows: scipy.stats.norm(*model.predict(rows))"
        )
    if joint and (chosen is not LOG or noise is not None):
        raise Refusal(
            f"{opt.joint(True)} is of the log density of models that give one; leave out "
            f"{opt.loss} and {opt.noise}"
        )
    index = index_of_rows(data, groups=groups, target=target)
    grouping = grouping_in(data, groups)
    job = _LeftOut(
        list(fits.values()),
        data,
        index,
        grouping,
        folds_of_groups(grouping),
        None if target is None else targets(column(data, target, "target"), "target"),
        chosen,
        noises,
        joint,
        check_size(n_simulations, "n_simulations", least=0),
        entropy_from(rng),
    )
    found = run_folds(job, list(fits), job.folds, noun=grouping.noun, n_jobs=n_jobs)
    judged = []
    for place, name in enumerate(fits):
        with naming(f"model {name!r}" if name else "fit"):
            judged.append(job.judged(place, found[place]))
    if noise is None and all(each.source.loss == DENSITY.loss for each in judged):
        warn_of_counts(job.targets(found[0][0].target))
    losses = {}
    for name, each, of_model in zip(fits, named_alike(judged), found, strict=True):
        with naming(f"model {name!r}" if name else "fit"):
            losses[name] = job.assembled(each, point, job.fits(of_model))
    return losses if isinstance(fit, Mapping) else losses[""]


class _Found(NamedTuple):
    """What a fold gave: its losses and simulated ones, or predictions to be judged."""

    value: Any
    target: str
    source: Provenance
    of_groups: FloatArray | None = None  # mean losses of the fit in every group


@dataclass(frozen=True)
class _LeftOut:
    """Fits a model without some groups, and judges it there."""

    models: list[Callable[[Any], Any]]
    data: Any
    index: Any
    grouping: Grouping
    folds: list[Fold]
    given: npt.NDArray[Any] | None
    loss: PointLoss
    noises: list[Any]
    joint: bool
    n_simulations: int
    entropy: int

    def __call__(self, model: int, fold: int) -> _Found:
        train, test = self.folds[fold].train, self.folds[fold].test
        rows = take(self.data, test)
        fitted = self.models[model](take(self.data, train))
        check_rows_of_fit(fitted, train.size)
        target = target_of(fitted)
        said = Provenance(library=library_of(getattr(fitted, "model", fitted)))
        if self.joint:
            check_same_groups(fitted, self.grouping.codes[train])
        of_groups = self._everywhere(fitted, model, target)
        fitted = at_rows(fitted, rows)
        if is_candidate(fitted):
            self._check_losses_only(model)
            return _Found(self._of_candidate(fitted, rows, model, fold), target, said, of_groups)
        if self._judges_predictions(model):
            return _Found(predictions_at(fitted, rows, test.size), target, said, of_groups)
        units = np.unique(self.grouping.codes[test], return_inverse=True)[1]
        density = density_at(fitted, rows, test.size, units)
        targets = self.targets(target)[test]
        rng = stream(self.entropy, FOLD_SIMULATION, model, fold)
        if self.loss is CRPS:
            return _Found(crps(density, targets, self.n_simulations, rng), target, said)
        judged = density.losses(targets, self.n_simulations, rng, units if self.joint else None)
        return _Found(judged, target, replace(density.source, library=said.library), of_groups)

    def _everywhere(self, fitted: Any, model: int, target: str) -> FloatArray | None:
        """Mean losses of a fit in all groups; None where it can be judged only at rows left out.

        What a function of the rows gives may hold for these alone: that is no error, P is then made
        from losses alone.
        """
        codes = self.grouping.codes
        try:
            fitted = at_rows(fitted, self.data)
            if is_candidate(fitted):
                losses = _one_for_each(fitted.loss(self.data), codes.size)
            elif not self._judges_predictions(model):
                density = density_at(fitted, self.data, codes.size, codes)
                units = codes if self.joint else None
                nothing = stream(self.entropy, FOLD_SIMULATION, model)
                losses, _ = density.losses(self.targets(target), 0, nothing, units)
            elif self.loss.needs != "distribution":
                predicted = predictions_at(fitted, self.data, codes.size)
                losses = self.loss(self.targets(target), predicted)
            else:
                return None
        except Exception:
            return None
        return losses if self.joint else self._of_groups(losses)

    def _of_groups(self, losses: FloatArray) -> FloatArray:
        total = np.bincount(self.grouping.codes, weights=losses)
        return np.asarray(total / self.grouping.sizes)

    def fits(self, found: Sequence[_Found]) -> Fits | None:
        """The fits of all folds on all groups, where they could be judged there."""
        means = [each.of_groups for each in found if each.of_groups is not None]
        if len(means) < len(found) or not np.isfinite(means).all():
            return None
        place = {name: i for i, fold in enumerate(self.folds) for name in fold.groups}
        return Fits(np.stack(means), np.array([place[name] for name in self.grouping.names]))

    def judged(self, model: int, found: Sequence[_Found]) -> Judged:
        """The losses of the folds of a model, and what they are."""
        parts = [each.value for each in found]
        said = found[0].source
        if isinstance(parts[0], tuple):
            if self.loss is CRPS:
                said = replace(CRPS.source, library=said.library)
            return Judged(parts, said)
        judging = Judging(
            self.targets(found[0].target),
            self.folds,
            self.loss,
            self.noises[model] or "gaussian",
            self.n_simulations,
            (self.entropy, FOLD_SIMULATION, model),
        )
        judged = judging.of_numbers(parts)
        return Judged(judged.parts, replace(judged.source, library=said.library))

    def assembled(self, judged: Judged, point: str, fits: Fits | None) -> Losses:
        """In the order of the data, or of the groups."""
        said = Provenance(point=point, library=judged.source.library)
        if not self.joint:
            return assembled(judged, self.folds, self.grouping, self.index, said, fits)
        source = replace(judged.source, loss=f"joint {judged.source.loss}")
        units = units_of_groups(self.folds, self.grouping)
        return assembled(Judged(judged.parts, source), *units, None, said, fits)

    def _judges_predictions(self, model: int) -> bool:
        return self.noises[model] is not None or self.loss.needs != "distribution"

    def _check_losses_only(self, model: int) -> None:
        if self._judges_predictions(model) or self.joint or self.loss is not LOG:
            raise Refusal(
                f"a Candidate has a loss of its own; leave out {opt.loss}, {opt.noise} and "
                f"{opt.joint}, or return "
                "a distribution"
            )

    def _of_candidate(
        self, candidate: Any, rows: Any, model: int, fold: int
    ) -> tuple[FloatArray, FloatArray]:
        n_points = self.folds[fold].test.size
        observed = _one_for_each(candidate.loss(rows), n_points)
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
