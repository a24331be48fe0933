"""Comparing: probabilities, the rejection rule, reproducibility, results that are kept."""

import functools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rivals
from rivals import Candidate, Losses, Rejection
from rivals.core.verdict import decide, probability_below, probability_matrix
from rivals.laws import Beta
from samples import make_losses, unstable_losses


def gaussian(width, mean=0.0):
    """A Gaussian model of unit-free data; the loss is its negative log likelihood."""
    return Candidate(
        loss=lambda y: np.log(np.sqrt(2 * np.pi) * width) + ((y - mean) / width) ** 2 / 2,
        simulate=lambda n, rng: mean + width * rng.standard_normal(n),
    )


def four_models(n=1500, seed=0):
    data = np.random.default_rng(seed).standard_normal(n)
    return {
        "right": gaussian(1.0),
        "close": gaussian(1.02, 0.1),
        "off": gaussian(1.5),
        "far": gaussian(3.0),
    }, data


# What all laws share is tested here with the paper's own: one simulation, law "beta"; test_laws.py
# has the others.
compare = functools.partial(rivals.compare, law="beta", n_simulations=1)


@pytest.fixture(scope="module", params=["beta", "transport"])
def result(request):
    models, data = four_models()
    return rivals.compare(models, data, law=request.param, c=0.25, rng=1)


# ---------------------------------------------------------------- probabilities


@given(
    st.lists(st.integers(-3, 3), min_size=1, max_size=20),
    st.lists(st.integers(-3, 3), min_size=1, max_size=20),
)
def test_probability_is_that_of_all_pairs_with_ties_half(a, b):
    a, b = np.sort(np.array(a, float)), np.sort(np.array(b, float))
    pairs = (a[:, None] < b).mean() + 0.5 * (a[:, None] == b).mean()
    assert probability_below(a, b)[0] == pytest.approx(pairs)
    assert probability_below(a, b)[0] + probability_below(b, a)[0] == pytest.approx(1.0)


@pytest.mark.parametrize("shift", [0.0, 0.7, 2.5])
def test_standard_error_against_repetition(shift):
    """400 repetitions of 300 against 500 draws: the stated error is the scatter, to 15 %; the mean
    is Φ(shift/√2).
    """
    rng = np.random.default_rng(0)
    found = np.array(
        [
            probability_below(np.sort(rng.normal(size=300)), np.sort(rng.normal(shift, 1, 500)))
            for _ in range(400)
        ]
    )
    assert found[:, 0].mean() == pytest.approx(
        stats.norm.cdf(shift / np.sqrt(2)), abs=4 * found[:, 0].std() / 20
    )
    assert np.sqrt(np.mean(found[:, 1] ** 2)) == pytest.approx(found[:, 0].std(), rel=0.15)


def test_no_overlap_is_not_certainty():
    assert probability_below(np.arange(100.0), np.arange(100.0) + 1000) == (1.0, 0.005)


def test_antisymmetry_and_diagonal(result):
    np.testing.assert_array_equal(result.probability + result.probability.T, 1.0)
    np.testing.assert_array_equal(np.diag(result.probability), 0.5)
    np.testing.assert_array_equal(np.diag(result.standard_error), 0.0)


def test_default_draws_reach_the_promised_error():
    models, data = four_models()
    assert compare(models, data, rng=0).standard_error.max() < 0.005


@pytest.mark.filterwarnings("ignore::rivals.RivalsWarning")
def test_identical_losses_are_a_tie(kind):
    """Same losses, independent draws: B = ½ to 4 standard errors (the peer says 0.0 and 1.0)."""
    losses = make_losses(kind)
    twins = compare({"A": losses, "B": losses}, rng=2)
    assert twins.probability[0, 1] == pytest.approx(0.5, abs=4 * twins.standard_error[0, 1])


def test_risks_without_spread_are_exact_ties():
    constant = (np.full(100, 1.5), np.full(100, 1.5))
    with pytest.warns(rivals.RivalsWarning, match="ties"):
        twins = compare({"A": constant, "B": constant}, law="beta", rng=2)
    for result in (twins, compare({"A": constant, "B": constant}, law="transport", rng=2)):
        assert result.probability.tolist() == [[0.5, 0.5], [0.5, 0.5]]
        assert result.survivors == ("A", "B")


