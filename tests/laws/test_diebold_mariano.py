"""`order="time"` and the test of Diebold and Mariano, as docs/faq.md has it: one statistic, and as
c goes to zero one probability; with a misfit, another question.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.signal import lfilter

import rivals
from rivals.core.sampling_error import MeanErrors


def squared_errors(rng, scale, size):
    """Of forecasts whose errors have an autocorrelation of 0.6, their squares of 0.36."""
    return (scale * lfilter([1.0], [1.0, -0.6], rng.standard_normal(size))) ** 2 / 2


def problem(n, seed, scale=1.1):
    rng = np.random.default_rng(seed)
    return {
        "A": (squared_errors(rng, 1.0, n), squared_errors(rng, 0.9, (16, n))),
        "B": (squared_errors(rng, scale, n), squared_errors(rng, 0.9, (16, n))),
    }


def newey_west(difference, lags):
    """Standard error of the mean of a series."""
    n = difference.size
    d = difference - difference.mean()
    weights = 1 - np.arange(1, lags + 1) / (lags + 1)
    covariances = [d[k:] @ d[:-k] / n for k in range(1, lags + 1)]
    return np.sqrt((d @ d / n + 2 * weights @ covariances) / n)


@pytest.mark.parametrize("seed", range(5))
def test_without_c_the_probability_is_that_of_the_statistic(seed):
    models = problem(300, seed)
    result = rivals.compare(models, order="time", c=1e-12, rng=0)
    best, other = result.ranking
    difference, error = result.difference[other]
    losses = np.array([models[name][0] for name in result.names])
    degrees = MeanErrors.of(losses, order="time").degrees
    expected = stats.t.cdf(difference / error, degrees)
    assert result.pairs[best, other] == pytest.approx(expected, abs=1e-6)
    # Student's law is that of a series worth fewer points, never more confident than the normal.
    assert result.pairs[best, other] <= stats.norm.cdf(difference / error)


def test_the_error_is_that_of_newey_and_west():
    """In the mean over 40 series: with 40 lags of 4000 points each error is known to about
    √(4/3 · 40/4000)/2 = 0.06 of itself, the mean of 40 to 0.01; Bartlett's weights are too small by
    about 1 %.
    """
    ratios = []
    for seed in range(40):
        models = problem(4000, seed)
        difference = models["B"][0] - models["A"][0]
        result = rivals.compare(models, order="time", c=1e-12, rng=0)
        ratios.append(result.difference[result.ranking[1]][1] / newey_west(difference, 40))
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.05)
    # Without the order of points the error is too small by √((1 + 0.36)/(1 − 0.36)) = 1.46.
    alone = rivals.compare(models, c=1e-12, rng=0)
    assert ratios[-1] > 1.2 * alone.difference[alone.ranking[1]][1] / newey_west(difference, 40)


def test_more_points_make_the_statistic_larger_but_the_models_no_better():
    """The mismatch between data and simulations stays, and with it the doubt."""
    statistics = []
    probabilities = []
    for n in (1000, 64_000):
        result = rivals.compare(problem(n, seed=1), order="time", rng=0)
        difference, error = result.difference["B"]
        statistics.append(difference / error)
        probabilities.append(result.pairs["A", "B"])
    assert statistics[1] > 4 * statistics[0] > 4
    assert max(probabilities) < 0.95
