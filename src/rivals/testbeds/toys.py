"""Toys for examples: Gaussian models, losses of two models, and an epistemic distribution.

All of them run in milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rivals._core.candidates import Candidate
from rivals._core.types import RNG, FloatArray

if TYPE_CHECKING:
    from rivals.calibration import Experiment


def gaussian(mean: float = 0.0, width: float = 1.0) -> Candidate:
    """A Gaussian model of numbers, with the negative log likelihood (up to a constant) as its loss.

    Examples
    --------
    >>> gaussian(mean=1.0).loss(np.array([1.0, 2.0]))
    array([0. , 0.5])
    """
    return Candidate(
        loss=lambda y: np.log(width) + ((y - mean) / width) ** 2 / 2,
        simulate=lambda n, rng: mean + width * rng.standard_normal(n),
    )


def losses(n: int = 1000, rng: RNG = 0) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Exponential losses of two models, A three times better than B; each describes its data well.

    Examples
    --------
    >>> list(losses())
    ['A', 'B']
    """
    generator = np.random.default_rng(rng)
    pairs = {name: generator.exponential(scale, (2, n)) for name, scale in (("A", 1.0), ("B", 3.0))}
    return {name: (observed, synthetic) for name, (observed, synthetic) in pairs.items()}


def omega(rng: np.random.Generator) -> Experiment:
    """Experiments on data about an unknown mean, judged by two models of fixed mean.

    Examples
    --------
    >>> omega(np.random.default_rng(0)).observe(3, np.random.default_rng(1)).shape
    (3,)
    """
    from rivals.calibration import Experiment

    mean = rng.normal(0, 0.1)
    return Experiment(
        observe=lambda n, rng: mean + rng.standard_normal(n),
        candidates=(gaussian(-0.1), gaussian(0.1)),
    )
