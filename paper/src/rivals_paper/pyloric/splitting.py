"""A fixed-step scheme of second order: Strang splitting, each part solved by exponentials.

With the gates and the calcium held, every voltage obeys a linear equation; with the voltages held,
every gate does, and calcium a scalar one. One step is gates and calcium for h/2, voltages for h,
gates and calcium for h/2; neighbouring halves are joined. Gates relax exactly, so that no time
constant, however short, limits the step.

State as in `field`, but natural: V in mV, [Ca] in uM, and s, m and h themselves.
"""

from __future__ import annotations

import math

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.pyloric.circuit import (
    ACTIVATION,
    CALCIUM,
    NA_FACTOR,
    RECEIVES,
    REVERSAL,
    SYNAPSE_REVERSAL,
    TAU_OFFSET,
    TAU_SCALE,
    UNBINDING_ROW,
)
from rivals_paper.pyloric.compiled import compiled, exponentials
from rivals_paper.pyloric.dormand_prince import LIMIT, record_start
from rivals_paper.pyloric.field import (
    GATES,
    KCA,
    NA_INACTIVATION,
    gate_arguments,
    polynomial_current,
)

RATES = 3 * GATES + 2  # exponentials per cell in the rates: three for each gate, synapse, Na factor


@compiled
def strang(
    y: FloatArray,
    times: FloatArray,
    step: float,
    gates: FloatArray,
    cells: FloatArray,
    coupling: FloatArray,
    numbers: FloatArray,
    pieces: FloatArray,
    grid: FloatArray,
    voltages: FloatArray,
) -> tuple[float, int]:
    """Integrate from t = 0 past times[-1].

    Voltages at `times` and the final state are written in place.

    Arguments as in `dormand_prince`. Between two steps the voltage is interpolated linearly.
    Returns the time reached, less than times[-1] after a failure, and the number of steps.
    """
    n = cells.shape[1]
    scratch, before = np.zeros((3, RATES * n)), np.zeros(n)
    asked, count = record_start(y, times, voltages), 0
    # A time a hair past a step, from rounding in count * step, belongs to that step.
    hair = 1e-9 * step
    relaxing = 0.5 * step
    while count * step + hair < times[-1]:
        t = count * step
        _relax(y, relaxing, gates, cells, numbers, scratch)
        for cell in range(n):
            before[cell] = y[cell]
        _voltages(
            y, step, polynomial_current(t + 0.5 * step, pieces, grid), cells, coupling, numbers
        )
        for cell in range(n):
            if not abs(y[cell]) < LIMIT:
                return t, count
        count += 1
        relaxing = step
        while asked < times.shape[0] and times[asked] <= count * step + hair:
            x = (times[asked] - t) / step
            for cell in range(n):
                voltages[cell, asked] = before[cell] + x * (y[cell] - before[cell])
            asked += 1
    _relax(y, 0.5 * step, gates, cells, numbers, scratch)
    return max(count * step, times[-1]), count


@compiled
def _relax(
    y: FloatArray,
    h: float,
    gates: FloatArray,
    cells: FloatArray,
    numbers: FloatArray,
    scratch: FloatArray,
) -> None:
    """Advance gates, synapses and calcium by h, the voltages held.

    Calcium h/2, gates h, calcium h/2.
    """
    n = cells.shape[1]
    size = GATES * n
    arguments, exps, power = scratch[0], scratch[1], scratch[2]
    gate_arguments(y, n, gates, arguments)
    for k in range(n):
        arguments[3 * size + k] = (numbers[ACTIVATION + 2] - y[k]) * numbers[ACTIVATION + 1]
        arguments[3 * size + n + k] = (y[k] + numbers[NA_FACTOR + 1]) * numbers[NA_FACTOR + 2]
    exponentials(arguments, exps, power)

    # The targets take the place of the first exponentials, -h / tau that of the arguments.
    for i in range(size):
        d = exps[size + i] + exps[2 * size + i]
        exps[i] = 1.0 / (1.0 + exps[i])
        arguments[i] = -h * d / (gates[TAU_OFFSET, i] * d + gates[TAU_SCALE, i])
    for k in range(n):
        arguments[NA_INACTIVATION * n + k] /= numbers[NA_FACTOR] + 1.0 / (
            1.0 + exps[3 * size + n + k]
        )
        e = numbers[ACTIVATION] * exps[3 * size + k]
        arguments[size + k] = -h * (1.0 + e) / (cells[UNBINDING_ROW, k] * e)
        exps[size + k] = 1.0 / (1.0 + e)
        _calcium(k, y, 0.5 * h, cells, numbers)
        exps[KCA * n + k] *= y[n + k] / (y[n + k] + numbers[CALCIUM + 3])

    decay = exps[2 * size : 3 * size + n]
    exponentials(arguments[: size + n], decay, power[: size + n])
    for i in range(size):
        y[3 * n + i] = exps[i] + (y[3 * n + i] - exps[i]) * decay[i]
    for k in range(n):
        y[2 * n + k] = exps[size + k] + (y[2 * n + k] - exps[size + k]) * decay[size + k]
        _calcium(k, y, 0.5 * h, cells, numbers)


