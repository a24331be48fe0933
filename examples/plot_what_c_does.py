"""
What c does
===========

Install: ``pip install "rivals[plot]"``.

c says how far a replication may move the risk of a model, relative to the mismatch
between its simulations and the data. This example shows one comparison at three values
of c. The data are a simulated spectrum of a black body. The models are Planck's law and
that of Rayleigh and Jeans, which approaches Planck's at long wavelengths.
"""

import matplotlib.pyplot as plt

import rivals
from rivals.plots import plot_risks, plot_sweep
from rivals.testbeds import blackbody

recording = {"wavelengths": (4, 10), "temperature": 4000, "gain": 1.6e3}
training = blackbody.observe(4096, **recording, rng=1)
held_out = blackbody.observe(4096, **recording, rng=2)
models = {
    "Planck": blackbody.fit(training, law="planck"),
    "Rayleigh-Jeans": blackbody.fit(training, law="rayleigh-jeans"),
}
result = rivals.compare(models, held_out, c=2**-5, rng=0)
print(result)

# %%
# One comparison at three values of c
# -----------------------------------
# Neither model simulates data like these: both assume Gaussian noise of one width, but
# the noise of photons is neither. The larger c, the more this mismatch widens both
# distributions. Their centres, the mean losses, stay where they are.

figure, axes = plt.subplots(3, 1, figsize=(6, 6), sharex=True, layout="constrained")
for ax, at in zip(axes, result.sweep([2**-10, 2**-5, 1.0]).comparisons, strict=True):
    plot_risks(at, title=False, ax=ax)
    better = at.probability[0, 1]
    ax.set_title(f"c = {at.c:.2g}: Planck is better with probability {better:.2f}")
    ax.label_outer()

# %%
# Where the verdict changes
# -------------------------
# The law of Rayleigh and Jeans is rejected for c up to 0.05 and kept for larger c. One
# recording cannot tell which c is right. Describe what may differ between replications,
# and :func:`rivals.calibrate` finds c; or report the whole sweep.

print(dict(zip(result.names, result.applied.critical_c, strict=True)))
plot_sweep(result.sweep(c=[2.0**k for k in range(-10, 3)]))

# %%
# Which law
# ---------
# Under law "beta", that of the original paper, c has another scale and also shifts the
# distributions. So c belongs to a law: a value that was found for one says nothing about
# the other.

beta = rivals.compare(models, held_out, law="beta", c=2**-5, rng=0)
for at in (result, beta):
    print(f'law "{at.law}": standard deviation of the risk of Planck\'s law', end=" ")
    print(f"{at.risk_std['Planck']:.3f}")
