"""`compare`: models in any form, and options that do not fit."""

import numpy as np
import pytest

import rivals
from problems import problem
from rivals import Candidate, Losses

GROUPED = problem(0, n_models=2, sizes=[15] * 6, n_simulations=2)
RNG = np.random.default_rng(0)
A, B = RNG.exponential(size=(2, 90))


def normal(scale):
    return Candidate(
        loss=lambda y: np.log(scale) + (y / scale) ** 2 / 2,
        simulate=lambda n, rng: scale * rng.standard_normal(n),
    )


def test_the_law_follows_from_the_data():
    pairs = GROUPED.without_groups
    assert rivals.compare(pairs).method.name == "transport"
    assert rivals.compare(pairs, groups=GROUPED.groups).method.name == "groups"
    assert rivals.compare(GROUPED.losses).method.name == "groups"
    assert rivals.compare(GROUPED.losses, method="transport").method.name == "transport"


def test_forms_of_models_are_one():
    expected = GROUPED.compare(rng=0).probability
    groups = GROUPED.groups
    for models in (
        GROUPED.without_groups,
        list(GROUPED.without_groups.items()),
        iter(GROUPED.without_groups.items()),
        {name: Losses(*pair) for name, pair in GROUPED.without_groups.items()},
    ):
        found = rivals.compare(models, groups=groups, rng=0)
        np.testing.assert_array_equal(found.probability, expected)


def test_data_frames_have_a_column_for_each_model():
    columns = {"line": A, "mean": B, "site": np.arange(90) % 6}
    expected = rivals.compare({"line": A, "mean": B}, groups=np.arange(90) % 6)
    for library in ("pandas", "polars", "pyarrow"):
        module = pytest.importorskip(library)
        frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
        found = rivals.compare(frame, groups="site")
        assert tuple(found.risk) == ("line", "mean")
        assert found.summary.noun == "site"
        np.testing.assert_array_equal(found.probability, expected.probability)


def test_candidates_simulate_with_streams_of_their_own():
    y = RNG.standard_normal(400)
    models = {"narrow": normal(0.5), "true": normal(1.0)}
    first = rivals.compare(models, y, rng=3)
    assert first.best == "true"
    assert first.summary.misfits.shape == (16, 2)
    np.testing.assert_array_equal(first.probability, rivals.compare(models, y, rng=3).probability)
    other = rivals.compare(models, y, rng=4)
    assert (other.summary.misfits != first.summary.misfits).all()
    # A generator is advanced, and the result remembers what it drew.
    rng = np.random.default_rng(5)
    drawn, again = rivals.compare(models, y, rng=rng), rivals.compare(models, y, rng=rng)
    assert drawn.setting.rng != again.setting.rng
    repeated = rivals.compare(models, y, rng=drawn.setting.rng)
    np.testing.assert_array_equal(repeated.probability, drawn.probability)


def test_order_of_models_and_labels_do_not_matter():
    given = problem(4, n_models=3, n_simulations=2)
    expected = given.compare(rng=0)
    turned = rivals.compare(dict(reversed(given.losses.items())), rng=0)
    np.testing.assert_allclose(turned.probability[::-1, ::-1], expected.probability, atol=1e-9)
    assert turned.ranking == expected.ranking
    named = rivals.compare(
        {name: (each.observed, each.simulated) for name, each in given.losses.items()},
        groups=np.array([f"site {'xyz'[g % 3]}{g}" for g in given.groups]),
        rng=0,
    )
    np.testing.assert_array_equal(named.probability, expected.probability)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"method": "bayes"}, "method must be one of"),
        ({"method": ["beta"]}, "method must be one of"),
        ({"method": "transport", "groups": np.arange(90) % 6}, "pass clusters= instead"),
        ({"new_groups": 3}, "new_groups has no meaning"),
        ({"looks": "any"}, "looks has no meaning"),
        ({"groups": np.arange(89)}, "89 labels for 90 points"),
        ({"clusters": np.zeros(90)}, "all points are in one"),
        ({"order": "space"}, "order must be 'time'"),
        ({"data": A}, "data was given, but all models came with their losses"),
        ({"n_simulations": 3}, "these losses hold 1"),
        ({"rng": -1}, "must not be negative"),
        ({"rng": "0"}, "rng must be"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, what):
    with pytest.raises((TypeError, ValueError), match=what):
        rivals.compare({"A": (A, A + 0.1), "B": (B, B + 0.1)}, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"groups": [1, 2]},
        {"data": A},
        {"order": "time"},
        {"clusters": [1, 2]},
        {"n_simulations": 3},
        {"method": "transport"},
    ],
)
def test_what_summaries_hold_already_is_refused_beside_them(options):
    summary = GROUPED.compare().summary
    with pytest.raises(ValueError, match=r"summaries|calibration"):
        rivals.compare(summary, **options)


@pytest.mark.parametrize(
    ("models", "what"),
    [
        ({"A": A}, "two models or more"),
        ({}, "two models or more"),
        (A, "models must be a mapping"),
        ("models", "models must be a mapping"),
        ({"A": A, "B": "x"}, "model 'B': expected Losses"),
        ({"A": A, "B": None}, "model 'B': expected Losses"),
        ({"A": A, "B": normal(1.0)}, "held-out data are needed"),
        ({"A": (A, A + 0.1, A), "B": A}, "model 'A'"),
    ],
)
def test_what_are_no_models_is_refused(models, what):
    with pytest.raises((TypeError, ValueError), match=what):
        rivals.compare(models, groups=np.arange(90) % 6)


def test_candidates_that_do_not_draw_are_refused():
    y = RNG.standard_normal(50)
    fixed = Candidate(loss=lambda data: data**2, simulate=lambda n, rng: np.linspace(-1, 1, n))
    with pytest.raises(ValueError, match="model 'fixed': all simulations are the same"):
        rivals.compare({"fixed": fixed, "true": normal(1.0)}, y)
    short = Candidate(loss=lambda data: data**2, simulate=lambda n, rng: rng.normal(size=n - 1))
    with pytest.raises(
        ValueError, match="simulate\\(50, rng\\) returned data with losses of shape"
    ):
        rivals.compare({"short": short, "true": normal(1.0)}, y)


@pytest.mark.parametrize("size", [1e-160, 1e-300])
def test_losses_too_small_to_be_squared_are_refused(size):
    """They used to be told apart for sure: their squares are zero."""
    with pytest.raises(ValueError, match="rescale the loss"):
        rivals.compare({"A": A * size, "B": B * size}, groups=np.arange(90) % 6)
    with pytest.raises(ValueError, match="rescale the loss"):
        rivals.compare({"A": (A * size, B * size), "B": (B * size, A * size)})
