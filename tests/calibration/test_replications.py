"""Building blocks of replications: each varies what it says and by how much, whatever the form of
the data.
"""

import cloudpickle
import numpy as np
import pytest
from omegas import gaussian

import rivals
from rivals import Candidate
from rivals.calibration import Replications, replications
from rivals.calibration.fingerprint import parts_of
from rivals.calibration.replications import OUTLIER_SCALE, vary

N = 100
X = np.linspace(-1.0, 1.0, N)
Y = 3.0 + 2.0 * np.random.default_rng(0).standard_normal(N)
SD = np.std(Y)

MODELS = {"low": gaussian(-0.1), "high": gaussian(0.1)}


def problem(omega, seed=0):
    return omega(np.random.default_rng(seed))


def draws(omega, n=2000, count=400, seed=0):
    """Data of one problem, in so many replications."""
    experiment = problem(omega, seed)
    return [experiment.replicate(n, np.random.default_rng((seed, k))) for k in range(count)]


def line(slope, width=1.0, *, tied=True):
    """y = slope x + noise: at the inputs of the data, or at inputs of its own."""

    def simulate(n, rng):
        x = X if tied else rng.uniform(-1, 1, n)
        return x, slope * x + width * rng.standard_normal(x.size)

    return Candidate(loss=lambda data: (data[1] - slope * data[0]) ** 2, simulate=simulate)


# ---------------------------------------------------------------- what varies, and by how much


def test_sizes_of_variations():
    """Responses 0 and 1 under each variation, 20 000 times: its moments to 4 standard errors."""
    rng = np.random.default_rng(0)
    response = np.array([0.0] * 50 + [1.0] * 50)

    def many(**strength):
        return np.array([vary(response, strength, 2.0, rng) for _ in range(20_000)])

    offset = many(offset=0.1)
    assert np.ptp(offset - response, axis=1).max() < 1e-12
    assert np.std(offset[:, 0]) == pytest.approx(0.2, rel=0.03)
    gain = many(gain=0.1)
    assert (gain[:, 0] == 0.0).all()
    assert np.std(gain[:, -1]) == pytest.approx(0.1, rel=0.03)
    drift = many(drift=0.1)
    assert np.std(drift[:, -1] - 1.0 - drift[:, 0]) == pytest.approx(0.2, rel=0.03)
    assert np.abs(np.diff(drift - response, n=2, axis=1)).max() < 1e-12
    noise = many(noise=0.1)[:, :50].std(axis=1)
    assert np.sqrt(np.mean(noise**2)) == pytest.approx(0.2, rel=0.03)
    assert np.std(noise) > 0.3 * np.mean(
        noise
    )  # another level in each replication: |N| varies by 0.76 of its mean
    hit = many(outliers=0.1) != response
    assert hit.mean() == pytest.approx(0.1 * np.sqrt(2 / np.pi), rel=0.05)
    assert (
        many(outliers=50.0)[:, 0].std() > OUTLIER_SCALE * 2.0 * 0.5
    )  # never more than half of them
    assert (vary(response, {"offset": 0.0}, 2.0, rng) == response).all()


def test_sizes_are_in_standard_deviations_and_within_a_factor_of_two():
    """The spread of the means over replications is that of the problem's strength: the same in a
    problem, another in others.
    """
    omega = replications(MODELS, Y, offset=0.5)
    spreads = np.array(
        [
            np.std([data.mean() for data in draws(omega, n=200, count=200, seed=seed)])
            for seed in range(40)
        ]
    )
    # Log-uniform from 0.25 to 1 standard deviation; a spread from 200 replications is right to 5 %.
    assert spreads.min() > 0.25 * SD * 0.85
    assert spreads.max() < 1.0 * SD * 1.15
    assert np.mean(np.log2(spreads / SD)) == pytest.approx(-1.0, abs=4 * 0.58 / np.sqrt(40))


def test_observed_data_are_a_replication_like_any_other():
    experiment = problem(replications(MODELS, Y, offset=0.5))
    one, other = (
        f(50, np.random.default_rng(3)) for f in (experiment.observe, experiment.replicate)
    )
    np.testing.assert_array_equal(one, other)


