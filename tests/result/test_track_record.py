"""Rates of what was measured, with their numbers of data sets; nothing where there are few."""

import rivals
from problems import problem
from rivals._result import track_record
from rivals._result.track_record import (
    LEAST_DATA_SETS,
    Cell,
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


def test_one_data_set_has_a_coverage_of_its_own():
    for of in ("difference", "risk"):
        found = coverage_for(of=of, over="one new group", left_out=False, n_groups=1)
        assert found.n_groups == 1
        assert 0.86 <= found.covered <= 0.94  # what is printed covers what it says
    result = rivals.compare(problem(1, n_simulations=4).without_groups)
    assert "from one data set covered" in result.details()
