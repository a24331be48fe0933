"""Nested families: a law of radiation plus a polynomial, with noise that grows with the radiance.

The candidates are B ~ N(B_law(λ; T) + Σ_{j<m} b_j λʲ, σ² B_law(λ; T)). For a given temperature the
best coefficients solve a weighted linear problem and the best noise is known in closed form, so
that only the temperature is searched for.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rivals import Candidate
from rivals.testbeds.blackbody import (
    FitError,
    Spectrum,
    check_law,
    radiance,
    resampled,
    search_temperature,
)
from rivals_paper.arrays import FloatArray
from rivals_paper.penalised import METHODS, penalised_sigma, penalty


class NestedModel(Candidate):
    """A law of radiation plus a polynomial, as a candidate.

    Its attributes have the names of its parameters.

    Parameters
    ----------
    law : {"planck", "rayleigh-jeans"}
    sigma : float
        Noise: the variance of a recording is sigma² × the radiance by the law.
    temperature : float
        In K.
    coefficients : ndarray
        Of 1, λ, λ², … (λ in µm), kW m⁻² nm⁻¹ sr⁻¹; empty for the law alone.
    wavelength : ndarray
        The wavelengths at which simulated spectra are recorded, µm.

    Examples
    --------
    >>> import numpy as np
    >>> model = NestedModel("planck", 0.25, 4000.0, [0.1, -0.02], np.linspace(0.6, 2.0, 64))
    >>> data = model.simulate(64, np.random.default_rng(0))
    >>> model.n_parameters, model.loss(data).shape
    (4, (64,))
    """

    def __init__(
        self,
        law: str,
        sigma: float,
        temperature: float,
        coefficients: FloatArray,
        wavelength: FloatArray,
    ) -> None:
        self.law = check_law(law)
        self.sigma = sigma
        self.temperature = temperature
        self.wavelength = wavelength
        self.coefficients = np.asarray(coefficients, dtype=np.float64)

    def __repr__(self) -> str:
        parameters = f"sigma={self.sigma:.4g}, temperature={self.temperature:.1f}"
        return f"NestedModel({self.law}, {parameters}, coefficients={self.coefficients.tolist()})"

    @property
    def n_parameters(self) -> int:
        """Number of fitted parameters: noise, temperature, coefficients."""
        return 2 + self.coefficients.size

    def mean(self, wavelength: FloatArray) -> FloatArray:
        """Return the radiance which the model expects at these wavelengths."""
        return radiance(self.law, wavelength, self.temperature) + self._polynomial(wavelength)

    def loss(self, data: Spectrum) -> FloatArray:
        """Return the negative log likelihood of each recording, in nats."""
        by_law = radiance(self.law, data.wavelength, self.temperature)
        variance = self.sigma**2 * by_law
        residual = data.radiance - by_law - self._polynomial(data.wavelength)
        return 0.5 * np.log(2 * np.pi * variance) + 0.5 * residual**2 / variance

    def simulate(self, n: int, rng: np.random.Generator) -> Spectrum:
        """Simulate a spectrum of `n` recordings over the model's own range of wavelengths."""
        grid = resampled(self.wavelength, n)
        by_law = radiance(self.law, grid, self.temperature)
        noise = self.sigma * np.sqrt(by_law) * rng.standard_normal(n)
        return Spectrum(grid, by_law + self._polynomial(grid) + noise)

    def _polynomial(self, wavelength: FloatArray) -> FloatArray:
        return powers(wavelength, self.coefficients.size) @ self.coefficients


def fit_nested(
    data: Spectrum,
    *,
    law: str,
    n_coefficients: int,
    temperature: float | None = None,
    method: str = "maximum likelihood",
    temperatures: tuple[float, float] = (5.0, 1e6),
) -> NestedModel:
    """Fit a law of radiation plus a polynomial to a spectrum.

    Parameters
    ----------
    data : Spectrum
    law : {"planck", "rayleigh-jeans"}
    n_coefficients : int
        Number of coefficients of the polynomial; 0 for the law alone.
    temperature : float, optional
        Hold the temperature at this value (K) and fit noise and coefficients alone.
    method : {"maximum likelihood", "published"}
        ``"published"`` adds the penalties of the original study on sigma and temperature (see
        `fit_penalised`).
    temperatures : (float, float)
        The range searched for the temperature, K.

    Returns
    -------
    NestedModel

    Examples
    --------
    >>> from rivals.testbeds import blackbody
    >>> data = blackbody.observe(64, wavelengths=(0.6, 2), gain=16, bias=0, rng=0)
    >>> fit_nested(data, law="planck", n_coefficients=2).n_parameters
    4
    """
    check_law(law)
    if method not in METHODS:
        raise ValueError(f"method must be one of {METHODS}; got {method!r}")
    if n_coefficients < 0 or n_coefficients + 2 > len(data):
        raise ValueError(
            "n_coefficients must be 0 or more and leave recordings to spare for noise and "
            f"temperature; got {n_coefficients} for {len(data)} recordings"
        )
    design = powers(data.wavelength, n_coefficients)

    def weighted(kelvin: float) -> tuple[FloatArray, float, float]:
        by_law = radiance(law, data.wavelength, kelvin)
        return weighted_fit(data.radiance - by_law, by_law, design)

    if temperature is None:
        temperature = search_temperature(_profile(weighted, method), temperatures, law, n_grid=129)
    coefficients, variance, _ = weighted(temperature)
    if not variance > 0:
        raise FitError(
            f"the {law} model fits the spectrum without any residual: there is no noise to fit; "
            "check the data"
        )
    sigma = penalised_sigma(variance) if method == "published" else float(np.sqrt(variance))
    return NestedModel(law, sigma, float(temperature), coefficients, data.wavelength)


def powers(wavelength: FloatArray, n: int) -> FloatArray:
    """Return the matrix of 1, λ, …, λⁿ⁻¹, one row for each wavelength."""
    return np.vander(wavelength, n, increasing=True)


def weighted_fit(
    residual: FloatArray, by_law: FloatArray, design: FloatArray
) -> tuple[FloatArray, float, float]:
    """Fit the polynomial with weights 1/B.

    Coefficients, mean squared weighted residual, mean log B.
    """
    if not by_law.min() > 0:  # underflow at short waves and low temperatures: no such data can be
        return np.zeros(design.shape[1]), np.inf, np.inf
    scale = 1 / np.sqrt(by_law)
    coefficients: FloatArray = np.linalg.lstsq(
        scale[:, None] * design, scale * residual, rcond=None
    )[0].astype(float)
    remainder = scale * (residual - design @ coefficients)
    with np.errstate(over="ignore"):  # likewise, before the underflow is complete
        return coefficients, float(np.mean(remainder**2)), float(np.mean(np.log(by_law)))


def _profile(
    weighted: Callable[[float], tuple[FloatArray, float, float]], method: str
) -> Callable[[float], float]:
    """Return the mean loss (less a constant) as a function of log T, with all else at its best."""

    def profile(log_kelvin: float) -> float:
        _, variance, log_radiance = weighted(float(np.exp(log_kelvin)))
        if not np.isfinite(variance):
            return np.inf
        if method == "maximum likelihood":
            return float(np.log(variance) + log_radiance) / 2
        sigma = penalised_sigma(variance)
        loss = np.log(sigma) + log_radiance / 2 + variance / (2 * sigma**2)
        return float(loss + penalty(sigma, log_kelvin))

    return profile
