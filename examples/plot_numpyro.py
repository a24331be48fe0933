"""
Two posteriors in NumPyro
=========================

Install: ``pip install "rivals[plot,arviz]" numpyro``.

We fit a line to data with outliers, once with Gaussian and once with Student noise, and
judge both posteriors on held-out data by the loss of the posterior predictive. PyMC and
Stan work in the same way: you need two arrays of log likelihoods.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import numpyro
import xarray
from numpyro import distributions as dist
from numpyro.infer import MCMC, NUTS, Predictive, log_likelihood

import rivals
from rivals.plots import plot_risks
from rivals.read import arviz_tree

rng = np.random.default_rng(0)


def observe(n):
    x = rng.uniform(-1, 1, n)
    return x, 1.0 + 2.0 * x + 0.3 * rng.standard_t(2.5, n)


x, y = observe(200)
x_new, y_new = observe(400)

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.scatter(x, y, s=10, label="training")
ax.scatter(x_new, y_new, s=10, marker="x", alpha=0.5, label="held out")
ax.set(xlabel="x", ylabel="y")
ax.legend()

# %%
# Two models
# ----------


def gaussian(x, y=None):
    a = numpyro.sample("a", dist.Normal(0, 5))
    b = numpyro.sample("b", dist.Normal(0, 5))
    width = numpyro.sample("width", dist.HalfNormal(2))
    numpyro.sample("y", dist.Normal(a + b * x, width), obs=y)


def student(x, y=None):
    a = numpyro.sample("a", dist.Normal(0, 5))
    b = numpyro.sample("b", dist.Normal(0, 5))
    width = numpyro.sample("width", dist.HalfNormal(2))
    df = numpyro.sample("df", dist.Gamma(2, 0.1))
    numpyro.sample("y", dist.StudentT(df, a + b * x, width), obs=y)


# %%
# From posterior to losses
# ------------------------
# We need log likelihoods for each point and each posterior draw: on held-out data, and on
# data that the model simulated at the same inputs. Each simulated point uses another
# posterior draw, so that the points follow the posterior predictive.
# ``reduction="lpd"`` gives its loss: minus the log of the mean likelihood.


def losses(model, seed):
    keys = jax.random.split(jax.random.PRNGKey(seed), 3)
    mcmc = MCMC(NUTS(model), num_warmup=300, num_samples=300, progress_bar=False)
    mcmc.run(keys[0], x, y)
    posterior = mcmc.get_samples()
    predicted = Predictive(model, posterior)(keys[1], x_new)["y"]
    draw = jax.random.randint(keys[2], (x_new.size,), 0, predicted.shape[0])
    simulated = predicted[draw, jnp.arange(x_new.size)]

    def group(data):
        values = np.asarray(log_likelihood(model, posterior, x_new, data)["y"])
        return xarray.Dataset({"y": (("chain", "draw", "point"), values[None])})

    groups = {
        "log_likelihood_held_out": group(y_new),
        "log_likelihood_simulated": group(simulated),
    }
    return arviz_tree(xarray.DataTree.from_dict(groups), reduction="lpd")


# %%
# The verdict
# -----------
# Student noise is ahead, and its simulations resemble the data more closely. At c = 0.25
# the Gaussian is kept nevertheless: a replication may have fewer outliers, which its
# simulations lack. With one simulation of each posterior, the stability of this verdict
# is unknown. For several simulations, draw ``simulated`` several times, and pass them to
# ``rivals.Losses`` as the rows of a matrix.

result = rivals.compare(
    {"Gaussian": losses(gaussian, 0), "Student": losses(student, 1)}, c=0.25, rng=0
)
print(result)
plot_risks(result)
