"""Where increasing functions become positive, of many at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rivals._core.types import FloatArray

# A bracket is narrowed to this part of it, or to the last digit. Some ten steps are enough where
# the function is smooth; where it jumps, every third step or so halves.
NARROWEST = 2.0**-66
MOST_STEPS = 200


@np.errstate(divide="ignore", invalid="ignore")  # of guesses that are not taken
def crossing(
    function: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray
) -> FloatArray:
    """The value of each element between `low` and `high` where the function crosses zero.

    Chandrupatla's method (1997): the next guess is that of the parabola through the last three
    points, taken as a function of the height, where it can be trusted, and else the middle.

    Examples
    --------
    >>> roots = crossing(lambda x: x**3 - np.array([8.0, 27.0]), np.zeros(2), np.full(2, 10.0))
    >>> roots.round(12).tolist()
    [2.0, 3.0]
    """
    value_here = function(high)
    value_opposite = function(low)
    # Where it does not cross zero between them, the nearer end.
    here = np.where(value_opposite < 0.0, high, low)
    opposite = np.where(value_here < 0.0, high, low)
    narrowest = NARROWEST * np.abs(here - opposite)
    part = np.full(here.shape, 0.5)
    for _ in range(MOST_STEPS):
        guess = here + part * (opposite - here)
        value = function(guess)
        # The bracket is that between the guess and whatever lies on the other side of zero.
        is_same_side = (value < 0.0) == (value_here < 0.0)
        third = np.where(is_same_side, here, opposite)
        value_third = np.where(is_same_side, value_here, value_opposite)
        opposite = np.where(is_same_side, opposite, here)
        value_opposite = np.where(is_same_side, value_opposite, value_here)
        here = guess
        value_here = value
        best = np.where(np.abs(value_here) < np.abs(value_opposite), here, opposite)
        width = np.abs(opposite - here)
        resolution = np.maximum(2.0 * np.finfo(np.float64).eps * np.abs(best), narrowest)
        is_done = (value_here == 0.0) | (width <= 2.0 * resolution)
        if is_done.all():
            break
        place = (here - opposite) / (third - opposite)
        height = (value_here - value_opposite) / (value_third - value_opposite)
        by_parabola = value_here / (value_opposite - value_here) * value_third / (
            value_opposite - value_third
        ) + (third - here) / (opposite - here) * value_here / (
            value_third - value_here
        ) * value_opposite / (value_third - value_opposite)
        is_trusted = (height**2 < place) & ((1.0 - height) ** 2 < 1.0 - place)
        least = resolution / width
        part = np.clip(np.where(is_trusted, by_parabola, 0.5), least, 1.0 - least)
        part[is_done] = 0.0
    return np.asarray(best)
