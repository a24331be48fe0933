"""Persistence against damped persistence, by years: a few strong years decide, and law "groups"
must see them.
"""

import runpy
from pathlib import Path

import pytest

pytest.importorskip("statsmodels", reason="the data are those of statsmodels")
import rivals

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "el_nino.py"
pytestmark = pytest.mark.skipif(
    not SCRIPT.exists(), reason="the benchmarks are not in a source distribution"
)


def test_neither_forecast_is_better_for_sure():
    losses, years = runpy.run_path(str(SCRIPT))["losses"]()
    with_simulations = rivals.compare(losses, groups=years, rng=0).probability[1, 0]
    without = rivals.compare(
        {name: one.observed for name, one in losses.items()}, groups=years, rng=0
    ).probability[1, 0]
    assert 0.4 < with_simulations < 0.7
    assert 0.4 < without < 0.7
