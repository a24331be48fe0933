"""Cross-validation in place of a held-out set: each point is judged, and simulated, by the
model that did not see it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from rivals._random import (
    FOLD_FIT,
    FOLD_NOISE,
    FOLD_SIMULATION,
    FOLD_SPLIT,
    entropy_from,
    simulation_streams,
    stream,
)
from rivals._say.arguments import check_name, check_size
from rivals._say.rows import in_index_order, read_groups, row_labels
from rivals._say.warn import warn
from rivals._say.words import show
from rivals._types import RNG, FloatArray, IntArray
from rivals._workers.jobs import Ended
from rivals._workers.plan import Plan
from rivals._workers.processes import run_all
from rivals.comparison import N_SIMULATIONS
from rivals.losses import Losses
from rivals.read.estimators import labels_at, targets_at
from rivals.read.inputs import as_pair, as_targets, as_values, n_rows, take
from rivals.read.noise import seeded_copy

Splits: TypeAlias = list[tuple[IntArray, IntArray]]  # training and test points of each fold

NOISE_FOLDS = 5
# Up to this many groups are left out one at a time; of more, this many folds of whole
# groups are made.
MOST_LEFT_OUT, MANY_FOLDS = 20, 10


def cross_validated(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    cv: Any = None,
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
    noise : "cross-validated", "predicted" or frozen distribution, or mapping
        For regressors, the distribution of target minus prediction, as in `regressor`; or
        one for each name. "cross-validated" splits each training set once more, by groups,
        by the same splitter or into five folds, and so needs six fits instead of one.
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

    With groups, two lines lead to a verdict about a new group:

    >>> school = np.repeat(np.arange(6), 50)
    >>> losses = rivals.read.cross_validated(models, X, y, groups=school, rng=0)
    >>> result = rivals.compare(losses, rng=0)
    >>> result.law, result.survivors, result.won[0, 1]
    ('groups', ('line',), np.int64(6))
    """
    from sklearn.model_selection import GroupKFold, LeaveOneGroupOut

    classify, names = _are_classifiers(estimators), list(estimators)
    entropy, n_simulations = entropy_from(rng), check_size(n_simulations, "n_simulations")
    X, y = as_pair((X, y))
    labels, n_groups = (None, 0) if groups is None else _labels(groups, y)
    if getattr(cv, "random_state", 0) is None:
        cv = copy(cv)
        cv.random_state = int(stream(entropy, FOLD_SPLIT).integers(2**31))
    by_groups = LeaveOneGroupOut() if n_groups <= MOST_LEFT_OUT else GroupKFold(MANY_FOLDS)
    outer = cv if cv is not None else NOISE_FOLDS if labels is None else by_groups
    splits = _splits(outer, X, y, labels, classify)
    noises, noise_cv = _by_name(noise, names), _inner(cv, labels, splits)

    def losses(place: int, index: int) -> tuple[FloatArray, FloatArray]:
        """Losses of the test set of a fold, and those of simulations at its inputs as rows."""
        name, (train, test) = names[place], splits[index]
        training = (take(X, train), take(y, train))
        fitted = seeded_copy(estimators[name], stream(entropy, FOLD_FIT, place, index))
        fitted.fit(*training)
        if classify:
            law = labels_at(fitted, floor=floor)
        else:
            own = None if labels is None else labels[train]
            seed = np.random.SeedSequence(entropy, spawn_key=(FOLD_NOISE, place, index))
            law = targets_at(
                fitted,
                noises[name],
                training,
                residuals=residuals,
                cv=noise_cv,
                groups=own,
                rng=seed,
            )
        density = law(take(X, test))
        targets = (as_values if classify else as_targets)(take(y, test), "targets")
        seed = np.random.SeedSequence(entropy, spawn_key=(FOLD_SIMULATION, place, index))
        simulated = [
            density.simulate(test.size, rng) for rng in simulation_streams(seed, n_simulations)
        ]
        return -density.log_density(targets), np.stack(
            [-density.log_density(each) for each in simulated]
        )

    found = _run_all(Folds(losses, names, splits), executor, progress)
    kept = None if labels is None or not _keeps_groups(labels, splits) else labels
    return {
        name: _together(name, splits, parts, kept) for name, parts in zip(names, found, strict=True)
    }


