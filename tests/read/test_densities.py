"""Distributions of all kinds that SciPy has, and of others that look like them: losses,
simulations, seeds, shapes.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import rivals
from rivals.read import distribution

N = 2000
RNG = np.random.default_rng(0)
MEANS = np.linspace(-3, 3, N)
PLANE = RNG.multivariate_normal([0.0, 1.0], [[1.0, 0.5], [0.5, 2.0]], size=300)
POSITIVE = stats.gamma(2.0, scale=3.0).rvs(size=300, random_state=1)

new_kind = pytest.mark.skipif(
    not hasattr(stats, "Normal"), reason="SciPy before 1.15 has no random variables of the new kind"
)


def of_new_kind():
    """Name → model, its CDF, its log density by the old distributions."""
    gamma = stats.make_distribution(stats.gamma)
    return {
        "one for all": (stats.Normal(mu=1.0, sigma=2.0), stats.norm(1.0, 2.0)),
        "one for each point": (stats.Normal(mu=MEANS, sigma=2.0), stats.norm(MEANS, 2.0)),
        "made from an old one": (gamma(a=2.0), stats.gamma(2.0)),
        "shifted and scaled": (3.0 * gamma(a=2.0) + 1.0, stats.gamma(2.0, 1.0, 3.0)),
    }


@new_kind
@pytest.mark.parametrize(
    "name", ["one for all", "one for each point", "made from an old one", "shifted and scaled"]
)
def test_random_variables_of_the_new_kind(name):
    new, old = of_new_kind()[name]
    model = distribution(new)
    y = model.simulate(N, np.random.default_rng(0))
    assert y.shape == (N,)
    np.testing.assert_allclose(model.loss(y), -old.logpdf(y), rtol=1e-12)
    assert stats.kstest(old.cdf(y), "uniform").pvalue > 1e-3
    np.testing.assert_array_equal(model.simulate(N, np.random.default_rng(0)), y)
    assert model.losses(y, n_simulations=2, rng=0).synthetic.shape == (2, N)


@pytest.mark.skipif(
    not hasattr(stats, "Binomial"), reason="SciPy before 1.16 has no discrete ones of the new kind"
)
def test_discrete_ones_of_the_new_kind_have_probabilities():
    model = distribution(stats.Binomial(n=10, p=0.3))
    y = model.simulate(N, np.random.default_rng(0))
    np.testing.assert_allclose(model.loss(y), -stats.binom(10, 0.3).logpmf(y), rtol=1e-12)
    fair_to(y, stats.binom(10, 0.3), np.arange(8))


def fair_to(counts, frozen, values):
    """χ² of how often values occur; all above the last are put together."""
    expected = np.append(frozen.pmf(values), 1 - frozen.pmf(values).sum()) * counts.size
    found = np.append([np.sum(counts == value) for value in values], np.sum(counts > values[-1]))
    assert stats.chisquare(found, expected).pvalue > 1e-3


def test_a_fit_of_scipy():
    fit = stats.fit(stats.gamma, POSITIVE, [(0.1, 10), (0, 0), (0.1, 10)])
    by_hand = stats.gamma(*fit.params)
    model = distribution(fit)
    y = model.simulate(N, np.random.default_rng(0))
    np.testing.assert_allclose(model.loss(POSITIVE), -by_hand.logpdf(POSITIVE), rtol=1e-12)
    assert stats.kstest(y, by_hand.cdf).pvalue > 1e-3
    fit.success, fit.message = False, "too few iterations"
    with pytest.warns(
        rivals.RivalsWarning, match="the fit of gamma did not succeed \\(too few iterations\\)"
    ):
        distribution(fit)


def test_kernel_density_estimates():
    kernel = stats.gaussian_kde(POSITIVE)
    model = distribution(kernel)
    y = model.simulate(N, np.random.default_rng(0))
    np.testing.assert_allclose(model.loss(y[:50]), -kernel.logpdf(y[:50]), rtol=1e-12)
    width = np.sqrt(kernel.covariance[0, 0])
    assert (
        stats.kstest(
            y, lambda at: stats.norm.cdf((at[:, None] - POSITIVE) / width).mean(axis=1)
        ).pvalue
        > 1e-3
    )
    np.testing.assert_array_equal(model.simulate(N, np.random.default_rng(0)), y)


def test_kernel_density_estimates_of_several_numbers_take_rows():
    kernel = stats.gaussian_kde(PLANE.T)
    model = distribution(kernel)
    y = model.simulate(200, np.random.default_rng(0))
    assert y.shape == (200, 2)
    np.testing.assert_allclose(model.loss(y), -kernel.logpdf(y.T), rtol=1e-12)


@pytest.mark.parametrize("kind", ["GaussianMixture", "KernelDensity"])
def test_mixtures_and_kernels_of_scikit_learn(kind):
    """Densities by formula; of draws, the mean within five errors of that of the model, and
    repeated by the seed.
    """
    pytest.importorskip("sklearn", reason="this recipe needs scikit-learn (group `recipes`)")
    from sklearn.mixture import GaussianMixture
    from sklearn.neighbors import KernelDensity

    if kind == "GaussianMixture":
        fit = GaussianMixture(2, random_state=0).fit(PLANE)
        parts = [
            stats.multivariate_normal(mean, cov)
            for mean, cov in zip(fit.means_, fit.covariances_, strict=True)
        ]
        by_hand = np.log(
            sum(weight * part.pdf(PLANE) for weight, part in zip(fit.weights_, parts, strict=True))
        )
        mean = fit.weights_ @ fit.means_
    else:
        fit = KernelDensity(bandwidth=0.5).fit(PLANE)
        distances = ((PLANE[:, None] - PLANE) ** 2).sum(axis=2)
        by_hand = np.log(np.mean(np.exp(-distances / (2 * 0.5**2)), axis=1) / (2 * np.pi * 0.5**2))
        mean = PLANE.mean(axis=0)
    model = distribution(fit)
    np.testing.assert_allclose(model.loss(PLANE), -by_hand, rtol=1e-6, atol=1e-9)
    drawn = model.simulate(4000, np.random.default_rng(0))
    assert np.all(np.abs(drawn.mean(axis=0) - mean) < 5 * drawn.std(axis=0) / np.sqrt(4000))
    np.testing.assert_array_equal(model.simulate(4000, np.random.default_rng(0)), drawn)
    assert abs(np.corrcoef(drawn[1:, 0], drawn[:-1, 0])[0, 1]) < 5 / np.sqrt(
        4000
    )  # not sorted by component


@pytest.mark.parametrize(
    ("frozen", "by_hand"),
    [
        (stats.dirichlet([1.0, 2.0, 3.0]), lambda d, row: d.logpdf(row)),
        (stats.wishart(4, [[1.0, 0.3], [0.3, 1.0]]), lambda d, row: d.logpdf(row)),
        (stats.multivariate_t([0.0, 1.0], np.eye(2), 5), lambda d, row: d.logpdf(row)),
        (stats.multinomial(5, [0.2, 0.3, 0.5]), lambda d, row: d.logpmf(row)),
        (stats.matrix_normal(np.zeros((2, 3))), lambda d, row: d.logpdf(row)),
    ],
    ids=["dirichlet", "wishart", "t", "multinomial", "matrix"],
)
def test_rows_of_several_numbers_are_points(frozen, by_hand):
    model = distribution(frozen)
    y = model.simulate(40, np.random.default_rng(0))
    np.testing.assert_allclose(model.loss(y), [-by_hand(frozen, row) for row in y], rtol=1e-12)
    np.testing.assert_array_equal(model.simulate(40, np.random.default_rng(0)), y)


def test_histograms_and_tables_of_values_are_distributions_already():
    histogram = stats.rv_histogram(np.histogram(POSITIVE, bins=4, range=(0, 50)))
    np.testing.assert_allclose(
        distribution(histogram).loss(POSITIVE), -histogram.logpdf(POSITIVE), rtol=1e-12
    )
    dice = stats.rv_discrete(values=([1, 2, 3], [0.5, 0.25, 0.25]))
    np.testing.assert_allclose(
        distribution(dice).loss(np.array([1, 2])), np.log([2.0, 4.0]), rtol=1e-12
    )


@pytest.mark.parametrize(
    ("family", "message"),
    [
        (stats.norm, r"norm is a family .* write norm\(\.\.\.\)"),
        (stats.gamma, r"write gamma\("),
        (stats.poisson, r"write poisson\("),
        (stats.multivariate_normal, r"write multivariate_normal\("),
        pytest.param(
            getattr(stats, "Normal", int),
            r"Normal is a family of distributions, .* write Normal\(",
            marks=new_kind,
        ),
    ],
    ids=["norm", "gamma", "poisson", "multivariate", "class"],
)
def test_families_without_parameters_are_refused(family, message):
    with pytest.raises(TypeError, match=message):
        distribution(family)


@pytest.mark.parametrize("kind", ["old", pytest.param("new", marks=new_kind)])
def test_shapes_are_never_broadcast(kind):
    def normal(mean):
        return distribution(
            stats.Normal(mu=mean, sigma=1.0) if kind == "new" else stats.norm(mean, 1.0)
        )

    y = np.zeros(5)
    with pytest.raises(
        ValueError,
        match=r"predicts shape \(5, 1\), the targets have shape \(5,\): it was fitted to a "
        r"column, or its parameters are one",
    ):
        normal(np.zeros((5, 1))).loss(y)
    with pytest.raises(
        ValueError,
        match=r"targets have shape \(5, 1\): the targets are a column; pass targets.ravel",
    ):
        normal(np.zeros(5)).loss(y[:, None])
    with pytest.raises(ValueError, match=r"predicts shape \(5,\), the targets have shape \(4,\)"):
        normal(np.zeros(5)).loss(y[:4])
    with pytest.raises(
        ValueError,
        match=r"predicts shape \(5,\), the targets have shape \(5, 1\): .* pass targets.ravel",
    ):
        normal(0.0).loss(y[:, None])
    with pytest.raises(ValueError, match="expected an array of points"):
        normal(0.0).loss(1.0)
    # The same shape is no broadcast: a row is a point.
    rows = np.arange(10.0).reshape(5, 2)
    np.testing.assert_allclose(
        normal(np.zeros((5, 2))).loss(rows), -stats.norm.logpdf(rows).sum(axis=1), rtol=1e-12
    )
    assert normal(np.zeros((5, 2))).simulate(5, np.random.default_rng(0)).shape == (5, 2)


def test_points_of_another_size_are_named():
    with pytest.raises(
        ValueError,
        match=r"predicts shape \(4, 2\), the targets have shape \(4, 3\); they must agree",
    ):
        distribution(stats.multivariate_normal([0.0, 0.0])).loss(np.zeros((4, 3)))


class Own:
    """Densities under other names, and a sampler that takes a seed."""

    def log_prob(self, x):
        return stats.norm.logpdf(x)

    def sample(self, n, seed):
        return np.random.default_rng(seed).normal(size=n)


class Joint(Own):
    def log_prob(self, x):
        return stats.norm.logpdf(x).sum()


class Unseeded(Own):
    def sample(self, n):
        return np.zeros(n)


def test_objects_of_your_own():
    model = distribution(Own())
    y = model.simulate(N, np.random.default_rng(0))
    np.testing.assert_array_equal(model.loss(y), -stats.norm.logpdf(y))
    assert stats.kstest(y, "norm").pvalue > 1e-3
    np.testing.assert_array_equal(model.simulate(N, np.random.default_rng(0)), y)
    with pytest.raises(ValueError, match="it has one density for all of them together"):
        distribution(Joint()).loss(y)
    with pytest.raises(TypeError, match=r"Unseeded\.sample takes no seed"):
        distribution(Unseeded())


def test_a_bayesian_mixture_is_the_one_that_it_samples_from():
    """Its own scores have expected logs of weights and precisions, and are the logs of no
    density: they add up to 0.97 here.
    """
    mixtures = pytest.importorskip("sklearn.mixture")
    points = np.concatenate([RNG.normal(-2.0, 0.5, 40), RNG.normal(2.0, 1.0, 60)])[:, None]
    fit = mixtures.BayesianGaussianMixture(n_components=3, random_state=0, max_iter=1000).fit(
        points
    )
    grid = np.linspace(-15, 15, 20_001)[:, None]
    parts = zip(fit.weights_, fit.means_[:, 0], np.sqrt(fit.covariances_[:, 0, 0]), strict=True)
    density = sum(weight * stats.norm(mean, width).pdf(grid[:, 0]) for weight, mean, width in parts)
    np.testing.assert_allclose(
        np.exp(-distribution(fit).loss(grid)), density, rtol=1e-9, atol=1e-300
    )


@pytest.mark.parametrize("options", [{"metric": "manhattan"}, {"kernel": "epanechnikov"}])
def test_a_kernel_estimate_without_density_or_sampler_is_refused(options):
    """Under the metric "manhattan" what scikit-learn calls a density adds up to 0.64 in the
    plane.
    """
    neighbors = pytest.importorskip("sklearn.neighbors")
    with pytest.raises(
        TypeError, match="has no density or no sampler; use 'gaussian' or 'tophat', 'euclidean'"
    ):
        distribution(neighbors.KernelDensity(**options).fit(PLANE))
