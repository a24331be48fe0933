"""The right-hand side of the model, on the state which the published integrator uses.

State, variable major and cell minor: V in mV, ln [Ca], logit s, the logits of the seven activations
and of the four inactivations; 14 numbers per cell. All exponentials of an evaluation are computed
in one call.

The published integrator makes visible how each operation was rounded (docs/paper/corrections.md).
Divisions, products and the operations fused into one are therefore those which the original
simulator came to be compiled to.
"""

from __future__ import annotations

import math

from rivals_paper.arrays import FloatArray
from rivals_paper.pyloric.circuit import (
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
from rivals_paper.pyloric.compiled import compiled, exponentials, fused

GATES = 11
EXPONENTIALS = (
    4 * GATES + 5
)  # per cell: three for each gate's rates, one for its state; Ca, 1/Ca, s, s_inf, Na factor
CAT, CAS, KCA, H, LEAK = (
    1,
    2,
    4,
    6,
    7,
)  # positions of channels in the conductances and among the activations
NA_INACTIVATION = 7  # position among the gates; its tau has a further factor


@compiled
def polynomial_current(t: float, pieces: FloatArray, grid: FloatArray) -> float:
    """External current at t: pieces[j] holds the monomials on [-1, 1] of interval j.

    Grid is start and width.
    """
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
    """Write dy/dt to `slope`.

    The constants are those of `Constants`, `scratch` is (3, EXPONENTIALS * cells).
    """
    n = cells.shape[1]
    size = GATES * n
    arguments, exps, fractions = scratch[0], scratch[1], scratch[2]
    _arguments(y, n, gates, numbers, arguments)
    exponentials(arguments, exps, fractions)

    calcium = 4 * size
    inverse, synapse, activated, factor = (
        calcium + n,
        calcium + 2 * n,
        calcium + 3 * n,
        calcium + 4 * n,
    )
    scale, offset = gates[TAU_SCALE], gates[TAU_OFFSET]
    # One array is written in each of these loops, so that the compiler turns them into vector
    # instructions.
    for i in range(size):
        fractions[i] = 1.0 / (1.0 + exps[3 * size + i])
    for i in range(size):
        arguments[i] = 1.0 / (1.0 + exps[i])
    for i in range(size):
        arguments[size + i] = scale[i] / (exps[size + i] + exps[2 * size + i]) + offset[i]
    for k in range(n):
        ca = exps[calcium + k]
        arguments[KCA * n + k] *= ca / (ca + numbers[CALCIUM + 3])
        arguments[size + NA_INACTIVATION * n + k] *= numbers[NA_FACTOR] + 1.0 / (
            1.0 + exps[factor + k]
        )
    # dx/dt = (x_inf - x) / tau, and for the logit divided by x (1 - x).
    for i in range(size):
        x = fractions[i]
        slope[3 * n + i] = (arguments[i] - x) / (arguments[size + i] * (x * (1.0 - x)))

    for k in range(n):
        s = 1.0 / (1.0 + exps[synapse + k])
        s_inf = 1.0 / fused(exps[activated + k], numbers[ACTIVATION], 1.0)
        tau_s = (1.0 - s_inf) * cells[UNBINDING_ROW, k] * s
        slope[2 * n + k] = (s_inf - s) / fused(tau_s, 1.0 - s, numbers[ACTIVATION + 3])
        exps[synapse + k] = s
        _membrane(k, y, exps[calcium + k], exps[inverse + k], fractions, cells, numbers, slope)
    for post in range(n):
        received = 0.0
        for pre in range(n):
            driving = y[post] - cells[SYNAPSE_REVERSAL, pre]
            received = fused(coupling[0, post, pre] * exps[synapse + pre], driving, received)
        slope[post] = slope[post] - received - cells[RECEIVES, post] * current
        for pre in range(n):
            slope[post] = fused(-coupling[1, post, pre], y[post] - y[pre], slope[post])
        slope[post] = fused(-cells[LEAK, post], y[post] - numbers[REVERSAL + LEAK], slope[post])


@compiled
def gate_arguments(y: FloatArray, n: int, gates: FloatArray, out: FloatArray) -> None:
    """Fill in the arguments of the three exponentials of each gate.

    Of its steady state, and two of its tau.
    """
    size = GATES * n
    for gate in range(GATES):
        for k in range(n):
            i, v = gate * n + k, y[k]
            out[i] = (v + gates[STEADY_SHIFT, i]) * gates[STEADY_SLOPE, i]
            out[size + i] = (v + gates[SHIFT_1, i]) * gates[SLOPE_1, i]
            out[2 * size + i] = (v + gates[SHIFT_2, i]) * gates[SLOPE_2, i]


@compiled
def _arguments(
    y: FloatArray, n: int, gates: FloatArray, numbers: FloatArray, out: FloatArray
) -> None:
    """Fill in the arguments of all exponentials."""
    size = GATES * n
    gate_arguments(y, n, gates, out)
    for i in range(size):
        out[3 * size + i] = -y[3 * n + i]
    for k in range(n):
        out[4 * size + k] = y[n + k]
        out[4 * size + n + k] = -y[n + k]
        out[4 * size + 2 * n + k] = -y[2 * n + k]
        out[4 * size + 3 * n + k] = (numbers[ACTIVATION + 2] - y[k]) * numbers[ACTIVATION + 1]
        out[4 * size + 4 * n + k] = (y[k] + numbers[NA_FACTOR + 1]) * numbers[NA_FACTOR + 2]


@compiled
def _membrane(
    k: int,
    y: FloatArray,
    calcium: float,
    inverse: float,
    x: FloatArray,
    cells: FloatArray,
    numbers: FloatArray,
    slope: FloatArray,
) -> None:
    """Currents through the seven channels (uA/cm², capacitance 1 uF/cm²) and calcium of cell k.

    `inverse` is 1/[Ca].
    """
    n = cells.shape[1]
    v = y[k]
    e_calcium = (numbers[CALCIUM + 4] - y[n + k]) * numbers[CALCIUM + 5]
    total = 0.0
    i_calcium = 0.0
    for channel in range(H):
        reversal = e_calcium if channel in (CAT, CAS) else numbers[REVERSAL + channel]
        if cells[channel, k] == 0.0:
            continue
        flow = x[channel * n + k] ** (3.0 if channel < KCA else 4.0) * (v - reversal)
        if channel < KCA:
            flow *= x[(NA_INACTIVATION + channel) * n + k]
        total += cells[channel, k] * flow
        if channel in (CAT, CAS):
            i_calcium += cells[channel, k] * flow
    total += cells[H, k] * (x[H * n + k] * (v - numbers[REVERSAL + H]))
    slope[k] = -total
    influx = fused(i_calcium, -numbers[CALCIUM], -calcium)
    slope[n + k] = (influx + numbers[CALCIUM + 2]) * numbers[CALCIUM + 1] * inverse
