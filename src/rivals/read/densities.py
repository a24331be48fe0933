"""Densities of data in one form: a log density and a sampler, of points or of targets at inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._say.warn import warn
from rivals._types import FloatArray
from rivals.models import Candidate
from rivals.read.inputs import (
    as_pair,
    as_targets,
    as_values,
    check_columns,
    check_inputs,
    check_same_shape,
    some_rows,
)

# From this many parameters per training point on, new residuals are wider than σ by a
# twentieth: √(1 + p/n).
MANY_PARAMETERS = 0.1


@dataclass(frozen=True)
class Density:
    """One distribution for all points (`batch` is empty), or one for each point or number of
    the data.

    Parameters
    ----------
    name : str
        For messages.
    batch : tuple of int or None
        The shape of the parameters; None if unknown.
    event : tuple of int or None
        The shape of one draw of one distribution; () for a number.
    log : callable
        From values of shape (n, *event) or (*batch, *event) to log densities of shape (n,)
        or batch.
    sample : callable
        `sample(count, rng)`, with count (n,), or () where there is a distribution for each point:
        draws of shape (*count, *batch, *event).
    """

    name: str
    batch: tuple[int, ...] | None
    event: tuple[int, ...] | None
    log: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
    sample: Callable[[tuple[int, ...], np.random.Generator], npt.NDArray[Any]]

    def log_density(self, data: Any) -> FloatArray:
        """One log density per point: per row, where a row has several numbers."""
        values = as_values(data, "data")
        if values.ndim == 0:
            raise ValueError(f"data: expected an array of points; got the single value {values!r}")
        if self.batch is not None and self.event is not None:
            points = self.batch or values.shape[:1]
            check_same_shape((*points, *self.event), values.shape, self.name)
        found = np.asarray(self.log(values), dtype=np.float64)
        if self.batch and found.shape == self.batch:
            # The numbers of a row are independent given the model.
            found = found.reshape(len(found), -1).sum(axis=1)
        if found.shape != (len(values),):
            raise ValueError(
                f"{self.name} gives log densities of shape {found.shape} for data of shape "
                f"{values.shape}, but there must be one for each of {len(values)} points: "
                "it has one density for all of them together, or parameters of another "
                "shape; pass one for each point"
            )
        return found

    def simulate(self, n: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """n simulated points."""
        if not self.batch:
            return self.sample((n,), rng)
        if self.batch[0] != n:
            raise ValueError(
                f"the distribution could not simulate {n} points: {self.name} has "
                f"parameters of shape {self.batch}, one for each data point"
            )
        return self.sample((), rng)


# From inputs to the distribution of the targets at them.
ConditionalDensity: TypeAlias = Callable[[Any], Density]


def at_inputs(
    density_at: ConditionalDensity,
    inputs: Any,
    who: str,
    *,
    targets: Callable[[Any, str], npt.NDArray[Any]] = as_targets,
) -> Candidate:
    """A candidate for pairs (inputs, targets), from the distribution of the targets at some
    inputs; it simulates at those given here.
    """

    def loss(data: Any) -> FloatArray:
        at, given = as_pair(data)
        check_columns(at, inputs, who)
        return -density_at(at).log_density(targets(given, "targets"))

    def simulate(n: int, rng: np.random.Generator) -> tuple[Any, npt.NDArray[Any]]:
        at = some_rows(inputs, n, rng)
        return at, density_at(at).simulate(n, rng)

    def check(data: Any) -> None:
        of_data, _ = as_pair(data)
        check_inputs(of_data, inputs, who)

    return Candidate(loss, simulate, check)


def gaussian(mean: FloatArray, deviation: FloatArray, name: str) -> Density:
    """Independent Gaussians, one for each number of the data."""
    if deviation.shape not in (mean.shape, (), mean.shape[1:]):
        raise ValueError(
            f"{name} has means of shape {mean.shape}, but standard deviations of shape "
            f"{deviation.shape}; pass one for each point, or one for all"
        )
    wrong = deviation[~(deviation > 0)]
    if wrong.size:
        raise ValueError(
            f"{name}: {wrong.size} of {deviation.size} standard deviations are not above zero, "
            f"the first {wrong[0]:g}; a network's scale needs exp or softplus, any scale a "
            "lower bound"
        )

    from scipy import stats  # here, since importing it takes a while

    return replace(frozen_density(stats.norm(mean, deviation)), name=name)


def frozen_density(model: Any) -> Density:
    """Of a frozen univariate distribution of SciPy. It has both methods, and only the family
    knows which of them works.
    """
    name = getattr(model.dist, "name", None) or type(model.dist).__name__
    log = model.logpmf if hasattr(model.dist, "pmf") else model.logpdf
    # Not of the parameters: those of the Poisson binomial are a list.
    batch = np.shape(model.support()[0])

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        return np.asarray(model.rvs((*count, *batch), random_state=rng))

    return Density(name, batch, (), log, sample)


def warn_of_many_parameters(who: str, n_parameters: int, n_points: int, instead: str) -> None:
    """Warn if σ from training residuals, corrected for the degrees of freedom, is too small
    for new points.
    """
    if n_parameters > MANY_PARAMETERS * n_points:
        warn(
            f"{who} has {n_parameters} parameters for {n_points} training points: its σ "
            "comes from the data to which it was fitted, and new residuals are wider by a "
            f"factor of about {np.sqrt(1 + n_parameters / n_points):.2f}; {instead}"
        )
