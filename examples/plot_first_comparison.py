"""
Five minutes: three models, one verdict
=======================================

Install: ``pip install "rivals[plot,report]"``.

A model is two functions: the loss of each data point, and a simulator. Here the data
are a thousand waiting times, and there are three models.
"""

import numpy as np

import rivals
from rivals.plots import plot_quantiles, plot_risks, plot_sweep

rng = np.random.default_rng(1)
training, held_out = rng.gamma(shape=1.6, scale=1.25, size=(2, 1000))

# %%
# Three models
# ------------
# An exponential and a log-normal law, each fitted by maximum likelihood, and an
# exponential law with an old estimate of the mean. The loss is the negative log
# likelihood. No model is right.


def exponential(mean):
    return rivals.Candidate(
        loss=lambda t: np.log(mean) + t / mean,
        simulate=lambda n, rng: rng.exponential(mean, n),
    )


def log_normal(location, width):
    return rivals.Candidate(
        loss=lambda t: (
            np.log(t * width * np.sqrt(2 * np.pi))
            + ((np.log(t) - location) / width) ** 2 / 2
        ),
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
# ``c`` sets how much of the mismatch between data and simulations may change in a
# replication. At c = 1 it is about all of it, and no model is rejected. The old estimate
# is far behind, but its simulations differ so much from the data that a replication may
# reverse the order.

result = rivals.compare(models, held_out, c=1.0, rng=0)
print(result)

# %%
# The picture to look at first: where may the risk of each model lie when the experiment
# is repeated? The curve of the old estimate is the widest, and it overlaps the others.

plot_risks(result)

# %%
# Why is it so wide? The next picture shows the losses of the old estimate in increasing
# order, on the data and on its own simulations. It expects waiting times that are much
# too long, so simulated losses exceed observed ones. This gap sets the width of the curve
# above. The x axis is stretched towards its end: losses between Φ = 0.9 and 0.99 get as
# much room as all below. The gap is not only in the tail, and no outliers cause it.

plot_quantiles(result, "old estimate")

# %%
# How much does the verdict depend on c? Up to c = 0.125 the old estimate is rejected. The
# exponential and the log-normal law differ by less than the standard error of their
# difference, and both are kept at every c.

sweep = result.sweep(c=[2.0**k for k in range(-6, 4)])
print(sweep)
plot_sweep(sweep)

# %%
# An interactive page with all of this, in one file:

result.report("waiting-times.html")
