"""Law "groups": against independent quadrature, limits, symmetries, edges, and what it says."""

import json

import numpy as np
import pytest
from scipy import stats

import rivals
from rivals.method.probability import probability_over
from rivals.method.spread import spread_between_groups


def brute_force(differences, variances, scale):
    """P(a new difference < 0) by a plain sum over 20 000 values of log τ, sixteen decades wide."""
    shown = max(np.std(differences, ddof=1), np.sqrt(variances.min()))
    low = (min(scale, shown) if scale else shown) * 1e-8
    high = max(scale, shown) * 1e8
    log_density = []
    probability = []
    for log_tau in np.array_split(
        np.linspace(np.log(low), np.log(high), 20_001), max(1, differences.size // 50)
    ):
        square = np.exp(2.0 * log_tau)[:, None]
        precision = 1.0 / (square + variances)
        whole = precision.sum(axis=1)
        mean = precision @ differences / whole
        misfit = np.sum(precision * (differences - mean[:, None]) ** 2, axis=1)
        prior = -2.0 * np.log1p(square[:, 0] / (3.0 * scale**2)) if scale else 0.0
        log_density.append(
            0.5 * np.log(precision).sum(axis=1)
            - 0.5 * np.log(whole)
            - 0.5 * misfit
            + log_tau
            + prior
        )
        probability.append(stats.norm.cdf(-mean / np.sqrt(1.0 / whole + square[:, 0])))
    log_density = np.concatenate(log_density)
    weight = np.exp(log_density - log_density.max())
    return weight @ np.concatenate(probability) / weight.sum()


def probability(differences, variances, scale, new_groups=1.0):
    spread = spread_between_groups(
        np.asarray(differences)[None, :], np.asarray(variances)[None, :], np.array([[scale]])
    )
    return float(probability_over(spread, new_groups)[0, 0])


@pytest.mark.parametrize("n_groups", [2, 3, 5, 30, 2000])
@pytest.mark.parametrize(("tau", "sigma"), [(0.0, 1.0), (0.3, 1.0), (1.0, 1e-7), (3.0, 0.3)])
def test_against_independent_quadrature(n_groups, tau, sigma):
    """Unequal sizes, σ → 0, priors from much too narrow to much too wide, and flat."""
    rng = np.random.default_rng(n_groups)
    variances = sigma**2 / rng.integers(2, 200, n_groups)
    differences = -0.2 + rng.standard_normal(n_groups) * np.sqrt(tau**2 + variances)
    for scale in [1e-3, 0.5, 50.0] if n_groups == 2 else [0.0, 1e-3, 0.5, 50.0]:
        if n_groups < 2000 or scale == 0.5:
            expected = brute_force(differences, variances, scale)
            assert probability(differences, variances, scale) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("n_groups", [3, 4, 10])
@pytest.mark.parametrize("new_groups", [1.0, 7.0, 100.0, np.inf])
def test_without_sampling_error_and_flat_it_is_student(n_groups, new_groups):
    """The posterior is known: t with G − 2 degrees of freedom, at every horizon."""
    differences = np.random.default_rng(n_groups).normal(-0.5, 0.5, n_groups)
    scale = np.sqrt(np.sum((differences - differences.mean()) ** 2) / (n_groups - 2))
    width = scale * np.sqrt(1 / new_groups + 1 / n_groups)
    expected = stats.t.cdf(-differences.mean() / width, n_groups - 2)
    found = probability(differences, np.full(n_groups, 1e-14), 0.0, new_groups)
    assert found == pytest.approx(expected, abs=1e-4)


# ---------------------------------------------------------------- through compare


def schools(n_groups=8, n=60, seed=0, spread=0.1, gap=0.3, skew=False, simulations=0):
    """Two models; the second is worse by the gap, more or less so by school."""
    rng = np.random.default_rng(seed)
    school = np.repeat(np.arange(n_groups), n)
    noise = rng.exponential(size=school.size) * (1.0 + 3.0 * (school % 2) if skew else 1.0)
    a = noise
    b = (
        noise
        + gap
        + spread * rng.standard_normal(n_groups)[school]
        + 0.2 * rng.standard_normal(school.size)
    )
    simulated = (
        [1.2 * rng.exponential(size=(simulations, school.size)) for _ in "ab"]
        if simulations
        else [None, None]
    )
    models = (
        {"A": a, "B": b} if not simulations else {"A": (a, simulated[0]), "B": (b, simulated[1])}
    )
    return models, school


def test_groups_choose_the_law_and_losses_carry_them():
    models, school = schools()
    by_argument = rivals.compare(models, groups=school, rng=0)
    carried = {name: rivals.Losses(observed, groups=school) for name, observed in models.items()}
    assert by_argument.law == rivals.compare(carried, rng=0).law == "groups"
    np.testing.assert_array_equal(
        by_argument.probability, rivals.compare(carried, rng=0).probability
    )
    assert by_argument.won.tolist() == [[0, 8], [0, 0]]
    assert "8 of 8" in str(by_argument)
    assert np.isnan(by_argument.c)


def test_the_closed_form_is_what_compare_gives():
    models, school = schools(simulations=4)
    result = rivals.compare(models, groups=school, rng=0)
    difference = models["A"][0] - models["B"][0]
    parts = [difference[school == label] for label in range(8)]
    pooled = sum(np.sum((part - part.mean()) ** 2) for part in parts) / (difference.size - 8)
    squares = [
        np.mean(
            [
                stats.wasserstein_distance(observed[school == g], row[school == g]) ** 2
                for row in synthetic
            ]
        )
        for observed, synthetic in models.values()
        for g in range(8)
    ]
    scale = np.sqrt(0.25 / 2 * np.sum(squares) / 8)
    expected = probability([part.mean() for part in parts], np.full(8, pooled / 60), scale, 8)
    assert result.probability[0, 1] == pytest.approx(expected, abs=1e-9)
    assert result.c == 0.25


def test_groups_in_which_a_model_does_badly_are_not_weighted_down():
    """Half of the schools are four times as noisy, and B loses there: the centre stays the mean
    over the schools.
    """
    rng = np.random.default_rng(1)
    school = np.repeat(np.arange(10), 50)
    hard = school % 2 == 1
    a = rng.exponential(size=500) * np.where(hard, 4.0, 1.0)
    b = a + np.where(hard, 1.0, -0.2) + 0.5 * rng.standard_normal(500) * np.where(hard, 4.0, 1.0)
    law = rivals.compare({"A": a, "B": b}, groups=school, rng=0).applied.new_difference(1, 0)
    means = [np.mean((b - a)[school == label]) for label in range(10)]
    assert law.mean[0] == pytest.approx(np.mean(means), abs=1e-9)


def test_two_groups_are_enough_with_simulations():
    models, school = schools(n_groups=2, simulations=4)
    assert 0.5 < rivals.compare(models, groups=school, rng=0).probability[0, 1] < 1.0


def test_a_sweep_over_c_moves_the_prior():
    models, school = schools(n_groups=3, simulations=4)
    sweep = rivals.compare(models, groups=school, rng=0).sweep([2**-8, 1.0, 2**8])
    falling = sweep.probability[:, 0, 1]
    assert (np.diff(falling) < 0.0).all()


def test_units_and_offsets_change_nothing():
    models, school = schools(simulations=3)
    plain = rivals.compare(models, groups=school, rng=0)
    for scale in (1e-200, 1e-3, 1e200):
        moved = {
            name: tuple(scale * np.asarray(part) for part in pair) for name, pair in models.items()
        }
        found = rivals.compare(moved, groups=school, rng=0)
        np.testing.assert_allclose(found.probability, plain.probability, rtol=1e-9)
        np.testing.assert_allclose(
            found.risk_interval("A"), np.multiply(scale, plain.risk_interval("A")), rtol=1e-6
        )


def test_draws_interval_and_density_are_of_one_law():
    models, school = schools(n_groups=5)
    result = rivals.compare(models, groups=school, rng=0)
    low, high = result.risk_interval("A", 0.8)
    inside = np.mean((result.risks["A"] > low) & (result.risks["A"] < high))
    assert inside == pytest.approx(0.8, abs=4 * 0.4 / np.sqrt(12_000))
    grid, density = result.applied.density(0, 2001)
    within = (grid + result.applied.reference > low) & (grid + result.applied.reference < high)
    assert np.sum(density[within]) * (grid[1] - grid[0]) == pytest.approx(0.8, abs=0.002)


def test_equal_losses_are_a_coin_toss():
    models, school = schools()
    result = rivals.compare({"A": models["A"], "C": models["A"]}, groups=school, rng=0)
    assert result.probability[0, 1] == 0.5


def test_what_is_said():
    """One-point groups; a tiny group; a winner of few groups."""
    rng = np.random.default_rng(3)
    a = rng.exponential(size=40)
    alone = rivals.compare({"A": a, "B": a + rng.normal(0.5, 1.0, 40)}, groups=np.arange(40), rng=0)
    assert "Every group has one loss" in str(alone)
    models, school = schools(n_groups=4)
    school[-60:] = 2
    school[-1] = 3
    assert "very unequal size" in str(rivals.compare(models, groups=school, rng=0))


@pytest.mark.parametrize(("in_others", "contradicts"), [(0.0, False), (-1 / 64, True)])
def test_ties_speak_for_neither_model(in_others, contradicts):
    """A wins 7 of 16 groups and loses one; the others are ties, or are lost by a little."""
    a = np.random.default_rng(0).integers(2, 6, size=160).astype(float)
    means = [0.5] * 7 + [-1 / 16] + [in_others] * 8  # dyadic, so that ties are exact
    difference = np.repeat(means, 10) + np.tile([1.0, -1.0], 80)
    models = {"A": a, "B": a + difference}
    result = rivals.compare(models, groups=np.repeat(np.arange(16), 10), rng=0)
    assert "7 of 16" in str(result)
    assert result.over(1)[0, 1] > 0.8
    assert ("a few groups decide" in str(result)) == contradicts


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": np.zeros(480)}, "all points are in one group"),
        ({"groups": np.array([None, *range(479)], dtype=object)}, "1 of 480 points have no label"),
        ({"groups": np.arange(479)}, "one label for each of 480"),
        ({"groups": np.repeat([0, 1], 240)}, "2 groups without simulations"),
        ({"c": 0.5}, "has no c here"),
        ({"law": "transport"}, "clusters="),
    ],
)
def test_bad_groups_are_refused(change, message):
    models, school = schools()
    with pytest.raises(ValueError, match=message):
        rivals.compare(models, **{"groups": school, "rng": 0, **change})


