"""Laws of the risk in a comparison: unit, centre, width, several simulations, stability,
replications at hand.
"""

from __future__ import annotations

import numpy as np
import pytest

import rivals
from rivals.laws import Beta, Transport
from rivals.laws.draws import Draws
from rivals.method.rule import reject
from rivals.testbeds.toys import gaussian
from samples import unstable_losses

DATA = np.random.default_rng(0).standard_normal(1000)
MODELS = {
    "right": gaussian(),
    "shifted": gaussian(0.1),
    "wide": gaussian(width=1.3),
    "hopeless": gaussian(width=4.0),
}


def losses(n=1000, simulations=4, seed=0):
    """Losses of three models, of which the second describes its data badly."""
    rng = np.random.default_rng(seed)
    return {
        "A": rivals.Losses(rng.exponential(1.0, n), rng.exponential(1.0, (simulations, n))),
        "B": rivals.Losses(rng.exponential(1.2, n), rng.exponential(0.9, (simulations, n))),
        "C": rivals.Losses(rng.gamma(2.0, 1.0, n), rng.gamma(2.0, 1.0, (simulations, n))),
    }


# ---------------------------------------------------------------- several simulations


def test_one_simulation_is_the_first_of_several():
    one = rivals.compare(MODELS, DATA, n_simulations=1, rng=3).losses
    many = rivals.compare(MODELS, DATA, n_simulations=5, rng=3).losses
    for name in MODELS:
        np.testing.assert_array_equal(one[name].synthetic, many[name].synthetic[0])
        assert many[name].synthetic.shape == (5, DATA.size)


def test_equal_simulations_count_as_one():
    """δ² and W² are means over simulations, so repeating one changes nothing, and all simulations
    agree.
    """
    repeated = {
        name: rivals.Losses(pair.observed, np.tile(pair.synthetic[0], (3, 1)), may_repeat=True)
        for name, pair in losses().items()
    }
    single = {
        name: rivals.Losses(pair.observed, pair.synthetic[0]) for name, pair in losses().items()
    }
    for law in ("beta", "transport"):
        many, one = (rivals.compare(given, law=law, c=0.1, rng=0) for given in (repeated, single))
        for name in single:
            assert many.risk_std[name] == pytest.approx(one.risk_std[name], rel=1e-9)
        assert many.survivors == one.survivors
        assert all(np.isnan(list(one.stability.values())))
        assert "the stability of the verdict is unknown" in one.verdict
    assert list(rivals.compare(repeated, law="transport", c=0.1, rng=0).stability.values()) == [
        1.0,
        1.0,
        1.0,
    ]


def simulation(given: dict[str, rivals.Losses], index: int) -> dict[str, rivals.Losses]:
    """The losses with one of their simulations alone."""
    return {
        name: rivals.Losses(pair.observed, pair.synthetic[index]) for name, pair in given.items()
    }


def test_stability_is_the_part_of_single_simulations_with_the_same_verdict():
    given = losses(300, simulations=8, seed=4)
    for law in (Transport(), Beta(n_draws=2000, max_draws=2000)):
        result = rivals.compare(given, law=law, c=2.0, threshold=0.6, rng=0)
        singles = [
            rivals.compare(simulation(given, s), law=law, c=2.0, threshold=0.6, rng=0)
            for s in range(8)
        ]
        for name in given:
            said = name in result.rejections or name in unstable(result)
            same = [(name in single.rejections) == said for single in singles]
            # Under law "beta" the single verdicts come from coarser trees: one of eight may fall on
            # the other side.
            assert result.stability[name] == pytest.approx(
                np.mean(same), abs=1e-12 if law.closed_form else 0.13
            )
        assert not any(result.stability[name] < 0.9 for name in result.rejections)
        assert all(result.stability[name] < 0.9 for name in unstable(result))


def unstable(result):
    """The models that survive only because single simulations disagree about their rejection."""
    return [duel.model for duel in result.undecided if duel.reason == "simulations"]


