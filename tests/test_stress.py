"""A small part of `make stress`, and that what the page of promises says is what it found."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

from stress import damage

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"


@pytest.mark.parametrize(
    "part", [damage.damage_archives, damage.damage_stores], ids=lambda part: part.__name__
)
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
    assert (counts["lost"], counts["hung"], counts["silently_wrong"]) == (0, 0, 0), counts[
        "problems"
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and modes are those of POSIX")
def test_writers_name_the_targets_that_they_refuse():
    pytest.importorskip("jinja2")
    writes = pytest.importorskip("stress.writes")
    counts = writes.try_targets(60.0, 0)
    found = (counts["lost"], counts["silently_wrong"], counts["raw_errors"])
    assert found == (0, 0, 0), counts["problems"]


def test_comparisons_are_those_of_plain_formulas():
    pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    from stress import comparisons

    counts = comparisons.fuzz_comparisons(0.0, 1)
    assert counts["inputs"] == len(comparisons.KINDS)
    assert (counts["silently_wrong"], counts["raw_errors"]) == (0, 0), counts["problems"]


def test_the_page_of_promises_has_the_figures_of_the_last_run():
    driver = runpy.run_path(str(ROOT / "tests" / "stress" / "__main__.py"))
    page = driver["PAGE"].read_text(encoding="utf-8")
    results = (RESULTS / "stress.md").read_text(encoding="utf-8")
    assert driver["on_the_page"](page, results) == page
    assert "| **together** |" in page
    if (RESULTS / "stress.json").exists():  # not in the sdist
        assert (
            driver["as_markdown"](json.loads((RESULTS / "stress.json").read_text(encoding="utf-8")))
            == results
        )


def test_the_page_of_promises_has_the_counts_of_the_last_mutants():
    mutants = runpy.run_path(str(ROOT / "tools" / "mutants.py"))
    page = mutants["PAGE"].read_text(encoding="utf-8")
    results = (RESULTS / "mutants.md").read_text(encoding="utf-8")
    assert mutants["on_the_page"](page, results) == page
    if (RESULTS / "mutants.json").exists():
        assert (
            mutants["as_markdown"](
                json.loads((RESULTS / "mutants.json").read_text(encoding="utf-8"))
            )
            == results
        )
