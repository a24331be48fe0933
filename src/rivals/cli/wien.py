"""Wien's law of radiation, for the demonstration: right for short waves, and abandoned in 1900 because it fails for long ones."""

from __future__ import annotations

import numpy as np
from scipy import constants

from rivals._types import FloatArray
from rivals.testbeds.blackbody import RadianceModel, Spectrum
from rivals.testbeds.blackbody.fitting import search_temperature

_MICROMETRE = 1e-6


class WienModel(RadianceModel):
    """Planck's law without stimulated emission: 2hc²λ⁻⁵ exp(−hc/λkT), with Gaussian noise."""

    def __init__(self, sigma: float, temperature: float, wavelength: FloatArray) -> None:
        super().__init__("planck", sigma, temperature, wavelength)

    def mean(self, wavelength: FloatArray) -> FloatArray:
        """The radiance that the model expects at these wavelengths."""
        x = constants.h * constants.c / (_MICROMETRE * wavelength * constants.k * self.temperature)
        return np.asarray(super().mean(wavelength) * -np.expm1(-x))

    def __repr__(self) -> str:
        return f"WienModel(sigma={self.sigma:.4g}, temperature={self.temperature:.1f})"


def fit_wien(data: Spectrum) -> WienModel:
    """Temperature and noise by maximum likelihood, as `blackbody.fit` finds those of the other laws."""

    def deviation(kelvin: float) -> float:
        expected = WienModel(1.0, kelvin, data.wavelength).mean(data.wavelength)
        return float(np.sqrt(np.mean((data.radiance - expected) ** 2)))

    kelvin = search_temperature(lambda log_kelvin: np.log(deviation(np.exp(log_kelvin))), (1e2, 1e6), "Wien")
    return WienModel(deviation(kelvin), kelvin, data.wavelength)
