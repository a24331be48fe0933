"""
Calibrate c with a simulator
============================

Install: ``pip install "rivals[plot]"``.

A sensor answers nearly in proportion to a voltage. Is it a line, or does it bend? There is one
data set and no group, but one knows what would differ if the measurement were repeated: another
sensor has another gain. Simulated experiments, of which the truth is known, then say which
sensitivity c can be trusted.
"""

import matplotlib.pyplot as plt
import numpy as np

import rivals

# %%
# Two models, fitted to each data set
# -----------------------------------
# A data set has two columns, voltage and answer.


def polynomial(degree, data):
    fitted = np.polynomial.Polynomial.fit(*data.T, degree)
    width = np.std(data[:, 1] - fitted(data[:, 0]))

    def loss(data):
        return np.log(width) + 0.5 * ((data[:, 1] - fitted(data[:, 0])) / width) ** 2

    def simulate(n, rng):
        voltage = rng.uniform(0.0, 2.0, n)
        return np.column_stack(
            [voltage, fitted(voltage) + width * rng.standard_normal(n)]
        )

    return rivals.Candidate(loss=loss, simulate=simulate)


def candidates(data):
    return {"line": polynomial(1, data), "bent": polynomial(2, data)}


# %%
# Two scenarios: what may vary between measurements
# -------------------------------------------------
# ``observe`` makes the data at hand, ``replicate`` those of a measurement with another sensor.


def measure(n, bend, gain, rng):
    voltage = rng.uniform(0.0, 2.0, n)
    answer = gain * (voltage - bend * voltage**2) + 0.1 * rng.standard_normal(n)
    return np.column_stack([voltage, answer])


def scenario(spread):
    def omega(rng):
        bend = rng.uniform(0.0, 0.05)
        gain = 1.0 + spread * rng.standard_normal()
        return rivals.Experiment(
            observe=lambda n, rng: measure(n, bend, gain, rng),
            candidates=candidates,
            replicate=lambda n, rng: measure(
                n, bend, 1.0 + spread * rng.standard_normal(), rng
            ),
        )

    return omega


calibration = rivals.calibrate(
    {"gains within 2 %": scenario(0.02), "gains within 5 %": scenario(0.05)},
    n_data=300,
    n_experiments=200,
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

data = measure(300, 0.04, 1.0, np.random.default_rng(1))
print(rivals.compare(candidates(data), data, c=calibration, rng=0))
