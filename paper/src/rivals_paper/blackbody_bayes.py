"""Evidence and posterior of the black body models, without sampling noise.

Given noise σ and temperature T, the models are linear in the coefficients b of the polynomial,
whose prior is Gaussian: they integrate out in closed form. What is left is a two-dimensional
integral over (log σ, log T), done on a grid that closes in on the posterior. It checks nested
sampling, and replaces it where 36 × 2 or 200 evidences are due.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import logsumexp

from rivals.testbeds import blackbody
from rivals_paper.arrays import FloatArray

# Grid of the search and of the last pass; parts of the grid this far below the top (in nats) are
# negligible.
COARSE = 48
FINE = 128
NEGLIGIBLE = 25.0
# A noise that shrinks further than this within one spectrum (a body too cold to radiate at short
# waves) fits nothing that was recorded here, and would cost the linear problem its digits.
SMALLEST_RANGE = 1e-8


@dataclass(frozen=True)
class Prior:
    """Log-uniform noise and temperature within bounds, Gaussian coefficients."""

    sigma: tuple[float, float]
    temperature: tuple[float, float]
    coefficient: float = 5.0


@dataclass(frozen=True, eq=False)
class Posterior:
    """The posterior on a grid of noise and temperature."""

    log_evidence: float
    data: blackbody.Spectrum = field(repr=False)
    law: str
    n_coefficients: int
    prior: Prior
    proportional: bool
    log_sigma: FloatArray = field(repr=False)
    log_temperature: FloatArray = field(repr=False)
    probability: FloatArray = field(repr=False)

    def pressed(self) -> bool:
        """Whether most of the posterior lies at an end of the prior: within 1 % of its range."""
        for axis, values, bounds in (
            (1, self.log_sigma, self.prior.sigma),
            (0, self.log_temperature, self.prior.temperature),
        ):
            low, high = np.log(bounds)
            edge = 0.01 * (high - low)
            mass = self.probability.sum(axis=axis)
            if mass[(values < low + edge) | (values > high - edge)].sum() > 0.5:
                return True
        return False

    def pointwise_on_grid(self, every: int = 5) -> tuple[FloatArray, FloatArray]:
        """Return the log likelihood of each recording at nodes of a sparser grid, and the nodes'
        posterior weights.

        For models without a polynomial: a quadrature in place of draws. The posterior is smooth, so
        that nodes half a standard deviation apart integrate it to many digits.
        """
        sparse = self.probability[every // 2 :: every, every // 2 :: every]
        sigma, kelvin = (
            np.exp(axis[every // 2 :: every]) for axis in (self.log_sigma, self.log_temperature)
        )
        rows, columns = np.nonzero(sparse > 1e-11 * sparse.max())
        log_likelihood = np.empty((rows.size, len(self.data)))
        for column in np.unique(columns):
            problem = _Linear.at(self, float(kelvin[column]))
            assert problem is not None  # its probability is not zero
            chosen = columns == column
            variance = sigma[rows[chosen], None] ** 2 * problem.weight
            log_likelihood[chosen] = (
                -0.5 * np.log(2 * np.pi * variance) - 0.5 * problem.residual**2 / variance
            )
        return log_likelihood, sparse[rows, columns]

    def pointwise(self, n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Return the log likelihood of each recording for draws of the posterior, shape (draws,
        recordings).
        """
        flat = rng.choice(self.probability.size, size=n_draws, p=self.probability.ravel())
        rows, columns = np.unravel_index(flat, self.probability.shape)
        log_likelihood = np.empty((n_draws, len(self.data)))
        for column in np.unique(columns):
            chosen = np.flatnonzero(columns == column)
            problem = _Linear.at(self, float(np.exp(self.log_temperature[column])))
            assert problem is not None  # its probability is not zero
            sigma = np.exp(self.log_sigma[rows[chosen]])
            coefficients = problem.draw(sigma, self.prior.coefficient, rng)
            residual = problem.residual - coefficients @ problem.design.T
            variance = sigma[:, None] ** 2 * problem.weight
            log_likelihood[chosen] = (
                -0.5 * np.log(2 * np.pi * variance) - 0.5 * residual**2 / variance
            )
        return log_likelihood


