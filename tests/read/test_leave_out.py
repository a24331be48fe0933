"""Fitted models left out by groups: equal to loops by hand to 1e-10, and mistakes named."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import rivals
from rivals._core.grouping import Grouping
from rivals.read import leave_out
from rivals.read._folds import foldings_of_groups

smf = pytest.importorskip("statsmodels.formula.api")
sm = pytest.importorskip("statsmodels.api")
pandas = pytest.importorskip("pandas")

pytestmark = pytest.mark.filterwarnings(
    "ignore::statsmodels.tools.sm_exceptions.ConvergenceWarning",
    "ignore:overflow encountered in exp:RuntimeWarning",
)


def ticks(n_groups=24, seed=0):
    """Counts that vary between places more than Poisson's."""
    rng = np.random.default_rng(seed)
    size = rng.integers(4, 15, size=n_groups)
    place = np.repeat([f"place {each}" for each in range(n_groups)], size)
    height = rng.normal(size=place.size)
    year = rng.choice([95, 96, 97], size=place.size)
    mean = np.exp(1.0 - 0.5 * height + np.repeat(rng.normal(0, 0.7, n_groups), size))
    return pandas.DataFrame(
        {
            "ticks": rng.poisson(mean),
            "height": height,
            "year": year,
            "place": place,
            "exposure": rng.uniform(0.5, 2.0, size=place.size),
        }
    )


def by_hand(data, one, group="place"):
    """Of each fold `one(train, test)`."""
    found = np.empty(len(data))
    for fold in foldings_of_groups(Grouping.of(data[group]))[0]:
        found[fold.test] = one(data.iloc[fold.train], data.iloc[fold.test])
    return found


FORMULA = "ticks ~ C(year) + height"
FITS = {
    "GLM": lambda rows: smf.glm(FORMULA, rows, family=sm.families.Poisson()).fit(),
    "Poisson": lambda rows: smf.poisson(FORMULA, rows).fit(disp=0),
    "NegativeBinomial": lambda rows: smf.negativebinomial(FORMULA, rows).fit(disp=0),
    "OLS": lambda rows: smf.ols(FORMULA, rows).fit(),
    "gamma": lambda rows: smf.glm(
        "exposure ~ height", rows, family=sm.families.Gamma(sm.families.links.Log())
    ).fit(),
    "Logit": lambda rows: smf.logit("many ~ height", rows).fit(disp=0),
    "Binomial": lambda rows: smf.glm("many ~ height", rows, family=sm.families.Binomial()).fit(),
}


def poisson(fit, test):
    return -stats.poisson.logpmf(test.ticks, fit.predict(test))


def negative_binomial(fit, test):
    alpha = fit.params["alpha"]
    return -stats.nbinom.logpmf(test.ticks, 1 / alpha, 1 / (1 + alpha * fit.predict(test)))


def gaussian(fit, test):
    return -stats.norm.logpdf(test.ticks, fit.predict(test), np.sqrt(fit.scale))


def gamma(fit, test):
    mean = fit.predict(test)
    return -stats.gamma.logpdf(test.exposure, 1 / fit.scale, scale=fit.scale * mean)


def bernoulli(fit, test):
    return -stats.bernoulli.logpmf(test.many, fit.predict(test))


EXPECTED = {
    "GLM": poisson,
    "Poisson": poisson,
    "NegativeBinomial": negative_binomial,
    "OLS": gaussian,
    "gamma": gamma,
    "Logit": bernoulli,
    "Binomial": bernoulli,
}


@pytest.mark.parametrize("name", list(FITS))
@pytest.mark.filterwarnings("ignore:all targets are whole")
def test_statsmodels_by_formula_is_a_loop_by_hand(name):
    data = ticks()
    data["many"] = (data.ticks > 2).astype(int)
    found = leave_out(FITS[name], data, groups="place", n_simulations=16, rng=0)
    expected = by_hand(data, lambda train, test: EXPECTED[name](FITS[name](train), test))
    np.testing.assert_allclose(found.observed, expected, atol=1e-10)
    assert found.source.library == "statsmodels"
    assert (found.source.left_out, found.source.n_folds) == (True, 10)
    assert found.groups.noun == "place"
    assert found.n_simulations == 16
    # A right model of the margins simulates losses like its own.
    if name in ("gamma", "Logit", "Binomial"):
        assert found.simulated.mean() == pytest.approx(found.mean, abs=0.15)


def test_counts_side_by_side_have_one_name_of_their_loss():
    data = ticks()
    fits = {name: FITS[name] for name in ("Poisson", "NegativeBinomial", "OLS")}
    losses = leave_out(fits, data, groups="place", rng=0)
    assert {each.source.loss for each in losses.values()} == {"negative log likelihood"}
    assert rivals.compare(losses).best == "NegativeBinomial"
    with pytest.warns(rivals.RivalsWarning, match=r"smf\.negativebinomial"):
        leave_out(fits["OLS"], data, groups="place", rng=0)