@compiled
def _calcium(k: int, y: FloatArray, h: float, cells: FloatArray, numbers: FloatArray) -> None:
    """Advance [Ca] of cell k by h, all else held.

    Exponential Euler on the linearised equation, order 2.
    """
    n = cells.shape[1]
    rate, rest = numbers[CALCIUM + 1], numbers[CALCIUM + 2]
    log_outside, nernst = numbers[CALCIUM + 4], numbers[CALCIUM + 5]
    g = numbers[CALCIUM] * _calcium_conductance(k, y, cells)
    calcium = y[n + k]
    value = rate * (-g * (y[k] - nernst * (log_outside - math.log(calcium))) - calcium + rest)
    z = -h * rate * (g * nernst / calcium + 1.0)
    y[n + k] = max(calcium + h * value * math.expm1(z) / z, 1e-9)


@compiled
def _calcium_conductance(k: int, y: FloatArray, cells: FloatArray) -> float:
    """g m³ h of both calcium channels of cell k."""
    n = cells.shape[1]
    transient: float = cells[1, k] * y[4 * n + k] ** 3 * y[11 * n + k]
    slow: float = cells[2, k] * y[5 * n + k] ** 3 * y[12 * n + k]
    return transient + slow


@compiled
def _voltages(
    y: FloatArray,
    h: float,
    current: float,
    cells: FloatArray,
    coupling: FloatArray,
    numbers: FloatArray,
) -> None:
    """Advance the voltages by h, all else held.

    Cell after cell for h/2, then in reverse order for h/2.
    """
    n = cells.shape[1]
    for sweep in range(2):
        for position in range(n):
            k = position if sweep == 0 else n - 1 - position
            total, drive = _conductances(k, y, cells, numbers)
            drive -= cells[RECEIVES, k] * current
            for pre in range(n):
                g = coupling[0, k, pre] * y[2 * n + pre]
                total += g + coupling[1, k, pre]
                drive += g * cells[SYNAPSE_REVERSAL, pre] + coupling[1, k, pre] * y[pre]
            y[k] = drive / total + (y[k] - drive / total) * math.exp(-0.5 * h * total)


@compiled
def _conductances(
    k: int, y: FloatArray, cells: FloatArray, numbers: FloatArray
) -> tuple[float, float]:
    """Sum of g and of g E over the channels of cell k: C dV/dt = drive - total V."""
    n = cells.shape[1]
    na = cells[0, k] * y[3 * n + k] ** 3 * y[10 * n + k]
    calcium = _calcium_conductance(k, y, cells)
    a = cells[3, k] * y[6 * n + k] ** 3 * y[13 * n + k]
    kca = cells[4, k] * y[7 * n + k] ** 4
    kd = cells[5, k] * y[8 * n + k] ** 4
    h = cells[6, k] * y[9 * n + k]
    leak = cells[7, k]
    e_calcium = numbers[CALCIUM + 5] * (numbers[CALCIUM + 4] - math.log(y[n + k]))
    drive = (
        na * numbers[REVERSAL]
        + calcium * e_calcium
        + a * numbers[REVERSAL + 3]
        + kca * numbers[REVERSAL + 4]
    )
    drive += kd * numbers[REVERSAL + 5] + h * numbers[REVERSAL + 6] + leak * numbers[REVERSAL + 7]
    return na + calcium + a + kca + kd + h + leak, drive
