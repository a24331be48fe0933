"""Method "transport" against plain lines, and in its limits."""

import numpy as np
import pytest
from scipy import special

import plain
import rivals
from problems import problem
from rivals.laws.transport import Normal
from samples import unstable_losses


@pytest.mark.parametrize("seed", range(20))
def test_p_is_that_of_plain_lines(seed):
    given = problem(seed, n_simulations=1 + seed % 4)
    for c in (0.01, 0.25, 4.0):
        for margin in (0.0, 0.05):
            found = rivals.compare(given.without_groups, c=c, margin=margin)
            expected = plain.transport_law(given.observed, given.simulated, c=c, margin=margin)
            np.testing.assert_allclose(found.probability, expected, atol=1e-12)


def test_scale_and_offset_of_the_losses_do_not_matter():
    given = problem(3, n_simulations=4)
    names = given.without_groups
    expected = rivals.compare(names).probability
    for scale, offset in ((1.44, 0.0), (1e-9, 0.0), (1e9, 0.0), (1.0, 1e6)):
        moved = {name: (scale * x + offset, scale * s + offset) for name, (x, s) in names.items()}
        found = rivals.compare(moved).probability
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_larger_c_is_less_sure():
    given = problem(4, n_models=2, n_simulations=4)
    result = rivals.compare(given.without_groups)
    a, b = (list(result.risk).index(name) for name in result.ranking)
    falling = [result.at(c=c).probability[a, b] for c in (1e-6, 0.01, 0.25, 1.0, 100.0)]
    assert np.all(np.diff(falling) < 0.0)
    assert falling[-1] > 0.5


def test_without_misfit_it_is_the_paired_test():
    rng = np.random.default_rng(0)
    a = rng.exponential(size=500)
    b = a + 0.02 + 0.3 * rng.standard_normal(500)
    found = rivals.compare({"A": (a, a[::-1].copy() + 1e-13), "B": (b, b + 1e-13)})
    score = (b - a).mean() / (np.std(b - a, ddof=1) / np.sqrt(500))
    assert found.probability[0, 1] == pytest.approx(special.ndtr(score), abs=1e-9)


def test_few_clusters_are_judged_by_a_t_distribution():
    """Four clusters of points that are all alike: Student's t with three degrees of freedom."""
    rng = np.random.default_rng(1)
    effect = rng.standard_normal(4)
    clusters = np.repeat(np.arange(4), 30)
    a = rng.exponential(size=120)
    b = a + 0.3 + effect[clusters]
    losses = {"A": (a, a + 1e-9), "B": (b, b + 1e-9)}
    found = rivals.compare(losses, clusters=clusters).probability[0, 1]
    d = effect + 0.3
    score = d.mean() / (np.std(d, ddof=1) / 2.0)
    assert found == pytest.approx(special.stdtr(3, score), abs=1e-6)


def test_neighbours_of_a_series_depend_on_each_other():
    rng = np.random.default_rng(2)
    drift = np.zeros(1000)
    for place in range(1, 1000):
        drift[place] = 0.9 * drift[place - 1] + rng.standard_normal()
    a = rng.exponential(size=1000)
    losses = {"A": (a, a + 0.01), "B": (a + 0.4 + drift, a + 0.41 + drift)}
    independent, series = (rivals.compare(losses, order=order) for order in (None, "time"))
    assert np.max(series.probability) < np.max(independent.probability)


def test_intervals_are_those_of_the_law():
    given = problem(5, n_models=3, n_simulations=2)
    result = rivals.compare(given.without_groups, level=0.8)
    low, high = result._decided.reduced.risk_interval(result.setting)
    law = result.method.risks(result.summary, result.setting)
    np.testing.assert_allclose(law.below(low)[0], 0.1, atol=1e-10)
    np.testing.assert_allclose(law.below(high)[0], 0.9, atol=1e-10)
    np.testing.assert_allclose(0.5 * (low + high), result._decided.evidence.risk, atol=1e-9)


def test_a_law_of_no_width_is_a_step():
    law = Normal(np.array([0.0, 1.0]), np.zeros((1, 2)), np.zeros(2))
    assert law.below(np.array([0.0, 2.0])).tolist() == [[0.5, 1.0]]
    assert law.below(np.array([-1e-300, 0.0])).tolist() == [[0.0, 0.0]]


def test_a_rejection_that_single_simulations_do_not_share_is_open():
    found = rivals.compare(unstable_losses(), c=0.2, threshold=0.9, rng=0)
    assert found.rejections == {}
    assert found._decided.decision.undecided["B"].open_because == "simulations"
    assert "single simulations share that" in found.details()


def test_few_points_are_noted():
    given = problem(6, sizes=[20, 20, 20], n_simulations=1)
    result = rivals.compare(given.without_groups)
    assert [(note.code, note.value) for note in result.notes] == [("few points", 60)]


@pytest.mark.parametrize("option", [{"new_groups": 3}, {"looks": "any"}])
def test_options_of_groups_are_refused(option):
    result = rivals.compare(problem(7, n_simulations=1).without_groups)
    with pytest.raises(ValueError, match=f"{next(iter(option))} has no meaning"):
        result.at(**option)
    with pytest.raises(ValueError, match="new_groups has no meaning"):
        result.at(new_groups=1)


def test_without_simulations_it_is_refused():
    with pytest.raises(ValueError, match="measures how far simulations are"):
        rivals.compare({"A": np.arange(5.0) ** 2, "B": np.ones(5)}, method="transport")
