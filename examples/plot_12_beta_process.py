"""
The paper's process: paths of quantile functions
================================================

Install: ``pip install "rivals[plot]"``.

René and Longtin (2025) draw random quantile functions of the loss about the observed one. Where
observed and simulated losses differ, the paths spread. The mean of each path is one draw of the
risk. ``method="beta"`` compares models by it, and ``method="paper"`` by the paper's own algorithm.
"""

import matplotlib.pyplot as plt
import numpy as np

import rivals

rng = np.random.default_rng(0)
y = rng.standard_t(4, 2000)  # heavier tails than the models expect


def gaussian(width):
    return rivals.Candidate(
        loss=lambda y: 0.5 * (y / width) ** 2 + np.log(width),
        simulate=lambda n, rng: width * rng.standard_normal(n),
    )


models = {"narrow": gaussian(1.0), "fitted": gaussian(np.std(y)), "wide": gaussian(2.5)}

# %%
# The process of one model
# ------------------------
# The misfit between the curves on the data and on simulations is where paths spread; the axis
# is stretched towards the largest losses.

losses = models["narrow"].losses(y, rng=1)
process = rivals.HierarchicalBetaProcess.from_losses(losses, c=0.25)
print(
    f"risk {process.risk_mean:.3f} ± {process.risk_std:.3f}, mean loss {losses.observed.mean():.3f}"
)
rivals.plots.plot_quantiles(process, n_paths=30)

# %%
# The comparison
# --------------

result = rivals.compare(models, y, method="beta", c=0.25, rng=0)
print(result)
figure, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
rivals.plots.plot_risks(result, ax=ax)

# %%
# In the paper's own words
# ------------------------

paper = rivals.compare(models, y, method="paper", rng=0)
print(paper.methods())
