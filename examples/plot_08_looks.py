"""
Looking while the study goes on
===============================

Install: ``pip install "rivals[plot]"``.

Sites join a study one after the other. Who compares after every site, and stops when a winner
is named, names false winners often. With ``looks="any"`` the comparison may be looked at as
often as one likes.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import rivals

rng = np.random.default_rng(6)
n_sites, n_patients = 40, 30
site = pd.Series(
    np.repeat([f"site {i}" for i in range(n_sites)], n_patients), name="site"
)
base = rng.exponential(size=site.size)
effect = 0.2 + 0.2 * rng.normal(size=n_sites)
losses = {
    "new": rivals.Losses(base, groups=site, left_out=False),
    "old": rivals.Losses(base + effect.repeat(n_patients), groups=site, left_out=False),
}

# %%
# The order of the data must be that of arrival
# ---------------------------------------------
# The band holds at all numbers of sites together. A winner is named where zero is outside and
# P passes the threshold; hollow points are sites after which P alone would have named one.

result = rivals.compare(losses, looks="any")
print(result.conclusion)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
rivals.plots.plot_looks(result, ax=ax)

# %%
# When will a winner be named?
# ----------------------------
# After the first twelve sites nothing was decided. ``plan`` says how probably more sites
# would decide, looks allowed for.

early = {
    name: rivals.Losses(each.observed[:360], groups=site[:360], left_out=False)
    for name, each in losses.items()
}
plan = rivals.compare(early, looks="any").plan([10, 20, 40, 80])
print(plan)
rivals.plots.plot_plan(plan)
