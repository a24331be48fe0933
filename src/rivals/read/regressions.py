"""Results of statsmodels: regressions, and time series by their one-step predictions."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import warn
from rivals._types import FloatArray
from rivals.losses import Candidate
from rivals.read.densities import Density, as_density, gaussian
from rivals.read.estimators import classifier
from rivals.read.inputs import (
    as_pair,
    as_targets,
    as_values,
    check_inputs,
    check_response,
    check_same_shape,
    n_rows,
    some_rows,
    take,
)
from rivals.read.noise import warn_of_many_parameters


def regression(results: Any, exog: Any, **columns: Any) -> Candidate:
    """A candidate from the results of a regression of statsmodels, for data in the form of a pair (exog, endog).

    Parameters
    ----------
    results : object
        What `fit()` returned, for OLS, WLS, GLM, Logit, Probit, MNLogit, OrderedModel, Poisson, negative binomial and zero-inflated models,
        or RLM; by formula or by arrays.
    exog : array or data frame
        Inputs at which targets are simulated: those of the held-out data, with a constant if the fit had one. After a fit by
        formula, a data frame with its variables.
    **columns : arrays
        What else statsmodels needs to know about each of these points: `exposure`, `offset`, `n_trials`, `var_weights`, `exog_infl`,
        or `weights` for WLS.

    Returns
    -------
    Candidate
        Its loss is the negative log density, or probability, at the fitted parameters: Gaussian of variance `results.scale` (divided
        by the weights) for OLS and WLS; the distribution of the family for GLM and discrete models. For RLM with Huber's norm it is
        the density under which its estimate has the highest likelihood: Gaussian in the centre with exponential tails, of scale
        `results.scale`. Other robust norms have no density.

    See Also
    --------
    forecast : Time series.
    regressor : With another distribution of the noise, as `regressor(results, exog, noise=stats.t(3, scale=0.2))`.

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
    name = type(getattr(results, "model", results)).__name__
    if not (callable(getattr(results, "predict", None)) and hasattr(results, "params") and hasattr(results, "model")):
        raise TypeError(
            f"expected the results of a regression of statsmodels, as OLS(y, x).fit() gives; got {type(results).__name__}"
        )
    check_response(results)
    for word, values in columns.items():
        if np.ndim(values) and n_rows(values, word) != n_rows(exog, "exog"):
            raise ValueError(
                f"{word} has {n_rows(values, word)} rows for {n_rows(exog, 'exog')} of exog; pass one for each"
            )
    if name in ("MNLogit", "OrderedModel"):
        return classifier(_Probabilities(results), exog, classes=_labels(results))
    _check_columns(results.model, name, columns)
    if name in ("OLS", "WLS", "RLM"):
        p = round(results.nobs - results.df_resid)
        warn_of_many_parameters(
            name,
            p,
            round(results.nobs),
            "learn the noise from other data, and use rivals.read.regressor(results, exog, noise=...)",
        )

    def law(at: Any, these: dict[str, Any]) -> Density:
        return _law(results, name, at, these)

    def loss(data: Any) -> FloatArray:
        at, targets = as_pair(data)
        if columns and n_rows(at, "exog") != n_rows(exog, "exog"):
            raise ValueError(
                f"{', '.join(columns)} were given for {n_rows(exog, 'exog')} points, and the data have {n_rows(at, 'exog')}; make the "
                "candidate with the exog of these data"
            )
        density = law(at, columns)
        values = as_values(targets, "endog")
        check_same_shape(np.empty(density.batch or ()), values, name)
        return -density.log_density(values)

    def simulate(n: int, rng: np.random.Generator) -> tuple[Any, npt.NDArray[Any]]:
        if columns and n != n_rows(exog, "exog"):
            raise ValueError(
                f"{', '.join(columns)} are known for {n_rows(exog, 'exog')} points, so exactly as many can be simulated, not {n}"
            )
        at = some_rows(exog, n, rng)
        return at, law(at, columns).simulate(n, rng)

    def check(data: Any) -> None:
        check_inputs(as_pair(data)[0], exog, name)

    return Candidate(loss, simulate, check)


def _law(results: Any, name: str, at: Any, columns: dict[str, Any]) -> Density:
    """The distribution of the targets at some inputs."""
    if name in ("OLS", "WLS", "RLM"):
        unknown = set(columns) - ({"weights"} if name == "WLS" else set())
        if unknown:
            raise TypeError(f"{name} knows no {', '.join(sorted(unknown))} of its points")
        mean = as_targets(results.predict(at), "predictions")
        if name == "RLM":
            return _huber(results, mean)
        if name == "WLS" and "weights" not in columns:
            raise TypeError("WLS: the variance of a point is scale / weight; pass weights= for the held-out points")
        return gaussian(mean, np.sqrt(results.scale / np.asarray(columns.get("weights", 1.0))), name)
    if name == "GLM":
        return _generalised(results, at, columns)
    if callable(getattr(results, "get_distribution", None)):
        return as_density(results.get_distribution(exog=at, **columns))
    raise TypeError(
        f"{name} has no distribution of its targets; use rivals.read.regressor(results, exog, noise=...) with a distribution of the noise"
    )


