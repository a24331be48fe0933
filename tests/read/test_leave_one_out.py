"""Leave-one-out losses from a posterior, against a conjugate model where all of it is known
in closed form.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import rivals
from rivals.read import arviz_tree, posterior
from rivals.read.posterior_draws import relative_efficiency

xarray = pytest.importorskip(
    "xarray", reason='ArviZ trees need xarray: pip install "rivals[arviz]"'
)
pytest.importorskip(
    "arviz_stats", reason='leave-one-out needs arviz-stats: pip install "rivals[arviz]"'
)

# A mean with a flat prior, known unit variance: the posterior is N(mean, 1/n), and that
# without a point likewise.
N, DRAWS, SIMULATIONS = 60, 4000, 8
rng = np.random.default_rng(0)
Y = rng.normal(size=N)
MU = Y.mean() + rng.normal(size=(DRAWS, 1)) / np.sqrt(N)
LIKELIHOOD = stats.norm.logpdf(Y, MU)


def without_each():
    """The predictive distribution of each point from the others."""
    return stats.norm((Y.sum() - Y) / (N - 1), np.sqrt(1 + 1 / (N - 1)))


def tree():
    chosen = rng.integers(DRAWS, size=(SIMULATIONS, N))
    simulated = rng.normal(MU[chosen, 0])
    likelihood = stats.norm.logpdf(simulated, MU[:, :, None])
    groups = {
        "log_likelihood": xarray.Dataset({"y": (("chain", "draw", "point"), LIKELIHOOD[None])}),
        "log_likelihood_simulated": xarray.Dataset(
            {"y": (("chain", "draw", "simulation", "point"), likelihood[None])}
        ),
    }
    return xarray.DataTree.from_dict(groups)


TREE = tree()


def test_losses_are_those_without_each_point():
    """Importance sampling of 4 000 draws: each within 0.02, the mean within 0.002; those of
    the training data are 1/n off.
    """
    found = arviz_tree(TREE, reduction="lpd", leave_one_out=True).observed
    exact = -without_each().logpdf(Y)
    assert np.max(np.abs(found - exact)) < 0.02
    assert abs(np.mean(found - exact)) < 0.002
    with pytest.warns(rivals.RivalsWarning, match="pass leave_one_out=True"):
        trained = arviz_tree(TREE, reduction="lpd", held_out="log_likelihood").observed
    # −½ d² (1 − 1/n)… summed: the optimism is one parameter over n, here within a third of it.
    assert np.mean(exact - trained) == pytest.approx(1 / N, rel=1 / 3)


def test_the_efficiency_of_correlated_draws_is_that_of_theory():
    """Of an autoregression ρ: (1 − ρ)/(1 + ρ), here 1/19; the estimate from 2 × 5 000 draws
    is good to a quarter.
    """
    walk = np.random.default_rng(1).normal(size=(2, 5000))
    for step in range(1, 5000):
        walk[:, step] = 0.9 * walk[:, step - 1] + np.sqrt(1 - 0.9**2) * walk[:, step]
    given = xarray.DataTree.from_dict(
        {"posterior": xarray.Dataset({"mu": (("chain", "draw"), walk)})}
    )
    assert relative_efficiency(given) == pytest.approx(1 / 19, rel=0.25)
    assert relative_efficiency({"mu": walk}) == 1.0


def test_simulations_are_off_in_the_second_order_only():
    """Losses of simulations are χ² of one degree over two but for a constant; that of the
    whole posterior is 1/n² off.
    """
    found = arviz_tree(TREE, reduction="lpd", leave_one_out=True).synthetic
    constant = 0.5 * np.log(2 * np.pi * (1 + 1 / N))
    assert abs(constant - 0.5 * np.log(2 * np.pi * (1 + 1 / (N - 1)))) < 1 / N**2
    assert stats.kstest(2.0 * (found.ravel() - constant), stats.chi2(1).cdf).pvalue > 1e-3
    assert found.shape == (SIMULATIONS, N)


def test_a_posterior_simulates_and_judges_without_each_point():
    numpyro = pytest.importorskip("numpyro")
    dist = pytest.importorskip("numpyro.distributions")

    def model(y=None):
        mu = numpyro.sample("mu", dist.Normal(0, 100))
        with numpyro.plate("points", N):
            numpyro.sample("obs", dist.Normal(mu, 1), obs=y)

    found = posterior(
        model,
        {"mu": MU[:, 0].astype(np.float32)},
        {"y": Y},
        leave_one_out=True,
        n_simulations=SIMULATIONS,
        rng=1,
    )
    assert np.max(np.abs(found.observed + without_each().logpdf(Y))) < 0.02
    constant = 0.5 * np.log(2 * np.pi * (1 + 1 / (N - 1)))
    assert stats.kstest(2.0 * (found.synthetic.ravel() - constant), stats.chi2(1).cdf).pvalue > 1e-3


def test_losses_without_a_point_are_not_judged_by_groups():
    """Without one point the model has still seen the others of its group."""
    losses = arviz_tree(TREE, reduction="lpd", leave_one_out=True)
    assert losses.folds == "points"
    alone = {"log_likelihood": TREE["log_likelihood"].dataset}
    with pytest.warns(rivals.RivalsWarning, match="left_out_posterior if there are groups"):
        observed = arviz_tree(alone, reduction="lpd", leave_one_out=True)
    for own in (losses, observed):
        models = {"a": own, "b": rivals.Losses(own.observed + 1.0)}
        with pytest.raises(ValueError, match=r"model 'a'.*do not keep groups.*left_out_posterior"):
            rivals.compare(models, groups=np.arange(N) % 6)


def test_points_that_importance_sampling_cannot_leave_out_are_named():
    far = Y.copy()
    far[7] = 60.0  # without it the posterior lies many of its standard deviations away
    groups = {
        "log_likelihood": xarray.Dataset(
            {
                "y": (
                    ("chain", "draw", "point"),
                    stats.norm.logpdf(far, MU - Y.mean() + far.mean())[None],
                )
            }
        ),
        "log_likelihood_simulated": TREE["log_likelihood_simulated"].dataset,
    }
    with pytest.warns(
        rivals.RivalsWarning,
        match=r"1 of 60 points are not to be trusted.* exceeds 0\.70: point 7 \(",
    ):
        arviz_tree(groups, reduction="lpd", leave_one_out=True)


def test_other_reductions_and_fixed_parameters():
    with pytest.raises(ValueError, match="leave_one_out is for the reduction 'lpd'"):
        arviz_tree(TREE, reduction="mean", leave_one_out=True)
    fixed = {
        "log_likelihood": xarray.Dataset(
            {"y": (("chain", "draw", "point"), np.tile(LIKELIHOOD[0], (1, 100, 1)))}
        ),
        "log_likelihood_simulated": TREE["log_likelihood_simulated"].dataset,
    }
    found = arviz_tree(fixed, reduction="lpd", leave_one_out=True).observed
    np.testing.assert_allclose(found, -LIKELIHOOD[0], rtol=0, atol=1e-12)


def test_posteriors_without_chains_and_with_text_have_an_efficiency():
    """One for draws in one dimension; text and what does not vary by chain are left out."""
    values = np.random.default_rng(0).normal(size=(2, 50))
    flat = xarray.Dataset({"a": ("sample", values.ravel())})
    assert relative_efficiency({"posterior": flat}) == 1.0
    posterior = xarray.Dataset({"a": (("chain", "draw"), values)})
    labelled = posterior.assign(label=(("chain", "draw"), np.full((2, 50), "a")))
    assert relative_efficiency({"posterior": labelled}) == relative_efficiency(
        {"posterior": posterior}
    )
