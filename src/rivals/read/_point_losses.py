"""Losses of predictions, point by point: by name, by a metric or scorer of scikit-learn, or by a
function.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from rivals._core.cautions import warn
from rivals._core.losses import Provenance
from rivals._core.texts import Refusal, WrongKind, opt
from rivals._core.types import FloatArray
from rivals.read._densities import Density
from rivals.read._predictions import LOSSES, called_as

# From targets and predictions to a loss of each point.
Function: TypeAlias = Callable[[Any, Any], Any]
# What a model must give: a number, a label, probabilities of labels, or a distribution.
Needs: TypeAlias = Literal["number", "label", "probabilities", "distribution"]

# Draws of each target, of which its CRPS is.
N_MEMBERS = 400
# A part of the points that rounding does not explain.
MANY_LOWER = 0.1
# A mean of losses of points is the metric itself, to rounding.
SAME = 1e-9


@dataclass(frozen=True)
class PointLoss:
    """A loss, and what it needs.

    Attributes
    ----------
    needs : str
        What a model must give for each point.
    source : Provenance
        What the loss is called, and its unit.
    of : callable, optional
        From targets and predictions to losses; none for losses of distributions.
    """

    needs: Needs
    source: Provenance
    of: Function | None = None

    def __call__(self, targets: npt.NDArray[Any], predicted: npt.NDArray[Any]) -> FloatArray:
        """One loss for each point."""
        assert self.of is not None
        found = np.asarray(self.of(targets, predicted), dtype=np.float64)
        if found.shape != targets.shape:
            raise ValueError(
                f"loss {self.source.loss!r} gave an array of shape {found.shape} for "
                f"{targets.size} points; it must give one number for each, not their mean"
            )
        return found


def _poisson_deviance(targets: FloatArray, predicted: FloatArray) -> FloatArray:
    _check_means(predicted)
    if targets.min() < 0.0:
        raise ValueError(f"the Poisson deviance is of targets from zero; got {targets.min():g}")
    return np.asarray(2.0 * (xlogy(targets, targets / predicted) - targets + predicted))


def _gamma_deviance(targets: FloatArray, predicted: FloatArray) -> FloatArray:
    _check_means(predicted)
    if targets.min() <= 0.0:
        raise ValueError(f"the gamma deviance is of targets above zero; got {targets.min():g}")
    ratio = targets / predicted
    return np.asarray(2.0 * (ratio - np.log(ratio) - 1.0))


def _check_means(predicted: FloatArray) -> None:
    if predicted.min() <= 0.0:
        raise ValueError(f"a deviance needs predictions above zero; got {predicted.min():g}")


def _pinball(targets: FloatArray, predicted: FloatArray) -> FloatArray:
    """Of the median; of another quantile it is a metric with its alpha."""
    return np.asarray(0.5 * np.abs(targets - predicted))


def _brier(places: npt.NDArray[np.intp], probabilities: FloatArray) -> FloatArray:
    """Σ_k (1{y = k} − p_k)² over the classes of all data; of two classes one term, as scikit-learn
    has it.
    """
    n_classes = probabilities.shape[1]
    squares = (np.eye(n_classes)[places] - probabilities) ** 2
    return np.asarray(squares.sum(axis=1) / (2.0 if n_classes == 2 else 1.0))


# Of each kind of model, by name: a function and what sentences call it.
OF_NUMBERS: dict[str, tuple[Function, str]] = {
    "squared": LOSSES["squared"],
    "absolute": LOSSES["absolute"],
    "pinball": (_pinball, "pinball loss"),
    "poisson deviance": (_poisson_deviance, "Poisson deviance"),
    "gamma deviance": (_gamma_deviance, "gamma deviance"),
}
OF_LABELS: dict[str, tuple[Function, str]] = {"zero-one": LOSSES["zero-one"]}
OF_PROBABILITIES: dict[str, tuple[Function, str]] = {"brier": (_brier, "Brier score")}
# Names of scorers of scikit-learn that are means over points.
SCORERS = {
    "accuracy": "zero-one",
    "neg_log_loss": "log",
    "neg_brier_score": "brier",
    "neg_mean_squared_error": "squared",
    "neg_mean_absolute_error": "absolute",
    "neg_mean_poisson_deviance": "poisson deviance",
    "neg_mean_gamma_deviance": "gamma deviance",
}
LOG = PointLoss("distribution", Provenance(unit="nats"))
CRPS = PointLoss("distribution", Provenance(loss="CRPS"))


def point_loss(loss: Any, *, classify: bool) -> PointLoss:
    """What is judged at each point, of classifiers or regressors."""
    name = SCORERS.get(loss, loss) if isinstance(loss, str) else loss
    if name == "log":
        return LOG
    if name == "crps" and not classify:
        return CRPS
    tables: dict[Needs, dict[str, tuple[Function, str]]] = {"number": OF_NUMBERS}
    if classify:
        tables = {"label": OF_LABELS, "probabilities": OF_PROBABILITIES}
    for needs, table in tables.items():
        if isinstance(name, str) and name in table:
            function, called = table[name]
            return PointLoss(needs, Provenance(loss=called), function)
    if isinstance(name, str):
        name = _scorer(name, [*(each for table in tables.values() for each in table)])
    of_points = _of_metric(name) if hasattr(name, "_score_func") else _of_function(name)
    called = called_as(getattr(name, "_score_func", name))
    return PointLoss("label" if classify else "number", Provenance(loss=called), of_points)


def _scorer(name: str, known: list[str]) -> Any:
    """A scorer of scikit-learn by its name."""
    from sklearn.metrics import get_scorer

    try:
        return get_scorer(name)
    except ValueError:
        raise Refusal(
            f"{opt['loss']}: there is no {name!r} here; choose 'log', "
            f"{', '.join(map(repr, known))}, the "
            "name of a scorer of scikit-learn that is a mean over points, or pass a function "
            "(targets, predictions) → a loss for each point, lower being better"
        ) from None


def _of_metric(scorer: Any) -> Function:
    """A scorer that is a mean over points, evaluated at each of them."""
    metric, options, sign = scorer._score_func, scorer._kwargs, scorer._sign
    if scorer._response_method != "predict":
        raise Refusal(
            f"{opt['loss']}: {metric.__name__} judges scores or probabilities of labels; "
            "choose 'log' or "
            "'brier', which are means over points"
        )

    def of_points(targets: npt.NDArray[Any], predicted: npt.NDArray[Any]) -> FloatArray:
        def score(rows: slice) -> float:
            return float(-sign * metric(targets[rows], predicted[rows], **options))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of metrics that are not defined for one point
            found = np.array([score(slice(row, row + 1)) for row in range(targets.size)])
        whole = score(slice(None))
        if not abs(found.mean() - whole) <= SAME * max(1.0, abs(whole)):
            raise ValueError(
                f"{metric.__name__} is no mean over points (it is {whole:g}, and their mean "
                f"{found.mean():g}), so that points have no losses of their own; choose 'squared' "
                "in place of R², 'log' or 'brier' in place of ROC AUC"
            )
        return found

    return of_points


def _of_function(function: Any) -> Function:
    """A function, and a warning if lower seems not to be better."""
    if not callable(function):
        raise WrongKind(
            f"{opt['loss']}: expected a name or a function; got {type(function).__name__}"
        )

    def checked(targets: npt.NDArray[Any], predicted: npt.NDArray[Any]) -> Any:
        try:
            found = np.asarray(function(targets, predicted))
            perfect = np.asarray(function(targets, targets))
        except Exception as error:
            raise Refusal(
                f"{opt['loss']}: {type(error).__name__}: {error}; it is called as "
                "loss(targets, predictions)"
            ) from error
        of_points = found.shape == perfect.shape == targets.shape
        if of_points and np.mean(found < perfect) > MANY_LOWER:
            warn(
                f"loss {getattr(function, '__name__', '')}: many predictions have a lower loss "
                "than the targets themselves would; lower must be better: is it a score, as R² "
                "or an accuracy, or an error with its sign?"
            )
        return found

    return checked


def crps(
    density: Density, targets: FloatArray, n_simulations: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """The continuous ranked probability score of targets, and of simulations, from draws."""
    members = np.sort(density.sample(N_MEMBERS, rng), axis=0)
    weights = 2.0 * np.arange(N_MEMBERS) - N_MEMBERS + 1.0
    spread = weights @ members / N_MEMBERS**2

    def score(values: FloatArray) -> FloatArray:
        return np.asarray(np.abs(members - values).mean(axis=0) - spread)

    simulated = [score(values) for values in density.sample(n_simulations, rng)]
    return score(targets), np.array(simulated).reshape(n_simulations, targets.size)
