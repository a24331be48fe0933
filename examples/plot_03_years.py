"""
Years as replications: El Niño
==============================

Install: ``pip install "rivals[plot]" statsmodels``.

Which forecast of the sea temperature is better next year, and which would be better again if
the study were repeated over as many years? Years are the groups. The losses are absolute errors
of forecasts that were fitted to earlier years, so no simulations are needed.
"""

import numpy as np
import pandas as pd
from statsmodels.datasets import elnino

import rivals

table = elnino.load_pandas().data
temperature = table.drop(columns="YEAR").to_numpy()  # years × months, in °C
n_fit = 30
years = table["YEAR"].to_numpy().astype(int)[n_fit:]
year = pd.Series(years.repeat(12), name="year")

# %%
# Four forecasts of the next month
# --------------------------------
# *Annual mean* is one number. *Climatology* is the mean of each month. *Persistence* adds the
# present anomaly, the deviation from climatology. *Damped persistence* adds a fraction of it,
# fitted to the first thirty years.

climatology = temperature[:n_fit].mean(axis=0)
anomaly = (temperature - climatology).ravel()
fitted, before = anomaly[1 : 12 * n_fit], anomaly[: 12 * n_fit - 1]
damping = fitted @ before / (before @ before)

now, before = anomaly[12 * n_fit :], anomaly[12 * n_fit - 1 : -1]
errors = {
    "annual mean": temperature[n_fit:].ravel() - climatology.mean(),
    "climatology": now,
    "persistence": now - before,
    "damped persistence": now - damping * before,
}
# They were fitted to earlier years: no year was left out in turn.
losses = {
    name: rivals.Losses(np.abs(error), groups=year, left_out=False, unit="°C")
    for name, error in errors.items()
}
result = rivals.compare(losses)
print(result)

# %%
# Next year, or many years
# ------------------------
# Over 31 new years damped persistence would beat climatology again. In a single year
# climatology has a fair chance all the same. Who asks about next year alone is told so:

print(result.at(new_groups=1).conclusion)

# %%

rivals.plots.plot_forest(result, "climatology")

# %%
# Persistence and damped persistence cannot be told apart yet. Would more years help?

print(result.plan([10, 31, 100]))
