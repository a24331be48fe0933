"""Scenarios for tests: Gaussian candidates whose truth is known in closed form, and ill-behaved
ones."""

from __future__ import annotations

import time

import numpy as np

import rivals
from rivals.testbeds.toys import gaussian

# With these an experiment takes two milliseconds.
SMALL = {"n_data": 100, "n_truth": 1000, "c": [0.01, 0.1, 1.0], "rng": 7, "progress": False}


def shifted(rng, spread=0.3):
    """The true mean varies between problems; a is better where it is negative."""
    mean = rng.normal(0, spread)
    return rivals.Experiment(
        observe=lambda n, rng: mean + rng.standard_normal(n),
        candidates=(gaussian(-0.1), gaussian(0.1)),
    )


def replicated(rng):
    """And every replication has an offset of its own."""
    mean = rng.normal(0, 0.3)

    def measure(n, rng):
        return mean + rng.normal(0, 0.1) + rng.standard_normal(n)

    return rivals.Experiment(measure, (gaussian(-0.1), gaussian(0.1)), replicate=measure)


def now_and_then(rng):
    """Fails in one experiment of four, always in the same ones."""
    if rng.random() < 0.25:
        raise ArithmeticError("a blow-up of the integration")
    return shifted(rng)


def slowly(rng):
    time.sleep(0.01)
    return shifted(rng)


def oscillator(rng, *, order="random"):
    """A damped oscillator, recorded at random times; some simulators return them sorted."""
    frequency = rng.normal(1.0, 0.1)

    def trace(t, f, damping=0.1):
        return np.exp(-damping * t) * np.cos(2 * np.pi * f * t)

    def observe(n, rng):
        t = rng.uniform(0, 5, n)
        t = np.sort(t) if order == "sorted" else t
        return t, trace(t, frequency) + 0.3 * rng.standard_normal(n)

    def model(f):
        def loss(data):
            t, x = data
            return ((x - trace(t, f)) / 0.3) ** 2 / 2

        def simulate(n, rng):
            t = np.sort(rng.uniform(0, 5, n)) if order == "sorted" else rng.uniform(0, 5, n)
            return t, trace(t, f) + 0.3 * rng.standard_normal(n)

        return rivals.Candidate(loss=loss, simulate=simulate)

    return rivals.Experiment(observe, {"slow": model(0.95), "fast": model(1.05)})


def sorted_oscillator(rng):
    return oscillator(rng, order="sorted")