# ---------------------------------------------------------------- the rule


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), threshold=st.floats(0.51, 0.999), ties=st.booleans())
def test_the_rule_is_that_of_the_full_matrix(seed, threshold, ties):
    """Skipping pairs by quantiles, and stopping at a rival, never changes who is rejected."""
    rng = np.random.default_rng(seed)
    draws = [
        np.sort(rng.normal(rng.normal(0, 1), rng.uniform(0.1, 2), rng.integers(50, 200)))
        for _ in range(7)
    ]
    if ties:
        draws = [np.round(sample) for sample in draws]
    risk = rng.normal(size=7)
    rejections, undecided = decide(risk, draws, threshold, lambda model: False)
    probability, _ = probability_matrix(draws)
    for model in range(7):
        beaten = [
            b for b in range(7) if risk[b] < risk[model] and probability[b, model] > threshold
        ]
        assert (model in rejections) == bool(beaten)
        if beaten:
            assert rejections[model].rival in beaten
    for duel in undecided:
        assert abs(duel.probability - threshold) <= 2 * duel.standard_error


def test_nothing_exceeds_certainty():
    draws = [np.arange(10.0), np.arange(10.0) + 100]
    assert decide(np.array([0.0, 1.0]), draws, 1.0, lambda model: False) == ({}, [])


def test_verdict_of_four_models(result):
    assert result.survivors[0] == "right"
    assert "far" not in result.survivors
    assert result.rejections["far"].by == "right"
    assert isinstance(result.rejections["far"], Rejection)
    assert result.rejections["far"].probability > 0.95
    assert set(result.survivors) | set(result.rejections) == set(result.names)


def test_the_truth_is_kept_where_the_peer_rejects_it():
    """y ~ N(0,1), A = N(0,1), B = N(0,1.5²), L = 4 000, c = 2⁻²: the peer rejects A with B = 0.000
    in 1 % of seeds.
    """
    for seed in range(60):
        data = np.random.default_rng(seed).standard_normal(4000)
        found = compare(
            {"A": gaussian(1.0), "B": gaussian(1.5)}, data, law=Beta(n_draws=2000), c=0.25, rng=seed
        )
        assert "A" in found.survivors
        assert found.probability[0, 1] > 0.5


def test_more_draws_where_the_threshold_is_close():
    models, data = four_models()
    pair = {name: models[name] for name in ("right", "off")}
    plain = compare(pair, data, c=0.25, rng=1)
    probability, error = float(plain.probability[0, 1]), float(plain.standard_error[0, 1])
    far = compare(pair, data, c=0.25, rng=1, threshold=probability - 0.05)
    n_draws, most = 12_000, Beta().max_draws
    assert far.risks["off"].size == n_draws
    close = compare(pair, data, c=0.25, rng=1, threshold=probability + error)
    assert n_draws < close.risks["off"].size <= most
    assert close.standard_error[0, 1] < far.standard_error[0, 1]
    np.testing.assert_array_equal(close.risks["off"][:n_draws], far.risks["off"])


def test_undecided_is_said():
    models, data = four_models()
    pair = {name: models[name] for name in ("right", "off")}
    threshold = float(compare(pair, data, c=0.25, rng=1).probability[0, 1])
    found = compare(pair, data, c=0.25, rng=1, threshold=threshold, law=Beta(max_draws=2))
    assert [(duel.model, duel.by, duel.reason) for duel in found.undecided] == [
        ("off", "right", "draws")
    ]
    assert "too close to the threshold" in str(found)


def test_survivors_of_many_need_no_matrix(monkeypatch):
    """All survive: quantiles rule the duels out; without that there would be 79 800."""
    import rivals.core.verdict

    duels = []
    original = rivals.core.verdict.probability_below
    monkeypatch.setattr(
        rivals.core.verdict, "probability_below", lambda a, b: duels.append(1) or original(a, b)
    )
    rng = np.random.default_rng(0)
    data = rng.standard_normal(300)
    models = {f"m{i}": gaussian(1.0, mean) for i, mean in enumerate(rng.normal(0, 0.1, 400))}
    found = compare(models, data, c=1.0, law=Beta(n_draws=500, max_draws=500), rng=0)
    assert len(found.survivors) > 350
    assert len(duels) < 4000


# ---------------------------------------------------------------- invariances and reproducibility


def test_shift_invariance():
    """An offset of 1e12 leaves losses with four digits; the probabilities move by what that costs,
    not more.
    """
    models, data = four_models()
    plain = compare(models, data, c=0.25, rng=1)
    shifted = {
        name: Losses(losses.observed + 1e12, losses.synthetic + 1e12)
        for name, losses in plain.losses.items()
    }
    moved = compare(shifted, c=0.25, rng=1)
    np.testing.assert_allclose(moved.probability, plain.probability, atol=1e-3)
    assert moved.survivors == plain.survivors
    assert moved.risk_std["off"] == pytest.approx(plain.risk_std["off"], rel=1e-3)


