"""Candidates: a follower cell plus observation noise, fitted to a recording."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.checks import check_positive
from rivals_paper.noise import ColouredNoise
from rivals_paper.pyloric.circuit import model_of
from rivals_paper.pyloric.integrate import LOOSE, Solver
from rivals_paper.pyloric.recording import NoiseName, Recording, Sessions, sample_times, voltage

# The candidates of the paper; the data of its example are from LP 1.
LABELS: Final = {"A": "LP 2", "B": "LP 3", "C": "LP 4", "D": "LP 5"}


@dataclass(frozen=True, eq=False)
class NeuronModel:
    """A follower cell with noise of scale sigma, offering what `rivals.compare` asks of a
    candidate.

    Parameters
    ----------
    cell
        "LP 1" to "LP 5".
    sigma
        Scale of the noise in mV: standard deviation of Gaussian noise, twice the scale parameter of
        Cauchy noise.
    noise
        "gaussian" or "cauchy".
    driven
        Whether the model gets the external current of the recording. In the published results it
        did not.
    variant, solver
        As in `simulate`.
    current
        What drives simulated recordings, if `driven`.

    Examples
    --------
    >>> import numpy as np
    >>> from rivals_paper import pyloric
    >>> model = pyloric.NeuronModel("LP 2", sigma=2.0)
    >>> recording = model.simulate(50, np.random.default_rng(0))
    >>> model.loss(recording).shape
    (50,)
    """

    cell: str
    sigma: float
    noise: NoiseName = "gaussian"
    driven: bool = False
    variant: str = "published"
    solver: Solver = LOOSE
    current: ColouredNoise | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        model_of(self.cell)
        check_positive(self.sigma, f"sigma of a {self.cell} model")

    def voltage(self, times: FloatArray, current: ColouredNoise | None) -> FloatArray:
        """Voltage in mV which the model expects at these times."""
        return voltage(
            self.cell,
            times,
            current if self.driven else None,
            variant=self.variant,
            solver=self.solver,
        )

    def loss(self, data: Recording | Sessions) -> FloatArray:
        """Negative log likelihood of each sample, in nats."""
        if isinstance(data, Sessions):
            return np.concatenate([self.loss(part) for part in data.parts])
        return losses(data.voltage - self.voltage(data.times, data.current), self.sigma, self.noise)

    def simulate(self, n: int, rng: np.random.Generator) -> Recording:
        """Simulate a recording of `n` samples."""
        times = sample_times(n)
        if self.noise == "gaussian":
            noise = self.sigma * rng.standard_normal(n)
        else:
            noise = self.sigma / 2 * rng.standard_cauchy(n)
        return Recording(times, self.voltage(times, self.current) + noise, self.current)


def fit(
    recording: Recording,
    cell: str,
    *,
    noise: NoiseName = "gaussian",
    driven: bool = False,
    variant: str = "published",
    solver: Solver = LOOSE,
) -> NeuronModel:
    """Fit the noise of a follower cell to a recording by maximum likelihood; nothing else is free.

    Examples
    --------
    >>> from rivals_paper import pyloric, seeds
    >>> rng = seeds.generator("Prinz", "example trace", "data")
    >>> recording = pyloric.observe("LP 1", 4000, rng=rng)
    >>> pyloric.fit(recording, "LP 2").sigma > 10
    True
    >>> round(pyloric.fit(recording, "LP 1", driven=True).sigma, 1)
    2.1
    """
    expected = voltage(
        cell, recording.times, recording.current if driven else None, variant=variant, solver=solver
    )
    sigma = best_sigma(recording.voltage - expected, noise)
    return NeuronModel(
        cell,
        sigma,
        noise=noise,
        driven=driven,
        variant=variant,
        solver=solver,
        current=recording.current,
    )


def losses(residual: FloatArray, sigma: float, noise: NoiseName) -> FloatArray:
    """Return the negative log likelihood; the paper's formula has its sign and squares wrong.

    Examples
    --------
    >>> losses(np.array([0.0]), 1 / np.sqrt(2 * np.pi), "gaussian").round(12) + 0.0
    array([0.])
    """
    if noise == "gaussian":
        return np.asarray(np.log(np.sqrt(2 * np.pi) * sigma) + 0.5 * (residual / sigma) ** 2)
    gamma = sigma / 2
    return np.asarray(np.log(np.pi * gamma) + np.log1p((residual / gamma) ** 2))


def best_sigma(residual: FloatArray, noise: NoiseName) -> float:
    """Scale of greatest likelihood.

    In closed form for Gaussian noise, by bisection for Cauchy noise.

    Examples
    --------
    >>> best_sigma(np.array([-3.0, 3.0]), "gaussian")
    3.0
    """
    if noise == "gaussian":
        return float(np.sqrt(np.mean(residual**2)))
    # d/dγ of the mean loss is zero where mean(r² / (γ² + r²)) = 1/2, whose left side falls as γ
    # grows.
    square = residual**2
    low, high = 1e-12 + np.sqrt(square.min()), 1e-9 + np.sqrt(square.max())
    for _ in range(200):
        middle = np.sqrt(low * high)
        if np.mean(square / (middle**2 + square)) > 0.5:
            low = middle
        else:
            high = middle
    return float(2 * np.sqrt(low * high))
