# needs: scikit-learn
"""Many estimators of scikit-learn, on real data; their noise is in tests/read/test_noise.py."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingRegressor,
)
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeCV
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC

import rivals
from rivals.read import classifier, regressor
from rivals.read.noise import noise_of, out_of_fold_residuals

pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")
CLASSIFIERS = [
    make_pipeline(StandardScaler(), LogisticRegression()),
    LinearDiscriminantAnalysis(),
    GaussianNB(),
    RandomForestClassifier(50, random_state=0),
    HistGradientBoostingClassifier(max_iter=20, random_state=0),
    KNeighborsClassifier(),
    make_pipeline(StandardScaler(), GaussianProcessClassifier()),
    make_pipeline(StandardScaler(), CalibratedClassifierCV(LinearSVC())),
    GridSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression()), {"logisticregression__C": [0.1, 1.0]}
    ),
]
REGRESSORS = [
    RidgeCV(),
    RandomForestRegressor(30, random_state=0),
    HistGradientBoostingRegressor(max_iter=20, random_state=0),
    KNeighborsRegressor(),
    make_pipeline(StandardScaler(), SVR(C=100)),
    GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}),
    StackingRegressor([("line", LinearRegression()), ("neighbours", KNeighborsRegressor())]),
    TransformedTargetRegressor(LinearRegression(), func=np.log, inverse_func=np.exp),
]


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda estimator: type(estimator).__name__)
def test_classifiers(estimator, load):
    bunch = load(as_frame=True)
    labels = bunch.target_names[bunch.target]
    x, x_new, y, y_new = train_test_split(bunch.data, labels, test_size=0.5, random_state=0)
    estimator.fit(x, y)
    model = classifier(estimator, x_new, floor=1e-3)
    probabilities = np.maximum(estimator.predict_proba(x_new), 1e-3)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    by_hand = -np.log(
        probabilities[np.arange(len(y_new)), np.searchsorted(estimator.classes_, y_new)]
    )
    np.testing.assert_allclose(model.loss((x_new, y_new)), by_hand, rtol=1e-12)
    drawn = np.concatenate(
        [model.simulate(len(x_new), np.random.default_rng(seed))[1] for seed in range(10)]
    )
    found = [np.sum(drawn == label) for label in estimator.classes_]
    assert stats.chisquare(found, 10 * probabilities.sum(axis=0)).pvalue > 1e-3
    np.testing.assert_array_equal(
        model.simulate(len(x_new), np.random.default_rng(0))[1], drawn[: len(x_new)]
    )


@pytest.mark.parametrize("estimator", REGRESSORS, ids=lambda estimator: type(estimator).__name__)
def test_regressors(estimator):
    x, x_new, y, y_new = train_test_split(
        *load_diabetes(return_X_y=True, as_frame=True), test_size=0.5, random_state=0
    )
    estimator.fit(x, y)
    noise = noise_of(out_of_fold_residuals(estimator, (x, y)))
    model = regressor(estimator, x_new, noise="cross-validated", training=(x, y))
    mean = estimator.predict(x_new)
    np.testing.assert_allclose(model.loss((x_new, y_new)), -noise.logpdf(y_new - mean), rtol=1e-12)
    drawn = model.simulate(len(x_new), np.random.default_rng(0))[1]
    assert stats.kstest(drawn - mean, noise.cdf).pvalue > 1e-3
    np.testing.assert_array_equal(model.simulate(len(x_new), np.random.default_rng(0))[1], drawn)
    # Not one of them is far too sure of itself.
    assert noise.std() == pytest.approx(np.sqrt(np.mean((y_new - mean) ** 2)), rel=0.25)


def test_several_targets_of_a_network():
    x, x_new, y, y_new = train_test_split(
        *load_diabetes(return_X_y=True), test_size=0.5, random_state=0
    )
    both, both_new = (
        np.column_stack([y, x[:, 0] * 1000]),
        np.column_stack([y_new, x_new[:, 0] * 1000]),
    )
    net = make_pipeline(
        StandardScaler(),
        MLPRegressor(hidden_layer_sizes=(8,), random_state=0, max_iter=100, solver="lbfgs"),
    ).fit(x, both)
    for residuals in ("gaussian", "empirical"):
        model = regressor(
            net, x_new, noise="cross-validated", training=(x, both), residuals=residuals
        )
        losses = model.losses((x_new, both_new), rng=0)
        assert losses.n_observed == len(y_new)


def test_texts_and_sparse_inputs():
    texts = [
        " ".join(words)
        for words in np.random.default_rng(0).choice(["up", "down", "left", "right"], (200, 6))
    ]
    labels = np.array([text.count("up") > 1 for text in texts])
    from_texts = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(
        texts[:100], labels[:100]
    )
    vectors = TfidfVectorizer().fit(texts[:100])
    from_sparse = LogisticRegression().fit(vectors.transform(texts[:100]), labels[:100])
    new = vectors.transform(texts[100:])
    assert sparse.issparse(new)
    np.testing.assert_allclose(
        classifier(from_texts, texts[100:]).loss((texts[100:], labels[100:])),
        classifier(from_sparse, new).loss((new, labels[100:])),
        rtol=1e-10,
    )
    assert len(classifier(from_texts, texts[100:]).simulate(10, np.random.default_rng(0))[0]) == 10


def test_what_cannot_be_used_is_named():
    x, x_new, y, y_new = train_test_split(
        *load_wine(return_X_y=True), test_size=0.5, random_state=0
    )
    with pytest.raises(TypeError, match="SVC has no predict_proba"):
        classifier(SVC().fit(x, y), x_new)
    with pytest.raises(TypeError, match=r"has no classes_: .* fit it first"):
        classifier(LogisticRegression(), x_new)
    several = MultiOutputClassifier(GaussianNB()).fit(x, np.column_stack([y, y]))
    with pytest.raises(TypeError, match="predicts 2 labels at once"):
        classifier(several, x_new)
    forest = RandomForestClassifier(5, random_state=0).fit(x[:, :2], y)
    with pytest.raises(ValueError, match=r"assigns zero probability to .* pass floor="):
        classifier(forest, x_new[:, :2]).loss((x_new[:, :2], y_new))
    column = LinearRegression().fit(x, y[:, None])
    with pytest.raises(
        ValueError,
        match=r"LinearRegression predicts shape \(89, 1\), the targets have shape \(89,\)",
    ):
        regressor(column, x_new, noise=stats.norm()).loss((x_new, y_new))


def test_the_whole_way():
    x, x_new, y, y_new = train_test_split(
        *load_diabetes(return_X_y=True, as_frame=True), test_size=0.5, random_state=0
    )
    fits = {
        "ridge": RidgeCV(),
        "age": make_pipeline(make_column_transformer(("passthrough", ["age"])), LinearRegression()),
    }
    models = {
        name: regressor(fit.fit(x, y), x_new, noise="cross-validated", training=(x, y))
        for name, fit in fits.items()
    }
    assert rivals.compare(models, (x_new, y_new), rng=0).ranking == ("ridge", "age")