def test_same_source_same_bits():
    models, data = four_models()
    first, second = compare(models, data, rng=5), compare(models, data, rng=5)
    np.testing.assert_array_equal(first.probability, second.probability)
    repeated = compare(
        models, data, rng=compare(models, data, rng=np.random.default_rng(9)).entropy
    )
    np.testing.assert_array_equal(
        repeated.probability, compare(models, data, rng=np.random.default_rng(9)).probability
    )


def test_fresh_entropy_is_remembered():
    models, data = four_models(300)
    found = compare(models, data)
    np.testing.assert_array_equal(
        compare(models, data, rng=found.entropy).probability, found.probability
    )
    assert compare(models, data).entropy != found.entropy


def test_permuting_models_permutes_results():
    losses = {name: make_losses("gaussian", seed=i) for i, name in enumerate("ABCD")}
    forward = compare(losses, law="beta", rng=3)
    backward = compare(dict(reversed(losses.items())), law="beta", rng=3)
    difference = forward.probability - backward.probability[::-1, ::-1]
    error = np.hypot(forward.standard_error, backward.standard_error[::-1, ::-1])
    off = ~np.eye(4, dtype=bool)
    assert (np.abs(difference[off]) < 5 * error[off]).all()
    assert set(forward.survivors) == set(backward.survivors)


# ---------------------------------------------------------------- what a result offers


def test_sweep_is_the_same_comparison_at_each_c(result):
    sweep = result.sweep(c=[0.25, 1.0, 2.0**-6])
    assert sweep.probability.shape == (3, 4, 4)
    np.testing.assert_array_equal(sweep.probability[0], result.probability)
    assert sweep.survivors[0] == result.survivors
    assert all(low < high for low, high in sweep.changes)
    assert "The verdict" in str(sweep)
    assert result.sweep(c=0.25).c == (0.25,)
    with pytest.raises(ValueError, match=r"c\[1\] must be"):
        result.sweep(c=[1.0, -1.0])
    with pytest.raises(ValueError, match="at least one"):
        result.sweep(c=[])


@pytest.mark.parametrize("law", ["transport", "beta"])
def test_sweep_asks_for_stability_as_the_comparison_does(law):
    """A model that `compare` keeps, as single simulations disagree about it, was rejected by a
    sweep at the same c.
    """
    values = [2.0**k for k in range(-8, 1)]
    each = [rivals.compare(unstable_losses(), c=c, threshold=0.9, law=law, rng=0) for c in values]
    sweep = each[0].sweep(values)
    assert any(duel.reason == "simulations" for one in each for duel in one.undecided)
    assert sweep.survivors == tuple(one.survivors for one in each)
    assert [run.stability for run in sweep] == [one.stability for one in each]


def test_table_is_best_first(result):
    pytest.importorskip("pandas", reason='data frames need pandas: pip install "rivals[pandas]"')
    frame = result.to_dataframe()
    assert list(frame.index) == list(result.ranking)
    assert frame["empirical_risk"].is_monotonic_increasing
    lines = str(result).splitlines()
    assert [line.split()[0] for line in lines[2:6]] == list(result.ranking)
    assert lines[0].split()[:3] == ["model", "mean", "loss"]
    assert "best" in lines[2]


def test_dictionary_is_plain(result):
    again = json.loads(json.dumps(result.to_dict()))
    assert again["survivors"] == list(result.survivors)
    assert [row["model"] for row in again["models"]] == list(result.ranking)


def test_results_cannot_be_changed(result):
    with pytest.raises(AttributeError):
        result.c = 2.0
    with pytest.raises(TypeError):
        result.rejections["right"] = None
    with pytest.raises(ValueError, match="read-only"):
        result.probability[0, 1] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        result.risks["right"][0] = 0.0


def test_saved_and_loaded(result, tmp_path):
    path = tmp_path / "Vergleich mit Ümlaut.npz"
    result.save(path)
    again = rivals.load(path)
    assert str(again) == str(result)
    np.testing.assert_array_equal(again.probability, result.probability)
    np.testing.assert_array_equal(again.losses["off"].synthetic, result.losses["off"].synthetic)
    assert again.sweep(c=[0.5]).survivors == result.sweep(c=[0.5]).survivors
    assert list(tmp_path.iterdir()) == [path]


