"""Epistemic distributions for tests: Gaussian candidates whose truth is known in closed form, and
ill-behaved ones.
"""

from __future__ import annotations

import importlib
import os
import signal
import time
from pathlib import Path

import numpy as np

import rivals
from rivals import Candidate, Experiment
from rivals.calibration import ExperimentLosses
from rivals.laws import Beta

SEPARATION = 0.1

# Sizes with which an experiment takes a few milliseconds, under the law that is computed in more
# steps.
SMALL = {
    "n_data": 64,
    "n_truth": 300,
    "c": [0.0625, 1.0],
    "law": Beta(depth=4, n_draws=64),
    "n_simulations": 2,
    "rng": 7,
    "progress": False,
}


def calibrate(*arguments, block_size=None, **settings):
    """`rivals.calibrate` in blocks of so many experiments; users have no need to choose that."""
    module = importlib.import_module("rivals.calibration.calibrate")
    before, module.BLOCK_SIZE = module.BLOCK_SIZE, block_size
    try:
        return rivals.calibrate(*arguments, **settings)
    finally:
        module.BLOCK_SIZE = before


def gaussian(mean):
    return Candidate(
        loss=lambda y: (y - mean) ** 2 / 2, simulate=lambda n, rng: mean + rng.standard_normal(n)
    )


def toy(rng, spread=0.1):
    """True mean ~ N(0, spread²); candidates at ∓ SEPARATION: a is truly better where the true mean
    is negative.
    """
    mean = rng.normal(0, spread)
    return Experiment(
        observe=lambda n, rng: mean + rng.standard_normal(n),
        candidates=(gaussian(-SEPARATION), gaussian(SEPARATION)),
    )


def replicated(rng, spread=0.1, offset=0.1):
    """The same, and every replication has an offset of its own."""
    mean = rng.normal(0, spread)

    def measure(n, rng):
        return mean + rng.normal(0, offset) + rng.standard_normal(n)

    return Experiment(
        observe=measure, candidates=(gaussian(-SEPARATION), gaussian(SEPARATION)), replicate=measure
    )


def refitted(rng):
    """Candidates that are functions of the data."""
    mean = rng.normal(0, 0.1)

    def candidates(data):
        return gaussian(data.mean()), gaussian(np.median(data))

    return Experiment(observe=lambda n, rng: mean + rng.standard_normal(n), candidates=candidates)


def now_and_then(rng):
    """Fails in one experiment of four, always in the same ones."""
    if rng.random() < 0.25:
        raise ArithmeticError("a blow-up of the integration")
    return toy(rng)


def slow(rng):
    """Sleeps for a minute in some experiments."""
    if rng.random() < 0.2:
        time.sleep(60)
    return toy(rng)


def sleeper(rng):
    time.sleep(0.05)
    return toy(rng)


class KillsItsWorker:
    """Kills its process where the first random number is small; once, or always."""

    def __init__(self, folder, *, always=False):
        self.folder, self.always = str(folder), always

    def __call__(self, rng):
        number = rng.random()
        marker = Path(self.folder) / f"{number:.12f}"
        if number < 0.06 and (self.always or not marker.exists()):
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return toy(rng)


N_DATA, N_TRUTH = 100, 1000
CENTRES = np.array([-0.1, 0.1])


class Offsets:
    """Two Gaussians of fixed means judge data of a mean of their own; all experiments of a batch in
    one array.
    """

    def __init__(self, fails=(), short=()):
        self.fails = fails
        self.short = short
        self.asked = []

    def batch(self, indices, rng_of):
        self.asked.append(list(indices))
        if any(index in self.fails for index in indices):
            raise RuntimeError("the device is full")
        normal = np.stack(
            [rng_of(index).standard_normal(1 + N_DATA + N_TRUTH + 4 * N_DATA) for index in indices]
        )
        mean, noise = 0.1 * normal[:, :1], normal[:, 1:]
        data, truth = mean + noise[:, :N_DATA], mean + noise[:, N_DATA : N_DATA + N_TRUTH]
        own = noise[:, N_DATA + N_TRUTH :].reshape(-1, 2, 2, N_DATA)
        losses = [0.5 * (part[:, None, :] - CENTRES[:, None]) ** 2 for part in (data, truth)]
        return [
            ExperimentLosses(
                losses[0][i, :, : N_DATA - (index in self.short)], 0.5 * own[i] ** 2, losses[1][i]
            )
            for i, index in enumerate(indices)
        ]
