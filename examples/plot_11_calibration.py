"""
Calibrate c with a simulator
============================

Install: ``pip install "rivals[plot]"``.

Does a sensor answer in proportion to a voltage, or does it saturate a little? There is one data
set and no group, but one knows what would differ if the measurement were repeated: another sensor
has another gain. Simulated experiments, of which the truth is known, then say which sensitivity c
can be trusted.
"""

import matplotlib.pyplot as plt
import numpy as np

import rivals

# %%
# Two models, fitted to each data set
# -----------------------------------
# Each has a gain and an error; they differ in the exponent. A data set has two columns, voltage
# and answer.


def power_law(exponent, data):
    voltage, answer = data.T
    gain = answer @ voltage**exponent / (voltage**exponent @ voltage**exponent)
    width = np.std(answer - gain * voltage**exponent)

    def loss(data):
        errors = data[:, 1] - gain * data[:, 0] ** exponent
        return np.log(width) + 0.5 * (errors / width) ** 2

    def simulate(n, rng):
        voltage = rng.uniform(0.0, 2.0, n)
        answer = gain * voltage**exponent + width * rng.standard_normal(n)
        return np.column_stack([voltage, answer])

    return rivals.Candidate(loss=loss, simulate=simulate)


def candidates(data):
    return {"proportional": power_law(1.0, data), "saturating": power_law(0.9, data)}


# %%
# Two scenarios: what may vary between measurements
# -------------------------------------------------
# ``observe`` makes the observed data, ``replicate`` those of a measurement with another sensor.


def measure(n, exponent, gain, rng):
    voltage = rng.uniform(0.0, 2.0, n)
    return np.column_stack(
        [voltage, gain * voltage**exponent + 0.1 * rng.standard_normal(n)]
    )


def scenario(spread):
    def omega(rng):
        exponent = rng.uniform(0.8, 1.1)
        gain = 1.0 + spread * rng.standard_normal()
        return rivals.Experiment(
            observe=lambda n, rng: measure(n, exponent, gain, rng),
            candidates=candidates,
            replicate=lambda n, rng: measure(
                n, exponent, 1.0 + spread * rng.standard_normal(), rng
            ),
        )

    return omega


calibration = rivals.calibrate(
    {"gains within 2 %": scenario(0.02), "gains within 3 %": scenario(0.03)},
    n_data=300,
    n_experiments=512,
    n_truth=2**12,
    c=[2.0**octave for octave in range(-8, 3, 2)],
    rng=0,
)
print(calibration)

# %%
# Curves
# ------
# Where a curve is in the red, P is too sure.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.6), layout="constrained")
rivals.plots.plot_calibration(calibration, bins=8, ax=left)
rivals.plots.plot_valid_c(calibration, bins=8, ax=right)

# %%
# The measurement, judged by the calibrated c
# -------------------------------------------
# All c but the largest name winners that fail rarely enough. By default the largest of them is
# taken, which is cautious; the smallest names the most winners.

data = measure(300, 0.86, 1.0, np.random.default_rng(1))
models = candidates(data)
print(rivals.compare(models, data, c=calibration, rng=0))

# %%

c = calibration.choose_c(prefer="informative")
print(rivals.compare(models, data, c=c, rng=0))
