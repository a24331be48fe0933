"""Every committed number that lies more than three standard errors from the published one says
why.
"""

import json
from pathlib import Path

import pytest

from rivals_paper import output

RESULTS = Path(__file__).parents[1] / "results"
FILES = sorted(RESULTS.glob("*.json"))


def test_there_are_results():
    assert FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_differences_are_explained(path):
    rows = json.loads(path.read_text(encoding="utf-8"))["comparisons"]
    silent = [
        output.describe(row) for row in rows if output.differs(row) and not row.get("explanation")
    ]
    assert not silent, (
        f"{len(silent)} rows of {path.name} lack an explanation, the first: {silent[0]}"
    )
