"""Distributions of targets in one form: a log density and a sampler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._core.losses import Provenance
from rivals._core.texts import Refusal, opt
from rivals._core.types import FloatArray, IntArray
from rivals.method.crps import laplace, normal, student

DENSITY = Provenance(loss="negative log density", unit="nats")
PROBABILITY = Provenance(loss="negative log probability", unit="nats")


@dataclass(frozen=True)
class Density:
    """The distribution of the target at each of some points.

    Attributes
    ----------
    log : callable
        From targets, shape (..., points), to their log densities, of the same shape.
    sample : callable
        `sample(n, rng)` returns n simulations, shape (n, points).
    of_counts : bool
        Whether it is a probability: of counts or labels.
    joint : callable, optional
        From targets to the log density of each group as a whole, where its points depend on each
        other.
    crps : callable, optional
        From targets to their CRPS, where it has a closed form.
    """

    log: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
    sample: Callable[[int, np.random.Generator], npt.NDArray[Any]]
    of_counts: bool = False
    joint: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None = None
    crps: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None = None

    @property
    def source(self) -> Provenance:
        """What its losses are."""
        return PROBABILITY if self.of_counts else DENSITY

    def losses(
        self,
        targets: npt.NDArray[Any],
        n_simulations: int,
        rng: np.random.Generator,
        units: IntArray | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Of the targets, and of simulations in their place, a row for each.

        With `units`, the group of each point from 0, there is one loss for each group.
        """
        observed = self._losses(targets, units)
        if not n_simulations:
            return observed, np.empty((0, observed.size))
        return observed, self._losses(self.sample(n_simulations, rng), units)

    def _losses(self, values: npt.NDArray[Any], units: IntArray | None) -> FloatArray:
        if units is not None and self.joint is not None:
            return np.asarray(-self.joint(values), dtype=np.float64)
        found = np.asarray(-self.log(values), dtype=np.float64)
        if found.shape != values.shape:
            raise ValueError(
                f"the distribution has log densities of shape {found.shape} for values of shape "
                f"{values.shape}; there must be one for each point"
            )
        if units is None:
            return found
        return np.asarray(found @ (units[:, None] == np.arange(units.max() + 1)))


def is_distribution(model: Any) -> bool:
    """Whether it is a distribution as SciPy has them."""
    has_density = any(callable(getattr(model, name, None)) for name in ("logpdf", "logpmf"))
    return has_density and not isinstance(model, type) and not hasattr(model, "_parse_args")


def density_of(model: Any, n_points: int) -> Density:
    """Of a frozen distribution of SciPy, or a variable of its new infrastructure: one for all
    points, or with a parameter for each.
    """
    if not is_distribution(model):
        name = getattr(model, "name", type(model).__name__)
        raise TypeError(
            f"expected a frozen distribution, as scipy.stats.norm(0.0, 2.0); got {name}"
        )
    shape = np.shape(model.support()[0]) if hasattr(model, "support") else ()
    if shape not in ((), (1,), (n_points,)):
        raise ValueError(
            f"the distribution has parameters of shape {shape} for {n_points} points; give one for "
            "each of the rows that are judged, or one for all"
        )
    of_counts = hasattr(getattr(model, "dist", model), "pmf")
    if not hasattr(model, "dist"):  # a variable of the new infrastructure has both
        of_counts = "DiscreteDistribution" in {kind.__name__ for kind in type(model).__mro__}
    log = model.logpmf if of_counts else model.logpdf

    def sample(n: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        if hasattr(model, "rvs"):
            return np.asarray(model.rvs(size=(n, n_points), random_state=rng))
        drawn = np.asarray(model.sample((n,), rng=rng))
        return drawn if drawn.ndim == 2 else np.asarray(model.sample((n, n_points), rng=rng))

    return Density(log, sample, of_counts, crps=_crps_of(model))


def _crps_of(model: Any) -> Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None:
    """The closed form of a frozen normal, Laplace or Student distribution."""
    if not hasattr(model, "dist"):
        return None
    from scipy import stats

    own = type(model.dist)
    forms: dict[type, Callable[..., FloatArray]] = {
        type(stats.norm): normal,
        type(stats.laplace): laplace,
        type(stats.t): student,
    }
    if own not in forms:
        return None
    shapes, location, scale = model.dist._parse_args(*model.args, **model.kwds)
    form = forms[own]
    return lambda values: scale * form((values - location) / scale, *shapes)


def density_of_labels(
    classes: npt.NDArray[Any], probabilities: FloatArray, floor: float = 0.0
) -> Density:
    """Of labels, a row of probabilities for each point; no probability is below the floor."""
    raised = np.maximum(probabilities, floor)
    raised = raised / raised.sum(axis=1, keepdims=True)
    points = np.arange(len(raised))

    def log(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
        likelihood = raised[points, places_of(labels, classes)]
        impossible = likelihood == 0.0
        if impossible.any():
            first = np.argwhere(impossible)[0]
            raise Refusal(
                f"{impossible.sum()} of {impossible.size} labels have probability zero, the first "
                f"is {labels[tuple(first)].item()!r}: an infinite loss; pass {opt.floor}, "
                "the least "
                f"probability of a label (such as 1e-3), judge by {opt.loss('brier')}, which takes "
                "zeros, or calibrate the classifier (sklearn.calibration.CalibratedClassifierCV)"
            )
        return np.asarray(np.log(likelihood))

    def sample(n: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        edges = np.cumsum(raised, axis=1)
        edges[:, -1] = 1.0
        drawn = rng.random((n, len(raised), 1)) >= edges
        return np.asarray(classes[drawn.sum(axis=2)])

    return Density(log, sample, of_counts=True)


def places_of(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Which of the sorted classes each label is."""
    places = np.minimum(np.searchsorted(classes, labels), classes.size - 1)
    unknown = classes[places] != labels
    if unknown.any():
        first = labels[unknown].ravel()[:1].tolist()[0]
        raise ValueError(f"the label {first!r} is none of the classes {classes.tolist()}")
    return np.asarray(places)
