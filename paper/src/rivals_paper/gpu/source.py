"""The kernels of this package as C++, for a GPU or a C++ compiler.

Generated from the Python source that numba compiles here.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from rivals_paper.gpu.translation import translate
from rivals_paper.pyloric import dormand_prince, field, splitting

# In the order of their use: each function after those it calls.
KERNELS: Final = (
    field.polynomial_current,
    field.gate_arguments,
    field._arguments,
    field._membrane,
    field.derivative,
    dormand_prince.record_start,
    dormand_prince._combine,
    dormand_prince._error,
    dormand_prince._interpolate,
    dormand_prince.dormand_prince,
    splitting._calcium_conductance,
    splitting._calcium,
    splitting._relax,
    splitting._conductances,
    splitting._voltages,
    splitting.strang,
)

# Loops over time, over the stages of a step, and over as many pieces and samples as there are.
ROLLED: Final = ("dormand_prince", "strang", "record_start", "polynomial_current")

# Each processor has its own exponential: that of `compiled` here is made for vector instructions,
# and rounds as the original simulator did. Unrolled, 98 of them would overflow the cache of
# instructions: the adaptive solver is a sixth slower then.
NATIVE: Final = """
template <class Arguments, class Out, class Scratch> FUNCTION void exponentials(Arguments x,
    Out out, Scratch) {
    for (int i = 0; i < x.extent(0); i++) out[i] = exp(x[i]);
}
"""

# One thread simulates one experiment of two cells. `kind` says which of the circuits in the tables
# of constants an experiment has.
ENTRY: Final = r"""
#ifdef __CUDACC__
#define KERNEL extern "C" __global__ void
#define EACH(e, count) int e = blockIdx.x * blockDim.x + threadIdx.x; if (e < count)
#else
#define KERNEL extern "C" void
#define EACH(e, count) for (int e = 0; e < count; e++)
#endif
#define CELLS 2
#define STATE (14 * CELLS)

#define TABLES double *all_gates, double *all_cells, double *all_coupling, double *all_numbers

// Views of what every integrator needs of experiment e.
#define CIRCUIT(e) \
    kernels::Array<8, 11 * CELLS> gates = {all_gates}; \
    kernels::Array<11, CELLS> cells = {all_cells + kind[e] * 11 * CELLS}; \
    kernels::Array<2, CELLS, CELLS> coupling = {all_coupling + kind[e] * 2 * CELLS * CELLS}; \
    kernels::Array<21> numbers = {all_numbers};
#define DRIVEN(e) \
    kernels::View<2> pieces = {coefficients + first_piece[e] * degree, {n_pieces[e], degree}}; \
    kernels::Array<2> grid = {grids + 2 * e}; \
    kernels::View<1> times = {moments, {samples}}; \
    kernels::View<2> voltages = {recorded + (long long)e * CELLS * samples, {CELLS, samples}}; \
    kernels::Array<STATE> y = {states + (long long)e * STATE};

KERNEL slopes(int count, TABLES, const int *kind, double *states, double *currents, double *out) {
    EACH(e, count) {
        CIRCUIT(e)
        double memory[3 * EXPONENTIALS * CELLS];
        kernels::Array<3, EXPONENTIALS * CELLS> scratch = {memory};
        kernels::Array<STATE> y = {states + (long long)e * STATE},
            slope = {out + (long long)e * STATE};
        kernels::derivative(y, currents[e], gates, cells, coupling, numbers, scratch, slope);
    }
}

KERNEL fixed_step(int count, TABLES, const int *kind, double *states, double *moments, int samples,
    double *coefficients,
                  int degree, const long long *first_piece, const int *n_pieces, double *grids,
                      double step, double *recorded, double *reached, double *work) {
    EACH(e, count) {
        CIRCUIT(e)
        DRIVEN(e)
        auto end = kernels::strang(y, times, step, gates, cells, coupling, numbers, pieces, grid,
            voltages);
        reached[e] = end.first;
        work[e] = end.second;
    }
}

KERNEL adaptive(int count, TABLES, const int *kind, double *states, double *moments, int samples,
    double *coefficients,
                int degree, const long long *first_piece, const int *n_pieces, double *grids,
                    double *tolerance, double *coefficients_of_method,
                double *recorded, double *reached, double *work) {
    EACH(e, count) {
        CIRCUIT(e)
        DRIVEN(e)
        kernels::Array<3> tolerances = {tolerance + 3 * e};
        kernels::Array<13, 7> tableau = {coefficients_of_method};
        auto end = kernels::dormand_prince(y, times, tolerances, tableau, gates, cells, coupling,
            numbers, pieces, grid, voltages);
        reached[e] = end.first;
        work[e] = end.second;
    }
}
"""


@cache  # one value: it has no arguments
def source() -> str:
    """C++ source with the entry points `slopes`, `fixed_step` and `adaptive`, each over a batch of
    experiments.
    """
    return "\n".join(
        [
            translate(KERNELS, NATIVE, rolled=ROLLED),
            f"#define EXPONENTIALS {field.EXPONENTIALS}",
            ENTRY,
        ]
    )
