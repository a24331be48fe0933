"""What no test noticed when the core was changed at random, by `tools/mutants.py`: each test here
fails on such a change.
"""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from scipy import special, stats

from rivals import HierarchicalBetaProcess, Losses, compare
from rivals.comparison.judge import judge
from rivals.core.beta import _tetragamma
from rivals.core.density import density_of_draws
from rivals.core.sampling_error import _autocorrelation, _bandwidth, mean_covariance
from rivals.core.tails import extremes, tail_shape
from rivals.core.verdict import decide
from rivals.laws import LAWS, Beta, Groups, Setting, Transport, law_of
from rivals.laws.draws import gaussian_density
from rivals.method.spread import spread_between_groups
from rivals.testbeds import toys


def test_losses_that_are_all_equal_have_a_tail_that_ends():
    assert tail_shape(np.full(200, 3.0)) == -inf
    assert tail_shape(np.append(np.zeros(200), 1.0)) == -inf


@pytest.mark.parametrize("unit", [1.0, 1e-4, 1e4])
@pytest.mark.parametrize("distance", [0.1, 3.0])
def test_at_the_critical_c_the_probability_is_the_threshold(unit, distance):
    """In any unit of the loss, and also where that c is small: 3.6 and 0.004 here."""
    # Errors of the means without correlation, of variance 0.01.
    errors = np.sqrt(0.03) * np.array([[1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]])
    samples = [
        Losses(unit * (mean + error)) for mean, error in zip((1.0, 1.5), errors, strict=True)
    ]
    setting = Setting(c=1.0, threshold=0.95, n_simulations=1)
    applied = Transport().apply(samples, setting, summaries=[np.array([unit * distance])] * 2)
    found = applied.critical_c
    assert np.isnan(found[0])
    # z = (m_b − m_a) / √(c (W_a² + W_b²) + V) in closed form: rounding alone.
    assert applied.at(float(found[1])).matrix()[0][0, 1] == pytest.approx(0.95, abs=1e-12)
    assert found[1] == pytest.approx(
        (0.25 / stats.norm.ppf(0.95) ** 2 - 0.02) / (2 * distance**2), rel=1e-12
    )


def test_the_derivative_of_the_trigamma_function():
    """Newton's steps need it; with a wrong one they would still arrive, later."""
    x = np.geomspace(1e-3, 1e3, 200)
    np.testing.assert_allclose(_tetragamma(x), special.polygamma(2, x), rtol=1e-12)


def test_the_width_in_a_new_group_grows_with_the_spread():
    """Where τ is large the mean is known to τ²/G; beyond the grid stands one point of twice the
    last τ.
    """
    differences = np.array([[-1.0, 0.5, 2.0, -0.3]])
    spread = spread_between_groups(differences, np.full((1, 4), 0.01), np.zeros((1, 1)))
    std = spread.std_over(1.0)[0]
    assert (np.diff(std) > 0.0).all()
    assert std[-1] / std[-2] == pytest.approx(2.0, rel=1e-4)


def test_a_series_of_tiny_losses_beside_others():
    """One unit for all models keeps the squares of the largest from overflowing."""
    rng = np.random.default_rng(0)
    losses = rng.exponential(size=(2, 200))
    both = mean_covariance(losses * np.array([[1.0], [1e-200]]), order="time")
    assert both[0, 0] == pytest.approx(mean_covariance(losses[:1], order="time")[0, 0], rel=1e-12)


def test_with_no_node_drawn_the_moments_of_the_draws_are_exact():
    """Five standard errors of mean and standard deviation of 200 000 draws, which are nearly
    Gaussian.
    """
    rng = np.random.default_rng(4)
    losses = Losses(rng.exponential(size=500), 1.3 * rng.exponential(size=500))
    process = HierarchicalBetaProcess.from_losses(losses, c=0.5, tolerance=10.0)
    assert process.drawn_nodes.size == 0
    draws = process.sample_risk(200_000, rng=5)
    assert draws.mean() == pytest.approx(
        process.risk_mean, abs=5 * process.risk_std / np.sqrt(200_000)
    )
    assert draws.std() == pytest.approx(process.risk_std, rel=5 / np.sqrt(400_000))


