"""
Five minutes: three models, one verdict
=======================================

Install: ``pip install "rivals[plot,report]"``.

A model is two functions: the loss of each data point, and a simulator. Here the data are a thousand waiting times, and three
models of them are at hand.
"""

import numpy as np

import rivals
from rivals.plots import plot_quantiles, plot_risks, plot_sweep

rng = np.random.default_rng(1)
training, held_out = rng.gamma(shape=1.6, scale=1.25, size=(2, 1000))

# %%
# Three models
# ------------
# An exponential and a log-normal law, each fitted by maximum likelihood, and an exponential with an old estimate of the mean. The loss is the
# negative log likelihood. None of them is right.


def exponential(mean):
    return rivals.Candidate(
        loss=lambda t: np.log(mean) + t / mean,
        simulate=lambda n, rng: rng.exponential(mean, n),
    )


def log_normal(location, width):
    return rivals.Candidate(
        loss=lambda t: np.log(t * width * np.sqrt(2 * np.pi)) + ((np.log(t) - location) / width) ** 2 / 2,
        simulate=lambda n, rng: rng.lognormal(location, width, n),
    )


models = {
    "exponential": exponential(training.mean()),
    "log-normal": log_normal(np.log(training).mean(), np.log(training).std()),
    "old estimate": exponential(6.0),
}

# %%
# The verdict
# -----------
# ``c`` says how much of the mismatch between data and simulations may turn out differently in a replication. At c = 1 that is about all of it,
# and no model is rejected: the old estimate is far behind, but its simulations are so unlike the data that it cannot say by how much it
# will be behind next time. Law "beta", that of the original paper, would reject it on the same losses; the verdict says that, too.

result = rivals.compare(models, held_out, c=1.0, rng=0)
print(result)

# %%
# The picture to look at first: where may the risk of each model lie when the experiment is repeated?

plot_risks(result)

# %%
# Why is one wider than the other? Because its simulations are further from the data.

plot_quantiles(result, "old estimate")

# %%
# How much does the verdict depend on c? Up to c = 0.125 the old estimate is rejected. The exponential and the log-normal law, which differ
# by less than the sampling error of their difference, are kept at every c.

sweep = result.sweep(c=[2.0**k for k in range(-6, 4)])
print(sweep)
plot_sweep(sweep)

# %%
# An interactive page of all this, one file to send to a colleague:

result.report("waiting-times.html")
