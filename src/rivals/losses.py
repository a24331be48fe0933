"""What a model must offer: losses on held-out data and on its own simulations."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import RivalsWarning, as_numbers, check_losses, check_size, show
from rivals._random import entropy_from, stream
from rivals._types import RNG, FloatArray

FEW_SAMPLES = 32
HEAVY_TIES = 0.5
UNEQUAL_SIZES = 2.0

SIMULATION = 1  # key of the stream that candidates simulate with


@dataclass(frozen=True, eq=False)
class Losses:
    """The two samples of losses of one candidate model.

    Parameters
    ----------
    observed : array_like
        Loss of each held-out data point: lower is better. Usually the negative log likelihood.
    synthetic : array_like
        The same loss, of the same model, of data that the model simulated itself; as many as observed, best.

    Examples
    --------
    >>> losses = Losses([0.3, 1.2, 0.7, 0.4], [0.5, 0.9, 0.2, 1.1])
    >>> round(losses.empirical_risk, 3)
    0.65
    """

    observed: FloatArray
    synthetic: FloatArray

    def __post_init__(self) -> None:
        # The one place where samples are checked and copied; object.__setattr__ because the class is frozen.
        object.__setattr__(self, "observed", check_losses(self.observed, "observed losses"))
        object.__setattr__(self, "synthetic", check_losses(self.synthetic, "synthetic losses"))

    @classmethod
    def from_log_likelihood(cls, observed: npt.ArrayLike, synthetic: npt.ArrayLike) -> Losses:
        """From log likelihoods, which are better the higher: their signs are turned.

        Examples
        --------
        >>> Losses.from_log_likelihood([-1.0, -2.0], [-1.5, -0.5]).observed
        array([1., 2.])
        """
        return cls(
            -as_numbers(observed, "observed log likelihoods"), -as_numbers(synthetic, "synthetic log likelihoods")
        )

    @property
    def n_observed(self) -> int:
        """Number of held-out data points."""
        return self.observed.size

    @property
    def n_synthetic(self) -> int:
        """Number of simulated data points."""
        return self.synthetic.size

    @property
    def empirical_risk(self) -> float:
        """Mean observed loss. Computed about the median, so that a large offset does not cost digits."""
        return self.reference + float(np.mean(self.observed - self.reference))

    @cached_property
    def reference(self) -> float:
        """A typical observed loss, to subtract before anything is computed."""
        return float(np.median(self.observed))

    @cached_property
    def tie_fraction(self) -> float:
        """Part of the observed losses in large ties, whose value more than one in a hundred losses share.

        There q* has flat stretches and the process no spread. Ties of a few, as from rounding, do no harm.
        """
        counts = np.unique(self.observed, return_counts=True)[1]
        return float(np.sum(counts[(counts > 1) & (counts > 0.01 * self.n_observed)]) / self.n_observed)

    @cached_property
    def effective_size(self) -> float:
        """Number of independent losses that carry as much information about their mean as the observed sequence."""
        return effective_size(self.observed)

    def thin(self, step: int) -> Losses:
        """Every `step`-th loss of both samples, for sequences that are correlated in time."""
        step = check_size(step, "step")
        return Losses(self.observed[::step], self.synthetic[::step])

    def warn(self, name: str) -> None:
        """Warn of what makes the answer for this model less reliable than it looks."""
        for message in self.doubts():
            warnings.warn(f"model '{show(name)}': {message}", RivalsWarning, stacklevel=3)

    def doubts(self) -> list[str]:
        """The sentences that `warn` would warn with."""
        found = []
        smaller = min(self.n_observed, self.n_synthetic)
        if smaller < FEW_SAMPLES:
            found.append(
                f"only {smaller} losses in one of its samples; the tails of the quantile functions, which dominate, are guesses"
            )
        if self.tie_fraction > HEAVY_TIES:
            found.append(
                f"{self.tie_fraction:.0%} of its observed losses are in large ties, where the process has no spread and says too little "
                "about replication; use a continuous score, or sum the losses of groups of points"
            )
        ratio = self.n_synthetic / self.n_observed
        if not 1 / UNEQUAL_SIZES <= ratio <= UNEQUAL_SIZES:
            found.append(
                f"{self.n_synthetic} synthetic but {self.n_observed} observed losses; extremes of samples of unequal size differ "
                "even for a perfect model, which widens its risk distribution; simulate as many points as were observed"
            )
        return found

    def __repr__(self) -> str:
        return f"Losses({self.n_observed} observed, {self.n_synthetic} synthetic, empirical risk {self.empirical_risk:.5g})"


@dataclass(frozen=True)
class Candidate:
    """A model, as two functions.

    Parameters
    ----------
    loss : callable
        `loss(data)` gives one loss per data point, an array; whatever form the data have is between this function
        and `simulate`.
    simulate : callable
        `simulate(n, rng)` gives n simulated data points in the same form, drawn with the generator `rng`.

    Examples
    --------
    >>> import numpy as np
    >>> model = Candidate(loss=lambda y: y**2 / 2, simulate=lambda n, rng: rng.standard_normal(n))
    >>> model.losses(np.array([0.1, -1.0, 0.7]), rng=0)
    Losses(3 observed, 3 synthetic, empirical risk 0.25)
    """

    loss: Callable[[Any], npt.ArrayLike]
    simulate: Callable[[int, np.random.Generator], Any]

    def losses(self, data: Any, *, n_synthetic: int | None = None, rng: RNG = None) -> Losses:
        """Losses on held-out `data` and on as many simulated points (or `n_synthetic`)."""
        observed = check_losses(self.loss(data), "losses that loss(data) returned")
        n_synthetic = observed.size if n_synthetic is None else check_size(n_synthetic, "n_synthetic", least=2)
        # A key of its own: with the bare entropy, rng=0 would repeat the numbers of default_rng(0), perhaps the data's.
        simulated = self.simulate(n_synthetic, stream(entropy_from(rng), SIMULATION))
        synthetic = check_losses(self.loss(simulated), "losses that loss(simulate(n, rng)) returned")
        if synthetic.size != n_synthetic:
            raise ValueError(
                f"simulate({n_synthetic}, rng) gave data with {synthetic.size} losses; it must simulate as many points as asked for"
            )
        return Losses(observed, synthetic)


def effective_size(sequence: npt.ArrayLike) -> float:
    """Effective size n / τ of a sequence, with τ = 1 + 2 Σ ρ_k its autocorrelation time.

    The sum ends at the first lag above 5 τ (Sokal's window): far lags would add noise only, or a slow trend.
    """
    values = np.asarray(sequence, dtype=np.float64)
    spread = values - values.mean()
    largest = np.max(np.abs(spread))
    if np.ptp(values) == 0.0:
        return float(values.size)
    spectrum = np.fft.rfft(spread / largest, n=2 * values.size)
    covariance = np.fft.irfft(spectrum.real**2 + spectrum.imag**2)[: values.size]
    times = 2.0 * np.cumsum(covariance / covariance[0]) - 1.0
    beyond = np.flatnonzero(np.arange(values.size) >= 5.0 * times)
    time = times[beyond[0]] if beyond.size else times[-1]
    return values.size / float(max(time, 1.0))
