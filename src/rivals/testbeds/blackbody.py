"""Black body radiation: data that obey one law, and candidates that obey it or another.

Units throughout: wavelengths in µm, temperatures in K, radiance in kW m⁻² nm⁻¹ sr⁻¹, gain in
photons per unit of radiance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import constants, optimize

from rivals._core.candidates import Candidate
from rivals._core.checks import check_positive, check_size
from rivals._core.setting import one_of
from rivals._core.types import RNG, FloatArray

if TYPE_CHECKING:
    from rivals.calibration import Experiment

__all__ = [
    "LAWS",
    "FitError",
    "RadianceModel",
    "Spectrum",
    "bias_sweep",
    "fit",
    "observe",
    "planck",
    "radiance",
    "rayleigh_jeans",
    "wien",
]

# Those of the paper.
LAWS = ("planck", "rayleigh-jeans")
TEMPERATURE = 4000.0

# From W m⁻³ sr⁻¹ to kW m⁻² nm⁻¹ sr⁻¹, and from µm to m.
_RADIANCE_UNIT = 1e-12
_MICROMETRE = 1e-6


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
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.float64))
        if self.wavelength.ndim != 1 or self.wavelength.shape != self.radiance.shape:
            raise ValueError(
                "a spectrum is one-dimensional, with as many radiances as wavelengths; "
                f"got the shapes {self.radiance.shape} and {self.wavelength.shape}"
            )
        bad = ~(np.isfinite(self.radiance) & np.isfinite(self.wavelength) & (self.wavelength > 0))
        if bad.any():
            raise ValueError(
                f"{bad.sum()} of {bad.size} points of a spectrum have no finite radiance, "
                "or no wavelength above 0; leave them out"
            )

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
    law : {"planck", "rayleigh-jeans", "wien"}
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
    check_positive(gain, "gain")
    grid = np.linspace(*wavelengths, check_size(n, "n", least=2))
    photons = np.random.default_rng(rng).poisson(gain * radiance(law, grid, temperature))
    return Spectrum(grid, photons / gain + bias)


class RadianceModel(Candidate):
    """A law of radiation with Gaussian noise, as a candidate.

    Its attributes have the names of its parameters.

    Parameters
    ----------
    law : {"planck", "rayleigh-jeans", "wien"}
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
        self.sigma = sigma
        self.temperature = temperature
        self.wavelength = wavelength

    def __repr__(self) -> str:
        return (
            f"RadianceModel({self.law}, sigma={self.sigma:.4g}, temperature={self.temperature:.1f})"
        )

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


def fit(
    data: Spectrum,
    *,
    law: str,
    temperature: float | None = None,
    temperatures: tuple[float, float] = (1e-2, 1e6),
) -> RadianceModel:
    """Fit a law of radiation to a spectrum, by maximum likelihood.

    Parameters
    ----------
    data : Spectrum
    law : {"planck", "rayleigh-jeans", "wien"}
    temperature : float, optional
        Hold the temperature at this value (K) and fit the noise alone.
    temperatures : (float, float)
        The range searched for the temperature, K.

    Returns
    -------
    RadianceModel
        With ``.sigma``, ``.temperature``, ``.loss(data)`` and ``.simulate(n, rng)``.

    Raises
    ------
    FitError
        If the best temperature lies at or beyond the end of the range searched, or nothing is left
        as noise.

    Examples
    --------
    >>> from rivals.testbeds import blackbody
    >>> model = blackbody.fit(blackbody.observe(4096, rng=0), law="planck")
    >>> round(model.temperature), f"{model.sigma:.3e}"
    (4046, '4.208e-05')
    """

    def variance(kelvin: float) -> float:
        return float(np.mean((data.radiance - radiance(law, data.wavelength, kelvin)) ** 2))

    def loss(log_kelvin: float) -> float:
        """The mean loss, up to a constant, with sigma at its best."""
        return float(np.log(variance(np.exp(log_kelvin))) / 2)

    if temperature is None:
        temperature = search_temperature(loss, temperatures, law)
    if not variance(temperature) > 0:
        raise FitError(
            f"the {law} model fits the spectrum without any residual: there is no noise to fit; "
            "check the data"
        )
    return RadianceModel(
        law, float(np.sqrt(variance(temperature))), float(temperature), data.wavelength
    )


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


