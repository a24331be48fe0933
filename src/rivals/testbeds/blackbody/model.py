"""The candidate: a law of radiation, a temperature, and Gaussian noise of constant width."""

from __future__ import annotations

import numpy as np

from rivals._checks import check_positive
from rivals._types import FloatArray
from rivals.losses import Candidate
from rivals.testbeds.blackbody.data import Spectrum
from rivals.testbeds.blackbody.radiance import check_law, radiance


class RadianceModel(Candidate):
    """A law of radiation with Gaussian noise, as a candidate.

    Its attributes have the names of its parameters.

    Parameters
    ----------
    law : {"planck", "rayleigh-jeans"}
    sigma : float
        Standard deviation of the noise, kW m⁻² nm⁻¹ sr⁻¹.
    temperature : float
        In K.
    wavelength : ndarray
        The wavelengths at which simulated spectra are recorded, µm.

    Examples
    --------
    >>> import numpy as np
    >>> model = RadianceModel("planck", 4e-5, 4000.0, np.linspace(15.0, 30.0, 100))
    >>> model
    RadianceModel(planck, sigma=4e-05, temperature=4000.0)
    >>> model.loss(model.simulate(100, np.random.default_rng(0))).shape
    (100,)
    """

    def __init__(self, law: str, sigma: float, temperature: float, wavelength: FloatArray) -> None:
        self.law = check_law(law)
        check_positive(sigma, f"sigma of a {law} model")
        self.sigma, self.temperature, self.wavelength = sigma, temperature, wavelength

    def __repr__(self) -> str:
        return f"RadianceModel({self.law}, sigma={self.sigma:.4g}, temperature={self.temperature:.1f})"

    def mean(self, wavelength: FloatArray) -> FloatArray:
        """Return the radiance which the model expects at these wavelengths."""
        return radiance(self.law, wavelength, self.temperature)

    def loss(self, data: Spectrum) -> FloatArray:
        """Return the negative log likelihood of each recording, in nats."""
        standardised = (data.radiance - self.mean(data.wavelength)) / self.sigma
        return np.asarray(np.log(np.sqrt(2 * np.pi) * self.sigma) + 0.5 * standardised**2)

    def simulate(self, n: int, rng: np.random.Generator) -> Spectrum:
        """Simulate a spectrum of `n` recordings over the model's own range of wavelengths."""
        grid = resampled(self.wavelength, n)
        return Spectrum(grid, self.mean(grid) + self.sigma * rng.standard_normal(n))


def resampled(wavelength: FloatArray, n: int) -> FloatArray:
    """Return `n` wavelengths spread over the range as the given ones are."""
    if n == wavelength.size:
        return wavelength
    return np.interp(np.linspace(0, 1, n), np.linspace(0, 1, wavelength.size), wavelength)
