"""The fit of the original study.

Maximum likelihood with small penalties on the noise and on the temperature.
"""

from __future__ import annotations

import numpy as np

from rivals.testbeds.blackbody import RadianceModel, Spectrum, radiance, search_temperature

METHODS = ("maximum likelihood", "published")
TEMPERATURES = (1e-2, 1e6)


def fit_penalised(data: Spectrum, *, law: str, temperature: float | None = None) -> RadianceModel:
    """Fit a law of radiation with the penalties of the original study, which widen sigma by about
    0.4 %.

    Examples
    --------
    >>> from rivals.testbeds import blackbody
    >>> data = blackbody.observe(4096, rng=0)
    >>> round(fit_penalised(data, law="planck").sigma / blackbody.fit(data, law="planck").sigma, 4)
    1.0043
    """

    def variance(kelvin: float) -> float:
        return float(np.mean((data.radiance - radiance(law, data.wavelength, kelvin)) ** 2))

    def objective(log_kelvin: float) -> float:
        """As a function of log T alone, with sigma at its best for each T."""
        residual = variance(np.exp(log_kelvin))
        sigma = penalised_sigma(residual)
        return float(np.log(sigma) + residual / (2 * sigma**2) + penalty(sigma, log_kelvin))

    if temperature is None:
        temperature = search_temperature(objective, TEMPERATURES, law)
    return RadianceModel(
        law, penalised_sigma(variance(temperature)), float(temperature), data.wavelength
    )


def penalty(sigma: float, log_kelvin: float) -> float:
    """σ^(−1/128) + (log₂ T/4000 K)²/288, which is added to the mean loss."""
    octaves = (log_kelvin - np.log(4000)) / np.log(2)
    return float(sigma ** (-1 / 128) + octaves**2 / 288)


def penalised_sigma(variance: float) -> float:
    """Solve 1 − S/σ² − σ^(−1/128)/128 = 0 for σ, the stationary point of log σ + S/2σ² +
    σ^(−1/128).
    """
    sigma = np.sqrt(variance)
    for _ in range(50):  # the exponent is tiny: each step gains more than four digits
        previous = sigma
        sigma = np.sqrt(variance / (1 - sigma ** (-1 / 128) / 128))
        if abs(sigma - previous) <= 1e-15 * sigma:
            break
    return float(sigma)
