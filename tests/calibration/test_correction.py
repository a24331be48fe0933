"""Probabilities read through the curve: the laws of the correction, and what it does to verdicts on
fresh problems.
"""

from functools import partial

import numpy as np
import pytest
from omegas import replicated
from scipy.special import expit, logit, ndtr, xlogy

import rivals
from rivals import Candidate, Experiment
from rivals.calibration.correction import SUREST, Correction, fit_correction

GRID = np.linspace(0.0, 1.0, 1001)


def outcomes(n, seed=0, sharpen=1.0):
    """Truth drawn with Φ(u), stated Φ(sharpen u)."""
    rng = np.random.default_rng(seed)
    u = rng.normal(0, 1.5, n)
    return ndtr(sharpen * u), (rng.random(n) < ndtr(u)).astype(float)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", [64, 300, 3000])
@pytest.mark.parametrize("sharpen", [-1.0, 0.3, 1.0, 5.0])
def test_laws_of_the_correction(n, seed, sharpen):
    """Symmetric, ½ at ½, rising, never certain; no other temperature makes the truth likelier."""
    probability, truth = outcomes(n, seed, sharpen)
    correction = fit_correction(probability, truth)
    corrected = correction(GRID)
    np.testing.assert_allclose(corrected + correction(1.0 - GRID), 1.0, atol=1e-12)
    assert correction(np.array(0.5)) == 0.5
    assert (np.diff(corrected) >= -1e-12).all()
    assert corrected.max() < 1.0
    # Never surer than of the surest B that was seen.
    assert corrected.max() == pytest.approx(
        correction(np.maximum(probability, 1 - probability)).max(), abs=1e-12
    )

    def likelihood(slope):
        p = Correction(slope, correction.surest)(probability)
        # The undecided experiment, of average odds, is one of them.
        odds = np.mean(logit(np.clip(np.maximum(probability, 1 - probability), 0.5, SUREST)))
        return np.sum(xlogy(truth, p) + xlogy(1 - truth, 1 - p)) + 0.5 * np.log(
            expit(slope * odds) * expit(-slope * odds)
        )

    best = likelihood(correction.slope)
    assert all(likelihood(correction.slope + step) <= best for step in (0.01, 0.1, 1.0))
    assert all(likelihood(max(correction.slope - step, 0.0)) <= best for step in (0.01, 0.1))


def test_the_order_of_pairs_does_not_matter():
    probability, truth = outcomes(500)
    turned = np.arange(500) % 3 == 0
    one = fit_correction(probability, truth)
    other = fit_correction(
        np.where(turned, 1 - probability, probability), np.where(turned, 1 - truth, truth)
    )
    np.testing.assert_allclose(one(GRID), other(GRID), atol=1e-12)


@pytest.mark.parametrize("slope", [0.2, 0.5, 1.0, 2.0])
def test_it_recovers_the_temperature(slope):
    """40 000 experiments whose odds are wrong by one factor: the factor to three standard errors,
    about 0.02 each.
    """
    rng = np.random.default_rng(0)
    odds = rng.normal(0, 3.0, 40_000)
    truth = rng.random(odds.size) < expit(slope * odds)
    assert fit_correction(expit(odds), truth.astype(float)).slope == pytest.approx(slope, rel=0.06)


def test_three_wins_of_three_are_no_certainty():
    def at(n, stated=0.9):
        return float(fit_correction(np.full(n, stated), np.ones(n))(np.array(stated)))

    assert at(3) == pytest.approx(3.5 / 4, abs=1e-6)
    assert at(100) == pytest.approx(100.5 / 101, abs=1e-6)


def test_reversed_probabilities_are_worth_nothing():
    np.testing.assert_array_equal(fit_correction(*outcomes(3000, sharpen=-1.0))(GRID), 0.5)


def verdicts(corrected, truth, threshold=0.95):
    """Part stated, and how often the stated winner loses."""
    stated = (corrected > threshold) | (corrected < 1 - threshold)
    wins = np.where(corrected > 0.5, truth, 1 - truth)
    return stated.mean(), 1 - wins[stated].mean() if stated.any() else np.nan


