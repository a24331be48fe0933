"""The border: what counts as losses, and what is said about what does not."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import lfilter

from rivals import Candidate, Losses, RivalsWarning, compare
from rivals._say.samples import check_finite
from rivals.core.sampling_error import effective_size
from rivals.laws.beta import tied_fraction

GOOD = [0.5, 1.0, 1.5, 2.0]
SIMULATED = [0.6, 1.1, 1.4, 2.2]

BAD = {
    "nan": ([0.1, np.nan, 0.3, np.nan], ValueError, "2 of 4 are NaN, the first at position 1"),
    "infinite": (
        [0.1, np.inf, 0.3],
        ValueError,
        "assigns zero probability to 1 of 3 (observations|simulated points)",
    ),
    "minus infinity": ([0.1, -np.inf], ValueError, "1 of 2 are −inf"),
    "empty": ([], ValueError, r"found 0 value\(s\)"),
    "one value": ([1.0], ValueError, r"found 1 value\(s\)"),
    "scalar": (1.0, ValueError, "Pass the loss of each point"),
    "three-dimensional": ([[[1.0, 2.0], [3.0, 4.0]]], ValueError, r"got shape \(1, 2, 2\)"),
    "text": (["a", "b"], TypeError, "expected numbers, found dtype"),
    "numbers as text": (["1.0", "2.0"], TypeError, "expected numbers, found dtype"),
    "complex": ([1j, 2j], TypeError, "complex numbers cannot be ordered"),
    "none": (
        [1.0, None, 2.0],
        TypeError,
        "1 of 3 entries are not numbers, the first at position 1 \\(from 0\\): None",
    ),
    "None itself": (None, TypeError, "not numbers"),
    "objects": (
        np.array([1.0, object()], dtype=object),
        TypeError,
        "1 of 2 entries are not numbers",
    ),
    "ragged": ([[1.0], [1.0, 2.0]], TypeError, "cannot be read as an array of numbers"),
    "masked": (
        np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0]),
        ValueError,
        "1 of 3 values are masked",
    ),
    "too large an integer": ([1, 10**400], ValueError, "too large for floating-point"),
    "dates": (np.array(["2026-01-01", "2026-01-02"], dtype="M8[D]"), TypeError, "expected numbers"),
    "too large": ([1.0, 1e305], ValueError, "1 of 2 are beyond 1e\\+300"),
}

ACCEPTED = {
    "list": GOOD,
    "tuple": tuple(GOOD),
    "integers": np.arange(4),
    "unsigned": np.arange(4, dtype=np.uint8),
    "float32": np.array(GOOD, dtype=np.float32),
    "booleans": np.array([True, False, True, True]),
    "pandas": pd.Series(GOOD, index=[7, 3, 1, 9]),
    "pandas nullable": pd.Series([1, 2, 3, 5], dtype="Int64"),
    "polars": pl.Series(GOOD),
    "read-only": np.frombuffer(np.array(GOOD).tobytes()),
    "not contiguous": np.arange(12.0)[::3],
    "reversed": np.array(GOOD)[::-1],
    "big-endian": np.array(GOOD, dtype=">f8"),
    "object floats": np.array(GOOD, dtype=object),
    "unmasked masked": np.ma.masked_array(GOOD),
    "tiny": [1e-300, 2e-300, 3e-300],
    "huge": [1e299, -2e299, 3e299],
    "constant": [2.0, 2.0, 2.0],
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("place", ["observed", "synthetic"])
def test_refused_with_model_and_reason(case, place):
    values, error, message = BAD[case]
    pair = (values, SIMULATED) if place == "observed" else (GOOD, values)
    with pytest.raises(error, match=message) as caught:
        compare({"good": (GOOD, SIMULATED), "bad one": pair})
    assert str(caught.value).startswith(f"model 'bad one': {place} losses: ")


def test_a_matrix_is_several_simulations_but_never_the_data():
    losses = Losses(GOOD, [[1.1, 2.1], [3.1, 4.1], [5.1, 6.1]])
    assert (losses.n_simulations, losses.n_synthetic) == (3, 2)
    with pytest.raises(
        ValueError, match=r"observed losses: expected a one-dimensional array.*got shape \(2, 2\)"
    ):
        Losses([[1.0, 2.0], [3.0, 4.0]], GOOD)
    with pytest.raises(ValueError, match=r"1 of 4 are NaN, the first at position \(1, 0\)"):
        Losses(GOOD, [[1.0, 2.0], [np.nan, 4.0]])
    with pytest.raises(
        ValueError,
        match=r"model 'B' has 1 simulation.*model 'A' has 3; give all models the same number",
    ):
        compare({"A": losses, "B": (GOOD, SIMULATED)})


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted(case):
    losses = Losses(ACCEPTED[case], GOOD)
    np.testing.assert_array_equal(losses.observed, np.asarray(ACCEPTED[case], dtype=float))
    assert losses.observed.dtype == np.float64


def test_inputs_are_copied_and_never_modified():
    observed = np.array([3.0, 1.0, 2.0])
    losses = Losses(observed, GOOD)
    observed[0] = 99.0
    assert losses.observed.tolist() == [3.0, 1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        losses.observed[0] = 1.0


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=6))
def test_any_list_of_floats_is_taken_or_refused_in_words(values):
    sound = len(values) >= 2 and all(np.isfinite(value) and abs(value) <= 1e300 for value in values)
    if sound:
        assert Losses(values, values).n_observed == len(values)
    else:
        with pytest.raises(ValueError, match="observed losses: "):
            Losses(values, values)


def test_log_likelihoods_change_sign():
    losses = Losses.from_log_likelihood([-1.0, -3.0], [-2.0, -0.5])
    assert losses.observed.tolist() == [1.0, 3.0]
    assert Losses.from_log_likelihood([-1.0, -3.0]).n_simulations == 0  # enough for groups
    with pytest.raises(ValueError, match="zero probability to 1 of 2"):
        Losses.from_log_likelihood([-1.0, -np.inf], [-1.0, -2.0])


def test_log_likelihoods_keep_the_index_of_their_points():
    pandas = pytest.importorskip("pandas", reason='needs pandas: pip install "rivals[pandas]"')
    series = pandas.Series([-1.0, -3.0, -2.0], index=["c", "a", "b"])
    assert list(Losses.from_log_likelihood(series).index) == ["c", "a", "b"]


def test_log_likelihoods_are_checked_as_losses_are():
    with pytest.raises(ValueError, match="observed log likelihoods: 1 of 2 values are masked"):
        Losses.from_log_likelihood(np.ma.masked_array([1.0, 2.0], [0, 1]), [1.0, 2.0])
    assert (
        Losses.from_log_likelihood(np.array([1.0, 2.0], dtype=object), [1.0, 2.0]).n_observed == 2
    )


def test_simulation_does_not_repeat_the_data():
    """Data from default_rng(0) and losses with rng=0 must not be the same numbers."""
    data = np.random.default_rng(0).standard_normal(100)
    model = Candidate(loss=lambda y: y, simulate=lambda n, rng: rng.standard_normal(n))
    assert not np.isin(model.losses(data, rng=0).synthetic, data).any()


def test_few_samples_warn():
    with pytest.warns(RivalsWarning, match="models A, B: only 20 losses"):
        compare(
            {
                "A": (np.arange(20.0), np.arange(20.0) + 0.5),
                "B": (np.arange(20.0), np.arange(20.0) + 0.5),
            },
            rng=0,
        )


def test_heavy_ties_warn_and_say_what_to_do():
    rng = np.random.default_rng(0)
    with pytest.warns(
        RivalsWarning, match="model 'coin': 100% of its losses are tied.*continuous score"
    ):
        compare(
            {
                "coin": tuple(rng.integers(0, 2, (2, 500))),
                "smooth": tuple(rng.normal(size=(2, 500))),
            },
            law="beta",
            rng=0,
        )


def test_unequal_sizes_warn():
    rng = np.random.default_rng(0)
    with pytest.warns(RivalsWarning, match="5000 synthetic but 200 observed"):
        compare(
            {
                "A": (rng.normal(size=200), rng.normal(size=5000)),
                "B": tuple(rng.normal(size=(2, 200))),
            },
            law="beta",
            rng=0,
        )


def test_unequal_sizes_widen_the_risk():
    """Hazard 5: the discrepancy of the maxima of unequal samples widens R of a perfect model."""
    from rivals import HierarchicalBetaProcess

    def spread(n_synthetic):
        rng = np.random.default_rng(8)
        found = [
            HierarchicalBetaProcess.from_losses(
                Losses(rng.normal(size=2000) ** 2 / 2, rng.normal(size=n_synthetic) ** 2 / 2), c=1.0
            ).risk_std
            for _ in range(15)
        ]
        return np.median(found)

    assert spread(200_000) > 2 * spread(2000)


def test_ties_of_a_few_are_not_heavy():
    assert tied_fraction(np.repeat(np.arange(1000.0), 2)) == 0.0
    assert tied_fraction(np.repeat([0.0, 1.0], 50)) == 1.0


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_effective_size_of_an_autoregression(correlation):
    """n (1 − φ) / (1 + φ), the median of 31 sequences to 15 %."""
    rng = np.random.default_rng(4)
    sizes = []
    for _ in range(31):
        noise = rng.normal(size=3000)
        sequence = np.empty(3000)
        sequence[0] = noise[0] / np.sqrt(1 - correlation**2)
        for t in range(1, 3000):
            sequence[t] = correlation * sequence[t - 1] + noise[t]
        sizes.append(effective_size(sequence))
    assert np.median(sizes) == pytest.approx(3000 * (1 - correlation) / (1 + correlation), rel=0.15)


@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("n", [100, 5000, 2**14])
def test_effective_size_is_that_of_all_lags(correlation, n):
    """Lag by lag or by Fourier transforms: the same but for rounding, whose error is √n 1e-16."""
    rng = np.random.default_rng(n)
    for _ in range(8):
        sequence = lfilter([1.0], [1.0, -correlation], rng.standard_normal(n))
        deviations = sequence - sequence.mean()
        covariance = np.correlate(deviations, deviations, "full")[n - 1 :]
        times = 2.0 * np.cumsum(covariance / covariance[0]) - 1.0
        lag = np.argmax(np.arange(n) >= 5.0 * times) or n - 1
        expected = n / max(times[lag], 1.0)
        assert effective_size(sequence) == pytest.approx(expected, rel=1e-12)


def test_effective_size_of_a_constant():
    assert effective_size(np.full(1000, 0.1)) == 1000


def test_candidate_simulates_as_many_as_observed():
    asked = []

    def simulate(n, rng):
        asked.append(n)
        return rng.normal(size=n)

    model = Candidate(loss=lambda y: y**2, simulate=simulate)
    assert model.losses(np.arange(50.0), rng=0).n_synthetic == 50
    assert model.losses(np.arange(50.0), n_synthetic=7, rng=0).n_synthetic == 7
    assert asked == [50, 7]


def test_candidates_that_break_their_promise():
    data = np.arange(40.0)
    short = Candidate(loss=lambda y: y, simulate=lambda n, rng: rng.normal(size=n // 2))
    mean = Candidate(loss=lambda y: y.mean(), simulate=lambda n, rng: rng.normal(size=n))
    with pytest.raises(
        ValueError, match=r"model 'short': simulate\(40, rng\) returned data with 20 losses"
    ):
        compare({"short": short, "B": short}, data)
    with pytest.raises(
        ValueError, match=r"model 'mean': losses that loss\(data\) returned.*not their mean"
    ):
        compare({"mean": mean, "B": short}, data)
    with pytest.raises(
        ValueError, match="model 'short': is a Candidate, so held-out data are needed"
    ):
        compare({"short": short, "B": short})


def test_a_transposed_matrix_and_a_swapped_pair_are_named():
    observed = np.random.default_rng(0).exponential(size=50)
    synthetic = np.random.default_rng(1).exponential(size=(4, 50))
    with pytest.raises(
        ValueError, match=r"\(50, 4\) means 50 simulations of 4 points.*is the matrix transposed\?"
    ):
        Losses(observed, synthetic.T)
    with pytest.raises(
        ValueError, match=r"model 'A': .*matrix of shape \(4, 50\).*are they swapped\?"
    ):
        compare({"A": (synthetic, observed), "B": (observed, synthetic)})
    assert Losses(observed, synthetic).n_simulations == 4
    assert (
        Losses(observed[:4], synthetic).n_synthetic == 50
    )  # as many simulations as points, of more points


@pytest.mark.parametrize(
    ("loss", "points"),
    [
        (lambda y: np.where(y == 9.0, 1.0, np.inf), "simulated points"),
        (lambda y: np.where(y == 9.0, np.inf, 1.0), "observations"),
    ],
)
def test_infinite_losses_of_a_candidate_blame_the_points_they_are_of(loss, points):
    model = Candidate(loss=loss, simulate=lambda n, rng: rng.standard_normal(n))
    with pytest.raises(ValueError, match=f"zero probability to 3 of 3 {points}"):
        model.losses(np.full(3, 9.0), rng=0)


@pytest.mark.parametrize(("simulated", "points"), [(True, "simulated"), (False, "observations")])
def test_what_losses_are_called_does_not_decide_whom_the_message_blames(simulated, points):
    with pytest.raises(ValueError, match=points):
        check_finite(np.array([np.inf]), "losses of 'synthetic'", simulated=simulated)


@pytest.mark.parametrize("scale", [1e-313, 1e-320])
def test_losses_without_digits_are_refused(scale):
    """Of 1e-320 three digits are left, and probabilities would be of what is not."""
    losses = np.random.default_rng(0).exponential(size=100) * scale
    with pytest.raises(ValueError, match="few digits left; rescale the loss of all models"):
        Losses(losses)
    Losses(np.full(4, 5e-324))  # all the same: there is nothing to tell apart
