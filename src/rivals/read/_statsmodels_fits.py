"""Results of statsmodels at new rows: the distribution of the response."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._core.cautions import warn
from rivals._core.types import FloatArray, IntArray
from rivals.read._densities import Density, density_of, density_of_labels
from rivals.read._mixed_models import mixed_density
from rivals.read._rows import numbers_of

LINEAR = ("OLS", "WLS")
# With a family of distributions.
OF_FAMILIES = ("GLM", "GEE")
FAMILIES = ("Poisson", "NegativeBinomial", "Binomial", "Gaussian", "Gamma", "InverseGaussian")
# Whose dispersion is part of the distribution; others have none beside the mean.
DISPERSED = ("Gaussian", "Gamma", "InverseGaussian")
# That give a distribution themselves.
DISCRETE = (
    "Logit", "Probit", "Poisson", "GeneralizedPoisson", "NegativeBinomial", "NegativeBinomialP",
)  # fmt: skip
CHOICES = ("MNLogit", "OrderedModel")
KNOWN = (*LINEAR, *OF_FAMILIES, *DISCRETE, *CHOICES, "MixedLM")
# What a fit may have been given for each point, and the value that says nothing.
PER_POINT = {"offset": 0.0, "exposure": 0.0, "weights": 1.0, "var_weights": 1.0, "n_trials": 1.0}

INSTEAD = (
    "return a function of the rows that gives a distribution, as lambda rows: "
    "scipy.stats.poisson(results.predict(rows, offset=...)), or pass noise= or loss="
)


def is_result(model: Any) -> bool:
    """Whether it is what `fit()` of statsmodels returned."""
    inner = getattr(model, "model", None)
    return any(kind.__module__.startswith("statsmodels.") for kind in type(inner).__mro__)


def is_unfitted(model: Any) -> bool:
    """Whether it is a model of statsmodels that was not fitted."""
    return type(model).__module__.startswith("statsmodels.") and hasattr(model, "fit")


def check_rows_of_fit(model: Any, n_rows: int) -> None:
    """Refuse a fit to more rows than it was given: it has seen the groups that were left out."""
    n_fitted = getattr(model, "nobs", 0) if is_result(model) else 0
    if n_fitted > n_rows:
        raise ValueError(
            f"the model was fitted to {n_fitted:g} rows, and was given {n_rows}; fit it to the "
            "rows that the function is called with, not to all data"
        )


def response_of(results: Any) -> str:
    """The name of the response, if the formula takes it as it is."""
    formula = getattr(results.model, "formula", None)
    if not isinstance(formula, str):
        return ""
    response = formula.partition("~")[0].strip()
    coded = [name for name in np.atleast_1d(results.model.endog_names) if "[" in str(name)]
    if coded:
        raise ValueError(
            f"the response {response!r} is text, which statsmodels codes as {coded[0]}; code it as "
            "0 and 1 before the fit"
        )
    if not response.isidentifier():
        raise ValueError(
            f"the formula {formula!r} transforms the response, so that losses would be those of "
            f"{response}, and no others' could be compared; make a column of it for all models, or "
            "return a function of the rows that gives the distribution of the response itself, as "
            "scipy.stats.lognorm"
        )
    return response


def statsmodels_density(results: Any, rows: Any, n_points: int, units: IntArray) -> Density:
    """Of the response at new rows."""
    model = results.model
    name = type(model).__name__
    if name not in KNOWN and not callable(getattr(results, "get_distribution", None)):
        raise TypeError(
            f"{name} of statsmodels has no distribution that is known here ({', '.join(KNOWN)}); "
            f"{INSTEAD}"
        )
    _check_levels(model, rows)
    _check_per_point(model, name)
    if name == "MixedLM":
        return mixed_density(results, rows, units)
    if name in DISCRETE or name not in KNOWN:  # such as zero-inflated counts: by their own
        return density_of(results.get_distribution(rows), n_points)
    if name in CHOICES:
        return _of_choices(results, rows)
    mean = numbers_of(results.predict(rows), n_points, name)
    if name in LINEAR:
        from scipy import stats

        return density_of(stats.norm(mean, np.sqrt(results.scale)), n_points)
    return _of_family(model.family, mean, float(results.scale))


def _of_family(family: Any, mean: FloatArray, scale: float) -> Density:
    name = type(family).__name__
    if name not in FAMILIES:
        raise TypeError(f"the family {name} has no density in statsmodels; {INSTEAD}")
    if name not in DISPERSED and scale != 1.0:
        warn(
            f"the fit has a scale of {scale:.3g}, but no {name} distribution has this dispersion; "
            "it is used without; a negative binomial model has its own"
        )
        scale = 1.0
    return density_of(family.get_distribution(mean, scale), mean.size)


def _of_choices(results: Any, rows: Any) -> Density:
    """Labels, as they were in the data."""
    labels = getattr(results.model, "labels", None)  # OrderedModel has them
    if labels is None:
        texts = [label for _, label in sorted(results.model._ynames_map.items())]
        labels = _as_numbers(texts)
    probabilities = np.asarray(results.predict(rows), dtype=np.float64)
    classes = np.asarray(labels)
    order = np.argsort(classes, kind="stable")
    return density_of_labels(classes[order], probabilities[:, order])


def _as_numbers(texts: list[str]) -> npt.NDArray[Any]:
    """Names of numbers are kept as text."""
    try:
        return np.array(texts, dtype=np.float64)
    except ValueError:
        return np.array(texts)


def _check_per_point(model: Any, name: str) -> None:
    """What a fit was given for each point is not known of new ones."""
    for word, nothing in PER_POINT.items():
        if word == "weights" and name == "GLM":  # of its algorithm
            continue
        found = getattr(model, word, None)
        if found is not None and np.any(np.asarray(found, dtype=np.float64) != nothing):
            raise TypeError(
                f"{name} was fitted with {word}, which is not known of the rows left out; {INSTEAD}"
            )


def _check_levels(model: Any, rows: Any) -> None:
    """Refuse a level of a factor that the fit has not seen."""
    frame = getattr(model.data, "frame", None)
    formula = getattr(model, "formula", None)
    if frame is None or not isinstance(formula, str):
        return
    predictors = formula.partition("~")[2]
    for name in frame.columns:
        as_factor = re.search(rf"\bC\(\s*{re.escape(str(name))}\b", predictors)
        is_text = frame[name].dtype.kind not in "iufb" and name in rows
        used = re.search(rf"\b{re.escape(str(name))}\b", predictors)
        if not as_factor and not (is_text and used):
            continue
        unseen = sorted(set(rows[name].tolist()) - set(frame[name].tolist()), key=str)
        if unseen:
            raise ValueError(
                f"the level {unseen[0]!r} of {name} is in no row that the model was fitted to, so "
                f"that it has no coefficient{_and_more(len(unseen))}; leave {name} out of the "
                "formula, make it a random effect (smf.mixedlm), or join rare levels before"
            )


def _and_more(count: int) -> str:
    return f" ({count} levels are unseen)" if count > 1 else ""
