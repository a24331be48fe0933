"""
AIC, BIC, LOO and rivals side by side
=====================================

Install: ``pip install "rivals[plot,criteria]"``.

Polynomials of degree one to nine are fitted to 60 points of a sine wave with noise.
AIC, BIC and LOO judge a model by the data to which it was fitted. The risk is its mean
loss on held-out data. ``rivals`` asks which differences would survive a replication.
"""

import matplotlib.pyplot as plt
import numpy as np

import rivals
from rivals import criteria

rng = np.random.default_rng(0)


def observe(n):
    x = rng.uniform(-1, 1, n)
    return x, np.sin(3 * x) + 0.2 * rng.standard_normal(n)


x, y = observe(60)
x_new, y_new = observe(400)

# %%
# What the criteria need
# ----------------------
# ``Fitted`` collects it: log likelihoods of the training points, the number of
# parameters, draws of the posterior (here under a flat prior), and losses on held-out and
# simulated data. What you leave out leaves out the criteria that need it.


def fitted(degree):
    inputs, new = (np.vander(at, degree + 1, increasing=True) for at in (x, x_new))
    coefficients, *_ = np.linalg.lstsq(inputs, y)
    sigma = np.std(y - inputs @ coefficients)

    def log_density(values, mean):
        return -np.log(sigma * np.sqrt(2 * np.pi)) - ((values - mean) / sigma) ** 2 / 2

    covariance = sigma**2 * np.linalg.inv(inputs.T @ inputs)
    draws = rng.multivariate_normal(coefficients, covariance, 1000)
    prediction = new @ coefficients
    simulated = prediction + sigma * rng.standard_normal((16, y_new.size))
    losses = -log_density(y_new, prediction)
    return criteria.Fitted(
        log_likelihood=log_density(y, inputs @ coefficients),
        n_parameters=degree + 2,
        draws=log_density(y, draws @ inputs.T),
        test_losses=losses,
        losses=rivals.Losses(losses, -log_density(simulated, prediction)),
    )


models = {degree: fitted(degree) for degree in range(1, 10)}

# %%
# Three of them in a table
# ------------------------
# Each cell is a difference to the reference, with its standard error. The notes warn of
# criteria that cannot be trusted here.

three = {f"degree {degree}": models[degree] for degree in (1, 3, 7)}
print(criteria.table(three, reference="degree 3", rng=0))

# %%
# All of them in a picture
# ------------------------
# Loss per point, relative to the best model of each criterion. AIC and LOO prefer degree
# 7, BIC degree 4, and the held-out data degree 3. With another 60 points the choice may
# be another one.

per_point = {
    "AIC": lambda m: criteria.aic(m.log_likelihood, m.n_parameters).value / 120,
    "BIC": lambda m: criteria.bic(m.log_likelihood, m.n_parameters).value / 120,
    "LOO": lambda m: -criteria.loo(m.draws).value / 60,
    "held-out data": lambda m: m.losses.empirical_risk,
}
degrees = list(models)
preferred = {}
figure, ax = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
for (name, score), marker in zip(per_point.items(), "osD^", strict=True):
    values = np.array([score(model) for model in models.values()])
    preferred[name] = degrees[values.argmin()]
    ax.plot(degrees, values - values.min(), marker=marker, label=name)
    ax.plot(preferred[name], 0, marker="o", ms=14, mfc="none", color="black")
ax.set(xlabel="degree", ylim=(-0.02, 0.25))
ax.set_ylabel("difference to the best\n(nats per point)")
ax.legend()
print(preferred)

# %%
# ``rivals`` does not choose. It rejects degrees 1 and 2, which no replication would bring
# back, and keeps all others. It has no penalty for complexity: if you want the simplest
# model, take the simplest survivor, which is degree 3.

losses = {f"degree {degree}": model.losses for degree, model in models.items()}
result = rivals.compare(losses, c=0.25, rng=0)
print(result)
