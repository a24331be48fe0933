"""
A first comparison
==================

Install: ``pip install "rivals[plot]"``.

Three recipes forecast the daily sales of twenty-four shops. What is known of each recipe is its
loss, here the absolute error, on every day of a test period. Would the best recipe be the best
again in other shops? ``compare`` needs the losses and the group of each point.
"""

import numpy as np
import pandas as pd

import rivals

rng = np.random.default_rng(4)
shop = pd.Series(np.repeat([f"shop {i}" for i in range(1, 25)], 60), name="shop")
difficulty = rng.gamma(4.0, 2.0, shop.size)  # what is hard about a day is hard for all
own = rng.normal(size=(3, 24)).repeat(60, axis=1)  # what differs between shops

losses = pd.DataFrame(
    {
        "last week": difficulty + 0.6 + 0.5 * own[0],
        "regression": difficulty + 0.12 + 0.5 * own[1],
        "trees": difficulty + 0.5 * own[2] + 0.2 * rng.normal(size=shop.size),
    }
)

# %%
# Compare
# -------
# The table is about one number for each model, its mean loss over shops. P is the probability
# that the best model wins again: in one new shop, and in as many new shops as were observed.

result = rivals.compare(losses, groups=shop)
print(result)

# %%
# The last sentence is a question. These recipes were fitted to other shops beforehand; had
# each shop been left out in turn, ``rivals.Losses(..., left_out=True)`` would say so, and P
# would allow for the training data that left-out shops share.
#
# In each shop
# ------------
# The points are the observed shops. Below them stand the answers for new ones.

result.plot()

# %%
# How many more shops?
# --------------------
# Where the decision is open, ``plan`` says how probably more groups would settle it.

print(result.plan([10, 20, 40, 80]))

# %%
# For a paper
# -----------

print(result.methods())
