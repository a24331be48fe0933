"""
Estimators of scikit-learn
==========================

Install: ``pip install "rivals[plot]" scikit-learn``.

Which classifier would still be better on next year's patients? A score on held-out data
ranks them. ``rivals`` asks whether the ranking would survive a replication.
"""

import numpy as np
from scipy import stats
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rivals
from rivals.plots import plot_losses, plot_risks
from rivals.read import classifier, regressor

inputs, labels = load_breast_cancer(return_X_y=True)
fit_inputs, test_inputs, fit_labels, test_labels = train_test_split(
    inputs, labels, test_size=0.5, random_state=0
)

# %%
# ``predict_proba`` is enough: the loss of a patient is minus the log of the probability of
# the true label, and the same probabilities simulate labels. ``floor`` keeps
# probabilities above zero, so that no loss is infinite.

estimators = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "linear discriminant": LinearDiscriminantAnalysis(),
    "radius only": make_pipeline(
        make_column_transformer(("passthrough", [0])), LogisticRegression()
    ),
}
models = {
    name: classifier(estimator.fit(fit_inputs, fit_labels), test_inputs, floor=1e-9)
    for name, estimator in estimators.items()
}
result = rivals.compare(models, (test_inputs, test_labels), c=0.25, rng=0)
print(result)

# %%
# The linear discriminant is overconfident: its losses on its own simulations are lower
# than on the data. This gap makes its risk distribution wide, so it may be better or
# worse next year, and it survives. The model with one input is better calibrated, so its
# distribution is narrower, and it is rejected.
#
# Fewer than three hundred patients are few for this purpose. The column "stable" shows
# the fraction of the sixteen simulations of each model that give the same verdict.

plot_risks(result)

# %%
# The losses themselves. The thick curve is below the thin one where the data bring larger
# losses than the model expects.

# sphinx_gallery_thumbnail_number = 2
plot_losses(result)

# %%
# A regressor also needs a noise model, which you supply: a prediction alone cannot
# simulate data.

inputs, targets = load_diabetes(return_X_y=True)
targets = targets / 100
fit_inputs, test_inputs, fit_targets, test_targets = train_test_split(
    inputs, targets, test_size=0.5, random_state=0
)


def with_gaussian_noise(estimator):
    """Fit to one half of the training data, and learn the noise from the other."""
    a, b, y_a, y_b = train_test_split(
        fit_inputs, fit_targets, test_size=0.5, random_state=1
    )
    noise = stats.norm(scale=np.std(y_b - estimator.fit(a, y_a).predict(b)))
    return regressor(estimator.fit(fit_inputs, fit_targets), test_inputs, noise=noise)


regression = rivals.compare(
    {
        "ridge": with_gaussian_noise(RidgeCV()),
        "forest": with_gaussian_noise(RandomForestRegressor(random_state=0)),
    },
    (test_inputs, test_targets),
    c=0.125,
    rng=0,
)
print(regression)
plot_risks(regression)

# %%
# Ridge regression is ahead by more than three standard errors, and at c = 0.125 the
# forest is rejected. This depends on c: at c = 0.5 the forest is kept.

print(regression.sweep(c=[0.125, 0.5]))
