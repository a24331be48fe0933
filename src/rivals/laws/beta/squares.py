"""The local misfit δ of several simulations: the root of a mean square."""

from __future__ import annotations

import numpy as np

from rivals._core.types import FloatArray


def root_mean_square(differences: list[FloatArray]) -> FloatArray:
    """Root of the mean square over simulations.

    Of one simulation the absolute value, to the last bit.
    """
    if len(differences) == 1:
        return np.abs(differences[0])
    stack = np.abs(np.stack(differences))
    largest = np.max(stack, axis=0)  # divided out, so that squares neither overflow nor vanish
    scaled = np.divide(stack, largest, out=np.zeros_like(stack), where=largest > 0)
    return np.asarray(largest * np.sqrt(np.mean(scaled**2, axis=0)))
