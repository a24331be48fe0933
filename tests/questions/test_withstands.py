"""What would reverse a result: against brute force, and where it must be exact."""

import numpy as np
import pytest
from scipy.stats import norm

import rivals
from rivals import Candidate, compare
from rivals.scenarios import drift, gain, noise, offset, tilt
from rivals.testbeds.toys import gaussian

MODELS = {"at 0": gaussian(0.0, 1.0), "at 1": gaussian(1.0, 1.0)}


@pytest.fixture(scope="module")
def y():
    return np.random.default_rng(0).normal(0.2, 1.0, 400)


def brute_force(models, y, distort, n=4000, seed=1):
    """Two recordings each distorted, points drawn anew for both: how often the order turns."""
    rng = np.random.default_rng(seed)
    first, second = models.values()
    ahead = np.mean(first.loss(y)) < np.mean(second.loss(y))
    turned = 0
    for _ in range(n):
        moved = distort(distort(y, rng), rng)
        d = first.loss(moved) - second.loss(moved)
        turned += (rng.choice(d, d.size // 2).mean() < 0) != ahead
    return turned / n


def test_an_offset_that_reverses_is_that_of_the_formula(y):
    """Losses of two unit normals at 0 and 1 differ by ½ − y: linear, so that P is normal."""
    found = compare(MODELS, y, rng=0).withstands(MODELS, y, effects=["offset"])
    d = 0.5 - y
    reach = d.mean() / norm.ppf(0.95)
    size = np.sqrt((reach**2 - 2 * d.var() / y.size) / 2)
    # Straight lines between places and sizes that are a twelfth of an octave apart.
    assert found.sizes[0][0] == pytest.approx(size, rel=0.02)


@pytest.mark.parametrize(
    ("effect", "distort"),
    [
        ("gain", lambda y, rng, s: y * np.exp(s * rng.standard_normal())),
        ("offset", lambda y, rng, s: y + s * rng.standard_normal()),
        ("drift", lambda y, rng, s: y + s * rng.standard_normal() * np.linspace(-1, 1, y.size)),
        ("coloured noise", lambda y, rng, s: noise(s, "coloured", tau=40)(y, None, rng)),
    ],
)
def test_one_recording_in_twenty_is_reversed(effect, distort):
    """Of a signal that rises, with models that every effect can turn."""
    rng = np.random.default_rng(4)
    x = np.linspace(0.0, 1.0, 400)
    y = 1.0 + x + 0.3 * rng.standard_normal(400)

    def line(a, b):
        return Candidate(lambda y: (y - a - b * x) ** 2, lambda n, rng: np.zeros(n))

    models = {"right": line(1.0, 1.0), "steep": line(0.82, 1.3)}
    result = compare({name: each.loss(y) for name, each in models.items()}, groups=np.arange(400))
    found = result.withstands(models, y, effects=[effect], largest=4.0, rng=0)
    size = found.sizes[0][0]
    assert 0.0 < size < 4.0
    share = brute_force(models, y, lambda y, rng: distort(y, rng, size))
    # 4 000 recordings know 5 % to ± 0.35 %; coloured noise of 128 paths to ± 2 %.
    assert share == pytest.approx(0.05, abs=0.05 if effect == "coloured noise" else 0.015)


def test_nothing_is_withstood_where_sampling_alone_reverses():
    y = np.random.default_rng(0).normal(0.49, 1.0, 60)
    found = compare(MODELS, y, rng=0).withstands(MODELS, y)
    assert set(found.sizes[0]) == {0.0}
    assert found.alone[0] > 0.05
    assert "withstands nothing" in found.conclusion


def test_records_and_words(y):
    models = {**MODELS, "at 2": gaussian(2.0, 1.0)}
    found = compare(models, y, rng=0).withstands(models, y)
    records = found.to_records()
    assert [row["model"] for row in records] == ["at 1"] * 4 + ["at 2"] * 4
    assert records[0].keys() == {"model", "beside", "effect", "size", "largest", "p_reversed_alone"}
    assert found.conclusion.startswith("at 0 against at 1 withstands gain errors up to")
    # The model that is farther off is harder to put ahead by an offset.
    assert records[5]["size"] > records[1]["size"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"signal": "density"}, "without a part 'density'"),
        ({"effects": ["tilt"]}, "effects must be"),
        ({"effects": []}, "name one or more"),
        ({"risk": 0.7}, "risk must be"),
        ({"largest": -1.0}, "largest must be"),
        ({"models": {"at 0": MODELS["at 0"]}}, "pass the candidates of the comparison"),
        ({"models": {"at 0": MODELS["at 0"], "at 1": [1.0]}}, "has no loss"),
        ({"data": (np.arange(400.0), np.arange(400.0))}, "name its column"),
        ({"data": np.ones(400)}, "same at all points"),
    ],
)
def test_what_is_refused(y, given, says):
    result = compare(MODELS, y, rng=0)
    with pytest.raises(ValueError, match=says):
        result.withstands(**{"models": MODELS, "data": y, **given})


