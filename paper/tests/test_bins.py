"""The paper's bound bin by bin, and how far the truth falls."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from rivals.calibration import calibration_curve
from rivals_paper.bins import overconfidence, steepest_fall


def experiments(sharpness, size=4096, seed=0):
    """Stated probabilities whose log odds are too large by a factor, and the truth."""
    rng = np.random.default_rng(seed)
    odds = 1.5 * rng.standard_normal(size)
    truth = (rng.random(size) < 1 / (1 + np.exp(-odds))).astype(float)
    return 1 / (1 + np.exp(-sharpness * odds)), truth


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


def test_isotonic_regression_of_the_lowest_scipy_has_weights():
    assert isotonic_regression([1.0, 0.0], weights=[1, 3]).x == pytest.approx([0.25, 0.25])
