"""
More data, and the verdict settles
==================================

Install: ``pip install "rivals[plot]"``.

With enough data, AIC, BIC, elpd and the Bayes factor are always sure which of two wrong
models is less wrong. But no experiment is repeated exactly. The probability that one
model beats the other *in a replication* does not grow with the number of data: it
settles where the misfit of both models puts it. This is the main claim of René and
Longtin (2025).
"""

import matplotlib.pyplot as plt
import numpy as np

import rivals
from rivals import criteria

# %%
# Two wrong models
# ----------------
# The data come from a Weibull law. A half-normal and an exponential law are fitted to
# ``n`` of them and judged on ``n`` others. The half-normal is less wrong, by 0.05 nats a
# point.


class HalfNormal:
    def __init__(self, y):
        self.scale = np.sqrt(np.mean(y**2))

    def loss(self, y):
        return np.log(np.pi * self.scale**2 / 2) / 2 + (y / self.scale) ** 2 / 2

    def simulate(self, n, rng):
        return np.abs(self.scale * rng.standard_normal(n))


class Exponential:
    def __init__(self, y):
        self.rate = 1 / np.mean(y)

    def loss(self, y):
        return self.rate * y - np.log(self.rate)

    def simulate(self, n, rng):
        return rng.exponential(1 / self.rate, n)


sizes = 2 ** np.arange(10, 17, 2)
settings = {"transport": {}, "beta": {"n_simulations": 1}}
probability = {law: [] for law in settings}
spread = {law: [] for law in settings}
preference = {"AIC / 2": [], "BIC / 2": [], "elpd": []}

for n in sizes:
    rng = np.random.default_rng(n)
    training, test = rng.weibull(1.35, n), rng.weibull(1.35, n)
    models = {"half-normal": HalfNormal(training), "exponential": Exponential(training)}
    for law, others in settings.items():
        result = rivals.compare(models, test, law=law, c=0.25, rng=0, **others)
        probability[law].append(result.probability[0, 1])
        spread[law].append(result.risk_std["exponential"])
    fitted = [-model.loss(training) for model in models.values()]
    for name, criterion in (("AIC / 2", criteria.aic), ("BIC / 2", criteria.bic)):
        first, second = (criterion(each, 1).value / 2 for each in fitted)
        preference[name].append(second - first)
    first, second = (-np.sum(model.loss(test)) for model in models.values())
    preference["elpd"].append(first - second)

# %%
# What they say
# -------------
# Nats in favour of the half-normal grow in proportion to ``n``. The probability that it
# keeps its lead does not. The risk of a wrong model has a spread that more data do not
# take away: it comes from the misfit, not from the sampling error.

for place, n in enumerate(sizes):
    said = ", ".join(f"{law} {each[place]:.2f}" for law, each in probability.items())
    print(f"n = {n:6d}: {preference['elpd'][place]:7.1f} nats of elpd; B by {said}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
for law, marker in zip(probability, "so", strict=True):
    left.plot(sizes, probability[law], marker=marker, label=f"law {law}")
left.axhline(0.5, color="0.6", ls=":")
left.set(xscale="log", ylim=(0.45, 1.02), xlabel="data", title="$P(R_a < R_b)$, c = ¼")
left.legend()
for (name, values), marker in zip(preference.items(), "sod", strict=True):
    right.plot(sizes, values, marker=marker, label=name)
right.set(xscale="log", yscale="log", xlabel="data", title="other criteria, nats")
right.legend()
plt.show()

# %%
# Law "beta" is the paper's, with one simulation of each model. Its spread depends on the
# largest losses of the data and of that simulation, which differ from one data set to the
# next; `large-samples <../paper/paper.html#beyond-the-paper-the-main-claim-at-large-l>`_
# shows both laws over 32 data sets of each size.
