"""The candidates, as estimators of scikit-learn that `rivals.read` understands.

Regressions of many kinds, and forests. Regressors tell the law of the response at each row by
`pred_dist`, classifiers by `predict_proba`. All regressions are fitted in one way, by maximum
likelihood with a slight ridge. Inputs are the numbers that the formulas of a data set give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import likelihoods
import numpy as np
import numpy.typing as npt
from patsy import build_design_matrices, dmatrix
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.ensemble import RandomForestRegressor

FloatArray = npt.NDArray[np.float64]
RIDGE = 1e-3  # of standardised predictors, relative to one point's information
# A predictor beyond so many standard deviations of the training data counts as if it were there.
FARTHEST = 8.0
LEAST_PROBABILITY = 0.02  # of a label, by a forest
SPLINE_FREEDOM = 5


Blocks = dict[str, tuple[int, int]]  # few, all, curve → the first of its columns, and its end


def candidates(kind: str, blocks: Blocks) -> dict[str, Any]:
    """Name → estimator, not fitted: four to six that suit the kind of response."""
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
                "forest": Forest(every),
                "normal, spline": Regression("Normal", every, curve),
            }
        case "positive":
            found = {
                "log-normal, few": Regression("Normal", few, log=True),
                "log-normal": Regression("Normal", every, log=True),
                "log-Student": Regression("Student", every, log=True),
                "gamma": Regression("Gamma", every),
                "forest": Forest(every, log=True),
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
                "constant": Logit((0, 0)),
                "logit, few": Logit(few),
                "logit": Logit(every),
                "forest": ForestOfLabels(every),
                "logit, spline": Logit(every, curve),
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
    """Keeps what it predicts at the rows it was last asked about: simulations are made there."""

    _last: tuple[Any, FloatArray | None] = (None, None)

    def predictor(self, X: FloatArray) -> Any:
        if self._last[0] is not X:
            self._last = X, self._predictor(X)  # type: ignore[attr-defined]
        return self._last[1]


class Regression(Remembers, RegressorMixin, BaseEstimator):
    """A generalised linear model: a law of likelihoods.py, of the response or of its log."""

    def __init__(
        self,
        law: Literal["Normal", "Laplace", "Student", "Gamma", "Poisson", "NegativeBinomial"],
        columns: tuple[int, int],
        curve: tuple[int, int] | None = None,
        log: bool = False,
    ) -> None:
        self.law = law
        self.columns = columns
        self.curve = curve
        self.log = log

    def fit(self, X: FloatArray, y: FloatArray) -> Regression:
        self.law_ = getattr(likelihoods, self.law)()
        self.design_ = Design(self.columns, self.curve, X)
        x = self.design_(X)
        inner = np.log(y) if self.log else np.asarray(y)
        # In units of its spread, so that one tolerance fits all; laws without a scale know no unit.
        self.unit_ = float(inner.std()) if self.law_.with_scale else 1.0
        self.beta_, self.extra_ = fit_regression(self.law_, x, inner / self.unit_)
        if self.law_.with_scale:  # as many degrees of freedom as coefficients are lost
            self.extra_[0] += 0.5 * np.log(len(x) / max(len(x) - x.shape[1], 1))
        return self

    def _predictor(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.design_(X) @ self.beta_)

    def predict(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.predictor(X))

    def pred_dist(self, X: FloatArray) -> Predicted:
        return Predicted(self.law_, self.predict(X), self.extra_, self.log, self.unit_)


class Forest(Remembers, RegressorMixin, BaseEstimator):
    """A random forest with normal noise of the size of its out-of-bag errors."""

    def __init__(self, columns: tuple[int, int], log: bool = False) -> None:
        self.columns = columns
        self.log = log

    def fit(self, X: FloatArray, y: FloatArray) -> Forest:
        inner = np.log(y) if self.log else np.asarray(y)
        self.design_, self.forest_ = grow(self.columns, X, inner)
        errors = inner - self.forest_.oob_prediction_
        self.extra_ = np.array([0.5 * np.log(np.nanmean(errors**2))])
        return self

    def _predictor(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.forest_.predict(self.design_(X)))

    def predict(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.predictor(X))

    def pred_dist(self, X: FloatArray) -> Predicted:
        return Predicted(likelihoods.Normal(), self.predict(X), self.extra_, self.log)


class Logit(Remembers, ClassifierMixin, BaseEstimator):
    """Logistic regression of labels 0 and 1."""

    def __init__(self, columns: tuple[int, int], curve: tuple[int, int] | None = None) -> None:
        self.columns = columns
        self.curve = curve

    def fit(self, X: FloatArray, y: FloatArray) -> Logit:
        self.classes_ = np.array([0.0, 1.0])
        self.design_ = Design(self.columns, self.curve, X)
        self.beta_, _ = fit_regression(likelihoods.Bernoulli(), self.design_(X), np.asarray(y))
        return self

    def _predictor(self, X: FloatArray) -> FloatArray:
        odds = self.design_(X) @ self.beta_
        return np.column_stack([expit(-odds), expit(odds)])

    def predict_proba(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.predictor(X))

    def predict(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.classes_[np.argmax(self.predict_proba(X), axis=1)])


class ForestOfLabels(Remembers, ClassifierMixin, BaseEstimator):
    """A random forest of labels 0 and 1: the mean of its trees is the probability of 1."""

    def __init__(self, columns: tuple[int, int]) -> None:
        self.columns = columns

    def fit(self, X: FloatArray, y: FloatArray) -> ForestOfLabels:
        self.classes_ = np.array([0.0, 1.0])
        self.design_, self.forest_ = grow(self.columns, X, np.asarray(y))
        return self

    def _predictor(self, X: FloatArray) -> FloatArray:
        p = np.clip(
            self.forest_.predict(self.design_(X)), LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY
        )
        return np.column_stack([1.0 - p, p])

    def predict_proba(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.predictor(X))

    def predict(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.classes_[np.argmax(self.predict_proba(X), axis=1)])


def grow(
    columns: tuple[int, int], X: FloatArray, y: FloatArray
) -> tuple[Design, RandomForestRegressor]:
    """A small forest: fifty trees, five points or more in a leaf, at most 3 000 in a tree."""
    design = Design(columns, None, X)
    forest = RandomForestRegressor(
        50, min_samples_leaf=5, oob_score=True, max_samples=min(len(y), 3000), random_state=0
    )
    return design, forest.fit(design(X), y)