def test_which_candidate_makes_the_data():
    """By default each with the same probability; by weights; always one."""
    far = {"A": gaussian(-100.0), "B": gaussian(0.0), "C": gaussian(100.0)}

    def parts(**options):
        omega = replications(far, Y, offset=1e-6, **options)
        means = np.array(
            [
                problem(omega, seed).observe(2, np.random.default_rng(0)).mean()
                for seed in range(300)
            ]
        )
        return [np.mean(abs(means - place) < 10) for place in (-100, 0, 100)]

    np.testing.assert_allclose(parts(), 1 / 3, atol=0.11)
    np.testing.assert_allclose(parts(source={"A": 1, "B": 3, "C": 0}), [0.25, 0.75, 0.0], atol=0.1)
    assert parts(source="C") == [0, 0, 1]


def test_a_mixture_draws_its_weights_for_each_problem():
    far = {"A": gaussian(-100.0), "C": gaussian(100.0)}
    omega = replications(far, Y, source="mixture", offset=1e-6)
    shares = np.array(
        [
            [np.mean(data > 0) for data in draws(omega, n=1000, count=3, seed=seed)]
            for seed in range(200)
        ]
    )
    assert (
        np.ptp(shares, axis=1).max() < 0.1
    )  # the same in all replications: a standard error of 0.016
    assert shares[:, 0].mean() == pytest.approx(0.5, abs=0.09)  # flat from 0 to 1
    assert shares[:, 0].std() == pytest.approx(1 / np.sqrt(12), abs=0.06)


def test_pairs_are_drawn_in_both_orders():
    three = {**MODELS, "zero": gaussian(0.0)}
    for n_candidates, wanted in ((2, 6), (3, 6), (None, 6)):
        omega = replications(three, Y, offset=0.1, n_candidates=n_candidates)
        orders = {tuple(problem(omega, seed).candidates) for seed in range(100)}
        assert len(orders) == wanted
        assert {len(order) for order in orders} == {n_candidates or 3}
    with pytest.raises(ValueError, match="n_candidates = 4, but there are 3 models"):
        replications(three, Y, offset=0.1, n_candidates=4)


def test_parameters_are_drawn_for_each_replication():
    omega = replications(
        MODELS, Y, source="low", parameters={"low": lambda rng: gaussian(rng.normal(0, 5.0))}
    )
    assert np.std([data.mean() for data in draws(omega, n=100)]) == pytest.approx(5.0, rel=0.15)
    always = replications(MODELS, Y, parameters=lambda rng: gaussian(50.0))
    assert min(data.mean() for data in draws(always, n=100, count=20)) > 49


def test_a_resampled_design_keeps_pairs_and_serves_any_size():
    """Candidates tied to the inputs of the data: n points at rows of the design, other ones in each
    replication.
    """
    models = {"up": line(1.0, 1e-9), "down": line(-1.0, 1e-9)}
    omega = replications(models, (X, X), source="up", design="resample")
    for n in (7, N, 1234):
        x, y = problem(omega).observe(n, np.random.default_rng(1))
        assert x.shape == y.shape == (n,)
        np.testing.assert_allclose(y, x, atol=1e-6)
        assert np.isin(x, X).all()
    means = [x.mean() for x, _ in draws(omega, n=10 * N)]
    # A design of N rows drawn with replacement, however many points there are at it.
    assert np.std(means) == pytest.approx(np.std(X) / np.sqrt(N), rel=0.15)
    mixed = replications(models, (X, X), source="mixture", design="resample")
    x, y = problem(mixed).observe(500, np.random.default_rng(1))
    assert np.isclose(abs(x), abs(y), atol=1e-6).all()


def test_a_design_of_ones_own():
    def shifted(data, rng):
        x, y = data
        weight = np.exp(rng.normal(0, 2.0) * x)
        rows = rng.choice(x.size, x.size, p=weight / weight.sum())
        return x[rows], y[rows]

    models = {"up": line(1.0, 1e-9, tied=False), "down": line(-1.0, 1e-9, tied=False)}
    data = draws(replications(models, (X, X), source="up", design=shifted), n=500)
    np.testing.assert_allclose(data[0][1], data[0][0], atol=1e-6)
    assert np.std([x.mean() for x, _ in data]) > 0.2


