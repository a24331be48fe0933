"""Fitted estimators with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rivals._checks import show
from rivals._types import FloatArray
from rivals.losses import Candidate
from rivals.read.distributions import log_density


def classifier(estimator: Any, inputs: Any, *, floor: float = 0.0) -> Candidate:
    """A candidate from a fitted classifier, for data in the form of a pair (inputs, labels).

    Parameters
    ----------
    estimator : object
        With `predict_proba` and `classes_`, fitted to other data.
    inputs : array or data frame
        Inputs at which labels are simulated: those of the held-out data.
    floor : float
        Probabilities are raised to at least this, then made to add up to one. Forests and neighbours give zeros, and a
        label of probability zero has an infinite loss.

    Returns
    -------
    Candidate
        Its loss is minus the log of the probability of the label.

    Examples
    --------
    >>> import numpy as np
    >>> class Coin:
    ...     classes_ = np.array(["no", "yes"])
    ...     def predict_proba(self, inputs):
    ...         return np.tile([0.25, 0.75], (len(inputs), 1))
    >>> inputs = np.zeros((3, 1))
    >>> classifier(Coin(), inputs).loss((inputs, ["yes", "no", "yes"])).round(3)
    array([0.288, 1.386, 0.288])
    """
    if not callable(getattr(estimator, "predict_proba", None)):
        raise TypeError(
            f"{type(estimator).__name__} has no predict_proba; give it one (sklearn.calibration.CalibratedClassifierCV), or use another"
        )
    if not 0.0 <= floor < 1.0:
        raise ValueError(f"floor must lie in [0, 1); got {floor!r}")
    classes = np.asarray(estimator.classes_)

    def probabilities(at: Any) -> FloatArray:
        raised = np.maximum(np.asarray(estimator.predict_proba(at), dtype=np.float64), floor)
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def loss(data: Any) -> FloatArray:
        at, labels = _pair(data)
        columns = _columns(np.asarray(labels), classes)
        with np.errstate(divide="ignore"):  # the check of losses explains what an infinite one means
            return np.asarray(-np.log(probabilities(at)[np.arange(columns.size), columns]))

    def simulate(n: int, rng: np.random.Generator) -> tuple[Any, npt.NDArray[Any]]:
        at = _rows(inputs, n, rng)
        edges = np.cumsum(probabilities(at), axis=1)
        chosen = (rng.random((n, 1)) > edges[:, :-1]).sum(axis=1)
        return at, classes[chosen]

    return Candidate(loss=loss, simulate=simulate)


def regressor(estimator: Any, inputs: Any, *, noise: Any | Literal["predicted"]) -> Candidate:
    """A candidate from a fitted regressor and a model of its noise, for data in the form of a pair (inputs, targets).

    Parameters
    ----------
    estimator : object
        With `predict`, fitted to other data.
    inputs : array or data frame
        Inputs at which targets are simulated: those of the held-out data.
    noise : frozen distribution or "predicted"
        The distribution of target minus prediction, as `scipy.stats.norm(scale=0.3)` or `scipy.stats.t(4, scale=0.2)`: a prediction
        alone is no model of data. "predicted": Gaussian, with the standard deviation that the estimator predicts
        (`predict(inputs, return_std=True)`, as Gaussian processes do).

    Returns
    -------
    Candidate
        Its loss is the negative log density of the target.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import stats
    >>> class Line:
    ...     def predict(self, inputs):
    ...         return 2.0 * inputs[:, 0]
    >>> inputs = np.arange(4.0)[:, None]
    >>> regressor(Line(), inputs, noise=stats.norm(scale=0.5)).loss((inputs, [0.0, 2.0, 4.0, 7.0])).round(3)
    array([0.226, 0.226, 0.226, 2.226])
    """
    if isinstance(noise, str) and noise != "predicted":
        raise ValueError(f"noise must be a frozen distribution or 'predicted'; got {noise!r}")

    def loss(data: Any) -> FloatArray:
        at, targets = _pair(data)
        if isinstance(noise, str):
            mean, deviation = _prediction(estimator, at)
            standard = (np.asarray(targets, dtype=np.float64) - mean) / deviation
            return np.asarray(0.5 * standard**2 + np.log(np.sqrt(2.0 * np.pi) * deviation))
        return -log_density(noise, np.asarray(targets, dtype=np.float64) - estimator.predict(at))

    def simulate(n: int, rng: np.random.Generator) -> tuple[Any, FloatArray]:
        at = _rows(inputs, n, rng)
        if isinstance(noise, str):
            mean, deviation = _prediction(estimator, at)
            return at, mean + deviation * rng.standard_normal(n)
        return at, np.asarray(estimator.predict(at) + noise.rvs(size=n, random_state=rng))

    return Candidate(loss=loss, simulate=simulate)


def _prediction(estimator: Any, at: Any) -> tuple[FloatArray, FloatArray]:
    try:
        mean, deviation = estimator.predict(at, return_std=True)
    except TypeError:
        raise TypeError(
            f"{type(estimator).__name__} does not predict a standard deviation; pass the distribution of its noise instead of 'predicted'"
        ) from None
    return np.asarray(mean, dtype=np.float64), np.asarray(deviation, dtype=np.float64)


def _pair(data: Any) -> tuple[Any, Any]:
    if not (isinstance(data, (tuple, list)) and len(data) == 2):
        raise TypeError(f"data for an estimator is a pair (inputs, labels or targets); got {type(data).__name__}")
    inputs, targets = data
    if len(inputs) != len(targets):
        raise ValueError(
            f"data for an estimator has one label or target per input; got {len(inputs)} inputs and {len(targets)} of them"
        )
    return inputs, targets


def _columns(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """The column of `predict_proba` that belongs to each label."""
    match = labels[:, None] == classes[None, :]
    unknown = np.flatnonzero(~match.any(axis=1))
    if unknown.size:
        raise ValueError(
            f"{unknown.size} of {labels.size} labels are of a class that the classifier was not fitted to, the first at row "
            f"{unknown[0]}: {show(repr(labels[unknown[0]]))}; fit it to data with all classes"
        )
    return np.asarray(match.argmax(axis=1), dtype=np.intp)


def _rows(inputs: Any, n: int, rng: np.random.Generator) -> Any:
    """The inputs as they are, where as many are asked for; else n rows drawn from them."""
    if n == len(inputs):
        return inputs
    rows = rng.integers(0, len(inputs), size=n)
    return inputs.iloc[rows] if hasattr(inputs, "iloc") else inputs[rows]