def test_unstable_rejections_are_undecided_and_the_model_survives():
    result = rivals.compare(unstable_losses(), c=0.2, threshold=0.9, rng=0)
    assert unstable(result) == ["B"]
    assert result.probability[0, 1] > 0.9
    assert result.survivors == ("A", "B")
    # More simulations would not help: single ones would agree as little.
    assert "of the single simulations reject B, which survives; treat it as a tie" in " ".join(
        str(result).split()
    )
    assert result.to_dict()["models"][1]["stability"] == result.stability["B"]


# ---------------------------------------------------------------- the transport law


@pytest.mark.parametrize("factor", [1e-3, 0.7, 1.44, 1e3])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_transport_has_no_unit_and_no_offset(factor, offset):
    given = losses()
    moved = {
        name: rivals.Losses(factor * pair.observed + offset, factor * pair.synthetic + offset)
        for name, pair in given.items()
    }
    plain, other = rivals.compare(given, c=0.2, rng=0), rivals.compare(moved, c=0.2, rng=0)
    # The offset costs digits before we see the losses: 1e6 / 1e-3 leaves seven of sixteen.
    np.testing.assert_allclose(
        other.probability, plain.probability, rtol=0, atol=1e-12 + 1e-15 * offset / factor
    )
    assert other.survivors == plain.survivors


def test_transport_is_centred_and_everything_survives_at_large_c():
    result = rivals.compare(losses(), rng=0)
    for name in result.names:
        assert result.risk_mean[name] == pytest.approx(result.empirical_risk[name], rel=1e-12)
    sweep = result.sweep([1e-6, 1e-2, 1.0, 1e2, 1e6])
    distance = np.abs(sweep.probability - 0.5)
    assert (
        np.diff(distance, axis=0) <= 1e-15
    ).all()  # B moves towards ½ as c grows, for every pair
    assert sweep.survivors[-1] == result.ranking


def test_a_perfect_model_narrows_with_the_root_of_the_number_of_points():
    def width(n):
        rng = np.random.default_rng(n)
        given = rivals.Losses(rng.exponential(size=n), rng.exponential(size=(4, n)))
        return rivals.TransportLaw.from_losses(given, c=1.0).risk_std

    # 1/√n, and W fluctuates by some tens of per cent: a hundred times the points, a tenth of the
    # width.
    assert 0.05 < width(100_000) / width(1_000) < 0.2


def test_a_matrix_of_probabilities_is_that_of_the_closed_form_and_of_draws():
    result = rivals.compare(losses(), law="transport", c=0.5, rng=0)
    np.testing.assert_array_equal(result.probability + result.probability.T, np.ones((3, 3)))
    assert (result.standard_error == 0.0).all()
    # The losses of these models are independent, so the paired error is nearly that of independent
    # draws.
    first, second, _ = Draws(
        result.applied.samplers(), np.zeros(3), entropy=0, key=0, blocks=[(200_000,)] * 3
    )
    assert abs(np.mean(first < second) - result.probability[0, 1]) < 0.01
    low, high = result.risk_interval("A")
    assert np.mean((result.risks["A"] > low) & (result.risks["A"] < high)) == pytest.approx(
        0.9, abs=0.01
    )


def test_series_and_clusters_have_larger_sampling_errors():
    rng = np.random.default_rng(5)
    walk = np.zeros(2000)
    for i in range(1, 2000):
        walk[i] = 0.9 * walk[i - 1] + rng.standard_normal()
    given = {"A": (5 + walk, 5.1 + walk), "B": (5 + walk[::-1], 5.1 + walk[::-1])}
    kinds = {
        "none": {},
        "time": {"order": "time"},
        "clusters": {"clusters": np.repeat(np.arange(40), 50)},
    }
    error = {}
    for kind, arguments in kinds.items():
        difference = rivals.compare(given, rng=0, **arguments).difference
        error[kind] = difference["A"][1] + difference["B"][1]
    # The long-run standard deviation of AR(1) with φ = 0.9 is √19 times that of independent points;
    # HAC finds most of it.
    assert error["time"] > 2.5 * error["none"]
    assert error["clusters"] > 2.5 * error["none"]


