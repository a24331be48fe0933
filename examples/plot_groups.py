"""
Replications at hand: years of El Niño
======================================

Install: ``pip install "rivals[plot]" statsmodels``.

If your data come in groups that are replications, the spread between groups shows what
may change in the next ones. Law "groups" uses this spread. It needs neither simulations
nor c: observed losses are enough. Here the groups are years, and there are two
questions: which forecast of the sea temperature is better next year, and which would be
better again if the study were repeated over as many years?
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from statsmodels.datasets import elnino

import rivals

table = elnino.load_pandas().data
temperature = table.drop(columns="YEAR").to_numpy()  # years × months, in °C
n_fit = 30
years = table["YEAR"].to_numpy().astype(int)[n_fit:]

# %%
# Four forecasts of the next month
# --------------------------------
# *Annual mean* is one number. *Climatology* is the mean of each month of the year.
# *Persistence* adds the present anomaly, that is the present deviation from the
# climatology. *Damped persistence* adds a fraction of it, fitted to the first thirty
# years. The loss is the absolute error in degrees.

climatology = temperature[:n_fit].mean(axis=0)
anomaly = (temperature - climatology).ravel()
fitted, before = anomaly[1 : 12 * n_fit], anomaly[: 12 * n_fit - 1]
damping = fitted @ before / (before @ before)

now, before = anomaly[12 * n_fit :], anomaly[12 * n_fit - 1 : -1]
losses = {
    "annual mean": np.abs(temperature[n_fit:].ravel() - climatology.mean()),
    "climatology": np.abs(now),
    "persistence": np.abs(now - before),
    "damped persistence": np.abs(now - damping * before),
}
year = pd.Series(np.repeat(years, 12), name="year")
result = rivals.compare(losses, groups=year, loss_unit="°C", rng=0)
print(result)

# %%
# Next year, and years to come
# ----------------------------
# The mean loss of the climatology exceeds that of damped persistence by more than four
# standard errors. If 31 new years were studied, damped persistence would be better again:
# the climatology is rejected. In a single new year it has a fair chance all the same. It
# was the better forecast in 6 of the 31 years that we have, and the law gives it about
# that probability. A user who asks about next year alone is told so:

next_year = rivals.compare(losses, groups=year, new_groups=1, loss_unit="°C", rng=0)
print(next_year.conclusion)

# %%
# Damped persistence and persistence cannot be told apart. Would more years help?

print(result.plan([10, 31, 100]))

# %%

gap = losses["climatology"] - losses["damped persistence"]
by_year = gap.reshape(-1, 12).mean(axis=1)
figure, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.bar(years, by_year, color=np.where(by_year > 0, "tab:blue", "tab:orange"))
ax.axhline(0, color="black", linewidth=0.8)
ax.set(xlabel="year", ylabel="climatology − damped persistence\n(mean loss, °C)")
ax.set_title("Orange: years in which the climatology was better", fontsize="medium")
