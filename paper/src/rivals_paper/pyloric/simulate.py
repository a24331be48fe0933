"""`simulate`: voltages of a circuit, from cells that have settled on their own."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from rivals_paper.arrays import FloatArray
from rivals_paper.noise import ColouredNoise
from rivals_paper.pyloric.circuit import Circuit, pair
from rivals_paper.pyloric.integrate import LOOSE, NO_CURRENT, Pieces, Solver, integrate

SETTLING: Final = 5000.0  # ms; what was used for the published results, though 10 s were meant
# A cell from which settling starts: V = -50 mV, [Ca] = 0.05 uM, gates closed and not inactivated.
COLD: Final = (-50.0, float(np.log(0.05)), -10.0, *[-10.0] * 7, *[10.0] * 4)
REMEMBERED: Final = (
    64  # settled states; all cells of the paper in both variants with both solvers are fewer
)


def simulate(
    circuit: str | Circuit,
    times: ArrayLike,
    *,
    current: ColouredNoise | ArrayLike | None = None,
    variant: str = "published",
    solver: Solver = LOOSE,
    settling: float = SETTLING,
    initial: FloatArray | None = None,
) -> FloatArray:
    """Simulate a circuit of pyloric neurons.

    Parameters
    ----------
    circuit
        A follower cell such as "LP 1", which AB/PD 3 drives through one synapse, or a `Circuit`.
    times
        Where the voltages are wanted, in ms, increasing; the cells are connected at time 0.
    current
        External current in uA/cm² (1 uA/cm² lowers V by 1 mV per ms): a `ColouredNoise` that covers
        0 to times[-1], or an array of its values at `times`, evenly spaced from 0, between which it
        is linear.
    variant
        "published" or "prinz2004"; of a `Circuit`, its own counts.
    solver
        How to integrate: `LOOSE` as published, or `ACCURATE`.
    settling
        How long, in ms, the cells run unconnected before time 0.
    initial
        State at time 0, as from `settled`, instead of that.

    Returns
    -------
    ndarray of shape (cells, times)
        Voltages in mV.

    Examples
    --------
    >>> from rivals_paper import pyloric
    >>> v_ab, v_lp = pyloric.simulate("LP 1", [0.0, 1.0, 2.0], solver=pyloric.ACCURATE)
    >>> v_lp.round(1)
    array([-49. ,  45.3,  10.6])
    """
    if isinstance(circuit, str):
        circuit = pair(circuit, variant)
    moments = check_times(times)
    pieces = _pieces(current, moments)
    state = (
        settled(circuit, settling, solver=solver)
        if initial is None
        else _check_state(initial, circuit)
    )
    return integrate(circuit, state, moments, pieces, solver=solver).voltages


def settled(circuit: Circuit, duration: float = SETTLING, *, solver: Solver = LOOSE) -> FloatArray:
    """Return the state of the unconnected cells after `duration` ms without input, from the cold
    start.

    It is computed once for each set of cells, variant, duration and solver (the last few dozen are
    remembered); the array is read-only.

    Parameters
    ----------
    circuit : Circuit
    duration : float
        In ms.
    solver : Solver

    Returns
    -------
    ndarray
        Voltages (mV), logs of calcium (uM) and logits of the gates, as `simulate` takes them for
        `initial`.

    Examples
    --------
    >>> from rivals_paper import pyloric
    >>> state = pyloric.settled(pyloric.pair("LP 1"), 100.0)
    >>> state.shape, state.flags.writeable
    ((28,), False)
    """
    if not (np.isfinite(duration) and duration > 0):
        raise ValueError(f"the cells need a positive time to settle; got {duration!r} ms")
    return _settled(circuit.alone(), float(duration), solver)


@lru_cache(maxsize=REMEMBERED)
def _settled(alone: Circuit, duration: float, solver: Solver) -> FloatArray:
    cold = np.repeat(COLD, len(alone.cells))
    state = integrate(alone, cold, np.array([duration]), solver=solver).state
    state.flags.writeable = False
    return state


def check_times(times: ArrayLike) -> FloatArray:
    """Return the times as an array, or say what is wrong with them."""
    moments = np.ascontiguousarray(times, dtype=float)
    if moments.ndim != 1 or moments.size == 0:
        raise ValueError(
            "times must be a one-dimensional array with at least one entry; got shape "
            f"{moments.shape}"
        )
    if not (np.all(np.isfinite(moments)) and moments[0] >= 0 and moments[-1] > 0):
        raise ValueError(
            f"times must be finite and not negative; got {moments[0]:g} to {moments[-1]:g} ms; the "
            "cells are connected at time 0"
        )
    if np.any(np.diff(moments) <= 0):
        i = int(np.argmax(np.diff(moments) <= 0))
        raise ValueError(
            f"times must increase; got {moments[i]:g} ms followed by {moments[i + 1]:g} ms"
        )
    return moments


def _pieces(current: ColouredNoise | ArrayLike | None, times: FloatArray) -> Pieces:
    """Turn the external current into polynomials on equal intervals."""
    if current is None:
        return NO_CURRENT
    if isinstance(current, ColouredNoise):
        if current.first > 0 or current.last < times[-1]:
            raise ValueError(
                f"current must cover the simulation, 0 to {times[-1]:g} ms; got {current.first:g} "
                f"to {current.last:g} ms; make the noise with duration={times[-1]:g}"
            )
        return Pieces(current.polynomials, current.first, current.tau)
    values = np.asarray(current, dtype=float)
    if values.shape != times.shape:
        raise ValueError(
            f"current: expected one value for each of {times.size} times; got shape {values.shape}"
        )
    if not np.all(np.isfinite(values)):
        raise ValueError(
            f"current must be finite; got {np.count_nonzero(~np.isfinite(values))} values that are "
            "not"
        )
    width = times[-1] / (times.size - 1) if times.size > 1 else 0.0
    if times.size < 2 or not np.allclose(
        times, width * np.arange(times.size), rtol=0, atol=1e-6 * width
    ):
        raise ValueError(
            "times must be evenly spaced from 0 on for a current given by its values; simulate on "
            "such times and select from the result, or give a ColouredNoise"
        )
    half = np.diff(values) / 2
    return Pieces(np.column_stack([values[:-1] + half, half]), 0.0, float(width))


def _check_state(initial: FloatArray, circuit: Circuit) -> FloatArray:
    state = np.ascontiguousarray(initial, dtype=float)
    if state.shape != (14 * len(circuit.cells),) or not np.all(np.isfinite(state)):
        raise ValueError(
            f"initial: expected {14 * len(circuit.cells)} finite numbers for {len(circuit.cells)} "
            f"cells; got shape {state.shape}; `settled` returns such a state"
        )
    return state
