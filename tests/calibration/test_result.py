"""Curves, the choice of c, corrections; on a solvable toy and on made-up outcomes."""

import json

import numpy as np
import pytest
from omegas import SEPARATION, gaussian
from scipy import stats

import rivals
from rivals import Experiment, Losses
from rivals.calibration import Calibration
from rivals.calibration.curve import (
    CalibrationCurve,
    calibration_curve,
    most_cautious,
    wilson_interval,
)
from rivals.calibration.records import new_outcomes
from rivals.laws import Beta


def made_up(
    probability,
    truth,
    *,
    c=(1.0,),
    omegas=("o",),
    omega=None,
    score=None,
    wanted=None,
    law="beta",
    **about,
):
    """A calibration with given outcomes."""
    probability = np.asarray(probability, dtype=float).reshape(len(truth), len(c))
    outcomes = new_outcomes(len(truth), len(c))
    outcomes["omega"] = 0 if omega is None else omega
    outcomes["probability"], outcomes["standard_error"], outcomes["truth"] = probability, 0.0, truth
    outcomes["score"] = 0.0 if score is None else score
    outcomes["risk_a"], outcomes["risk_b"] = np.where(truth, 0.0, 1.0), np.where(truth, 1.0, 0.0)
    outcomes["truth_error"] = 1e-3
    about = {"replicated": False, "n_candidates": 2, "candidates": [], "descriptions": {}, **about}
    return Calibration(
        omegas=omegas,
        c=c,
        n_data=100,
        n_truth=1000,
        loss_unit="nats",
        entropy=0,
        failures=(),
        about=about,
        law=law,
        n_simulations=1,
        order=None,
        n_replications=1,
        n_wanted=wanted or len(truth) // len(omegas),
        _options={},
        _outcomes=outcomes,
    )


def calibrated(n, seed=0, sharpen=1.0):
    """Outcomes whose truth follows the stated probability, or that are more confident than right
    (sharpen > 1).
    """
    rng = np.random.default_rng(seed)
    logit = rng.normal(0, 1.5, n)
    truth = rng.random(n) < 1 / (1 + np.exp(-logit))
    return 1 / (1 + np.exp(-sharpen * logit)), truth


@pytest.fixture(scope="module")
def toy_calibration():
    """400 experiments in this process, and what the data of each say about the truth, exactly."""
    posteriors = []

    def omega(rng):
        mean = rng.normal(0, 0.1)
        calls = []

        def observe(n, rng):
            data = mean + rng.standard_normal(n)
            if not calls:
                # The data's mean is sufficient: μ | y ~ N(ȳ τ² / (τ² + 1/n), …), and a is better
                # where μ < 0.
                posteriors.append(
                    stats.norm.cdf(-data.mean() * np.sqrt(n) * 0.1 / np.sqrt(0.01 + 1 / n))
                )
            calls.append(n)
            return data

        return Experiment(observe=observe, candidates=(gaussian(-SEPARATION), gaussian(SEPARATION)))

    found = rivals.calibrate(
        {"toy": omega},
        n_data=100,
        n_experiments=400,
        n_truth=20_000,
        c=[1e-6, 0.03, 0.5],
        rng=1,
        law=Beta(n_draws=400),
        n_simulations=1,
        executor=0,
        progress=False,
    )
    return found, np.array(posteriors)


def test_the_curve_of_a_solvable_toy(toy_calibration):
    """In each bin, the part in which a is truly better is the mean of P(truth | data), within the
    band.
    """
    found, posteriors = toy_calibration
    for c in found.c:
        order = np.argsort(found._outcomes["probability"][:, found.c.index(c)], kind="stable")
        known = np.array([posteriors[group].mean() for group in np.array_split(order, 8)])
        curve = calibration_curve(
            found._of(None).at(found.c.index(c)),
            found._of(None).truth,
            bins=8,
            confidence=0.9999,
        )  # 24 bins: all of them inside with probability 0.998
        assert (curve.low <= known).all()
        assert (known <= curve.high).all()


def test_an_overconfident_c_is_found_out(toy_calibration):
    found, _ = toy_calibration
    assert found.overconfidence(1e-6) > 0.1
    assert found.overconfidence(0.5) < 0.05
    valid = found.valid_c()
    assert tuple(valid) == (0.03, 0.03)
    assert "at c = 1e-06, overconfident" in valid.low_reason
    assert valid.high_reason == "at c = 0.5, no winner is stated"
    assert found.choose_c() == 0.03


