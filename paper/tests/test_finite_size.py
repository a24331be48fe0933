"""Finite-size: what a model finds on recordings of its own, and the records that ship with the package."""

import json

import numpy as np
import pytest

from rivals.testbeds.pyloric import ACCURATE, LABELS, observe
from rivals.testbeds.pyloric.recording import voltage
from rivals_paper import finite_size, registry
from rivals_paper.densities import density
from rivals_paper.output import CORRECTED, VARIANTS, Task


def test_own_recordings_leave_noise_and_rounding_alone():
    """Residuals of a cell on its own recording, with its input: the moments of noise and a uniform rounding error."""
    n = 2000
    recording = observe("LP 4", n, rounding="round", variant="prinz2004", solver=ACCURATE, rng=1)
    residual = recording.voltage - voltage(
        "LP 4", recording.times, recording.current, variant="prinz2004", solver=ACCURATE
    )
    variance = finite_size.SIGMA_ROUNDED**2
    assert variance == pytest.approx(4 + 1 / 12)
    assert abs(residual.mean()) < 4 * np.sqrt(variance / n)
    assert abs(np.mean(residual**2) - variance) < 4 * np.sqrt(2 / n) * variance


def test_own_risks_narrow_with_the_square_root_of_the_length():
    risks = np.array([finite_size.own_risks(np.random.default_rng([2, i])) for i in range(40)])
    assert risks.shape == (40, 4)
    entropy = 0.5 * np.log(2 * np.pi * np.e * finite_size.SIGMA_ROUNDED**2)
    # The loss is half a chi-square: variance ½ per point, a little less by the rounding.
    error = np.sqrt(0.5 / np.array(finite_size.SIMULATED_SIZES))
    assert (abs(risks.mean(axis=0) - entropy) < 4 * error / np.sqrt(40)).all()
    assert risks.std(axis=0, ddof=1) == pytest.approx(error, rel=4 / np.sqrt(2 * 39))


@pytest.mark.parametrize("variant", VARIANTS)
def test_committed_simulations_narrow(variant):
    by_size = finite_size._committed(variant)
    assert list(by_size) == list(finite_size.SIMULATED_SIZES)
    for label in LABELS:
        assert all(np.isfinite(by_label[label]).all() for by_label in by_size.values())
        assert all(by_size[size][label].size == 400 for size in finite_size.SIZES)
        spreads = [by_label[label].std(ddof=1) for by_label in by_size.values()]
        assert spreads == sorted(spreads, reverse=True)
        # With the length grown a hundredfold: less, because of the correlation of data as published, than to a tenth.
        assert spreads[2] < 0.5 * spreads[0]


def test_committed_corrected_simulations_follow_their_law():
    entropy = 0.5 * np.log(2 * np.pi * np.e * finite_size.SIGMA_ROUNDED**2)
    for size, by_label in finite_size._committed(CORRECTED).items():
        error = np.sqrt(0.5 / size)
        assert abs(by_label["C"].mean() - entropy) < 4 * error / 20
        assert by_label["C"].std() == pytest.approx(error, rel=4 / np.sqrt(800))


def test_density_of_a_long_tail_is_that_of_its_middle():
    """A few far values must not blur the rest: the height at the mode stays that of the normal law."""
    sample = np.random.default_rng(0).normal(size=4000)
    tailed = np.concatenate([sample, np.full(40, 300.0)])
    points = np.array([0.0])
    normal = 1 / np.sqrt(2 * np.pi)
    assert density(sample, points)[0] == pytest.approx(normal, rel=0.1)
    assert density(tailed, points, long_tailed=True)[0] == pytest.approx(normal, rel=0.1)
    assert density(tailed, points)[0] < 0.5 * normal


@pytest.mark.slow
def test_figure_is_written(tmp_path):
    content = registry.reproduce(registry.find("finite-size"), Task(tmp_path))
    assert json.loads((tmp_path / "finite-size.json").read_text(encoding="utf-8")) == content
    assert (tmp_path / "finite-size.png").stat().st_size > 10_000
    assert content["settings"]["simulations"][CORRECTED] == dict.fromkeys(map(str, finite_size.SIMULATED_SIZES), 400)