@pytest.mark.parametrize(
    ("n_synthetic", "noted"), [(140, True), (160, False), (590, False), (610, True)]
)
def test_unequal_sizes_are_noted_beyond_a_factor_of_two(n_synthetic, noted):
    rng = np.random.default_rng(0)
    losses = Losses(rng.exponential(size=300), rng.exponential(size=n_synthetic))
    assert ("unequal_sizes" in [code for code, _ in Beta().doubts(losses)]) is noted


def test_the_largest_losses_come_first():
    values = np.random.default_rng(0).standard_normal(1000)
    for n in (1, 3, 400, 999, 1000):
        assert extremes(values, n).tolist() == np.argsort(-values)[:n].tolist()


def test_densities_are_drawn_from_left_to_right_and_have_the_area_one():
    """Half a percent is left out on either side of draws; beyond 3.5 standard deviations 0.05 % of
    a Gaussian.
    """
    draws = np.random.default_rng(0).normal(3.0, 0.1, 20_000)
    for grid, density in (density_of_draws(draws), gaussian_density(3.0, 0.1, 400)):
        assert grid.size == 400
        assert (np.diff(grid) > 0.0).all()
        assert np.trapezoid(density, grid) == pytest.approx(1.0, abs=0.012)
        assert grid[density.argmax()] == pytest.approx(3.0, abs=0.03)
    assert density_of_draws(np.full(100, 2.0))[0].tolist() == [2.0]


@pytest.mark.parametrize("name", LAWS)
def test_a_law_with_a_closed_form_has_no_monte_carlo_error(name):
    rng = np.random.default_rng(0)
    losses = {key: Losses(rng.exponential(size=400), rng.exponential(size=400)) for key in "AB"}
    groups = np.arange(400) % 5 if LAWS[name].needs_groups else None
    result = compare(losses, law=name, groups=groups, rng=0)
    assert bool(result.standard_error[0, 1] > 0.0) is not LAWS[name].closed_form


def test_two_clusters_are_enough_for_a_sampling_error():
    """Σ s_g² / n² · G / (G − 1): the deviations of two clusters of four points sum to ±4."""
    losses = np.array([[1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0]])
    assert mean_covariance(losses, clusters=np.repeat([0, 1], 4))[0, 0] == pytest.approx(
        2 * 16 / 64 * 2
    )


@pytest.mark.parametrize(("n", "code"), [(31, ["very_few_points"]), (32, []), (300, [])])
def test_how_few_points_are_very_few_under_groups(n, code):
    losses = Losses(np.random.default_rng(0).exponential(size=n))
    assert [found for found, _ in Groups().doubts(losses)] == code


def test_few_nodes_are_drawn_where_the_law_is_smooth():
    """Draws cost what is drawn: 6 nodes of 4 095 here, and not the 512 that are the most."""
    rng = np.random.default_rng(4000)
    losses = Losses(rng.exponential(size=4000), 1.2 * rng.exponential(size=4000))
    assert HierarchicalBetaProcess.from_losses(losses, 1.0).drawn_nodes.size < 20


@pytest.mark.parametrize("law", LAWS.values())
def test_a_grid_of_c_increases_around_the_default(law):
    assert (np.diff(law.grid) > 0.0).all()
    assert 0.0 < law.grid[0] < law.default_c < law.grid[-1]


def test_without_a_name_the_law_depends_on_groups_alone():
    assert (law_of(None).name, law_of(None, groups=True).name) == ("transport", "groups")


@pytest.mark.parametrize(("law", "cited"), [("transport", False), ("beta", True)])
def test_the_paper_is_cited_where_its_process_is_used(law, cited):
    methods = compare(toys.losses(), law=law, rng=0).methods()
    assert ("Nature Communications" in methods.partition("References:")[2]) is cited


