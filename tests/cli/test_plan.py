"""`rivals plan`: chances of a decision with more groups."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("typer")
pytest.importorskip("polars")

from terminal import rivals, table, written


def test_numbers_of_groups_and_json(tmp_path):
    path = written(tmp_path, table(0.02, n_groups=5))
    run = rivals("plan", path, "--groups", "school", "--more-groups", "20,5", "--json")
    assert run.status == 0
    found = json.loads(run.out)
    assert [row["more"] for row in found["records"]] == [5, 20]
    assert all(0.0 <= row["chance"] <= 1.0 for row in found["records"])


def test_nothing_open_is_no_error(tmp_path):
    run = rivals("plan", written(tmp_path, table(0.5)), "--groups", "school")
    assert run.status == 0
    assert "Nothing is open" in run.out


@pytest.mark.parametrize("numbers", ["0", "1.5", "few", ""])
def test_wrong_numbers_are_refused_before_anything_is_read(numbers):
    run = rivals("plan", "nowhere.csv", "--groups", "school", "--more-groups", numbers)
    assert run.status == 2
    assert "nowhere" not in run.err
