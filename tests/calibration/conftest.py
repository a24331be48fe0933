"""Sizes that make an experiment take a few milliseconds."""

from __future__ import annotations

import pytest

SMALL = {"n_data": 64, "n_truth": 300, "n_draws": 64, "c": [0.0625, 1.0], "depth": 4, "rng": 7, "progress": False}


@pytest.fixture
def small():
    return dict(SMALL)
