"""Spectra, and the spectrometer that records them: photon counts, a gain, and a bias nobody knows of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rivals._checks import check_positive, check_size
from rivals._types import RNG, FloatArray
from rivals.testbeds.blackbody.radiance import radiance

# Beyond this NumPy's Poisson generator refuses (its counts are 64-bit integers).
_MAX_COUNT = 9e18


@dataclass(frozen=True, eq=False)
class Spectrum:
    """A recorded spectrum.

    Parameters
    ----------
    wavelength : ndarray
        In µm, one for each recording.
    radiance : ndarray
        In kW m⁻² nm⁻¹ sr⁻¹.

    Examples
    --------
    >>> spectrum = Spectrum([15.0, 20.0, 30.0], [5.8e-4, 1.9e-4, 4.0e-5])
    >>> len(spectrum), spectrum.wavelength
    (3, array([15., 20., 30.]))
    """

    wavelength: FloatArray
    radiance: FloatArray

    def __post_init__(self) -> None:
        for name in ("wavelength", "radiance"):
            values = np.asarray(getattr(self, name), dtype=np.float64)
            if values.ndim != 1:
                raise ValueError(f"{name} of a spectrum: expected a one-dimensional array; got shape {values.shape}")
            if not np.isfinite(values).all():
                n_bad = int((~np.isfinite(values)).sum())
                raise ValueError(
                    f"{name} of a spectrum: {n_bad} of {values.size} are not finite; leave these points out"
                )
            object.__setattr__(self, name, values)
        if self.wavelength.shape != self.radiance.shape:
            raise ValueError(
                f"a spectrum has as many radiances as wavelengths; got {self.radiance.size} radiances and "
                f"{self.wavelength.size} wavelengths"
            )
        if (self.wavelength <= 0).any():
            raise ValueError(f"wavelength of a spectrum must be above 0 everywhere; got {self.wavelength.min()} µm")

    def __len__(self) -> int:
        return self.wavelength.size


def observe(
    n: int,
    *,
    wavelengths: tuple[float, float] = (15.0, 30.0),
    temperature: float = 4000.0,
    gain: float = 1e5,
    bias: float = 2.5e-6,
    law: str = "planck",
    rng: RNG = None,
) -> Spectrum:
    """Record a spectrum: Poisson(gain × radiance) / gain + bias on an even grid of wavelengths.

    Parameters
    ----------
    n : int
        Number of recordings.
    wavelengths : (float, float)
        First and last wavelength in µm; both are recorded.
    temperature : float
        Of the radiating body, in K.
    gain : float
        Photons per unit of radiance. The noise has variance radiance / gain.
    bias : float
        Added to every recording, kW m⁻² nm⁻¹ sr⁻¹. The candidates know nothing of it.
    law : {"planck", "rayleigh-jeans"}
        The law which the data obey.
    rng : int, SeedSequence, Generator or None
        Source of randomness.

    Returns
    -------
    Spectrum

    Examples
    --------
    >>> observe(4096, rng=0).radiance[:3]
    array([0.0006125, 0.0003925, 0.0006025])
    """
    low, high = _checked_window(n, wavelengths)
    check_positive(gain, "gain")
    if not np.isfinite(bias):
        raise ValueError(f"bias must be a finite radiance; got {bias!r}")
    grid = np.linspace(low, high, n)
    expected = gain * radiance(law, grid, temperature)
    if expected.max() > _MAX_COUNT:
        raise ValueError(f"gain asks for {expected.max():.3g} photons a recording; got {gain!r}; lower it")
    return Spectrum(grid, np.random.default_rng(rng).poisson(expected) / gain + bias)


def _checked_window(n: int, wavelengths: tuple[float, float]) -> tuple[float, float]:
    check_size(n, "n", least=2)
    low, high = (float(value) for value in wavelengths)
    if not (np.isfinite(high) and 0 < low < high):
        raise ValueError(f"wavelengths must be two numbers above 0, the smaller first; got ({low}, {high}) µm")
    return low, high