def test_residuals_are_drawn_around_the_fitted_values():
    """Fitted values X, residuals ± 1 in a skewed proportion: data are X ± 1 in that proportion."""
    residuals = np.where(np.arange(N) % 5 == 0, 4.0, -1.0)
    omega = replications(
        {"up": line(1.0), "down": line(-1.0)},
        (X, X + residuals),
        source="up",
        residuals={"up": residuals},
    )
    data = draws(omega, n=500, count=200)
    errors = np.array([y - x for x, y in data])
    assert np.isclose(errors, 4.0).sum() + np.isclose(errors, -1.0).sum() == errors.size
    assert np.mean(errors) == pytest.approx(0.0, abs=4 * 2.0 / np.sqrt(200 * N))
    # Each replication has a sample of N residuals of its own.
    assert np.std(errors.mean(axis=1)) == pytest.approx(2.0 * np.sqrt(1 / N + 1 / 500), rel=0.2)


# ---------------------------------------------------------------- forms of data


def as_matrix(candidate):
    return Candidate(
        loss=lambda data: candidate.loss((data[:, 0], data[:, 1])),
        simulate=lambda n, rng: np.column_stack(candidate.simulate(n, rng)),
    )


def as_rows(candidate):
    return Candidate(
        loss=candidate.loss, simulate=lambda n, rng: np.stack(candidate.simulate(n, rng))
    )


def as_mapping(candidate):
    return Candidate(
        loss=lambda data: candidate.loss((data["x"], data["y"])),
        simulate=lambda n, rng: dict(zip("xy", candidate.simulate(n, rng), strict=True)),
    )


@pytest.mark.parametrize(
    "options", [{}, {"source": "mixture"}, {"drift": 0.1, "outliers": 0.05, "gain": 0.1}]
)
def test_forms_say_the_same(options):
    """The same numbers for a pair, a matrix, and a form of one's own."""
    models = {"up": line(1.0), "down": line(-1.0)}
    pair = replications(models, (X, Y), offset=0.3, noise=0.1, **options)
    matrix = replications(
        {k: as_matrix(m) for k, m in models.items()},
        np.column_stack([X, Y]),
        offset=0.3,
        noise=0.1,
        **options,
    )
    columns = replications(
        {k: as_rows(m) for k, m in models.items()},
        np.stack([X, Y]),
        offset=0.3,
        noise=0.1,
        **options,
    )
    own = replications(
        {k: as_mapping(m) for k, m in models.items()},
        {"x": X, "y": Y},
        offset=0.3,
        noise=0.1,
        response=(lambda data: data["y"], lambda data, y: {**data, "y": y}),
        **options,
    )
    (x, y), rows, points_in_columns, mapping = (
        problem(omega, 3).observe(N, np.random.default_rng(1))
        for omega in (pair, matrix, columns, own)
    )
    np.testing.assert_allclose(points_in_columns, [x, y])
    np.testing.assert_allclose(rows, np.column_stack([x, y]))
    np.testing.assert_allclose(mapping["y"], y)
    np.testing.assert_array_equal(mapping["x"], X)


@pytest.mark.parametrize("options", [{"source": "mixture"}, {"design": "resample"}])
def test_data_frames_as_inputs(options):
    import pandas as pd

    def framed(candidate):
        def simulate(n, rng):
            x, y = candidate.simulate(n, rng)
            return pd.DataFrame({"x": x, "two x": 2 * x}, index=rng.permutation(x.size)), y

        return Candidate(
            loss=lambda data: candidate.loss((data[0]["x"].to_numpy(), data[1])), simulate=simulate
        )

    models = {"up": framed(line(1.0, 1e-9)), "down": framed(line(-1.0, 1e-9))}
    omega = replications(
        models, (pd.DataFrame({"x": X, "two x": 2 * X}), X), offset=1e-9, **options
    )
    frame, y = problem(omega).observe(N, np.random.default_rng(0))
    np.testing.assert_allclose(frame["two x"], 2 * frame["x"])
    np.testing.assert_allclose(abs(frame["x"]), abs(y), atol=1e-6)


# ---------------------------------------------------------------- as an epistemic distribution


def test_it_travels_to_workers_and_answers_about_replications():
    study = {
        "n_data": 50,
        "n_experiments": 12,
        "n_truth": 100,
        "n_simulations": 2,
        "rng": 0,
        "progress": False,
    }
    omega = replications(MODELS, Y, source="mixture", offset=0.1, noise=0.1)
    here, there = (rivals.calibrate(omega, executor=executor, **study) for executor in (0, 2))
    np.testing.assert_array_equal(here.records, there.records)
    assert not here.failures
    assert here.question.endswith("in a fresh replication")
    assert isinstance(cloudpickle.loads(cloudpickle.dumps(omega)), Replications)