STUDY = {
    "n_data": 200,
    "n_truth": 1000,
    "n_simulations": 2,
    "law": "transport",
    "executor": 0,
    "progress": False,
}


def test_stated_winners_lose_as_often_as_they_may():
    """B of sampling error alone is wrong too often in fresh replications; corrected, on new
    problems, no more than 5 %.
    """
    study = {**STUDY, "c": [1e-6], "n_experiments": 800}
    omega = partial(replicated, spread=0.25, offset=0.12)
    calibration = rivals.calibrate(omega, rng=1, **study)
    fresh = rivals.calibrate(omega, rng=2, **study).records
    raw_stated, raw_error = verdicts(fresh["probability"], fresh["truth"])
    stated, error = verdicts(calibration.correct(fresh["probability"], 1e-6), fresh["truth"])
    assert raw_stated > 0.4
    assert raw_error > 0.1
    assert stated > 0.1
    assert error < 0.05 + 2 * np.sqrt(0.05 * 0.95 / (stated * 800))


def known(rng, tau=0.2, far=20.0):
    """Losses ± y, simulations at a distance W ≈ `far`: B as of a fresh replication, at one c.

    That c is 2τ²/far². The offset of either replication has variance τ², so that the true mean of a
    fresh one is N(ȳ, 2τ² + 1/n) given the data, for problems that vary much more than that.
    R_b − R_a = 2y has variance 4 (2τ² + 1/n); the law has 2 c W² + 4/n.
    """
    mean = rng.normal(0, 2.0)

    def measure(n, rng):
        return mean + rng.normal(0, tau) + rng.standard_normal(n)

    def linear(sign):
        return Candidate(
            loss=lambda y: sign * y, simulate=lambda n, rng: far + rng.standard_normal(n)
        )

    return Experiment(observe=measure, candidates=(linear(1.0), linear(-1.0)), replicate=measure)


def test_a_law_that_is_calibrated_by_construction():
    exact = 4 * 0.2**2 / 20.0**2
    calibration = rivals.calibrate(
        known,
        c=[exact * 4.0**k for k in (-3, -2, -1, 0, 1, 2, 3)],
        n_experiments=1500,
        rng=0,
        **{**STUDY, "n_data": 100},
    )
    records = calibration.records[3::7]
    assert np.allclose(records["c"], exact)
    # The forecast is the truth: the Brier score is that of the forecast itself, E B (1 − B), within
    # 4 standard errors.
    spread = records["probability"] * (1 - records["probability"])
    errors = (records["probability"] - records["truth"]) ** 2
    assert np.mean(errors - spread) == pytest.approx(
        0.0, abs=4 * np.std(errors - spread) / np.sqrt(1500)
    )
    assert exact in calibration.validity().for_all
    assert exact / 4.1 < calibration.choose_c(valid_only=False) < 4.1 * exact
    assert calibration.to_dict()["grid_problem"] is None
    # Too small a c: wrong too often among the stated; the curve mends that.
    smallest = calibration.records[0::7]["probability"]
    assert calibration.overconfidence(calibration.c[0]) > calibration.overconfidence(exact)
    corrected = calibration.correct(np.array([0.9, 0.99]), calibration.c[0])
    assert (corrected < [0.9, 0.99]).all()
    assert np.ptp(smallest) > 0.99


def test_a_fixed_problem_has_a_flat_curve():
    """A fresh replication of one fixed problem does not depend on the data at hand: B means
    nothing, and nothing is stated.
    """

    def fixed(rng):
        return replicated(rng, spread=0.0, offset=0.2)

    calibration = rivals.calibrate(fixed, c=[1e-6], n_experiments=600, rng=0, **STUDY)
    corrected = calibration.correct(calibration.records["probability"], 1e-6)
    assert np.mean(abs(corrected - 0.5)) < 0.1
    assert np.mean(abs(corrected - 0.5) > 0.45) < 0.01
    assert np.mean(abs(calibration.records["probability"] - 0.5) > 0.45) > 0.5


def test_the_default_grid_holds_the_best_c():
    def omega(rng):
        return replicated(rng, offset=0.05)

    calibration = rivals.calibrate(omega, n_experiments=300, rng=0, **STUDY)
    assert calibration.to_dict()["grid_problem"] is None
