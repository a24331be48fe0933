"""The quantile function (PPF) of a sample of losses."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from rivals._core.arrays import finite
from rivals._core.types import FloatArray


class QuantileFunction:
    """Quantile function of a sample.

    Sorted values at Φ_i = i / (L + 1), joined and continued by straight lines.

    Parameters
    ----------
    samples : array_like
        At least two finite numbers, in any order.

    See Also
    --------
    HierarchicalBetaProcess : a process on quantile functions.
    rivals.plots.plot_quantiles : draws those of a model.

    Examples
    --------
    >>> q = QuantileFunction([3.0, 1.0, 2.0])
    >>> q([0.0, 0.25, 0.5, 1.0])
    array([0., 1., 2., 4.])
    >>> float(q.integral())
    2.0
    """

    def __init__(self, samples: npt.ArrayLike) -> None:
        values = finite(samples, "samples")
        if values.ndim != 1 or values.size < 2:
            raise ValueError(f"samples: need two numbers or more; got shape {values.shape}")
        values = np.sort(values)
        # The straight lines through the first two and the last two points, up to Φ = 0 and Φ = 1.
        first = 2.0 * values[0] - values[1]
        last = 2.0 * values[-1] - values[-2]
        self._values: FloatArray = np.concatenate(([first], values, [last]))
        self.size: int = values.size  # number of samples

    @classmethod
    def through(cls, values: FloatArray) -> QuantileFunction:
        """Straight lines through values at evenly spaced Φ.

        The first at 0, the last at 1.
        """
        made = object.__new__(cls)
        made._values = values
        made.size = max(values.size - 2, 1)
        return made

    def moved(self, by: float) -> QuantileFunction:
        """Of samples that are all larger by this much."""
        return QuantileFunction.through(self._values + by)

    def __call__(self, phi: npt.ArrayLike) -> FloatArray:
        """The quantile at each Φ of `phi`, a number or an array within [0, 1]."""
        index, fraction = self._locate(phi)
        left = self._values[index]
        return np.asarray(left + fraction * (self._values[index + 1] - left))

    def integral(self, phi: npt.ArrayLike = 1.0) -> FloatArray:
        """The integral of q from 0 to Φ.

        Exact for the piecewise linear q; up to 1 it is the risk.
        """
        return self.antiderivative(phi) - self.antiderivative(0.0)

    def antiderivative(self, phi: npt.ArrayLike) -> FloatArray:
        """∫ q from the middle.

        Differences near the middle are not spoilt by what an outlier adds at an end.
        """
        index, fraction = self._locate(phi)
        left = self._values[index]
        part = fraction * (left + 0.5 * fraction * (self._values[index + 1] - left))
        return np.asarray((self._whole_cells[index] + part) / (self._values.size - 1))

    @cached_property
    def _whole_cells(self) -> FloatArray:
        cells = 0.5 * (self._values[:-1] + self._values[1:])
        middle = cells.size // 2
        before = -np.cumsum(cells[:middle][::-1])[::-1]
        return np.concatenate((before, [0.0], np.cumsum(cells[middle:])))

    def __repr__(self) -> str:
        low, middle, high = self([0.0, 0.5, 1.0])
        return (
            f"QuantileFunction({self.size} samples, q(0) = {low:.4g}, q(1/2) = {middle:.4g}, "
            f"q(1) = {high:.4g})"
        )

    def _locate(self, phi: npt.ArrayLike) -> tuple[npt.NDArray[np.intp], FloatArray]:
        phi = np.asarray(phi, dtype=np.float64)
        if not ((phi >= 0.0) & (phi <= 1.0)).all():
            raise ValueError(
                "a quantile function is defined on [0, 1]; some of the given phi lie outside"
            )
        cells = self._values.size - 1
        position = phi * cells
        index = np.minimum(position.astype(np.intp), cells - 1)
        return index, position - index


def grid(depth: int) -> FloatArray:
    """The 2^depth + 1 dyadic abscissae."""
    return np.linspace(0.0, 1.0, 2**depth + 1)