def test_effective_size_is_a_matter_of_time_alone():
    """A sorted covariate makes neighbours alike; only the user knows whether the order is that of
    time.
    """
    rng = np.random.default_rng(6)
    trend = np.linspace(1, 3, 1000)
    given = {
        name: (trend + 0.1 * rng.random(1000), trend + 0.1 * rng.random(1000)) for name in "AB"
    }
    assert "autocorrelated" not in str(rivals.compare(given, rng=0))
    assert "autocorrelated" in str(rivals.compare(given, order="time", rng=0))


# ---------------------------------------------------------------- replications at hand


def grouped(n_groups=8, n=100, shift=0.5, spread=0.1, seed=0):
    """Losses of two models in groups: B is worse by `shift`, give or take `spread` from group to
    group.
    """
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), n)
    a = rng.exponential(1.0, groups.size)
    b = (
        a
        + (shift + spread * rng.standard_normal(n_groups))[groups]
        + 0.3 * rng.standard_normal(groups.size)
    )
    return {"A": a, "B": b}, groups


def test_groups_need_neither_simulations_nor_c():
    models, groups = grouped()
    result = rivals.compare(models, groups=groups, rng=0)
    assert (result.law, result.survivors) == ("groups", ("A",))
    assert np.isnan(result.c)
    assert "c =" not in str(result)
    labels = np.array([f"lab {label}" for label in groups])
    np.testing.assert_array_equal(
        rivals.compare(models, law="groups", groups=labels, rng=0).probability, result.probability
    )


def test_groups_that_disagree_decide_nothing():
    models, groups = grouped(shift=0.1, spread=1.0, seed=3)
    pooled = rivals.compare({name: (y, y + 1e-3) for name, y in models.items()}, c=1e-9, rng=0)
    assert len(pooled.survivors) == 1  # the pooled points say that one is better, with a tiny error
    assert len(rivals.compare(models, law="groups", groups=groups, rng=0).survivors) == 2


def test_groups_of_unequal_size_and_order():
    models, groups = grouped()
    keep = np.random.default_rng(1).random(groups.size) < np.linspace(0.2, 1.0, 8)[groups]
    shuffled = np.random.default_rng(2).permutation(np.flatnonzero(keep))
    fewer = {name: y[keep] for name, y in models.items()}
    mixed = {name: y[shuffled] for name, y in models.items()}
    first = rivals.compare(fewer, law="groups", groups=groups[keep], rng=0)
    second = rivals.compare(mixed, law="groups", groups=groups[shuffled], rng=0)
    np.testing.assert_allclose(first.probability, second.probability, atol=1e-10)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (np.zeros(800, int), r"all points are in one group.*law 'transport'"),
        (np.repeat([0, 1], 400), "2 groups without simulations.*3 groups or more"),
        (np.arange(799) % 5, "one label for each of 800 observed points"),
        (
            np.concatenate([np.repeat(np.arange(8.0), 99), np.full(8, np.nan)]),
            "8 of 800 points have no label",
        ),
    ],
)
def test_groups_that_cannot_work(groups, message):
    models, _ = grouped()
    with pytest.raises(ValueError, match=message):
        rivals.compare(models, law="groups", groups=groups)


def test_groups_without_a_label_in_the_manner_of_pandas():
    pandas = pytest.importorskip("pandas")
    models, groups = grouped()
    labels = pandas.array(groups, dtype="Int64")
    labels[7] = pandas.NA
    for given in (labels, pandas.Series(labels), pandas.array([*map(str, groups[:-1]), None])):
        with pytest.raises(ValueError, match="1 of 800 points have no label"):
            rivals.compare(models, law="groups", groups=given)


