"""
The original law: paths of quantile functions
=============================================

Install: ``pip install "rivals[plot]"``.

Law "beta" is that of the original paper. It draws random quantile functions around the
observed one. Where observed and simulated losses differ, the paths spread. The average
of each path is one draw of the risk.
"""

import matplotlib.pyplot as plt
import numpy as np

import rivals
from rivals.plots import plot_process

rng = np.random.default_rng(0)
y = rng.standard_t(4, 2000)  # heavier tails than the model expects
model = rivals.Candidate(
    loss=lambda y: y**2 / 2,
    simulate=lambda n, rng: rng.standard_normal(n),
)
losses = model.losses(y, rng=1)

# %%
# The process
# -----------
# For a given c, the process has a mean and a standard deviation of the risk that are
# known exactly.

process = rivals.HierarchicalBetaProcess.from_losses(losses, c=0.25)
print(f"risk {process.risk_mean:.3f} ± {process.risk_std:.3f}")
print(f"mean loss {losses.empirical_risk:.3f}")
plot_process(process, n_paths=30)

# %%
# Paths
# -----
# Every path increases, as a quantile function must. ``sample_paths`` returns them on a
# grid, and ``sample_risk`` their averages, without the paths.

phi, paths = process.sample_paths(200, depth=8, rng=0)
assert (np.diff(paths) >= 0).all()
risks = process.sample_risk(4000, rng=0)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
left.plot(phi, paths[:40].T, color="tab:purple", linewidth=0.4)
left.set(xlabel="cumulative probability Φ", ylabel="loss", ylim=(-0.2, 5))
right.hist(risks, bins=60, color="tab:purple", alpha=0.6)
right.axvline(losses.empirical_risk, color="black", label="mean loss")
right.set(xlabel="risk R", ylabel="draws")
right.legend()
