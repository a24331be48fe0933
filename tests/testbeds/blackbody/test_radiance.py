import numpy as np
import pytest
from scipy import constants

from rivals.testbeds import blackbody


def test_planck_tends_to_rayleigh_jeans_for_long_waves():
    wavelength = np.array([1e5, 1e6])  # µm; the relative difference is hc/2λkT
    ratio = blackbody.planck(wavelength, 4000.0) / blackbody.rayleigh_jeans(wavelength, 4000.0)
    expected = 1 - constants.h * constants.c / (2 * wavelength * 1e-6 * constants.k * 4000.0)
    np.testing.assert_allclose(ratio, expected, rtol=1e-7)


def test_planck_obeys_stefan_boltzmann():
    wavelength = np.geomspace(1e-2, 1e5, 200_001)  # µm
    radiance = blackbody.planck(wavelength, 300.0)  # kW m⁻² nm⁻¹ sr⁻¹
    watts = np.trapezoid(
        radiance * 1e6 * wavelength, np.log(wavelength)
    )  # per m² sr: kW/nm → W/µm is 1e6
    assert np.pi * watts == pytest.approx(constants.Stefan_Boltzmann * 300.0**4, rel=1e-6)


def test_short_waves_underflow_without_a_warning():
    assert blackbody.planck(1e-3, 100.0) == 0.0


def test_published_scale():
    # Radiances at 4000 K as stated in the fact sheet of the study (2 to 3 digits).
    np.testing.assert_allclose(
        blackbody.planck([6, 15, 20, 30], 4000.0), [0.0187, 5.79e-4, 1.89e-4, 3.85e-5], rtol=4e-3
    )
    assert blackbody.rayleigh_jeans(0.2, 4000.0) == pytest.approx(2.07e4, rel=1e-3)


@pytest.mark.parametrize("law", blackbody.LAWS)
def test_impossible_wavelengths_and_temperatures_are_named(law):
    with pytest.raises(
        ValueError,
        match=r"wavelength must be above 0 and finite \(µm\); 1 of 2 are not, the first -1.0",
    ):
        blackbody.radiance(law, [-1.0, 2.0], 4000.0)
    with pytest.raises(ValueError, match=r"temperature must be above 0 and finite \(K\)"):
        blackbody.radiance(law, [1.0, 2.0], 0.0)


def test_unknown_law_lists_the_known_ones():
    with pytest.raises(ValueError, match="one of 'planck', 'rayleigh-jeans', 'wien': got 'stefan'"):
        blackbody.radiance("stefan", 1.0, 4000.0)


def test_wiens_law_is_the_limit_of_plancks_for_short_waves():
    wavelength = np.array([0.05, 0.2, 0.5])  # µm; the relative difference is exp(−hc/λkT)
    ratio = blackbody.wien(wavelength, 4000.0) / blackbody.planck(wavelength, 4000.0)
    expected = -np.expm1(-constants.h * constants.c / (wavelength * 1e-6 * constants.k * 4000.0))
    np.testing.assert_allclose(ratio, expected, rtol=1e-12)
