"""What all tests share."""

from __future__ import annotations

import matplotlib
import pytest

from samples import KINDS

matplotlib.use("Agg")


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """A kind of losses."""
    return str(request.param)