def test_a_group_of_one_point_is_used():
    """Its sampling error is that of the others, whose variance within groups it shares."""
    models, groups = grouped()
    lonely = np.concatenate([groups[:-1], [8]])
    assert rivals.compare(models, groups=lonely).survivors == ("A",)
    assert rivals.compare(models, groups=lonely).applied.setting.groups.sizes[-1] == 1


def test_groups_without_simulations_cannot_be_swept_over_c():
    models, groups = grouped()
    with pytest.raises(ValueError, match="law 'groups' without simulations has no c to sweep over"):
        rivals.compare(models, law="groups", groups=groups).sweep([1.0])


# ---------------------------------------------------------------- files, the rule


@pytest.mark.parametrize("law", ["transport", "beta", "groups"])
def test_save_and_load_keep_everything(law, tmp_path):
    models, groups = grouped()
    given = models if law == "groups" else losses(simulations=3)
    arguments = {"groups": groups} if law == "groups" else {"c": 0.3}
    result = rivals.compare(given, law=law, rng=0, **arguments)
    result.save(tmp_path / "x.npz")
    again = rivals.load(tmp_path / "x.npz")
    assert str(again) == str(result)
    assert again.to_dict() == result.to_dict()
    np.testing.assert_array_equal(again.probability, result.probability)


def test_the_rule_on_a_matrix_is_the_rule_in_words():
    rng = np.random.default_rng(7)
    for _ in range(200):
        n = int(rng.integers(2, 9))
        risk = rng.integers(0, 4, n).astype(float)  # with ties
        upper = np.triu(rng.random((n, n)), 1)
        probability = upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(n)
        threshold = float(rng.uniform(0.5, 1.0))
        expected = {
            a
            for a in range(n)
            if any(risk[b] < risk[a] and probability[b, a] > threshold for b in range(n))
        }
        rejections = reject(risk, probability, threshold)
        assert set(rejections) == expected
        for model, duel in rejections.items():
            rivals_of = [
                b for b in range(n) if risk[b] < risk[model] and probability[b, model] > threshold
            ]
            assert risk[duel.rival] == min(risk[b] for b in rivals_of)


def test_ties_can_be_spread_under_law_beta():
    rng = np.random.default_rng(8)
    coins = {
        "fair": tuple(rng.integers(0, 2, (2, 500))),
        "biased": (rng.integers(0, 2, 500), rng.random(500) < 0.9),
    }
    with pytest.warns(rivals.RivalsWarning, match=r"are tied.*Losses\.spread_ties\(\)"):
        flat = rivals.compare(coins, law="beta", rng=0)
    apart = {name: rivals.Losses(*pair).spread_ties() for name, pair in coins.items()}
    spread = rivals.compare(apart, law="beta", rng=0)
    assert spread.risk_std["biased"] > 10 * max(flat.risk_std["biased"], 1e-6)
    assert spread.empirical_risk["fair"] == pytest.approx(flat.empirical_risk["fair"], abs=1e-12)
    rivals.compare(
        coins, rng=0
    )  # law "transport" needs no remedy: warnings are errors in the tests


def test_the_critical_c_is_where_the_verdict_changes():
    result = rivals.compare(losses(), c=0.1, rng=0)
    critical = dict(zip(result.names, result.applied.critical_c, strict=True))
    for name, limit in critical.items():
        if np.isnan(limit):
            assert name in result.sweep([1e-12]).survivors[0]
        else:
            below, above = result.sweep([limit * (1 - 1e-9), limit * (1 + 1e-9)])
            assert name in below.rejections
            assert name not in above.rejections
    assert np.isnan(critical[result.ranking[0]])
    assert not np.isnan(critical["B"])
    wide = rivals.compare(losses(), c=1e3, rng=0)
    assert "At smaller c there is more to reject" in wide.verdict
