"""The candidates: regressions of many kinds, and forests.

`candidates` names them. A candidate is fitted by `model(X, y)`, which returns a function of inputs
that tells the law of the response at each row. All regressions are fitted in one way, by maximum
likelihood with a slight ridge. Inputs are the numbers that the formulas of a data set give.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from patsy import build_design_matrices, dmatrix
from scipy.optimize import minimize
from scipy.special import logit
from sklearn.ensemble import RandomForestRegressor

import likelihoods

FloatArray = npt.NDArray[np.float64]
RIDGE = 1e-3  # of standardised predictors, relative to one point's information
# A predictor beyond so many standard deviations of the training data counts as if it were there.
FARTHEST = 8.0
LEAST_PROBABILITY = 0.02  # of a label, by a forest
SPLINE_FREEDOM = 5


Blocks = dict[str, tuple[int, int]]  # few, all, curve → the first of its columns, and its end


def candidates(kind: str, blocks: Blocks) -> dict[str, Any]:
    """Name → candidate, not fitted: four to six that suit the kind of response."""
    few = blocks["few"]
    every = blocks["all"]
    curve = blocks.get("curve")
    match kind:
        case "real":
            found = {
                "normal, few": Regression("Normal", few),
                "normal": Regression("Normal", every),
                "Student": Regression("Student", every),
                "Laplace": Regression("Laplace", every),
                "forest": Forest("Normal", every),
                "normal, spline": Regression("Normal", every, curve),
            }
        case "positive":
            found = {
                "log-normal, few": Regression("Normal", few, log=True),
                "log-normal": Regression("Normal", every, log=True),
                "log-Student": Regression("Student", every, log=True),
                "gamma": Regression("Gamma", every),
                "forest": Forest("Normal", every, log=True),
                "log-normal, spline": Regression("Normal", every, curve, log=True),
            }
        case "count":
            found = {
                "Poisson, few": Regression("Poisson", few),
                "Poisson": Regression("Poisson", every),
                "negative binomial, few": Regression("NegativeBinomial", few),
                "negative binomial": Regression("NegativeBinomial", every),
                "negative binomial, spline": Regression("NegativeBinomial", every, curve),
            }
        case "binary":
            found = {
                "constant": Regression("Bernoulli", (0, 0)),
                "logit, few": Regression("Bernoulli", few),
                "logit": Regression("Bernoulli", every),
                "forest": Forest("Bernoulli", every),
                "logit, spline": Regression("Bernoulli", every, curve),
            }
        case _:
            raise ValueError(f"kind {kind!r} is none of real, positive, count, binary")
    return {name: model for name, model in found.items() if curve or "spline" not in name}


# ---------------------------------------------------------------- what all share


class Design:
    """Some of the inputs, and a spline of one, standardised on the training rows."""

    def __init__(
        self, columns: tuple[int, int], curve: tuple[int, int] | None, X: FloatArray
    ) -> None:
        self.columns = slice(*columns)
        self.curve = None if curve is None else curve[0]
        if self.curve is not None:
            formula = f"cr(x, df={SPLINE_FREEDOM}) - 1"
            self.info = dmatrix(formula, {"x": X[:, self.curve]}).design_info
        values = self._raw(X)
        # What does not vary in training is predicted by the rest: a level that was not seen.
        self.varies = values.std(axis=0) > 1e-9
        self.mean = values.mean(axis=0)[self.varies]
        self.std = values.std(axis=0)[self.varies]

    def _raw(self, X: FloatArray) -> FloatArray:
        values = X[:, self.columns]
        if self.curve is None:
            return values
        spline = build_design_matrices([self.info], {"x": X[:, self.curve]})[0]
        return np.hstack([values, np.asarray(spline)])

    def __call__(self, X: FloatArray) -> FloatArray:
        standard = (self._raw(X)[:, self.varies] - self.mean) / self.std
        return np.column_stack([np.ones(len(X)), np.clip(standard, -FARTHEST, FARTHEST)])


def fit_regression(law: Any, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Coefficients and extras of the highest likelihood; all but the first shrunk a little."""
    n, p = x.shape
    penalty = np.full(p, RIDGE)
    penalty[0] = 0.0

    def objective(parameters: FloatArray) -> tuple[float, FloatArray]:
        beta, extra = parameters[:p], parameters[p:]
        by_predictor, by_extra = law.slopes(y, x @ beta, extra)
        value = law.loss(y, x @ beta, extra).mean() + 0.5 * penalty @ beta**2
        return value, np.concatenate(
            [x.T @ by_predictor / n + penalty * beta, [one.mean() for one in by_extra]]
        )

    bounds = [(None, None)] * p + list(law.extras.values())
    start = np.concatenate(
        [starting_point(law, x, y), np.clip(np.zeros(len(law.extras)), *np.transpose(bounds[p:]))]
        if law.extras
        else [starting_point(law, x, y)]
    )
    found = minimize(
        objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 1000}
    ).x
    return found[:p], found[p:]


