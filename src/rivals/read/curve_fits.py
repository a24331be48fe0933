"""Curves fitted by least squares: lmfit, and SciPy's `curve_fit`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rivals._say.rows import in_index_order, row_labels
from rivals.models import Candidate
from rivals.read.densities import Density, at_inputs, gaussian, warn_of_many_parameters
from rivals.read.inputs import as_pair, as_targets, n_rows


def curve(
    fit: Any,
    inputs: Any,
    *,
    sigma: Any = None,
    function: Callable[..., Any] | None = None,
    training: Any = None,
) -> Candidate:
    """A candidate from a curve fitted by least squares, for data in the form of a pair
    (inputs, targets).

    Parameters
    ----------
    fit : ModelResult or tuple
        What `model.fit(y, x=x)` of lmfit or `scipy.optimize.curve_fit` returned.
    inputs : array or mapping
        Where targets are simulated: the inputs of the held-out data. For a model of lmfit
        with several independent variables, a mapping from their names to arrays.
    sigma : float or array, optional
        The standard deviation of every target, or of each held-out one, in units of the
        target: what `curve_fit` was given as absolute sigma. By default it is that of the
        residuals of the fit, √(sum of squares / degrees of freedom). A weighted fit of
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
    of_lmfit = hasattr(fit, "eval") and hasattr(fit, "redchi")
    predict = _predict_of_lmfit(fit) if of_lmfit else _predict_of_scipy(fit, function)
    if sigma is None:
        if of_lmfit:
            n_parameters, n_points, sigma = _noise_of_lmfit(fit)
        else:
            n_parameters, n_points, sigma = _noise_of_scipy(fit, predict, training)
        warn_of_many_parameters("the curve", n_parameters, n_points, "pass sigma= from other data")
    sigma = in_index_order(sigma, row_labels(inputs), "sigma", "the inputs")
    deviation = as_targets(sigma, "sigma")

    def density_at(at: Any) -> Density:
        mean = as_targets(predict(at), "the curve")
        if mean.ndim == 0:  # of a constant model
            mean = np.full(n_rows(at, "inputs"), mean)
        return gaussian(mean, deviation, "the curve")

    return at_inputs(density_at, inputs, "the curve")


def _predict_of_lmfit(result: Any) -> Callable[[Any], Any]:
    names = list(result.model.independent_vars)

    def predict(at: Any) -> Any:
        if len(names) > 1 and not isinstance(at, Mapping):
            raise TypeError(
                f"independent variables {', '.join(names)}; pass inputs as a mapping with "
                "these names"
            )
        if not isinstance(at, Mapping):
            at = {names[0]: at}
        return result.eval(**at)

    return predict


def _noise_of_lmfit(result: Any) -> tuple[int, int, Any]:
    """The numbers of parameters and of training points, and σ."""
    if result.weights is not None:
        raise ValueError(
            "the fit was weighted, so the σ of new points is unknown; pass sigma=: 1 / "
            f"weight, times √redchi = {np.sqrt(result.redchi):.4g} if weights were relative"
        )
    return result.nvarys, result.ndata, np.sqrt(result.redchi)


def _predict_of_scipy(fit: Any, function: Callable[..., Any] | None) -> Callable[[Any], Any]:
    if not (isinstance(fit, tuple) and len(fit) >= 2):
        raise TypeError(
            f"expected a ModelResult of lmfit, or the tuple of curve_fit; got {type(fit).__name__}"
        )
    if not callable(function):
        raise TypeError(
            "what curve_fit returned does not include the function; pass it as function="
        )
    return lambda at: function(at, *fit[0])


def _noise_of_scipy(fit: Any, predict: Callable[[Any], Any], training: Any) -> tuple[int, int, Any]:
    """The numbers of parameters and of training points, and σ."""
    if training is None:
        raise ValueError(
            "what curve_fit returned does not say how large the noise is; pass sigma=, or "
            "training=(x, y), to which it was fitted"
        )
    at, given = as_pair(training)
    targets = as_targets(given, "training targets").ravel()
    freedom = targets.size - len(fit[0])
    if freedom <= 0:
        raise ValueError(
            f"{len(fit[0])} parameters leave no residuals in {targets.size} training "
            "points; pass sigma="
        )
    residuals = targets - as_targets(predict(at), "the curve")
    return len(fit[0]), targets.size, np.sqrt(np.sum(residuals**2) / freedom)
