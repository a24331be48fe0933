"""Rates of what was measured, with their numbers of data sets; nothing anywhere else."""

import numpy as np
import pytest

import rivals
from problems import problem
from rivals import Losses, Provenance
from rivals._result import sentences as say
from rivals._result import track_record
from rivals._result.track_record import (
    LEAST_DATA_SETS,
    Cell,
    Coverage,
    cell_for,
    cells,
    coverage,
    coverage_for,
    one_data_set,
)
from rivals.laws.groups import RECORD

RECORDED = {"law": RECORD, "units": "groups", "training": "left out, losses only", "loss": "log"}


def test_what_is_committed_is_whole():
    for cell in cells():
        assert 0.5 <= cell.low < cell.high <= 1.0
        assert 0.0 <= cell.won <= 1.0
        assert cell.standard_error >= 0.0
        assert cell.n_pairs >= cell.n_data_sets > 0
    assert coverage()
    for found in coverage():
        assert 0.0 <= found.covered <= 1.0
    laws = {each.law for each in (*cells(), *coverage())}
    assert laws <= {RECORD, "transport"}, "a record of another law than that of the library"
    one = one_data_set()
    assert one.median_c > 0.0
    assert one.sd_log_c > 0.0
    assert one.n_data_sets >= LEAST_DATA_SETS


def cell(n_units=10, n_data_sets=50, **changed):
    options = {"low": 0.95, "high": 0.99, "won": 0.97, "standard_error": 0.01, "n_pairs": 99}
    return Cell(n_units=n_units, n_data_sets=n_data_sets, **{**RECORDED, **options, **changed})


def test_the_nearest_number_of_groups_that_was_tried(monkeypatch):
    few = cell(20, LEAST_DATA_SETS - 1)
    before = {"training": "fitted before"}
    tried = (cell(6), cell(10), few, cell(10, **before))
    monkeypatch.setattr(track_record, "cells", lambda: tried)

    def found(n_units, probability=0.97, **changed):
        return cell_for({**RECORDED, **changed}, n_units, probability)

    assert found(7) is tried[0]
    assert found(9) is tried[1]
    assert found(16) is tried[1]  # that of twenty groups has too few data sets
    assert found(17) is tried[1]  # the most that was measured; a sentence says so
    assert found(3) is None
    assert found(10, **before) is tried[3]
    assert found(10, 0.95) is None
    assert found(10, 0.99) is tried[1]
    assert found(10, 0.995) is None


def test_more_groups_than_were_measured_are_said():
    assert "no record for more than 20 schools" in say.track_record(cell(20), 160, "school")
    assert "no record" not in say.track_record(cell(20), 20, "school")


def named(loss="negative log density", left_out=True, n_points=300):
    """Two models, ten groups, a clear winner."""
    given = problem(9, n_models=2, sizes=[n_points // 10] * 10, n_simulations=0, noise=0.1)
    source = Provenance(loss=loss, left_out=left_out)
    losses = {name: Losses(each.observed, source=source) for name, each in given.losses.items()}
    return losses, given.groups


@pytest.fixture
def measured(monkeypatch):
    always = (cell(10, low=0.5, high=1.0),)
    monkeypatch.setattr(track_record, "cells", lambda: always)


def test_it_stands_beside_results_that_are_as_measured(measured):
    losses, groups = named()
    result = rivals.compare(losses, groups=groups)
    assert result.rejections
    assert result.to_dict()["track_record"]["n_data_sets"] == 50
    assert "97 ± 1 % won again (50 real data sets, 99 pairs; log loss)" in str(result)
    assert "50 real data sets" in result.methods()


@pytest.mark.parametrize("option", [{"margin": 1e-6}, {"new_groups": 1}, {"looks": "any"}])
def test_it_does_not_stand_beside_other_options(measured, option):
    losses, groups = named()
    result = rivals.compare(losses, groups=groups).at(**option)
    assert result.to_dict()["track_record"] is None
    assert "Track record" not in str(result)


@pytest.mark.parametrize("loss", ["absolute error", "squared error", "AUC", ""])
def test_it_does_not_stand_beside_other_losses(measured, loss):
    losses, groups = named(loss)
    assert rivals.compare(losses, groups=groups).to_dict()["track_record"] is None


def test_it_does_not_stand_beside_other_units_or_training(measured):
    losses, groups = named()
    assert rivals.compare(losses).to_dict()["track_record"] is None
    assert rivals.compare(losses, clusters=groups).to_dict()["track_record"] is None
    for left_out in (False, None):
        losses, groups = named(left_out=left_out)
        assert rivals.compare(losses, groups=groups).to_dict()["track_record"] is None
    fits = np.tile(np.zeros(10), (10, 1))
    losses, groups = named()
    judged = {}
    for name, each in losses.items():
        means = np.array([each.observed[groups == label].mean() for label in dict.fromkeys(groups)])
        judged[name] = Losses(
            each.observed, groups=groups, source=each.source, fits=np.tile(means, (10, 1)) + fits
        )
    assert rivals.compare(judged).to_dict()["track_record"] is None
    assert (
        rivals.compare(problem(1, n_simulations=1).without_groups).to_dict()["track_record"] is None
    )


def test_details_say_what_such_intervals_covered(monkeypatch):
    told = {"n_units": 10, "covered": 0.93, "standard_error": 0.01, "n_data_sets": 60}
    given = tuple(
        Coverage(**RECORDED, of="difference", over=over, **told) for over in ("as many", "one")
    )
    monkeypatch.setattr(track_record, "coverage", lambda: given)
    losses, groups = named()
    result = rivals.compare(losses, groups=groups)
    words = (
        "intervals of a difference from about 10 left-out groups covered 93 ± 1 % (60 data sets; "
        "log loss)"
    )
    assert words in result.details()
    assert words in result.at(new_groups=1).details()
    for option in ({"level": 0.8}, {"new_groups": 5}, {"new_groups": float("inf")}):
        assert "covered" not in result.at(**option).details()
    assert coverage_for(RECORDED, 10, of="risk", over="one") is None


def test_one_data_set_has_a_coverage_of_its_own():
    recorded = {"law": "transport", "units": "one data set", "training": "fitted before"}
    for of in ("difference", "risk"):
        found = coverage_for({**recorded, "loss": ""}, 1, of=of, over="another place")
        assert 0.86 <= found.covered <= 0.94  # what is printed covers what it says
    result = rivals.compare(problem(1, n_simulations=4).without_groups)
    assert "from one data set covered that of another place in 91" in result.details()
