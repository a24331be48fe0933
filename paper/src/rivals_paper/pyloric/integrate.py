"""Run an integrator over a circuit, and say what went wrong when it fails."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from types import ModuleType
from typing import Final, Literal, NamedTuple

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.checks import check_positive, need
from rivals_paper.pyloric.circuit import Circuit


class IntegrationError(RuntimeError):
    """The integration of a circuit could not be carried to its end.

    Examples
    --------
    >>> from rivals_paper import pyloric
    >>> try:
    ...     pyloric.simulate("LP 1", [0.0, 1.0, 2.0], current=[1e6, 1e6, 1e6])
    ... except pyloric.IntegrationError as error:
    ...     print(str(error).split(" at ")[0])
    the integration of AB/PD 3 and LP 1 failed
    """


@dataclass(frozen=True)
class Solver:
    """How to integrate.

    Parameters
    ----------
    method
        "dormand-prince": explicit Runge-Kutta 5(4), step size by `rtol` and `atol` on (V, ln Ca,
        logits); or "fixed-step": second order splitting with steps of `step` ms, stable for any
        step.
    rtol, atol
        Tolerances of "dormand-prince".
    step
        Step in ms of "fixed-step".
    first_step
        First step in ms of "dormand-prince", 0.005 in the published runs. With loose tolerances a
        change by one part in 1e12 is enough to get a trajectory that differs by as much as rounding
        errors matter.

    Examples
    --------
    >>> Solver("fixed-step", step=0.05)
    Solver(method='fixed-step', rtol=0.001, atol=1e-06, step=0.05, first_step=0.005)
    """

    method: Literal["dormand-prince", "fixed-step"] = "dormand-prince"
    rtol: float = 1e-3
    atol: float = 1e-6
    step: float = 0.02
    first_step: float = 0.005

    def __post_init__(self) -> None:
        if self.method not in ("dormand-prince", "fixed-step"):
            raise ValueError(
                f"method must be 'dormand-prince' or 'fixed-step'; got {self.method!r}"
            )
        for name in ("rtol", "atol", "step", "first_step"):
            check_positive(getattr(self, name), f"{name} of a solver")

    def with_other_rounding(self, copy: int = 1) -> Solver:
        """Return a solver of the same accuracy with other rounding errors.

        Its first step (or fixed step) is longer by `copy` parts in 1e12.

        The solvers of recording and model differ in this way where the two must not share their
        rounding errors.

        Examples
        --------
        >>> ACCURATE.with_other_rounding().first_step / ACCURATE.first_step - 1 < 1.1e-12
        True
        """
        changed = 1 + copy * 1e-12
        return replace(self, step=self.step * changed, first_step=self.first_step * changed)


# The published results were made at SciPy's default tolerances. Those are so loose that rounding
# errors grow to millivolts within seconds. Since stability limits the step, the second solver costs
# about as much, and it is exact to 3e-3 mV (root mean square from 3 to 7 s, AB and LP 1 to 3).
LOOSE: Final = Solver(rtol=1e-3, atol=1e-6)
ACCURATE: Final = Solver(rtol=1e-6, atol=1e-9)


class Pieces(NamedTuple):
    """A current in time as polynomials on equal intervals.

    Monomials on [-1, 1], one row per interval.
    """

    coefficients: FloatArray
    start: float
    width: float


NO_CURRENT: Final = Pieces(np.zeros((0, 1)), 0.0, 1.0)


class Run(NamedTuple):
    """What an integration gives.

    Voltages (cells, times), the state at the end, evaluations (or steps).
    """

    voltages: FloatArray
    state: FloatArray
    evaluations: int


def integrate(
    circuit: Circuit,
    state: FloatArray,
    times: FloatArray,
    current: Pieces = NO_CURRENT,
    *,
    solver: Solver,
) -> Run:
    """Integrate a circuit from `state` at t = 0 to times[-1]."""
    kernels = load_kernels()
    voltages = np.empty((len(circuit.cells), len(times)))
    common = (
        *circuit.constants(),
        current.coefficients,
        np.array([current.start, current.width]),
        voltages,
    )
    n = len(circuit.cells)
    if solver.method == "dormand-prince":
        final = state.copy()
        tolerances = np.array([solver.rtol, solver.atol, solver.first_step])
        reached, evaluations = kernels.dormand_prince(final, times, tolerances, _tableau(), *common)
    else:
        natural = to_natural(state, n)
        reached, evaluations = kernels.strang(natural, times, solver.step, *common)
        final = from_natural(natural, n)
    if reached < times[-1]:
        raise IntegrationError(
            f"the integration of {' and '.join(circuit.cells)} failed at t = {reached:.6g} ms of "
            f"{times[-1]:g} ms: a voltage left ±500 mV, or the steps became too small to go on "
            f"(voltages there: {', '.join(f'{v:.4g}' for v in final[:n])} mV); use an external "
            "current of the order of 1 uA/cm² or less"
        )
    return Run(voltages, final, int(evaluations))


def to_natural(state: FloatArray, cells: int) -> FloatArray:
    """Turn (V, ln Ca, logits) into (V, Ca, fractions)."""
    natural = state.copy()
    natural[cells : 2 * cells] = np.exp(state[cells : 2 * cells])
    natural[2 * cells :] = 1 / (1 + np.exp(-state[2 * cells :]))
    return natural


def from_natural(natural: FloatArray, cells: int) -> FloatArray:
    """Undo `to_natural`; fractions of 0 and 1 to rounding get the logits ∓700 and 37."""
    state = natural.copy()
    fractions = natural[2 * cells :]
    state[cells : 2 * cells] = np.log(natural[cells : 2 * cells])
    state[2 * cells :] = np.log(np.maximum(fractions, 1e-304)) - np.log(
        np.maximum(1 - fractions, 1e-16)
    )
    return state


def load_kernels() -> ModuleType:
    """Import the compiled kernels, which need numba."""
    need("numba", "the neuron simulator")
    from rivals_paper.pyloric import kernels

    return kernels


@cache  # one value: it has no arguments
def _tableau() -> FloatArray:
    """Coefficients of Dormand and Prince, with Shampine's interpolant, as SciPy keeps them."""
    from scipy.integrate import RK45

    tableau = np.zeros((13, 7))
    tableau[:6, :5] = RK45.A
    tableau[6, :6] = RK45.B
    tableau[7] = [*RK45.C, 1.0]
    tableau[8] = RK45.E
    tableau[9:] = RK45.P.T
    return tableau
