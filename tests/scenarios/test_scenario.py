"""Scenarios by blocks: those written by hand, bit for bit; data of every form; what is refused."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rivals
from rivals.scenarios import (
    Block,
    Scenario,
    choice,
    drift,
    gain,
    jitter,
    lognormal,
    loguniform,
    missing,
    mixture,
    noise,
    normal,
    offset,
    one_of_them,
    outliers,
    own,
    simulator,
    tilt,
    uniform,
)
from rivals.testbeds import blackbody, toys

MODELS = {"low": toys.gaussian(-0.1), "high": toys.gaussian(0.1)}


def same(one, other):
    """Experiments whose data and replications are equal, bit for bit."""
    for index in range(5):
        first, second = (omega(np.random.default_rng(index)) for omega in (one, other))
        for name in ("observe", "replicate"):
            made = [getattr(each, name) for each in (first, second)]
            assert (made[0] is None) == (made[1] is None)
            if made[0] is not None:
                for n in (7, 100):
                    one_data, other_data = (each(n, np.random.default_rng(9)) for each in made)
                    np.testing.assert_equal(parts(one_data), parts(other_data))
    return True


def parts(data):
    if isinstance(data, blackbody.Spectrum):
        return vars(data)
    return data


# ---------------------------------------------------------------- as written by hand


def test_an_unknown_mean():
    def by_hand(rng):
        mean = rng.normal(0, 0.1)
        return rivals.Experiment(
            lambda n, rng: mean + rng.standard_normal(n), tuple(MODELS.values())
        )

    def zero(n, rng):
        return np.zeros(n)

    assert same(by_hand, Scenario(MODELS, simulator(zero), [offset(0.1), noise(1.0)]))


def test_a_detector_with_a_gain_of_each_recording():
    def by_hand(rng):
        lifetime, shape = rng.uniform(0.8, 1.2), rng.choice([0.8, 1.0])

        def record(n, rng):
            gain = rng.normal(1, 0.03)
            t = rng.uniform(0, 4, n)
            signal = gain * np.exp(-((t / lifetime) ** shape))
            return t, signal + 0.1 * rng.standard_normal(n)

        return rivals.Experiment(record, MODELS, replicate=record)

    def decay(n, rng, lifetime, shape):
        t = rng.uniform(0, 4, n)
        return t, np.exp(-((t / lifetime) ** shape))

    blocks = Scenario(
        MODELS,
        simulator(decay, lifetime=uniform(0.8, 1.2), shape=choice(0.8, 1.0)),
        [gain(normal(1.0, 0.03)), noise(0.1)],
        new="replication",
        signal=1,
    )
    assert same(by_hand, blocks)


CURVES = {"line": lambda x: x, "root": np.sqrt}
DESIGN = np.geomspace(0.1, 12.5, 16)


def assay(n, rng, curve, stock=1.0, step=1.0):
    x = np.resize(DESIGN, n)
    return x, CURVES[curve](x * stock * step ** np.log2(DESIGN.max() / x))


def curve_and_noise(rng):
    name = list(CURVES)[rng.integers(len(CURVES))]
    return CURVES[name], np.exp(rng.uniform(np.log(0.02), np.log(0.08)))


def test_another_plate_reader():
    def by_hand(rng):
        curve, sd = curve_and_noise(rng)
        gain, offset = rng.normal(1, 0.05), rng.normal(0, 0.03)

        def observe(n, rng):
            x = np.resize(DESIGN, n)
            return x, gain * curve(x) + offset + sd * rng.standard_normal(n)

        return rivals.Experiment(observe, MODELS)

    truth = simulator(assay, curve=choice(*CURVES), sd=loguniform(0.02, 0.08))
    chain = [gain(normal(1.0, 0.05)), offset(0.03), noise("sd")]
    assert same(by_hand, Scenario(MODELS, truth, chain, signal=1))


def test_other_standards():
    def by_hand(rng):
        curve, sd = curve_and_noise(rng)
        stock, step = np.exp(rng.normal(0, [0.1, 0.05]))

        def observe(n, rng):
            x = np.resize(DESIGN, n)
            real = x * stock * step ** np.log2(DESIGN.max() / x)
            return x, curve(real) + sd * rng.standard_normal(n)

        return rivals.Experiment(observe, MODELS)

    truth = simulator(
        assay,
        curve=choice(*CURVES),
        sd=loguniform(0.02, 0.08),
        stock=lognormal(1.0, 0.1),
        step=lognormal(1.0, 0.05),
    )
    assert same(by_hand, Scenario(MODELS, truth, [noise("sd")], signal=1))


def test_in_another_laboratory():
    def by_hand(rng):
        name = list(CURVES)[rng.integers(len(CURVES))]

        def measure(n, rng):
            x = np.resize(DESIGN, n)
            gain, offset = rng.normal(1, 0.05), rng.normal(0, 0.03)
            sd = np.exp(rng.uniform(np.log(0.02), np.log(0.08)))
            return x, gain * CURVES[name](x) + offset + sd * rng.standard_normal(n)

        return rivals.Experiment(measure, MODELS, replicate=measure)

    chain = [gain(normal(1.0, 0.05)), offset(0.03), noise(loguniform(0.02, 0.08))]
    truth = simulator(assay, curve=choice(*CURVES))
    assert same(by_hand, Scenario(MODELS, truth, chain, new="replication", signal=1))


def test_a_spectrometer_of_unknown_bias_with_candidates_fitted_first():
    def by_hand(rng):
        bias = float(rng.uniform(-1e-4, 1e-4))
        law = blackbody.LAWS[int(rng.integers(2))]

        def record(n, rng):
            return blackbody.observe(n, bias=bias, law=law, rng=rng)

        first = record(64, rng)
        return rivals.Experiment(record, fitted(first))

    def fitted(first):
        return tuple(blackbody.fit(first, law=law, temperature=4000.0) for law in blackbody.LAWS)

    def spectrum(n, rng, law):
        grid = np.linspace(15.0, 30.0, n)
        return blackbody.Spectrum(grid, blackbody.radiance(law, grid, 4000.0))

    truth = simulator(spectrum, bias=uniform(-1e-4, 1e-4), law=choice(*blackbody.LAWS))
    chain = [noise(1e5, "poisson"), offset("bias")]
    blocks = Scenario(fitted, truth, chain, signal="radiance", training=64)
    assert same(by_hand, blocks)
    one, other = (omega(np.random.default_rng(3)).candidates for omega in (by_hand, blocks))
    assert [model.sigma for model in one] == [model.sigma for model in other]


# ---------------------------------------------------------------- blocks


def after(block, n=40_000, level=1.0, seed=0):
    return block(np.full(n, level), None, np.random.default_rng(seed))


@pytest.mark.parametrize(
    ("block", "sd"),
    [
        (noise(0.3), 0.3),
        (noise(0.3, "student", df=6), 0.3 * np.sqrt(6 / 4)),
        (noise(0.3, "laplace"), 0.3 * np.sqrt(2)),
        (noise(25, "poisson"), 0.2),
        (noise(0.3, "coloured", tau=5), 0.3),
        (outliers(0.25, 0.6), 0.3),
    ],
)
def test_noise_has_the_scale_that_it_says(block, sd):
    values = after(block)
    # Standard errors: 0.35 % of sd without, 2 % with heavy tails or memory.
    assert values.mean() == pytest.approx(1.0, abs=0.03)
    assert values.std() == pytest.approx(sd, rel=0.06)


def test_coloured_noise_is_an_autoregression():
    rng = np.random.default_rng(0)
    kept = np.exp(-1 / 7)
    steps = rng.standard_normal(1000)
    steps[1:] *= np.sqrt(1 - kept**2)
    expected = np.empty(1000)
    expected[0] = steps[0]
    for place in range(1, 1000):
        expected[place] = kept * expected[place - 1] + steps[place]
    values = noise(1.0, "coloured", tau=7)(np.zeros(1000), None, np.random.default_rng(0))
    np.testing.assert_allclose(values, expected, rtol=1e-10, atol=1e-12)


def test_a_drift_goes_along_a_column():
    design = np.array([3.0, 1.0, 2.0])
    moved = Block("drift", (("height", 2.0),))(np.zeros(3), design, np.random.default_rng(0))
    assert moved == pytest.approx([2.0, -2.0, 0.0])
    with pytest.raises(ValueError, match="same at all points"):
        drift(1.0)(np.zeros(3), np.ones(3), np.random.default_rng(0))


def ramp(n, rng):
    return {"x": np.linspace(0.0, 1.0, n), "y": np.linspace(0.0, 1.0, n)}


def recorded(chain, n=1000, seed=0, **options):
    omega = Scenario(MODELS, simulator(ramp), chain, signal="y", **options)
    return omega(np.random.default_rng(seed)).observe(n, np.random.default_rng(1))


def test_a_tilt_makes_one_end_rarer():
    strong = Block("tilt", (("strength", 3.0),), along="x")
    x = recorded([strong])["x"]
    assert x.size == 1000
    # Of 4 000 points with weights exp(3 x'), half are above the middle 19 times as often, less what
    # drawing without replacement takes back.
    assert np.mean(x > 0.5) > 0.85
    assert abs(recorded([tilt(1e-6, along="x")])["x"].mean() - 0.5) < 0.05


def test_missing_points_come_in_runs():
    kept = recorded([missing(0.5, run=10)])["x"] * 1999
    steps = np.diff(np.round(kept).astype(int))
    assert kept.size == 1000
    assert np.all((steps - 1) % 10 == 0)
    assert (steps > 1).sum() > 20


def test_chains_of_selections_end_with_as_many_points_as_asked_for():
    chain = [missing(0.3), noise(0.1), tilt(0.5, along="x"), missing(0.2, run=7)]
    assert recorded(chain, n=137)["y"].size == 137


def test_a_jitter_moves_a_parameter_of_each_recording():
    def constant(n, rng, level):
        return np.full(n, level) + 1e-9 * np.arange(n)

    omega = Scenario(
        MODELS,
        simulator(constant, level=choice(1.0, 2.0)),
        [jitter(level=0.1)],
        new="replication",
    )
    observe = omega(np.random.default_rng(0)).observe
    levels = np.array([observe(3, np.random.default_rng(k)).mean() for k in range(400)])
    level = np.exp(np.log(levels).mean())
    assert level == pytest.approx(round(level), rel=0.02)  # standard error 0.5 %
    assert np.log(levels).std() == pytest.approx(0.1, rel=0.15)


@pytest.mark.parametrize("per", ["recording", "problem"])
def test_numbers_are_drawn_when_they_should_be(per):
    chain = [offset(1.0, per=per), gain(0.1)]
    omega = Scenario(MODELS, simulator(lambda n, rng: np.linspace(0, 1, n)), chain, "replication")
    observe = omega(np.random.default_rng(0)).observe
    lowest = [observe(3, np.random.default_rng(k))[0] for k in range(3)]
    signs = {np.sign(low) for low in lowest}
    assert len(set(lowest)) == 3  # the gain is of the recording
    assert per == "recording" or len(signs) == 1
    again = replace(omega, new="process")(np.random.default_rng(0)).observe
    assert len({again(3, np.random.default_rng(k))[0] for k in range(3)}) == 1


def test_truths():
    one = Scenario(MODELS, one_of_them)(np.random.default_rng(0))
    assert abs(one.observe(10_000, np.random.default_rng(0)).mean()) == pytest.approx(0.1, abs=0.05)
    wide = {"left": toys.gaussian(-5.0), "right": toys.gaussian(5.0)}
    means = []
    for seed in range(20):
        both = Scenario(wide, mixture)(np.random.default_rng(seed))
        means.append(both.observe(2000, np.random.default_rng(0)).mean())
    assert np.std(means) > 1.0  # uniform shares: 10/√12 = 2.9
    mine = Scenario(MODELS, own(lambda rng: lambda n, r: np.arange(n) + 7.0))
    assert mine(np.random.default_rng(0)).observe(2, np.random.default_rng(0)).tolist() == [7, 8]


# ---------------------------------------------------------------- data of every form


@dataclass(frozen=True)
class Trace:
    x: np.ndarray
    y: np.ndarray


X = np.linspace(0.0, 1.0, 8)
FORMS = {
    "array": (lambda x, y: y, None),
    "tuple": (lambda x, y: (x, y), 1),
    "mapping": (lambda x, y: {"x": x, "y": y}, "y"),
    "structured": (lambda x, y: np.rec.fromarrays([x, y], names="x,y").view(np.ndarray), "y"),
    "matrix": (lambda x, y: np.stack([x, y], axis=1), 1),
    "pandas": (lambda x, y: pd.DataFrame({"x": x, "y": y}), "y"),
    "polars": (lambda x, y: pl.DataFrame({"x": x, "y": y}), "y"),
    "dataclass": (Trace, "y"),
}


def column(data, name):
    if isinstance(data, Trace):
        return data.y
    return data if name is None else np.asarray(data.T[1] if is_matrix(data) else data[name])


def is_matrix(data):
    return isinstance(data, np.ndarray) and data.ndim == 2


@pytest.mark.parametrize("form", FORMS)
def test_data_of_every_form(form):
    make, signal = FORMS[form]

    def source(n, rng):
        x = np.linspace(0.0, 1.0, n)
        return make(x, x.copy())

    chain = [Block("gain", (("factor", 2.0),)), missing(0.5), Block("offset", (("value", 1.0),))]
    omega = Scenario(MODELS, simulator(source), chain, signal=signal)
    data = omega(np.random.default_rng(0)).observe(8, np.random.default_rng(0))
    values = column(data, signal)
    assert values.shape == (8,)
    assert np.all((values >= 1.0) & (values <= 3.0))
    if signal is not None:
        assert type(data) is type(make(X, X))
        with pytest.raises(ValueError, match=r"which part of the data is the signal\? name its"):
            replace(omega, signal=None)(np.random.default_rng(0)).observe(
                8, np.random.default_rng(0)
            )
    with pytest.raises(ValueError, match=r"signal='z'|without a part 'z'"):
        replace(omega, signal="z")(np.random.default_rng(0)).observe(8, np.random.default_rng(0))


# ---------------------------------------------------------------- as data


def test_the_round_trip_through_json():
    def trace(n, rng, level, sd):
        return {"x": np.arange(n), "y": level + rng.standard_normal(n)}

    omega = Scenario(
        MODELS,
        simulator(trace, level=normal(1.0, 0.5), sd=loguniform(0.1, 1.0)),
        [
            jitter(level=0.1),
            gain(0.02),
            offset(uniform(-1, 1), per="problem"),
            drift(0.3, along="x"),
            noise("sd"),
            noise(1.0, "student", df=5),
            noise(0.1, "coloured", tau=4),
            outliers(0.01, 3.0),
            tilt(0.2, along="x"),
            missing(0.1, run=2),
        ],
        new="replication",
        signal="y",
    )
    plain = json.loads(json.dumps(omega.to_dict(), allow_nan=False))
    again = Scenario.from_dict(plain, MODELS, trace)
    assert again.to_dict() == omega.to_dict()
    assert again.describe() == omega.describe()
    assert same(omega, again)
    with pytest.raises(ValueError, match=r"made by .*trace; got None"):
        Scenario.from_dict(plain, MODELS)
    with pytest.raises(ValueError, match="candidates of this scenario are"):
        Scenario.from_dict(plain, {"low": MODELS["low"], "other": MODELS["high"]}, trace)
    with pytest.raises(ValueError, match="not the values of a scenario"):
        Scenario.from_dict({"chain": []}, MODELS)
    plain["chain"][1]["block"] = "gian"
    with pytest.raises(ValueError, match="did you mean 'gain'"):
        Scenario.from_dict(plain, MODELS, trace)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: gain(-0.1), "gain: size must be a number above 0; got -0.1"),
        (lambda: offset(0.0), "offset: with size = 0 nothing varies"),
        (lambda: offset(normal(0.0, -1.0)), "normal: standard deviation must be above 0; got -1"),
        (lambda: noise(-1.0), "gaussian: scale must be a number above 0"),
        (lambda: noise(float("nan")), "gaussian: scale must be a number above 0; got nan"),
        (lambda: noise(1.0, "colored"), "did you mean 'coloured'"),
        (lambda: noise(1.0, "coloured"), "after how many points is it forgotten"),
        (lambda: outliers(1.5, 1.0), "share is a part of the points, below 1"),
        (lambda: Block("gain", (("factor", 1.0),)), "with factor = 1 nothing varies"),
        (lambda: Block("gain", (("factor", 0.0),)), "nothing is left of a signal times 0"),
        (lambda: gain(0.1, per="recordings"), "did you mean 'recording'"),
        (lambda: jitter(), "name a parameter"),
        (lambda: uniform(2.0, 1.0), "high must be above low"),
        (lambda: lognormal(0.0, 1.0), "median must be above 0"),
        (lambda: choice("one"), "two numbers or texts"),
        (lambda: Scenario({"one": MODELS["low"]}), "two candidates or more"),
        (lambda: Scenario(MODELS, training=5), "fitted already"),
        (lambda: Scenario(lambda data: MODELS), "cannot make them"),
        (lambda: Scenario(MODELS, new="replication"), "draws nothing anew"),
        (
            lambda: Scenario(MODELS, chain=[gain(0.1, per="problem")], new="replication"),
            "draws nothing anew",
        ),
        (lambda: Scenario(MODELS, chain=[noise("sd")]), "the truth has no parameter 'sd'"),
        (lambda: Scenario(MODELS, chain=[jitter(level=0.1)]), "the truth has no parameter 'level'"),
        (
            lambda: Scenario(MODELS, simulator(lambda n, rng: 0, level=normal(0, 1))),
            "'level' of the truth is used neither",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Scenario(MODELS, chain=["gain"]), r"chain\[0\] must be a block"),
        (lambda: Scenario(MODELS, "candidates"), "truth must be one_of_them"),
        (lambda: Scenario(MODELS, simulator(None)), "needs a function"),
        (lambda: offset([1, 2]), "offset: size must be a number"),
        (lambda: normal("a", 1.0), "normal: give mean and standard deviation"),
        (lambda: missing("some"), "share must be a number"),
    ],
)
def test_what_is_of_the_wrong_kind_is_refused(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_a_block_after_which_nothing_varies():
    chain = [Block("offset", (("value", -5.0),)), noise(10.0, "poisson")]
    with pytest.raises(ValueError, match=r"after the block poisson\(counts=10\) nothing of the"):
        recorded(chain)


def test_data_without_named_parts():
    omega = Scenario(MODELS, simulator(lambda n, rng: object()), signal="y")
    with pytest.raises(ValueError, match="data whose parts it can name"):
        omega(np.random.default_rng(0)).observe(8, np.random.default_rng(0))
    text = Scenario(MODELS, simulator(lambda n, rng: {"y": ["a"] * n}), signal="y")
    with pytest.raises(ValueError, match="holds no numbers"):
        text(np.random.default_rng(0)).observe(8, np.random.default_rng(0))
