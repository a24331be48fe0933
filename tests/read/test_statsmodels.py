"""The distributions that statsmodels predicts, with the real library."""

from __future__ import annotations

import numpy as np
import pytest

import rivals
from rivals.read import distribution

pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")


def test_a_poisson_regression_and_its_constant_rival():
    statsmodels = pytest.importorskip("statsmodels.api", reason="this recipe needs statsmodels (group `recipes`)")
    rng = np.random.default_rng(0)
    x = statsmodels.add_constant(rng.uniform(-1, 1, 1000))
    y = rng.poisson(np.exp(x @ [1.0, 1.2]))
    x_new = statsmodels.add_constant(rng.uniform(-1, 1, 1000))
    y_new = rng.poisson(np.exp(x_new @ [1.0, 1.2]))
    fits = {
        "slope": statsmodels.GLM(y, x, family=statsmodels.families.Poisson()).fit().get_distribution(exog=x_new),
        "constant": statsmodels.GLM(y, x[:, :1], family=statsmodels.families.Poisson())
        .fit()
        .get_distribution(exog=x_new[:, :1]),
    }
    models = {name: distribution(fit) for name, fit in fits.items()}
    with pytest.warns(rivals.RivalsWarning, match="'constant': .* ties"):  # one rate, so one loss for each count
        result = rivals.compare(models, y_new, law="beta", c=0.25, rng=0)
    assert result.ranking == ("slope", "constant")
    # At the true parameters the loss of a point is known; the fit must be within Monte Carlo error of it.
    truth = -np.mean(fits["slope"].dist.logpmf(y_new, np.exp(x_new @ [1.0, 1.2])))
    assert result.empirical_risk["slope"] == pytest.approx(truth, abs=0.02)
