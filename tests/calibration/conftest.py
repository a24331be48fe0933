"""What tests of the calibration share."""

from __future__ import annotations

from typing import Any

import pytest
from omegas import SMALL


@pytest.fixture
def small() -> dict[str, Any]:
    """Settings with which an experiment takes a few milliseconds."""
    return dict(SMALL)