def test_simulations_of_another_length_are_refused():
    models, school = schools(simulations=2)
    short = {name: (observed, synthetic[:, :-1]) for name, (observed, synthetic) in models.items()}
    with pytest.raises(ValueError, match="479 synthetic but 480 observed"):
        rivals.compare(short, groups=school, rng=0)


def test_a_pair_that_differs_by_a_constant_is_not_judged_and_the_others_are():
    models, school = schools()
    given = {"A": models["A"], "moved": models["A"] + 1.0, "B": models["B"]}
    result = rivals.compare(given, groups=school, rng=0)
    alone = rivals.compare(models, groups=school, rng=0)
    assert result.probability[0, 1] == 0.5
    assert result.probability[0, 2] == pytest.approx(alone.probability[0, 1], abs=1e-12)
    assert "A and moved differ by the same constant at every point" in str(result)


def test_no_margin_is_stated_of_a_pair_that_is_not_judged():
    """The text named a margin that would call both equivalent, and with it they were not."""
    models, school = schools()
    best = min(models, key=lambda name: models[name].mean())
    result = rivals.compare({"A": models[best], "moved": models[best] + 0.5}, groups=school)
    assert result.probability[0, 1] == 0.5
    assert not result.better_by
    assert not result.equivalent_within
    assert "equivalent" not in str(result)
    found = result.to_dict()["models"][1]
    assert (found["better_by"], found["equivalent_within"]) == (None, None)