def bias_sweep(
    rng: np.random.Generator, *, n_fit: int = 4096, max_bias: float = 1e-4
) -> Experiment:
    """Draw an experiment whose spectrometer has an unknown bias and obeys an unknown law.

    The bias is uniform in ±`max_bias`, the data follow either law with probability ½ (15 to 30 µm,
    4000 K, gain 1e5). Both candidates are at 4000 K; their noise is fitted to a first spectrum.

    Parameters
    ----------
    rng : Generator
    n_fit : int
        Number of recordings to which the noise of the candidates is fitted.
    max_bias : float
        Largest bias, kW m⁻² nm⁻¹ sr⁻¹.

    Returns
    -------
    rivals.Experiment
        Candidates in the order Planck, Rayleigh-Jeans.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> experiment = bias_sweep(rng, n_fit=256)
    >>> [model.law for model in experiment.candidates]
    ['planck', 'rayleigh-jeans']
    >>> len(experiment.observe(100, rng))
    100
    """
    bias = float(rng.uniform(-max_bias, max_bias))
    law = LAWS[int(rng.integers(2))]
    record = partial(_record, law=law, bias=bias)
    first = record(n_fit, rng)
    candidates = tuple(fit(first, law=name, temperature=TEMPERATURE) for name in LAWS)
    from rivals.calibration import Experiment

    return Experiment(observe=record, candidates=candidates)


def _record(n: int, rng: np.random.Generator, *, law: str, bias: float) -> Spectrum:
    return observe(n, temperature=TEMPERATURE, bias=bias, law=law, rng=rng)


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


def wien(wavelength: ArrayLike, temperature: ArrayLike) -> FloatArray:
    """Return the spectral radiance by Wien's law, 2hc²λ⁻⁵ exp(−hc/λkT).

    It was abandoned in 1900 because it fails for long waves.

    Arguments, result and units are those of `radiance`.

    Examples
    --------
    >>> float(wien(15.0, 4000.0).round(6))
    0.000123
    """
    metres, kelvin = _checked(wavelength, temperature)
    x = constants.h * constants.c / (metres * constants.k * kelvin)
    return np.asarray(2 * constants.h * constants.c**2 / metres**5 * np.exp(-x) * _RADIANCE_UNIT)


RADIANCES = {"planck": planck, "rayleigh-jeans": rayleigh_jeans, "wien": wien}


def radiance(law: str, wavelength: ArrayLike, temperature: ArrayLike) -> FloatArray:
    """Return the radiance by the law of that name.

    Parameters
    ----------
    law : {"planck", "rayleigh-jeans", "wien"}
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
    return RADIANCES[check_law(law)](wavelength, temperature)


def check_law(law: str) -> str:
    """Return the law's name, or say which ones there are."""
    return str(one_of(*RADIANCES)("law", law))


def _checked(wavelength: ArrayLike, temperature: ArrayLike) -> tuple[Any, Any]:
    micrometres = np.asarray(wavelength, dtype=np.float64)
    kelvin = np.asarray(temperature, dtype=np.float64)
    for name, unit, values in (("wavelength", "µm", micrometres), ("temperature", "K", kelvin)):
        bad = ~(np.isfinite(values) & (values > 0))
        if bad.any():
            raise ValueError(
                f"{name} must be above 0 and finite ({unit}); {bad.sum()} of {bad.size} are not, "
                f"the first {np.extract(bad, values)[0]!s}"
            )
    return micrometres * _MICROMETRE, kelvin


def resampled(wavelength: FloatArray, n: int) -> FloatArray:
    """Return `n` wavelengths spread over the range as the given ones are."""
    if n == wavelength.size:
        return wavelength
    return np.interp(np.linspace(0, 1, n), np.linspace(0, 1, wavelength.size), wavelength)


def search_temperature(
    objective: Callable[[float], float],
    temperatures: tuple[float, float],
    law: str,
    *,
    n_grid: int = 33,
) -> float:
    """Find the minimum over log T: a coarse grid for the valley, then Brent's method inside it."""
    low, high = np.log(temperatures)
    grid = np.linspace(low, high, n_grid)
    with np.errstate(divide="ignore"):
        heights = np.array([objective(point) for point in grid])
    lowest = int(np.argmin(heights))
    if lowest in (0, grid.size - 1):
        raise FitError(
            f"the temperature of the {law} model did not converge: "
            f"the best fit lies at or beyond {np.exp(grid[lowest]):.3g} K, the end of the range "
            "searched; check the units and the sign of the radiance, widen temperatures=, "
            "or hold the temperature fixed with temperature="
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
