"""Losses, where they come from, and what is refused before anything is computed."""

import numpy as np
import pytest

import rivals
from rivals import Losses, Provenance
from rivals._core.arrays import LARGEST
from rivals._core.losses import Study

A = np.array([0.3, 1.2, 0.7, 0.4])


@pytest.mark.parametrize(
    ("losses", "what"),
    [
        ([0.1, np.nan, 0.3], "1 of 3 are missing .*first at 1"),
        ([0.1, np.inf, 0.3], "zero probability to 1 of 3 observations"),
        ([0.1, -np.inf, 0.3], "1 of 3 are minus infinity"),
        ([0.1, 2 * LARGEST], "rescale"),
        ([0.1], "two points or more; got 1"),
        ([], "two points or more; got 0"),
        ([[0.1, 0.2], [0.3, 0.4]], "one number for each point"),
        (["a", "b"], "must be numbers; got 'a'"),
        ([0.1, None], "missing|must be numbers"),
        ("losses", "must be numbers"),
        (np.array([0.1 + 1j, 0.2]), "must be numbers; got complex"),
    ],
)
def test_observed_losses_that_are_none_are_refused(losses, what):
    with pytest.raises((TypeError, ValueError), match=what):
        Losses(losses)


@pytest.mark.parametrize(
    ("simulated", "what"),
    [
        ([0.1, np.nan, 0.3, 0.2], "simulated losses: 1 of 4 are missing"),
        (np.ones((4, 3)), "transposed"),
        (np.ones((2, 2, 4)), "must be \\(simulations, points\\)"),
        ([[0.1]], "two points or more"),
    ],
)
def test_simulated_losses_that_are_none_are_refused(simulated, what):
    with pytest.raises(ValueError, match=what):
        Losses(A, simulated)


def test_one_row_or_several_rows_or_none():
    assert Losses(A).n_simulations == 0
    assert Losses(A, A + 1).n_simulations == 1
    assert Losses(A, np.stack([A, A])).simulated.shape == (2, 4)
    assert Losses(A, []).n_simulations == 0


def test_an_offset_costs_the_mean_no_digits():
    losses = np.random.default_rng(0).exponential(size=1000)
    assert Losses(losses + 1e12).mean - 1e12 == pytest.approx(losses.mean(), abs=1e-3)


def test_log_likelihoods_are_turned():
    losses = Losses.from_log_likelihood(-A, -A - 1.0, unit="nats")
    np.testing.assert_array_equal(losses.observed, A)
    np.testing.assert_array_equal(losses.simulated, [A + 1.0])
    assert losses.source.unit == "nats"


def test_what_is_said_of_losses_is_kept():
    losses = Losses(A, source=Provenance(loss="Brier"), left_out=True, groups=["a", "a", "b", "b"])
    assert losses.source == Provenance(loss="Brier", left_out=True)
    assert repr(losses) == "Losses(4 points, mean 0.65, 2 groups)"


@pytest.mark.parametrize("bad", [{"left_out": 1.5}, {"n_folds": -1}, {"n_folds": 1.0}, {"loss": 3}])
def test_a_provenance_of_other_kinds_is_refused(bad):
    with pytest.raises(TypeError, match=next(iter(bad))):
        Provenance(**bad)


def test_codes_for_a_terminal_are_no_loss():
    with pytest.raises(ValueError, match="cannot be printed"):
        Provenance(loss="\x1b[2J")


def test_models_must_fit_together():
    with pytest.raises(ValueError, match="model 'B' has 3 observed losses, but model 'A' has 4"):
        rivals.compare({"A": A, "B": A[:3]}, groups=[0, 1, 2, 3])
    with pytest.raises(ValueError, match="model 'B' has 0 simulations, but model 'A' has 1"):
        rivals.compare({"A": (A, A + 0.1), "B": Losses(A)})
    with pytest.raises(ValueError, match="in nats and in bits"):
        Study.of({"A": Losses(A, unit="nats"), "B": Losses(A, unit="bits")})
    with pytest.raises(ValueError, match="left-out groups"):
        Study.of({"A": Losses(A, left_out=True), "B": Losses(A)})
    with pytest.raises(ValueError, match="model 'B' carries no groups"):
        Study.of({"A": Losses(A, groups=[0, 0, 1, 1]), "B": Losses(A)})
    with pytest.raises(ValueError, match="model 'B' carries other groups"):
        Study.of({"A": Losses(A, groups=[0, 0, 1, 1]), "B": Losses(A, groups=[0, 1, 0, 1])})


