"""Black body radiation: data from one law, candidates from two.

Units throughout: wavelengths in µm, temperatures in K, radiance in kW m⁻² nm⁻¹ sr⁻¹, gain in photons per
unit of radiance.
"""

from rivals.testbeds.blackbody.data import Spectrum, observe
from rivals.testbeds.blackbody.epistemic import bias_sweep
from rivals.testbeds.blackbody.fitting import FitError, fit
from rivals.testbeds.blackbody.model import RadianceModel
from rivals.testbeds.blackbody.radiance import LAWS, planck, radiance, rayleigh_jeans

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
]