def test_bins_are_of_equal_count():
    probability, truth = calibrated(103)
    curve = made_up(probability, truth).curve(1.0, bins=10)
    assert curve.counts.sum() == 103
    assert np.ptp(curve.counts) <= 1
    assert (np.diff(curve.predicted) >= 0).all()
    assert (curve.low <= curve.observed).all()
    assert (curve.observed <= curve.high).all()
    assert made_up(probability[:5], truth[:5]).curve(1.0, bins=16).counts.tolist() == [1] * 5


def test_undecided_truths_count_half():
    found = made_up([0.2, 0.8], np.array([True, True]))
    found._outcomes[["risk_a", "risk_b", "truth_error", "truth"]][0] = (0.5, 0.5, 1.0, 0.5)
    assert found.curve(1.0, bins=1).observed.tolist() == [0.75]
    assert found.records["undecided"].tolist() == [True, False]


def test_wilson_interval_covers():
    """Of 4000 binomial samples, 95 % of intervals hold the truth, to 1.5 %."""
    rng = np.random.default_rng(0)
    for p in (0.05, 0.5, 0.9):
        low, high = wilson_interval(rng.binomial(40, p, 4000) / 40, np.full(4000, 40), 0.95)
        assert np.mean((low <= p) & (p <= high)) == pytest.approx(0.95, abs=0.02)


def test_excess_counts_the_wrong_side():
    """B = 0.9 where a is better in 0.2: an excess of 0.4 + 0.3."""
    curve = calibration_curve(np.full(100, 0.9), np.repeat([1.0, 0.0], [20, 80]), bins=1)
    assert curve.overconfidence == pytest.approx(0.7)


def test_the_worst_epistemic_distribution_decides():
    good, truth_good = calibrated(1000, 1)
    sharp, truth_sharp = calibrated(1000, 2, sharpen=6.0)
    both = made_up(
        np.concatenate([good, sharp]),
        np.concatenate([truth_good, truth_sharp]),
        omegas=("good", "sharp"),
        omega=np.repeat([0, 1], 1000),
    )
    assert (
        both.overconfidence(1.0)
        == both.overconfidence(1.0, "sharp")
        > both.overconfidence(1.0, "good")
    )
    assert both.valid_c().low is None
    assert both.valid_c("good").values == (1.0,)
    assert "'sharp'" in str(both.valid_c())
    with pytest.raises(ValueError, match="no value of c is valid"):
        both.choose_c()


def test_without_valid_c_the_curve_still_corrects():
    """The best Brier score of B, whatever the curve; the sharper of two, for the same truth, is
    worse.
    """
    sharp, truth = calibrated(1000, sharpen=6.0)
    sharper = 1 / (1 + np.exp(-2.0 * np.log(sharp / (1 - sharp))))
    found = made_up(np.column_stack([sharper, sharp]), truth, c=(0.5, 1.0))
    with pytest.raises(ValueError, match="no value of c is valid here"):
        found.choose_c()
    assert found.choose_c(valid_only=False) == 1.0
    assert found.brier_score(1.0) == pytest.approx(np.mean((sharp - truth) ** 2))


@pytest.mark.parametrize(("n", "valid"), [(255, False), (256, True)])
def test_too_few_to_tell(n, valid):
    found = made_up(*calibrated(n))
    assert found.validity().valid[0, 0] == valid
    assert bool(found.valid_c().values) == valid
    assert ("255 experiments are too few to tell, 256 are needed" in str(found)) != valid
    assert found.to_dict()["chosen"] == 1.0


def test_the_words_of_a_calibration():
    """c as told apart from others; B by name; no praise for a c that states nothing."""
    truth = calibrated(512)[1]
    stated = np.column_stack([calibrated(512)[0], np.full(512, 0.6)])
    shown = str(made_up(stated, truth, c=(2.0**-10, 64.0)))
    assert "  c = 0.000977  valid: " in shown
    assert "\n  c = 64        no winner is stated\n" in shown
    assert "Valid: 0.000977 ≤ c ≤ 0.000977" in shown
    assert "\n  above: at c = 64, no winner is stated\n" in shown
    assert "corrected, stated probabilities move " in shown
    assert "0.00097656" not in shown


def test_too_few_of_one_epistemic_distribution():
    probability, truth = calibrated(600)
    found = made_up(probability, truth, omegas=("many", "few"), omega=np.repeat([0, 1], [540, 60]))
    assert found.valid_c("many").values == (1.0,)
    assert not found.valid_c().values
    with pytest.raises(ValueError, match="'few' has 60 experiments: fewer than 64"):
        found.correct(0.9, 1.0)
    assert found.correct(0.9, 1.0, omega="many") > 0.5
    few = (
        "Too few experiments to call a c valid: 60 of 'few'; 256 are "
        "needed, 64 for a curve that corrects probabilities"
    )
    assert few in str(found)


