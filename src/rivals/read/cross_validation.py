"""Cross-validation in place of a held-out set: each point is judged, and simulated, by the model
that did not see it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rivals._random import (
    FOLD_FIT,
    FOLD_MEMBERS,
    FOLD_NOISE,
    FOLD_SIMULATION,
    FOLD_SPLIT,
    entropy_from,
    simulation_streams,
    stream,
)
from rivals._say.arguments import check_name, check_size
from rivals._say.labels import read_groups
from rivals._say.rows import name_of
from rivals._say.words import in_short, show
from rivals._types import RNG, FloatArray
from rivals._workers.jobs import Ended
from rivals._workers.plan import Plan
from rivals._workers.processes import run_all
from rivals.comparison import N_SIMULATIONS
from rivals.losses import Folds as KindOfFolds
from rivals.losses import Losses
from rivals.read.densities import ConditionalDensity, Density
from rivals.read.estimators import labels_at, only_label, targets_at
from rivals.read.folds import (
    Splits,
    keeps_groups,
    kind_of_folds,
    labels_of,
    make_splits,
    splits_of_training_sets,
)
from rivals.read.inputs import (
    AtPoint,
    as_pair,
    as_targets,
    as_values,
    as_vector,
    check_all_there,
    labels_of_pair,
    n_rows,
    take,
)
from rivals.read.noise import seeded_copy
from rivals.read.point_losses import CRPS, LOG, PointLoss, chosen_loss
from rivals.read.proper_scores import scorer

# Draws of each target, of which its CRPS is.
N_MEMBERS = 400


def cross_validated(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    cv: Any = None,
    loss: str | Callable[[Any, Any], Any] = LOG,
    noise: Any = "cross-validated",
    residuals: Literal["gaussian", "student", "empirical"] = "gaussian",
    floor: float = 0.0,
    n_simulations: int = N_SIMULATIONS,
    executor: Executor | int | None = 0,
    progress: bool = False,
    rng: RNG = None,
) -> dict[str, Losses]:
    """Out-of-fold losses of estimators, and simulations of each fold's own model at the
    fold's own inputs.

    A copy of each estimator is fitted to every training set. It gives the losses of the
    points of the test set, simulates targets or labels at their inputs, and gives the
    losses of these. No point is judged by a model that was fitted to it. With `groups`, no
    point is judged by a model that has seen its group, and the losses carry the groups:
    `compare` then asks which model would be better in a *new* group.

    Parameters
    ----------
    estimators : mapping
        Name → estimator of scikit-learn, or with its interface; not fitted. All regressors,
        or all classifiers.
    X, y : array or data frame
        Inputs, and targets or labels.
    groups : array, optional
        The replication that each point belongs to: school, hospital, session, year. One
        group is left out at a time; of more than 20 groups, ten folds of whole groups are
        made.
    cv : int, splitter or iterable, optional
        As in scikit-learn: a number of folds (stratified for classifiers, in the order of
        the data), a splitter such as `GroupKFold` or `TimeSeriesSplit`, or pairs of indices
        (train, test). By default by groups, or into five folds. All estimators get the same
        splits. No point may be tested twice. Points that no fold tests have no losses.
    loss : str or callable
        What is judged at each point, lower being better. "log": minus the log density of the
        target, or log probability of the label. "squared", "absolute": of regressors, the error of
        the prediction. "crps": of regressors with their noise, the continuous ranked probability
        score, in the unit of the target, from 400 draws. "brier", "accuracy" (1 where the label is
        wrong): of classifiers. Scorers of scikit-learn that are means over points go by their
        names: "neg_mean_squared_error", "neg_mean_absolute_error", "neg_log_loss",
        "neg_brier_score". Or a function `loss(y, prediction)` of arrays, one number per point;
        the prediction is what `predict` gives, of classifiers the labels.
        Only "log" and "crps" need a distribution and have simulations; with the others, `compare`
        needs three groups or more.
    noise : "cross-validated", "predicted" or frozen distribution, or mapping
        For regressors, the distribution of target minus prediction, as in `regressor`; or
        one for each name. "cross-validated" splits each training set once more, by groups,
        by the same splitter or into five folds, and so needs six fits instead of one; of
        LinearRegression and Ridge, mostly one, since their residuals are found without fits.
    residuals : "gaussian", "student" or "empirical"
        The form of cross-validated noise, as in `regressor`.
    floor : float
        For classifiers, the least probability of a label, as in `classifier`.
    n_simulations : int
    executor : int, Executor or None
        Where folds are fitted, as in `calibrate`: 0 for this process, a number of
        processes, None for as many as there are cores, or any executor of
        `concurrent.futures`. The results do not depend on it.
    progress : bool
        Whether to show a bar.
    rng : int, SeedSequence, Generator, optional
        Seeds the simulations. Estimators and splitters whose `random_state` is None also
        get theirs from it, so the whole run repeats.

    Returns
    -------
    dict
        Name → `Losses`, in the order of the data, for `rivals.compare`.

    See Also
    --------
    regressor : One fitted regressor and held-out data.
    classifier : One fitted classifier and held-out data.
    posterior : Posteriors, with points left out by importance sampling.

    Notes
    -----
    Models of different folds share most of their training data. Losses of different folds
    are therefore not independent, and the verdict is about the fitting procedure rather
    than about one fit. `benchmarks/folds.py` measures the effect.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.dummy import DummyRegressor
    >>> from scipy import stats
    >>> import rivals
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = X[:, 0] + 0.5 * rng.normal(size=300)
    >>> models = {"line": LinearRegression(), "mean": DummyRegressor()}
    >>> losses = rivals.read.cross_validated(models, X, y, cv=5, noise=stats.norm(scale=0.5), rng=0)
    >>> losses["line"]
    Losses(300 observed, 16 × 300 synthetic, empirical risk 0.66065)
    >>> rivals.compare(losses, rng=0).survivors
    ('line',)

    With groups, two lines lead to a verdict about as many new groups:

    >>> school = np.repeat(np.arange(6), 50)
    >>> losses = rivals.read.cross_validated(models, X, y, groups=school, rng=0)
    >>> result = rivals.compare(losses, rng=0)
    >>> result.law, result.survivors, result.won[0, 1]
    ('groups', ('line',), np.int64(6))

    Any other loss of points, here the absolute error; it needs no noise:

    >>> losses = rivals.read.cross_validated(models, X, y, groups=school, loss="absolute")
    >>> losses["line"]
    Losses(300 observed, no synthetic, empirical risk 0.36986)
    """
    classify = _are_classifiers(estimators)
    judged_by = chosen_loss(loss, classify=classify)
    if isinstance(judged_by, PointLoss):
        _check_no_density(judged_by.name, noise, floor)
    n_simulations = check_size(n_simulations, "n_simulations")
    entropy = entropy_from(rng)
    X, y = as_pair((X, y))
    y = as_vector(y)
    index = labels_of_pair(X, y)
    n_points = n_rows(y, "targets")
    labels = None if groups is None else labels_of(groups, index, n_points)
    codes, names = (None, ()) if labels is None else read_groups(labels, n_points)
    check_all_there(y, "y")
    if classify:
        _check_several_labels(y, n_points)
    cv = _seeded(cv, entropy)
    splits = make_splits(cv, X, y, codes, classify=classify)
    job = Folds(
        estimators=dict(estimators),
        X=X,
        y=y,
        groups=codes,
        splits=splits,
        classify=classify,
        loss=judged_by,
        noises=_by_name(noise, list(estimators)),
        noise_cv=splits_of_training_sets(cv, codes, splits),
        residuals=residuals,
        floor=floor,
        n_simulations=n_simulations,
        entropy=entropy,
    )
    found = run_folds(job, executor, progress)
    if codes is not None and not keeps_groups(codes, names, splits):
        labels = None
    points = Points(
        index=index,
        groups=labels,
        group_name=name_of(groups),
        folds=kind_of_folds(cv, by_groups=labels is not None),
        unit="nats" if judged_by == LOG else None,
    )
    return {
        name: _together(name, splits, parts, points)
        for name, parts in zip(estimators, found, strict=True)
    }


@dataclass(frozen=True, eq=False)
class Points:
    """What is known of all points, whoever judges them."""

    index: Any
    groups: Any
    group_name: str | None
    folds: KindOfFolds
    unit: str | None


def _check_no_density(name: str, noise: Any, floor: float) -> None:
    """Refuse what only a distribution has a use for."""
    if floor or not (isinstance(noise, str) and noise == "cross-validated"):
        given = "floor" if floor else "noise"
        raise ValueError(
            f"{given}= belongs to the distribution of targets, and loss {name} judges predictions: "
            "leave it out, or pass loss='log'"
        )


def _check_several_labels(y: Any, n_points: int) -> None:
    label = only_label(y)
    if label is not None:
        raise ValueError(
            f"y: all {n_points} points have the label {label}, so there is nothing to tell apart; "
            "pass points of all classes"
        )


def _seeded(cv: Any, entropy: int) -> Any:
    """A splitter that would draw its own seed gets one."""
    if getattr(cv, "random_state", 0) is not None:
        return cv
    seeded = copy(cv)
    seeded.random_state = int(stream(entropy, FOLD_SPLIT).integers(2**31))
    return seeded


@dataclass(frozen=True)
class Folds:
    """Every estimator with every split: a job for `_workers`, the estimators being its places."""

    estimators: dict[str, Any]
    X: Any
    y: Any
    groups: Any
    splits: Splits
    classify: bool
    loss: str | PointLoss
    noises: dict[str, Any]
    noise_cv: Any
    residuals: str
    floor: float
    n_simulations: int
    entropy: int
    contents = "the estimators and their data"
    progress = "cross-validating: {} of {} folds"

    @property
    def names(self) -> list[str]:
        """The names of the estimators."""
        return list(self.estimators)

    def prepare(self, place: int, indices: range) -> dict[int, Any]:
        """Nothing: every fold has its own fit."""
        return {}

    def run(
        self, place: int, index: int, prepared: None
    ) -> tuple[FloatArray, FloatArray] | Exception:
        """The losses of a fold, or an error that names it."""
        where = self.where(place, index)
        try:
            return self.losses(place, index)
        except AtPoint as error:
            # It counts the points of the test set, the user those of the data.
            _, test = self.splits[index]
            return ValueError(f"{where}: {error.among(test)}")
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            return kind(f"{where}: {in_short(str(error))}")
        except SystemExit as error:
            return RuntimeError(f"{where}: {ended_itself(error)}")
        except Exception as error:
            error.add_note(f"while fitting or judging {where}")
            return error

    def where(self, place: int, index: int) -> str:
        """An estimator and a fold in words."""
        return f"estimator '{show(self.names[place])}', fold {index + 1} of {len(self.splits)}"

    def losses(self, place: int, index: int) -> tuple[FloatArray, FloatArray]:
        """Losses of the test set of a fold, and those of simulations at its inputs as rows."""
        _, test = self.splits[index]
        if isinstance(self.loss, PointLoss):
            fitted, _ = self._copy(place, index)
            observed = self.loss(fitted, take(self.X, test), take(self.y, test))
            return observed, np.empty((0, test.size))
        density = self._fitted(place, index)(take(self.X, test))
        as_array = as_values if self.classify else as_targets
        targets = as_array(take(self.y, test), "targets")
        judge = self._judge(density, test.size, place, index)
        seed = self._seed(FOLD_SIMULATION, place, index)
        synthetic = []
        for rng in simulation_streams(seed, self.n_simulations):
            simulated = density.simulate(test.size, rng)
            synthetic.append(judge(simulated))
        return judge(targets), np.stack(synthetic)

    def _judge(
        self, density: Density, n_points: int, place: int, index: int
    ) -> Callable[[Any], FloatArray]:
        """From targets to their losses under the distribution."""
        if self.loss == LOG:
            return lambda values: -density.log_density(values)
        seed = self._seed(FOLD_MEMBERS, place, index)
        members = [density.simulate(n_points, rng) for rng in simulation_streams(seed, N_MEMBERS)]
        return scorer(np.stack(members), CRPS)

    def _fitted(self, place: int, index: int) -> ConditionalDensity:
        """From inputs to the distribution of targets or labels, fitted to a training set."""
        name = self.names[place]
        train, _ = self.splits[index]
        fitted, training = self._copy(place, index)
        if self.classify:
            return labels_at(fitted, floor=self.floor)
        return targets_at(
            fitted,
            self.noises[name],
            training,
            residuals=self.residuals,
            cv=self.noise_cv,
            groups=None if self.groups is None else self.groups[train],
            rng=self._seed(FOLD_NOISE, place, index),
        )

    def _copy(self, place: int, index: int) -> tuple[Any, tuple[Any, Any]]:
        """A copy of an estimator fitted to a training set, and that set."""
        train, _ = self.splits[index]
        training = (take(self.X, train), take(self.y, train))
        generator = stream(self.entropy, FOLD_FIT, place, index)
        fitted = seeded_copy(self.estimators[self.names[place]], generator)
        try:
            fitted.fit(*training)
        except ValueError as error:
            label = only_label(training[1]) if self.classify else None
            if label is None:
                raise
            raise ValueError(
                f"all {train.size} points of the training set have the label {label}, and "
                f"{type(fitted).__name__} cannot be fitted to one label; pass cv= folds that have "
                "each label in every training set, or leave this estimator out"
            ) from error
        return fitted, training

    def _seed(self, purpose: int, place: int, index: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.entropy, spawn_key=(purpose, place, index))


def _are_classifiers(estimators: Any) -> bool:
    """Whether all are classifiers, or all are regressors, told apart as scikit-learn does."""
    from sklearn.base import is_classifier

    if not isinstance(estimators, Mapping) or not estimators:
        raise TypeError(
            "estimators must be a mapping from name to estimator; got "
            f"{show(repr(estimators))[:60]}"
        )
    kinds = {}
    for name, estimator in estimators.items():
        where = f"estimator '{show(check_name(name))}'"
        _check_estimator(estimator, where)
        kinds[name] = "classifier" if is_classifier(estimator) else "regressor"
        first = next(iter(kinds))
        if kinds[name] != kinds[first]:
            raise ValueError(
                f"{where} is a {kinds[name]}, but estimator '{show(first)}' is a "
                f"{kinds[first]}; their losses cannot be compared; make two comparisons"
            )
    return kinds[first] == "classifier"


def _check_estimator(estimator: Any, where: str) -> None:
    from sklearn.base import is_classifier, is_regressor

    def is_known(estimator: Any) -> bool:
        return bool(is_classifier(estimator) or is_regressor(estimator))

    is_one = hasattr(estimator, "fit") and hasattr(estimator, "get_params")
    if not is_one or isinstance(estimator, type) or not is_known(estimator):
        raise TypeError(
            f"{where}: expected a regressor or a classifier of scikit-learn "
            "(sklearn.base.is_regressor), not its class; got "
            f"{show(repr(estimator))[:60]}; derive your own from RegressorMixin or "
            "ClassifierMixin, and BaseEstimator"
        )


def _by_name(noise: Any, names: Sequence[str]) -> dict[str, Any]:
    """The noise of each estimator, from one for all or one for each."""
    if not isinstance(noise, Mapping):
        return dict.fromkeys(names, noise)
    for odd in sorted(set(noise) ^ set(names)):
        where = "noises" if odd in noise else "estimators"
        raise ValueError(
            f"noise needs one entry for each estimator: {show(odd)!r} is among the {where} only"
        )
    return dict(noise)


def ended_itself(error: SystemExit) -> str:
    """That a fit or a prediction would have ended the program, and what to do."""
    return (
        f"it called sys.exit({'' if error.code is None else show(repr(error.code))}), which would "
        "end the program; let it raise an error, or return"
    )


def run_folds(folds: Any, executor: Executor | int | None, progress: bool) -> list[list[Any]]:
    """The losses of each fold of each estimator; `folds` is a job such as `Folds`."""
    found: list[list[Any]] = [[None] * len(folds.splits) for _ in folds.names]

    def keep(ended: list[Ended]) -> None:
        for each in ended:
            if each.error:
                where = folds.where(each.place, each.index)
                raise RuntimeError(
                    f"{where}: {each.error}; if its process was killed, it may need more memory: "
                    "use fewer processes; a fit must not end it"
                )
            if isinstance(each.result, Exception):
                raise each.result
            found[each.place][each.index] = each.result

    plan = Plan([np.ones(len(folds.splits), dtype=bool) for _ in folds.names], block_size=1)
    run_all(folds, plan, executor, keep, show=progress)
    return found


def _together(
    name: str,
    splits: Splits,
    parts: Sequence[tuple[FloatArray, FloatArray]],
    points: Points,
) -> Losses:
    """Losses of all folds, in the order of the data."""
    is_tested = np.bincount(np.concatenate([test for _, test in splits]))
    rows = np.flatnonzero(is_tested)
    place = np.cumsum(is_tested) - 1
    n_simulations = len(parts[0][1])
    observed = np.empty(rows.size)
    synthetic = np.empty((n_simulations, rows.size if n_simulations else 0))
    for (_, test), (of_test, simulated) in zip(splits, parts, strict=True):
        observed[place[test]] = of_test
        if n_simulations:
            synthetic[:, place[test]] = simulated
    try:
        return Losses(
            observed,
            synthetic,
            groups=None if points.groups is None else points.groups[rows],
            group_name=points.group_name,
            unit=points.unit,
            may_repeat=True,
            folds=points.folds,
            index=None if points.index is None else points.index[rows],
        )
    except ValueError as error:
        fold = ""
        for index, part in enumerate(parts):
            if not all(np.isfinite(losses).all() for losses in part):
                fold = f", first in fold {index + 1} of {len(splits)}"
                break
        raise ValueError(f"estimator '{show(name)}'{fold}: {error}") from None
