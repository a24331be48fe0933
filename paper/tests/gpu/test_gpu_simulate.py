"""On a GPU: the same traces as on the processor, and noise of the right law.

Skipped, with the reason, where there is none.
"""

from __future__ import annotations

import numpy as np
import pytest

from rivals_paper import pyloric
from rivals_paper.gpu import simulate as gpu
from rivals_paper.noise import ColouredNoise, within_bins


@pytest.fixture(scope="module")
def cupy():
    try:
        return gpu.cupy()
    except (ImportError, RuntimeError) as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("variant", ["published", "prinz2004"])
def test_the_first_100_ms_are_those_of_the_processor(cupy, variant):
    cells, times = ("LP 1", "LP 2", "LP 3", "LP 4", "LP 5"), np.arange(1.0, 101.0)
    solver = pyloric.Solver("fixed-step")
    circuits = [pyloric.pair(cell, variant) for cell in cells]
    noises = [ColouredNoise(30.0, 0.03, 100.0, rng=seed) for seed in range(5)]
    states = np.array([pyloric.settled(circuit, 200.0, solver=solver) for circuit in circuits])
    expected = [
        pyloric.simulate(circuit, times, current=noise, solver=solver, initial=state)
        for circuit, noise, state in zip(circuits, noises, states, strict=True)
    ]
    impulses = [
        gpu.Impulses(each.tau, within_bins(each.times, each.tau, each.first), each.weights)
        for each in noises
    ]
    ours = gpu.simulate_many(
        circuits, times, gpu.given_noise(impulses), solver=solver, initial=cupy.asarray(states)
    ).get()
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-6)


def test_noise_made_on_the_device_has_the_autocovariance_of_the_law(cupy):
    n, tau, sigma = 4096, 10.0, 2.0
    currents = gpu.coloured_noise(np.full(n, tau), np.full(n, sigma), 200.0, list(range(n)))
    middle = currents.coefficients.get().reshape(n, -1, 16)[:, :20, 0]
    for lag in range(4):
        products = np.mean(middle[:, : 20 - lag] * middle[:, lag:], axis=1)
        # Experiments are independent: the mean over them has this standard error.
        error = np.std(products) / np.sqrt(n)
        assert abs(products.mean() - sigma**2 * np.exp(-(lag**2) / 2)) < 4 * error


def test_the_same_seed_makes_the_same_noise_whatever_stands_beside_it(cupy):
    alone = gpu.coloured_noise(np.array([10.0]), np.array([1.0]), 100.0, [7]).coefficients.get()
    beside = gpu.coloured_noise(np.array([3.0, 10.0]), np.array([2.0, 1.0]), 100.0, [1, 7])
    first = int(beside.first_piece.get()[1])
    count = int(beside.n_pieces.get()[1])
    np.testing.assert_array_equal(alone[:count], beside.coefficients.get()[first : first + count])
