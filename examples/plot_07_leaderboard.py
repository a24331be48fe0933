"""
A leaderboard of forty models
=============================

Install: ``pip install "rivals[plot]"``.

Forty language models answered the items of thirty tasks. Many are nearly as good as the first,
and with so many candidates the first is partly lucky. Tasks are the groups: would the leader
lead again on thirty *other* tasks? Ranks then have intervals, and models form tiers.
"""

import numpy as np
import pandas as pd

import rivals

rng = np.random.default_rng(1)
n_models, n_tasks, n_items = 40, 30, 50
skill = np.sort(rng.normal(1.0, 0.5, n_models))[::-1]
talent = 0.25 * rng.normal(size=(n_models, n_tasks))  # of a model for a task
hardness = rng.normal(size=n_tasks * n_items)
task = pd.Series(
    np.repeat([f"task {i + 1}" for i in range(n_tasks)], n_items), name="task"
)

ability = skill[:, None] + talent.repeat(n_items, axis=1)
wrong = rng.uniform(size=ability.shape) > 1.0 / (1.0 + np.exp(hardness - ability))
losses = {
    f"model {i + 1}": rivals.Losses(errors.astype(float), groups=task, left_out=False)
    for i, errors in enumerate(wrong)
}
result = rivals.compare(losses)
print(result)

# %%
# Ranks and tiers
# ---------------
# Which ranks a model may have; the first tier holds the models that are behind no other.

print(result.ranks())

# %%
# The best beside each other
# --------------------------

rivals.plots.plot_differences(result)