@pytest.mark.parametrize(
    ("sharpen", "edge"),
    [((8.0, 4.0, 2.0), "largest"), ((2.0, 4.0, 8.0), "smallest"), ((4.0, 1.0, 4.0), None)],
)
def test_the_best_c_at_an_edge_is_said(sharpen, edge):
    truth = calibrated(1000)[1]
    found = made_up(
        np.column_stack([calibrated(1000, sharpen=s)[0] for s in sharpen]), truth, c=(0.5, 1.0, 2.0)
    )
    problem = found.to_dict()["grid_problem"]
    if edge is None:
        assert problem is None
        assert "that was tried" not in str(found)
    else:
        assert f"is the {edge} that was tried" in problem
        assert problem in str(found)


def test_correction_takes_the_least_confident_of_several():
    good, truth_good = calibrated(3000, 1)
    sharp, truth_sharp = calibrated(3000, 2, sharpen=3.0)
    both = made_up(
        np.concatenate([good, sharp]),
        np.concatenate([truth_good, truth_sharp]),
        omegas=("good", "sharp"),
        omega=np.repeat([0, 1], 3000),
    )
    assert both.correct(0.9, 1.0) == pytest.approx(both.correct(0.9, 1.0, omega="sharp"))
    assert both.correct(0.9, 1.0) < both.correct(0.9, 1.0, omega="good")


@pytest.mark.parametrize("wrong", [1.5, -0.1, np.nan])
def test_correction_wants_probabilities(wrong):
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
        made_up(*calibrated(500)).correct([0.5, wrong], 1.0)


def test_unknown_names_and_values():
    found = made_up(*calibrated(50))
    with pytest.raises(ValueError, match=r"c = 3.0 was not calibrated: the values are \[1.0\]"):
        found.curve(3.0)
    with pytest.raises(ValueError, match="unknown epistemic distribution 'x'"):
        found.curve(1.0, "x")


def test_records_have_all_fields(toy_calibration):
    found, _ = toy_calibration
    records = found.records
    assert records.shape == (1200,)
    assert records["omega"][0] == "toy"
    np.testing.assert_array_equal(records["c"][:3], found.c)
    np.testing.assert_array_equal(records["truly_better"], records["risk_a"] < records["risk_b"])
    np.testing.assert_array_equal(
        records["truth"], np.where(records["undecided"], 0.5, records["truly_better"])
    )


def losses_of(n_observed=100, n_synthetic=100, n_simulations=1):
    rng = np.random.default_rng(0)
    return {
        name: Losses(
            rng.exponential(scale, n_observed), rng.exponential(scale, (n_simulations, n_synthetic))
        )
        for name, scale in (("A", 1.0), ("B", 1.1))
    }


def test_compare_takes_the_law_the_c_and_the_curve():
    found = made_up(
        np.column_stack([calibrated(1000, sharpen=s)[0] for s in (6.0, 2.0)]),
        calibrated(1000)[1],
        c=(0.5, 1.0),
    )
    result = rivals.compare(losses_of(), c=found, rng=0)
    assert (result.law, result.c) == ("beta", 1.0)
    np.testing.assert_array_equal(result.calibrated, found.correct(result.probability, 1.0))


FITTING = {"law": None, "order": None, "loss_unit": None}


@pytest.mark.parametrize(
    ("sizes", "settings", "message"),
    [
        (
            {"n_observed": 151},
            {},
            "is for 100 observed losses of each model, but model 'A' has 151; .* calibrate",
        ),
        ({"n_observed": 66}, {}, "has 66"),
        (
            {"n_synthetic": 1000},
            {},
            "is for 100 synthetic losses of each model, but model 'A' has 1000",
        ),
        (
            {"n_simulations": 3},
            {},
            (
                "is for 1 simulations of each model, but model 'A' has 3; .* column "
                "'simulation' .* --n-simulations 3"
            ),
        ),
        (
            {},
            {"law": "transport"},
            "made with law='beta', but the comparison has law='transport'; use the same",
        ),
        ({}, {"law": "groups"}, "made with law='beta', but the comparison has law='groups'"),
        ({}, {"order": "time"}, "was made with order=None, but the comparison has order='time'"),
        (
            {},
            {"loss_unit": "bits"},
            "made with loss_unit='nats', but the comparison has loss_unit='bits'",
        ),
    ],
)
def test_what_a_calibration_does_not_fit(sizes, settings, message):
    with pytest.raises(ValueError, match=message):
        made_up(*calibrated(300)).check_fit(losses_of(**sizes), **{**FITTING, **settings})


