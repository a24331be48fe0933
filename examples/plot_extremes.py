"""
Extremes: edges in a photograph
===============================

Install: ``pip install "rivals[plot]" scikit-learn``.

Neighbouring pixels of a photograph mostly have nearly the same brightness, but at an
edge they differ a lot. A few such extremes decide how well a model does. The tail axis
of ``plot_quantiles`` shows them.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats
from sklearn.datasets import load_sample_image

import rivals
from rivals.plots import plot_quantiles
from rivals.read import distribution

image = load_sample_image("flower.jpg").mean(axis=2)
steps = np.diff(image, axis=1)[::4, ::7].ravel()  # between neighbours, far apart
training, held_out = np.random.default_rng(0).permutation(steps)[:4000].reshape(2, -1)

# %%
# Three models of a step in brightness, all symmetric about zero, fitted by maximum
# likelihood:

laws = {
    "Gaussian": stats.norm(scale=training.std()),
    "Laplace": stats.laplace(scale=np.abs(training).mean()),
    "Student": stats.t(*stats.t.fit(training, floc=0)),
}
models = {name: distribution(law) for name, law in laws.items()}
result = rivals.compare(models, held_out, c=0.25, rng=0)
print(result)

# %%
# Read the note at the Gaussian: "do not trust". The tail index of its losses is
# estimated as 1.14, and above 1 a mean need not exist, so that a few points may dominate
# the average. The note also lists the rows of the largest losses, counted from 0. Look
# at them:

rows = np.argsort(result.losses["Gaussian"].observed)[:-6:-1]
print("steps:", np.round(held_out[rows]))
share = result.losses["Gaussian"].observed[rows].sum() / (
    result.empirical_risk["Gaussian"] * held_out.size
)
print(f"five of {held_out.size} points make up {share:.0%} of the sum of all losses")

# %%
# Both pictures show the losses in increasing order, on the data and on the Gaussian's
# own simulations. On the left, the x axis is the cumulative probability Φ. On the right
# it is stretched: the losses between Φ = 0.9 and 0.99 get as much room as the nine
# tenths before them, those between 0.99 and 0.999 as much again. Only there do we see
# that simulated losses end near 10, while one in a hundred of the observed ones is
# larger than that.

figure, (left, right) = plt.subplots(
    1, 2, figsize=(9, 3.8), sharey=True, layout="constrained"
)
plot_quantiles(result, "Gaussian", axis="linear", highest=1.0, title=False, ax=left)
plot_quantiles(result, "Gaussian", axis="tail", title=False, ax=right)

# %%
# Student's law expects such extremes. Its simulations follow the data up to Φ = 0.99.
# Beyond, it expects even larger steps than a photograph can have. Its risk distribution
# is much narrower than those of the other two:

plot_quantiles(result, "Student")
for name in result.ranking:
    print(f"{name}: standard deviation of the risk {result.risk_std[name]:.3f}")
