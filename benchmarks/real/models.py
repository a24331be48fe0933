"""The candidates, as estimators of scikit-learn that `rivals.read` understands: regressions of many kinds, and forests.

Regressors tell the law of the response at each row by `pred_dist`, classifiers by `predict_proba`. All regressions are fitted in one
way, by maximum likelihood with a slight ridge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import likelihoods
import numpy as np
import numpy.typing as npt
import pandas as pd
from catalogue import DataSet
from patsy import build_design_matrices, dmatrix
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.ensemble import RandomForestRegressor

FloatArray = npt.NDArray[np.float64]
RIDGE = 1e-3  # of standardised predictors, relative to one point's information
FARTHEST = 8.0  # a predictor beyond so many standard deviations of the training data counts as if it were there
LEAST_PROBABILITY = 0.02  # of a label, by a forest
SPLINE_FREEDOM = 5


def candidates(data_set: DataSet) -> dict[str, Any]:
    """Name → estimator, not fitted: four to six that suit the kind of response."""
    few, every = data_set.few, data_set.all
    spline = f"{every} + cr({data_set.curve}, df={SPLINE_FREEDOM})"
    match data_set.kind:
        case "real":
            found = {
                "normal, few": Regression("Normal", few),
                "normal": Regression("Normal", every),
                "Student": Regression("Student", every),
                "Laplace": Regression("Laplace", every),
                "forest": Forest(every),
                "normal, spline": Regression("Normal", spline),
            }
        case "positive":
            found = {
                "log-normal, few": Regression("Normal", few, log=True),
                "log-normal": Regression("Normal", every, log=True),
                "log-Student": Regression("Student", every, log=True),
                "gamma": Regression("Gamma", every),
                "forest": Forest(every, log=True),
                "log-normal, spline": Regression("Normal", spline, log=True),
            }
        case "count":
            found = {
                "Poisson, few": Regression("Poisson", few),
                "Poisson": Regression("Poisson", every),
                "negative binomial, few": Regression("NegativeBinomial", few),
                "negative binomial": Regression("NegativeBinomial", every),
                "negative binomial, spline": Regression("NegativeBinomial", spline),
            }
        case "binary":
            found = {
                "constant": Logit("1"),
                "logit, few": Logit(few),
                "logit": Logit(every),
                "forest": ForestOfLabels(every),
                "logit, spline": Logit(spline),
            }
    return {name: model for name, model in found.items() if data_set.curve or "spline" not in name}


# ---------------------------------------------------------------- what all share


class Design:
    """A formula, standardised on the training rows. Levels that were not seen there are predicted by the rest of the formula."""

    def __init__(self, formula: str, rows: pd.DataFrame) -> None:
        matrix = dmatrix(formula, rows, NA_action="raise")
        self.info = matrix.design_info
        values = np.asarray(matrix)
        self.varies = values.std(axis=0) > 1e-9
        self.mean, self.std = values.mean(axis=0)[self.varies], values.std(axis=0)[self.varies]

    def __call__(self, rows: pd.DataFrame) -> FloatArray:
        values = np.asarray(build_design_matrices([self.info], rows, NA_action="raise")[0])[
            :, self.varies
        ]
        standard = np.clip((values - self.mean) / self.std, -FARTHEST, FARTHEST)
        return np.column_stack([np.ones(len(rows)), standard])


def fit_regression(law: Any, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Coefficients and extras of the highest likelihood, the coefficients shrunk a little but for the first."""
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
    """Least squares where the predictor is a mean, a constant where it is the log of one, zero for log odds."""
    if law.with_scale:
        return np.linalg.solve(x.T @ x + RIDGE * len(y) * np.eye(x.shape[1]), x.T @ y)
    start = np.zeros(x.shape[1])
    if not isinstance(law, likelihoods.Bernoulli):
        start[0] = np.log(np.maximum(y.mean(), 1e-3))
    return start


@dataclass(frozen=True)
class Predicted:
    """The law of the response at each of the rows: what `pred_dist` returns."""

    law: Any
    at: FloatArray
    extra: FloatArray
    log: bool  # whether it is the law of the log of the response
    unit: float = 1.0  # of the response, or of its log

    def logpdf(self, y: FloatArray) -> FloatArray:
        inner = np.log(y) if self.log else y
        jacobian = np.log(y) if self.log else 0.0
        return np.asarray(
            -self.law.loss(inner / self.unit, self.at, self.extra) - np.log(self.unit) - jacobian
        )

    def rvs(self, n: int, rng: np.random.Generator) -> FloatArray:
        drawn = self.unit * self.law.draw(self.at[:n], self.extra, rng)
        return np.exp(np.clip(drawn, -300.0, 300.0)) if self.log else drawn


# ---------------------------------------------------------------- estimators


class Remembers:
    """Keeps what it predicts at the rows it was last asked about: all simulations are made there."""

    _last: tuple[Any, FloatArray | None] = (None, None)

    def predictor(self, X: pd.DataFrame) -> Any:
        if self._last[0] is not X:
            self._last = X, self._predictor(X)  # type: ignore[attr-defined]
        return self._last[1]


