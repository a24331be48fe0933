"""`compare` from losses at points against the same law written a second time: pooled variance,
misfit within groups, quadrature.
"""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

import rivals

spec = importlib.util.spec_from_file_location(
    "plain_groups", Path(__file__).with_name("plain_groups.py")
)
plain_groups = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plain_groups)

TOLERANCE = 1e-5


def losses(sizes, seed, tau=0.3, noise=1.0, n_simulations=4):
    """Skewed losses of two models in groups of these sizes, their simulations, and the groups."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(len(sizes)), sizes)
    shared = rng.gamma(2.0, 1.0, group.size)
    gap = 0.2 + tau * rng.standard_normal(len(sizes))
    first = shared + noise * rng.exponential(size=group.size)
    second = shared + noise * rng.exponential(size=group.size) + gap[group]
    simulated = [rng.gamma(2.0, 1.5, (n_simulations, group.size)) for _ in range(2)]
    return (first, second), simulated, group


SIZES = {
    "two": [40, 60],
    "three": [30, 5, 200],
    "eight": [25, 25, 25, 400, 10, 12, 60, 33],
    "one group of one point": [600, 600, 600, 1],
    "forty": list(range(2, 42)),
    "thousands": [3] * 5000,
}


# The residual law of the next group is another one; tests/laws/test_next_group.py has it.
NORMAL = rivals.laws.Groups(residuals=False)
HORIZONS = (1, 7, None, math.inf)


def at_every_horizon(models, group, expected):
    for horizon in HORIZONS:
        new_groups = len(np.unique(group)) if horizon is None else horizon
        result = rivals.compare(models, law=NORMAL, groups=group, new_groups=horizon, rng=0)
        reference = expected(new_groups)
        assert result.probability[0, 1] == pytest.approx(reference, abs=TOLERANCE)
        assert result.over(new_groups)[0, 1] == result.probability[0, 1]


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("tau", [0.0, 0.3])
def test_with_simulations(name, tau):
    observed, simulated, group = losses(SIZES[name], seed=len(name), tau=tau)
    models = {
        key: rivals.Losses(*pair)
        for key, pair in zip("AB", zip(observed, simulated, strict=True), strict=True)
    }
    at_every_horizon(
        models,
        group,
        lambda m: plain_groups.probability(*observed, group, simulated, new_groups=m),
    )


@pytest.mark.parametrize("name", [name for name in SIZES if name != "two"])
@pytest.mark.parametrize("noise", [1.0, 1e-4])
def test_without_simulations(name, noise):
    observed, _, group = losses(SIZES[name], seed=len(name), noise=noise)
    models = dict(zip("AB", observed, strict=True))
    at_every_horizon(
        models, group, lambda m: plain_groups.probability(*observed, group, new_groups=m)
    )
