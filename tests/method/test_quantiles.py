"""The quantile function and its integral."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivals import QuantileFunction

SAMPLES = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50)


@given(SAMPLES)
def test_passes_through_the_sorted_samples(samples):
    positions = np.arange(1, len(samples) + 1) / (len(samples) + 1)
    np.testing.assert_allclose(
        QuantileFunction(samples)(positions), np.sort(samples), rtol=1e-9, atol=1e-6
    )


@given(SAMPLES)
def test_is_never_decreasing(samples):
    values = QuantileFunction(samples)(np.linspace(0, 1, 301))
    assert (np.diff(values) >= -1e-9 * np.max(np.abs(values))).all()


@given(SAMPLES)
def test_the_integral_is_that_of_the_lines(samples):
    q = QuantileFunction(samples)
    knots = np.linspace(
        0, 1, len(samples) + 2
    )  # a piecewise linear function: the trapezoid rule on its knots is exact
    assert float(q.integral()) == pytest.approx(np.trapezoid(q(knots), knots), rel=1e-9, abs=1e-6)


def test_extrapolates_in_straight_lines():
    q = QuantileFunction([1.0, 2.0, 4.0])
    assert q([0.0, 1.0]).tolist() == [0.0, 6.0]


def test_integrates_up_to_any_point():
    q = QuantileFunction([5.0, 1.0, 3.0])
    fine = np.linspace(0, 0.37, 20_001)
    assert float(q.integral(0.37)) == pytest.approx(np.trapezoid(q(fine), fine), rel=1e-7)


def test_the_mean_of_a_known_law():
    """∫q of n exponential losses: the sample mean, up to the extrapolated ends, which weigh 1/n
    each.
    """
    losses = np.random.default_rng(0).exponential(size=4000)
    q = QuantileFunction(losses)
    assert float(q.integral()) == pytest.approx(losses.mean(), abs=1.5 * losses.max() / 4000)


@pytest.mark.parametrize("samples", [[], [1.0], [[1.0, 2.0]], [1.0, np.nan], [1.0, np.inf], 3.0])
def test_refuses_what_has_no_quantile_function(samples):
    with pytest.raises(ValueError, match="samples: "):
        QuantileFunction(samples)


def test_an_outlier_at_one_end_spoils_nothing_elsewhere():
    """The antiderivative of −q, turned about, is that of q, whatever stands at the ends."""
    values = np.random.default_rng(0).normal(size=1001)
    values[0] = -1e12
    phi = np.linspace(0.1, 0.9, 33)
    there = np.diff(QuantileFunction(values).antiderivative(phi))
    back = np.diff(QuantileFunction(-values).antiderivative(1 - phi))
    np.testing.assert_allclose(there, back, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("phi", [-0.1, 1.1, np.nan])
def test_refuses_positions_outside(phi):
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        QuantileFunction([1.0, 2.0])(phi)
