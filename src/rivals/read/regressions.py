"""Regressions of statsmodels."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import warn
from rivals._types import FloatArray
from rivals.losses import Candidate
from rivals.read.distributions import Density, as_density, at_inputs, gaussian, warn_of_many_parameters
from rivals.read.estimators import classifier
from rivals.read.inputs import as_targets, check_response, library_of, n_rows

# What is read, and what the points of each may bring besides exog. Models that are not here are refused.
LINEAR, CHOICES, OF_FAMILIES = ("OLS", "WLS"), ("MNLogit", "OrderedModel"), ("GLM", "GEE")
COUNTS = ("Poisson", "GeneralizedPoisson", "NegativeBinomial", "NegativeBinomialP")
INFLATED = ("ZeroInflatedPoisson", "ZeroInflatedGeneralizedPoisson", "ZeroInflatedNegativeBinomialP")
BRING: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*LINEAR, *CHOICES), ()),
    **dict.fromkeys(("Logit", "Probit"), ("offset",)),
    **dict.fromkeys((*COUNTS, "GEE"), ("offset", "exposure")),
    **dict.fromkeys(INFLATED, ("offset", "exposure", "exog_infl")),
    "WLS": ("weights",),
    "GLM": ("offset", "exposure", "var_weights", "n_trials"),
    "BetaModel": ("exog_precision",),
}
# The value that says nothing of a point: statsmodels fills it in where the fit was given none.
NOTHING = {"offset": 0.0, "exposure": 0.0, "var_weights": 1.0, "n_trials": 1.0, "exog_infl": 1.0, "exog_precision": 1.0}
DESIGNS = ("exog_infl", "exog_precision")
DISCRETE = ("Poisson", "Binomial", "NegativeBinomial")
CONTINUOUS = ("Gaussian", "Gamma", "InverseGaussian")

INSTEAD = {
    "MixedLM": "points of a group share its effect: write a rivals.Candidate with one loss for each group; or judge points by their marginal "
    "distribution, rivals.read.regressor(results, exog, noise=scipy.stats.norm(scale=...)) with the variance of both, and pass clusters= to "
    "rivals.compare",
    "GLS": "its errors are correlated, so that points have no loss of their own; if sigma is diagonal, fit WLS with weights=1/sigma",
}
NO_LAW = (
    "use rivals.read.regressor(results, exog, noise=...) with a distribution of the noise, or write a rivals.Candidate"
)


def regression(results: Any, exog: Any, **columns: Any) -> Candidate:
    """A candidate from the results of a regression of statsmodels, for data in the form of a pair (exog, endog).

    Parameters
    ----------
    results : object
        What `fit()` returned, for OLS, WLS, GLM, GEE, Logit, Probit, MNLogit, OrderedModel, BetaModel, Poisson, generalised Poisson,
        negative binomial and zero-inflated models; by formula or by arrays. Others are refused.
    exog : array or data frame
        Inputs at which targets are simulated: those of the held-out data, with a constant if the fit had one. After a fit by
        formula, a data frame with its variables.
    **columns : arrays
        What else the fit was given for each point, now for these: `exposure`, `offset`, `n_trials`, `var_weights`, `exog_infl`,
        `exog_precision`, or `weights` for WLS. A fit that was given one of them needs it.

    Returns
    -------
    Candidate
        Its loss is the negative log density, or probability, at the fitted parameters: Gaussian of variance `results.scale` (divided
        by the weights) for OLS and WLS; the distribution of the family for GLM and discrete models. For GEE it is the marginal
        distribution of each point: pass `clusters=` to `rivals.compare`. A Binomial family counts successes among `n_trials`, or
        takes two columns, successes and failures.

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
    name = _readable(results, columns)
    n_points = n_rows(exog, "exog")
    for word, values in columns.items():
        if np.ndim(values) and n_rows(values, word) != n_points:
            raise ValueError(f"{word} has {n_rows(values, word)} rows for {n_points} of exog; pass one for each")
    if name in CHOICES:
        return classifier(_Probabilities(results), exog, classes=_labels(results))
    if name in LINEAR:
        warn_of_many_parameters(
            name,
            round(results.nobs - results.df_resid),
            round(results.nobs),
            "learn the noise from other data, and use rivals.read.regressor(results, exog, noise=...)",
        )

    def law(at: Any) -> Density:
        if columns and n_rows(at, "exog") != n_points:
            raise ValueError(
                f"{', '.join(columns)} are known for {n_points} points, but {n_rows(at, 'exog')} were requested; make the candidate with their exog"
            )
        return _law(results, name, at, columns)

    return at_inputs(law, exog, name, targets=lambda given, what: _successes(as_targets(given, what), columns))


