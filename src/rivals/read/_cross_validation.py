"""Cross-validation in place of a held-out set: each point is judged by a model that did not see it,
nor its group.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._core.arrays import targets as checked_targets
from rivals._core.checks import check_size
from rivals._core.grouping import Grouping
from rivals._core.losses import Losses, Provenance
from rivals._core.optional import need
from rivals._core.predictions import Elsewhere, Kind, Predictions, scorer_of
from rivals._core.seeds import FOLD_FIT, FOLD_SIMULATION, FOLD_SPLIT, entropy_from, stream
from rivals._core.texts import Refusal, WrongKind, naming, opt
from rivals._core.types import RNG, FloatArray, IntArray
from rivals.method.influence import METRICS
from rivals.read._estimators import library_of, mean_and_deviation, probabilities_of
from rivals.read._folds import (
    Fold,
    asked_rows,
    foldings_by,
    foldings_of_groups,
    grouping_of,
    how_often,
    warn_of_predictors_of_groups,
)
from rivals.read._judging import (
    Judging,
    assembled,
    grouping_of_rows,
    named_alike,
    tested,
    trained,
)
from rivals.read._noise import PREDICTED, of_each_model, warn_of_counts
from rivals.read._point_losses import OF_DISTRIBUTIONS, asked_for, needs_of_labels
from rivals.read._rows import index_of_rows, n_rows, numbers_of, take
from rivals.read._running import run_folds

N_SIMULATIONS = 0


def cross_validated(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    cv: Any = None,
    repeats: int | None = None,
    loss: Any = "log",
    noise: Any = None,
    floor: float = 0.0,
    n_simulations: int = N_SIMULATIONS,
    n_jobs: int | None = None,
    point: str = "point",
    rng: RNG = None,
) -> Predictions:
    """What scikit-learn's estimators predict for left-out groups, and their losses.

    A copy of each estimator is fitted to every training set, and judged on what was left out. With
    `groups`, no point is judged by a model that has seen its group, and the losses carry the
    groups: `compare` then asks which model would be better in *new* groups. Without, it asks which
    would be better in a new sample of as many rows.

    Parameters
    ----------
    models : mapping
        Name → estimator of scikit-learn, or with its interface; not fitted. All regressors, or all
        classifiers.
    X, y : array or data frame
        Inputs; and targets or labels.
    groups : array_like, optional
        The group of each point: school, hospital, session, year. One group is left out at a time;
        of more than 20, ten folds of whole groups. A search, as `GridSearchCV(cv=GroupKFold())`,
        gets those of its training set.
    sample_weight : array_like, optional
        Weights of the rows in fits; all rows are judged alike.
    cv : int, splitter or iterable, optional
        As in scikit-learn, where folds shall be others. Without groups, five folds by default. All
        models get the same folds; a splitter that repeats gives several foldings.
    repeats : int, optional
        How often rows, or more than 20 groups, are divided into folds; losses are means over these
        foldings, which fold luck then moves less. Five by default up to 2000 rows, else one.
    loss : str, scorer or callable, or a list of these
        "log": minus the log density of the target, or log probability of the label. Of regressors
        also "crps", "squared", "absolute", "pinball", "poisson deviance", "gamma deviance"; of
        classifiers "brier" and "zero-one". Or a metric, as "rmse", "r2", "roc_auc", "f1"; or any
        scorer of scikit-learn, or its name; or a function (targets, predictions) → a loss for each
        point, lower being better, or one number. Of a list all are fitted once.
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
        Simulated data sets of each model, for "log" and "crps", which methods "transport", "beta"
        and "paper" need; "groups" needs none.
    n_jobs : int, optional
        Processes, as in scikit-learn (joblib). The results do not depend on it.
    point : str
        What one point is called, as "pupil".
    rng : int, SeedSequence, Generator, optional
        Seeds simulations, and the `random_state` of estimators and splitters that have none.

    Returns
    -------
    Predictions
        Name → `Losses`, in the order of the data; it keeps what was predicted, for other losses:
        `compare(predictions, loss="roc_auc")`.

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
    asked = asked_for(loss)
    _check_use(asked, noise, floor, classify)
    n_simulations = check_size(n_simulations, "n_simulations", least=0)
    entropy = entropy_from(rng)
    names = list(models)
    noises = of_each_model(noise or "gaussian", names)
    index = index_of_rows(X, y=y, groups=groups)
    targets = _targets(y, n_rows(X, "X"), classify)
    grouping = None if groups is None else grouping_of(groups, X)
    if grouping is not None:
        warn_of_predictors_of_groups(X, grouping)
    foldings = _foldings(cv, repeats, X, targets, grouping, classify, entropy)
    if grouping is not None and not foldings[0][0].groups:
        grouping = None  # a warning said so
    rows, folds = tested(foldings)
    there = asked_rows(foldings, X, targets, grouping)
    kind: Kind = "numbers"
    if classify:
        kind = "probabilities" if needs_of_labels(asked) == "probabilities" else "labels"
    elif PREDICTED in [each for each in noises if isinstance(each, str)]:
        kind = "deviations"
    fits = _Fits(
        list(models.values()),
        X,
        targets,
        [fold for folding in foldings for fold in folding],
        [asked for folding, asked in zip(foldings, there, strict=True) for _ in folding],
        kind,
        tuple(str(each) == PREDICTED for each in noises),
        np.unique(targets) if classify else np.empty(0),
        entropy,
        None if grouping is None else grouping.codes,
        _weights(sample_weight, targets.size),
    )
    noun = "group" if grouping is None else grouping.noun
    found = run_folds(fits, names, fits.folds, noun=noun, n_jobs=n_jobs)
    if noise is None and not classify and set(asked) & set(OF_DISTRIBUTIONS):
        warn_of_counts(targets)
    size = len(foldings[0])
    known: dict[str, dict[str, Losses]] = {}
    for each in asked:
        if not isinstance(each, str) or each not in OF_DISTRIBUTIONS:
            continue
        judged = []
        for place, name in enumerate(names):
            of_model = []
            for number, folding in enumerate(foldings):
                part = found[place][number * size : (number + 1) * size]
                judging = Judging(
                    targets,
                    folding,
                    OF_DISTRIBUTIONS[each],
                    noises[place],
                    n_simulations if not number else 0,
                    (entropy, FOLD_SIMULATION, place, *((number,) if number else ())),
                    fits.classes if classify else None,
                    floor,
                )
                with naming(f"model {name!r}"):
                    own, everywhere = [one for one, _ in part], [one for _, one in part]
                    of_model.append(judging.judged(own, there[number], everywhere))
            judged.append(of_model)
        known[each] = {}
        for name, of_model in zip(names, named_alike(judged), strict=True):
            said = Provenance(point=point, library=library_of(models[name]))
            with naming(f"model {name!r}"):
                known[each][name] = assembled(of_model, foldings, grouping, index, said, there)
    libraries = {library_of(each) for each in models.values()}
    whole = rows.size == targets.size
    return Predictions(
        targets[rows],
        {name: in_order(found[place], foldings) for place, name in enumerate(names)},
        kind,
        asked,
        known,
        grouping_of_rows(grouping, rows),
        folds,
        fits.classes if classify else None,
        take(X, rows) if hasattr(X, "columns") and not whole else X,
        elsewhere_of(found, names, there, size) if whole else (),
        Provenance(
            **trained(foldings, grouping),
            point=point,
            library=libraries.pop() if len(libraries) == 1 else "",
        ),
        None if index is None else index[rows],
    )


