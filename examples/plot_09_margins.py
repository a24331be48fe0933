"""
A difference that is too small to matter
========================================

Install: ``pip install "rivals[plot]"``.

The cheap model is a little worse than the expensive one. Is it worse by more than what matters?
A margin makes three answers possible: rejected, equivalent, open.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import rivals

rng = np.random.default_rng(3)
n_plants, n_days = 30, 50
plant = pd.Series(
    np.repeat([f"plant {i}" for i in range(n_plants)], n_days), name="plant"
)
base = 5.0 + rng.gamma(2.0, 1.0, plant.size)


def model(worse, spread):
    """So much worse than the expensive model on average, and so differently between plants."""
    between = spread * rng.normal(size=n_plants).repeat(n_days)
    within = 0.1 * rng.normal(size=plant.size)
    return rivals.Losses(
        base + worse + between + within, groups=plant, left_out=False, unit="kW"
    )


models = {
    "expensive": model(0.0, 0.0),
    "cheap": model(0.04, 0.05),
    "simple": model(0.15, 0.3),
    "yesterday": model(0.8, 0.4),
}

# %%
# Without a margin
# ----------------
# The cheap model is rejected: its difference is small, but it would be found again.

print(rivals.compare(models).conclusion)

# %%
# With a margin of 0.1 kW
# -----------------------
# It was fixed before the study: smaller differences are not worth the price.

result = rivals.compare(models, margin=0.1)
print(result)
print(result.equivalence())

# %%

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
rivals.plots.plot_differences(result, ax=ax)
