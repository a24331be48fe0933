"""Many experiments at once on a GPU.

One thread integrates one circuit, with the equations and the solvers of this package.

The kernels are those of `source`, generated from the Python that numba compiles for the processor.
Currents are made on the device too: each thread draws the impulses of one bin and keeps their
moments, from which comes one polynomial per bin, as in `noise`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from rivals_paper import noise
from rivals_paper.arrays import FloatArray
from rivals_paper.checks import need
from rivals_paper.gpu.source import source
from rivals_paper.pyloric.circuit import Circuit
from rivals_paper.pyloric.integrate import (
    IntegrationError,
    Solver,
    _tableau,
    from_natural,
    to_natural,
)
from rivals_paper.pyloric.simulate import COLD, SETTLING, check_times

DeviceArray = Any  # cupy.ndarray, of which mypy knows nothing
THREADS: Final = 64

NOISE_SOURCE: Final = r"""
#define NODES %(nodes)d
#define IMPULSES %(impulses)d

// Philox 4x32-10 (Salmon et al. 2011): a counter and a key make four words, whatever was drawn
// before.
__device__ inline void philox(unsigned int counter[4], unsigned int key0, unsigned int key1) {
    for (int round = 0; round < 10; round++) {
        unsigned long long a = 0xD2511F53ull * counter[0], b = 0xCD9E8D57ull * counter[2];
        unsigned int c0 = (unsigned int)(b >> 32) ^ counter[1] ^ key0,
            c2 = (unsigned int)(a >> 32) ^ counter[3] ^ key1;
        counter[0] = c0; counter[1] = (unsigned int)b; counter[2] = c2;
        counter[3] = (unsigned int)a;
        key0 += 0x9E3779B9u; key1 += 0xBB67AE85u;
    }
}
__device__ inline double uniform(unsigned int high, unsigned int low) {  // in (0, 1), 52 bits
    return ((((unsigned long long)high << 32 | low) >> 12) + 0.5) * 2.220446049250313e-16;
}
// The experiment a row belongs to: the last that begins at or before it.
__device__ inline int owner(long long row, const long long *first_row, int count) {
    int low = 0, high = count;
    while (high - low > 1) { int middle = (low + high) / 2;
    if (first_row[middle] <= row) low = middle; else high = middle; }
    return low;
}
__device__ inline void add_impulse(double x, double weight, double *moments) {
    double before = weight, here = weight * x;
    for (int n = 0; n < NODES; n++) {
        moments[n] += before;
        double after = 2 * x * here - before;
        before = here; here = after;
    }
}
extern "C" __global__ void drawn_moments(long long rows, int count, const long long *first_row,
    const unsigned long long *seeds,
                                         const double *scales, double *out) {
    long long row = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int e = owner(row, first_row, count);
    unsigned int bin = (unsigned int)(row - first_row[e]);
    double moments[NODES] = {};
    for (int i = 0; i < IMPULSES; i++) {
        unsigned int a[4] = {(unsigned int)i, bin, 0u, 0u}, b[4] = {(unsigned int)i, bin, 1u, 0u};
        philox(a, (unsigned int)seeds[e], (unsigned int)(seeds[e] >> 32));
        philox(b, (unsigned int)seeds[e], (unsigned int)(seeds[e] >> 32));
        double radius = sqrt(-2.0 * log(uniform(b[0], b[1])));  // Box and Muller
        add_impulse(2 * uniform(a[0], a[1]) - 1, scales[e] * radius * cospi(2 * uniform(b[2],
            b[3])), moments);
    }
    for (int n = 0; n < NODES; n++) out[row * NODES + n] = moments[n];
}
extern "C" __global__ void given_moments(long long rows, const double *x, const double *weights,
    double *out) {
    long long row = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (row >= rows) return;
    double moments[NODES] = {};
    for (int i = 0; i < IMPULSES; i++) add_impulse(x[row * IMPULSES + i],
        weights[row * IMPULSES + i], moments);
    for (int n = 0; n < NODES; n++) out[row * NODES + n] = moments[n];
}
// Row r takes in the moments of the rows r to r + WINDOW - 1; rows at the end of an experiment take
// in strangers, and nobody reads them.
extern "C" __global__ void polynomials(long long rows, int window, const double *moments,
    const double *matrix, double *out) {
    long long row = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (row >= rows) return;
    double sums[NODES] = {};
    int last = rows - row < window ? (int)(rows - row) : window;
    for (int j = 0; j < last * NODES; j++) {
        double moment = moments[row * NODES + j];
        for (int n = 0; n < NODES; n++) sums[n] += moment * matrix[j * NODES + n];
    }
    for (int n = 0; n < NODES; n++) out[row * NODES + n] = sums[n];
}
"""


class Currents(NamedTuple):
    """External currents of many experiments, on the device.

    Rows of polynomials, where those of each begin, how many, start and width.
    """

    coefficients: DeviceArray
    first_piece: DeviceArray
    n_pieces: DeviceArray
    grids: DeviceArray


def simulate_many(
    circuits: Sequence[Circuit],
    times: FloatArray,
    currents: Currents | None = None,
    *,
    solver: Solver,
    first_steps: FloatArray | None = None,
    settling: float = SETTLING,
    initial: DeviceArray | None = None,
) -> DeviceArray:
    """Voltages of many circuits of two cells, of one variant, as `simulate` gives for each.

    Parameters
    ----------
    circuits
        One for each experiment.
    times
        In ms, the same for all.
    currents
        From `coloured_noise` or `given_noise`; none without.
    solver, settling
        As in `simulate`.
    first_steps
        First step of each experiment in ms, in place of the solver's: copies that differ by
        rounding alone.
    initial
        State of each at time 0, from `settle_many`, in place of settling.

    Returns
    -------
    cupy.ndarray of shape (experiments, 2, times)
    """
    moments = check_times(times)
    if initial is None:
        initial = settle_many(circuits, settling, solver=solver, first_steps=first_steps)
    return _integrate(circuits, moments, initial, currents, solver, first_steps)[0]


def settle_many(
    circuits: Sequence[Circuit],
    duration: float = SETTLING,
    *,
    solver: Solver,
    first_steps: FloatArray | None = None,
) -> DeviceArray:
    """States of the unconnected cells after `duration` ms, as `settled` gives for each.

    Equal ones are integrated once.
    """
    cp = cupy()
    steps = np.broadcast_to(
        solver.first_step if first_steps is None else first_steps, len(circuits)
    )
    keys = [(circuit.alone(), float(step)) for circuit, step in zip(circuits, steps, strict=True)]
    different = list(dict.fromkeys(keys))
    place = {key: i for i, key in enumerate(different)}
    cold = cp.asarray(np.tile(np.repeat(COLD, 2), (len(different), 1)))
    alone = [key[0] for key in different]
    own_steps = np.array([key[1] for key in different])
    states = _integrate(alone, np.array([duration]), cold, None, solver, own_steps)[1]
    return states[cp.asarray([place[key] for key in keys])]


def coloured_noise(
    tau: FloatArray, sigma: FloatArray, duration: float, seeds: Sequence[int]
) -> Currents:
    """One realisation of coloured noise for each experiment, drawn on the device from its seed (64
    bits); as `ColouredNoise` in law.
    """
    cp = cupy()
    bins = np.ceil(duration / tau).astype(np.int64) + 2 * noise.REACH
    first = np.concatenate([[0], np.cumsum(bins)])
    rows = int(first[-1])
    scale = sigma * np.sqrt(1 / noise.IMPULSES) * (2 / np.pi) ** 0.25
    moments = cp.empty((rows, noise.NODES))
    arguments = (
        rows,
        np.int32(len(tau)),
        cp.asarray(first[:-1]),
        cp.asarray(np.array(seeds, dtype=np.uint64)),
        cp.asarray(scale),
        moments,
    )
    _launch(_noise_module().get_function("drawn_moments"), rows, arguments)
    return _currents(moments, first, bins, tau)


def given_noise(noises: Sequence[Impulses]) -> Currents:
    """The currents of impulses drawn elsewhere."""
    cp = cupy()
    bins = np.array([len(each.x) for each in noises], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(bins)])
    rows = int(first[-1])
    moments = cp.empty((rows, noise.NODES))
    x, weights = (
        cp.asarray(np.concatenate([getattr(each, name) for each in noises]))
        for name in ("x", "weights")
    )
    _launch(_noise_module().get_function("given_moments"), rows, (rows, x, weights, moments))
    return _currents(moments, first, bins, np.array([each.tau for each in noises]))


class Impulses(NamedTuple):
    """Impulses of one realisation.

    Correlation time, places within their bins on [-1, 1], weights, (bins, IMPULSES) each.
    """

    tau: float
    x: FloatArray
    weights: FloatArray


def _currents(moments: DeviceArray, first: Any, bins: Any, tau: FloatArray) -> Currents:
    cp = cupy()
    matrix = cp.asarray(noise._kernel().polynomials)
    out = cp.empty_like(moments)
    window = np.int32(2 * noise.REACH + 1)
    _launch(
        _noise_module().get_function("polynomials"),
        len(moments),
        (len(moments), window, moments, matrix, out),
    )
    grids = cp.asarray(np.column_stack([np.zeros(len(tau)), tau]))
    return Currents(
        out, cp.asarray(first[:-1]), cp.asarray((bins - 2 * noise.REACH).astype(np.int32)), grids
    )


def _integrate(
    circuits: Sequence[Circuit],
    times: FloatArray,
    states: DeviceArray,
    currents: Currents | None,
    solver: Solver,
    first_steps: FloatArray | None,
) -> tuple[DeviceArray, DeviceArray]:
    """Voltages and final states; the experiment that failed first is named."""
    cp = cupy()
    count = len(circuits)
    tables, kinds = _tables(circuits)
    if currents is None:
        nothing = cp.zeros((1, 1))
        currents = Currents(
            nothing,
            cp.zeros(count, dtype=np.int64),
            cp.zeros(count, dtype=np.int32),
            cp.ones((count, 2)),
        )
    voltages = cp.empty((count, 2, len(times)))
    reached = cp.empty(count)
    work = cp.empty(count)
    final = _to(states) if solver.method == "fixed-step" else states.copy()
    common = (
        np.int32(count),
        *tables,
        kinds,
        final,
        cp.asarray(times),
        np.int32(len(times)),
        currents.coefficients,
    )
    common += (
        np.int32(currents.coefficients.shape[1]),
        currents.first_piece,
        currents.n_pieces,
        currents.grids,
    )
    module = _module()
    if solver.method == "fixed-step":
        _launch(
            module.get_function("fixed_step"),
            count,
            (*common, np.float64(solver.step), voltages, reached, work),
        )
        final = _from(final)
    else:
        tolerances = np.empty((count, 3))
        tolerances[:] = [solver.rtol, solver.atol, solver.first_step]
        if first_steps is not None:
            tolerances[:, 2] = first_steps
        given = (cp.asarray(tolerances), cp.asarray(_tableau()), voltages, reached, work)
        _launch(module.get_function("adaptive"), count, (*common, *given))
    done = reached.get()
    if np.any(~(done >= times[-1])):
        e = int(np.argmax(~(done >= times[-1])))
        raise IntegrationError(
            f"the integration of experiment {e}, {' and '.join(circuits[e].cells)}, failed at t = "
            f"{done[e]:.6g} ms of {times[-1]:g} ms ({np.count_nonzero(~(done >= times[-1]))} of "
            f"{count} failed); use an external current of the order of 1 uA/cm² or less"
        )
    return voltages, final


def _tables(circuits: Sequence[Circuit]) -> tuple[tuple[DeviceArray, ...], DeviceArray]:
    """Constants of the different circuits, and which of them each experiment has."""
    cp = cupy()
    different = list(dict.fromkeys(circuits))
    if len({circuit.variant for circuit in different}) > 1 or any(
        len(circuit.cells) != 2 for circuit in different
    ):
        raise ValueError(
            "a batch holds circuits of two cells of one variant; simulate the others in batches of "
            "their own"
        )
    constants = [circuit.constants() for circuit in different]
    cells = np.array([each.cells for each in constants])
    coupling = np.array([each.coupling for each in constants])
    place = {circuit: i for i, circuit in enumerate(different)}
    kinds = cp.asarray(np.array([place[circuit] for circuit in circuits], dtype=np.int32))
    return tuple(
        cp.asarray(array) for array in (constants[0].gates, cells, coupling, constants[0].numbers)
    ), kinds


def _to(states: DeviceArray) -> DeviceArray:
    return cupy().asarray(np.array([to_natural(state, 2) for state in states.get()]))


def _from(states: DeviceArray) -> DeviceArray:
    return cupy().asarray(np.array([from_natural(state, 2) for state in states.get()]))


def _launch(kernel: Any, count: int, arguments: tuple[Any, ...]) -> None:
    kernel(((count + THREADS - 1) // THREADS,), (THREADS,), arguments)


@cache  # one value: it has no arguments
def _module() -> Any:
    return cupy().RawModule(code=source(), options=("-std=c++17",))


@cache  # one value: it has no arguments
def _noise_module() -> Any:
    code = NOISE_SOURCE % {"nodes": noise.NODES, "impulses": noise.IMPULSES}
    return cupy().RawModule(code=code, options=("-std=c++17",))


@cache  # one value: it has no arguments
def cupy() -> Any:
    """The module cupy, or an error that says what is missing: the package, or the GPU."""
    need("cupy", "simulating many experiments at once on a GPU", extra="gpu")
    import cupy as module

    try:
        found = module.cuda.runtime.getDeviceCount()
    except module.cuda.runtime.CUDARuntimeError as error:
        raise RuntimeError(
            f"simulating on a GPU needs one, and CUDA finds none ({error}); use `simulate` on this "
            "machine"
        ) from None
    if not found:
        raise RuntimeError(
            "simulating on a GPU needs one, and CUDA finds none; use `simulate` on this machine"
        )
    return module
