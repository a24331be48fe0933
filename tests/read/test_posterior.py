"""Bayesian models: trees of ArviZ against their formulas, and posteriors without each group."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

import rivals
from rivals.read import left_out_posterior, posterior

xarray = pytest.importorskip("xarray")

GROUP = np.repeat(["a", "b", "c", "d"], 15)


def log_likelihoods(n_points=60, seed=0):
    """Of two chains, for draws of the mean of a Gaussian near the exact posterior."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n_points)
    mean = rng.normal(y.mean(), n_points**-0.5, size=(2, 500, 1))
    return y, mean, stats.norm(mean, 1.0).logpdf(y)


def dataset(values, dims=("chain", "draw", "point")):
    return xarray.Dataset({"y": (dims, values)})


def tree(**groups):
    return xarray.DataTree.from_dict(groups)


class InferenceData:
    """What ArviZ 0.x offers: groups are datasets, listed by a method."""

    def __init__(self, groups):
        self._groups = groups

    def groups(self):
        return list(self._groups)

    def __getitem__(self, name):
        return self._groups[name]


def test_held_out_points_are_judged_by_the_mean_likelihood():
    _, _, values = log_likelihoods()
    expected = -np.log(np.mean(np.exp(values), axis=(0, 1)))
    given = {"log_likelihood_held_out": dataset(values)}
    for each in (tree(**given), InferenceData(given), given):
        found = posterior(each, groups=GROUP)
        np.testing.assert_allclose(found.observed, expected, atol=1e-12)
    # Points of any shape, draws in any order, and likelihoods that underflow.
    other = dataset(
        values.reshape(2, 500, 6, 10).transpose(2, 0, 3, 1) - 5000.0, ("a", "chain", "b", "draw")
    )
    found = posterior(tree(log_likelihood_held_out=other))
    np.testing.assert_allclose(found.observed - 5000.0, expected, atol=1e-9)


def test_simulations_are_kept_apart():
    _, _, values = log_likelihoods()
    simulated = np.stack([log_likelihoods(seed=each)[2] for each in (1, 2, 3)], axis=2)
    dims = ("chain", "draw", "simulation", "point")
    found = posterior(
        tree(
            log_likelihood_held_out=dataset(values),
            log_likelihood_simulated=dataset(simulated, dims),
        )
    )
    assert found.simulated.shape == (3, 60)
    expected = -np.log(np.mean(np.exp(simulated), axis=(0, 1)))
    np.testing.assert_allclose(found.simulated, expected, atol=1e-12)


def test_each_point_left_out_is_elpd_of_arviz():
    pytest.importorskip("arviz_base")  # without it arviz_stats has no `loo`
    arviz_stats = pytest.importorskip("arviz_stats")
    _, mean, values = log_likelihoods()
    given = tree(
        posterior=xarray.Dataset({"mean": (("chain", "draw"), mean[..., 0])}),
        log_likelihood=dataset(values),
    )
    found = posterior(given)
    elpd = arviz_stats.loo(given, pointwise=True)
    np.testing.assert_allclose(found.observed, -np.ravel(elpd.elpd_i), atol=1e-8)
    np.testing.assert_allclose(posterior(elpd).observed, found.observed, atol=1e-8)
    with pytest.warns(rivals.RivalsWarning, match="left_out_posterior"):
        posterior(given, groups=GROUP)


def test_points_that_importance_sampling_cannot_leave_out_are_named():
    pytest.importorskip("arviz_stats")
    y, mean, _ = log_likelihoods()
    y[7] = 30.0
    values = stats.norm(mean, 1.0).logpdf(y)
    with pytest.warns(rivals.RivalsWarning, match=r"1 of 60 points.*: point 7 \("):
        posterior(tree(log_likelihood=dataset(values)))


def test_pointwise_values_of_folds():
    elpd = SimpleNamespace(kind="loo_kfold", scale="log", elpd_i=-np.arange(60.0))
    found = posterior(elpd, groups=GROUP)
    assert np.array_equal(found.observed, np.arange(60.0))
    assert found.source.left_out is True
    for change, message in (({"elpd_i": None}, "pointwise"), ({"scale": "deviance"}, "deviance")):
        with pytest.raises(ValueError, match=message):
            posterior(SimpleNamespace(**vars(elpd) | change))


def test_what_a_tree_lacks_is_said():
    _, _, values = log_likelihoods()
    with pytest.raises(ValueError, match=r"compute_log_likelihood"):
        posterior(tree(posterior=dataset(values)))
    two = xarray.Dataset({"y": dataset(values)["y"], "z": dataset(values)["y"]})
    with pytest.raises(ValueError, match="variable= one of y, z"):
        posterior(tree(log_likelihood_held_out=two))
    assert posterior(tree(log_likelihood_held_out=two), variable="z").n_points == 60
    with pytest.raises(ValueError, match="'chain' or 'draw'"):
        posterior(tree(log_likelihood_held_out=dataset(values[0], ("a", "b"))))


# ---------------------------------------------------------------- groups left out


