"""Draws the picture of the README: a verdict that keeps both models, and one that rejects."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import rivals
from rivals.cli.demo import blackbody_comparison
from rivals.plots import plot_risks


def gaussian(width: float) -> rivals.Candidate:
    return rivals.Candidate(
        loss=lambda y: np.log(width) + (y / width) ** 2 / 2,
        simulate=lambda n, rng: width * rng.standard_normal(n),
    )


held_out = np.random.default_rng(0).standard_normal(4000)
models = {"narrow": gaussian(0.9), "right": gaussian(1.0), "wide": gaussian(3.0)}
rejecting = rivals.compare(models, held_out, c=0.25, rng=0)
keeping = blackbody_comparison()

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
plot_risks(keeping, ax=left)
left.set_title(f"Black body radiation, c = {keeping.c:g}: both laws are worth keeping", loc="left", fontsize="medium")
plot_risks(rejecting, ax=right)
right.set_title(f"Three Gaussian models, c = {rejecting.c:g}: one is rejected", loc="left", fontsize="medium")
figure.supxlabel(
    "Each curve: where a model's risk may lie when the experiment is repeated. Ticks at the bottom: empirical risks.",
    fontsize="medium",
)
figure.savefig(Path(__file__).parents[1] / "docs" / "_static" / "risks.png", dpi=110)
