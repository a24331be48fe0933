"""
Counts: doctor visits
=====================

Install: ``pip install "rivals[plot]" statsmodels``.

How often did people see a doctor in a year? The data come from the RAND health
insurance experiment and ship with statsmodels. Most people go rarely, a few go very
often. Losses of counts have many ties; law "transport", the default, handles them.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats
from statsmodels.datasets import randhie

import rivals
from rivals.plots import plot_sweep
from rivals.read import distribution

visits = randhie.load_pandas().data["mdvis"].to_numpy()
training, held_out = np.random.default_rng(0).permutation(visits)[:4000].reshape(2, -1)

# %%
# Three distributions
# -------------------
# The Poisson and the geometric law have one parameter, which the mean determines. The
# negative binomial law has two: mean and variance. ``rivals.read.distribution`` makes a
# model of a distribution of SciPy. The loss is the negative log likelihood.

mean, variance = training.mean(), training.var()
laws = {
    "Poisson": stats.poisson(mean),
    "geometric": stats.geom(1 / (1 + mean), loc=-1),
    "negative binomial": stats.nbinom(mean**2 / (variance - mean), mean / variance),
}
models = {name: distribution(law) for name, law in laws.items()}
result = rivals.compare(models, held_out, c=0.125, rng=0)
print(result)

# %%
# The Poisson law is rejected: its variance equals its mean, so it expects neither so
# many people without a visit nor so many frequent visitors. The other two laws are tied:
# the difference of their mean losses is smaller than its standard error.

count = np.arange(16)
figure, ax = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
seen = np.bincount(held_out, minlength=count.size)[: count.size] / held_out.size
ax.bar(count, seen, color="0.82", label="held-out data")
for (name, law), marker in zip(laws.items(), "osD", strict=True):
    ax.plot(count, law.pmf(count), marker=marker, markersize=4, label=name)
ax.set(xlabel="doctor visits in a year", ylabel="fraction of people")
ax.legend()

# %%
# The rejection holds for c up to 0.21. Beyond, a replication might differ so much from
# these data that even the Poisson law could win:

plot_sweep(result.sweep(c=[2.0**k for k in range(-6, 2)]))