def schools(n_groups=6, size=12, seed=0):
    rng = np.random.default_rng(seed)
    school = np.repeat(np.arange(n_groups), size)
    y = rng.normal(size=n_groups)[school] + 0.5 * rng.normal(size=school.size)
    return {"y": y, "school": school, "sigma": 0.5}


def draws_of(rows, n=4000):
    """The exact posterior of a mean, with a flat prior."""
    y = rows["y"]
    return np.random.default_rng(len(y)).normal(y.mean(), len(y) ** -0.5, size=(n, 1))


def build(rows):
    mean = draws_of(rows)
    return lambda new: stats.norm(mean, 1.0).logpdf(new["y"])


def test_losses_are_those_of_a_loop():
    data = schools()
    found = left_out_posterior(build, data, groups="school")
    joint = left_out_posterior(build, data, groups="school", joint=True)
    pointwise, whole = np.empty(72), np.empty(6)
    for each in range(6):
        test = data["school"] == each
        values = stats.norm(draws_of({"y": data["y"][~test]}), 1.0).logpdf(data["y"][test])
        pointwise[test] = np.log(4000) - logsumexp(values, axis=0)
        whole[each] = np.log(4000) - logsumexp(values.sum(axis=1))
    np.testing.assert_allclose(found.observed, pointwise, atol=1e-10)
    np.testing.assert_allclose(joint.observed, whole, atol=1e-10)
    assert found.groups.noun == joint.groups.noun == "school"
    assert (found.source.left_out, found.source.n_folds) == (True, 6)
    # The exact predictive density, by its formula.
    test = data["school"] == 2
    own = stats.norm(data["y"][~test].mean(), np.sqrt(1 + 1 / 60)).logpdf(data["y"][test])
    np.testing.assert_allclose(found.observed[test], -own, atol=0.01)


def test_arrays_of_chains_xarrays_and_trees_are_the_same():
    data = schools()

    def form(made):
        def build(rows):
            mean = draws_of(rows)
            return lambda new: made(stats.norm(mean, 1.0).logpdf(new["y"]).reshape(2, 2000, -1))

        return build

    forms = {
        "plain": build,
        "chains": form(lambda values: values),
        "xarray": form(lambda values: dataset(values)["y"]),
        "tree": form(lambda values: tree(log_likelihood=dataset(values))),
    }
    found = left_out_posterior(forms, data, groups="school")
    for each in found.values():
        np.testing.assert_allclose(each.observed, found["plain"].observed, atol=1e-12)


def test_a_hierarchical_model_is_given_credit_jointly():
    """What the points of a school share is known to the one model alone."""
    data = schools(12)

    def hierarchical(rows):
        rng = np.random.default_rng(1)
        means = np.array([rows["y"][rows["school"] == each].mean() for each in set(rows["school"])])
        mean = rng.normal(means.mean(), means.std() / np.sqrt(means.size), size=(4000, 1))
        effect = mean + rng.normal(0.0, means.std(), size=(4000, 1))
        return lambda new: stats.norm(effect, rows["sigma"]).logpdf(new["y"])

    models = {"hierarchical": hierarchical, "pooled": build}
    result = rivals.compare(left_out_posterior(models, data, groups="school", joint=True))
    assert result.best == "hierarchical"


def test_few_draws_are_warned_of():
    data = schools()

    def few(rows):
        mean = draws_of(rows, 5)
        return lambda new: stats.norm(mean, 0.1).logpdf(new["y"])

    with pytest.warns(rivals.RivalsWarning, match="'few'.*effective number of"):
        left_out_posterior({"few": few}, data, groups="school", joint=True)


def test_mistakes_are_named():
    data = schools()
    with pytest.raises(TypeError, match=r"fold 1 of 6, without school 0: .*draws × points"):
        left_out_posterior(lambda rows: np.zeros((3, 12)), data, groups="school")
    with pytest.raises(ValueError, match=r"shape \(3, 5\) for 12 points"):
        left_out_posterior(lambda rows: lambda new: np.zeros((3, 5)), data, groups="school")
    with pytest.raises(TypeError, match="seen every group"):
        left_out_posterior(np.zeros(3), data, groups="school")
    with pytest.raises(ValueError, match="infinite loss"):
        left_out_posterior(
            lambda rows: lambda new: np.full((3, 12), -np.inf), data, groups="school"
        )


@pytest.mark.filterwarnings("ignore")
def test_numpyro_in_one_line():
    numpyro = pytest.importorskip("numpyro")
    from numpyro.infer import log_likelihood

    def model(y):
        mean = numpyro.sample("mean", numpyro.distributions.Normal(0, 5))
        numpyro.sample("y", numpyro.distributions.Normal(mean, 1.0), obs=y)

    def with_numpyro(rows):
        draws = {"mean": draws_of(rows)[:, 0]}
        return lambda new: log_likelihood(model, draws, y=new["y"])["y"]

    data = schools()
    found = left_out_posterior(with_numpyro, data, groups="school")
    expected = left_out_posterior(build, data, groups="school")
    np.testing.assert_allclose(found.observed, expected.observed, atol=1e-5)  # single precision
