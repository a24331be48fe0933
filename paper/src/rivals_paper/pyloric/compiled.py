"""What every kernel of this package is compiled with, and the arithmetic they share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

try:
    import numba
    from numba.extending import intrinsic
except (
    ImportError
):  # a machine with a GPU may have no numba: `source` needs the text of the kernels alone
    numba = None  # type: ignore[assignment]

from rivals_paper.arrays import FloatArray

Function = TypeVar("Function", bound=Callable[..., object])

# Adding this to a double of moderate size leaves its nearest integer in the low bits.
_ROUND = 6755399441055744.0  # 1.5 * 2**52
_LOG2_E = 1.4426950408889634
_LOWEST, _HIGHEST = (
    -708.3964185322641,
    709.782712893384,
)  # below, exp is 0 (or would be subnormal); above, infinite
_LN2_HIGH, _LN2_LOW = 0.693145751953125, 1.4286068203094173e-06
# exp(g) = 1 + 2 P / (Q - P) for |g| < ln(2) / 2, P odd and Q even in g (the coefficients of
# Cephes).
_P0, _P1 = 0.00012617719307481058, 0.030299440770744195
_Q0, _Q1, _Q2 = 3.0019850513866446e-06, 0.002524483403496841, 0.22726554820815503


def compiled(function: Function) -> Function:
    """Compile a kernel: no Python objects, no global lock, IEEE arithmetic as written.

    Nothing is reordered, and nothing fused but where `fused` says so: with the same pow of the C
    library, a trajectory is the same, bit for bit, on every machine. The machine code is not cached
    on disk: numba would not notice a change in a kernel called from another file, and an
    installation may be read-only.
    """
    return (
        function
        if numba is None
        else cast(Function, numba.njit(nogil=True, error_model="numpy")(function))
    )


def _fused(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    double = numba.types.float64

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return double(double, double, double), generate


# In kernels, fused(a, b, c) is a * b + c with one rounding.
fused: Callable[[float, float, float], float] = cast(
    Any, _fused if numba is None else intrinsic(_fused)
)


@compiled
def exponentials(x: FloatArray, out: FloatArray, power: FloatArray) -> None:
    """Write exp(x) to `out`, to 2 units in the last place; `power` is scratch space.

    The loops have no branch and no call, so the compiler turns each into vector instructions:
    several times faster than the C library's exp, which would dominate the cost of the right-hand
    side. The method and the order of the operations are those of the compiler which the original
    simulator uses (docs/paper/corrections.md).
    """
    bits = power.view(np.int64)
    n = x.shape[0]
    for i in range(n):
        value = min(max(x[i], _LOWEST), _HIGHEST)
        k = np.floor(fused(value, _LOG2_E, 0.5))
        g = fused(-k, _LN2_LOW, fused(-k, _LN2_HIGH, value))
        g2 = g * g
        p = fused(fused(g2, _P0, _P1), g2, 1.0) * g
        q = fused(fused(fused(g2, _Q0, _Q1), g2, _Q2), g2, 2.0)
        # Twice exp(g), because 2^k itself may be beyond the largest double.
        out[i] = 2.0 + 4.0 * (p / (q - p))
        power[i] = k + _ROUND
    for i in range(n):
        bits[i] = (bits[i] + 1022) << 52
    for i in range(n):
        out[i] = np.inf if x[i] > _HIGHEST else out[i] * power[i]
