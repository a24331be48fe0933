"""Losses of an estimator at each point, other than the log loss: lower is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from rivals._say.warn import warn
from rivals._say.words import listed, show
from rivals._types import FloatArray
from rivals.read.estimators import probabilities_of
from rivals.read.inputs import as_targets, as_values, check_same_shape

# From a fitted estimator, inputs and targets to one loss per point.
AtPoints: TypeAlias = Callable[[Any, Any, Any], FloatArray]

LOG = "log"
CRPS = "crps"
# Scorers of scikit-learn that are means over points, by what their points are.
SCORERS = {
    "neg_log_loss": LOG,
    "neg_mean_squared_error": "squared",
    "neg_mean_absolute_error": "absolute",
    "neg_brier_score": "brier",
}
OF_REGRESSORS = ("squared", "absolute", CRPS, "neg_mean_squared_error", "neg_mean_absolute_error")
# A part of the points that rounding does not explain.
MANY_LOWER = 0.1
OF_CLASSIFIERS = ("brier", "accuracy", "neg_log_loss", "neg_brier_score")


@dataclass(frozen=True)
class PointLoss:
    """A loss of predictions at points.

    Parameters
    ----------
    name : str
        For messages.
    at : callable
        From a fitted estimator, inputs and targets to one loss per point.
    """

    name: str
    at: AtPoints

    def __call__(self, fitted: Any, inputs: Any, targets: Any) -> FloatArray:
        """One loss per point, checked."""
        n_points = len(targets)
        found = as_targets(self.at(fitted, inputs, targets), f"losses of {self.name}")
        if found.shape != (n_points,):
            raise ValueError(
                f"loss {self.name} gave shape {found.shape}; it must give one number for each of "
                f"{n_points} points, not their mean"
            )
        return found


def chosen_loss(loss: Any, *, classify: bool) -> str | PointLoss:
    """ "log" and "crps", which need a density, or a loss of predictions at points."""
    if callable(loss):
        name = getattr(loss, "__name__", type(loss).__name__)
        return PointLoss(name, partial(_by_function, loss))
    known = (LOG, *OF_REGRESSORS, *OF_CLASSIFIERS)
    if not isinstance(loss, str) or loss not in known:
        raise ValueError(
            f"loss: got {show(repr(loss))}; pass one of {listed(known)}, or a function "
            "loss(y, prediction) that gives one number per point, lower being better. Scores "
            "that are no mean over points, such as r2 and roc_auc, have no losses of points"
        )
    kind = "classifiers" if classify else "regressors"
    if loss in (OF_REGRESSORS if classify else OF_CLASSIFIERS):
        instead = "'log', 'squared', 'absolute' or 'crps'"
        if classify:
            instead = "'log', 'brier' or 'accuracy'"
        raise ValueError(f"loss {loss!r} is not for {kind}; pass {instead}")
    name = SCORERS.get(loss, loss)
    at_points = {
        "squared": _squared,
        "absolute": _absolute,
        "brier": _brier,
        "accuracy": _wrong,
    }
    return PointLoss(name, at_points[name]) if name in at_points else name


def _by_function(
    loss: Callable[[Any, Any], Any], fitted: Any, inputs: Any, targets: Any
) -> FloatArray:
    values = as_values(targets, "targets")
    predicted = _predicted(fitted, inputs)
    try:
        found = loss(values, predicted)
    except Exception as error:
        name = getattr(loss, "__name__", type(loss).__name__)
        raise ValueError(
            f"loss {name}: {type(error).__name__}: {error}; it is called as loss(y, prediction), "
            f"here with targets of shape {values.shape} and what predict gives, of shape "
            f"{predicted.shape}: labels, not probabilities, of a classifier; scorers of "
            "scikit-learn go by their names"
        ) from error
    _warn_of_sign(loss, values, np.asarray(found))
    return np.asarray(found)


def _warn_of_sign(loss: Callable[[Any, Any], Any], values: Any, found: FloatArray) -> None:
    """Predicting the target itself has the lowest loss; of a score or a signed error it has not."""
    try:
        perfect = np.asarray(loss(values, values), dtype=np.float64)
        lower = np.mean(np.asarray(found, dtype=np.float64) < perfect)
    except Exception:  # a function of predictions of another form than the targets
        return
    if perfect.shape == found.shape == values.shape[:1] and lower > MANY_LOWER:
        name = getattr(loss, "__name__", type(loss).__name__)
        warn(
            f"loss {name}: many predictions have a lower loss than the targets themselves would "
            "have; lower must be better: is it a score, or an error with its sign?"
        )


def _predicted(fitted: Any, inputs: Any) -> Any:
    return as_values(fitted.predict(inputs), "predictions")


def _errors(fitted: Any, inputs: Any, targets: Any) -> FloatArray:
    predicted = as_targets(fitted.predict(inputs), "predictions")
    values = as_targets(targets, "targets")
    check_same_shape(predicted.shape, values.shape, type(fitted).__name__)
    return values - predicted


def _squared(fitted: Any, inputs: Any, targets: Any) -> FloatArray:
    """(y − ŷ)²; of several targets, their mean."""
    return _mean_of_targets(_errors(fitted, inputs, targets) ** 2)


def _absolute(fitted: Any, inputs: Any, targets: Any) -> FloatArray:
    """|y − ŷ|; of several targets, their mean."""
    return _mean_of_targets(np.abs(_errors(fitted, inputs, targets)))


def _mean_of_targets(values: FloatArray) -> FloatArray:
    return values if values.ndim == 1 else np.asarray(values.mean(axis=1))


def _brier(fitted: Any, inputs: Any, targets: Any) -> FloatArray:
    """(1 − p)², p the probability of the label; of more than two classes, Σ_k (1{y = k} − p_k)²."""
    known, probabilities = probabilities_of(fitted, inputs)
    is_label = as_values(targets, "labels")[:, None] == known
    squares = (is_label - probabilities) ** 2
    # With two classes both squares are the same, and scikit-learn counts one.
    return np.asarray(squares.sum(axis=1) / (2.0 if known.size == 2 else 1.0))


def _wrong(fitted: Any, inputs: Any, targets: Any) -> FloatArray:
    """0 where the predicted label is right, 1 where it is wrong: the mean is 1 − accuracy."""
    predicted = _predicted(fitted, inputs)
    labels = as_values(targets, "labels")
    if predicted.shape == (*labels.shape, 1):  # as CatBoost gives them
        predicted = predicted[:, 0]
    check_same_shape(predicted.shape, labels.shape, type(fitted).__name__)
    return np.asarray(predicted != labels, dtype=np.float64)
