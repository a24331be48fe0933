"""
Two posteriors in NumPyro
=========================

Install: ``pip install "rivals[plot,arviz]" numpyro``.

A line is fitted to data with a few wild points, once with Gaussian and once with Student noise. Both posteriors are judged on held-out
data, by the loss of the posterior predictive. The same works for PyMC and Stan: all that is needed are two log likelihoods.
"""

import jax
import jax.numpy as jnp
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

# %%
# Two models
# ----------


def gaussian(x, y=None):
    a, b = numpyro.sample("a", dist.Normal(0, 5)), numpyro.sample("b", dist.Normal(0, 5))
    width = numpyro.sample("width", dist.HalfNormal(2))
    numpyro.sample("y", dist.Normal(a + b * x, width), obs=y)


def student(x, y=None):
    a, b = numpyro.sample("a", dist.Normal(0, 5)), numpyro.sample("b", dist.Normal(0, 5))
    width, df = numpyro.sample("width", dist.HalfNormal(2)), numpyro.sample("df", dist.Gamma(2, 0.1))
    numpyro.sample("y", dist.StudentT(df, a + b * x, width), obs=y)


# %%
# From posterior to losses
# ------------------------
# Two groups of log likelihoods, of each point under each draw of the parameters: of held-out data, and of data that the model simulated at
# the same inputs. Each simulated point is from another draw, so that together they follow the posterior predictive, whose loss
# ``reduction="lpd"`` is: minus the log of the mean likelihood.


def losses(model, seed):
    keys = jax.random.split(jax.random.PRNGKey(seed), 3)
    mcmc = MCMC(NUTS(model), num_warmup=300, num_samples=300, progress_bar=False)
    mcmc.run(keys[0], x, y)
    posterior = mcmc.get_samples()
    predicted = Predictive(model, posterior)(keys[1], x_new)["y"]
    draw = jax.random.randint(keys[2], (x_new.size,), 0, predicted.shape[0])
    simulated = predicted[draw, jnp.arange(x_new.size)]
    groups = {
        f"log_likelihood_{name}": xarray.Dataset(
            {"y": (("chain", "draw", "point"), np.asarray(log_likelihood(model, posterior, x_new, data)["y"])[None])}
        )
        for name, data in [("held_out", y_new), ("simulated", simulated)]
    }
    return arviz_tree(xarray.DataTree.from_dict(groups), reduction="lpd")


# %%
# The verdict
# -----------
# Student noise is ahead, and its simulations are the more like the data. At c = 0.25 the Gaussian is kept nevertheless: the wild points, which
# its simulations do not have, may be fewer next time. There is one simulation of each posterior here, so how stable that is remains unknown;
# several are made by drawing ``simulated`` several times, and go to ``rivals.Losses`` as the rows of a matrix.

result = rivals.compare({"Gaussian": losses(gaussian, 0), "Student": losses(student, 1)}, c=0.25, rng=0)
print(result)
plot_risks(result)
