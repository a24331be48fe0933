"""Linear mixed models of statsmodels at points of new groups: the marginal density.

A new group has an effect that no data speak of, so that it is integrated out:
y ~ N(X β, Z Ψ Zᵀ + σ² I) within each group.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from rivals._core.optional import need
from rivals._core.texts import Refusal, WrongKind, opt
from rivals._core.types import FloatArray, IntArray
from rivals.method.crps import normal
from rivals.read._densities import Density

INSTEAD = (
    "return a function of the rows instead, as lambda rows: scipy.stats.norm(mean, deviation), "
    "from the marginal distribution of a new group"
)


def mixed_density(results: Any, rows: Any, units: IntArray) -> Density:
    """The marginal density at rows of new groups, point by point and jointly.

    Parameters
    ----------
    results : MixedLMResults
    rows : data frame
    units : array of int
        The group of each row.
    """
    model = results.model
    if model.k_vc:
        raise WrongKind(
            "MixedLM: statsmodels does not keep how variance components (vc_formula) were made, so "
            f"that their part for new rows is unknown; fit {opt.re_formula} alone, or {INSTEAD}"
        )
    mean = np.asarray(results.predict(rows), dtype=np.float64)
    design = random_design(model)(rows)
    covariance = np.atleast_2d(np.asarray(results.cov_re, dtype=np.float64))
    noise = float(results.scale)
    variance = np.einsum("ij,jk,ik->i", design, covariance, design) + noise
    members = [np.flatnonzero(units == each) for each in range(units.max() + 1)]

    def log(values: FloatArray) -> FloatArray:
        return np.asarray(-0.5 * (np.log(2 * np.pi * variance) + (values - mean) ** 2 / variance))

    def joint(values: FloatArray) -> FloatArray:
        found = []
        for own in members:
            within = design[own] @ covariance @ design[own].T + noise * np.eye(own.size)
            found.append(_log_of_normal(values[..., own] - mean[own], within))
        return np.stack(found, axis=-1)

    def sample(n: int, rng: np.random.Generator) -> FloatArray:
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))  # Ψ may be singular
        drawn: FloatArray = mean + np.sqrt(noise) * rng.standard_normal((n, mean.size))
        for own in members:
            effects = rng.standard_normal((n, root.shape[1])) @ root.T
            drawn[:, own] += effects @ design[own].T
        return drawn

    def crps(values: FloatArray) -> FloatArray:
        deviation = np.sqrt(variance)
        return np.asarray(deviation * normal((values - mean) / deviation))

    return Density(log, sample, joint=joint, crps=crps)


def check_same_groups(fitted: Any, codes: IntArray) -> None:
    """Refuse joint densities of groups that are others than those of the random effects."""
    model: Any = getattr(fitted, "model", None)
    if type(model).__name__ != "MixedLM" or np.size(model.groups) != codes.size:
        return
    pairs = {*zip(codes.tolist(), np.asarray(model.groups).tolist(), strict=True)}
    if len(pairs) != np.unique(codes).size or len(pairs) != model.n_groups:
        raise Refusal(
            f"{opt.joint(True)} is for random effects of the groups that are left out, and "
            "those of this "
            "MixedLM are of other groups; pass joint=False, or the same groups"
        )


def _log_of_normal(residuals: FloatArray, covariance: FloatArray) -> FloatArray:
    """Of a multivariate normal about zero, for residuals of shape (..., points)."""
    factor = np.linalg.cholesky(covariance)
    standard = np.linalg.solve(factor, np.moveaxis(residuals, -1, 0).reshape(len(factor), -1))
    squares = np.sum(standard**2, axis=0).reshape(residuals.shape[:-1])
    log_determinant = 2.0 * np.sum(np.log(np.diag(factor)))
    return np.asarray(-0.5 * (len(factor) * np.log(2 * np.pi) + log_determinant + squares))


def random_design(model: Any) -> Callable[[Any], FloatArray]:
    """From rows to the design of the random effects, made anew from the names of its columns.

    Statsmodels keeps no formula of it. What is made is taken only if it reproduces the design that
    the model was fitted with.
    """
    fitted = np.asarray(model.exog_re, dtype=np.float64)
    names = list(map(str, model.data.exog_re_names))
    has_intercept = bool(np.all(fitted[:, 0] == 1.0))
    # A term of a factor has a column for each level, as "C(half)[T.b]".
    terms = [re.sub(r"\[[^\]]*\]", "", name) for name in names[has_intercept:]]
    formula = " + ".join(["1" if has_intercept else "0", *dict.fromkeys(terms)])
    unknown = TypeError(
        f"MixedLM: the columns of the random effects ({', '.join(names)}) cannot be made anew by "
        f"the formula {formula!r}; make columns of the data for them, as re_formula='~ x', or "
        f"{INSTEAD}"
    )
    if not hasattr(model.data, "frame"):
        raise TypeError(f"MixedLM: fit it by formula (smf.mixedlm), or {INSTEAD}")
    patsy = need("patsy", extra="all", purpose="formulas of statsmodels")
    try:
        own = patsy.dmatrix(formula, model.data.frame)
    except Exception as error:
        raise unknown from error
    if own.shape != fitted.shape or not np.array_equal(np.asarray(own), fitted):
        raise unknown

    def at(rows: Any) -> FloatArray:
        (made,) = patsy.build_design_matrices([own.design_info], rows)
        return np.asarray(made, dtype=np.float64)

    return at
