"""Groups left out without refits: against refits, integrals, formulas; the trap of effects."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

import rivals
from rivals.read import leave_groups_out, left_out_posterior

arviz_stats = pytest.importorskip("arviz_stats")
xarray = pytest.importorskip("xarray")


def schools(n_groups=12, size=8, seed=0, spread=1.0):
    rng = np.random.default_rng(seed)
    school = np.repeat([f"s{k}" for k in range(n_groups)], size)
    own = np.repeat(spread * rng.standard_normal(n_groups), size)
    return {"y": 2.0 + own + rng.standard_normal(school.size), "school": school}


def gibbs(rows, n_draws=1500, burn=300, seed=1):
    """The posterior of a normal hierarchical model, by conditional distributions."""
    rng = np.random.default_rng(seed)
    _, code = np.unique(rows["school"], return_inverse=True)
    n = np.bincount(code)
    y, mu, tau2, s2 = rows["y"], rows["y"].mean(), 1.0, 1.0
    kept = {"mu": [], "tau": [], "sigma": [], "a": []}
    for step in range(n_draws + burn):
        precision = n / s2 + 1.0 / tau2
        sums = np.bincount(code, weights=y - mu)
        a = rng.normal(sums / s2 / precision, precision**-0.5)
        mu = rng.normal((y - a[code]).mean(), np.sqrt(s2 / y.size))
        tau2 = (0.5 + 0.5 * np.sum(a**2)) / rng.gamma(1.0 + 0.5 * a.size)
        s2 = (0.5 + 0.5 * np.sum((y - mu - a[code]) ** 2)) / rng.gamma(1.0 + 0.5 * y.size)
        if step >= burn:
            for name, value in zip(kept, (mu, np.sqrt(tau2), np.sqrt(s2), a), strict=True):
                kept[name].append(value)
    return {name: np.array(values) for name, values in kept.items()}


NORMAL = {
    "groups": "school",
    "effect": "a",
    "sd": "tau",
    "sigma": "sigma",
    "mean": lambda draws, rows: draws["mu"][:, None],
}


def by_function(draws, rows, effect):
    mean = draws["mu"][:, None] + effect
    return stats.norm(mean, draws["sigma"][:, None]).logpdf(rows["y"])


@pytest.mark.parametrize("joint", [True, False])
def test_one_fit_says_what_refits_say(joint):
    data = schools()
    found = leave_groups_out(gibbs(data), data, **NORMAL, joint=joint)

    def build(rows):
        draws = gibbs(rows)
        effect = np.random.default_rng(3).standard_normal((20, 1500)) * draws["tau"]
        mean = (draws["mu"] + effect).reshape(-1, 1)
        sigma = np.tile(draws["sigma"], 20)[:, None]
        return lambda new: stats.norm(mean, sigma).logpdf(new["y"])

    refits = left_out_posterior(build, data, groups="school", joint=joint)
    assert found.groups.names == refits.groups.names
    assert found.source.left_out is True
    # Twelve groups of eight: joint losses near 13 and 1.7 a point; draws of refits err by some .05.
    np.testing.assert_allclose(found.observed, refits.observed, atol=0.35 if joint else 0.15)
    assert found.mean == pytest.approx(refits.mean, abs=0.08 if joint else 0.01)


@pytest.mark.parametrize("joint", [True, False])
def test_quadrature_is_the_closed_form_where_there_is_one(joint):
    data = schools(12, 30)
    draws = gibbs(data, 200)
    closed = leave_groups_out(draws, data, **NORMAL, joint=joint)
    function = {"groups": "school", "effect": "a", "sd": "tau", "log_likelihood": by_function}
    by_nodes = leave_groups_out(draws, data, **function, joint=joint)
    # Nodes are fixed, and effects that lie far out of a draw's population cost some digits.
    atol = 0.002 if joint else 0.03
    np.testing.assert_allclose(by_nodes.observed, closed.observed, atol=atol)
    assert by_nodes.mean == pytest.approx(closed.mean, abs=5e-4)


def test_counts_are_integrated_as_scipy_does():
    rng = np.random.default_rng(0)
    school = np.repeat(np.arange(5), 6)
    counts = rng.poisson(np.exp(1.0 + rng.normal(0.0, 0.8, 5)[school]))
    draws = {"b": np.full(60, 1.0), "s": np.full(60, 0.8), "u": np.zeros((60, 5))}

    def log_likelihood(draws, rows, effect):
        return stats.poisson(np.exp(draws["b"][:, None] + effect)).logpmf(rows["y"])

    found = leave_groups_out(
        draws,
        {"y": counts, "school": school},
        groups="school",
        effect="u",
        sd="s",
        log_likelihood=log_likelihood,
    )
    for group in range(5):
        own = counts[school == group]

        def density(u, own=own):
            mean = np.exp(1.0 + u)
            return np.exp(stats.poisson(mean).logpmf(own).sum()) * stats.norm(0, 0.8).pdf(u)

        expected = -np.log(integrate.quad(density, -6, 6, epsabs=0, epsrel=1e-10)[0])
        assert found.observed[group] == pytest.approx(expected, rel=1e-6)


def test_trees_of_arviz_are_the_same_as_arrays():
    data = schools(6)
    draws = gibbs(data, 400)
    dims = {"a": ("chain", "draw", "school")}
    shaped = {
        name: (dims.get(name, ("chain", "draw")), values.reshape(2, 200, *values.shape[1:]))
        for name, values in draws.items()
    }
    tree = xarray.DataTree.from_dict({"posterior": xarray.Dataset(shaped)})
    found = leave_groups_out(tree, data, **NORMAL)
    expected = leave_groups_out(draws, data, **NORMAL)
    # The tree knows how correlated its draws are, which smooths weights a little differently.
    np.testing.assert_allclose(found.observed, expected.observed, atol=0.02)


def test_heavy_weights_are_refused_or_fitted_again():
    data = schools(6, 12)
    data["y"][data["school"] == "s3"] += 12.0
    draws = gibbs(data)
    with pytest.raises(ValueError, match=r"k̂ exceeds 0.7: 's3 .*pass refit="):
        leave_groups_out(draws, data, **NORMAL)
    asked = []

    def refit(rows):
        asked.append(sorted(set(rows["school"])))
        return gibbs(rows)

    with pytest.warns(rivals.RivalsWarning, match=r"fitted again without each: 's3"):
        found = leave_groups_out(draws, data, **NORMAL, refit=refit)
    assert ["s0", "s1", "s2", "s4", "s5"] in asked
    assert len(asked) < 6
    assert found.observed.argmax() == 3


def test_what_is_lacking_is_named():
    data = schools(6)
    draws = gibbs(data, 100)
    for change, message in (
        ({"effect": "b"}, "the posterior has no 'b', but 'mu'"),
        ({"sd": "omega"}, "no 'omega'"),
        ({"sd": 0.0}, "must be above 0"),
        ({"sigma": None}, "pass log_likelihood=, or"),
        ({"log_likelihood": by_function}, "pass log_likelihood=, or"),
    ):
        with pytest.raises(ValueError, match=message):
            leave_groups_out(draws, data, **NORMAL | change)
    with pytest.raises(TypeError, match="a tree of ArviZ"):
        leave_groups_out(3, data, **NORMAL)
    with pytest.raises(ValueError, match="different numbers of draws"):
        leave_groups_out(draws | {"mu": draws["mu"][1:]}, data, **NORMAL)
    function = {"groups": "school", "effect": "a", "sd": "tau"}
    with pytest.raises(ValueError, match="must be draws × points"):
        leave_groups_out(draws, data, **function, log_likelihood=lambda d, r, e: np.zeros((3, 8)))


# ---------------------------------------------------------------- the trap


def of_other_schools(rows):
    """What compute_log_likelihood does in a fresh model: new schools are numbered from 0."""
    draws = gibbs(rows, 100)
    return lambda new: by_function(
        draws, new, draws["a"][:, np.unique(new["school"], return_inverse=True)[1]]
    )


def as_a_tree(rows):
    draws = gibbs(rows, 100)
    shaped = {"a": (("draw", "school"), draws["a"]), "mu": (("draw",), draws["mu"])}
    tree = xarray.DataTree.from_dict({"posterior": xarray.Dataset(shaped)})

    def judge(new):
        assert tree["posterior"]["a"].shape[0] == 100
        return stats.norm(draws_of(tree), 1.0).logpdf(new["y"])

    return judge


def draws_of(tree):
    return tree["posterior"]["mu"].values[:, None]


def as_an_array(rows):
    effects = gibbs(rows, 100)["a"]
    return lambda new: stats.norm(effects[:, :1], 1.0).logpdf(new["y"])


@pytest.mark.parametrize("build", [of_other_schools, as_a_tree, as_an_array])
def test_effects_of_other_groups_are_refused(build):
    data = schools(6)
    with pytest.raises(ValueError, match=r"without school s0.*5 values: one for each group that"):
        left_out_posterior(build, data, groups="school")
    said = left_out_posterior(build, data, groups="school", new_effects=True)
    assert said.n_points == 48


def test_draws_of_the_population_are_no_trap():
    def build(rows):
        draws = {name: values for name, values in gibbs(rows, 100).items() if name != "a"}
        effect = draws["tau"] * np.random.default_rng(0).standard_normal(100)
        return lambda new: by_function(draws, new, effect[:, None])

    assert left_out_posterior(build, schools(6), groups="school").n_points == 48


def test_numpyro_is_no_way_around():
    pytest.importorskip("numpyro")
    data = schools(4)

    def build(rows):
        mcmc = gibbs(rows, 50)  # as mcmc.get_samples() returns: name → draws first
        return lambda new: stats.norm(mcmc["a"][:, :1], 1.0).logpdf(new["y"])

    with pytest.raises(ValueError, match="one for each group"):
        left_out_posterior(build, data, groups="school")
