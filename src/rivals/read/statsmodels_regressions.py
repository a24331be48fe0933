"""Regressions of statsmodels."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._say.rows import in_index_order, row_labels
from rivals._say.warn import warn
from rivals._say.words import show
from rivals.models import Candidate
from rivals.read.densities import Density, at_inputs, gaussian, warn_of_many_parameters
from rivals.read.distributions import as_density
from rivals.read.estimators import classifier
from rivals.read.inputs import as_targets, check_response, library_of, n_rows
from rivals.read.statsmodels_instead import INSTEAD

# What is read, and what the points of each may bring besides exog. Models and families that are
# not here are refused.
LINEAR = ("OLS", "WLS")
CHOICES = ("MNLogit", "OrderedModel")
OF_FAMILIES = ("GLM", "GEE")
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

NO_NOISE = (
    "use rivals.read.regressor(results, exog, noise=...) with a distribution, or write a "
    "rivals.Candidate"
)


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
    forecast : Time series.
    regressor : With another distribution of the noise, as `noise=stats.t(3, scale=0.2)`.

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
    if name in CHOICES:
        return _choice(results, exog, name)
    if name in LINEAR:
        warn_of_many_parameters(
            name,
            round(results.nobs - results.df_resid),
            round(results.nobs),
            "learn the noise from other data, and use rivals.read.regressor(results, exog, "
            "noise=...)",
        )
    columns = {
        word: in_index_order(values, row_labels(exog), word, "exog")
        for word, values in columns.items()
    }

    def density_at(at: Any) -> Density:
        n = n_rows(at, "exog")
        for word, values in columns.items():
            if np.ndim(values) and n_rows(values, word) != n:
                raise ValueError(
                    f"{word} are known for {n_rows(values, word)} points, but {n} were "
                    "requested; make the candidate with their exog"
                )
        return _density(results, name, _as_fitted(results.model, at), n, columns)

    def targets(given: Any, what: str) -> npt.NDArray[Any]:
        return _successes(as_targets(given, what), columns)

    return at_inputs(density_at, exog, name, targets=targets)


def _choice(results: Any, exog: Any, name: str) -> Candidate:
    """As a classifier, whose class has the name of the model for messages."""

    def predict_proba(_: Any, at: Any) -> Any:
        return results.predict(_as_fitted(results.model, at))

    estimator = type(name, (), {"predict_proba": predict_proba})()
    return classifier(estimator, exog, classes=_labels(results))


def _density(results: Any, name: str, at: Any, n: int, columns: dict[str, Any]) -> Density:
    """The distribution of the targets at n inputs."""
    if name in LINEAR:
        deviation = np.sqrt(results.scale / np.asarray(columns.get("weights", 1.0)))
        return gaussian(as_targets(results.predict(at), "predictions"), deviation, name)
    if name in OF_FAMILIES:
        return _generalised(results, at, columns)
    given = dict(columns)
    if name == "BetaModel":  # without it, it would take the rows of the fit
        given.setdefault("exog_precision", np.ones((n, 1)))
    if name in ("GeneralizedPoisson", "NegativeBinomialP") and "exposure" in given:
        # Of both, statsmodels takes one alone.
        given["offset"] = given.get("offset", 0.0) + np.log(given["exposure"])
        given["exposure"] = 0.0
    return as_density(results.get_distribution(exog=at, **given))


def _readable(results: Any, columns: dict[str, Any]) -> str:
    """The name of the model, if its kind, its options and what is given for its points can be
    read.
    """
    name = _kind(results)
    model = results.model
    words = BRING[name]
    if name in OF_FAMILIES:
        family = _family(model, name, columns)
        if name == "GLM":
            words += FAMILIES[family]
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


def _kind(results: Any) -> str:
    """The name of the model, if it is one that is read."""
    model = getattr(results, "model", None)
    name = type(results if model is None else model).__name__
    can_predict = callable(getattr(results, "predict", None)) and hasattr(results, "params")
    if model is None or not can_predict:
        raise TypeError(
            "expected the results of a regression of statsmodels, as OLS(y, x).fit() gives; got "
            f"{name}"
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
    return name


def _family(model: Any, name: str, columns: dict[str, Any]) -> str:
    """The name of the family of a generalised model, if it is one that is read."""
    family = type(model.family).__name__
    if family not in FAMILIES:
        raise TypeError(
            f"{name}: the family {family} has no density in statsmodels; write a rivals.Candidate"
        )
    proportions = family == "Binomial" and np.any(np.asarray(model.endog) % 1)
    if proportions and "n_trials" not in columns:
        raise TypeError(
            f"{name} was fitted to proportions; pass n_trials=, the trials of each held-out "
            "point, and count successes in the data"
        )
    return family


def _check_given_anew(
    model: Any, name: str, word: str, words: tuple[str, ...], columns: dict[str, Any]
) -> None:
    """What the fit was given for each point must be given for the new points too, also where
    they are as many.
    """
    found = getattr(model, word, None)
    if found is None:
        found = NOTHING[word]
    values = np.asarray(found, dtype=np.float64)
    given = word in columns
    if word == "var_weights":  # those of proportions are their trials
        given = given or "n_trials" in columns
    if not given and np.any(values != NOTHING[word]):
        remedy = "this cannot be read: fit it without"
        if word in words:
            remedy = f"pass {word}= for the held-out points"
        raise TypeError(f"{name} was fitted with {word}; {remedy}")
    if word in columns and values.ndim == 2:
        shape = np.shape(columns[word])
        if shape[1:] != values.shape[1:]:
            raise ValueError(
                f"{word}: expected a design matrix of {values.shape[1]} columns; got shape {shape}"
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
    family = results.model.family
    scale = results.scale
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