def _foldings(
    cv: Any,
    repeats: int | None,
    X: Any,
    targets: npt.NDArray[Any],
    grouping: Grouping | None,
    classify: bool,
    entropy: int,
) -> list[list[Fold]]:
    """Whole groups, or as a splitter says, or rows."""
    a_number = cv is None or isinstance(cv, (int, np.integer))
    if not a_number and repeats is not None:
        raise Refusal(
            f"{opt.repeats(repeats)}: {opt.cv} says how often rows are divided; use a splitter "
            f"such as RepeatedKFold, or leave {opt.cv} out"
        )
    often = how_often(repeats, targets.size, grouping if cv is None else None, cheap=a_number)
    if grouping is not None and cv is None:
        return foldings_of_groups(grouping, often, entropy)
    return foldings_by(
        _seeded(cv, entropy),
        X,
        targets,
        grouping,
        classify=classify,
        n_foldings=often,
        entropy=entropy,
    )


def in_order(
    found: list[tuple[npt.NDArray[Any], npt.NDArray[Any]]], foldings: list[list[Fold]]
) -> npt.NDArray[Any]:
    """Of one model, foldings × rows."""
    size = len(foldings[0])
    parts = []
    for number, folding in enumerate(foldings):
        order = np.argsort(np.concatenate([fold.test for fold in folding]))
        own = [each for each, _ in found[number * size : (number + 1) * size]]
        parts.append(np.concatenate(own)[order])
    return np.stack(parts)


def elsewhere_of(
    found: list[list[tuple[npt.NDArray[Any], npt.NDArray[Any]]]],
    names: list[str],
    there: list[IntArray],
    size: int,
) -> tuple[Elsewhere, ...]:
    return tuple(
        Elsewhere(
            rows,
            {
                name: np.stack([each for _, each in found[place][number * size :][:size]])
                for place, name in enumerate(names)
            },
        )
        for number, rows in enumerate(there)
        if rows.size
    )


