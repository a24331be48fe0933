"""A small part of `make stress`, and that what the page of promises says is what it found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stress import damage

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("part", [damage.damage_archives, damage.damage_stores], ids=lambda part: part.__name__)
def test_damage_is_refused_or_does_no_harm(part):
    counts = part(60.0, 1, block=4096, n_flips=60)
    assert counts["complete"]
    assert (counts["silently_wrong"], counts["raw_errors"]) == (0, 0), counts["problems"]
    assert counts["refused"] + counts["harmless"] == counts["inputs"] > 60
    assert counts["refused"] > 20


def test_an_edited_store_is_refused():
    counts = damage.edit_stores(60.0, 0)
    assert (counts["silently_wrong"], counts["raw_errors"]) == (0, 0), counts["problems"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals and limits are those of POSIX")
def test_a_writer_that_is_killed_or_out_of_room_leaves_the_old_file_or_the_new_one():
    writes = pytest.importorskip("stress.writes")
    counts = writes.interrupt_writes(60.0, 0, n_kills=1, n_full=1)
    assert counts["faults"] == 2
    assert (counts["lost"], counts["hung"], counts["silently_wrong"]) == (0, 0, 0), counts["problems"]
