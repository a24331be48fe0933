"""What all tests share."""

from __future__ import annotations

import os

import pytest
from samples import KINDS

os.environ.setdefault("MPLBACKEND", "Agg")  # before matplotlib, which a minimal install has not


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """A kind of losses."""
    return str(request.param)
