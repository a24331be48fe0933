"""What every criterion returns: a number, its error, its scale."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from math import hypot, inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from rivals._core.arrays import finite
from rivals._core.types import FloatArray


@dataclass(frozen=True, eq=False)
class Score:
    """One criterion of one model.

    Attributes
    ----------
    criterion : str
    value : float
        On the scale named by `scale`.
    scale : str
        Unit and sign, as "−2 log likelihood".
    standard_error : float or None
        None if the number is exact.
    lower_is_better : bool
    pointwise : array or None
        The contribution of each point, where the value is their sum: differences are then paired.
    diagnostics : tuple of str
        What to know before you trust the number.

    Examples
    --------
    >>> from rivals import criteria
    >>> float(criteria.aic([-1.0, -2.0, -0.5], 2))
    11.0
    """

    criterion: str
    value: float
    _: KW_ONLY
    scale: str
    standard_error: float | None = None
    lower_is_better: bool = True
    pointwise: FloatArray | None = field(default=None, repr=False)
    diagnostics: tuple[str, ...] = ()

    def __float__(self) -> float:
        return self.value


def difference(score: Score, reference: Score) -> tuple[float, float | None]:
    """One score less another, and its standard error.

    Scores with the contribution of each point are compared point by point: what is hard for both
    models cancels. Otherwise errors are taken to be independent.

    Examples
    --------
    >>> from rivals import criteria
    >>> difference(criteria.aic([-1.0, -2.0], 2), criteria.aic([-1.5, -2.5], 1))
    (0.0, None)
    """
    if score.criterion != reference.criterion:
        raise ValueError(
            f"the scores are of different criteria, {score.criterion} and {reference.criterion}; "
            "compute both by the same one"
        )
    value = score.value - reference.value
    if score.standard_error is None and reference.standard_error is None:
        return value, None
    if score.pointwise is None or reference.pointwise is None:
        return value, hypot(score.standard_error or 0.0, reference.standard_error or 0.0)
    if score.pointwise.shape != reference.pointwise.shape:
        raise ValueError(
            f"{score.criterion}: one model was scored on {score.pointwise.size} points, the other "
            f"on {reference.pointwise.size}; score both on the same data"
        )
    return value, error_of_sum(score.pointwise - reference.pointwise)


def error_of_sum(pointwise: FloatArray) -> float:
    """Standard error of a sum over points; infinite for one point."""
    n = pointwise.size
    return sqrt(n * float(np.var(pointwise, ddof=1))) if n > 1 else inf


def one_per_point(values: ArrayLike, what: str, *, sign: int = 1) -> FloatArray:
    """A finite number for each point, or their sum alone; with `sign` they are losses."""
    found = sign * finite(sign * np.atleast_1d(np.asarray(values, dtype=float)), what)
    if found.ndim != 1 or not found.size:
        raise ValueError(f"{what}: need one number for each point; got shape {found.shape}")
    return np.asarray(found)
