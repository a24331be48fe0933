"""Results of statsmodels, with the real library and the data that come with it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import rivals
from rivals.read import distribution, forecast, regression, regressor

pytest.importorskip("statsmodels", reason="this recipe needs statsmodels (group `recipes`)")

import pandas
import statsmodels.api as sm
from statsmodels.discrete.truncated_model import HurdleCountModel, TruncatedLFPoisson
from statsmodels.miscmodels.ordinal_model import OrderedModel
from statsmodels.othermod.betareg import BetaModel
from statsmodels.tsa.ar_model import AutoReg
from statsmodels.tsa.arima.model import ARIMA
from statsmodels.tsa.exponential_smoothing.ets import ETSModel
from statsmodels.tsa.statespace.exponential_smoothing import ExponentialSmoothing

pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")


def halves(endog, exog, seed=0):
    """Shuffled halves, to fit and to judge."""
    order = np.random.default_rng(seed).permutation(len(endog))
    fit, new = order[::2], order[1::2]
    return endog[fit], exog[fit], endog[new], exog[new]


def engel():
    data = sm.datasets.engel.load_pandas().data
    return halves(
        np.log(data["foodexp"].to_numpy()), sm.add_constant(np.log(data["income"].to_numpy()))
    )


def visits():
    data = sm.datasets.randhie.load_pandas()
    exog = sm.add_constant(data.exog[["lncoins", "idp", "disea"]].to_numpy())
    return halves(data.endog.to_numpy()[::20], exog[::20])


def anes():
    data = sm.datasets.anes96.load_pandas()
    exog = data.exog[["logpopul", "selfLR", "age", "educ"]].to_numpy(dtype=float)
    return halves(data.endog.to_numpy(dtype=int), exog / exog.std(axis=0))


def test_least_squares():
    y, x, y_new, x_new = engel()
    fit = sm.OLS(y, x).fit()
    model = regression(fit, x_new)
    law = stats.norm(x_new @ fit.params, np.sqrt(fit.scale))
    np.testing.assert_allclose(
        model.loss((x_new, y_new)), -law.logpdf(y_new), rtol=1e-12, atol=1e-12
    )
    repeats(model, x_new, law)


def repeats(model, exog, law):
    """Simulations follow the law, point by point, and repeat with the seed."""
    drawn = np.concatenate(
        [model.simulate(len(exog), np.random.default_rng(seed))[1] for seed in range(4)]
    )
    assert stats.kstest(law.cdf(drawn.reshape(4, -1)).ravel(), "uniform").pvalue > 1e-3
    np.testing.assert_array_equal(
        model.simulate(len(exog), np.random.default_rng(0))[1], drawn[: len(exog)]
    )


def test_weighted_least_squares():
    y, x, y_new, x_new = engel()
    weights = np.exp(x[:, 1] - 6)
    fit = sm.WLS(y, x, weights=weights).fit()
    new = np.exp(x_new[:, 1] - 6)
    law = stats.norm(x_new @ fit.params, np.sqrt(fit.scale / new))
    model = regression(fit, x_new, weights=new)
    np.testing.assert_allclose(
        model.loss((x_new, y_new)), -law.logpdf(y_new), rtol=1e-12, atol=1e-12
    )
    repeats(model, x_new, law)
    with pytest.raises(
        TypeError, match="WLS: the variance of a point is scale / weight; pass weights="
    ):
        regression(fit, x_new)
    with pytest.raises(ValueError, match="weights are known for 3 points, but 117 were requested"):
        regression(fit, x_new, weights=np.ones(3)).loss((x_new, y_new))
    with pytest.raises(ValueError, match="weights are known for 117 points, but 5 were requested"):
        model.simulate(5, np.random.default_rng(0))
    with pytest.raises(ValueError, match="weights are known for 117 points, but 5 were requested"):
        model.loss((x_new[:5], y_new[:5]))


def test_robust_regression_needs_a_noise_of_its_own():
    y, x, y_new, x_new = engel()
    fit = sm.RLM(y, x).fit()
    with pytest.raises(
        TypeError,
        match=r"RLM is none of the models.*rivals\.read\.regressor\(results, exog, noise=",
    ):
        regression(fit, x_new)
    named = regressor(fit, x_new, noise=stats.t(4, scale=fit.scale))
    np.testing.assert_allclose(
        named.loss((x_new, y_new)),
        -stats.t(4, x_new @ fit.params, fit.scale).logpdf(y_new),
        rtol=1e-12,
        atol=1e-12,
    )


def test_generalised_linear_models():
    y, x, y_new, x_new = visits()
    fit = sm.GLM(y, x, family=sm.families.Poisson()).fit()
    law = stats.poisson(np.exp(x_new @ fit.params))
    model = regression(fit, x_new)
    np.testing.assert_allclose(model.loss((x_new, y_new)), -law.logpmf(y_new), rtol=1e-12)
    fair(model, x_new, law, 6)


@pytest.mark.parametrize("word", ["exposure", "offset"])
@pytest.mark.parametrize("kind", ["GLM", "Poisson"])
def test_exposures_and_offsets_are_needed_where_the_fit_had_them(kind, word):
    y, x, y_new, x_new = visits()
    given = np.linspace(1, 2, len(y) + len(y_new))
    settings = {"family": sm.families.Poisson()} if kind == "GLM" else {}
    fit = getattr(sm, kind)(y, x, **{word: given[: len(y)]}, **settings).fit(
        **({} if kind == "GLM" else {"disp": 0})
    )
    new = given[len(y) :]
    rate = np.exp(x_new @ fit.params) * (new if word == "exposure" else np.exp(new))
    model = regression(fit, x_new, **{word: new})
    np.testing.assert_allclose(
        model.loss((x_new, y_new)), -stats.poisson(rate).logpmf(y_new), rtol=1e-12
    )
    with pytest.raises(
        TypeError, match=f"{kind} was fitted with {word}; pass {word}= for the held-out points"
    ):
        regression(fit, x_new)


def test_trials_of_a_binomial_family():
    data = sm.datasets.star98.load_pandas()
    counts = data.endog.to_numpy()  # above and below
    trials = counts.sum(axis=1)
    exog = sm.add_constant(data.exog[["LOWINC", "PERASIAN", "PERBLACK"]].to_numpy())
    new, x_new = counts[1::2], exog[1::2]
    settings = {"exog": exog[::2], "family": sm.families.Binomial()}
    fit = sm.GLM(counts[::2], **settings).fit()
    model = regression(fit, x_new, n_trials=trials[1::2])
    by_hand = -stats.binom(trials[1::2].astype(int), fit.predict(x_new)).logpmf(new[:, 0])
    for endog in (new[:, 0], new):
        np.testing.assert_allclose(model.loss((x_new, endog)), by_hand, rtol=1e-12)
    # Proportions, weighted by the trials, are the same model.
    of_proportions = sm.GLM((counts[:, 0] / trials)[::2], var_weights=trials[::2], **settings).fit()
    found = regression(of_proportions, x_new, n_trials=trials[1::2]).loss((x_new, new))
    np.testing.assert_allclose(found, by_hand, rtol=1e-6)
    with pytest.raises(ValueError, match="do not add up to n_trials"):
        model.loss((x_new, new + 1))
    with pytest.raises(TypeError, match="GLM was fitted to proportions; pass n_trials="):
        regression(fit, x_new)
    with pytest.raises(TypeError, match="GLM was fitted to proportions; pass n_trials="):
        regression(of_proportions, x_new, var_weights=trials[1::2])


def test_a_scale_that_no_family_has_is_said():
    y, x, y_new, x_new = visits()
    fit = sm.GLM(y, x, family=sm.families.Poisson()).fit(scale="X2")
    with pytest.warns(
        rivals.RivalsWarning,
        match=r"scale of \d.*, but no Poisson distribution has this dispersion",
    ):
        regression(fit, x_new).loss((x_new, y_new))


def fair(model, exog, law, largest):
    """χ² of how often each count was simulated over all points, against the sum of its
    probabilities.
    """
    drawn = np.concatenate(
        [model.simulate(len(exog), np.random.default_rng(seed))[1] for seed in range(4)]
    )
    expected = np.array([4 * law.pmf(count).sum() for count in range(largest)])
    expected = np.append(expected, drawn.size - expected.sum())
    found = np.append(
        [np.sum(drawn == count) for count in range(largest)], np.sum(drawn >= largest)
    )
    # Points with laws of their own have counts that vary less than multinomial ones: the
    # test is on the safe side.
    assert stats.chisquare(found, expected).pvalue > 1e-3
    np.testing.assert_array_equal(
        model.simulate(len(exog), np.random.default_rng(0))[1], drawn[: len(exog)]
    )


def test_gaussian_and_gamma_families():
    y, x, y_new, x_new = engel()
    fit = sm.GLM(y, x).fit()
    by_hand = -stats.norm(x_new @ fit.params, np.sqrt(fit.scale)).logpdf(y_new)
    np.testing.assert_allclose(
        regression(fit, x_new).loss((x_new, y_new)), by_hand, rtol=1e-12, atol=1e-12
    )
    fit = sm.GLM(y, x, family=sm.families.Gamma(sm.families.links.Log())).fit()
    mean = np.exp(x_new @ fit.params)
    law = stats.gamma(1 / fit.scale, scale=mean * fit.scale)
    np.testing.assert_allclose(
        regression(fit, x_new).loss((x_new, y_new)), -law.logpdf(y_new), rtol=1e-11, atol=1e-11
    )
    repeats(regression(fit, x_new), x_new, law)


@pytest.mark.parametrize("family", ["Poisson", "NegativeBinomial", "ZeroInflatedPoisson"])
def test_counts(family):
    y, x, y_new, x_new = visits()
    model = getattr(sm, family)(y, x)
    fit = model.fit(disp=0, maxiter=200)
    law = {
        "Poisson": lambda p: stats.poisson(np.exp(x_new @ p)),
        "NegativeBinomial": lambda p: stats.nbinom(
            1 / p[-1], 1 / (1 + p[-1] * np.exp(x_new @ p[:-1]))
        ),
        "ZeroInflatedPoisson": lambda p: ZeroInflated(
            1 / (1 + np.exp(-p[0])), stats.poisson(np.exp(x_new @ p[1:]))
        ),
    }[family](np.asarray(fit.params))
    found = regression(fit, x_new)
    np.testing.assert_allclose(found.loss((x_new, y_new)), -law.logpmf(y_new), rtol=1e-10)
    fair(found, x_new, law, 5)


class ZeroInflated:
    def __init__(self, zeros, counts):
        self.zeros, self.counts = zeros, counts

    def pmf(self, y):
        return self.zeros * (np.asarray(y) == 0) + (1 - self.zeros) * self.counts.pmf(y)

    def logpmf(self, y):
        return np.log(self.pmf(y))


@pytest.mark.parametrize("link", ["Logit", "Probit"])
def test_binary_choices(link):
    y, x, y_new, x_new = anes()
    fit = getattr(sm, link)((y > 2).astype(int), sm.add_constant(x)).fit(disp=0)
    x_new = sm.add_constant(x_new)
    law = stats.bernoulli(fit.predict(x_new))
    model = regression(fit, x_new)
    np.testing.assert_allclose(model.loss((x_new, y_new > 2)), -law.logpmf(y_new > 2), rtol=1e-12)
    fair(model, x_new, law, 1)


def test_choices_among_several():
    y, x, y_new, x_new = anes()
    for fit, x_new_of in [
        (sm.MNLogit(10 * y, sm.add_constant(x)).fit(disp=0), sm.add_constant(x_new)),
        (OrderedModel(10 * y, x, distr="logit").fit(disp=0, method="bfgs"), x_new),
    ]:
        probabilities = np.asarray(fit.predict(x_new_of))
        model = regression(fit, x_new_of)
        by_hand = -np.log(probabilities[np.arange(len(y_new)), y_new])
        np.testing.assert_allclose(model.loss((x_new_of, 10 * y_new)), by_hand, rtol=1e-9)
        labels = model.simulate(len(x_new), np.random.default_rng(0))[1]
        found = [np.sum(labels == 10 * choice) for choice in range(7)]
        assert (
            stats.chisquare(
                found, probabilities.sum(axis=0) * len(labels) / probabilities.sum()
            ).pvalue
            > 1e-3
        )


def test_formulas_take_data_frames():
    data = sm.datasets.engel.load_pandas().data.assign(
        log_expenditure=lambda table: np.log(table["foodexp"])
    )
    fit = sm.formula.ols("log_expenditure ~ np.log(income)", data[::2]).fit()
    new = data[1::2]
    mean = fit.params.iloc[0] + fit.params.iloc[1] * np.log(new["income"])
    by_hand = -stats.norm(mean, np.sqrt(fit.scale)).logpdf(new["log_expenditure"])
    model = regression(fit, new)
    np.testing.assert_allclose(
        model.loss((new, new["log_expenditure"])), by_hand, rtol=1e-12, atol=1e-12
    )
    assert len(model.simulate(30, np.random.default_rng(0))[1]) == 30


@pytest.mark.parametrize(
    "response", ["np.log(foodexp)", "I(foodexp / 1000)", "np.log1p(Q('foodexp'))", "foodexp ** 2"]
)
def test_a_transformed_response_is_refused(response):
    data = sm.datasets.engel.load_pandas().data
    fit = sm.formula.ols(f"{response} ~ np.log(income)", data).fit()
    with pytest.raises(
        ValueError, match=r"transforms the response.*Jacobian.*fit to a column that holds it"
    ):
        regression(fit, data)
    with pytest.raises(ValueError, match="transforms the response"):
        regressor(fit, data, noise=stats.norm())


@pytest.mark.parametrize("response", ["foodexp", " Q('food exp') ", "I(foodexp)"])
def test_a_response_as_it_is_is_taken(response):
    data = sm.datasets.engel.load_pandas().data.assign(
        **{"food exp": lambda table: table["foodexp"]}
    )
    model = regression(sm.formula.ols(f"{response} ~ income", data).fit(), data)
    plain = regression(sm.formula.ols("foodexp ~ income", data).fit(), data)
    np.testing.assert_array_equal(
        model.loss((data, data["foodexp"])), plain.loss((data, data["foodexp"]))
    )


def test_what_is_no_regression_and_what_has_too_many_parameters():
    with pytest.raises(TypeError, match="expected the results of a regression of statsmodels"):
        regression(sm.OLS(np.arange(5.0), np.ones(5)), np.ones((5, 1)))
    rng = np.random.default_rng(0)
    fit = sm.OLS(rng.normal(size=40), rng.normal(size=(40, 20))).fit()
    with pytest.warns(
        rivals.RivalsWarning,
        match=r"20 parameters for 40 training points: .* factor of about 1\.22",
    ):
        regression(fit, rng.normal(size=(40, 20)))


def test_a_gee_by_formula_takes_a_frame_as_a_glm_does():
    # Once the frame itself was the design matrix: with as many columns as parameters,
    # losses were those of other inputs.
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"x": rng.uniform(-1, 1, 300), "g": np.arange(300) // 10})
    frame["y"] = rng.poisson(np.exp(1 + frame["x"]))
    fit = sm.formula.gee("y ~ x", "g", frame[:150], family=sm.families.Poisson()).fit()
    new = frame[150:]
    by_hand = -stats.poisson(np.exp(fit.params["Intercept"] + fit.params["x"] * new["x"])).logpmf(
        new["y"]
    )
    for at in (new, new[["x", "y"]]):
        np.testing.assert_allclose(regression(fit, at).loss((at, new["y"])), by_hand, rtol=1e-12)


# What a fit was given for each point is needed anew, also where the new points are as many:
# statsmodels would take those of the fit.
GENERATOR = np.random.default_rng(0)
X_ALL = sm.add_constant(GENERATOR.uniform(-1, 1, 400))
SHARE = GENERATOR.beta(2 * np.exp(X_ALL[:, 1]), 2 * np.exp(-X_ALL[:, 1]))
COUNTS = np.where(
    GENERATOR.random(400) < 1 / (1 + np.exp(-X_ALL[:, 1])), 0, GENERATOR.poisson(3.0, 400)
)
OLD, NEW = slice(0, 200), slice(200, 400)


def test_the_precision_of_a_beta_model_is_needed_anew():
    fit = BetaModel(SHARE[OLD], X_ALL[OLD], exog_precision=X_ALL[OLD]).fit(disp=0)
    with pytest.raises(
        TypeError, match="BetaModel was fitted with exog_precision; pass exog_precision="
    ):
        regression(fit, X_ALL[NEW])
    mean = 1 / (1 + np.exp(-X_ALL[NEW] @ fit.params[:2]))
    precision = np.exp(X_ALL[NEW] @ fit.params[2:])
    law = stats.beta(mean * precision, (1 - mean) * precision)
    model = regression(fit, X_ALL[NEW], exog_precision=X_ALL[NEW])
    np.testing.assert_allclose(
        model.loss((X_ALL[NEW], SHARE[NEW])), -law.logpdf(SHARE[NEW]), rtol=1e-9, atol=1e-9
    )
    with pytest.raises(
        ValueError, match=r"exog_precision: expected a design matrix of 2 columns.*\(200, 1\)"
    ):
        regression(fit, X_ALL[NEW], exog_precision=np.ones((200, 1)))
    # One precision for all points needs nothing, however many points there are.
    fit = BetaModel(SHARE[OLD], X_ALL[OLD]).fit(disp=0)
    mean, precision = 1 / (1 + np.exp(-X_ALL[:7] @ fit.params[:2])), np.exp(fit.params[2])
    by_hand = -stats.beta(mean * precision, (1 - mean) * precision).logpdf(SHARE[:7])
    np.testing.assert_allclose(
        regression(fit, X_ALL[:7]).loss((X_ALL[:7], SHARE[:7])), by_hand, rtol=1e-9
    )


def test_the_inflation_of_a_zero_inflated_model_is_needed_anew():
    fit = sm.ZeroInflatedPoisson(COUNTS[OLD], X_ALL[OLD], exog_infl=X_ALL[OLD]).fit(
        disp=0, maxiter=200
    )
    with pytest.raises(
        TypeError, match="ZeroInflatedPoisson was fitted with exog_infl; pass exog_infl="
    ):
        regression(fit, X_ALL[NEW])
    law = ZeroInflated(
        1 / (1 + np.exp(-X_ALL[NEW] @ fit.params[:2])),
        stats.poisson(np.exp(X_ALL[NEW] @ fit.params[2:])),
    )
    model = regression(fit, X_ALL[NEW], exog_infl=X_ALL[NEW])
    np.testing.assert_allclose(
        model.loss((X_ALL[NEW], COUNTS[NEW])), -law.logpmf(COUNTS[NEW]), rtol=1e-9
    )


def test_an_offset_that_cannot_be_read_is_refused():
    ordered = OrderedModel(
        np.minimum(COUNTS[OLD], 3), X_ALL[OLD][:, 1:], offset=X_ALL[OLD][:, 1]
    ).fit(disp=0, method="bfgs")
    with pytest.raises(
        TypeError, match="OrderedModel was fitted with offset; this cannot be read: fit it without"
    ):
        regression(ordered, X_ALL[NEW][:, 1:])


@pytest.mark.parametrize(
    ("fit", "sentence"),
    [
        (
            lambda y, x: sm.GLM(y, x, family=sm.families.Tweedie()).fit(),
            "the family Tweedie has no density",
        ),
        (
            lambda y, x: sm.OLS(y, x).fit_regularized(alpha=0.1),
            r"OLS\.fit_regularized estimates no distribution.*regressor",
        ),
        (
            lambda y, x: TruncatedLFPoisson(y + 1, x).fit(disp=0),
            "TruncatedLFPoisson is none of the models.*Candidate",
        ),
        (
            lambda y, x: HurdleCountModel(y, x).fit(disp=0),
            "HurdleCountModel is none of the models.*Candidate",
        ),
        (lambda y, x: sm.GLS(y, x).fit(), "errors are correlated.*fit WLS"),
        (
            lambda y, x: sm.MixedLM(y, x, np.arange(len(y)) // 5).fit(),
            "one loss for each group; or.*clusters=",
        ),
        (lambda y, x: sm.QuantReg(y, x).fit(), r"QuantReg is none.*use rivals\.read\.regressor"),
    ],
)
def test_what_cannot_be_read_says_what_to_do(fit, sentence):
    y, x, _, x_new = visits()
    with pytest.raises(TypeError, match=sentence):
        regression(fit(y[:200], x[:200]), x_new)


@pytest.fixture(scope="module")
def sunspots():
    return np.sqrt(sm.datasets.sunspots.load_pandas().data["SUNACTIVITY"].to_numpy())


def test_one_step_predictions_of_a_time_series(sunspots):
    fit = ARIMA(sunspots[:200], order=(2, 0, 0)).fit()
    model = forecast(fit)
    new = sunspots[200:]
    constant, first, second, variance = fit.params
    past = np.column_stack([sunspots[199:-1], sunspots[198:-2]]) - constant
    law = stats.norm(constant + past @ [first, second], np.sqrt(variance))
    np.testing.assert_allclose(model.loss(new), -law.logpdf(new), rtol=1e-9)
    # The residuals of a simulated continuation are independent and of the variance of the model.
    long = (
        np.concatenate([sunspots[:200], model.simulate(1000, np.random.default_rng(0))]) - constant
    )
    residuals = long[200:] - first * long[199:-1] - second * long[198:-2]
    assert stats.kstest(residuals / np.sqrt(variance), "norm").pvalue > 1e-3
    assert abs(np.corrcoef(residuals[1:], residuals[:-1])[0, 1]) < 4 / np.sqrt(1000)
    np.testing.assert_array_equal(
        model.simulate(50, np.random.default_rng(1)), model.simulate(50, np.random.default_rng(1))
    )
    rival = forecast(ARIMA(sunspots[:200], order=(0, 0, 0)).fit())
    result = rivals.compare(
        {"AR(2)": model, "constant": rival}, new, order="time", n_simulations=4, rng=0
    )
    assert result.ranking == ("AR(2)", "constant")


def test_a_time_series_with_inputs(sunspots):
    trend = np.arange(len(sunspots)) / 100
    fit = sm.tsa.SARIMAX(sunspots[:200], exog=trend[:200], order=(1, 0, 0)).fit(disp=0)
    model = forecast(fit, exog=trend[200:])
    slope, first, variance = fit.params
    rest = sunspots - slope * trend
    law = stats.norm(slope * trend[200:] + first * rest[199:-1], np.sqrt(variance))
    np.testing.assert_allclose(model.loss(sunspots[200:]), -law.logpdf(sunspots[200:]), rtol=1e-9)
    assert len(model.simulate(109, np.random.default_rng(0))) == 109
    with pytest.raises(
        ValueError, match="exog is known for 109 held-out points, but 110 were requested"
    ):
        model.simulate(110, np.random.default_rng(0))
    with pytest.raises(TypeError, match="expected the results of a state space model"):
        forecast(sm.OLS(sunspots, trend).fit())


@pytest.mark.parametrize("kind", ["ARIMA", "SARIMAX", "ExponentialSmoothing"])
def test_a_concentrated_scale_is_that_of_the_fit(sunspots, kind):
    # `append` of statsmodels estimates it anew, on training and held-out data together.
    old, new = sunspots[:200], sunspots[200:]
    fit = {
        "ARIMA": lambda: ARIMA(old, order=(1, 0, 0), trend="n", concentrate_scale=True).fit(),
        "SARIMAX": lambda: sm.tsa.SARIMAX(old, order=(1, 0, 0), concentrate_scale=True).fit(disp=0),
        "ExponentialSmoothing": lambda: ExponentialSmoothing(old).fit(disp=0),
    }[kind]()
    if kind == "ExponentialSmoothing":
        alpha, level = fit.params[:2]
        means = []
        for value in sunspots:
            means.append(level)
            level += alpha * (value - level)
        means = np.array(means)
    else:
        means = np.append(0.0, fit.params[0] * sunspots[:-1])
    # The maximum likelihood estimate of the scale on the training data alone; an AR(1)
    # begins with its stationary law.
    weights = np.ones(200)
    if kind != "ExponentialSmoothing":
        weights[0] = 1 - fit.params[0] ** 2
    variance = np.mean(weights * (old - means[:200]) ** 2)
    model = forecast(fit)
    law = stats.norm(means[200:], np.sqrt(variance))
    np.testing.assert_allclose(model.loss(new), -law.logpdf(new), rtol=1e-9)


def test_gaps_in_held_out_data_are_refused(sunspots):
    """statsmodels gives them the loss 0."""
    new = np.where(np.isin(np.arange(109), [5, 9]), np.nan, sunspots[200:])
    with pytest.raises(
        ValueError, match=r"2 of 109 points are NaN, the first at position 5.*without gaps"
    ):
        forecast(ARIMA(sunspots[:200], order=(1, 0, 0)).fit()).loss(new)


def test_simple_differencing_is_refused(sunspots):
    """statsmodels simulates differences, which would be judged as levels."""
    with pytest.raises(ValueError, match=r"simulates differences.*simple_differencing=False"):
        forecast(
            sm.tsa.SARIMAX(sunspots[:200], order=(1, 1, 0), simple_differencing=True).fit(disp=0)
        )


def test_time_series_that_would_be_judged_wrongly_are_refused(sunspots):
    old, new = sunspots[:200], sunspots[200:]
    fit = ARIMA(old, order=(1, 0, 0)).fit()
    with pytest.raises(
        ValueError,
        match=r"the first 200 points are those to which the model was fitted.*data\[200:\]",
    ):
        forecast(fit).loss(sunspots)
    with pytest.raises(TypeError, match="ARIMA was fitted without exog; leave it out"):
        forecast(fit, exog=new)
    with pytest.raises(TypeError, match="SARIMAX was fitted with exog; pass exog="):
        forecast(sm.tsa.SARIMAX(old, exog=np.arange(200.0), order=(1, 0, 0)).fit(disp=0))
    with pytest.raises(ValueError, match="low_memory=True"):
        forecast(sm.tsa.SARIMAX(old, order=(1, 0, 0)).fit(disp=0, low_memory=True))
    with pytest.raises(ValueError, match="initialization_method='estimated'"):
        forecast(ExponentialSmoothing(old, initialization_method="concentrated").fit(disp=0))
    dated = pandas.Series(sunspots, pandas.period_range("1700", periods=309, freq="Y"))
    with pytest.raises(ValueError, match=r"do not continue the series.*or as an array"):
        forecast(ARIMA(dated[:200], order=(1, 0, 0)).fit()).loss(dated[210:])


@pytest.mark.parametrize(
    ("fit", "sentence"),
    [
        (lambda y: AutoReg(y, 2).fit(), r"got AutoReg; fit ARIMA\(y, order=\(p, 0, 0\)\)"),
        (lambda y: ETSModel(y).fit(disp=0), "got ETSModel; with additive errors"),
        (lambda y: sm.tsa.ExponentialSmoothing(y).fit(), "the same model with a likelihood"),
        (lambda y: sm.RecursiveLS(y, np.ones(len(y))).fit(), "use rivals.read.regression with OLS"),
        (
            lambda y: sm.tsa.DynamicFactor(np.column_stack([y, y[::-1]]), 1, 1).fit(
                disp=0, maxiter=1
            ),
            "got DynamicFactor",
        ),
    ],
)
def test_other_time_series_say_what_to_do(sunspots, fit, sentence):
    with pytest.raises(TypeError, match=sentence):
        forecast(fit(sunspots[:100]))


def test_a_poisson_regression_and_its_constant_rival():
    rng = np.random.default_rng(0)
    x = sm.add_constant(rng.uniform(-1, 1, 1000))
    y = rng.poisson(np.exp(x @ [1.0, 1.2]))
    x_new = sm.add_constant(rng.uniform(-1, 1, 1000))
    y_new = rng.poisson(np.exp(x_new @ [1.0, 1.2]))
    fits = {
        "slope": sm.GLM(y, x, family=sm.families.Poisson()).fit().get_distribution(exog=x_new),
        "constant": sm.GLM(y, x[:, :1], family=sm.families.Poisson())
        .fit()
        .get_distribution(exog=x_new[:, :1]),
    }
    models = {name: distribution(fit) for name, fit in fits.items()}
    with pytest.warns(
        rivals.RivalsWarning, match="'constant': .* are tied"
    ):  # one rate, so one loss for each count
        result = rivals.compare(models, y_new, law="beta", c=0.25, rng=0)
    assert result.ranking == ("slope", "constant")
    # At the true parameters the loss of a point is known; the fit must be within Monte
    # Carlo error of it.
    truth = -np.mean(fits["slope"].dist.logpmf(y_new, np.exp(x_new @ [1.0, 1.2])))
    assert result.empirical_risk["slope"] == pytest.approx(truth, abs=0.02)


def table_of_counts():
    """A table with an index of its own, counts and exposures, in two halves."""
    rng = np.random.default_rng(3)
    table = pandas.DataFrame(
        {"one": 1.0, "a": rng.normal(size=200), "b": rng.normal(size=200)}
    ).add_prefix("x_")
    exposure = pandas.Series(rng.uniform(0.5, 5.0, 200))
    counts = pandas.Series(rng.poisson(exposure * np.exp(0.3 * table["x_a"])))
    return table, exposure, counts, slice(None, 100), slice(100, None)


@pytest.mark.parametrize("kind", ["OLS", "Poisson", "MNLogit"])
def test_columns_of_a_table_are_taken_by_name(kind):
    """statsmodels takes them by their place, and says nothing: 3.9 nats per point of a line."""
    table, _, counts, old, new = table_of_counts()
    fit = getattr(sm, kind)(counts.clip(upper=2)[old], table[old]).fit(
        **({} if kind == "OLS" else {"disp": 0})
    )
    other, y = table[new][["x_b", "x_one", "x_a"]].assign(more=1.0), counts.clip(upper=2)[new]
    expected = regression(fit, table[new]).loss((table[new], y))
    np.testing.assert_allclose(regression(fit, other).loss((other, y)), expected, rtol=1e-12)
    renamed = other.rename(columns={"x_a": "c"})
    with pytest.raises(
        ValueError, match=r"exog has no column 'x_a', to which the model was fitted"
    ):
        regression(fit, renamed).loss((renamed, y))


@pytest.mark.parametrize("labels", [np.array([False, True]), np.array(["no", "yes"])])
def test_a_binary_response_that_is_no_number_is_refused(labels):
    """By formula, statsmodels takes False, or the first label, for success: the losses
    would be those of the other answer.
    """
    table, _, counts, _, _ = table_of_counts()
    fit = sm.GLM.from_formula(
        "late ~ x_a",
        table.assign(late=labels[(counts > 1).to_numpy().astype(int)]),
        family=sm.families.Binomial(),
    )
    for reader in (regression, lambda results, exog: regressor(results, exog, noise=stats.norm())):
        with pytest.raises(
            ValueError, match=rf"counts late\[{labels[0]}\] as success; code it as 0 and 1"
        ):
            reader(fit.fit(), table)


@pytest.mark.parametrize("kind", ["NegativeBinomialP", "GeneralizedPoisson"])
def test_exposures_and_offsets_of_all_counts(kind):
    """The two for which statsmodels itself takes no array of exposures."""
    table, exposure, counts, old, new = table_of_counts()
    model = getattr(sm, kind)
    fit = model(counts[old], table[old], exposure=exposure[old], offset=table["x_b"][old]).fit(
        disp=0
    )
    by_offset = model(counts[old], table[old], offset=(table["x_b"] + np.log(exposure))[old])
    offset = (table["x_b"] + np.log(exposure))[new]
    law = by_offset.get_distribution(
        np.asarray(fit.params), exog=table[new].to_numpy(), offset=offset.to_numpy()
    )
    model = regression(fit, table[new], exposure=exposure[new], offset=table["x_b"][new])
    np.testing.assert_allclose(
        model.loss((table[new], counts[new])), -law.logpmf(counts[new]), rtol=1e-9
    )


def test_what_points_bring_is_put_into_the_order_of_their_inputs():
    table, exposure, counts, old, new = table_of_counts()
    fit = sm.GLM(
        counts[old], table[old], family=sm.families.Poisson(), exposure=exposure[old]
    ).fit()
    with pytest.warns(
        rivals.RivalsWarning, match="the rows of exposure stand in another order than those of exog"
    ):
        model = regression(fit, table[new], exposure=exposure[new].iloc[::-1])
    law = stats.poisson(exposure[new] * np.exp(table[new] @ fit.params))
    np.testing.assert_allclose(
        model.loss((table[new], counts[new])), -law.logpmf(counts[new]), rtol=1e-10
    )
    with pytest.raises(ValueError, match="exposure and exog have rows with different labels"):
        regression(fit, table[new], exposure=exposure[old])
