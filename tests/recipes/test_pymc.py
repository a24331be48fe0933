# needs: pymc>=5.16, matplotlib<3.11
"""Posteriors of PyMC: losses by hand from the draws, simulations by the law of the
predictive, seeds, and the model left alone.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

import rivals
from rivals.read import left_out_posterior, posterior

pymc = pytest.importorskip("pymc")
# What the library and its own dependencies warn of is theirs.
pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")

rng = np.random.default_rng(0)
N, NEW = 60, 200
X = rng.normal(size=N + NEW)
Y = 1.0 + 2.0 * X + 0.5 * rng.normal(size=N + NEW)
HELD_OUT = {"x": X[N:], "y_observed": Y[N:]}


def sampled(model):
    with model:
        return pymc.sample(
            100,
            tune=200,
            chains=2,
            cores=1,
            progressbar=False,
            random_seed=1,
            compute_convergence_checks=False,
        )


@pytest.fixture(scope="module")
def line():
    with pymc.Model(coords={"point": np.arange(N)}) as model:
        x, y = pymc.Data("x", X[:N], dims="point"), pymc.Data("y_observed", Y[:N], dims="point")
        a, b, width = pymc.Normal("a", 0, 5), pymc.Normal("b", 0, 5), pymc.HalfNormal("width", 2)
        pymc.Normal("y", a + b * x, width, observed=y, dims="point")
    return model, sampled(model)


def parameters(draws):
    return [draws["posterior"][name].values.reshape(-1, 1) for name in ("a", "b", "width")]


def test_losses_are_those_by_hand(line):
    model, draws = line
    a, b, width = parameters(draws)
    densities = stats.norm(a + b * X[N:], width).logpdf(Y[N:])
    found = posterior(model, draws, HELD_OUT, n_simulations=2, rng=0)
    np.testing.assert_allclose(
        found.observed, np.log(len(a)) - logsumexp(densities, axis=0), rtol=0, atol=1e-12
    )
    mean = posterior(model, draws, HELD_OUT, reduction="mean", n_simulations=1, rng=0)
    np.testing.assert_allclose(mean.observed, -densities.mean(axis=0), rtol=0, atol=1e-12)


def test_simulations_follow_the_posterior_predictive(line):
    """Losses of simulations against losses of data drawn from the mixture over draws, by
    Kolmogorov and Smirnov.
    """
    model, draws = line
    a, b, width = parameters(draws)
    own = np.random.default_rng(5)
    expected = []
    for _ in range(20):
        chosen = own.integers(len(a), size=NEW)
        y = own.normal((a[chosen, 0] + b[chosen, 0] * X[N:]), width[chosen, 0])
        expected.append(
            np.log(len(a)) - logsumexp(stats.norm(a + b * X[N:], width).logpdf(y), axis=0)
        )
    found = posterior(model, draws, HELD_OUT, n_simulations=20, rng=3).synthetic
    assert found.shape == (20, NEW)
    assert stats.ks_2samp(found.ravel(), np.concatenate(expected)).pvalue > 1e-3


def test_seeds_repeat_and_the_model_keeps_its_data(line):
    model, draws = line
    first, second, other = (
        posterior(model, draws, HELD_OUT, n_simulations=2, rng=seed) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.synthetic, second.synthetic)
    assert not np.array_equal(first.synthetic, other.synthetic)
    np.testing.assert_array_equal(model["y_observed"].get_value(), Y[:N])
    assert len(model.coords["point"]) == N


def test_counts_and_a_comparison():
    counts = np.random.default_rng(1).poisson(np.exp(0.5 + 0.8 * X))
    losses = {}
    for name, with_slope in (("slope", True), ("none", False)):
        with pymc.Model() as model:
            x, y = pymc.Data("x", X[:N]), pymc.Data("y_observed", counts[:N])
            a, b = pymc.Normal("a"), pymc.Normal("b")
            pymc.Poisson("y", pymc.math.exp(a + (b * x if with_slope else 0.0 * x)), observed=y)
        draws = sampled(model)
        held_out = {"x": X[N:], "y_observed": counts[N:]}
        losses[name] = posterior(model, draws, held_out, rng=0)
        a, b = (draws["posterior"][each].values.reshape(-1, 1) for each in "ab")
        rate = np.exp(a + b * X[N:] * with_slope)
        expected = np.log(rate.shape[0]) - logsumexp(stats.poisson(rate).logpmf(counts[N:]), axis=0)
        np.testing.assert_allclose(losses[name].observed, expected, rtol=0, atol=1e-12)
    assert rivals.compare(losses, rng=0).survivors == ("slope",)


def test_what_is_wrong_is_said(line):
    model, draws = line
    with pytest.warns(rivals.RivalsWarning, match="those in the model, to which it was fitted"):
        posterior(model, draws, {"x": X[:N], "y_observed": Y[:N]}, n_simulations=1, rng=0)
    with pytest.raises(
        ValueError, match="no values of 'y_observed', which has a row for each of 60 points"
    ):
        posterior(model, draws, {"x": X[N:]})
    with pytest.raises(ValueError, match=r"has no pymc\.Data 'z'"):
        posterior(model, draws, HELD_OUT | {"z": X})
    with pytest.raises(ValueError, match="no variable 'w'"):
        posterior(model, draws, HELD_OUT, variable="w")
    with pymc.Model() as fixed:
        pymc.Normal("y", pymc.Normal("a"), 1.0, observed=Y[:N])
    with pytest.raises(ValueError, match="are fixed in the model"):
        posterior(fixed, draws, {})
    with pytest.raises(TypeError, match="with the group 'posterior'; got dict"):
        posterior(model, {"a": X}, HELD_OUT)
    with pymc.Model() as other:
        pymc.Normal("y", pymc.Normal("another"), 1.0, observed=pymc.Data("y_observed", Y[:N]))
    with pytest.raises(ValueError, match=r"no draws of \['another'\], which the model has"):
        posterior(other, draws, {"y_observed": Y[N:]})
    with pymc.Model() as joint:
        pymc.MvNormal("y", pymc.Normal("a") * np.ones(N), np.eye(N), observed=Y[:N])
    with pytest.raises(ValueError, match="one likelihood for all points together"):
        posterior(joint, draws, leave_one_out=True)
    with pytest.raises(ValueError, match=r"observed: the model has no pymc\.Data 'w'"):
        posterior(model, draws, HELD_OUT, observed="w")


def test_inputs_are_needed_anew_also_where_the_new_points_are_as_many(line):
    model, draws = line
    with pytest.raises(
        ValueError,
        match=r"no values of 'x', which has a row for each of 60 points.*or the same again",
    ):
        posterior(model, draws, {"y_observed": Y[N : 2 * N]})


def test_models_with_initial_values_and_without_containers(line):
    """The posterior without each point needs no containers: its data are those in the model."""
    model, draws = line
    with pymc.Model() as fixed:
        a, b = pymc.Normal("a", 0, 5, initval=1.0), pymc.Normal("b", 0, 5)
        pymc.Normal("y", a + b * X[:N], pymc.HalfNormal("width", 2, initval=3.0), observed=Y[:N])
    expected, found = (
        posterior(each, draws, leave_one_out=True, n_simulations=2, rng=0)
        for each in (model, fixed)
    )
    np.testing.assert_allclose(found.observed, expected.observed, rtol=1e-12)
    np.testing.assert_allclose(found.synthetic, expected.synthetic, rtol=1e-12)
    assert {rv.name: value for rv, value in fixed.rvs_to_initial_values.items()} == {
        "a": 1.0,
        "b": None,
        "width": 3.0,
    }


def test_one_held_out_point_changes_no_other_loss(line):
    model, draws = line
    moved = Y[N:].copy()
    moved[7] += 1.0
    losses = [
        posterior(model, draws, HELD_OUT | {"y_observed": y}, n_simulations=1, rng=0)
        for y in (Y[N:], moved)
    ]
    assert np.flatnonzero(losses[0].observed != losses[1].observed).tolist() == [7]


def test_integers_that_the_model_simulates_as_other_numbers(line):
    """A container of integers cannot hold them; held-out integers can be given where it
    holds floats.
    """
    model, draws = line
    rounded = np.round(Y[N:])
    expected, found = (
        posterior(model, draws, HELD_OUT | {"y_observed": y}, n_simulations=1, rng=0)
        for y in (rounded, rounded.astype(int))
    )
    np.testing.assert_array_equal(found.synthetic, expected.synthetic)
    with pymc.Model() as whole:
        x, y = pymc.Data("x", X[:N]), pymc.Data("y_observed", np.round(Y[:N]).astype(int))
        a, b = pymc.Normal("a", 0, 5), pymc.Normal("b", 0, 5)
        pymc.Normal("y", a + b * x, pymc.HalfNormal("width", 2), observed=y)
    with pytest.raises(
        TypeError,
        match=r"no integers, but the model holds its data as .* put floats into pymc\.Data",
    ):
        posterior(
            whole, draws, HELD_OUT | {"y_observed": rounded.astype(int)}, n_simulations=1, rng=0
        )


@pytest.mark.parametrize("joint", [False, True])
def test_groups_left_out_are_judged_by_the_posterior_without_them(joint):
    """By hand from the same draws; a group without data has its effect from the population."""
    groups = np.arange(N) % 3
    kept = {}

    def build(rows):
        with pymc.Model() as model:
            x = pymc.Data("x", rows["x"])
            group = pymc.Data("group", rows["group"])
            y = pymc.Data("y_observed", rows["y"])
            slope = pymc.Normal("slope", 0, 5)
            effect = pymc.Normal("effect", 0, 1, shape=3)
            width = pymc.HalfNormal("width", 2)
            pymc.Normal("y", slope * x + effect[group], width, observed=y)
        (left_out,) = set(range(3)) - set(rows["group"].tolist())
        kept[left_out] = sampled(model)
        return model, kept[left_out]

    found = left_out_posterior(
        build,
        {"x": X[:N], "group": groups, "y": Y[:N]},
        groups="group",
        joint=joint,
        held_out=lambda rows: {
            "x": rows["x"],
            "group": rows["group"],
            "y_observed": rows["y"],
        },
        n_simulations=2,
        rng=0,
    )
    for group in range(3):
        draws = kept[group]["posterior"]
        slope = draws["slope"].values.reshape(-1, 1)
        effect = draws["effect"].values.reshape(-1, 3)[:, [group]]
        inside = groups == group
        width = draws["width"].values.reshape(-1, 1)
        means = slope * X[:N][inside] + effect
        densities = stats.norm(means, width).logpdf(Y[:N][inside])
        if joint:
            densities = densities.sum(axis=1, keepdims=True)
        expected = np.log(len(densities)) - logsumexp(densities, axis=0)
        own = found.observed[[group]] if joint else found.observed[inside]
        np.testing.assert_allclose(own, expected, rtol=0, atol=1e-9)