def test_a_loaded_comparison_has_the_draws_that_decided(tmp_path):
    """Where the threshold is close, law "beta" draws more: a file must not give back the numbers of
    fewer draws.
    """
    rng = np.random.default_rng(5)
    losses = {
        name: (rng.normal(mean, 1, 60), rng.normal(0, 1, 60))
        for name, mean in (("A", 0.0), ("B", 0.3))
    }
    models = {name: Losses(*pair) for name, pair in losses.items()}
    at = Beta(depth=6, n_draws=500, max_draws=4000)
    first = rivals.compare(models, law=at, c=0.1, rng=0)
    threshold = float(first.probability.max())  # so close that more draws are needed
    result = rivals.compare(models, law=at, c=0.1, threshold=threshold, rng=0)
    assert result.risks["A"].size == 4000
    result.save(tmp_path / "x.npz")
    for wanted in ("probability", "standard_error"):
        np.testing.assert_array_equal(
            getattr(rivals.load(tmp_path / "x.npz"), wanted), getattr(result, wanted)
        )
    assert rivals.load(tmp_path / "x.npz").risk_interval("A") == result.risk_interval("A")
    np.testing.assert_array_equal(rivals.load(tmp_path / "x.npz").risks["B"], result.risks["B"])


@pytest.mark.parametrize("factor", [2.0**-660, 2.0**660])
@pytest.mark.parametrize("dependence", [{}, {"order": "time"}, {"clusters": np.arange(200) % 20}])
def test_the_error_of_a_difference_at_any_scale(factor, dependence):
    """Its square is neither infinite nor zero in the table, in JSON and in files."""
    rng = np.random.default_rng(0)
    models = {name: rng.exponential(size=(2, 200)) for name in "AB"}
    plain = rivals.compare(
        {name: tuple(each) for name, each in models.items()}, rng=0, **dependence
    )
    scaled = rivals.compare(
        {name: tuple(each * factor) for name, each in models.items()}, rng=0, **dependence
    )
    for name in "AB":
        assert scaled.difference[name] == tuple(factor * each for each in plain.difference[name])
    json.dumps(scaled.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    "c", [np.float32(0.5), np.float64(0.5), np.array(0.5), np.array([0.5]), [np.float32(0.5)]]
)
def test_a_sweep_takes_numbers_of_any_kind(result, c):
    assert result.sweep(c).c == (0.5,)
    assert result.sweep(np.int64(1)).c == (1.0,)


def test_damaged_and_foreign_files_are_refused(result, tmp_path):
    path = tmp_path / "x.npz"
    result.save(path)
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"not a zip", b"PK\x03\x04" + whole[4:500]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="or is damaged"):
            rivals.load(path)
    np.savez(path, a=np.array([object()], dtype=object))
    with pytest.raises(ValueError, match="was not written by"):
        rivals.load(path)
    with pytest.raises(FileNotFoundError):
        rivals.load(tmp_path / "nothing.npz")


@pytest.mark.parametrize("version", [3, 99])
def test_other_formats_are_refused(result, tmp_path, monkeypatch, version):
    monkeypatch.setattr("rivals.comparison.archive.FORMAT_VERSION", version)
    result.save(tmp_path / "x.npz")
    monkeypatch.undo()
    with pytest.raises(ValueError, match=f"in format {version}; this version reads format 6"):
        rivals.load(tmp_path / "x.npz")


def test_results_travel_between_processes(result):
    import copy
    import pickle

    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.probability, result.probability)
    assert str(copy.deepcopy(result)) == str(result)
    with pytest.raises(TypeError):
        again.rejections["right"] = None


def test_exact_ties_with_the_threshold_do_not_reject():
    """57 of 60 is 0.95 exactly, not above it."""
    assert probability_below(np.arange(60.0), np.full(60, 56.5))[0] == 0.95


def test_errors_of_the_users_own_functions_name_the_model():
    def broken(y):
        raise KeyError("column")

    bad = Candidate(loss=broken, simulate=lambda n, rng: rng.normal(size=n))
    with pytest.raises(KeyError) as caught:
        compare({"fine": gaussian(1.0), "broken": bad}, np.arange(40.0))
    assert caught.value.__notes__ == ["while computing the losses of model 'broken'"]


HOSTILE = ["<script>alert(1)</script>", "../../x", "two\nlines", "\x1b[31mred", "$\\frac$", "逆"]


def test_hostile_names_stay_text(tmp_path):
    sample = make_losses("gaussian", 400)
    found = compare(dict.fromkeys(HOSTILE, sample), rng=0)
    shown = str(found)
    assert "\x1b" not in shown
    assert "two\\nlines" in shown
    # A line for each, below the headings; then the note that they are all the same.
    assert shown.splitlines().index("Notes") == len(HOSTILE) + 2
    assert "<script>" not in found._repr_html_()
    found.save(tmp_path / "x.npz")
    assert rivals.load(tmp_path / "x.npz").names == tuple(HOSTILE)