def test_what_a_fit_may_return():
    data = ticks()
    cases = {
        "one distribution": lambda rows: stats.poisson(rows.ticks.mean()),
        "of the rows": lambda rows: lambda new: stats.poisson(np.full(len(new), rows.ticks.mean())),
        "a candidate": lambda rows: rivals.Candidate(
            lambda new: -stats.poisson.logpmf(new["ticks"], rows.ticks.mean()),
            lambda n, rng: {"ticks": rng.poisson(rows.ticks.mean(), size=n)},
        ),
        "of the rows, a result": lambda rows: (
            lambda new: smf.poisson("ticks ~ 1", rows).fit(disp=0, tol=1e-12)
        ),
    }
    expected = by_hand(
        data, lambda train, test: -stats.poisson.logpmf(test.ticks, train.ticks.mean())
    )
    found = leave_out(cases, data, groups="place", target="ticks", n_simulations=16, rng=0)
    for name, losses in found.items():
        np.testing.assert_allclose(losses.observed, expected, atol=1e-8, err_msg=name)
        assert losses.simulated.mean() == pytest.approx(
            found["one distribution"].simulated.mean(), abs=0.1
        )


def test_offsets_go_through_a_function_of_the_rows():
    data = ticks()

    def fit(rows):
        own = smf.glm(
            FORMULA, rows, family=sm.families.Poisson(), offset=np.log(rows.exposure)
        ).fit()
        return lambda new: stats.poisson(own.predict(new, offset=np.log(new.exposure)))

    def one(train, test):
        own = smf.glm(
            FORMULA, train, family=sm.families.Poisson(), offset=np.log(train.exposure)
        ).fit()
        mean = own.predict(test, offset=np.log(test.exposure))
        return -stats.poisson.logpmf(test.ticks, mean)

    found = leave_out(fit, data, groups="place", target="ticks", rng=0)
    np.testing.assert_allclose(found.observed, by_hand(data, one), atol=1e-10)


def test_predictions_need_a_noise_or_a_loss():
    data = ticks()

    def fit(rows):
        return smf.quantreg("ticks ~ height", rows).fit()

    def one(train, test):
        return np.abs(test.ticks - fit(train).predict(test))

    found = leave_out(fit, data, groups="place", loss="absolute")
    np.testing.assert_allclose(found.observed, by_hand(data, one), atol=1e-10)
    assert found.source.loss == "absolute error"
    with_noise = leave_out(fit, data, groups="place", noise="laplace", n_simulations=16, rng=0)
    assert (with_noise.source.noise, with_noise.n_simulations) == ("laplace", 16)
    with pytest.raises(TypeError, match=r"fold 1 of 10, without place .*QuantReg.*noise= or loss="):
        leave_out(fit, data, groups="place")

    def predictor(rows):
        return lambda new: np.full(len(new), rows.ticks.mean())

    with pytest.raises(TypeError, match='noise="gaussian"'):
        leave_out(predictor, data, groups="place", target="ticks")
    squared = leave_out(predictor, data, groups="place", target="ticks", loss="squared")
    expected = by_hand(data, lambda train, test: (test.ticks - train.ticks.mean()) ** 2)
    np.testing.assert_allclose(squared.observed, expected, atol=1e-10)


def test_classifiers_and_ordered_models():
    linear_model = pytest.importorskip("sklearn.linear_model")
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    data = ticks()
    data["rank"] = np.digitize(data.ticks, [1, 3])

    def logistic(rows):
        return linear_model.LogisticRegression().fit(rows[["height"]], rows["rank"])

    def ordered(rows):
        return OrderedModel.from_formula("rank ~ height", rows, distr="logit").fit(
            method="bfgs", disp=0
        )

    def chosen(probabilities, test):
        return -np.log(np.asarray(probabilities)[np.arange(len(test)), test["rank"]])

    fits = {"logistic": logistic, "ordered": ordered}
    found = leave_out(fits, data, groups="place", target="rank", n_simulations=16, rng=0)
    expected = by_hand(data, lambda a, b: chosen(logistic(a).predict_proba(b[["height"]]), b))
    np.testing.assert_allclose(found["logistic"].observed, expected, atol=1e-10)
    expected = by_hand(data, lambda a, b: chosen(ordered(a).predict(b), b))
    np.testing.assert_allclose(found["ordered"].observed, expected, atol=1e-10)
    assert found["ordered"].simulated.mean() == pytest.approx(found["ordered"].mean, abs=0.15)


