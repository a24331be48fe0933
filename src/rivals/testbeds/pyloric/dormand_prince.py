"""Dormand-Prince 5(4) with dense output, its steps controlled as in `scipy.integrate.RK45`.

The published results were made with that solver at its default tolerances, which are loose for this model: the steps
it took are part of them. The controller and its constants are therefore those of SciPy.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rivals.testbeds.pyloric.compiled import compiled
from rivals.testbeds.pyloric.field import EXPONENTIALS, derivative, polynomial_current

FloatArray = NDArray[np.float64]

SAFETY, SHRINK, GROW, EXPONENT = 0.9, 0.2, 10.0, -0.2
LIMIT = 500.0  # mV; a voltage beyond it is a failure, and so are more evaluations than PATIENCE per ms
PATIENCE = 20_000
# Rows of the tableau: the stages (the seventh is the solution itself), nodes, error estimate, interpolant.
NODES, ERROR, INTERPOLANT = 7, 8, 9


@compiled
def dormand_prince(
    y: FloatArray,
    times: FloatArray,
    tolerances: FloatArray,
    tableau: FloatArray,
    gates: FloatArray,
    cells: FloatArray,
    coupling: FloatArray,
    numbers: FloatArray,
    pieces: FloatArray,
    grid: FloatArray,
    voltages: FloatArray,
) -> tuple[float, int]:
    """Integrate from t = 0 to times[-1]; the voltages at `times` and the final state are written in place.

    `tolerances` holds rtol, atol and the first step; `tableau` has the rows named above; `gates` to `numbers` are the
    `Constants`, `pieces` and `grid` the external current. Returns the time reached, less than times[-1] after a
    failure, and the number of evaluations of the right-hand side.
    """
    step, end = tolerances[2], times[-1]
    n, size = cells.shape[1], y.shape[0]
    k, scratch = np.zeros((7, size)), np.zeros((3, EXPONENTIALS * n))
    fresh, estimate = np.zeros(size), np.zeros(size)
    t, asked, evaluations = 0.0, 0, 1
    most = PATIENCE * int(100.0 + end)
    while asked < times.shape[0] and times[asked] <= 0.0:
        for cell in range(n):
            voltages[cell, asked] = y[cell]
        asked += 1
    # A step of length 0 fills in the slope at the start, where later steps take over the last stage.
    first_stage = 0
    while t < end:
        smallest = 10.0 * abs(np.nextafter(t, np.inf) - t)
        step = max(step, smallest)
        rejected = False
        while True:
            t_new = min(t + step, end)
            h = t_new - t
            for stage in range(first_stage, 7):
                _combine(h, tableau, stage, stage, k, fresh)
                for i in range(size):
                    fresh[i] += y[i]
                current = polynomial_current(t + tableau[NODES, stage] * h, pieces, grid)
                derivative(fresh, current, gates, cells, coupling, numbers, scratch, k[stage])
            first_stage = 1
            evaluations += 6
            _combine(h, tableau, ERROR, 7, k, estimate)
            error = _error(y, fresh, estimate, tolerances)
            if error < 1.0:
                break
            # With an error of nan the comparison is false, and the step shrinks until it is too small.
            factor = SAFETY * error**EXPONENT
            step = h * (factor if factor > SHRINK else SHRINK)
            rejected = True
            if not step >= smallest or evaluations > most:
                return t, evaluations
        factor = GROW if error == 0.0 else min(GROW, SAFETY * error**EXPONENT)
        step = h * (min(1.0, factor) if rejected else factor)
        while asked < times.shape[0] and times[asked] <= t_new:
            for cell in range(n):
                voltages[cell, asked] = _interpolate((times[asked] - t) / h, y[cell], h, tableau, k, cell)
            asked += 1
        t = t_new
        for i in range(size):
            y[i] = fresh[i]
            k[0, i] = k[6, i]
        for cell in range(n):
            if not abs(y[cell]) < LIMIT or evaluations > most:
                return min(t, np.nextafter(end, 0.0)), evaluations
    return t, evaluations


@compiled
def _combine(h: float, tableau: FloatArray, row: int, count: int, k: FloatArray, out: FloatArray) -> None:
    """out = h * sum over j < count of tableau[row, j] k[j]."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    for j in range(count):
        w = tableau[row, j]
        for i in range(out.shape[0]):
            out[i] += w * k[j, i]
    for i in range(out.shape[0]):
        out[i] *= h


@compiled
def _error(y: FloatArray, fresh: FloatArray, estimate: FloatArray, tolerances: FloatArray) -> float:
    """Root mean square of the estimated error in units of the tolerance."""
    total = 0.0
    for i in range(y.shape[0]):
        part = estimate[i] / (tolerances[1] + max(abs(y[i]), abs(fresh[i])) * tolerances[0])
        total += part * part
    return math.sqrt(total / y.shape[0])


@compiled
def _interpolate(x: float, v: float, h: float, tableau: FloatArray, k: FloatArray, cell: int) -> float:
    """Voltage of a cell a fraction x into the step: x to x⁴ with the rows of the interpolant."""
    value = 0.0
    for power in range(3, -1, -1):
        q = 0.0
        for stage in range(7):
            q += k[stage, cell] * tableau[INTERPOLANT + power, stage]
        value = (value + q) * x
    return v + h * value
