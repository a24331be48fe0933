"""What a fitted estimator predicts, checked: probabilities of labels, means and deviations."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._core.types import FloatArray
from rivals.read._rows import numbers_of

# Libraries by package; and where models are nobody's.
NAMES = {"sklearn": "scikit-learn"}
OF_NONE = ("__main__", "builtins", "rivals", "scipy")


def probabilities_of(fitted: Any, at: Any, classes: npt.NDArray[Any]) -> FloatArray:
    """The probability of each of the classes, also of those that the fit has not seen."""
    who = type(fitted).__name__
    if not callable(getattr(fitted, "predict_proba", None)):
        raise TypeError(
            f"{who} has no predict_proba, so that labels have no probability; pass "
            "loss='zero-one', or give it one (sklearn.calibration.CalibratedClassifierCV)"
        )
    found = np.asarray(fitted.predict_proba(at), dtype=np.float64)
    known = np.asarray(fitted.classes_)
    if found.ndim != 2 or found.shape[1] != known.size:
        raise ValueError(
            f"{who} predicts probabilities of shape {found.shape} for {known.size} classes"
        )
    if not np.all((found >= 0.0) & (found <= 1.001)):
        raise ValueError(
            f"{who}.predict_proba gives numbers from {found.min():.3g} to {found.max():.3g}, which "
            "are no probabilities; logits need a softmax"
        )
    probabilities = np.zeros((len(found), classes.size))
    probabilities[:, np.searchsorted(classes, known)] = found
    return probabilities


def mean_and_deviation(fitted: Any, at: Any, n_points: int) -> tuple[FloatArray, FloatArray]:
    """As Gaussian processes and Bayesian ridge regression predict them."""
    who = type(fitted).__name__
    try:
        mean, deviation = fitted.predict(at, return_std=True)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{who} does not predict a deviation ({error}); noise='predicted' is for estimators "
            "whose predict takes return_std=True"
        ) from error
    return numbers_of(mean, n_points, who), numbers_of(deviation, n_points, who)


def library_of(model: Any) -> str:
    """What sentences call the library of a model: of a pipeline, that of its last step."""
    while hasattr(model, "steps"):
        model = model.steps[-1][1]
    package = type(model).__module__.partition(".")[0]
    return "" if package in OF_NONE else NAMES.get(package, package)