def test_what_all_models_say_alike_is_the_source():
    first = Losses(A, source=Provenance(loss="nll", unit="nats", library="x"))
    second = Losses(A, source=Provenance(loss="nll", library="y"))
    assert Study.of({"A": first, "B": second}).source == Provenance(loss="nll", unit="nats")


@pytest.mark.parametrize(
    ("names", "what"),
    [
        (["A"], "two models or more"),
        (["A", " "], "must be a text"),
        (["A", "A "], "called 'A'"),
        (["A", "A\u200b"], "called 'A'"),
        (["A b", "A\u00a0b"], "called 'A b'"),
    ],
)
def test_names_that_people_cannot_tell_apart_are_refused(names, what):
    with pytest.raises((TypeError, ValueError), match=what):
        rivals.compare([(name, (A, A + 0.1)) for name in names])


def test_rows_of_another_order_are_refused():
    pandas = pytest.importorskip("pandas")
    first, second = pandas.Series(A), pandas.Series(A + 0.1)
    with pytest.raises(ValueError, match="model 'B': the index differs"):
        rivals.compare({"A": first, "B": second[::-1]}, groups=[0, 1, 2, 3])
    labels = pandas.Series([0, 1, 2, 3], index=[3, 2, 1, 0])
    with pytest.raises(ValueError, match="groups: the index differs"):
        rivals.compare({"A": first, "B": second}, groups=labels)


SIX = {"groups": np.repeat([0, 1, 2], 2), "left_out": True}


def test_fits_made_elsewhere_are_checked_against_the_losses():
    observed = np.array([1.0, 3.0, 2.0, 4.0, 0.0, 2.0])
    means = np.array([[2.0, 1.0, 1.0], [1.0, 3.0, 1.0], [1.0, 1.0, 1.0]])
    known = Losses(observed, fits=means, **SIX)
    assert known.fits[0].fold.tolist() == [0, 1, 2]
    several = Losses(observed, fits=[means, (means, [0, 1, 2])], **SIX)
    assert len(several.fits) == 2
    rows = Losses(observed, fits=(means, [0, 0, 1, 1, 2, 2]), left_out=True)
    assert rows.fits[0].of_rows
    other = {"a": known, "b": Losses(observed[::-1], fits=means[::-1, ::-1], **SIX)}
    assert rivals.GroupSummaries.of_losses(other).shared is not None


@pytest.mark.parametrize(
    ("fits", "message"),
    [
        (np.ones((3, 3)), "of group '0' it is 1, and that of the losses is 2"),
        (np.ones((3, 2)), r"got an array of shape \(3, 2\)"),
        (np.ones((2, 3)), "pass a pair"),
        ((np.ones((2, 3)), [0, 1, 1]), "2 folds cannot show"),
        ((np.ones((3, 3)), [0, 1, 1]), "from 0 to 2"),
        (np.full((3, 3), np.nan), "fits"),
    ],
)
def test_fits_that_do_not_fit_are_refused(fits, message):
    with pytest.raises(ValueError, match=message):
        Losses([1.0, 3.0, 2.0, 4.0, 0.0, 2.0], fits=fits, **SIX)


@pytest.mark.parametrize("wrong", [float("nan"), None, 1, "yes"])
def test_whether_points_were_left_out_alone_is_yes_or_no(wrong):
    with pytest.raises(TypeError, match="alone must be True or False"):
        rivals.Provenance(alone=wrong)
