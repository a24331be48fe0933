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