@dataclass(frozen=True)
class Folds:
    """Every estimator with every split: a job for `_workers`, the estimators being its places."""

    losses: Callable[[int, int], tuple[FloatArray, FloatArray]]
    names: list[str]
    splits: Splits
    contents = "the estimators and their data"
    progress = "cross-validating: {} of {} folds"

    def prepare(self, place: int, indices: range) -> dict[int, Any]:
        """Nothing: every fold has its own fit."""
        return {}

    def run(
        self, place: int, index: int, prepared: None
    ) -> tuple[FloatArray, FloatArray] | Exception:
        """The losses of a fold, or an error that names it."""
        try:
            return self.losses(place, index)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            # Readers count the points of the test set, the user those of the data.
            rows = self.splits[index][1]
            message = re.sub(
                r"(?<=the first at point )\d+", lambda point: str(rows[int(point[0])]), str(error)
            )
            return kind(f"{self.where(place, index)}: {message}")
        except Exception as error:
            error.add_note(f"while fitting or judging {self.where(place, index)}")
            return error

    def where(self, place: int, index: int) -> str:
        """An estimator and a fold in words."""
        return f"estimator '{show(self.names[place])}', fold {index + 1} of {len(self.splits)}"


def _are_classifiers(estimators: Any) -> bool:
    """Whether all are classifiers, or all are regressors, told apart as scikit-learn does."""
    from sklearn.base import is_classifier, is_regressor

    if not isinstance(estimators, Mapping) or not estimators:
        raise TypeError(
            "estimators must be a mapping from name to estimator; got "
            f"{show(repr(estimators))[:60]}"
        )
    kinds = {}
    for name, estimator in estimators.items():
        where = f"estimator '{show(check_name(name))}'"
        is_one = (
            not isinstance(estimator, type)
            and hasattr(estimator, "fit")
            and hasattr(estimator, "get_params")
        )
        if not is_one or not (is_classifier(estimator) or is_regressor(estimator)):
            raise TypeError(
                f"{where}: expected a regressor or a classifier of scikit-learn "
                "(sklearn.base.is_regressor), not its class; got "
                f"{show(repr(estimator))[:60]}; derive your own from RegressorMixin or "
                "ClassifierMixin, and BaseEstimator"
            )
        kinds[name] = "classifier" if is_classifier(estimator) else "regressor"
        first = next(iter(kinds))
        if kinds[name] != kinds[first]:
            raise ValueError(
                f"{where} is a {kinds[name]}, but estimator '{show(first)}' is a "
                f"{kinds[first]}; their losses cannot be compared; make two comparisons"
            )
    return kinds[first] == "classifier"


def _by_name(noise: Any, names: Sequence[str]) -> dict[str, Any]:
    """The noise of each estimator, from one for all or one for each."""
    noises = dict(noise) if isinstance(noise, Mapping) else dict.fromkeys(names, noise)
    for odd in sorted(set(noises) ^ set(names)):
        raise ValueError(
            f"noise needs one entry for each estimator: {show(odd)!r} is among the "
            f"{'noises' if odd in noises else 'estimators'} only"
        )
    return noises


def _splits(cv: Any, X: Any, y: Any, groups: Any, classify: bool) -> Splits:
    """The splits, the same for all estimators; each point is tested at most once."""
    from sklearn.model_selection import check_cv

    rows = np.arange(n_rows(X, "inputs"))
    pairs = check_cv(cv, y, classifier=classify).split(X, y, groups)
    splits = [(rows[np.asarray(train)], rows[np.asarray(test)]) for train, test in pairs]
    tested = np.bincount(np.concatenate([test for _, test in splits]), minlength=rows.size)
    if np.any(tested > 1):
        raise ValueError(
            f"cv tests {int((tested > 1).sum())} of {rows.size} points more than once, the "
            f"first at point {int(np.argmax(tested > 1))} (from 0); use a splitter such as "
            "KFold"
        )
    for index, (train, test) in enumerate(splits):
        shared = np.intersect1d(train, test)
        if shared.size:
            raise ValueError(
                f"cv: fold {index + 1} of {len(splits)} trains on {shared.size} of its "
                f"{test.size} test points, the first at point {shared[0]} (from 0); take "
                "them out of its training set"
            )
    return splits