def _generalised(results: Any, at: Any, columns: dict[str, Any]) -> Density:
    """Of the family at the predicted mean; `results.get_distribution` of statsmodels 0.15 mixes up exposure and offset."""
    of_mean = {word: columns[word] for word in ("exposure", "offset") if word in columns}
    of_family = {word: columns[word] for word in columns if word not in of_mean}
    family = results.model.family
    discrete = type(family).__name__ in ("Poisson", "Binomial", "NegativeBinomial")
    if discrete and results.scale != 1.0:
        warn(
            f"the fit has a scale of {results.scale:.3g}, but no {type(family).__name__} distribution has this dispersion; it is used without; "
            "a negative binomial model has its own dispersion"
        )
    mean = as_targets(results.predict(at, **of_mean), "predictions")
    return as_density(family.get_distribution(mean, 1.0 if discrete else results.scale, **of_family))


def _check_columns(model: Any, name: str, columns: dict[str, Any]) -> None:
    """What the fit used for each point must also be given for the new points."""
    for word, nothing in (("offset", 0.0), ("exposure", 0.0), ("var_weights", 1.0), ("n_trials", 1.0)):
        values = getattr(model, word, None)
        if values is not None and word not in columns and np.any(np.asarray(values, dtype=np.float64) != nothing):
            raise TypeError(f"{name} was fitted with {word}; pass {word}= for the held-out points")


def _huber(results: Any, mean: FloatArray) -> Density:
    """The law of which Huber's estimate is the one of maximum likelihood: exp(−ρ(z)), normalised."""
    from scipy import special

    norm, scale = results.model.M, float(results.scale)
    if type(norm).__name__ == "LeastSquares":
        return gaussian(mean, np.asarray(scale), "RLM")
    if type(norm).__name__ != "HuberT":
        raise TypeError(
            f"RLM with the norm {type(norm).__name__} is not the maximum likelihood estimate of any distribution; use "
            "rivals.read.regressor(results, exog, noise=...) with one, as scipy.stats.t(3, scale=0.2)"
        )
    bend = float(norm.t)
    center = np.sqrt(2 * np.pi) * (2 * special.ndtr(bend) - 1)
    tails = 2 * np.exp(-(bend**2) / 2) / bend

    def log(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        size = np.abs(np.asarray(values, dtype=np.float64) - mean) / scale
        rho = np.where(size <= bend, size**2 / 2, bend * size - bend**2 / 2)
        return np.asarray(-rho - np.log(scale * (center + tails)))

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        shape = (*count, *mean.shape)
        inside = special.ndtri(special.ndtr(-bend) + rng.random(shape) * (2 * special.ndtr(bend) - 1))
        outside = (bend + rng.standard_exponential(shape) / bend) * rng.choice([-1.0, 1.0], shape)
        return np.asarray(mean + scale * np.where(rng.random(shape) * (center + tails) < center, inside, outside))

    return Density("Huber's distribution", mean.shape, (), log, sample)


class _Probabilities:
    """Results that predict probabilities, as a classifier."""

    def __init__(self, results: Any) -> None:
        self.results = results

    def predict_proba(self, exog: Any) -> FloatArray:
        return as_targets(self.results.predict(exog), "probabilities")


def _labels(results: Any) -> npt.NDArray[Any]:
    """The labels that the columns of the prediction belong to, as they were in the data."""
    labels = getattr(results.model, "labels", None)  # OrderedModel has them
    if labels is not None:
        return np.asarray(labels)
    names = results.model._ynames_map
    found = np.array([names[index] for index in range(len(names))])
    try:  # names of numbers are kept as text
        numbers = found.astype(np.float64)
    except ValueError:
        return found
    return numbers.astype(np.int64) if np.all(numbers == np.round(numbers)) else numbers


def forecast(results: Any, *, exog: Any = None) -> Candidate:
    """A candidate from a time series model of statsmodels, for data that continue the series to which it was fitted.

    The loss of each point is that of the one-step prediction: the negative log density of the point, given all points before it, at the
    fitted parameters. Simulations continue the series likewise.

    Parameters
    ----------
    results : object
        What `fit()` returned, for ARIMA, SARIMAX, UnobservedComponents, or another state space model of one series.
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
    if not all(callable(getattr(results, method, None)) for method in ("append", "simulate")) or not hasattr(
        results, "llf_obs"
    ):
        raise TypeError(
            f"expected the results of a state space model of statsmodels, as ARIMA(y, order=(1, 0, 0)).fit() gives; got "
            f"{type(results).__name__}"
        )
    n_before = int(results.nobs)
    seed = "rng" if "rng" in inspect.signature(results.simulate).parameters else "random_state"

    def of_exog(n: int) -> dict[str, Any]:
        if exog is None:
            return {}
        if n > n_rows(exog, "exog"):
            raise ValueError(f"exog is known for {n_rows(exog, 'exog')} held-out points, but {n} were requested")
        return {"exog": take(exog, np.arange(n))}

    def loss(data: Any) -> FloatArray:
        n = n_rows(data, "data")
        values = data if hasattr(data, "iloc") else as_targets(data, "data")
        return -np.asarray(results.append(values, **of_exog(n)).llf_obs[n_before:], dtype=np.float64)

    def simulate(n: int, rng: np.random.Generator) -> Any:
        return results.simulate(n, anchor="end", **of_exog(n), **{seed: rng})

    return Candidate(loss=loss, simulate=simulate)
