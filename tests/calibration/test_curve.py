"""The calibration curve, and the interval of each bin."""

from __future__ import annotations

import numpy as np
import pytest

from rivals.calibration._curve import calibration_curve, wilson_interval


def experiments(sharpness, size=4096, seed=0):
    """Stated probabilities whose log odds are too large by a factor, and the truth."""
    rng = np.random.default_rng(seed)
    odds = 1.5 * rng.standard_normal(size)
    truth = (rng.random(size) < 1 / (1 + np.exp(-odds))).astype(float)
    return 1 / (1 + np.exp(-sharpness * odds)), truth


def test_bins_hold_equally_many_experiments_and_leave_out_the_undecided():
    probability, truth = experiments(1.0, size=1000)
    truth[::10] = np.nan
    curve = calibration_curve(probability, truth, bins=9)
    assert curve.counts.tolist() == [100] * 9
    assert np.all(np.diff(curve.predicted) > 0)
    known = ~np.isnan(truth)
    assert np.average(curve.observed, weights=curve.counts) == pytest.approx(truth[known].mean())


def test_wilson_covers():
    rng = np.random.default_rng(0)
    hits = rng.binomial(64, 0.9, size=4000)
    low, high = wilson_interval(hits / 64, np.full(4000, 64), 0.95)
    covered = np.mean((low <= 0.9) & (high >= 0.9))
    assert 0.92 < covered < 0.98
