"""The right-hand side of the model, on the state which the published integrator uses.

State, variable major and cell minor: V in mV, ln [Ca], logit s, the logits of the seven activations and of the four
inactivations; 14 numbers per cell. All exponentials of an evaluation are computed in one call.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rivals.testbeds.pyloric.circuit import (
    ACTIVATION,
    CALCIUM,
    NA_FACTOR,
    RECEIVES,
    REVERSAL,
    SHIFT_1,
    SHIFT_2,
    SLOPE_1,
    SLOPE_2,
    STEADY_SHIFT,
    STEADY_SLOPE,
    SYNAPSE_REVERSAL,
    TAU_OFFSET,
    TAU_SCALE,
    UNBINDING_ROW,
)
from rivals.testbeds.pyloric.compiled import compiled, exponentials

FloatArray = NDArray[np.float64]

GATES = 11
EXPONENTIALS = 4 * GATES + 4  # per cell: three for each gate's rates, one for its state, calcium, s, s_inf, Na factor
KCA, NA_INACTIVATION = 4, 7  # the two gates which are not quite like the others


@compiled
def polynomial_current(t: float, pieces: FloatArray, grid: FloatArray) -> float:
    """External current at t: pieces[j] holds the monomials on [-1, 1] of interval j; grid is start and width."""
    count = pieces.shape[0]
    if count == 0:
        return 0.0
    position = (t - grid[0]) / grid[1]
    j = min(max(math.floor(position), 0), count - 1)
    x = 2.0 * (position - j) - 1.0
    value = 0.0
    for k in range(pieces.shape[1] - 1, -1, -1):
        value = value * x + pieces[j, k]
    return value


@compiled
def derivative(
    y: FloatArray,
    current: float,
    gates: FloatArray,
    cells: FloatArray,
    coupling: FloatArray,
    numbers: FloatArray,
    scratch: FloatArray,
    slope: FloatArray,
) -> None:
    """Write dy/dt to `slope`; the constants are those of `Constants`, `scratch` is (3, EXPONENTIALS * cells)."""
    n = cells.shape[1]
    size = GATES * n
    arguments, exps, fractions = scratch[0], scratch[1], scratch[2]
    _arguments(y, n, gates, numbers, arguments)
    exponentials(arguments, exps, fractions)

    calcium, synapse, activated, factor = 4 * size, 4 * size + n, 4 * size + 2 * n, 4 * size + 3 * n
    # dx/dt = (x_inf - x) / tau; for the logit divided by x (1 - x) = e / (1 + e)², e = exp(-logit x). With
    # tau = (offset d + scale) / d, d the sum of both exponentials, three divisions are left.
    for i in range(size):
        e = exps[3 * size + i]
        d = exps[size + i] + exps[2 * size + i]
        fractions[i] = 1.0 / (1.0 + e)
        arguments[i] = 1.0 / (1.0 + exps[i])
        arguments[size + i] = (1.0 + e) * (1.0 + e) * d / (e * (gates[TAU_OFFSET, i] * d + gates[TAU_SCALE, i]))
    for k in range(n):
        ca = exps[calcium + k]
        arguments[KCA * n + k] *= ca / (ca + numbers[CALCIUM + 3])
        na = numbers[NA_FACTOR] + 1.0 / (1.0 + exps[factor + k])
        arguments[size + NA_INACTIVATION * n + k] /= na
    for i in range(size):
        slope[3 * n + i] = (arguments[i] - fractions[i]) * arguments[size + i]

    for k in range(n):
        s = 1.0 / (1.0 + exps[synapse + k])
        e = numbers[ACTIVATION] * exps[activated + k]
        s_inf = 1.0 / (1.0 + e)
        tau = (1.0 - s_inf) / cells[UNBINDING_ROW, k]
        slope[2 * n + k] = (s_inf - s) / (tau * s * (1.0 - s) + numbers[ACTIVATION + 3])
        exps[synapse + k] = s
        _membrane(k, y, exps[calcium + k], current, fractions, cells, numbers, slope)
    for post in range(n):
        for pre in range(n):
            driving = y[post] - cells[SYNAPSE_REVERSAL, pre]
            slope[post] -= coupling[0, post, pre] * exps[synapse + pre] * driving
            slope[post] -= coupling[1, post, pre] * (y[post] - y[pre])


@compiled
def _arguments(y: FloatArray, n: int, gates: FloatArray, numbers: FloatArray, out: FloatArray) -> None:
    """Fill in the arguments of all exponentials."""
    size = GATES * n
    for gate in range(GATES):
        for k in range(n):
            i, v = gate * n + k, y[k]
            out[i] = gates[STEADY_SLOPE, i] * v + gates[STEADY_SHIFT, i]
            out[size + i] = gates[SLOPE_1, i] * v + gates[SHIFT_1, i]
            out[2 * size + i] = gates[SLOPE_2, i] * v + gates[SHIFT_2, i]
            out[3 * size + i] = -y[3 * n + i]
    for k in range(n):
        out[4 * size + k] = y[n + k]
        out[4 * size + n + k] = -y[2 * n + k]
        out[4 * size + 2 * n + k] = (numbers[ACTIVATION + 2] - y[k]) * numbers[ACTIVATION + 1]
        out[4 * size + 3 * n + k] = numbers[NA_FACTOR + 1] * y[k] + numbers[NA_FACTOR + 2]


@compiled
def _membrane(
    k: int,
    y: FloatArray,
    calcium: float,
    current: float,
    x: FloatArray,
    cells: FloatArray,
    numbers: FloatArray,
    slope: FloatArray,
) -> None:
    """Membrane currents and calcium of cell k (uA/cm², capacitance 1 uF/cm²)."""
    n = cells.shape[1]
    v = y[k]
    e_calcium = numbers[CALCIUM + 5] * (numbers[CALCIUM + 4] - y[n + k])
    i_calcium = cells[1, k] * x[n + k] ** 3 * x[8 * n + k] + cells[2, k] * x[2 * n + k] ** 3 * x[9 * n + k]
    i_calcium *= v - e_calcium
    total = i_calcium + cells[0, k] * x[k] ** 3 * x[7 * n + k] * (v - numbers[REVERSAL])
    total += cells[3, k] * x[3 * n + k] ** 3 * x[10 * n + k] * (v - numbers[REVERSAL + 3])
    total += cells[4, k] * x[4 * n + k] ** 4 * (v - numbers[REVERSAL + 4])
    total += cells[5, k] * x[5 * n + k] ** 4 * (v - numbers[REVERSAL + 5])
    total += cells[6, k] * x[6 * n + k] * (v - numbers[REVERSAL + 6]) + cells[7, k] * (v - numbers[REVERSAL + 7])
    slope[k] = -total - cells[RECEIVES, k] * current
    influx = -numbers[CALCIUM] * i_calcium
    slope[n + k] = (influx - calcium + numbers[CALCIUM + 2]) * numbers[CALCIUM + 1] / calcium
