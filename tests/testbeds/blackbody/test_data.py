import numpy as np
import pytest

from rivals.testbeds import blackbody


def test_grid_includes_both_ends():
    data = blackbody.observe(7, wavelengths=(6, 20), rng=0)
    assert len(data) == 7
    np.testing.assert_allclose(np.diff(data.wavelength), 14 / 6)
    assert (data.wavelength[0], data.wavelength[-1]) == (6, 20)


@pytest.mark.parametrize("law", blackbody.LAWS)
def test_mean_and_variance_of_the_noise(law):
    gain, bias, n = 1e5, 1e-4, 200_000
    data = blackbody.observe(n, wavelengths=(15, 15.0001), gain=gain, bias=bias, law=law, rng=1)
    level = blackbody.radiance(law, 15.0, 4000.0)
    error = np.sqrt(level / gain / n)
    assert abs(data.radiance.mean() - level - bias) < 4 * error
    # The variance of n Poisson counts has relative error sqrt((2 + 1/mean)/n), here 0.3 %.
    assert data.radiance.var() == pytest.approx(
        level / gain, rel=4 * np.sqrt((2 + 1 / (gain * level)) / n)
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"gain": 0.0}, "gain must be a finite number above 0"),
        ({"gain": float("nan")}, "gain must be a finite number above 0"),
        ({"gain": 1e30}, "lam value too large"),
        ({"bias": float("inf")}, "16 of 16 points of a spectrum have no finite radiance"),
        ({"wavelengths": (-1, 30)}, "wavelength must be above 0"),
        ({"temperature": -5}, "temperature must be above 0"),
        ({"law": "plank"}, "did you mean 'planck'?"),
    ],
)
def test_bad_input_is_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        blackbody.observe(16, rng=0, **wrong)


def test_too_few_recordings():
    with pytest.raises(ValueError, match="n must be at least 2; got 1"):
        blackbody.observe(1, rng=0)


def test_spectrum_checks_its_arrays():
    with pytest.raises(
        ValueError, match=r"as many radiances as wavelengths; got the shapes \(2,\) and \(3,\)"
    ):
        blackbody.Spectrum(np.ones(3), np.ones(2))
    with pytest.raises(ValueError, match="1 of 2 points of a spectrum have no finite radiance"):
        blackbody.Spectrum(np.ones(2), np.array([1.0, np.nan]))
    with pytest.raises(ValueError, match="one-dimensional"):
        blackbody.Spectrum(np.ones((2, 2)), np.ones((2, 2)))
    with pytest.raises(ValueError, match="or no wavelength above 0"):
        blackbody.Spectrum(np.array([-1.0, 1.0]), np.ones(2))
