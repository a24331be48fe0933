"""Units in which squares of losses are safe."""

from __future__ import annotations

import numpy as np

from rivals._types import FloatArray

# Losses beyond two to this power, or below its inverse, are computed with in another unit, since
# they are squared.
LARGEST_EXPONENT = 300


def largest_magnitude(rows: FloatArray) -> FloatArray:
    """The largest |x| of each row, without an array of magnitudes."""
    highest = np.max(rows, axis=-1, initial=0.0)
    lowest = np.min(rows, axis=-1, initial=0.0)
    return np.asarray(np.maximum(highest, -lowest))


def unit_exponent(losses: FloatArray) -> int:
    """The power of two in whose unit squares of these losses neither overflow nor vanish; 0 where
    they do not anyway.

    Also 0 where one row is so much larger than another that no unit serves both: then the large
    one overflows, which is refused, in place of the small one vanishing, which nobody would see.
    """
    largest = largest_magnitude(np.atleast_2d(losses))
    exponents = np.frexp(largest[largest > 0.0])[1]
    if not exponents.size or abs(int(exponents.max())) <= LARGEST_EXPONENT:
        return 0
    highest = int(exponents.max())
    lowest = int(exponents.min())
    return 0 if highest > 0 and highest - lowest > 1.5 * LARGEST_EXPONENT else highest


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