# ---------------------------------------------------------------- bad input

PAIR = (np.linspace(0, 1, 40), np.linspace(0, 1.1, 40))


@pytest.mark.parametrize(
    ("models", "arguments", "error", "message"),
    [
        ({"A": PAIR}, {}, ValueError, r"at least two models; got 1: \['A'\]"),
        ({}, {}, ValueError, "at least two models; got 0"),
        ({"A": PAIR, 3: PAIR}, {}, TypeError, "names must be text; got 3 of type int"),
        ({"A": PAIR, " ": PAIR}, {}, ValueError, "must not be empty"),
        ([("A", PAIR), ("A", PAIR)], {}, ValueError, "'A' is given twice"),
        ([PAIR[0], PAIR[1]], {}, TypeError, "models must be a mapping"),
        (7, {}, TypeError, "models must be a mapping"),
        (
            {"A": PAIR, "B": PAIR[0]},
            {},
            ValueError,
            r"model 'B' has 0 simulation\(s\), but model 'A' has 1",
        ),
        (
            {"A": PAIR[0], "B": PAIR[0]},
            {},
            ValueError,
            "model 'A': no synthetic losses.*or groups=",
        ),
        ({"A": PAIR, "B": object()}, {}, TypeError, "model 'B': expected Losses, a pair.*object"),
        (
            {"A": PAIR, "B": PAIR},
            {"law": "betta"},
            ValueError,
            "law must be one of .* did you mean 'beta'",
        ),
        (
            {"A": PAIR, "B": PAIR},
            {"order": "tim"},
            ValueError,
            "order must be one of 'time'.*did you mean 'time'",
        ),
        (
            {"A": PAIR, "B": PAIR},
            {"n_simulations": 0},
            ValueError,
            "n_simulations must be at least 1",
        ),
        (
            {"A": PAIR[0], "B": PAIR[1]},
            {"law": None, "groups": np.arange(40) % 4, "c": 1.0},
            ValueError,
            "law 'groups' has no c here",
        ),
        ({"A": PAIR, "B": PAIR}, {"law": "groups"}, ValueError, "law 'groups' needs groups"),
        (
            {"A": PAIR, "B": PAIR},
            {"groups": np.arange(40) % 4},
            ValueError,
            "law 'beta' does not know.*clusters=",
        ),
        (
            {"A": PAIR, "B": PAIR},
            {"clusters": np.zeros(40)},
            ValueError,
            "clusters: all points are in one",
        ),
        (
            {"A": PAIR, "B": PAIR},
            {"law": Beta},
            TypeError,
            r"got the class Beta; pass rivals.laws.Beta\(\)",
        ),
        ({"A": PAIR, "B": (1, 2, 3)}, {}, TypeError, "model 'B'.*tuple of length 3"),
        (
            {"A": PAIR, "B": (PAIR[0][:30], PAIR[1])},
            {},
            ValueError,
            "'B' has 30 observed losses, but model 'A' has 40",
        ),
        (
            {"A": PAIR, "B": PAIR},
            {"data": PAIR[0]},
            ValueError,
            "all models came with their losses",
        ),
        ({"A": PAIR, "B": PAIR}, {"rng": True}, TypeError, "rng must be"),
        ({"A": PAIR, "B": PAIR}, {"c": 10**400}, TypeError, "c must be a number"),
        ({"A": PAIR, "B": PAIR}, {"c": 0}, ValueError, "c must be a finite number above 0; got 0"),
        ({"A": PAIR, "B": PAIR}, {"c": "1"}, TypeError, "c must be a number; got '1'"),
        ({"A": PAIR, "B": PAIR}, {"c": [1.0, 2.0]}, TypeError, "c must be a number"),
        ({"A": PAIR, "B": PAIR}, {"threshold": 0.5}, ValueError, r"\(0.5, 1\]"),
        ({"A": PAIR, "B": PAIR}, {"threshold": 1.01}, ValueError, r"\(0.5, 1\]"),
        ({"A": PAIR, "B": PAIR}, {"threshold": np.nan}, ValueError, r"\(0.5, 1\]"),
    ],
)
def test_bad_input(models, arguments, error, message):
    with pytest.raises(error, match=message):
        compare(models, **arguments)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_draws": 0}, ValueError, "n_draws must be at least 2"),
        ({"n_draws": 10.5}, TypeError, "n_draws must be a whole number"),
        ({"max_draws": 0}, ValueError, "max_draws must be at least 1"),
        ({"depth": 0}, ValueError, "depth must be"),
    ],
)
def test_bad_options_of_the_law(options, error, message):
    with pytest.raises(error, match=message):
        Beta(**options)
