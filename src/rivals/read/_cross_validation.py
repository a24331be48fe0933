"""Cross-validation in place of a held-out set: each point is judged by a model that did not see it,
nor its group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._core.arrays import targets as checked_targets
from rivals._core.checks import check_size
from rivals._core.losses import Losses, Provenance
from rivals._core.optional import need
from rivals._core.seeds import FOLD_FIT, FOLD_SIMULATION, FOLD_SPLIT, entropy_from, stream
from rivals._core.texts import Refusal, WrongKind, opt
from rivals._core.types import RNG
from rivals.read._estimators import library_of, mean_and_deviation, probabilities_of
from rivals.read._folds import Fold, folds_by, folds_of_groups, grouping_of
from rivals.read._judging import Judging, assembled, named_alike, naming
from rivals.read._noise import PREDICTED, of_each_model, warn_of_counts
from rivals.read._point_losses import LOG, PointLoss, point_loss
from rivals.read._rows import index_of_rows, n_rows, numbers_of, take
from rivals.read._running import run_folds

N_SIMULATIONS = 16


def cross_validated(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    cv: Any = None,
    loss: str | Callable[[Any, Any], Any] = "log",
    noise: Any = None,
    floor: float = 0.0,
    n_simulations: int = N_SIMULATIONS,
    n_jobs: int | None = None,
    point: str = "point",
    rng: RNG = None,
) -> dict[str, Losses]:
    """Losses of scikit-learn's estimators on left-out groups.

    A copy of each estimator is fitted to every training set, and judged on what was left out. With
    `groups`, no point is judged by a model that has seen its group, and the losses carry the
    groups: `compare` then asks which model would be better in *new* groups.

    Parameters
    ----------
    models : mapping
        Name → estimator of scikit-learn, or with its interface; not fitted. All regressors, or all
        classifiers.
    X, y : array or data frame
        Inputs; and targets or labels.
    groups : array_like, optional
        The group of each point: school, hospital, session, year. One group is left out at a time;
        of more than 20, ten folds of whole groups.
    cv : int, splitter or iterable, optional
        As in scikit-learn, where folds shall be others. Without groups, five folds by default. All
        models get the same folds.
    loss : str or callable
        "log": minus the log density of the target, or log probability of the label. Of regressors
        also "crps", "squared", "absolute", "pinball", "poisson deviance", "gamma deviance"; of
        classifiers "brier" and "zero-one". Or a scorer of scikit-learn, or its name, that is a mean
        over points; or a function (targets, predictions) → a loss for each point, lower being
        better.
    noise : str, distribution or callable, or mapping of these, optional
        For regressors and "log" or "crps": how targets are distributed about predictions.
        "gaussian" (the default), "laplace", "student", "empirical", "poisson",
        "negative binomial", "gamma", fitted to predictions for the points of the other folds, by
        models that had not seen these; "predicted", where `predict` takes `return_std=True`; a
        frozen distribution of SciPy, about the prediction; or a function from predictions to one.
        A mapping has an entry for each model.
    floor : float
        For classifiers and "log": the least probability of a label. Forests and neighbours give
        zeros, and a label of probability zero has an infinite loss.
    n_simulations : int
        Simulated data sets of each model, for "log" and "crps"; with three groups or more, 0 will
        do.
    n_jobs : int, optional
        Processes, as in scikit-learn (joblib). The results do not depend on it.
    point : str
        What one point is called, as "pupil".
    rng : int, SeedSequence, Generator, optional
        Seeds simulations, and the `random_state` of estimators and splitters that have none.

    Returns
    -------
    dict
        Name → `Losses`, in the order of the data.

    See Also
    --------
    leave_out : The same for any fitted model.
    search_results : From what scikit-learn's own functions returned.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from sklearn.dummy import DummyRegressor
    >>> from sklearn.linear_model import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = X[:, 0] + 0.5 * rng.normal(size=300)
    >>> school = np.repeat(np.arange(6), 50)
    >>> models = {"line": LinearRegression(), "mean": DummyRegressor()}
    >>> losses = rivals.read.cross_validated(models, X, y, groups=school, rng=0)
    >>> rivals.compare(losses).best
    'line'
    """
    classify = _are_classifiers(models)
    chosen = point_loss(loss, classify=classify)
    _check_use(chosen, noise, floor, classify)
    n_simulations = check_size(n_simulations, "n_simulations", least=0)
    entropy = entropy_from(rng)
    names = list(models)
    noise_of_models = of_each_model(noise or "gaussian", names)
    index = index_of_rows(X, y=y, groups=groups)
    targets = _targets(y, n_rows(X, "X"), classify)
    grouping = None if groups is None else grouping_of(groups, X)
    if grouping is not None and cv is None:
        folds = folds_of_groups(grouping)
    else:
        folds = folds_by(_seeded(cv, entropy), X, targets, grouping, classify=classify)
    fits = _Fits(
        list(models.values()),
        X,
        targets,
        folds,
        "probabilities" if classify and chosen is LOG else chosen.needs,
        tuple(str(each) == PREDICTED for each in noise_of_models),
        np.unique(targets) if classify else np.empty(0),
        entropy,
    )
    predicted = run_folds(
        fits, names, folds, noun="group" if grouping is None else grouping.noun, n_jobs=n_jobs
    )
    if noise is None and chosen.needs == "distribution" and not classify:
        warn_of_counts(targets)
    judged = []
    for place, name in enumerate(names):
        judging = Judging(
            targets,
            folds,
            chosen,
            noise_of_models[place],
            n_simulations,
            (entropy, FOLD_SIMULATION, place),
        )
        with naming(f"model {name!r}"):
            if classify:
                judged.append(judging.of_labels(predicted[place], fits.classes, floor))
            else:
                judged.append(judging.of_numbers(predicted[place]))
    losses = {}
    for name, each in zip(names, named_alike(judged), strict=True):
        said = Provenance(point=point, library=library_of(models[name]))
        with naming(f"model {name!r}"):
            losses[name] = assembled(each, folds, grouping, index, said)
    return losses


def _check_use(loss: PointLoss, noise: Any, floor: float, classify: bool) -> None:
    """Refuse what the loss has no use for."""
    if noise is not None and (classify or loss.needs != "distribution"):
        raise Refusal(
            f"{opt.noise} is the distribution of numbers about predictions, for "
            f"{opt.loss('log')} and 'crps' of "
            "regressors; leave it out"
        )
    if floor and not (classify and loss is LOG):
        raise Refusal(
            f"{opt.floor} is the least probability of a label, for {opt.loss('log')}; leave it out"
        )
    if not 0.0 <= floor < 1.0:
        raise ValueError(f"floor must lie in [0, 1); got {floor!r}")


def _are_classifiers(models: Any) -> bool:
    """Whether all are classifiers, or all are regressors, told apart as scikit-learn does."""
    base = need("sklearn.base", extra="sklearn", purpose="cross-validation")
    if not isinstance(models, Mapping) or not models:
        raise WrongKind(
            f"{opt['models']} must be a mapping from name to estimator; got {type(models).__name__}"
        )
    kinds = {}
    for name, model in models.items():
        if isinstance(model, type):
            raise TypeError(f"model {name!r}: pass {model.__name__}(), an object, not its class")
        is_one = hasattr(model, "fit") and hasattr(model, "get_params")
        if not is_one or base.is_classifier(model) == base.is_regressor(model):
            raise TypeError(
                f"model {name!r}: expected a regressor or a classifier of scikit-learn; got "
                f"{type(model).__name__}; derive your own from RegressorMixin or ClassifierMixin, "
                "and BaseEstimator, or use rivals.read.leave_out"
            )
        kinds[name] = "classifier" if base.is_classifier(model) else "regressor"
    if len(set(kinds.values())) > 1:
        raise ValueError(
            f"there are regressors and classifiers, whose losses cannot be compared: {kinds}"
        )
    return "classifier" in kinds.values()


def _targets(y: Any, n_points: int, classify: bool) -> npt.NDArray[Any]:
    """Numbers, or labels of two classes or more."""
    targets = checked_targets(y, "y")
    if targets.size != n_points:
        raise ValueError(f"y: {targets.size} targets for {n_points} rows of X")
    if not classify:
        try:
            return targets.astype(np.float64)
        except (TypeError, ValueError):
            raise TypeError(
                f"y: regressors need numbers; got {targets[:1].tolist()[0]!r}"
            ) from None
    if np.unique(targets).size < 2:
        raise ValueError(
            f"y: all {n_points} points have the label {targets[:1].tolist()[0]!r}, so that there "
            "is nothing to tell apart"
        )
    return targets


def _seeded(cv: Any, entropy: int) -> Any:
    """A splitter that would draw its own seed gets one."""
    if getattr(cv, "random_state", 0) is not None:
        return cv
    seeded = copy(cv)
    seeded.random_state = int(stream(entropy, FOLD_SPLIT).integers(2**31))
    return seeded


@dataclass(frozen=True)
class _Fits:
    """Fits a copy of a model to a training set, and returns what it predicts for the test set."""

    models: list[Any]
    X: Any
    targets: npt.NDArray[Any]
    folds: list[Fold]
    needs: str
    gives_deviation: tuple[bool, ...]
    classes: npt.NDArray[Any]
    entropy: int

    def __call__(self, model: int, fold: int) -> Any:
        train, test = self.folds[fold].train, self.folds[fold].test
        fitted = seeded_copy(self.models[model], stream(self.entropy, FOLD_FIT, model, fold))
        fitted.fit(take(self.X, train), self.targets[train])
        at = take(self.X, test)
        if self.needs == "probabilities":
            return probabilities_of(fitted, at, self.classes)
        if self.gives_deviation[model]:
            return mean_and_deviation(fitted, at, test.size)
        who = type(fitted).__name__
        if self.needs == "label":
            return checked_targets(fitted.predict(at), f"predictions of {who}")
        return numbers_of(fitted.predict(at), test.size, who)


def seeded_copy(model: Any, rng: np.random.Generator) -> Any:
    """An unfitted copy; every part that would draw a seed gets its own, so that the fit repeats."""
    from sklearn.base import clone

    copied = clone(model)
    parameters = copied.get_params(deep=True)
    seeds = [
        name
        for name in sorted(parameters)
        if parameters[name] is None and name.rsplit("__", 1)[-1] == "random_state"
    ]
    return copied.set_params(**{name: int(rng.integers(2**31)) for name in seeds})
