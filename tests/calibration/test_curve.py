"""The curve, the paper's bound, and how far the truth falls."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from rivals.calibration._correction import MostCautious, fit_correction
from rivals.calibration._curve import (
    calibration_curve,
    overconfidence,
    steepest_fall,
    wilson_interval,
)


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


def test_honest_probabilities_keep_the_bound_and_sharper_ones_break_it():
    kept = [overconfidence(calibration_curve(*experiments(1.0, seed=k))).broken for k in range(40)]
    # Broken by chance, beyond 0.05 and 5 % in all bins together: seldom.
    assert np.sum(np.array(kept) > 0) <= 4
    assert overconfidence(calibration_curve(*experiments(0.5))).broken == 0
    assert overconfidence(calibration_curve(*experiments(3.0))).broken > 4


def test_the_bound_is_symmetric_in_the_models():
    probability, truth = experiments(2.0)
    one = overconfidence(calibration_curve(probability, truth))
    other = overconfidence(calibration_curve(1 - probability, 1 - truth))
    assert one.broken == other.broken


def test_a_curve_that_rises_does_not_fall():
    assert steepest_fall(calibration_curve(*experiments(1.0))) < 0.05
    probability, truth = experiments(1.0)
    assert steepest_fall(calibration_curve(probability, 1 - truth)) > 0.3


def test_wilson_covers():
    rng = np.random.default_rng(0)
    hits = rng.binomial(64, 0.9, size=4000)
    low, high = wilson_interval(hits / 64, np.full(4000, 64), 0.95)
    covered = np.mean((low <= 0.9) & (high >= 0.9))
    assert 0.92 < covered < 0.98


def test_the_correction_undoes_what_was_too_sharp():
    for sharpness in (0.5, 1.0, 2.0):
        found = fit_correction(*experiments(sharpness))
        # The slope is known to about 4 % from 4096 experiments.
        assert found.slope == pytest.approx(1 / sharpness, rel=0.2)


def test_the_correction_is_symmetric_and_half_at_half():
    correct = MostCautious((fit_correction(*experiments(2.0)), fit_correction(*experiments(1.0))))
    probability = np.linspace(0.0, 1.0, 21)
    assert correct(probability) + correct(1 - probability) == pytest.approx(np.ones(21))
    assert correct(np.array([0.5])) == 0.5
    assert np.all(np.diff(correct(probability)) >= 0)
    assert np.array_equal(correct(probability), correct.corrections[0](probability)), (
        "the more cautious one counts"
    )


def test_isotonic_regression_of_the_lowest_scipy_has_weights():
    assert isotonic_regression([1.0, 0.0], weights=[1, 3]).x == pytest.approx([0.25, 0.25])
