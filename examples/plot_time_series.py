"""
A time series: sunspots
=======================

Install: ``pip install "rivals[plot]" statsmodels``.

How well can we forecast the sunspot number five years ahead? Errors of such
forecasts overlap, so those of neighbouring years resemble each other. A hundred and
fifty years then carry less information than a hundred and fifty independent points.
``order="time"`` allows for this.
"""

import matplotlib.pyplot as plt
import numpy as np
from statsmodels.datasets import sunspots

import rivals
from rivals.plots import plot_intervals

table = sunspots.load_pandas().data
year = table["YEAR"].to_numpy()
activity = np.sqrt(table["SUNACTIVITY"].to_numpy())  # the root has an even spread
first = 11  # the first year that has a whole cycle before it
half = (activity.size - first) // 2

# %%
# Four forecasts
# --------------
# Each is a linear regression on earlier years, fitted to the first half of the series
# and judged on the second. Its errors are Gaussian, and it simulates by adding such
# errors to its forecasts.


def regression(*lags):
    columns = [activity[first - lag : activity.size - lag] for lag in lags]
    inputs = np.column_stack([np.ones(activity.size - first), *columns])
    coefficients, *_ = np.linalg.lstsq(inputs[:half], activity[first:][:half])
    sigma = np.std(activity[first:][:half] - inputs[:half] @ coefficients)
    forecast = inputs[half:] @ coefficients
    return forecast, rivals.Candidate(
        loss=lambda y: np.log(sigma) + ((y - forecast) / sigma) ** 2 / 2,
        simulate=lambda n, rng: forecast + sigma * rng.standard_normal(n),
    )


lags = {
    "constant": (),
    "5 and 6 years ago": (5, 6),
    "one cycle ago": (11,),
    "both": (5, 6, 11),
}
forecasts, models = {}, {}
for name, these in lags.items():
    forecasts[name], models[name] = regression(*these)
years, held_out = year[first:][half:], activity[first:][half:]

figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
ax.plot(years, held_out, color="black", linewidth=1.2, label="observed")
ax.plot(years, forecasts["5 and 6 years ago"], "--", label="5 and 6 years ago")
ax.plot(years, forecasts["both"], label="both")
ax.set(xlabel="year", ylabel="root of the sunspot number")
ax.legend(ncols=3, fontsize="small", loc="upper left")
ax.set_ylim(top=17)

# %%
# The verdict
# -----------

result = rivals.compare(models, held_out, c=0.0625, order="time", rng=0)
print(result)

# %%
# The forecast from 5 and 6 years ago is rejected, and so is the constant. Knowing the
# last cycle is nearly as good as knowing all three years.
#
# The notes give the effective sample size. The losses from 5 and 6 years ago are worth
# only about 46 independent ones. Without ``order="time"`` the standard error of
# this model's difference to the best would be too small by more than half:

independent = rivals.compare(models, held_out, c=0.0625, rng=0)
for name in ("5 and 6 years ago", "one cycle ago"):
    print(f"{name}: ± {result.difference[name][1]:.3f} in time,", end=" ")
    print(f"± {independent.difference[name][1]:.3f} if points were independent")

# %%

plot_intervals(result)