def _readable(results: Any, columns: dict[str, Any]) -> str:
    """The name of the model, if its kind, its options and what is given for its points can be read."""
    model = getattr(results, "model", None)
    name = type(results if model is None else model).__name__
    if model is None or not (callable(getattr(results, "predict", None)) and hasattr(results, "params")):
        raise TypeError(f"expected the results of a regression of statsmodels, as OLS(y, x).fit() gives; got {name}")
    check_response(results)
    if name not in BRING or library_of(model) != "statsmodels":
        raise TypeError(f"{name} is none of the models that are read ({', '.join(BRING)}); {INSTEAD.get(name, NO_LAW)}")
    if type(results).__name__.startswith("RegularizedResults"):
        raise TypeError(f"{name}.fit_regularized estimates no distribution of the noise; {NO_LAW}")
    for word in columns:
        if word not in BRING[name]:
            known = ", ".join(BRING[name]) or "nothing besides exog"
            raise TypeError(f"{name} knows no {word} of its points; it takes {known}")
    if name in OF_FAMILIES:
        _check_family(model, name, columns)
    for word in NOTHING:
        _check_given_anew(model, name, word, columns)
    if name == "WLS" and "weights" not in columns:
        raise TypeError("WLS: the variance of a point is scale / weight; pass weights= for the held-out points")
    return name


def _check_given_anew(model: Any, name: str, word: str, columns: dict[str, Any]) -> None:
    """What the fit was given for each point must be given for the new points too, also where they are as many."""
    found = getattr(model, word, None)
    values = np.asarray(NOTHING[word] if found is None else found, dtype=np.float64)
    instead = "n_trials" if word == "var_weights" else word  # the weights of proportions are their trials
    if not {word, instead} & set(columns) and np.any(values != NOTHING[word]):
        raise TypeError(
            f"{name} was fitted with {word}; "
            + (
                f"pass {word}= for the held-out points"
                if word in BRING[name]
                else "this cannot be read: fit it without"
            )
        )
    if word in columns and word in DESIGNS and np.shape(columns[word])[1:] != values.shape[1:]:
        raise ValueError(
            f"{word}: expected a design matrix of {values.shape[1]} columns, as in the fit; got shape {np.shape(columns[word])}"
        )


def _check_family(model: Any, name: str, columns: dict[str, Any]) -> None:
    family = type(model.family).__name__
    if family not in (*DISCRETE, *CONTINUOUS):
        raise TypeError(f"{name}: the family {family} has no density in statsmodels; write a rivals.Candidate with one")
    if family == "Binomial" and "n_trials" not in columns and np.any(np.asarray(model.endog) % 1):
        raise TypeError(
            f"{name} was fitted to proportions; pass n_trials=, the trials of each held-out point, and count successes in the data"
        )
    weighted = "var_weights" in columns or np.any(np.asarray(getattr(model, "var_weights", 1.0)) != 1.0)
    if family in DISCRETE and weighted and "n_trials" not in columns:
        raise TypeError(
            f"{name}: points of the family {family} have no var_weights; fit it without, and for trials pass n_trials="
        )


def _successes(values: npt.NDArray[Any], columns: dict[str, Any]) -> npt.NDArray[Any]:
    """Of two columns, successes and failures, the first, if they add up to the trials."""
    if "n_trials" not in columns or values.ndim != 2 or values.shape[1] != 2:
        return values
    if np.any(values.sum(axis=1) != columns["n_trials"]):
        raise ValueError(
            "the successes and failures in the data do not add up to n_trials; pass those of the same points"
        )
    return np.asarray(values[:, 0])


def _law(results: Any, name: str, at: Any, columns: dict[str, Any]) -> Density:
    """The distribution of the targets at some inputs."""
    if name in LINEAR:
        mean = as_targets(results.predict(at), "predictions")
        return gaussian(mean, np.sqrt(results.scale / np.asarray(columns.get("weights", 1.0))), name)
    if name in OF_FAMILIES:
        return _generalised(results, at, columns)
    if name == "BetaModel":  # else it would take the rows of the fit
        columns = {"exog_precision": np.ones((n_rows(at, "exog"), 1)), **columns}
    return as_density(results.get_distribution(exog=at, **columns))


def _generalised(results: Any, at: Any, columns: dict[str, Any]) -> Density:
    """Of the family at the predicted mean; `results.get_distribution` of statsmodels mixes up exposure and offset, and skips formulas."""
    of_mean = {word: columns[word] for word in ("exposure", "offset") if word in columns}
    of_family = {word: columns[word] for word in ("n_trials", "var_weights") if word in columns}
    family = results.model.family
    discrete = type(family).__name__ in DISCRETE
    if discrete and results.scale != 1.0:
        warn(
            f"the fit has a scale of {results.scale:.3g}, but no {type(family).__name__} distribution has this dispersion; it is used without; "
            "a negative binomial model has its own dispersion"
        )
    mean = as_targets(results.predict(at, **of_mean), "predictions")
    return as_density(family.get_distribution(mean, 1.0 if discrete else results.scale, **of_family))


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
