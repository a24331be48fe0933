"""The types that all layers share: arrays, sources of randomness, and what a model must offer."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.intp]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

RNG: TypeAlias = (
    int | np.integer | np.random.SeedSequence | np.random.Generator | np.random.BitGenerator | None
)


class Frame(Protocol):
    """A data frame of some library."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""
        ...


class Model(Protocol):
    """A model: the loss of each data point, and a simulator.

    `rivals.Candidate` is one; any object with both is.
    """

    def loss(self, data: Any, /) -> npt.ArrayLike:
        """One loss per data point."""
        ...

    def simulate(self, n: int, rng: np.random.Generator, /) -> Any:
        """`n` simulated data points, in the form that `loss` takes."""
        ...
