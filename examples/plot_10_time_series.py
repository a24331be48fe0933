"""
One time series: sunspots
=========================

Install: ``pip install "rivals[plot]" statsmodels``.

Five years ahead, how well can the sunspot number be forecast? There is one series and no group,
so the answer rests on how well each model simulates its own data, and it is provisional. Errors
of neighbouring years resemble each other; ``order="time"`` allows for that.
"""

import numpy as np
from statsmodels.datasets import sunspots

import rivals

table = sunspots.load_pandas().data
activity = np.sqrt(table["SUNACTIVITY"].to_numpy())  # the root has an even spread
first = 11  # the first year that has a whole cycle before it
half = (activity.size - first) // 2

# %%
# Four forecasts
# --------------
# Each is a linear regression on earlier years, fitted to the first half of the series and
# judged on the second. It is a ``Candidate``: the loss of each point, and a simulator.


def regression(*lags):
    columns = [activity[first - lag : activity.size - lag] for lag in lags]
    inputs = np.column_stack([np.ones(activity.size - first), *columns])
    coefficients, *_ = np.linalg.lstsq(inputs[:half], activity[first:][:half])
    sigma = np.std(activity[first:][:half] - inputs[:half] @ coefficients)
    forecast = inputs[half:] @ coefficients
    return rivals.Candidate(
        loss=lambda y: np.log(sigma) + ((y - forecast) / sigma) ** 2 / 2,
        simulate=lambda n, rng: forecast + sigma * rng.standard_normal(n),
    )


models = {
    "constant": regression(),
    "5 and 6 years ago": regression(5, 6),
    "one cycle ago": regression(11),
    "both": regression(5, 6, 11),
}
held_out = activity[first:][half:]
result = rivals.compare(models, held_out, order="time", rng=0)
print(result)

# %%
# The thick bars hold at the default c, the thin ones average over what c has been on real
# data sets.

rivals.plots.plot_risks(result)

# %%
# How the decision depends on c
# -----------------------------
# c says how far a replication may move the risk, in units of the misfit between a model's
# simulations and the data.

for c, at in result.sweep().items():
    print(f"c = {c:g}: not rejected: {', '.join(at.survivors)}")