def test_a_store_knows_its_replications():
    own = parts_of(replications(MODELS, Y, offset=0.1))
    assert own == parts_of(replications(MODELS, Y, offset=0.1))
    others = [
        replications(MODELS, Y, offset=0.2),
        replications(MODELS, Y, gain=0.1),
        replications(MODELS, Y + 1, offset=0.1),
        replications(MODELS, Y, offset=0.1, source="low"),
        replications({**MODELS, "high": gaussian(0.2)}, Y, offset=0.1),
    ]
    marks = {frozenset(parts.items()) for parts in (own, *map(parts_of, others))}
    assert len(marks) == 6


def test_candidates_tied_to_their_inputs_fail_in_words():
    models = {"up": line(1.0), "down": line(-1.0)}
    found = rivals.calibrate(
        replications(models, (X, Y), offset=0.1),
        n_data=N,
        n_experiments=2,
        n_truth=500,
        rng=0,
        executor=0,
        progress=False,
    )
    assert (
        "simulated 100 points where 500 were asked for; if candidates are tied"
        in found.failures[0].error
    )


# ---------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, ValueError, "nothing varies between replications"),
        ({"source": "low"}, ValueError, "nothing varies between replications"),
        ({"offset": -0.1}, ValueError, "offset must be a finite number, 0 or more; got -0.1"),
        ({"noise": np.nan}, ValueError, "noise must be a finite number"),
        ({"gain": np.inf}, ValueError, "gain must be a finite number"),
        ({"drift": "much"}, TypeError, "drift must be a number; got 'much'"),
        (
            {"offset": 0.1, "source": "lo"},
            ValueError,
            (
                r"source names \['lo'\], which are not models; the models are "
                r"\['low', 'high'\]"
            ),
        ),
        (
            {"offset": 0.1, "source": {"low": -1.0}},
            ValueError,
            "the weight of source 'low' must be a finite number",
        ),
        ({"offset": 0.1, "source": {"low": 0.0}}, ValueError, "the weights add up to 0"),
        ({"parameters": {"x": gaussian}}, ValueError, r"parameters names \['x'\]"),
        ({"parameters": {"low": 3}}, TypeError, "parameters of 'low' must be a function"),
        ({"design": "shuffle"}, ValueError, "design must be 'resample' or a function"),
        ({"residuals": np.zeros(N)}, TypeError, "residuals must be a mapping"),
        (
            {"residuals": {"low": np.zeros(3)}},
            ValueError,
            "residuals of 'low': 3 for 100 data points",
        ),
        (
            {"residuals": {"low": np.zeros(N)}, "parameters": {"low": gaussian}},
            ValueError,
            "both parameters and residuals",
        ),
        ({"offset": 0.1, "response": (len,)}, TypeError, "response must be a pair of functions"),
        (
            {"design": "resample", "response": (np.ravel, lambda data, y: y)},
            ValueError,
            "design='resample' needs rows",
        ),
    ],
)
def test_mistakes(options, error, message):
    with pytest.raises(error, match=message):
        replications(MODELS, Y, **options)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ({"y": Y}, TypeError, "data of an unknown form: dict"),
        (np.zeros((3, 3, 3)), TypeError, r"data of an unknown form: ndarray of shape \(3, 3, 3\)"),
        ((X, np.where(X > 0.5, np.nan, X)), ValueError, "some not finite"),
        ((X, np.array(["a"] * N)), TypeError, "response of the data"),
        (np.ones(N), ValueError, "all responses of the data are equal"),
    ],
)
def test_data_that_will_not_do(data, error, message):
    with pytest.raises(error, match=message):
        replications(MODELS, data, offset=0.1)


def test_models_that_will_not_do():
    with pytest.raises(ValueError, match="at least two models"):
        replications({"one": gaussian(0.0)}, Y, offset=0.1)
    with pytest.raises(TypeError, match="model 'b': expected Losses"):
        replications({"a": gaussian(0.0), "b": 3}, Y, offset=0.1)
    with pytest.raises(ValueError, match="ambiguous"):
        replications(
            {"a": gaussian(0.0), "mixture": gaussian(1.0)}, Y, source="mixture", offset=0.1
        )