def _labels(groups: Any, y: Any) -> tuple[Any, int]:
    """The group of each point, in the order of the targets if both have an index; and how
    many there are.
    """
    if isinstance(groups, str):
        raise TypeError(
            f"groups must hold the group of each point: got the text {show(groups)!r}; pass "
            "that column"
        )
    labels = np.asarray(in_index_order(groups, row_labels(y), "groups", "the targets"))
    return labels, len(read_groups(labels, len(y))[1])


def _keeps_groups(labels: Any, splits: Splits) -> bool:
    """Whether no model was fitted to points of a group that it is judged in: only then are
    groups replications.
    """
    shared = [
        np.intersect1d(labels[train].astype(str), labels[test].astype(str))
        for train, test in splits
    ]
    torn = next((each[0] for each in shared if each.size), None)
    if torn is not None:
        warn(
            f"cv tests models on groups that they were fitted to, such as {show(torn)!r}, "
            "so the losses carry no groups; leave cv out, or split by groups"
        )
    return torn is None


def _inner(cv: Any, labels: Any, splits: Splits) -> Any:
    """How a training set is split once more: by groups, or as the data were, if that works
    for a part of them; or into five folds.
    """
    from sklearn.model_selection import (
        GroupKFold,
        LeaveOneGroupOut,
        LeaveOneOut,
        LeavePOut,
        PredefinedSplit,
    )

    if labels is not None and (cv is None or isinstance(cv, LeaveOneGroupOut)):
        fewest = min(np.unique(labels[train].astype(str)).size for train, _ in splits)
        return GroupKFold(min(NOISE_FOLDS, fewest)) if fewest > 1 else NOISE_FOLDS
    again = hasattr(cv, "split") and not isinstance(cv, (LeaveOneOut, LeavePOut, PredefinedSplit))
    return cv if again else NOISE_FOLDS


def _run_all(folds: Folds, executor: Executor | int | None, progress: bool) -> list[list[Any]]:
    """The losses of each fold of each estimator."""
    found: list[list[Any]] = [[None] * len(folds.splits) for _ in folds.names]

    def keep(ended: list[Ended]) -> None:
        for each in ended:
            if each.error:
                where = folds.where(each.place, each.index)
                raise RuntimeError(
                    f"{where}: {each.error}; it may need more memory: use fewer processes"
                )
            if isinstance(each.result, Exception):
                raise each.result
            found[each.place][each.index] = each.result

    plan = Plan([np.ones(len(folds.splits), dtype=bool) for _ in folds.names], block_size=1)
    run_all(folds, plan, executor, keep, show=progress)
    return found


def _together(
    name: str, splits: Splits, parts: Sequence[tuple[FloatArray, FloatArray]], labels: Any
) -> Losses:
    """Losses of all folds, in the order of the data."""
    tested = np.concatenate([test for _, test in splits])
    order = np.argsort(tested)
    observed, synthetic = (
        np.concatenate(part, axis=-1)[..., order] for part in zip(*parts, strict=True)
    )
    try:
        return Losses(
            observed,
            synthetic,
            groups=None if labels is None else labels[tested[order]],
            may_repeat=True,
        )
    except ValueError as error:
        bad = [not all(np.isfinite(losses).all() for losses in part) for part in parts]
        fold = f", first in fold {bad.index(True) + 1} of {len(splits)}" if any(bad) else ""
        raise ValueError(f"estimator '{show(name)}'{fold}: {error}") from None