class Regression(Remembers, RegressorMixin, BaseEstimator):
    """A generalised linear model: one of the laws of likelihoods.py, of the response or of its log, given a formula."""

    def __init__(
        self,
        law: Literal["Normal", "Laplace", "Student", "Gamma", "Poisson", "NegativeBinomial"],
        formula: str,
        log: bool = False,
    ) -> None:
        self.law, self.formula, self.log = law, formula, log

    def fit(self, X: pd.DataFrame, y: FloatArray) -> Regression:
        self.law_ = getattr(likelihoods, self.law)()
        self.design_ = Design(self.formula, X)
        x, inner = self.design_(X), np.log(y) if self.log else np.asarray(y)
        # In units of its spread, so that one tolerance fits all; laws without a scale know no unit.
        self.unit_ = float(inner.std()) if self.law_.with_scale else 1.0
        self.beta_, self.extra_ = fit_regression(self.law_, x, inner / self.unit_)
        if self.law_.with_scale:  # as many degrees of freedom as coefficients are lost
            self.extra_[0] += 0.5 * np.log(len(x) / max(len(x) - x.shape[1], 1))
        return self

    def _predictor(self, X: pd.DataFrame) -> FloatArray:
        return np.asarray(self.design_(X) @ self.beta_)

    def predict(self, X: pd.DataFrame) -> FloatArray:
        return np.asarray(self.predictor(X))

    def pred_dist(self, X: pd.DataFrame) -> Predicted:
        return Predicted(self.law_, self.predict(X), self.extra_, self.log, self.unit_)


class Forest(Remembers, RegressorMixin, BaseEstimator):
    """A random forest with normal noise of the size of its out-of-bag errors."""

    def __init__(self, formula: str, log: bool = False) -> None:
        self.formula, self.log = formula, log

    def fit(self, X: pd.DataFrame, y: FloatArray) -> Forest:
        inner = np.log(y) if self.log else np.asarray(y)
        self.design_, self.forest_ = grow(self.formula, X, inner)
        errors = inner - self.forest_.oob_prediction_
        self.extra_ = np.array([0.5 * np.log(np.nanmean(errors**2))])
        return self

    def _predictor(self, X: pd.DataFrame) -> FloatArray:
        return np.asarray(self.forest_.predict(self.design_(X)))

    def predict(self, X: pd.DataFrame) -> FloatArray:
        return np.asarray(self.predictor(X))

    def pred_dist(self, X: pd.DataFrame) -> Predicted:
        return Predicted(likelihoods.Normal(), self.predict(X), self.extra_, self.log)


class Logit(Remembers, ClassifierMixin, BaseEstimator):
    """Logistic regression of labels 0 and 1."""

    def __init__(self, formula: str) -> None:
        self.formula = formula

    def fit(self, X: pd.DataFrame, y: FloatArray) -> Logit:
        self.classes_, self.design_ = np.array([0.0, 1.0]), Design(self.formula, X)
        self.beta_, _ = fit_regression(likelihoods.Bernoulli(), self.design_(X), np.asarray(y))
        return self

    def _predictor(self, X: pd.DataFrame) -> FloatArray:
        odds = self.design_(X) @ self.beta_
        return np.column_stack([expit(-odds), expit(odds)])

    def predict_proba(self, X: pd.DataFrame) -> FloatArray:
        return np.asarray(self.predictor(X))

    def predict(self, X: pd.DataFrame) -> FloatArray:
        return np.asarray(self.classes_[np.argmax(self.predict_proba(X), axis=1)])


class ForestOfLabels(Remembers, ClassifierMixin, BaseEstimator):
    """A random forest of labels 0 and 1: the mean of its trees is the probability of 1."""

    def __init__(self, formula: str) -> None:
        self.formula = formula

    def fit(self, X: pd.DataFrame, y: FloatArray) -> ForestOfLabels:
        self.classes_ = np.array([0.0, 1.0])
        self.design_, self.forest_ = grow(self.formula, X, np.asarray(y))
        return self

    def _predictor(self, X: pd.DataFrame) -> FloatArray:
        p = np.clip(
            self.forest_.predict(self.design_(X)), LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY
        )
        return np.column_stack([1.0 - p, p])

    def predict_proba(self, X: pd.DataFrame) -> FloatArray:
        return np.asarray(self.predictor(X))

    def predict(self, X: pd.DataFrame) -> FloatArray:
        return np.asarray(self.classes_[np.argmax(self.predict_proba(X), axis=1)])


def grow(formula: str, X: pd.DataFrame, y: FloatArray) -> tuple[Design, RandomForestRegressor]:
    """A small forest: fifty trees, at least five points in a leaf, at most 3 000 points in a tree."""
    design = Design(formula, X)
    forest = RandomForestRegressor(
        50, min_samples_leaf=5, oob_score=True, max_samples=min(len(y), 3000), random_state=0
    )
    return design, forest.fit(design(X), y)
