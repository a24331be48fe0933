# needs: statsmodels
"""Time series with dates, structural models, other families of statsmodels; the rest is in
tests/read/test_statsmodels.py.
"""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.tsa.arima.model import ARIMA

import rivals
from rivals.read import forecast, regression

pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")


@pytest.fixture(scope="module")
def co2():
    series = sm.datasets.co2.load_pandas().data["co2"].resample("MS").mean().ffill()
    return series.diff(12).dropna().asfreq("MS")


@pytest.mark.parametrize("as_array", [False, True])
def test_dates_go_on_where_the_series_ended(co2, as_array):
    fit = ARIMA(co2[:400], order=(1, 0, 0)).fit()
    model = forecast(fit)
    new = co2[400:]
    constant, first, variance = fit.params
    law = stats.norm(constant + first * (co2[399:-1].to_numpy() - constant), np.sqrt(variance))
    np.testing.assert_allclose(
        model.loss(new.to_numpy() if as_array else new), -law.logpdf(new), rtol=1e-9
    )
    simulated = model.simulate(60, np.random.default_rng(0))
    assert len(model.loss(simulated)) == 60
    np.testing.assert_array_equal(model.simulate(60, np.random.default_rng(0)), simulated)


def test_simulations_of_structural_models_follow_their_predictions(co2):
    fit = sm.tsa.UnobservedComponents(co2[:400].to_numpy(), "local level").fit(disp=0)
    model = forecast(fit)
    simulated = model.simulate(300, np.random.default_rng(0))
    prediction = fit.append(simulated).get_prediction(start=400)
    standard = (np.asarray(simulated) - prediction.predicted_mean) / prediction.se_mean
    assert stats.kstest(standard, "norm").pvalue > 1e-3
    by_hand = -stats.norm(prediction.predicted_mean, prediction.se_mean).logpdf(simulated)
    np.testing.assert_allclose(model.loss(simulated), by_hand, rtol=1e-9)


def test_inverse_gaussian_and_negative_binomial_families():
    data = sm.datasets.engel.load_pandas().data
    x, y = sm.add_constant(np.log(data["income"].to_numpy())), data["foodexp"].to_numpy() / 100
    fit = sm.GLM(y[::2], x[::2], family=sm.families.InverseGaussian(sm.families.links.Log())).fit()
    mean = fit.predict(x[1::2])
    law = stats.invgauss(mean * fit.scale, scale=1 / fit.scale)
    model = regression(fit, x[1::2])
    np.testing.assert_allclose(model.loss((x[1::2], y[1::2])), -law.logpdf(y[1::2]), rtol=1e-9)
    drawn = model.simulate(len(mean), np.random.default_rng(0))[1]
    assert stats.kstest(law.cdf(drawn), "uniform").pvalue > 1e-3
    counts = np.floor(y)
    fit = sm.GLM(counts[::2], x[::2], family=sm.families.NegativeBinomial(alpha=0.5)).fit()
    mean = fit.predict(x[1::2])
    by_hand = -stats.nbinom(2.0, 1 / (1 + 0.5 * mean)).logpmf(counts[1::2])
    np.testing.assert_allclose(
        regression(fit, x[1::2]).loss((x[1::2], counts[1::2])), by_hand, rtol=1e-9
    )


def test_the_whole_way(co2):
    models = {f"AR({p})": forecast(ARIMA(co2[:400], order=(p, 0, 0)).fit()) for p in (0, 1)}
    result = rivals.compare(models, co2[400:], order="time", n_simulations=4, rng=0)
    assert result.ranking == ("AR(1)", "AR(0)")
