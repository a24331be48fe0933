"""Readers under random input, a few of the inputs that `make stress` tries for minutes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stress import readers

few = settings(
    max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
randoms = st.randoms(use_true_random=False)


@pytest.mark.parametrize("kind", readers.KINDS)
def test_files_are_read_or_refused(kind):
    with tempfile.TemporaryDirectory() as name:
        bomb = Path(name) / "executed"

        @few
        @given(randoms)
        def try_one(random):
            outcome, remark = readers.try_reading(
                kind, *readers.make_input(kind, random, str(bomb)), Path(name)
            )
            assert outcome in ("read", "refused"), remark
            assert not bomb.exists()

        try_one()


@few
@given(randoms)
def test_columns_are_read_or_refused(random):
    outcome, remark = readers.try_columns(random)
    assert outcome in ("read", "refused"), remark


def test_the_loop_counts_what_it_tries():
    found = readers.fuzz_readers(0.2, seed=3)
    assert found["inputs"] == found["read"] + found["refused"] == sum(found["by_kind"].values()) > 0
    assert found["problems"] == []


numbers = st.floats(allow_nan=True, allow_infinity=True).map(repr)
# What looks like a number, and mostly is one, to one reader or the other.
alike = st.text("0123456789+-.eE_ \t\x00\x0c\x1c\x1f\xa0\u0661infa#", max_size=6)
cells = st.one_of(numbers, numbers, numbers, st.integers().map(str), alike)
rows = st.lists(st.lists(cells, min_size=2, max_size=2), min_size=1, max_size=4)


@settings(few, max_examples=200)
@given(rows, st.sampled_from([",", ";", "|", " ", "\t"]), st.sampled_from(["\n", "\r\n", "\r"]))
def test_numpy_and_csv_read_the_same_numbers(tmp_path_factory, rows, delimiter, end):
    """To the last bit, and with the sign of zero, or both leave the same cells as text."""
    path = tmp_path_factory.getbasetemp() / "numbers.csv"
    lines = [delimiter.join(row) for row in [["A", "B"], *rows]]
    path.write_text(end.join(lines), encoding="utf-8", newline="")
    assert readers.content_of(path, fast=True) == readers.content_of(path, fast=False)