def posterior(
    data: blackbody.Spectrum,
    *,
    law: str,
    prior: Prior,
    n_coefficients: int = 0,
    proportional: bool = True,
) -> Posterior:
    """Return evidence and posterior of a law of radiation plus a polynomial.

    Parameters
    ----------
    data : Spectrum
    law : {"planck", "rayleigh-jeans"}
    prior : Prior
    n_coefficients : int
    proportional : bool
        Whether the variance of the noise is σ² × the radiance, as in the nested families, or σ².
    """
    empty = np.empty(0)
    frame = Posterior(0.0, data, law, n_coefficients, prior, proportional, empty, empty, empty)
    box = np.log([prior.sigma, prior.temperature])
    size = COARSE
    while True:
        axes = [_cells(low, high, size) for low, high in box]
        density = np.column_stack(
            [_log_density(frame, axes[0], kelvin) for kelvin in np.exp(axes[1])]
        )
        if size == FINE:
            break
        smaller = _closer(box, axes, density)
        if np.prod(np.diff(smaller)) > 0.5 * np.prod(np.diff(box)):
            size = FINE
        box = smaller
    total = float(logsumexp(density))
    # Cells are even in log σ and log T, and so is the prior.
    cell = (
        np.log(np.diff(box)).sum()
        - 2 * np.log(size)
        - np.log(np.diff(np.log([prior.sigma, prior.temperature]))).sum()
    )
    probability = np.exp(density - total)
    return Posterior(
        total + float(cell),
        data,
        law,
        n_coefficients,
        prior,
        proportional,
        axes[0],
        axes[1],
        probability,
    )


@dataclass(frozen=True, eq=False)
class _Linear:
    """The linear problem at one temperature.

    Residual of the law, weights, and the polynomial's normal equations.
    """

    residual: FloatArray
    weight: FloatArray
    design: FloatArray
    values: FloatArray  # eigenvalues of A = Xᵀ W⁻¹ X
    vectors: FloatArray
    moments: FloatArray  # Xᵀ W⁻¹ residual in the eigenvectors' basis

    @classmethod
    def at(cls, frame: Posterior, kelvin: float) -> _Linear | None:
        by_law = blackbody.radiance(frame.law, frame.data.wavelength, kelvin)
        weight = by_law if frame.proportional else np.ones_like(by_law)
        design = np.vander(frame.data.wavelength, frame.n_coefficients, increasing=True)
        residual = frame.data.radiance - by_law
        if not weight.min() > SMALLEST_RANGE * weight.max():
            return None
        values, vectors = np.linalg.eigh(design.T @ (design / weight[:, None]))
        moments = vectors.T @ (design.T @ (residual / weight))
        return cls(residual, weight, design, np.maximum(values, 0.0), vectors, moments)

    def draw(self, sigma: FloatArray, width: float, rng: np.random.Generator) -> FloatArray:
        """Draw the coefficients given noise and temperature, one row for each noise."""
        precision = self.values / sigma[:, None] ** 2 + 1 / width**2
        mean = self.moments / sigma[:, None] ** 2 / precision
        return np.asarray(
            (mean + rng.standard_normal(mean.shape) / np.sqrt(precision)) @ self.vectors.T
        )


def _log_density(frame: Posterior, log_sigma: FloatArray, kelvin: float) -> FloatArray:
    """Return the log likelihood of (σ, T), the coefficients integrated out, for all σ at one T."""
    problem = _Linear.at(frame, kelvin)
    if problem is None:
        return np.full(log_sigma.size, -np.inf)
    n, variance = len(frame.data), np.exp(2 * log_sigma)
    squares = float(np.sum(problem.residual**2 / problem.weight))
    constant = -0.5 * n * np.log(2 * np.pi) - 0.5 * float(np.log(problem.weight).sum())
    # ∫ N(b | 0, w²) exp(−|r − Xb|²/2σ²) db, diagonal in the eigenvectors of A.
    width = frame.prior.coefficient**2
    spread = 1 + width * problem.values / variance[:, None]
    gain = 0.5 * np.sum(
        width * problem.moments**2 / variance[:, None] ** 2 / spread - np.log(spread), axis=1
    )
    return np.asarray(constant - n * log_sigma - 0.5 * squares / variance + gain)


def _cells(low: float, high: float, size: int) -> FloatArray:
    """Return the midpoints of even cells."""
    return np.asarray(low + (np.arange(size) + 0.5) * (high - low) / size)


def _closer(box: FloatArray, axes: list[FloatArray], density: FloatArray) -> FloatArray:
    """Return the smallest box around everything that is not negligible, with a cell to spare on
    each side.
    """
    high = density > density.max() - NEGLIGIBLE
    closer = np.empty_like(box)
    for i, (bounds, values) in enumerate(zip(box, axes, strict=True)):
        kept = values[high.any(axis=1 - i)]
        step = (bounds[1] - bounds[0]) / values.size
        closer[i] = max(bounds[0], kept.min() - 1.5 * step), min(bounds[1], kept.max() + 1.5 * step)
    return closer
