"""The noise of regressors of scikit-learn, on real data: out of fold, and with what
Gaussian processes leave out.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy import stats

import rivals
from rivals.read import regressor

pytest.importorskip(
    "sklearn", reason="the noise of estimators is tested with scikit-learn (group `recipes`)"
)

from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes
from sklearn.decomposition import PCA
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import BayesianRidge, LinearRegression, Ridge
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    TimeSeriesSplit,
    cross_val_predict,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from rivals.read.linear_fits import residuals_of_linear_model
from rivals.read.noise import noise_of, out_of_fold_residuals
from rivals.read.student_noise import fit_student

X, Y = load_diabetes(return_X_y=True)
FIT_X, NEW_X, FIT_Y, NEW_Y = train_test_split(X, Y, test_size=0.5, random_state=0)


@pytest.fixture(scope="module")
def forest():
    return RandomForestRegressor(40, random_state=0).fit(FIT_X, FIT_Y)


def test_cross_validated_noise_of_a_forest_is_as_wide_as_its_errors(forest):
    """On the data it was fitted to the forest errs by 22, on new ones by 61; out of fold
    says 59.
    """
    on_training = np.std(FIT_Y - forest.predict(FIT_X))
    on_new = np.sqrt(np.mean((NEW_Y - forest.predict(NEW_X)) ** 2))
    noise = noise_of(out_of_fold_residuals(forest, (FIT_X, FIT_Y)))
    assert on_training < 0.5 * on_new
    # A root mean square of 221 residuals has a relative error of √(κ − 1) / (2 √n), 4 %
    # here; there are two of them.
    assert noise.std() == pytest.approx(on_new, rel=0.2)
    with pytest.warns(rivals.RivalsWarning, match="the noise is too narrow for the held-out data"):
        regressor(forest, NEW_X, noise=stats.norm(scale=on_training)).loss((NEW_X, NEW_Y))
    model = regressor(forest, NEW_X, noise="cross-validated", training=(FIT_X, FIT_Y))
    by_hand = -stats.norm(forest.predict(NEW_X), noise.std()).logpdf(NEW_Y)
    np.testing.assert_allclose(model.loss((NEW_X, NEW_Y)), by_hand, rtol=1e-12)
    at, simulated = model.simulate(len(NEW_X), np.random.default_rng(0))
    assert stats.kstest((simulated - forest.predict(at)) / noise.std(), "norm").pvalue > 1e-3


def test_out_of_fold_residuals_are_those_of_scikit_learn():
    folds = KFold(4, shuffle=True, random_state=0)
    found = out_of_fold_residuals(LinearRegression(), (FIT_X, FIT_Y), cv=folds)
    theirs = FIT_Y - cross_val_predict(LinearRegression(), FIT_X, FIT_Y, cv=folds)
    np.testing.assert_allclose(np.sort(found), np.sort(theirs), rtol=1e-12)


def test_splitters_by_time_and_by_group():
    by_time = out_of_fold_residuals(LinearRegression(), (FIT_X, FIT_Y), cv=TimeSeriesSplit(3))
    assert by_time.size == 3 * (len(FIT_X) // 4)  # the first part is tested by no fold
    groups = np.arange(len(FIT_X)) % 6
    by_group = out_of_fold_residuals(
        LinearRegression(), (FIT_X, FIT_Y), cv=GroupKFold(3), groups=groups
    )
    assert by_group.size == len(FIT_X)
    with pytest.raises(ValueError, match="cv of the noise"):
        out_of_fold_residuals(LinearRegression(), (FIT_X, FIT_Y), cv=GroupKFold(3))


def test_forms_of_residuals():
    draws = 3.0 * stats.t(4).rvs(size=4000, random_state=0)
    student = noise_of(draws, "student")
    # The errors of both by the Fisher information of t(4) at n = 4000 are below 0.3 and 0.06.
    assert student.args[0] == pytest.approx(4.0, abs=1.0)
    assert student.args[2] == pytest.approx(3.0, abs=0.25)
    empirical = noise_of(draws, "empirical")
    factor = 1 + 4000 ** (-2 / 5)
    assert empirical.resample(20_000, seed=0).var() == pytest.approx(draws.var() * factor, rel=0.2)
    assert noise_of(draws).std() == np.sqrt(np.mean(draws**2))
    for kind in ("gaussian", "student", "empirical"):
        model = regressor(
            LinearRegression().fit(FIT_X, FIT_Y),
            NEW_X,
            noise="cross-validated",
            training=(FIT_X, FIT_Y),
            residuals=kind,
        )
        losses = model.losses(model.simulate(len(NEW_X), np.random.default_rng(1)), rng=2)
        assert stats.ks_2samp(losses.observed, losses.synthetic).pvalue > 1e-3
        np.testing.assert_array_equal(
            model.simulate(30, np.random.default_rng(3))[1],
            model.simulate(30, np.random.default_rng(3))[1],
        )


def test_several_targets_have_correlated_residuals():
    targets = np.column_stack(
        [FIT_Y, FIT_Y + 20 * np.random.default_rng(0).normal(size=FIT_Y.size)]
    )
    fitted = LinearRegression().fit(FIT_X, targets)
    found = out_of_fold_residuals(fitted, (FIT_X, targets))
    model = regressor(fitted, NEW_X, noise="cross-validated", training=(FIT_X, targets))
    at, simulated = model.simulate(len(NEW_X), np.random.default_rng(0))
    by_hand = stats.multivariate_normal(cov=found.T @ found / len(found)).logpdf(
        simulated - fitted.predict(at)
    )
    np.testing.assert_allclose(model.loss((at, simulated)), -by_hand, rtol=1e-12)
    with pytest.raises(ValueError, match="'student' is for one target"):
        noise_of(found, "student")


def test_copies_without_a_seed_repeat_with_rng():
    unseeded = RandomForestRegressor(5).fit(FIT_X, FIT_Y)
    one, same, other = (
        out_of_fold_residuals(unseeded, (FIT_X, FIT_Y), cv=2, rng=seed).std() for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other
    assert unseeded.random_state is None


def test_what_cross_validated_noise_needs(forest):
    with pytest.raises(ValueError, match=r"needs training=\(inputs, targets\)"):
        regressor(forest, NEW_X, noise="cross-validated")
    with pytest.raises(ValueError, match="training= is for noise='cross-validated'"):
        regressor(forest, NEW_X, noise=stats.norm(), training=(FIT_X, FIT_Y))
    with pytest.raises(ValueError, match="did you mean 'gaussian'"):
        regressor(
            forest, NEW_X, noise="cross-validated", training=(FIT_X, FIT_Y), residuals="gausian"
        )
    with pytest.raises(TypeError, match="Fixed cannot be copied and fitted again"):
        out_of_fold_residuals(Fixed(), (FIT_X, FIT_Y))
    with pytest.raises(ValueError, match="too few"):
        noise_of(np.zeros(3))
    with pytest.raises(ValueError, match="all residuals are equal"):
        noise_of(np.zeros(30))
    with pytest.raises(TypeError, match="got NoneType"):
        regressor(forest, NEW_X, noise=None)


class Fixed:
    def predict(self, inputs):
        return np.zeros(len(inputs))


@pytest.mark.parametrize("normalize_y", [False, True])
@pytest.mark.parametrize(
    "wrap",
    [lambda model: model, lambda model: make_pipeline(StandardScaler(), model)],
    ids=["bare", "pipeline"],
)
def test_noise_in_alpha_is_that_of_a_white_kernel(normalize_y, wrap):
    """The same process, said in two ways, has the same predictive distribution:
    `return_std` alone leaves alpha out.
    """
    settings = {"optimizer": None, "normalize_y": normalize_y}
    scale = 1.0 if normalize_y else Y.std()
    smooth, noise = scale**2 * RBF(3.0), 0.5 * scale**2
    in_alpha = wrap(GaussianProcessRegressor(smooth, alpha=noise, **settings)).fit(
        100 * FIT_X, FIT_Y
    )
    in_kernel = wrap(GaussianProcessRegressor(smooth + WhiteKernel(noise), **settings)).fit(
        100 * FIT_X, FIT_Y
    )
    mean, deviation = in_kernel.predict(100 * NEW_X, return_std=True)
    assert np.all(in_alpha.predict(100 * NEW_X, return_std=True)[1] < 0.9 * deviation)
    model = regressor(in_alpha, 100 * NEW_X, noise="predicted")
    by_hand = -stats.norm(mean, deviation).logpdf(NEW_Y)
    # The kernel's process has the default alpha of 1e-10 besides.
    np.testing.assert_allclose(model.loss((100 * NEW_X, NEW_Y)), by_hand, rtol=1e-6)
    simulated = model.simulate(len(NEW_X), np.random.default_rng(0))[1]
    assert stats.kstest((simulated - mean) / deviation, "norm").pvalue > 1e-3


def test_an_alpha_for_each_training_point_is_refused():
    process = GaussianProcessRegressor(alpha=np.linspace(0.1, 1.0, 50), optimizer=None).fit(
        FIT_X[:50], FIT_Y[:50]
    )
    with pytest.raises(
        ValueError,
        match=r"an alpha for each training point, from 0\.1 to 1: the noise of new points is "
        r"unknown",
    ):
        regressor(process, NEW_X, noise="predicted").loss((NEW_X, NEW_Y))


def test_bayesian_ridge_regression_predicts_its_noise_already():
    fitted = BayesianRidge().fit(FIT_X, FIT_Y)
    mean, deviation = fitted.predict(NEW_X, return_std=True)
    model = regressor(fitted, NEW_X, noise="predicted")
    np.testing.assert_allclose(
        model.loss((NEW_X, NEW_Y)), -stats.norm(mean, deviation).logpdf(NEW_Y), rtol=1e-12
    )
    assert np.all(deviation**2 > 1 / fitted.alpha_)
    with pytest.raises(TypeError, match="LinearRegression does not predict a standard deviation"):
        regressor(LinearRegression().fit(FIT_X, FIT_Y), NEW_X, noise="predicted").loss(
            (NEW_X, NEW_Y)
        )


def test_residuals_that_are_no_numbers_are_named():
    """SciPy spoke of a domain error."""
    with pytest.raises(
        ValueError, match="noise: residuals are NaN or infinite; look for missing targets"
    ):
        noise_of(np.append(np.random.default_rng(0).standard_normal(50), np.nan))


def test_the_noise_of_a_gaussian_process_is_found_in_pipelines_of_pipelines():
    process = GaussianProcessRegressor(RBF(), alpha=0.3, normalize_y=True, optimizer=None)
    plain = make_pipeline(StandardScaler(), process).fit(FIT_X, FIT_Y)
    nested = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), process)).fit(
        FIT_X, FIT_Y
    )
    losses = [
        regressor(each, NEW_X, noise="predicted").loss((NEW_X, NEW_Y)) for each in (plain, nested)
    ]
    np.testing.assert_allclose(*losses, rtol=1e-6)


def test_a_transformed_target_predicts_no_deviation():
    model = TransformedTargetRegressor(BayesianRidge(), func=np.log, inverse_func=np.exp).fit(
        FIT_X, FIT_Y
    )
    with pytest.raises(
        TypeError, match="TransformedTargetRegressor does not predict a standard deviation"
    ):
        regressor(model, NEW_X, noise="predicted").loss((NEW_X, NEW_Y))


def test_groups_with_an_index_are_put_into_the_order_of_the_targets():
    pandas = pytest.importorskip("pandas")
    targets, groups = pandas.Series(FIT_Y), pandas.Series(np.arange(len(FIT_Y)) // 30)
    expected = out_of_fold_residuals(
        LinearRegression(), (FIT_X, targets), cv=GroupKFold(4), groups=groups
    )
    other = groups.sample(frac=1.0, random_state=0)
    with pytest.warns(rivals.RivalsWarning, match="the rows of groups stand in another order"):
        found = out_of_fold_residuals(
            LinearRegression(), (FIT_X, targets), cv=GroupKFold(4), groups=other
        )
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("freedom", [0.7, 1.0, 3.0, 30.0, 1e9])
def test_students_t_is_that_of_the_highest_likelihood(freedom):
    draws = 1e-7 * stats.t(freedom).rvs(size=3000, random_state=0)
    fitted, scale = fit_student(draws)
    found = stats.t(fitted, scale=scale)
    theirs = stats.t(*stats.t.fit(draws, floc=0.0))
    # Beyond 10⁶ degrees of freedom the log density changes by less than 10⁻⁶.
    assert found.logpdf(draws).mean() > theirs.logpdf(draws).mean() - 1e-6


def test_students_t_of_many_residuals_takes_no_seconds():
    """`scipy.stats.t.fit` seeks without a gradient: 13 s in a cross-validation of 10⁵ points."""
    draws = stats.t(4).rvs(size=90_000, random_state=0)
    begin = time.process_time()
    stats.t.fit(draws, floc=0.0)
    theirs = time.process_time() - begin
    begin = time.process_time()
    noise_of(draws, "student")
    assert time.process_time() - begin < theirs / 4


def _fitted_anew(estimator, inputs, targets, splits):
    """Residuals fold by fold, each from a fit."""
    found = []
    for train, test in splits:
        fitted = estimator.fit(inputs[train], targets[train])
        found.append(targets[test] - fitted.predict(inputs[test]))
    return np.concatenate(found)


def test_linear_models_need_no_fits():
    """The same numbers as from fits, to 1e-11 of the targets: of inputs whose units differ by a
    factor of 1 000 the fits themselves have no more digits.
    """
    generator = np.random.default_rng(0)
    n_without_fits = 0
    for case in range(60):
        n_points = int(generator.integers(30, 600))
        n_columns = int(generator.integers(1, 8))
        mixing = np.eye(n_columns) + 0.5 * generator.normal(size=(n_columns, n_columns))
        inputs = generator.normal(size=(n_points, n_columns)) @ mixing
        inputs = inputs * 10 ** generator.uniform(-1, 1, size=n_columns) + 5.0
        targets = inputs.sum(axis=1) + generator.normal(size=n_points)
        ridge = Ridge(10.0 ** (case % 7 - 3))
        estimator = LinearRegression() if case % 2 else ridge
        if case % 3:
            scaler = StandardScaler(with_mean=case % 5 > 0, with_std=case % 3 == 1)
            estimator = make_pipeline(scaler, estimator)
        splits = list(KFold(5, shuffle=True, random_state=case).split(inputs))
        found = residuals_of_linear_model(estimator, inputs, targets, splits)
        if found is None:
            continue
        n_without_fits += 1
        np.testing.assert_allclose(
            found,
            _fitted_anew(estimator, inputs, targets, splits),
            rtol=0,
            atol=1e-11 * targets.std(),
        )
    assert n_without_fits > 30


class Louder(LinearRegression):
    """Predicts twice as much."""

    def predict(self, inputs):
        return 2 * super().predict(inputs)


OTHERS = {
    "a class of one's own": (Louder(), X),
    "no intercept": (LinearRegression(fit_intercept=False), X),
    "positive": (LinearRegression(positive=True), X),
    "a solver with a tolerance": (Ridge(solver="lsqr", tol=0.1), X),
    "single precision": (LinearRegression(), X.astype(np.float32)),
    "dependent columns": (LinearRegression(), np.column_stack([X, X[:, 0]])),
    "nearly dependent ones": (
        LinearRegression(),
        np.column_stack([X, X[:, 0] + 1e-7 * X[:, 1]]),
    ),
    "constant": (LinearRegression(), np.column_stack([X, np.ones(len(X))])),
    "units far apart": (LinearRegression(), X * np.geomspace(1e-9, 1e9, X.shape[1])),
    "behind another scaler": (make_pipeline(MinMaxScaler(), Ridge()), X),
    "behind two steps": (make_pipeline(StandardScaler(), PCA(1), LinearRegression()), X),
    "a scaler of a dummy": (make_pipeline(StandardScaler(), DummyRegressor()), X),
}


@pytest.mark.parametrize("name", OTHERS)
def test_all_other_models_are_fitted(name):
    estimator, inputs = OTHERS[name]
    splits = list(KFold(5).split(inputs))
    assert residuals_of_linear_model(estimator, inputs, Y, splits) is None
    np.testing.assert_array_equal(
        out_of_fold_residuals(estimator, (inputs, Y)), _fitted_anew(estimator, inputs, Y, splits)
    )


def test_a_column_constant_without_a_fold_is_fitted():
    """A dummy for the tested group: without it there is nothing to fit a coefficient to."""
    groups = np.arange(len(Y)) % 5
    inputs = np.column_stack([X, groups == 3])
    splits = list(GroupKFold(5).split(inputs, Y, groups))
    assert residuals_of_linear_model(LinearRegression(), inputs, Y, splits) is None


@pytest.mark.filterwarnings("error")
def test_targets_beyond_squares_are_fitted():
    splits = list(KFold(5).split(X))
    assert residuals_of_linear_model(LinearRegression(), X, 1e200 * Y, splits) is None


def test_folds_of_a_series_are_fitted():
    splits = list(TimeSeriesSplit(3).split(X))
    assert residuals_of_linear_model(LinearRegression(), X, Y, splits) is None


@pytest.mark.parametrize("kind", ["gaussian", "student", "empirical"])
@pytest.mark.parametrize("scale", [1e-160, 1e-300, 1e160])
def test_residuals_whose_squares_have_no_digits_are_refused(kind, scale):
    residuals = scale * np.random.default_rng(0).normal(size=50)
    with pytest.raises(ValueError, match=r"noise: residuals .* rescale the targets"):
        noise_of(residuals, kind)
    unit = noise_of(residuals / scale, kind)
    within = noise_of(residuals / scale * 1e-140, kind)
    at = np.linspace(-2.0, 2.0, 5)
    # A density 1e140 times as high.
    np.testing.assert_allclose(
        within.logpdf(1e-140 * at), unit.logpdf(at) + np.log(1e140), atol=1e-6
    )
