"""Draws the picture of the README: the verdict of the demonstration, and how it depends on c."""

from pathlib import Path

import matplotlib.pyplot as plt

from rivals.cli.demo import C_SWEPT, blackbody_comparison
from rivals.plots import plot_risks, plot_sweep

result = blackbody_comparison()
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
plot_risks(result, ax=left)
left.set_title(
    f"Three laws of radiation, c = {result.c:g}: one is rejected",
    loc="left",
    fontsize="medium",
)
plot_sweep(result.sweep(C_SWEPT), ax=right)
right.set_title(
    "What c does: small c rejects two, large c none", loc="left", fontsize="medium"
)
figure.supxlabel(
    "Left: where a model's risk may lie when the experiment is repeated; ticks at the bottom are empirical risks. "
    "Right: how probably the strongest rival is better.",
    fontsize="medium",
)
figure.savefig(Path(__file__).parents[1] / "docs" / "_static" / "risks.png", dpi=110)
