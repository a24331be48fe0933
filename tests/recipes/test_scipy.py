# needs: scipy
"""Every continuous and discrete distribution of scipy.stats: losses, simulations, seeds.
More is in tests/read/test_densities.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.stats._distr_params import distcont, distdiscrete

from rivals.read import distribution

# These take minutes to simulate, by the root of a numerical integral.
SLOW = {"studentized_range", "kappa4", "ksone", "kstwo", "vonmises_line", "levy_stable"}
N = 300


@pytest.mark.parametrize(
    ("name", "shapes"), [pair for pair in distcont if isinstance(pair[0], str)], ids=str
)
def test_continuous(name, shapes):
    if name in SLOW:
        pytest.skip("simulates by numerical integration")
    law = getattr(stats, name)(*shapes)
    model = distribution(law)
    y = model.simulate(N, np.random.default_rng(0))
    np.testing.assert_allclose(model.loss(y), -law.logpdf(y), rtol=1e-12)
    assert stats.kstest(y, law.cdf).pvalue > 1e-4  # of a hundred distributions
    np.testing.assert_array_equal(model.simulate(N, np.random.default_rng(0)), y)
    with pytest.raises(TypeError, match="is a family of distributions, not one of them"):
        distribution(getattr(stats, name))


@pytest.mark.parametrize(
    ("name", "shapes"), [pair for pair in distdiscrete if isinstance(pair[0], str)], ids=str
)
def test_discrete(name, shapes):
    law = getattr(stats, name)(*shapes)
    model = distribution(law)
    y = model.simulate(N, np.random.default_rng(0))
    np.testing.assert_allclose(model.loss(y), -law.logpmf(y), rtol=1e-12)
    np.testing.assert_array_equal(model.simulate(N, np.random.default_rng(0)), y)
    values = np.unique(y)
    values = values[law.pmf(values) * N > 5]
    found = np.array([np.sum(y == value) for value in values])
    expected = law.pmf(values) * N
    rest = N - expected.sum()
    if rest > 5:
        found, expected = np.append(found, N - found.sum()), np.append(expected, rest)
    if found.size > 1:
        assert stats.chisquare(found, expected * found.sum() / expected.sum()).pvalue > 1e-4
