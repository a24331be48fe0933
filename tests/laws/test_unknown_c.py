"""One data set: P over what c has been on real data sets."""

import numpy as np
import pytest
from scipy import special, stats

import rivals
from problems import problem
from rivals._core.setting import CalibratedC, Setting
from rivals._result.track_record import one_data_set
from rivals.laws.transport import Transport, over_c


def test_it_is_the_mean_over_a_lognormal_c():
    """97 points against 20 000, of a prior as wide as that of real data."""
    centre, sampling, misfit = np.array([0.2, -0.1]), np.array([0.01, 0.02]), np.array([0.3, 2.0])
    law = over_c(centre, sampling, misfit, 0.2, 4.0)
    c = 0.2 * np.exp(4.0 * stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000))
    for value in (-0.5, 0.0, 0.3):
        std = np.sqrt(sampling[:, None] + misfit[:, None] * c)
        expected = special.ndtr((value - centre[:, None]) / std).mean(axis=1)
        np.testing.assert_allclose(law.below(np.full(2, value))[0], expected, atol=1e-3)
    low, high = law.bracket()
    assert (law.below(low)[0] < 1e-6).all()
    assert (law.below(high)[0] > 1.0 - 1e-6).all()


def test_with_a_c_that_is_known_it_is_the_law_at_c():
    given = problem(1, n_models=3, n_simulations=2)
    result = rivals.compare(given.without_groups, c=0.3)
    a, b = np.array([0, 0, 1]), np.array([1, 2, 2])
    at_c = result.method.differences(result.summary, result.setting, a, b)
    misfit = result.summary.misfits.mean(axis=0)
    sure = over_c(at_c.centre, at_c.sampling, misfit[a] + misfit[b], 0.3, 1e-9)
    np.testing.assert_allclose(sure.below(np.zeros(3))[0], at_c.below(np.zeros(3))[0], atol=1e-9)


def test_it_is_antisymmetric_and_stands_beside_the_decision():
    given = problem(2, n_models=2, n_simulations=2)
    result = rivals.compare(given.without_groups)
    one, other = np.array([0]), np.array([1])
    law, args = Transport(), (result.summary, result.setting)
    zero = np.zeros(1)
    both = law.without_c(*args, one, other).below(zero)
    both = both + law.without_c(*args, other, one).below(zero)
    assert both[0, 0] == pytest.approx(1.0, abs=1e-12)
    assert f"{one_data_set().n_data_sets} real data sets" in result.conclusion
    assert "c unknown" in str(result)
    low, _ = result._decided.reduced.risk_interval(result.setting)
    wide = law.risks_without_c(*args).below(low)[0]
    assert wide.shape == (2,)


def test_a_calibration_or_groups_make_it_known():
    assert Transport().c_is_unknown(Setting())
    assert Transport().c_is_unknown(Setting(c=0.5))
    assert not Transport().c_is_unknown(Setting(c=CalibratedC(0.5, {})))
    assert not rivals.laws.Groups().c_is_unknown(Setting())


def test_the_caution_is_of_a_rejection_where_there_is_one():
    """An open model needs no caution: nothing was decided about it."""
    rng = np.random.default_rng(0)
    base = rng.exponential(size=400)
    apart = {"best": 0.0, "open": 0.0001, "rejected": 0.5}
    losses = {
        name: (base + gap + 0.1 * rng.standard_normal(400), base + gap + 0.1)
        for name, gap in apart.items()
    }
    result = rivals.compare(losses)
    assert set(result.rejections) == {"rejected"}
    assert "Provisional: against rejected" in result.conclusion