@pytest.mark.parametrize("seed", range(20))
def test_a_constant_is_seen_whatever_the_pair_and_the_rounding(seed):
    rng = np.random.default_rng(seed)
    school = np.repeat(np.arange(4), 17)
    a = rng.normal(100, 10, 68)
    other = rng.normal(100, 10, 68)
    shifted = a + rng.uniform(0.1, 2.0)
    for models in ([a, shifted, other], [other, a, shifted], [a, shifted]):
        named = {str(place): model for place, model in enumerate(models)}
        assert "same constant" in str(rivals.compare(named, groups=school, rng=0))


def test_equal_models_stop_nothing():
    """A line, and the same line behind a scaling, which moves the last digits of its losses."""
    models, school = schools()
    rng = np.random.default_rng(0)
    rounded = models["A"] * (1.0 + 1e-14 * rng.standard_normal(models["A"].size))
    given = {"line": models["A"], "scaled": rounded, "mean": models["B"]}
    for margin in (None, 0.01):
        result = rivals.compare(given, groups=school, margin=margin, rng=0)
        assert result.probability[0, 1] == 0.5
        assert result.survivors in (("line", "scaled"), ("scaled", "line"))
        assert "line and scaled have the same losses, up to rounding" in str(result)
    assert set(result.equivalent) == {tuple(result.survivors)}
    alone = rivals.compare(models, groups=school, rng=0)
    assert result.probability[0, 2] == pytest.approx(alone.probability[0, 1], abs=1e-9)


