"""Fitting noise and temperature to a spectrum.

For any temperature the best noise is known in closed form, so that only one number is searched for.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import optimize

from rivals.testbeds.blackbody.data import Spectrum
from rivals.testbeds.blackbody.model import RadianceModel
from rivals.testbeds.blackbody.radiance import check_law, radiance

METHODS = ("maximum likelihood", "published")


class FitError(RuntimeError):
    """A fit that did not converge, with the reason and what to do.

    Examples
    --------
    >>> from rivals.testbeds import blackbody
    >>> impossible = blackbody.Spectrum([15.0, 20.0, 30.0], [-1.0, -1.0, -1.0])
    >>> try:
    ...     blackbody.fit(impossible, law="planck")
    ... except blackbody.FitError as error:
    ...     print(str(error).split(":")[0])
    the temperature of the planck model did not converge
    """


def fit(
    data: Spectrum,
    *,
    law: str,
    temperature: float | None = None,
    method: str = "maximum likelihood",
    temperatures: tuple[float, float] = (1e-2, 1e6),
) -> RadianceModel:
    """Fit a law of radiation to a spectrum.

    Parameters
    ----------
    data : Spectrum
    law : {"planck", "rayleigh-jeans"}
    temperature : float, optional
        Hold the temperature at this value (K) and fit the noise alone.
    method : {"maximum likelihood", "published"}
        ``"published"`` adds the penalties of the original study,
        σ^(−1/128) + (log₂ T/4000 K)²/288, to the mean loss; they widen sigma by about 0.4 %.
    temperatures : (float, float)
        The range searched for the temperature, K.

    Returns
    -------
    RadianceModel
        With ``.sigma``, ``.temperature``, ``.loss(data)`` and ``.simulate(n, rng)``.

    Raises
    ------
    FitError
        If the best temperature lies at or beyond the end of the range searched, or nothing is left as noise.

    Examples
    --------
    >>> from rivals.testbeds import blackbody
    >>> model = blackbody.fit(blackbody.observe(4096, rng=0), law="planck")
    >>> round(model.temperature), f"{model.sigma:.3e}"
    (4046, '4.208e-05')
    """
    check_law(law)
    check_method(method)
    best_sigma = penalised_sigma if method == "published" else _likeliest_sigma

    def residual_variance(kelvin: float) -> float:
        return float(np.mean((data.radiance - radiance(law, data.wavelength, kelvin)) ** 2))

    if temperature is None:
        temperature = search_temperature(_profile(residual_variance, method), temperatures, law)
    variance = residual_variance(temperature)
    if not variance > 0:
        raise FitError(
            f"the {law} model fits the spectrum without any residual: there is no noise to fit; check the data"
        )
    return RadianceModel(law, best_sigma(variance), float(temperature), data.wavelength)


def check_method(method: str) -> str:
    """Return the method's name, or say which ones there are."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {METHODS}; got {method!r}")
    return method


def _likeliest_sigma(variance: float) -> float:
    return float(np.sqrt(variance))


def penalised_sigma(variance: float) -> float:
    """Solve 1 − S/σ² − σ^(−1/128)/128 = 0 for σ, the stationary point of log σ + S/2σ² + σ^(−1/128)."""
    sigma = np.sqrt(variance)
    for _ in range(50):  # the exponent is tiny: each step gains more than four digits
        previous, sigma = sigma, np.sqrt(variance / (1 - sigma ** (-1 / 128) / 128))
        if abs(sigma - previous) <= 1e-15 * sigma:
            break
    return float(sigma)


def _profile(residual_variance: Callable[[float], float], method: str) -> Callable[[float], float]:
    """Return the objective as a function of log T alone, with sigma at its best for each T."""

    def likelihood(log_kelvin: float) -> float:
        return float(np.log(residual_variance(np.exp(log_kelvin))) / 2)

    def penalised(log_kelvin: float) -> float:
        variance = residual_variance(np.exp(log_kelvin))
        sigma = penalised_sigma(variance)
        octaves = (log_kelvin - np.log(4000)) / np.log(2)
        return float(np.log(sigma) + variance / (2 * sigma**2) + sigma ** (-1 / 128) + octaves**2 / 288)

    return penalised if method == "published" else likelihood


def search_temperature(
    objective: Callable[[float], float], temperatures: tuple[float, float], law: str, *, n_grid: int = 33
) -> float:
    """Find the minimum over log T: a coarse grid for the valley, then Brent's method inside it."""
    low, high = np.log(temperatures)
    grid = np.linspace(low, high, n_grid)
    with np.errstate(divide="ignore"):
        heights = np.array([objective(point) for point in grid])
    lowest = int(np.argmin(heights))
    if lowest in (0, grid.size - 1):
        raise FitError(
            f"the temperature of the {law} model did not converge: the best fit lies at or beyond "
            f"{np.exp(grid[lowest]):.3g} K, the end of the range searched; check the units and the sign of "
            "the radiance, widen temperatures=, or hold the temperature fixed with temperature="
        )
    minimum = optimize.minimize_scalar(
        objective,
        bounds=(grid[lowest - 1], grid[lowest + 1]),
        method="bounded",
        options={"xatol": 1e-10},
    )
    if not minimum.success:
        raise FitError(f"the temperature of the {law} model did not converge: {minimum.message}")
    return float(np.exp(minimum.x))
