"""Distributions and estimators as candidates: losses by formula, simulations by law."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import rivals
from rivals.read import classifier, distribution, regressor

N = 20_000


@pytest.mark.parametrize(
    "frozen",
    [
        stats.norm(1.0, 2.0),
        stats.poisson(3.0),
        stats.binom(10, 0.3),
        stats.multivariate_normal([0.0, 1.0], [[1.0, 0.5], [0.5, 2.0]]),
        stats.norm(np.linspace(0, 5, N), 1.0),
    ],
    ids=["continuous", "discrete", "binomial", "multivariate", "regression"],
)
def test_a_distribution_is_calibrated_to_itself(frozen):
    """Losses of data from the distribution have the law of its own simulations: means agree
    within 5 errors.
    """
    model = distribution(frozen)
    losses = model.losses(model.simulate(N, np.random.default_rng(1)), rng=2)
    error = np.sqrt((losses.observed.var() + losses.synthetic.var()) / N)
    assert abs(losses.observed.mean() - losses.synthetic.mean()) < 5 * error


def test_loss_is_the_negative_log_density():
    y = np.array([0.0, 1.0, 2.0])
    np.testing.assert_allclose(
        distribution(stats.norm(scale=2.0)).loss(y), -stats.norm(scale=2.0).logpdf(y)
    )
    np.testing.assert_allclose(
        distribution(stats.poisson(2.0)).loss(y), -stats.poisson(2.0).logpmf(y)
    )


@pytest.mark.skipif(
    not hasattr(stats, "Normal"), reason="SciPy before 1.15 has no random variables of the new kind"
)
def test_random_variables_of_the_new_kind():
    model = distribution(stats.Normal(mu=1.0, sigma=2.0))
    y = model.simulate(N, np.random.default_rng(0))
    assert abs(y.mean() - 1.0) < 5 * 2 / np.sqrt(N)
    np.testing.assert_allclose(model.loss(y[:5]), -stats.norm(1, 2).logpdf(y[:5]))


def test_one_parameter_per_point_simulates_as_many():
    model = distribution(stats.norm(np.zeros(10), 1.0))
    with pytest.raises(ValueError, match="could not simulate 11 points"):
        model.simulate(11, np.random.default_rng(0))


def test_what_is_no_distribution_is_refused():
    with pytest.raises(TypeError, match="with one of logpdf"):
        distribution(3.0)
    with pytest.raises(TypeError, match="must be able to simulate"):
        distribution(OnlyDensity())


class OnlyDensity:
    def logpdf(self, x):
        return -(np.asarray(x) ** 2)


class Softmax:
    """A classifier of three classes, the third of which it never expects at negative inputs."""

    classes_ = np.array(["a", "b", "c"])

    def predict_proba(self, inputs):
        x = np.asarray(inputs)[:, 0]
        c = np.where(x < 0, 0.0, 0.5)
        return np.column_stack([0.3 * (1 - c), 0.7 * (1 - c), c])


INPUTS = np.random.default_rng(3).normal(size=(N, 1))


def test_simulated_labels_follow_the_probabilities():
    at, labels = classifier(Softmax(), INPUTS).simulate(N, np.random.default_rng(0))
    assert at is INPUTS
    positive = INPUTS[:, 0] >= 0
    for selection, expected in [(positive, [0.15, 0.35, 0.5]), (~positive, [0.3, 0.7, 0.0])]:
        found = np.array([np.mean(labels[selection] == name) for name in "abc"])
        assert np.all(np.abs(found - expected) < 5 * 0.5 / np.sqrt(selection.sum()))
    assert not np.any(labels[~positive] == "c")


def test_other_numbers_of_labels_are_at_resampled_inputs():
    at, labels = classifier(Softmax(), INPUTS).simulate(50, np.random.default_rng(0))
    assert len(at) == len(labels) == 50
    assert np.isin(at, INPUTS).all()


def test_probability_zero_is_explained_and_a_floor_helps():
    data = (np.array([[-1.0], [1.0], [1.0]]), ["c", "a", "b"])
    with pytest.raises(
        ValueError,
        match=r"Softmax assigns zero probability to 1 of 3 labels, .* point 0 \(from 0\): "
        r"'c', .* pass floor=",
    ):
        classifier(Softmax(), INPUTS).losses(data, rng=0)
    raised = classifier(Softmax(), INPUTS, floor=0.01)
    assert raised.loss(data)[0] == pytest.approx(-np.log(0.01 / 1.01))


def test_unknown_labels_and_forms_are_named():
    model = classifier(Softmax(), INPUTS)
    with pytest.raises(ValueError, match=r"1 of 2 labels are of a class .* point 1"):
        model.loss((INPUTS[:2], ["a", "z"]))
    with pytest.raises(ValueError, match="got 2 inputs and 3 of them"):
        model.loss((INPUTS[:2], ["a", "b", "c"]))
    with pytest.raises(TypeError, match="a pair"):
        model.loss(INPUTS)
    with pytest.raises(TypeError, match="has no predict_proba"):
        classifier(object(), INPUTS)
    with pytest.raises(ValueError, match="floor"):
        classifier(Softmax(), INPUTS, floor=1.5)


class Line:
    def predict(self, inputs, return_std=False):
        mean = 2.0 * np.asarray(inputs)[:, 0]
        return (mean, 0.5 + 0.1 * np.abs(mean)) if return_std else mean


class OnlyMean:
    def predict(self, inputs):
        return np.zeros(len(inputs))


class Deaf:
    """Takes any argument and ignores it; two means must not be taken for a mean and a deviation."""

    def predict(self, inputs, **_):
        return np.ones(len(inputs))


def test_regressor_with_named_and_with_predicted_noise():
    y = Line().predict(INPUTS) + 1.0
    named = regressor(Line(), INPUTS, noise=stats.t(4, scale=0.5))
    np.testing.assert_allclose(named.loss((INPUTS, y)), -stats.t(4, scale=0.5).logpdf(1.0))
    predicted = regressor(Line(), INPUTS, noise="predicted")
    mean, deviation = Line().predict(INPUTS, return_std=True)
    np.testing.assert_allclose(predicted.loss((INPUTS, y)), -stats.norm(mean, deviation).logpdf(y))
    for model in (named, predicted):
        losses = model.losses(model.simulate(N, np.random.default_rng(1)), rng=2)
        error = np.sqrt((losses.observed.var() + losses.synthetic.var()) / N)
        assert abs(losses.observed.mean() - losses.synthetic.mean()) < 5 * error


def test_noise_must_be_named():
    with pytest.raises(ValueError, match="noise must be"):
        regressor(Line(), INPUTS, noise="gaussian")
    for only_mean in (OnlyMean(), Deaf()):
        with pytest.raises(
            TypeError, match=f"{type(only_mean).__name__} does not predict a standard deviation"
        ):
            regressor(only_mean, INPUTS[:2], noise="predicted").loss((INPUTS[:2], np.zeros(2)))


def test_estimators_go_into_compare():
    at, labels = classifier(Softmax(), INPUTS).simulate(N, np.random.default_rng(5))
    models = {
        "right": classifier(Softmax(), at[:500], floor=1e-3),
        "coin": classifier(Coin(), at[:500]),
    }
    with pytest.warns(
        rivals.RivalsWarning, match="ties"
    ):  # both have a handful of probabilities only
        result = rivals.compare(models, (at[:500], labels[:500]), law="beta", c=0.25, rng=0)
    assert result.ranking == ("right", "coin")


class Coin:
    classes_ = np.array(["a", "b", "c"])

    def predict_proba(self, inputs):
        return np.full((len(inputs), 3), 1 / 3)


class Nameless:
    def predict_proba(self, inputs):
        return np.tile([0.25, 0.75], (len(inputs), 1))


def test_a_classifier_without_classes_asks_for_them():
    with pytest.raises(TypeError, match=r"Nameless has no classes_: .* classes=\[0, 1\]"):
        classifier(Nameless(), INPUTS)
    found = classifier(Nameless(), INPUTS, classes=["no", "yes"]).loss((INPUTS[:2], ["yes", "no"]))
    np.testing.assert_allclose(found, -np.log([0.75, 0.25]), rtol=1e-15)
    with pytest.raises(ValueError, match=r"probabilities of shape \(2, 2\), .* each of 3 classes"):
        classifier(Nameless(), INPUTS, classes=[0, 1, 2]).loss((INPUTS[:2], [0, 1]))
    with pytest.raises(ValueError, match="different labels"):
        classifier(Nameless(), INPUTS, classes=[0, 0])


def test_columns_of_labels_and_several_labels_are_named():
    with pytest.raises(
        ValueError,
        match=r"targets have shape \(2, 1\): the targets are a column; pass targets.ravel\(\)",
    ):
        classifier(Softmax(), INPUTS).loss((INPUTS[:2], np.array([["a"], ["b"]])))
    several = Nameless()
    several.classes_ = [np.array([0, 1]), np.array([0, 1])]
    with pytest.raises(TypeError, match="predicts 2 labels at once"):
        classifier(several, INPUTS)


class OfSums:
    """Takes sparse inputs as they are."""

    classes_ = np.array([0, 1])

    def predict_proba(self, inputs):
        odds = np.exp(np.asarray(inputs.sum(axis=1)).ravel())
        return np.column_stack([1 / (1 + odds), odds / (1 + odds)])

    def predict(self, inputs):
        return np.asarray(inputs.sum(axis=1)).ravel()


@pytest.mark.parametrize("form", ["csr_matrix", "csr_array", "coo_array"])
def test_sparse_inputs_work(form):
    from scipy import sparse

    dense = np.random.default_rng(0).normal(size=(200, 3)) * (np.arange(3) < 2)
    inputs = getattr(sparse, form)(dense)
    labels = np.arange(200) % 2
    model = classifier(OfSums(), inputs)
    np.testing.assert_allclose(
        model.loss((inputs, labels)), classifier(OfSums(), dense).loss((dense, labels)), rtol=1e-12
    )
    assert model.simulate(50, np.random.default_rng(0))[0].shape == (50, 3)
    noisy = regressor(OfSums(), inputs, noise=stats.norm(scale=0.5))
    assert noisy.losses(noisy.simulate(200, np.random.default_rng(0)), rng=0).n_observed == 200
    with pytest.raises(TypeError, match=r"targets are sparse \(csr_matrix\); pass .toarray"):
        noisy.loss((inputs, sparse.csr_matrix(dense[:, :1])))


class Tensor:
    """What of a tensor of PyTorch matters here: it must be detached before it is an array."""

    def __init__(self, values):
        self.values, self.shape, self.dtype = (
            np.asarray(values),
            np.shape(values),
            np.asarray(values).dtype,
        )

    def __array__(self, *_, **__):
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return self.values


def test_tensors_that_need_gradients_are_detached():
    y = np.array([0.0, 1.0, 2.0])
    np.testing.assert_array_equal(
        distribution(stats.norm()).loss(Tensor(y)), -stats.norm().logpdf(y)
    )
    model = regressor(Line(), INPUTS[:3], noise=stats.norm())
    np.testing.assert_array_equal(model.loss((INPUTS[:3], Tensor(y))), model.loss((INPUTS[:3], y)))


class Column(Line):
    """Fitted to targets of shape (n, 1)."""

    def predict(self, inputs, return_std=False):
        found = super().predict(inputs, return_std)
        return tuple(each[:, None] for each in found) if return_std else found[:, None]


@pytest.mark.parametrize("noise", [stats.norm(scale=0.5), "predicted"], ids=["named", "predicted"])
def test_predictions_and_targets_are_not_broadcast(noise):
    y = Line().predict(INPUTS)
    with pytest.raises(
        ValueError,
        match=r"Column predicts shape \(20000, 1\), the targets have shape \(20000,\): it was "
        r"fitted",
    ):
        regressor(Column(), INPUTS, noise=noise).loss((INPUTS, y))
    with pytest.raises(
        ValueError,
        match=r"targets have shape \(20000, 1\): the targets are a column; pass targets.ravel\(\)",
    ):
        regressor(Line(), INPUTS, noise=noise).loss((INPUTS, y[:, None]))
    with pytest.raises(ValueError, match="they must agree"):
        regressor(Line(), INPUTS, noise=noise).loss((INPUTS, np.zeros((N, 3))))
    columns = regressor(Column(), INPUTS, noise=noise)
    np.testing.assert_array_equal(
        columns.loss((INPUTS, y[:, None])), regressor(Line(), INPUTS, noise=noise).loss((INPUTS, y))
    )
    assert columns.simulate(N, np.random.default_rng(0))[1].shape == (N, 1)


class Plane:
    """Two targets."""

    def predict(self, inputs):
        return np.asarray(inputs)[:, :1] * [1.0, -2.0]


COVARIANCE = np.array([[1.0, 0.6], [0.6, 0.5]])


@pytest.mark.parametrize(
    ("noise", "by_hand", "covariance"),
    [
        (
            stats.norm(scale=0.5),
            lambda r: stats.norm(scale=0.5).logpdf(r).sum(axis=1),
            np.diag([0.25, 0.25]),
        ),
        (
            stats.norm(scale=[0.5, 2.0]),
            lambda r: stats.norm(scale=[0.5, 2.0]).logpdf(r).sum(axis=1),
            np.diag([0.25, 4]),
        ),
        (
            stats.multivariate_normal(cov=COVARIANCE),
            stats.multivariate_normal(cov=COVARIANCE).logpdf,
            COVARIANCE,
        ),
    ],
    ids=["one", "each", "together"],
)
def test_several_targets_have_one_loss_per_row(noise, by_hand, covariance):
    model = regressor(Plane(), INPUTS, noise=noise)
    at, y = model.simulate(N, np.random.default_rng(1))
    residuals = y - Plane().predict(at)
    np.testing.assert_allclose(model.loss((at, y)), -by_hand(residuals), rtol=1e-12)
    found = np.cov(residuals.T)
    # The standard error of a covariance of Gaussians is √((c_ii c_jj + c_ij²) / n).
    error = np.sqrt((np.outer(np.diag(covariance), np.diag(covariance)) + covariance**2) / N)
    assert np.all(np.abs(found - covariance) < 5 * error)
    np.testing.assert_array_equal(model.simulate(N, np.random.default_rng(1))[1], y)


def test_weights_are_refused_in_words():
    with pytest.raises(TypeError, match="Sample weights are not supported"):
        regressor(Line(), INPUTS, noise=stats.norm()).loss((INPUTS, np.zeros(N), np.ones(N)))


def test_lazy_frames_are_to_be_collected():
    polars = pytest.importorskip("polars", reason="lazy frames are those of polars")
    frame = polars.DataFrame({"x": [1.0, 2.0]})
    with pytest.raises(TypeError, match=r"inputs are a LazyFrame, .* pass .collect\(\)"):
        regressor(Line(), INPUTS, noise=stats.norm()).loss((frame.lazy(), [1.0, 2.0]))
    assert regressor(Line(), frame, noise=stats.norm()).simulate(5, np.random.default_rng(0))[
        0
    ].shape == (5, 1)


def test_noise_that_is_too_narrow_for_the_data_is_noticed():
    y = Line().predict(INPUTS) + np.random.default_rng(0).normal(size=N)
    with pytest.warns(
        rivals.RivalsWarning,
        match=r"5\d% of the targets lie outside its central 90%.*noise='cross-validated'",
    ):
        regressor(Line(), INPUTS, noise=stats.norm(scale=0.37)).loss((INPUTS, y))
    regressor(Line(), INPUTS, noise=stats.norm(scale=0.8)).loss((INPUTS, y))


def test_models_with_columns_of_their_own_are_told_what_to_do():
    """Numbers of columns differ, and the model takes them by place: statsmodels spoke of
    shapes that are not aligned.
    """
    linear_model = pytest.importorskip("sklearn.linear_model")
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline

    rng = np.random.default_rng(0)
    x = rng.standard_normal((300, 2))
    y = x.sum(axis=1) + rng.standard_normal(300)
    fits = {n: linear_model.LinearRegression().fit(x[:100, :n], y[:100]) for n in (1, 2)}
    new, target = x[100:], y[100:]
    models = {
        f"of {n}": regressor(fit, new[:, :n], noise=stats.norm(scale=1.5))
        for n, fit in fits.items()
    }
    with pytest.raises(
        ValueError,
        match=r"model 'of 1': LinearRegression takes 1 columns of inputs; the data have 2; "
        r".*model\.losses\(",
    ):
        rivals.compare(models, (new, target))
    losses = {
        name: model.losses((new[:, : n + 1], target), n_simulations=16, rng=n)
        for n, (name, model) in enumerate(models.items())
    }
    assert rivals.compare(losses, groups=np.arange(200) % 5, rng=0).ranking == ("of 2", "of 1")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(new, columns=["a", "b"])
    with pytest.raises(ValueError, match="takes 2 columns of inputs; the data have 3"):
        regressor(fits[2], frame, noise=stats.norm()).loss(
            (frame[["a"]].assign(c=1.0, d=2.0), target)
        )
    by_name = make_pipeline(
        make_column_transformer(("passthrough", ["a"])), linear_model.LinearRegression()
    )
    by_name.fit(frame[["a"]], target)
    assert (
        regressor(by_name, frame[["a"]], noise=stats.norm(scale=1.5)).loss((frame, target)).size
        == 200
    )


@pytest.mark.parametrize("others", [INPUTS + 1.0, INPUTS[:-1]])
def test_other_inputs_than_those_of_the_data_are_said(others):
    labels = np.resize(["a", "b"], len(others))
    given = {"A": classifier(Softmax(), INPUTS), "B": classifier(Softmax(), INPUTS.copy())}
    with pytest.warns(
        rivals.RivalsWarning, match="Softmax simulates at other inputs .* than those of the data"
    ) as found:
        rivals.compare(given, (others, labels), n_simulations=2, rng=0)
    assert len(found) == 2
    rivals.compare(
        given, (INPUTS.copy(), np.resize(["a", "b"], len(INPUTS))), rng=0
    )  # warnings are errors in the tests


def test_targets_with_an_index_belong_to_the_inputs_of_the_same_labels():
    pandas = pytest.importorskip("pandas", reason='needs pandas: pip install "rivals[pandas]"')
    inputs = pandas.DataFrame({"x": np.arange(20.0)})
    targets = pandas.Series(2 * np.arange(20.0) + 0.1)

    class Line:
        def predict(self, at):
            return 2.0 * at["x"].to_numpy()

    model = regressor(Line(), inputs, noise=stats.norm(scale=0.5))
    with pytest.warns(
        rivals.RivalsWarning,
        match="rows of the targets stand in another order than those of the inputs",
    ):
        found = model.loss((inputs, targets[::-1]))
    np.testing.assert_array_equal(found, model.loss((inputs, targets)))
    with pytest.raises(
        ValueError, match="the targets and the inputs have rows with different labels"
    ):
        model.loss((inputs, targets.set_axis(targets.index + 5)))


class Fair:
    """Two labels; it gives whatever it is made with."""

    classes_ = np.array(["a", "b"])

    def __init__(self, given):
        self.given = given

    def predict_proba(self, inputs):
        return np.tile(self.given, (len(inputs), 1))


def test_classes_in_another_order_than_those_of_the_estimator_are_refused():
    inputs = np.zeros((2, 1))
    with pytest.raises(ValueError, match=r"another order than Fair.classes_ = array\(\['a', 'b'\]"):
        classifier(Fair([0.2, 0.8]), inputs, classes=["b", "a"])
    named = classifier(
        Fair([0.2, 0.8]), inputs, classes=["no", "yes"]
    )  # names for labels that were coded
    np.testing.assert_allclose(named.loss((inputs, ["yes", "no"])), -np.log([0.8, 0.2]))


@pytest.mark.parametrize("given", [[-0.3, -1.2], [2.0, 5.0], [np.nan, 0.5]])
def test_what_is_no_probability_is_refused(given):
    inputs = np.zeros((2, 1))
    with pytest.raises(
        ValueError, match=r"Fair\.predict_proba gives numbers from .* which are no probabilities"
    ):
        classifier(Fair(given), inputs, floor=1e-3).loss((inputs, ["a", "b"]))
