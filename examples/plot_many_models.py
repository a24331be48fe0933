"""
Fourteen regressions at once
============================

Install: ``pip install "rivals[plot]" scikit-learn``.

Ten measurements of 442 patients predict the progression of diabetes one year later.
Which regressions of scikit-learn are worth keeping? ``plot_intervals`` shows all of
them in one picture.
"""

import numpy as np
from scipy import stats
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import BayesianRidge, LassoCV, LinearRegression, RidgeCV
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

import rivals
from rivals.plots import plot_intervals, plot_ties, tied_models
from rivals.read import regressor

inputs, targets = load_diabetes(return_X_y=True)
fit_inputs, test_inputs, fit_targets, test_targets = train_test_split(
    inputs, targets / 100, test_size=0.5, random_state=0
)

# %%
# Fourteen models
# ---------------
# A regressor predicts a mean. To simulate data it also needs noise: here Gaussian, with
# the width of the errors in a cross-validation within the training half.

estimators = {
    "constant": DummyRegressor(),
    "least squares": LinearRegression(),
    "ridge": RidgeCV(),
    "Bayesian ridge": BayesianRidge(),
    "lasso": LassoCV(),
    "quadratic": make_pipeline(PolynomialFeatures(2), LinearRegression()),
    "quadratic ridge": make_pipeline(PolynomialFeatures(2), RidgeCV()),
    "support vectors": make_pipeline(StandardScaler(), SVR()),
}
for n in (5, 20, 60):
    estimators[f"{n} neighbours"] = KNeighborsRegressor(n)
for n in (4, 16, 64):
    estimators[f"tree, {n} leaves"] = DecisionTreeRegressor(
        max_leaf_nodes=n, random_state=0
    )


def with_noise(estimator):
    errors = fit_targets - cross_val_predict(estimator, fit_inputs, fit_targets)
    noise = stats.norm(scale=np.std(errors))
    return regressor(estimator.fit(fit_inputs, fit_targets), test_inputs, noise=noise)


models = {name: with_noise(estimator) for name, estimator in estimators.items()}
result = rivals.compare(models, (test_inputs, test_targets), c=2**-4, rng=0)
plot_intervals(result)

# %%
# How to read it
# --------------
# Each row is a model, the best first. The bar is a 90 % interval of its risk. The orange
# triangle below repeats the mean loss, with the standard error of the *paired difference*
# to the best model. This error is smaller than the bar, because all models are judged
# on the same patients: what makes one patient hard to predict is mostly common to all.
#
# So bars may overlap although one model is reproducibly better. Do not read the verdict
# off the bars; read it at the right edge.

print(result)

# %%
# Which cannot be told apart?
# ---------------------------
# In one picture, read like a critical-difference diagram: models stand on the axis of mean
# loss, and a bar joins those that no verdict parts. A model may be tied with better ones
# and with worse ones that are not tied with each other, so bars overlap.

plot_ties(result)

# %%
# The same sets as names:

for tied in tied_models(result):
    print(tied)
