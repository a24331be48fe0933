"""Time series of statsmodels, by their one-step predictions."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from rivals._types import FloatArray
from rivals.models import Candidate
from rivals.read.inputs import as_targets, library_of, n_rows, take
from rivals.read.statsmodels_instead import INSTEAD

TIME_SERIES = ("ARIMA", "SARIMAX", "UnobservedComponents", "ExponentialSmoothing")


def forecast(results: Any, *, exog: Any = None) -> Candidate:
    """A candidate from a time series model of statsmodels, for data that continue the
    series to which it was fitted.

    The loss of each point is that of the one-step prediction: the negative log density of
    the point, given all points before it, at the fitted parameters. Simulations continue
    the series likewise.

    Parameters
    ----------
    results : object
        What `fit()` returned, for ARIMA, SARIMAX, UnobservedComponents,
        ExponentialSmoothing (of `tsa.statespace`), or your own state space model of one
        series.
    exog : array or data frame, optional
        Of the held-out points, if the model has any.

    Returns
    -------
    Candidate
        For `rivals.compare(models, data, order="time")`.

    See Also
    --------
    regression : Regressions.

    Notes
    -----
    Pass `order="time"` to `rivals.compare`: losses of a time series may be correlated.

    Nothing is estimated from the held-out data: a variance that the model concentrates out
    of its likelihood stays that of the fit.

    Examples
    --------
    >>> import numpy as np
    >>> from statsmodels.tsa.arima.model import ARIMA
    >>> from rivals.read import forecast
    >>> y = np.random.default_rng(0).normal(size=300).cumsum()
    >>> fit = ARIMA(y[:200], order=(0, 1, 0)).fit()
    >>> round(float(forecast(fit).loss(y[200:]).mean()), 2)
    1.56
    """
    _check_series(results, exog)
    takes = inspect.signature(results.simulate).parameters
    seed = "rng" if "rng" in takes else "random_state"

    def of_exog(n: int) -> dict[str, Any]:
        if exog is None:
            return {}
        if n > n_rows(exog, "exog"):
            raise ValueError(
                f"exog is known for {n_rows(exog, 'exog')} held-out points, but {n} were requested"
            )
        return {"exog": take(exog, np.arange(n))}

    def loss(data: Any) -> FloatArray:
        values = as_targets(data, "data")
        _check_continues(results, values)
        if hasattr(data, "iloc"):  # with its index, which must go on where that of the fit ended
            values = data
        try:
            filtered = results.append(values, **of_exog(len(values))).filter_results
        except ValueError as error:
            raise ValueError(
                f"the data do not continue the series of the fit: {error}; pass them with an "
                "index that goes on where it ended, or as an array"
            ) from error
        return _one_step_losses(results, filtered)

    def simulate(n: int, rng: np.random.Generator) -> Any:
        return results.simulate(n, anchor="end", **of_exog(n), **{seed: rng})

    return Candidate(loss=loss, simulate=simulate)


def _one_step_losses(results: Any, filtered: Any) -> FloatArray:
    """Gaussian, about the predictions of the points after the fit."""
    n_before = int(results.nobs)
    # Where the scale is concentrated out, the filter took it from all data: put back that of
    # the fit.
    scale = results.filter_results.scale / filtered.scale
    variance = filtered.forecasts_error_cov[0, 0, n_before:] * scale
    miss = filtered.forecasts_error[0, n_before:]
    losses = 0.5 * (miss**2 / variance + np.log(2 * np.pi * variance))
    return np.asarray(losses, dtype=np.float64)


def _check_series(results: Any, exog: Any) -> None:
    model: Any = getattr(results, "model", None)
    name = type(results if model is None else model).__name__
    kinds = {kind.__name__ for kind in type(model).__mro__}
    known = name in TIME_SERIES or library_of(model) != "statsmodels"
    if "MLEModel" not in kinds or not known or model.k_endog > 1:
        hint = INSTEAD.get(name) or INSTEAD.get(type(results).__name__.removesuffix("Wrapper"))
        raise TypeError(
            "expected the results of a state space model of one series "
            f"({', '.join(TIME_SERIES)}); got {name}; {hint or 'see rivals.Candidate'}"
        )
    if getattr(model, "simple_differencing", False):
        raise ValueError(
            f"{name} with simple_differencing=True simulates differences, not the series; "
            "fit it with simple_differencing=False"
        )
    if getattr(model, "initialization_method", "") == "concentrated":
        raise ValueError(
            f"{name} with initialization_method='concentrated' would learn from the "
            "held-out data; fit it with initialization_method='estimated'"
        )
    filtered = results.filter_results
    if filtered.forecasts_error_cov is None or filtered.memory_no_forecast_cov:
        raise ValueError(
            f"{name} was fitted with low_memory=True, and has no predictions; fit it without"
        )
    # ARIMA keeps its trend among exog, and what it was given apart.
    given = getattr(model, "_input_exog", model.exog)
    needs = given is not None and np.size(given) > 0
    if needs != (exog is not None):
        remedy = "without exog; leave it out"
        if needs:
            remedy = "with exog; pass exog= for the held-out points"
        raise TypeError(f"{name} was fitted {remedy}")


def _check_continues(results: Any, values: FloatArray) -> None:
    missing = np.flatnonzero(np.isnan(values))
    if missing.size:
        raise ValueError(
            f"data: {missing.size} of {values.size} points are NaN, the first at position "
            f"{missing[0]} (from 0); hold out a stretch without gaps"
        )
    before = np.asarray(results.model.endog, dtype=np.float64).ravel()
    if values.size >= before.size and np.array_equal(values[: before.size], before, equal_nan=True):
        raise ValueError(
            f"data: the first {before.size} points are those to which the model was fitted; "
            f"pass those after them alone, data[{before.size}:]"
        )
