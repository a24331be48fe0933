"""The two laws of radiation: Planck's, and its limit for long waves by Rayleigh and Jeans."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import constants

from rivals._types import FloatArray

# From W m⁻³ sr⁻¹ to kW m⁻² nm⁻¹ sr⁻¹, and from µm to m.
_RADIANCE_UNIT = 1e-12
_MICROMETRE = 1e-6

LAWS = ("planck", "rayleigh-jeans")


def planck(wavelength: ArrayLike, temperature: ArrayLike) -> FloatArray:
    """Return Planck's spectral radiance, 2hc²λ⁻⁵ / (exp(hc/λkT) − 1).

    Arguments, result and units are those of `radiance`.

    Examples
    --------
    >>> float(planck(15.0, 4000.0).round(6))
    0.000579
    """
    metres, kelvin = _checked(wavelength, temperature)
    x = constants.h * constants.c / (metres * constants.k * kelvin)
    # 1/(exp(x) − 1) written so that short waves underflow to zero instead of overflowing.
    occupation = np.exp(-x) / -np.expm1(-x)
    return np.asarray(2 * constants.h * constants.c**2 / metres**5 * occupation * _RADIANCE_UNIT)


def rayleigh_jeans(wavelength: ArrayLike, temperature: ArrayLike) -> FloatArray:
    """Return the Rayleigh-Jeans spectral radiance, 2ckT/λ⁴.

    Arguments, result and units are those of `radiance`.

    Examples
    --------
    >>> float(rayleigh_jeans(15.0, 4000.0).round(6))
    0.000654
    """
    metres, kelvin = _checked(wavelength, temperature)
    return np.asarray(2 * constants.c * constants.k * kelvin / metres**4 * _RADIANCE_UNIT)


def radiance(law: str, wavelength: ArrayLike, temperature: ArrayLike) -> FloatArray:
    """Return the radiance by the law of that name, ``"planck"`` or ``"rayleigh-jeans"``.

    Parameters
    ----------
    law : {"planck", "rayleigh-jeans"}
    wavelength : array_like
        Wavelength in µm, positive.
    temperature : array_like
        Temperature in K, positive.

    Returns
    -------
    ndarray
        Radiance in kW m⁻² nm⁻¹ sr⁻¹.

    Examples
    --------
    >>> [float(radiance(law, 15.0, 4000.0).round(6)) for law in LAWS]
    [0.000579, 0.000654]
    """
    if check_law(law) == "planck":
        return planck(wavelength, temperature)
    return rayleigh_jeans(wavelength, temperature)


def check_law(law: str) -> str:
    """Return the law's name, or say which ones there are."""
    if law not in LAWS:
        raise ValueError(f"law must be one of {LAWS}; got {law!r}")
    return law


def _checked(wavelength: ArrayLike, temperature: ArrayLike) -> tuple[Any, Any]:
    micrometres = np.asarray(wavelength, dtype=np.float64)
    kelvin = np.asarray(temperature, dtype=np.float64)
    for name, unit, values in (("wavelength", "µm", micrometres), ("temperature", "K", kelvin)):
        bad = ~(np.isfinite(values) & (values > 0))
        if bad.any():
            raise ValueError(
                f"{name} must be above 0 and finite ({unit}); {bad.sum()} of {bad.size} are not, the first "
                f"{np.extract(bad, values)[0]!s}"
            )
    return micrometres * _MICROMETRE, kelvin
