"""What may stand in place of c."""

from __future__ import annotations

import numpy as np
import pytest

import rivals
from rivals.comparison.calibrator import Calibrator
from rivals.testbeds import toys


def test_a_calibration_gives_a_c_and_a_correction():
    truth = np.arange(400) % 10 > 0
    stated = {0.25: np.full(400, 0.99)}
    calibration = rivals.Calibration.from_experiments(stated, truth, n_data=1000, n_simulations=1)
    assert isinstance(calibration, Calibrator)
    assert not isinstance(0.25, Calibrator)
    result = rivals.compare(toys.losses(), c=calibration, rng=0)
    assert result.c == 0.25
    assert result.calibrated is not None
    assert result.calibration_remarks


@pytest.mark.parametrize("c", [[], [0.1, 0.2], (0.5, None)])
def test_a_list_without_calibrations_is_refused(c):
    with pytest.raises(TypeError, match=r"sweep\(c=\[\.\.\.\]\)"):
        rivals.compare(toys.losses(), c=c)