def test_differences_are_to_the_best_model():
    rng = np.random.default_rng(0)
    a, b, c = rng.exponential(size=(3, 100)) + np.array([[1.0], [0.0], [2.0]])
    found = compare(
        {"A": (a, a[::-1] + 0.1), "B": (b, b[::-1] + 0.1), "C": (c, c[::-1] + 0.1)}, rng=0
    ).difference
    assert found["B"] == (0.0, 0.0)
    assert found["C"] == pytest.approx(((c - b).mean(), (c - b).std(ddof=1) / 10), rel=1e-12)


def test_a_rival_of_higher_mean_loss_rejects_nobody():
    """However low its draws are."""
    low, high = np.arange(100.0), np.arange(100.0) + 1000

    def rejected(risk):
        return set(decide(np.array(risk), [high, low], 0.95, lambda model: False)[0])

    assert rejected([0.1, 0.2]) == set()
    assert rejected([0.2, 0.1]) == {0}


def test_the_bandwidth_is_the_plug_in_rule():
    """⌈1.1447 (4 ρ² n / (1 − ρ²)²)^⅓⌉, at several ρ."""
    rng = np.random.default_rng(0)
    for persistence in (0.2, 0.5, 0.8, 0.95):
        noise = rng.standard_normal(2000)
        series = np.zeros(2000)
        for i in range(1, 2000):
            series[i] = persistence * series[i - 1] + noise[i]
        deviations = (series - series.mean())[None, :]
        rho = min(_autocorrelation(deviations), 0.97)
        expected = 1.1447 * (4 * rho**2 * 2000 / (1 - rho**2) ** 2) ** (1 / 3)
        assert _bandwidth(deviations) == int(np.ceil(expected))


@pytest.mark.parametrize(
    ("tail", "shape"),
    [
        ("exponential", 0.043841443736712865),
        ("pareto", 0.42973980672801476),
        ("uniform", -0.7362549980646808),
    ],
)
def test_the_shape_of_three_tails(tail, shape):
    """As arviz-stats gives it, to rounding: test_tails.py compares, where that is installed."""
    levels = np.arange(1, 401) / 401
    values = {
        "exponential": -np.log1p(-levels),
        "pareto": (1.0 - levels) ** -0.5,
        "uniform": levels,
    }[tail]
    assert tail_shape(values) == pytest.approx(shape, rel=1e-9)


def test_intervals_do_not_depend_on_whether_simulations_are_kept():
    """The same seeds: a tenth of the width is room for other references, which round otherwise."""
    rng = np.random.default_rng(0)
    losses = {
        name: (50.0 + rng.exponential(size=300), 50.0 + 1.2 * rng.exponential(size=(2, 300)))
        for name in "AB"
    }
    kept, dropped = (
        compare(losses, law="beta", keep_simulations=keep, rng=0) for keep in (True, False)
    )
    for name in losses:
        low, high = kept.risk_interval(name)
        assert low < kept.risk_mean[name] < high
        assert dropped.risk_interval(name) == pytest.approx((low, high), abs=0.1 * (high - low))
        assert dropped.risks[name].mean() == pytest.approx(
            kept.risks[name].mean(), abs=0.1 * (high - low)
        )


def test_corrected_probabilities_within_two_errors_of_the_threshold_are_undecided():
    rng = np.random.default_rng(0)
    losses = {
        name: (rng.exponential(size=200) + shift, rng.exponential(size=200))
        for name, shift in (("A", 0.0), ("B", 0.4))
    }
    applied = compare(losses, law=Beta(n_draws=200, max_draws=200), rng=0).applied
    applied = applied.changed(threshold=float(applied.matrix()[0][0, 1]))
    assert [duel.model for duel in judge(applied, lambda matrix: matrix).undecided] == [1]