def test_a_signal_that_a_model_does_not_know_is_told(y):
    models = {
        "log": Candidate(lambda y: np.log(y) ** 2, lambda n, rng: rng.random(n) + 1),
        "at 1": gaussian(1.0, 1.0),
    }
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="'log': losses are not finite"):
        compare(models, np.exp(y), rng=0).withstands(models, np.exp(y), effects=["offset"])


# ---------------------------------------------------------------- compare(vary=)


def test_p_by_reversal_is_that_of_the_formula(y):
    result = compare(MODELS, y, vary={"offset": 0.2}, rng=0)
    d = 0.5 - y
    expected = norm.cdf(d.mean() / np.sqrt(2 * 0.2**2 + 2 * d.var() / y.size))
    # 1 000 recordings: four standard errors of at most 0.016.
    assert result.probability[0, 1] == pytest.approx(
        expected, abs=4 * result.beside(result.best).error[0]
    )
    assert result.method.name == "reversal"
    assert np.isnan(result.c)


def test_p_by_reversal_of_several_effects_is_that_of_brute_force(y):
    chain = [gain(0.3), offset(0.1), drift(0.2), noise(0.2, "coloured", tau=40)]

    def distort(y, rng):
        for block in chain:
            y = block(y, None, rng)
        return y

    result = compare(MODELS, y, vary=chain, rng=0)
    share = brute_force(MODELS, y, distort)
    error = np.hypot(0.5 / np.sqrt(1000), 0.5 / np.sqrt(4000))
    assert 1 - result.probability[0, 1] == pytest.approx(share, abs=4 * error)


def test_names_and_blocks_are_the_same(y):
    named = compare(MODELS, y, vary={"gain": 0.05, "offset": 0.1}, rng=1)
    blocks = compare(MODELS, y, vary=[gain(0.05), offset(0.1)], rng=1)
    assert np.array_equal(named.probability, blocks.probability)


def test_larger_effects_make_less_sure_and_a_recording_can_reverse(y):
    sizes = (0.02, 0.1, 0.5, 2.0)
    found = [compare(MODELS, y, vary={"offset": s}, rng=0).probability[0, 1] for s in sizes]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.99
    assert found[-1] < 0.6


def test_a_comparison_by_reversal_is_saved_and_shown(y, tmp_path):
    result = compare(MODELS, y, vary={"gain": 0.05, "offset": 0.1}, rng=0)
    result.save(tmp_path / "result.npz")
    assert str(rivals.load(tmp_path / "result.npz")) == str(result)
    assert "in 1 new recording" in str(result)
    assert "offset (value ~ normal(0, 0.1)" in result.methods()
    assert " nan" not in result.details() + str(result) + result.methods()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"vary": {"gian": 0.1}}, "effects by name are"),
        ({"vary": {"gain": -0.1}}, "must be a number above 0"),
        ({"vary": {"gain": 0.0}}, "nothing varies"),
        ({"vary": {}}, "must be a mapping"),
        ({"vary": [tilt(0.5)]}, "does not act on a signal"),
        ({"vary": [gain(0.1, per="problem")]}, "reverses nothing"),
        ({"vary": {"gain": 0.1}, "c": 0.5}, "leave c out"),
        ({"vary": {"gain": 0.1}, "groups": np.arange(400)}, "leave groups out"),
        ({"vary": {"gain": 0.1}, "method": "transport"}, "leave method out"),
        ({"signal": 1}, "pass both, or neither"),
        ({"method": "reversal"}, "vary="),
    ],
)
def test_what_vary_refuses(y, given, says):
    with pytest.raises((ValueError, TypeError), match=says):
        compare(MODELS, y, **given)


def test_losses_alone_cannot_be_distorted(y):
    losses = {name: each.loss(y) for name, each in MODELS.items()}
    with pytest.raises(ValueError, match="pass Candidates"):
        compare(losses, vary={"gain": 0.1})
