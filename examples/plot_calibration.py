"""
Calibrate c, and read the curve
===============================

Install: ``pip install "rivals[plot]"``.

Which c is right for a problem? Say what may differ when the experiment is repeated,
simulate many such experiments, and count how often stated probabilities come true. Here
a sample glows after the light is switched off, and we record how the glow decays.
"""

import numpy as np
from scipy.optimize import curve_fit

import rivals
from rivals.plots import plot_calibration, plot_valid_c

rng = np.random.default_rng(0)
t = np.linspace(0.1, 8, 400)
glow = 0.8 * np.exp(-t / 1.5) + 0.25 * np.exp(-t / 6)
training, held_out = glow + 0.03 * rng.standard_normal((2, t.size))

# %%
# Three laws of decay
# -------------------

curves = {
    "exponential": lambda t, a, b: a * np.exp(-t / b),
    "stretched": lambda t, a, b: a * np.exp(-np.sqrt(np.abs(t / b))),
    "hyperbola": lambda t, a, b: a / (1 + t / b),
}


def fitted(curve):
    parameters, _ = curve_fit(curve, t, training, p0=[1.0, 2.0])
    mean = curve(t, *parameters)
    sigma = np.std(training - mean)
    return rivals.Candidate(
        loss=lambda y: np.log(sigma) + ((y - mean) / sigma) ** 2 / 2,
        simulate=lambda n, rng: mean + sigma * rng.standard_normal(n),
    )


models = {name: fitted(curve) for name, curve in curves.items()}

# %%
# What may differ
# ---------------
# We assume that a colleague's detector has another background, a shift of typically 3 %
# of the standard deviation of the signal, and slightly more noise. In each simulated
# experiment a random mixture of the three laws generates the data, so that none of them
# is exactly right.


def calibrate(background):
    omega = rivals.calibration.replications(
        models, held_out, source="mixture", offset=background, noise=0.05
    )
    return rivals.calibrate(
        omega,
        n_data=t.size,
        n_experiments=320,  # use a thousand for a result that you report
        c=[2.0**k for k in range(-10, 3, 2)],
        n_truth=t.size,
        rng=0,
        executor=0,  # one process; leave it out to use all cores
        progress=False,
    )


calibration = calibrate(background=0.03)
print(calibration)

# %%
# Read the curve
# --------------
# On the diagonal, stated probabilities equal observed frequencies. In the red region they
# are too far from ½: the statement is overconfident. This happens at small c. At large c
# every probability is close to ½, and those that lean to one side come true nearly
# always: this is safe, but says little.

plot_calibration(calibration, c=[2**-10, 2**-6, 2**-2, 4.0], bins=8)

# %%
# Errors among the stated winners against c. Green marks the values of c that are valid.

plot_valid_c(calibration)

# %%
# The verdict
# -----------
# ``compare`` takes the calibration in place of c. It uses the best c, and corrects
# probabilities by the curve.

result = rivals.compare(models, held_out, c=calibration, rng=0)
print(result)

# %%
# The hyperbola is rejected. This rests on our assumption about the background. If it
# typically shifted by 5 %, the verdict stays the same:

shifted = calibrate(background=0.05)
print(rivals.compare(models, held_out, c=shifted, rng=0).verdict)