@pytest.mark.parametrize(
    ("sizes", "settings"),
    [
        ({}, {}),
        ({"n_observed": 150, "n_synthetic": 67, "n_simulations": 2}, {}),
        ({}, {"law": "beta", "loss_unit": "nats"}),
    ],
)
def test_what_a_calibration_fits(sizes, settings):
    made_up(*calibrated(64)).check_fit(losses_of(**sizes), **{**FITTING, **settings})


def test_a_calibration_of_too_few_experiments_fits_nothing():
    with pytest.raises(
        ValueError, match="'o' has 63 experiments: fewer than 64 are too few to tell"
    ):
        made_up(*calibrated(63)).check_fit(losses_of(), **FITTING)


def test_plots(toy_calibration):
    from rivals.plots import plot_calibration, plot_valid_c

    found, _ = toy_calibration
    ax = plot_calibration(found, bins=8)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "c = 1e-06",
        "c = 0.03",
        "c = 0.5",
    ]
    ax = plot_valid_c(found)
    assert "sensitivity c" in ax.get_xlabel()


def test_numbers_behind_the_pictures(toy_calibration):
    from rivals.plots import plot_calibration, plot_valid_c

    found, _ = toy_calibration
    lines = plot_calibration(found, bins=8, band=False).get_lines()[1:]  # after the diagonal
    for line, c in zip(lines, found.c, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), found.curve(c, bins=8).predicted)
        np.testing.assert_array_equal(line.get_ydata(), found.curve(c, bins=8).observed)
    line, *_ = plot_valid_c(found).get_lines()
    np.testing.assert_array_equal(line.get_ydata(), found.validity().error[0])


def test_the_shaded_area_is_where_the_excess_is_positive():
    """Random points of the unit square: overconfident is inside a triangle of either kind, and
    nowhere else.
    """
    from matplotlib.path import Path

    from rivals.plots.calibration_curves import FOR_THE_WRONG_MODEL, OVERCONFIDENT

    points = np.random.default_rng(0).random((2000, 2))
    inside = [
        Path(corners).contains_points(points) for corners in (*OVERCONFIDENT, *FOR_THE_WRONG_MODEL)
    ]
    excess = CalibrationCurve(*points.T, *np.zeros((3, 2000))).excess
    np.testing.assert_array_equal(np.sum(inside, axis=0), (excess > 0).astype(int))
    # The second kind is where the truth is on the other side of ½, and farther from it than B.
    predicted, observed = points.T
    wrong = ((predicted - 0.5) * (observed - 0.5) < 0) & (
        abs(observed - 0.5) > abs(predicted - 0.5)
    )
    np.testing.assert_array_equal(inside[2] | inside[3], wrong)


def test_the_most_cautious_is_closest_to_one_half():
    stack = np.random.default_rng(0).random((5, 3, 4))
    chosen = most_cautious(stack)
    np.testing.assert_array_equal(abs(chosen - 0.5), abs(stack - 0.5).min(axis=0))
    assert (chosen == stack).any(axis=0).all()


def test_results_as_dictionaries_and_tables(toy_calibration):
    found, _ = toy_calibration
    summary = json.loads(json.dumps(found.to_dict()))
    assert summary["c"] == list(found.c)
    assert (summary["law"], summary["n_simulations"], summary["order"]) == ("beta", 1, None)
    assert summary["question"] == "which candidate is better on new data of the same process"
    assert summary["question"] in str(found)
    assert summary["question"] in found._repr_html_()
    assert repr(found) == str(found)
    assert summary["overconfidence"] == [found.overconfidence(c) for c in found.c]
    assert summary["valid_range"]["values"] == list(found.valid_c().values)
    assert summary["experiments_wanted"] == found.n_wanted == 400
    assert int(summary["rng"]) == found.entropy
    valid = json.loads(json.dumps(found.valid_c().to_dict()))
    assert (valid["low"], valid["high"], valid["values"]) == (
        *found.valid_c(),
        summary["valid_range"]["values"],
    )


def test_html_escapes_names():
    found = made_up(
        *calibrated(200, sharpen=6.0), omegas=("<b>", "other"), omega=np.repeat([0, 1], 100)
    )
    assert "&lt;b&gt;" in found._repr_html_()
    assert "<b>" not in found._repr_html_()
