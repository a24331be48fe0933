"""
Simulators without a likelihood
===============================

Install: ``pip install "rivals[plot]"``.

A fish population is counted every year. Two simulators, the Ricker and the Hassell map
with random good and bad years, can generate such series, but their likelihoods are
intractable. Any loss that compares a data point with the predictive distribution can be
used: here the *continuous ranked probability score* (CRPS) of each count against an
ensemble of simulations.
"""

import matplotlib.pyplot as plt
import numpy as np

import rivals
from rivals.plots import plot_losses, plot_risks

YEARS = 40


def ricker(n_series, rng, growth=1.6):
    """Log counts of many series: growth is throttled exponentially."""
    log_n = np.empty((n_series, YEARS))
    current = np.zeros(n_series)
    for year in range(YEARS):
        current = (
            current + growth - np.exp(current) + 0.3 * rng.standard_normal(n_series)
        )
        log_n[:, year] = current
    return log_n


def hassell(n_series, rng, growth=1.6):
    """Log counts: growth is throttled by a power law, hence with longer tails."""
    log_n = np.empty((n_series, YEARS))
    current = np.zeros(n_series)
    for year in range(YEARS):
        current = (
            current
            + growth
            - 3.0 * np.log1p(np.exp(current) * 0.7)
            + 0.3 * rng.standard_normal(n_series)
        )
        log_n[:, year] = current
    return log_n


# %%
# The loss
# --------
# CRPS(y) = E|X − y| − ½ E|X − X'| with X, X' from the ensemble of the year: a proper
# score, in the unit of the data. Sorting the ensemble gives the second term without
# looking at all pairs.


def crps(ensemble, y):
    """One score per point; `ensemble` is (members, years), `y` (series, years)."""
    members = np.sort(ensemble, axis=0)
    m = len(members)
    spread = np.sum((2 * np.arange(1, m + 1) - m - 1)[:, None] * members, axis=0) / m**2
    return np.mean(np.abs(members[:, None, :] - y[None]), axis=0) - spread


def candidate(simulator):
    ensemble = simulator(
        1000, np.random.default_rng(1)
    )  # the predictive distribution; drawn once
    return rivals.Candidate(
        loss=lambda series: crps(ensemble, series).ravel(),
        simulate=lambda n, rng: simulator(n // YEARS, rng),
    )


# %%
# The data: ten lakes, each counted for forty years. Their growth rates differ slightly
# from the one that both models assume.

rng = np.random.default_rng(0)
lakes = np.concatenate([ricker(1, rng, growth) for growth in rng.normal(1.6, 0.05, 10)])

figure, ax = plt.subplots(figsize=(6.5, 3.4), layout="constrained")
ax.plot(lakes[:4].T, linewidth=1)
ax.set(xlabel="year", ylabel="log of the count", title="Four of the ten lakes")

# %%
# The verdict
# -----------
# Years in a lake are correlated. ``clusters=lake`` makes the sampling error allow for this.

lake = np.repeat(np.arange(10), YEARS)  # of each count
models = {"Ricker": candidate(ricker), "Hassell": candidate(hassell)}
result = rivals.compare(models, lakes, c=1.0, clusters=lake, rng=0)
print(result)

# %%
# The Ricker map is ahead by more than ten standard errors. It generated the data, and its
# simulations resemble them. The simulations of the Hassell map do not, and at c = 1 it
# might still do better elsewhere.

plot_risks(result)

# %%
plot_losses(result)

# %%
# But the lakes *are* replications: they show what differs between places. As ``groups``
# they decide. In a new lake the Ricker map would win again.

by_lake = rivals.compare(models, lakes, groups=lake, rng=0)
print(by_lake)
