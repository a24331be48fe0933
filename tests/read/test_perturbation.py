"""Held-out data are judged, never learned from: moving one held-out point moves no other
point's loss.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import curve_fit

from rivals.read import (
    classifier,
    curve,
    distribution,
    forecast,
    network,
    posterior,
    regression,
    regressor,
    simulator,
    summaries,
)

pytestmark = pytest.mark.filterwarnings("default")

N, MOVED = 60, 25
rng = np.random.default_rng(0)
X = np.column_stack([np.ones(2 * N), rng.uniform(-1, 1, 2 * N)])
Y = 1 + X[:, 1] + 0.3 * rng.normal(size=2 * N)
COUNTS = rng.poisson(np.exp(Y))
SHARE = rng.beta(2.0, 3.0, size=2 * N)
LABELS = np.digitize(Y, [0.7, 1.3])
OLD, NEW = slice(0, N), slice(N, 2 * N)


def numpyro_losses(y):
    numpyro = pytest.importorskip("numpyro")

    def model(x, y=None):
        numpyro.sample(
            "y",
            numpyro.distributions.Normal(
                numpyro.sample("slope", numpyro.distributions.Normal()) * x, 0.5
            ),
            obs=y,
        )

    draws = {"slope": np.random.default_rng(0).normal(1.0, 0.1, size=20)}
    return posterior(model, draws, {"x": X[NEW, 1], "y": y}, n_simulations=1, rng=0).observed


def linear(x, intercept, slope):
    return intercept + slope * x


def boosted():
    return (
        pytest.importorskip("sklearn.ensemble")
        .GradientBoostingRegressor(n_estimators=5, random_state=0)
        .fit(X[OLD], Y[OLD])
    )


def logistic():
    return pytest.importorskip("sklearn.linear_model").LogisticRegression().fit(X[OLD], LABELS[OLD])


# Reader → the held-out targets, and their losses as a function of them.
WITH_INPUTS = {
    "regressor, cross-validated": (
        Y,
        lambda: regressor(
            boosted(), X[NEW], noise="cross-validated", training=(X[OLD], Y[OLD]), rng=0
        ),
    ),
    "classifier": (LABELS, lambda: classifier(logistic(), X[NEW])),
    "network": (Y, lambda: network(lambda x: (x @ [1.0, 1.0], np.full(len(x), 0.3)), X[NEW])),
    "curve": (
        Y,
        lambda: curve(
            curve_fit(linear, X[OLD, 1], Y[OLD]),
            X[NEW, 1],
            function=linear,
            training=(X[OLD, 1], Y[OLD]),
        ),
    ),
}
ALONE = {
    "distribution": lambda: distribution(stats.t(*stats.t.fit(Y[OLD]))),
    "simulator": lambda: simulator(lambda n, rng: rng.normal(1.0, 0.7, size=n), n_ensemble=100),
}
# Model of statsmodels → what it is fitted to, how, and what else each of its points brings.
REGRESSIONS = {
    "OLS": (Y, lambda sm: sm.OLS(Y[OLD], X[OLD]).fit(), {}),
    "WLS": (
        Y,
        lambda sm: sm.WLS(Y[OLD], X[OLD], weights=2 + X[OLD, 1]).fit(),
        {"weights": 2 + X[NEW, 1]},
    ),
    "GLM": (COUNTS, lambda sm: sm.GLM(COUNTS[OLD], X[OLD], family=sm.families.Poisson()).fit(), {}),
    "GLM, scale": (
        SHARE,
        lambda sm: sm.GLM(
            SHARE[OLD], X[OLD], family=sm.families.Gamma(sm.families.links.Log())
        ).fit(),
        {},
    ),
    "GEE": (
        COUNTS,
        lambda sm: sm.GEE(
            COUNTS[OLD], X[OLD], np.arange(N) // 5, family=sm.families.Poisson()
        ).fit(),
        {},
    ),
    "Logit": (LABELS > 0, lambda sm: sm.Logit(LABELS[OLD] > 0, X[OLD]).fit(disp=0), {}),
    "MNLogit": (LABELS, lambda sm: sm.MNLogit(LABELS[OLD], X[OLD]).fit(disp=0), {}),
    "NegativeBinomial": (
        COUNTS,
        lambda sm: sm.NegativeBinomial(COUNTS[OLD], X[OLD]).fit(disp=0),
        {},
    ),
    "ZeroInflatedPoisson": (
        COUNTS,
        lambda sm: sm.ZeroInflatedPoisson(COUNTS[OLD], X[OLD], exog_infl=X[OLD]).fit(disp=0),
        {"exog_infl": X[NEW]},
    ),
}
FORECASTS = {
    "ARIMA": lambda sm: sm.tsa.arima.ARIMA(Y[OLD], order=(1, 1, 1)).fit(),
    "ARIMA, concentrated": lambda sm: sm.tsa.arima.ARIMA(
        Y[OLD], order=(1, 0, 0), concentrate_scale=True
    ).fit(),
    "ARIMA, trend": lambda sm: sm.tsa.arima.ARIMA(Y[OLD], order=(1, 0, 0), trend="ct").fit(),
    "SARIMAX": lambda sm: sm.tsa.SARIMAX(Y[OLD], order=(1, 0, 0), seasonal_order=(1, 0, 0, 4)).fit(
        disp=0
    ),
    "UnobservedComponents": lambda sm: sm.tsa.UnobservedComponents(
        Y[OLD], "local linear trend"
    ).fit(disp=0),
    "ExponentialSmoothing": lambda sm: smoothing(Y[OLD], trend=True, seasonal=4).fit(disp=0),
    "ExponentialSmoothing, heuristic": lambda sm: smoothing(
        Y[OLD], initialization_method="heuristic"
    ).fit(disp=0),
}


def smoothing(*args, **options):
    from statsmodels.tsa.statespace.exponential_smoothing import ExponentialSmoothing

    return ExponentialSmoothing(*args, **options)


def only_the_moved_one_changes(losses, targets, *, after=False):
    moved = targets[NEW].copy()
    moved[MOVED] = (
        targets[NEW].max() if targets[NEW][MOVED] != targets[NEW].max() else targets[NEW].min()
    )
    changed = losses(targets[NEW]) != losses(moved)
    assert changed[MOVED]
    assert not changed[:MOVED].any()
    assert after or not changed[MOVED + 1 :].any()


@pytest.mark.parametrize("reader", WITH_INPUTS)
def test_models_of_targets_at_inputs(reader):
    targets, make = WITH_INPUTS[reader]
    model = make()
    only_the_moved_one_changes(
        lambda y: np.asarray(model.loss((X[NEW, 1] if reader == "curve" else X[NEW], y))), targets
    )


@pytest.mark.parametrize("reader", ALONE)
def test_models_of_points(reader):
    model = ALONE[reader]()
    only_the_moved_one_changes(lambda y: np.asarray(model.loss(y)), Y)


def test_posteriors():
    only_the_moved_one_changes(numpyro_losses, Y)


def test_summaries_of_blocks():
    model = summaries(lambda n, rng: rng.normal(size=n), np.mean, block=5, n_ensemble=100)
    moved = Y[NEW].copy()
    moved[MOVED] += 1.0
    assert np.flatnonzero(
        np.asarray(model.loss(Y[NEW])) != np.asarray(model.loss(moved))
    ).tolist() == [MOVED // 5]


@pytest.mark.parametrize("name", REGRESSIONS)
def test_regressions(name):
    sm = pytest.importorskip("statsmodels.api")
    targets, fit, columns = REGRESSIONS[name]
    model = regression(fit(sm), X[NEW], **columns)
    only_the_moved_one_changes(lambda y: np.asarray(model.loss((X[NEW], y))), targets)


@pytest.mark.parametrize("name", FORECASTS)
def test_forecasts_change_no_earlier_loss(name):
    model = forecast(FORECASTS[name](pytest.importorskip("statsmodels.api")))
    only_the_moved_one_changes(lambda y: np.asarray(model.loss(y)), Y, after=True)