def starting_point(law: Any, x: FloatArray, y: FloatArray) -> FloatArray:
    """Least squares for a mean, a constant for the log of one, zero for log odds."""
    if law.with_scale:
        return np.linalg.solve(x.T @ x + RIDGE * len(y) * np.eye(x.shape[1]), x.T @ y)
    start = np.zeros(x.shape[1])
    if not isinstance(law, likelihoods.Bernoulli):
        start[0] = np.log(np.maximum(y.mean(), 1e-3))
    return start


@dataclass(frozen=True)
class Predicted:
    """The law of the response at each of the rows."""

    law: Any
    at: FloatArray
    extra: FloatArray
    log: bool  # whether it is the law of the log of the response
    unit: float = 1.0  # of the response, or of its log

    def loss(self, y: FloatArray) -> FloatArray:
        """Negative log densities."""
        inner = np.log(y) if self.log else y
        jacobian = np.log(y) if self.log else 0.0
        return np.asarray(
            self.law.loss(inner / self.unit, self.at, self.extra) + np.log(self.unit) + jacobian
        )

    def draw(self, rng: np.random.Generator) -> FloatArray:
        """A response for each row."""
        drawn = self.unit * self.law.draw(self.at, self.extra, rng)
        return np.exp(np.clip(drawn, -300.0, 300.0)) if self.log else drawn


Fitted = Callable[[FloatArray], Predicted]


# ---------------------------------------------------------------- candidates


@dataclass(frozen=True)
class Regression:
    """A generalised linear model: a law of likelihoods.py, of the response or of its log."""

    law: str
    columns: tuple[int, int]
    curve: tuple[int, int] | None = None
    log: bool = False

    def __call__(self, X: FloatArray, y: FloatArray) -> Fitted:
        law = getattr(likelihoods, self.law)()
        design = Design(self.columns, self.curve, X)
        x = design(X)
        inner = np.log(y) if self.log else np.asarray(y)
        # In units of its spread, so that one tolerance fits all; laws without a scale know no unit.
        unit = float(inner.std()) if law.with_scale else 1.0
        beta, extra = fit_regression(law, x, inner / unit)
        if law.with_scale:  # as many degrees of freedom as coefficients are lost
            extra[0] += 0.5 * np.log(len(x) / max(len(x) - x.shape[1], 1))
        return lambda new: Predicted(law, design(new) @ beta, extra, self.log, unit)


@dataclass(frozen=True)
class Forest:
    """A small random forest: fifty trees, five points or more in a leaf, at most 3 000 in a tree.

    Of numbers with normal noise of the size of its out-of-bag errors; of labels 0 and 1 with the
    mean of its trees as the probability of 1.
    """

    law: str
    columns: tuple[int, int]
    log: bool = False

    def __call__(self, X: FloatArray, y: FloatArray) -> Fitted:
        law = getattr(likelihoods, self.law)()
        inner = np.log(y) if self.log else np.asarray(y)
        design = Design(self.columns, None, X)
        forest = RandomForestRegressor(
            50, min_samples_leaf=5, oob_score=True, max_samples=min(len(y), 3000), random_state=0
        ).fit(design(X), inner)
        extra = np.empty(0)
        if law.with_scale:
            extra = np.array([0.5 * np.log(np.nanmean((inner - forest.oob_prediction_) ** 2))])

        def predicted(new: FloatArray) -> Predicted:
            found = forest.predict(design(new))
            if not law.with_scale:
                found = logit(np.clip(found, LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY))
            return Predicted(law, found, extra, self.log)

        return predicted
