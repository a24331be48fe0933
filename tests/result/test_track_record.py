"""Rates of what was measured, with their numbers of data sets; nothing where there are few."""

import rivals
from problems import problem
from rivals._result import track_record
from rivals._result.track_record import (
    LEAST_DATA_SETS,
    Cell,
    Coverage,
    cell_for,
    cells,
    coverage_for,
    one_data_set,
)


def test_what_is_committed_is_whole():
    assert cells()
    for cell in cells():
        assert 0.5 <= cell.low < cell.high <= 1.0
        assert 0.0 <= cell.won <= 1.0
        assert cell.standard_error >= 0.0
        assert cell.n_pairs >= cell.n_data_sets > 0
    found = one_data_set()
    assert found.median_c > 0.0
    assert found.sd_log_c > 0.0
    assert found.n_data_sets >= LEAST_DATA_SETS


def cell(n_groups=10, n_data_sets=50, **changed):
    options = {"left_out": True, "low": 0.95, "high": 0.99, "won": 0.97, "standard_error": 0.01}
    return Cell(n_groups=n_groups, n_data_sets=n_data_sets, n_pairs=99, **{**options, **changed})


def test_the_nearest_number_of_groups_that_was_tried(monkeypatch):
    few = cell(20, LEAST_DATA_SETS - 1)
    tried = (cell(6), cell(10), few, cell(10, left_out=False))
    monkeypatch.setattr(track_record, "cells", lambda: tried)

    def found(n_groups, probability=0.97, left_out=True):
        return cell_for(left_out=left_out, n_groups=n_groups, probability=probability)

    assert found(7) is tried[0]
    assert found(9) is tried[1]
    assert found(16) is tried[1]  # that of twenty groups has too few data sets
    assert found(17) is tried[1]  # the most that was measured; a sentence says so
    assert found(3) is None
    assert found(10, left_out=False) is tried[3]
    assert found(10, 0.95) is None
    assert found(10, 0.99) is tried[1]
    assert found(10, 0.995) is None


def test_it_stands_beside_results_that_are_as_measured(monkeypatch):
    always = tuple(cell(10, left_out=left_out, low=0.5, high=1.0) for left_out in (True, False))
    monkeypatch.setattr(track_record, "cells", lambda: always)
    given = problem(9, n_models=2, sizes=[30] * 10, n_simulations=0, noise=0.1, left_out=True)
    result = given.compare()
    assert result.rejections
    assert result.to_dict()["track_record"]["n_data_sets"] == 50
    assert "97 ± 1 % won again (50 real data sets, 99 pairs)" in str(result)
    assert "50 real data sets" in result.methods()
    for option in ({"margin": 1e-6}, {"new_groups": 1}, {"looks": "any"}):
        assert result.at(**option).to_dict()["track_record"] is None
    assert (
        problem(9, n_models=2, sizes=[30] * 10, noise=0.1).compare().to_dict()["track_record"]
        is None
    )
    assert (
        rivals.compare(problem(1, n_simulations=1).without_groups).to_dict()["track_record"] is None
    )


def test_details_say_what_such_intervals_covered(monkeypatch):
    told = {"covered": 0.93, "standard_error": 0.01, "n_data_sets": 60}
    measured = tuple(
        Coverage("difference", over, True, n_groups, **told)
        for n_groups, over in ((10, "the study repeated"), (10, "one new group"))
    )
    monkeypatch.setattr(track_record, "coverage", lambda: measured)
    given = problem(9, n_models=2, sizes=[30] * 10, n_simulations=0, noise=0.1, left_out=True)
    result = given.compare()
    words = (
        "intervals of a difference from about 10 left-out groups covered 93 ± 1 % (60 data sets)"
    )
    assert words in result.details()
    assert words in result.at(new_groups=1).details()
    for option in ({"level": 0.8}, {"new_groups": 5}, {"new_groups": float("inf")}):
        assert "covered" not in result.at(**option).details()
    found = coverage_for(of="risk", over="one new group", left_out=True, n_groups=10)
    assert found is None


def test_one_data_set_has_a_coverage_of_its_own():
    for of in ("difference", "risk"):
        found = coverage_for(of=of, over="one new group", left_out=False, n_groups=1)
        assert found.n_groups == 1
        assert 0.86 <= found.covered <= 0.94  # what is printed covers what it says
    result = rivals.compare(problem(1, n_simulations=4).without_groups)
    assert "from one data set covered" in result.details()
