"""Results of statsmodels: regressions, and time series by their one-step predictions."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._say.rows import in_index_order, row_labels
from rivals._say.warn import warn
from rivals._say.words import show
from rivals._types import FloatArray
from rivals.models import Candidate
from rivals.read.densities import Density, at_inputs, gaussian, warn_of_many_parameters
from rivals.read.distributions import as_density
from rivals.read.estimators import classifier
from rivals.read.inputs import as_targets, check_response, library_of, n_rows, take

# What is read, and what the points of each may bring besides exog. Models and families that
# are not here are refused.
LINEAR, CHOICES, OF_FAMILIES = ("OLS", "WLS"), ("MNLogit", "OrderedModel"), ("GLM", "GEE")
COUNTS = ("Poisson", "GeneralizedPoisson", "NegativeBinomial", "NegativeBinomialP")
INFLATED = (
    "ZeroInflatedPoisson",
    "ZeroInflatedGeneralizedPoisson",
    "ZeroInflatedNegativeBinomialP",
)
BRING: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("OLS", *CHOICES), ()),
    **dict.fromkeys(("Logit", "Probit"), ("offset",)),
    **dict.fromkeys((*COUNTS, *OF_FAMILIES), ("offset", "exposure")),
    **dict.fromkeys(INFLATED, ("offset", "exposure", "exog_infl")),
    "WLS": ("weights",),
    "BetaModel": ("exog_precision",),
}
FAMILIES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("Poisson", "NegativeBinomial"), ()),
    "Binomial": ("n_trials",),
    **dict.fromkeys(("Gaussian", "Gamma", "InverseGaussian"), ("var_weights",)),
}
# The value that says nothing of a point: statsmodels fills it in where the fit was given none.
NOTHING = {
    "offset": 0.0,
    "exposure": 0.0,
    "var_weights": 1.0,
    "n_trials": 1.0,
    "exog_infl": 1.0,
    "exog_precision": 1.0,
}
TIME_SERIES = ("ARIMA", "SARIMAX", "UnobservedComponents", "ExponentialSmoothing")

NO_NOISE = (
    "use rivals.read.regressor(results, exog, noise=...) with a distribution, or write a "
    "rivals.Candidate"
)
SMOOTHING = "statsmodels.tsa.statespace.exponential_smoothing.ExponentialSmoothing"
INSTEAD = {
    "MixedLM": (
        "points of a group share its effect: write a rivals.Candidate with one loss for each "
        "group; or take the variance of both as noise, rivals.read.regressor(results, exog, "
        "noise=scipy.stats.norm(scale=...)), and pass clusters= to rivals.compare"
    ),
    "GLS": (
        "its errors are correlated, so that points have no loss of their own; if sigma is "
        "diagonal, fit WLS with weights=1/sigma"
    ),
    "AutoReg": "fit ARIMA(y, order=(p, 0, 0)), which is the same model",
    "ETSModel": f"with additive errors, {SMOOTHING} is the same model",
    "HoltWintersResults": f"{SMOOTHING} is the same model with a likelihood",
    "RecursiveLS": "use rivals.read.regression with OLS",
}


def regression(results: Any, exog: Any, **columns: Any) -> Candidate:
    """A candidate from the results of a regression of statsmodels, for data in the form of
    a pair (exog, endog).

    Parameters
    ----------
    results : object
        What `fit()` returned, for OLS, WLS, GLM, GEE, Logit, Probit, MNLogit, OrderedModel,
        BetaModel, Poisson, generalised Poisson, negative binomial and zero-inflated models;
        by formula or by arrays. Others are refused.
    exog : array or data frame
        Inputs at which targets are simulated: those of the held-out data, with a constant
        if the fit had one. After a fit by formula, a data frame with its variables.
    **columns : arrays
        What else the fit was given for each point, now for these: `exposure`, `offset`,
        `n_trials`, `var_weights`, `exog_infl`, `exog_precision`, or `weights` for WLS. A
        fit that was given one of them needs it.

    Returns
    -------
    Candidate
        Its loss is the negative log density, or probability, at the fitted parameters:
        Gaussian of variance `results.scale` (divided by the weights) for OLS and WLS; the
        distribution of the family for GLM and discrete models. For GEE it is the marginal
        distribution of each point: pass `clusters=` to `rivals.compare`. A Binomial family
        counts successes among `n_trials`, or takes two columns, successes and failures.

    See Also
    --------
    forecast : Time series. regressor : With another distribution of the noise, as
    `regressor(results, exog, noise=stats.t(3, scale=0.2))`.

    Examples
    --------
    >>> import numpy as np
    >>> import statsmodels.api as sm
    >>> from rivals.read import regression
    >>> rng = np.random.default_rng(0)
    >>> x = sm.add_constant(rng.uniform(-1, 1, 300))
    >>> y = rng.poisson(np.exp(x @ [1.0, 1.2]))
    >>> fit = sm.GLM(y[:150], x[:150], family=sm.families.Poisson()).fit()
    >>> model = regression(fit, x[150:])
    >>> round(float(model.loss((x[150:], y[150:])).mean()), 2)
    1.93
    """
    name = _readable(results, columns)
    if name in CHOICES:  # as a classifier, whose class has this name for messages
        estimator = type(
            name,
            (),
            {"predict_proba": lambda _, at: results.predict(_as_fitted(results.model, at))},
        )()
        return classifier(estimator, exog, classes=_labels(results))
    if name in LINEAR:
        n_parameters, n_training = round(results.nobs - results.df_resid), round(results.nobs)
        instead = (
            "learn the noise from other data, and use rivals.read.regressor(results, exog, "
            "noise=...)"
        )
        warn_of_many_parameters(name, n_parameters, n_training, instead)

    columns = {
        word: in_index_order(values, row_labels(exog), word, "exog")
        for word, values in columns.items()
    }

    def density_at(at: Any) -> Density:
        n, at = n_rows(at, "exog"), _as_fitted(results.model, at)
        for word, values in columns.items():
            if np.ndim(values) and n_rows(values, word) != n:
                raise ValueError(
                    f"{word} are known for {n_rows(values, word)} points, but {n} were "
                    "requested; make the candidate with their exog"
                )
        if name in LINEAR:
            deviation = np.sqrt(results.scale / np.asarray(columns.get("weights", 1.0)))
            return gaussian(as_targets(results.predict(at), "predictions"), deviation, name)
        if name in OF_FAMILIES:
            return _generalised(results, at, columns)
        # Without it a BetaModel would take the rows of the fit.
        own = {"exog_precision": np.ones((n, 1))} if name == "BetaModel" else {}
        given = own | columns
        # Of both, statsmodels takes one alone.
        if name in ("GeneralizedPoisson", "NegativeBinomialP") and "exposure" in given:
            given |= {
                "offset": given.get("offset", 0.0) + np.log(given["exposure"]),
                "exposure": 0.0,
            }
        return as_density(results.get_distribution(exog=at, **given))

    return at_inputs(
        density_at,
        exog,
        name,
        targets=lambda given, what: _successes(as_targets(given, what), columns),
    )


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
    n_before = int(results.nobs)
    seed = "rng" if "rng" in inspect.signature(results.simulate).parameters else "random_state"

    def of_exog(n: int) -> dict[str, Any]:
        if exog is None:
            return {}
        if n > n_rows(exog, "exog"):
            raise ValueError(
                f"exog is known for {n_rows(exog, 'exog')} held-out points, but {n} were requested"
            )
        return {"exog": take(exog, np.arange(n))}

    def loss(data: Any) -> FloatArray:
        _check_continues(results, as_targets(data, "data"))
        values = data if hasattr(data, "iloc") else as_targets(data, "data")
        try:
            filtered = results.append(values, **of_exog(len(values))).filter_results
        except ValueError as error:
            raise ValueError(
                f"the data do not continue the series of the fit: {error}; pass them with "
                "an index that goes on where it ended, or as an array"
            ) from error
        # Gaussian, about the prediction. Where the scale is concentrated out, the filter
        # took it from all data: put back that of the fit.
        variance = filtered.forecasts_error_cov[0, 0, n_before:] * (
            results.filter_results.scale / filtered.scale
        )
        miss = filtered.forecasts_error[0, n_before:]
        return np.asarray(
            0.5 * (miss**2 / variance + np.log(2 * np.pi * variance)), dtype=np.float64
        )

    def simulate(n: int, rng: np.random.Generator) -> Any:
        return results.simulate(n, anchor="end", **of_exog(n), **{seed: rng})

    return Candidate(loss=loss, simulate=simulate)


def _readable(results: Any, columns: dict[str, Any]) -> str:
    """The name of the model, if its kind, its options and what is given for its points can
    be read.
    """
    model = getattr(results, "model", None)
    name = type(results if model is None else model).__name__
    if model is None or not (
        callable(getattr(results, "predict", None)) and hasattr(results, "params")
    ):
        raise TypeError(
            "expected the results of a regression of statsmodels, as OLS(y, x).fit() "
            f"gives; got {name}"
        )
    check_response(results)
    if name not in BRING or library_of(model) != "statsmodels":
        raise TypeError(
            f"{name} is none of the models that are read ({', '.join(BRING)}); "
            f"{INSTEAD.get(name, NO_NOISE)}"
        )
    if type(results).__name__.startswith("RegularizedResults"):
        raise TypeError(
            f"{name}.fit_regularized estimates no distribution of the noise; {NO_NOISE}"
        )
    words = BRING[name]
    if name in OF_FAMILIES:
        family = type(model.family).__name__
        if family not in FAMILIES:
            raise TypeError(
                f"{name}: the family {family} has no density in statsmodels; write a "
                "rivals.Candidate"
            )
        if (
            family == "Binomial"
            and "n_trials" not in columns
            and np.any(np.asarray(model.endog) % 1)
        ):
            raise TypeError(
                f"{name} was fitted to proportions; pass n_trials=, the trials of each "
                "held-out point, and count successes in the data"
            )
        words += FAMILIES[family] if name == "GLM" else ()
    for word in columns:
        if word not in words:
            raise TypeError(
                f"{name} knows no {word} of its points; it takes {', '.join(words) or 'exog alone'}"
            )
    for word in NOTHING:
        _check_given_anew(model, name, word, words, columns)
    if name == "WLS" and "weights" not in columns:
        raise TypeError(
            "WLS: the variance of a point is scale / weight; pass weights= for the held-out points"
        )
    return name


def _check_given_anew(
    model: Any, name: str, word: str, words: tuple[str, ...], columns: dict[str, Any]
) -> None:
    """What the fit was given for each point must be given for the new points too, also
    where they are as many.
    """
    found = getattr(model, word, None)
    values = np.asarray(NOTHING[word] if found is None else found, dtype=np.float64)
    instead = (
        "n_trials" if word == "var_weights" else word
    )  # the weights of proportions are their trials
    if not {word, instead} & set(columns) and np.any(values != NOTHING[word]):
        remedy = (
            f"pass {word}= for the held-out points"
            if word in words
            else "this cannot be read: fit it without"
        )
        raise TypeError(f"{name} was fitted with {word}; {remedy}")
    if word in columns and values.ndim == 2 and np.shape(columns[word])[1:] != values.shape[1:]:
        found = np.shape(columns[word])
        raise ValueError(
            f"{word}: expected a design matrix of {values.shape[1]} columns; got shape {found}"
        )


def _as_fitted(model: Any, at: Any) -> Any:
    """A table with its columns in the order of the fit: where there is no formula,
    statsmodels takes them by their place.
    """
    names = list(getattr(getattr(model.data, "orig_exog", None), "columns", ()))
    if not names or getattr(model, "formula", None) is not None or not hasattr(at, "columns"):
        return at
    missing = [name for name in names if name not in list(at.columns)]
    if missing:
        raise ValueError(
            f"exog has no column {show(missing[0])!r}, to which the model was fitted; name "
            "its columns as in the fit, or pass .to_numpy() of it"
        )
    return at[names]


def _successes(values: npt.NDArray[Any], columns: dict[str, Any]) -> npt.NDArray[Any]:
    """Of two columns, successes and failures, the first, if they add up to the trials."""
    if "n_trials" not in columns or values.ndim != 2 or values.shape[1] != 2:
        return values
    if np.any(values.sum(axis=1) != columns["n_trials"]):
        raise ValueError(
            "successes and failures in the data do not add up to n_trials; pass those of "
            "the same points"
        )
    return np.asarray(values[:, 0])


def _generalised(results: Any, at: Any, columns: dict[str, Any]) -> Density:
    """Of the family at the predicted mean; `results.get_distribution` of statsmodels mixes
    up exposure and offset, and skips formulas.
    """
    of_mean = {word: columns[word] for word in ("exposure", "offset") if word in columns}
    of_family = {word: columns[word] for word in ("n_trials", "var_weights") if word in columns}
    family, scale = results.model.family, results.scale
    kind = type(family).__name__
    if "var_weights" not in FAMILIES[kind] and scale != 1.0:
        warn(
            f"the fit has a scale of {scale:.3g}, but no {kind} distribution has this "
            "dispersion; it is used without; a negative binomial model has its own"
        )
        scale = 1.0
    mean = as_targets(results.predict(at, **of_mean), "predictions")
    return as_density(family.get_distribution(mean, scale, **of_family))


def _labels(results: Any) -> npt.NDArray[Any]:
    """The labels that the columns of the prediction belong to, as they were in the data."""
    labels = getattr(results.model, "labels", None)  # OrderedModel has them
    if labels is not None:
        return np.asarray(labels)
    found = np.array([name for _, name in sorted(results.model._ynames_map.items())])
    try:  # names of numbers are kept as text
        return found.astype(np.float64)
    except ValueError:
        return found


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
    if (
        results.filter_results.forecasts_error_cov is None
        or results.filter_results.memory_no_forecast_cov
    ):
        raise ValueError(
            f"{name} was fitted with low_memory=True, and has no predictions; fit it without"
        )
    # ARIMA keeps its trend among exog, and what it was given apart.
    given = getattr(model, "_input_exog", model.exog)
    needs = given is not None and np.size(given) > 0
    if needs != (exog is not None):
        remedy = (
            "with exog; pass exog= for the held-out points"
            if needs
            else "without exog; leave it out"
        )
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
