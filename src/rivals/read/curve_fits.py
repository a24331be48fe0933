"""Curves fitted by least squares: lmfit, and SciPy's `curve_fit`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rivals._types import FloatArray
from rivals.losses import Candidate
from rivals.read.distributions import Density, at_inputs, gaussian, warn_of_many_parameters
from rivals.read.inputs import as_pair, as_targets, check_same_shape, n_rows


def curve(
    fit: Any, inputs: Any, *, sigma: Any = None, function: Callable[..., Any] | None = None, training: Any = None
) -> Candidate:
    """A candidate from a curve fitted by least squares, for data in the form of a pair (inputs, targets).

    Parameters
    ----------
    fit : ModelResult or tuple
        What `model.fit(y, x=x)` of lmfit or `scipy.optimize.curve_fit` returned.
    inputs : array or mapping
        Where targets are simulated: the inputs of the held-out data. For a model of lmfit with several independent variables, a
        mapping from their names to arrays.
    sigma : float or array, optional
        The standard deviation of every target, or of each held-out one, in units of the target: what `curve_fit` was given as
        absolute sigma. By default it is that of the residuals of the fit, √(sum of squares / degrees of freedom). A weighted fit of
        lmfit says nothing about new points, so it must be given there.
    function : callable, optional
        The function that was given to `curve_fit`, whose output does not include it.
    training : pair, optional
        The inputs and targets that were given to `curve_fit`, for σ from their residuals.

    Returns
    -------
    Candidate
        Its loss is the negative log density of the target: Gaussian about the fitted curve.

    See Also
    --------
    regressor : With another distribution of the noise, for an object with `predict`.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.optimize import curve_fit
    >>> from rivals.read import curve
    >>> def decay(x, height, rate):
    ...     return height * np.exp(-rate * x)
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(0, 3, 300)
    >>> y = decay(x, 2.0, 1.3) + 0.1 * rng.normal(size=300)
    >>> fit = curve_fit(decay, x[:150], y[:150], p0=[1.0, 1.0])
    >>> model = curve(fit, x[150:], function=decay, training=(x[:150], y[:150]))
    >>> round(float(model.loss((x[150:], y[150:])).mean()), 2)
    -0.92
    """
    predict, deviation = (
        _of_lmfit(fit, sigma)
        if hasattr(fit, "eval") and hasattr(fit, "redchi")
        else _of_scipy(fit, function, sigma, training)
    )
    n_inputs = n_rows(inputs, "inputs")
    if deviation.ndim and deviation.shape != (n_inputs,):
        raise ValueError(f"sigma: expected a number, or one for each of {n_inputs} inputs; got shape {deviation.shape}")

    def law(at: Any) -> Density:
        n = n_rows(at, "inputs")
        if deviation.ndim and n != n_inputs:
            raise ValueError(
                f"sigma is known for {n_inputs} points, but {n} were requested; make the candidate with their inputs"
            )
        # A constant model may return a number.
        mean = as_targets(predict(at), "the curve")
        return gaussian(np.broadcast_to(mean, (n,)) if mean.ndim == 0 else mean, deviation, "the curve")

    return at_inputs(law, inputs, "the curve")


def _of_lmfit(result: Any, sigma: Any) -> tuple[Callable[[Any], Any], FloatArray]:
    names = list(result.model.independent_vars)

    def predict(at: Any) -> Any:
        if isinstance(at, Mapping):
            return result.eval(**at)
        if len(names) > 1:
            raise TypeError(
                f"the model has the independent variables {', '.join(names)}; pass inputs as a mapping with these names"
            )
        return result.eval(**{names[0]: at})

    if sigma is not None:
        return predict, _checked(sigma)
    if result.weights is not None:
        raise ValueError(
            "the fit was weighted, so the σ of new points is unknown; pass sigma= for the held-out points: 1 / weight, times "
            f"√redchi = {np.sqrt(result.redchi):.4g} if the weights were relative"
        )
    _warn(result.nvarys, result.ndata)
    return predict, np.asarray(np.sqrt(result.redchi))


def _of_scipy(
    fit: Any, function: Callable[..., Any] | None, sigma: Any, training: Any
) -> tuple[Callable[[Any], Any], FloatArray]:
    if not (isinstance(fit, tuple) and len(fit) >= 2):
        raise TypeError(
            f"expected a ModelResult of lmfit, or what curve_fit returned, a tuple; got {type(fit).__name__}"
        )
    if not callable(function):
        raise TypeError("what curve_fit returned does not include the function; pass it as function=")
    parameters = np.asarray(fit[0], dtype=np.float64)

    def predict(at: Any) -> Any:
        return function(at, *parameters)

    if sigma is not None:
        return predict, _checked(sigma)
    if training is None:
        raise ValueError(
            "what curve_fit returned does not say how large the noise is; pass sigma=, or training=(x, y), to which it was fitted"
        )
    at, given = as_pair(training)
    targets, fitted = as_targets(given, "training targets"), as_targets(predict(at), "the curve")
    check_same_shape(targets.shape if fitted.ndim == 0 else fitted.shape, targets.shape, "the curve")
    if targets.size <= parameters.size:
        raise ValueError(
            f"{parameters.size} parameters leave no residuals in {targets.size} training points; pass sigma="
        )
    _warn(parameters.size, targets.size)
    return predict, np.asarray(np.sqrt(np.sum((targets - fitted) ** 2) / (targets.size - parameters.size)))


def _checked(sigma: Any) -> FloatArray:
    deviation = as_targets(sigma, "sigma")
    if not (np.all(np.isfinite(deviation)) and np.all(deviation > 0)):
        raise ValueError("sigma must be finite and above zero at every point")
    return deviation


def _warn(n_parameters: int, n_points: int) -> None:
    warn_of_many_parameters("the curve", n_parameters, n_points, "pass sigma= from other data")
