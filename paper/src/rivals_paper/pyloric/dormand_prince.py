"""Dormand-Prince 5(4) with dense output, its steps controlled as in `scipy.integrate.RK45`.

The published results were made with that solver at its default tolerances, which are loose for this
model: the steps it took are part of them. The controller and its constants are therefore those of
SciPy.
"""

from __future__ import annotations

import math

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.pyloric.compiled import compiled, fused
from rivals_paper.pyloric.field import EXPONENTIALS, derivative, polynomial_current

SAFETY, SHRINK, GROW, EXPONENT = 0.9, 0.2, 10.0, -0.2
LIMIT = (
    500.0  # mV; a voltage beyond it is a failure, and so are more evaluations than PATIENCE per ms
)
PATIENCE = 20_000
# Rows of the tableau: the stages (the seventh is the solution itself), nodes, error estimate,
# interpolant.
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
    """Integrate from t = 0 to times[-1].

    The voltages at `times` and the final state are written in place.

    `tolerances` holds rtol, atol and the first step; `tableau` has the rows named above; `gates` to
    `numbers` are the `Constants`, `pieces` and `grid` the external current. Returns the time
    reached, less than times[-1] after a failure, and the number of evaluations of the right-hand
    side.
    """
    step, end = tolerances[2], times[-1]
    n, size = cells.shape[1], y.shape[0]
    k, scratch = np.zeros((7, size)), np.zeros((3, EXPONENTIALS * n))
    fresh, estimate = np.zeros(size), np.zeros(size)
    t, asked, evaluations = 0.0, record_start(y, times, voltages), 1
    most = PATIENCE * int(100.0 + end)
    # A step of length 0 fills in the slope at the start, where later steps take over the last
    # stage.
    first_stage = 0
    rejected = False
    # One turn is one attempt, not one step: on a GPU threads that are done with a step do not wait
    # for those that are not.
    while t < end:
        smallest = 10.0 * abs(np.nextafter(t, np.inf) - t)
        step = max(step, smallest)
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
        if not error < 1.0:
            # With an error of nan the comparison is false, and the step shrinks until it is too
            # small.
            factor = SAFETY * error**EXPONENT
            step = h * (factor if factor > SHRINK else SHRINK)
            rejected = True
            if not step >= smallest or evaluations > most:
                return t, evaluations
            continue
        factor = GROW if error == 0.0 else min(GROW, SAFETY * error**EXPONENT)
        step = h * (min(1.0, factor) if rejected else factor)
        rejected = False
        while asked < times.shape[0] and times[asked] <= t_new:
            for cell in range(n):
                voltages[cell, asked] = _interpolate(
                    (times[asked] - t) / h, y[cell], h, tableau, k, cell
                )
            asked += 1
        t = t_new
        for i in range(size):
            # The last state is interpolated like every output; it differs from `fresh` by rounding.
            y[i] = _interpolate(1.0, y[i], h, tableau, k, i) if t == end else fresh[i]
        for i in range(size):
            k[0, i] = k[6, i]
        for cell in range(n):
            if not abs(y[cell]) < LIMIT or evaluations > most:
                return min(t, np.nextafter(end, 0.0)), evaluations
    return t, evaluations


@compiled
def record_start(y: FloatArray, times: FloatArray, voltages: FloatArray) -> int:
    """Write the voltages at the times before anything is integrated, and count these times."""
    asked = 0
    while asked < times.shape[0] and times[asked] <= 0.0:
        for cell in range(voltages.shape[0]):
            voltages[cell, asked] = y[cell]
        asked += 1
    return asked


@compiled
def _combine(
    h: float, tableau: FloatArray, row: int, count: int, k: FloatArray, out: FloatArray
) -> None:
    """out = h * sum over j < count of tableau[row, j] k[j], summed in the order of the library
    below SciPy.
    """
    w = tableau[row]
    for i in range(out.shape[0]):
        total, j = 0.0, 0
        if count >= 4:
            even = fused(k[2, i], w[2], k[0, i] * w[0])
            total, j = even + fused(k[3, i], w[3], k[1, i] * w[1]), 4
        if count - j >= 2:
            total += k[j, i] * w[j] + k[j + 1, i] * w[j + 1]
            j += 2
        if count - j == 1:
            total += k[j, i] * w[j]
        out[i] = h * total


@compiled
def _error(y: FloatArray, fresh: FloatArray, estimate: FloatArray, tolerances: FloatArray) -> float:
    """Root mean square of the estimated error in units of the tolerance.

    `estimate` is overwritten.
    """
    n = y.shape[0]
    for i in range(n):
        estimate[i] /= tolerances[1] + max(abs(y[i]), abs(fresh[i])) * tolerances[0]
    # Squares are added up in sixteen sums side by side, these in pairs, then what is left over (as
    # below SciPy).
    whole = n - n % 16
    total = 0.0
    if whole:
        for i in range(16):
            estimate[i] *= estimate[i]
        for i in range(16, whole):
            estimate[i % 16] = fused(estimate[i], estimate[i], estimate[i % 16])
        for lane in range(2):
            lower = (estimate[lane] + estimate[lane + 2]) + (
                estimate[lane + 4] + estimate[lane + 6]
            )
            upper = (estimate[lane + 8] + estimate[lane + 10]) + (
                estimate[lane + 12] + estimate[lane + 14]
            )
            total += lower + upper
    for i in range(whole, n):
        total += estimate[i] * estimate[i]
    return math.sqrt(total) / math.sqrt(n)


@compiled
def _interpolate(x: float, y: float, h: float, tableau: FloatArray, k: FloatArray, i: int) -> float:
    """Variable number i a fraction x into the step which began at y.

    X to x⁴ with the rows of the interpolant.
    """
    even, odd, power = 0.0, 0.0, 1.0
    for term in range(4):
        q = 0.0
        for stage in range(7):
            q = fused(k[stage, i], tableau[INTERPOLANT + term, stage], q)
        power *= x
        if term % 2 == 0:
            even = fused(q, power, even)
        else:
            odd = fused(q, power, odd)
    return h * (even + odd) + y
