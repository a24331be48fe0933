"""
Calibrate c with a simulator
============================

Install: ``pip install "rivals[plot]"``.

Does a sensor answer in proportion to a voltage, or does it saturate a little? There is one data
set and no group, but one knows what would differ if the measurement were repeated: another sensor
has another gain. Simulated experiments, of which the truth is known, then say which sensitivity c
can be trusted.
"""

import numpy as np

import rivals
from rivals.scenarios import Scenario, gain, noise, normal, simulator, uniform

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
# A sensor with an unknown exponent, then two blocks: a gain, drawn anew for each recording, and
# noise. The answer is column 1.


def sensor(n, rng, exponent):
    voltage = rng.uniform(0.0, 2.0, n)
    return np.column_stack([voltage, voltage**exponent])


def scenario(spread):
    return Scenario(
        candidates,
        simulator(sensor, exponent=uniform(0.8, 1.1)),
        [gain(normal(1.0, spread)), noise(0.1)],
        new="replication",
        signal=1,
    )


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

rivals.plots.plot_calibration(calibration, bins=8)

# %%
# The measurement, judged by the calibrated c
# -------------------------------------------
# The smallest c that is kept in both scenarios is used. The decision says up to which c it holds.

rng = np.random.default_rng(1)
data = sensor(300, rng, 0.86) + [0.0, 0.1] * rng.standard_normal((300, 2))
models = candidates(data)
print(rivals.compare(models, data, c=calibration, rng=0))
