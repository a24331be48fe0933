# needs: statsforecast, prophet, u8darts, statsmodels<0.15
"""Forecasts of statsforecast, Prophet and darts, as distributions from their intervals and
samples, against the formulas of their models.
"""

from __future__ import annotations

import logging

import numpy as np
import pandas
import pytest
from scipy import stats

import rivals
from rivals.read import distribution

# What the libraries and their own dependencies warn of is theirs.
pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")

N, AHEAD = 300, 40
HALF = stats.norm.ppf(0.9)  # half of an interval of 80 %, in standard deviations
rng = np.random.default_rng(0)
Y = np.zeros(N + AHEAD)
for time in range(1, N + AHEAD):
    Y[time] = 0.7 * Y[time - 1] + rng.normal()
DATES = pandas.date_range("2020-01-01", periods=N + AHEAD, freq="D")
STEPS = np.arange(1, AHEAD + 1)


def autoregression(constant, first, variance):
    """The law of each of the next points, of an autoregression of order one."""
    mean = constant + first**STEPS * (Y[N - 1] - constant)
    return stats.norm(mean, np.sqrt(variance * (1 - first ** (2 * STEPS)) / (1 - first**2)))


def test_statsforecast():
    models = pytest.importorskip("statsforecast.models")
    frame = pandas.DataFrame({"unique_id": "a", "ds": DATES, "y": Y})
    fit = (
        pytest.importorskip("statsforecast")
        .StatsForecast([models.ARIMA((1, 0, 0))], freq="D")
        .fit(df=frame[:N])
    )
    table = fit.predict(h=AHEAD, level=[80])
    model = distribution(
        stats.norm(table["ARIMA"], (table["ARIMA-hi-80"] - table["ARIMA-lo-80"]) / (2 * HALF))
    )
    own = fit.fitted_[0, 0].model_
    law = autoregression(own["coef"]["intercept"], own["coef"]["ar1"], own["sigma2"])
    np.testing.assert_allclose(model.loss(Y[N:]), -law.logpdf(Y[N:]), rtol=1e-9)
    # One step ahead, with the parameters of the fit: the table of `cross_validation` has
    # the same columns.
    table = fit.cross_validation(
        df=frame, h=1, n_windows=AHEAD, step_size=1, refit=False, level=[80]
    )
    model = distribution(
        stats.norm(table["ARIMA"], (table["ARIMA-hi-80"] - table["ARIMA-lo-80"]) / (2 * HALF))
    )
    constant, first = own["coef"]["intercept"], own["coef"]["ar1"]
    mean = constant + first * (Y[N - 1 : -1] - constant)
    np.testing.assert_allclose(
        model.loss(Y[N:]), -stats.norm(mean, np.sqrt(own["sigma2"])).logpdf(Y[N:]), rtol=1e-6
    )
    assert (
        len(
            rivals.compare(
                {"AR": model, "wide": distribution(stats.norm(0, 5))}, Y[N:], order="time", rng=0
            ).ranking
        )
        == 2
    )


def test_prophet():
    """Without changepoints the forecast is Gaussian of known width; its interval comes from
    4 000 samples, good to 2 %.
    """
    logging.getLogger("cmdstanpy").setLevel(logging.ERROR)
    trend = pandas.DataFrame(
        {
            "ds": DATES,
            "y": 0.02 * np.arange(N + AHEAD) + np.random.default_rng(1).normal(size=N + AHEAD),
        }
    )
    quiet = dict.fromkeys(("weekly_seasonality", "yearly_seasonality", "daily_seasonality"), False)
    fit = (
        pytest.importorskip("prophet")
        .Prophet(n_changepoints=0, uncertainty_samples=4000, **quiet)
        .fit(trend[:N])
    )
    table = fit.predict(trend[N:][["ds"]])
    new = trend["y"].to_numpy()[N:]
    model = distribution(
        stats.norm(table["yhat"], (table["yhat_upper"] - table["yhat_lower"]) / (2 * HALF))
    )
    law = stats.norm(table["yhat"], fit.params["sigma_obs"].item() * fit.y_scale)
    # A width that is off by 2 % moves a loss by 0.02 (1 + z²), with |z| below 3 here, and
    # at most four of these errors.
    np.testing.assert_allclose(model.loss(new), -law.logpdf(new), atol=0.4)
    assert abs(np.mean(model.loss(new) + law.logpdf(new))) < 0.02


def test_darts():
    """From samples: means and widths of 4 000 are good to 1/√4000 and 1/√8000 of the width."""
    darts, models = pytest.importorskip("darts"), pytest.importorskip("darts.models")
    modes = pytest.importorskip("darts.utils.utils")
    plain = {"trend": modes.ModelMode.NONE, "seasonal": modes.SeasonalityMode.NONE, "damped": False}
    series = darts.TimeSeries.from_times_and_values(DATES[:N], Y[:N])
    fit = models.ExponentialSmoothing(**plain)
    fit.fit(series)
    samples = fit.predict(AHEAD, num_samples=4000, random_state=0).all_values()[:, 0]
    model = distribution(stats.norm(samples.mean(axis=1), samples.std(axis=1)))
    level, alpha = fit.model.level[-1], fit.model.params["smoothing_level"]
    law = stats.norm(level, np.sqrt(fit.model.sse / N * (1 + (STEPS - 1) * alpha**2)))
    np.testing.assert_allclose(model.loss(Y[N:]), -law.logpdf(Y[N:]), atol=0.2)
    assert abs(np.mean(model.loss(Y[N:]) + law.logpdf(Y[N:]))) < 0.02
    # Its ARIMA draws no noise for the first step, so that such samples are no forecast; see
    # docs/libraries.md.
    fit = models.ARIMA(p=1, d=0, q=0)
    fit.fit(series)
    assert fit.predict(AHEAD, num_samples=100, random_state=0).all_values()[0, 0].std() < 1e-9