@pytest.mark.parametrize("order", [None, "time"])
@pytest.mark.parametrize("loss", [0.0, np.log(2.0)])
@pytest.mark.parametrize("n_points", [90, 85])
def test_a_guess_has_one_loss_at_every_point_and_one_risk(order, loss, n_points):
    rng = np.random.default_rng(0)
    losses = {"guess": np.full(n_points, loss), "model": rng.gamma(2.0, size=n_points)}
    result = rivals.compare(losses, groups=np.arange(n_points) % 9, order=order)
    assert result.risk_interval("guess") == pytest.approx((loss, loss), abs=1e-12)
    alone = rivals.compare(
        losses | {"guess": losses["guess"] + 1e-9 * losses["model"]},
        groups=np.arange(n_points) % 9,
        order=order,
    )
    np.testing.assert_allclose(result.probability, alone.probability, atol=1e-6)
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize("order", [None, "time"])
@pytest.mark.parametrize("scale", [1e120, 1e160, 1e200, 1e290])
def test_a_model_that_diverged_is_rejected_or_refused(order, scale):
    """It had survived: its probabilities were NaN."""
    rng = np.random.default_rng(0)
    good = rng.gamma(2.0, size=200)
    losses = {"good": good, "diverged": scale * (good + rng.normal(size=200))}
    options = {"groups": np.arange(200) % 8, "order": order}
    if scale > 1e140:
        with pytest.raises(ValueError, match=r"model 2 of 2 reach .*leave out the model"):
            rivals.compare(losses, **options)
    else:
        assert rivals.compare(losses, **options).survivors == ("good",)


def test_law_groups_needs_groups_and_no_calibration():
    models, _ = schools()
    with pytest.raises(ValueError, match="needs groups"):
        rivals.compare(models, law="groups", rng=0)
    with pytest.raises(ValueError, match="is not calibrated"):
        rivals.calibrate(lambda rng: None, law="groups", n_data=10, n_experiments=2)