def test_data_in_any_form_give_the_same():
    polars = pytest.importorskip("polars")
    data = ticks(5)

    def fit(rows):
        mean = np.mean(np.asarray(rows["ticks"], dtype=float))
        return lambda new: stats.poisson(np.full(len(new["ticks"]), mean))

    arrays = {name: data[name].to_numpy() for name in data.columns}
    forms = [data, arrays, polars.DataFrame(data.to_dict("list")), data.set_index("exposure")]
    found = [leave_out(fit, each, groups="place", target="ticks", rng=0) for each in forms]
    for each in found:
        np.testing.assert_array_equal(each.observed, found[0].observed)
        assert each.groups.noun == "place"
    assert found[3].index.equals(forms[3].index)


def test_processes_give_the_same():
    data = ticks(5)
    one = leave_out(FITS["GLM"], data, groups="place", rng=3)
    two = leave_out(FITS["GLM"], data, groups="place", rng=3, n_jobs=2)
    assert np.array_equal(one.observed, two.observed)
    assert np.array_equal(one.simulated, two.simulated)


def test_an_unseen_level_is_named_with_its_fold():
    data = ticks(6)
    with pytest.raises(
        ValueError, match=r"fold 1 of 6, without place 0: the level 'place 0' of place"
    ):
        leave_out(lambda rows: smf.ols("height ~ place", rows).fit(), data, groups="place")
    data["year"] = np.where(data.place == "place 3", 99, data.year)
    with pytest.raises(ValueError, match=r"without place 3: the level 99 of year"):
        leave_out(FITS["GLM"], data, groups="place")


def test_what_cannot_be_read_says_what_to_do():
    data = ticks(6)
    weights = np.arange(len(data)) + 1.0
    cases = {
        "fitted with offset": lambda rows: smf.poisson(
            "ticks ~ height", rows, offset=np.log(rows.exposure)
        ).fit(disp=0),
        "fitted with weights": lambda rows: smf.wls(
            "height ~ year", rows, weights=weights[: len(rows)]
        ).fit(),
        "transforms the response": lambda rows: smf.ols("np.log(ticks + 1) ~ height", rows).fit(),
        "got float": lambda rows: 3.0 if rows is None else (float("nan") and None) or object,
        "got NoneType": lambda rows: None,
    }
    for message in ("fitted with offset", "fitted with weights", "transforms the response"):
        with pytest.raises((TypeError, ValueError), match=message):
            leave_out(cases[message], data, groups="place")
    with pytest.raises(ValueError, match=r"fitted to \d+ rows, and was given"):
        leave_out(lambda rows: FITS["GLM"](data), data, groups="place")
    with pytest.raises(TypeError, match="GLM of statsmodels is not fitted"):
        leave_out(lambda rows: FITS["GLM"](rows).model, data, groups="place", target="ticks")
    with pytest.raises(TypeError, match=r"Series gives numbers.*noise="):
        leave_out(lambda rows: FITS["OLS"](rows).predict, data, groups="place", target="ticks")
    missing = data.assign(height=np.where(np.arange(len(data)) == 3, np.nan, data.height))
    with pytest.raises(ValueError, match=r"OLS predicts 1 of .*are inputs missing"):
        leave_out(lambda rows: smf.ols("ticks ~ height", rows).fit(), missing, groups="place")
    with pytest.raises(TypeError, match="got NoneType"):
        leave_out(cases["got NoneType"], data, groups="place", target="ticks")
    with pytest.raises(ValueError, match="leave out noise=, or loss="):
        leave_out(FITS["OLS"], data, groups="place", noise="gaussian", loss="absolute")
    with pytest.raises(ValueError, match="a function of the rows"):
        leave_out(FITS["OLS"], data, groups="place", noise="predicted")
    with pytest.raises(ValueError, match=r"parameters of shape \(\d+,\) for \d+ points"):
        leave_out(
            lambda rows: stats.poisson(np.ones(len(rows))), data, groups="place", target="ticks"
        )
    with pytest.raises(TypeError, match="seen every group"):
        leave_out(FITS["GLM"](data), data, groups="place")
    with pytest.raises(ValueError, match="no column 'plce'"):
        leave_out(FITS["GLM"], data, groups="plce")
    with pytest.raises(ValueError, match="target="):
        leave_out(lambda rows: stats.norm(), data, groups="place")


def test_a_fit_that_fails_is_named_with_its_groups():
    data = ticks(6)

    def fit(rows):
        if "place 4" not in set(rows.place):
            raise KeyError("no such thing")
        return stats.poisson(3.0)

    with pytest.raises(RuntimeError, match=r"'bad', fold 5 of 6, without place 4: KeyError"):
        leave_out({"bad": fit}, data, groups="place", target="ticks")