def _check_use(asked: tuple[Any, ...], noise: Any, floor: float, classify: bool) -> None:
    """Refuse what the losses have no use for, before anything is fitted."""
    if noise is not None and (classify or not set(map(str, asked)) & set(OF_DISTRIBUTIONS)):
        raise Refusal(
            f"{opt.noise} is the distribution of numbers about predictions, for "
            f"{opt.loss('log')} and 'crps' of "
            "regressors; leave it out"
        )
    if floor and not (classify and "log" in asked):
        raise Refusal(
            f"{opt.floor} is the least probability of a label, for {opt.loss('log')}; leave it out"
        )
    if not 0.0 <= floor < 1.0:
        raise ValueError(f"floor must lie in [0, 1); got {floor!r}")
    for each in asked:
        if not isinstance(each, str) or each in ("log", "crps")[: 1 if classify else 2]:
            continue
        of_numbers = METRICS[each].needs == "number" if each in METRICS else None
        if of_numbers is None:
            scorer_of(each)
        elif of_numbers == classify:
            raise Refusal(
                f"{opt['loss']}: there is no {each!r} of "
                f"{'classifiers' if classify else 'regressors'}; choose "
                f"{', '.join(map(repr, _suitable(classify)))}, or a scorer of scikit-learn"
            )


def _suitable(classify: bool) -> list[str]:
    """The names of losses that suit classifiers, or regressors."""
    names = [name for name, each in METRICS.items() if (each.needs != "number") == classify]
    return names if classify else ["log", "crps", *names]


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


def _weights(given: Any, n_points: int) -> FloatArray | None:
    """Of each row, in fits."""
    if given is None:
        return None
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (n_points,) or not np.isfinite(weights).all() or weights.min() < 0.0:
        raise Refusal(
            f"{opt['sample_weight']} must be one number, 0 or more, for each of {n_points} rows; "
            f"got an array of shape {weights.shape}"
        )
    return weights


def _seeded(cv: Any, entropy: int) -> Any:
    """A splitter that would draw its own seed gets one."""
    if getattr(cv, "random_state", 0) is not None:
        return cv
    seeded = copy(cv)
    seeded.random_state = int(stream(entropy, FOLD_SPLIT).integers(2**31))
    return seeded


@dataclass(frozen=True)
class _Fits:
    """Fits a copy of a model to a training set, and returns what it predicts for the test set, and
    for rows that are asked of all.
    """

    models: list[Any]
    X: Any
    targets: npt.NDArray[Any]
    folds: list[Fold]
    asked: list[IntArray]
    kind: Kind
    gives_deviation: tuple[bool, ...]
    classes: npt.NDArray[Any]
    entropy: int
    groups: IntArray | None = None
    weights: FloatArray | None = None

    def __call__(self, model: int, fold: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        train, test = self.folds[fold].train, self.folds[fold].test
        fitted = seeded_copy(self.models[model], stream(self.entropy, FOLD_FIT, model, fold))
        fitted.fit(take(self.X, train), self.targets[train], **self._beside(fitted, train))
        asked = self.asked[fold]
        others = np.setdiff1d(asked, test, assume_unique=True)
        rows = np.concatenate([test, others])
        found = self._predicted(fitted, take(self.X, rows), rows.size, model)
        place = np.empty(self.targets.size, dtype=np.intp)
        place[rows] = np.arange(rows.size)
        return found[: test.size], found[place[asked]]

    def _beside(self, fitted: Any, train: IntArray) -> dict[str, Any]:
        """What a fit gets beside X and y: weights, and groups where it divides its rows itself."""
        from sklearn.utils.validation import has_fit_parameter

        beside: dict[str, Any] = {}
        if self.weights is not None:
            if not has_fit_parameter(fitted, "sample_weight") and not hasattr(fitted, "cv"):
                raise WrongKind(
                    f"{opt['sample_weight']}: {type(fitted).__name__} takes none; leave it out, or "
                    "leave this model out"
                )
            beside["sample_weight"] = self.weights[train]
        if self.groups is not None and "Group" in type(getattr(fitted, "cv", None)).__name__:
            beside["groups"] = self.groups[train]
        return beside

    def _predicted(self, fitted: Any, at: Any, size: int, model: int) -> npt.NDArray[Any]:
        who = type(fitted).__name__
        if self.kind == "probabilities":
            return probabilities_of(fitted, at, self.classes)
        if self.kind == "labels":
            return checked_targets(fitted.predict(at), f"predictions of {who}")
        if self.gives_deviation[model]:
            return np.column_stack(mean_and_deviation(fitted, at, size))
        means = numbers_of(fitted.predict(at), size, who)
        return np.column_stack([means, means]) if self.kind == "deviations" else means


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
