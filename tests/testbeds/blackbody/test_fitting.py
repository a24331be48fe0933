import pickle

import numpy as np
import pytest
from scipy import optimize, stats

import rivals
from rivals.testbeds import blackbody


@pytest.mark.parametrize("law", blackbody.LAWS)
def test_maximum_likelihood_agrees_with_a_search_over_both_parameters(law):
    data = blackbody.observe(512, wavelengths=(6, 20), gain=2**12, bias=0.0, rng=2)
    model = blackbody.fit(data, law=law)

    def total(logs):
        return blackbody.RadianceModel(law, *np.exp(logs), data.wavelength).loss(data).sum()

    found = optimize.minimize(
        total, np.log([1e-3, 4000.0]), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9}
    )
    assert model.loss(data).sum() <= found.fun + 1e-6
    np.testing.assert_allclose([model.sigma, model.temperature], np.exp(found.x), rtol=1e-6)


def test_fixed_temperature_is_closed_form():
    data = blackbody.observe(256, rng=3)
    model = blackbody.fit(data, law="planck", temperature=4000)
    residual = data.radiance - blackbody.planck(data.wavelength, 4000.0)
    assert model.temperature == 4000
    assert model.sigma == pytest.approx(np.sqrt(np.mean(residual**2)), rel=1e-14)


@pytest.mark.parametrize("law", blackbody.LAWS)
def test_simulation_follows_the_loss(law):
    model = blackbody.RadianceModel(law, 1e-4, 3000.0, np.linspace(15, 30, 20_000))
    data = model.simulate(20_000, np.random.default_rng(4))
    # 2 (loss − log √2πσ) is χ² with one degree of freedom.
    chi2 = 2 * (model.loss(data) - np.log(np.sqrt(2 * np.pi) * model.sigma))
    assert stats.kstest(chi2, stats.chi2(1).cdf).pvalue > 1e-3


def test_simulation_of_another_size_keeps_the_window():
    model = blackbody.RadianceModel("planck", 1e-4, 3000.0, np.linspace(15, 30, 16))
    np.testing.assert_allclose(
        model.simulate(31, np.random.default_rng(0)).wavelength, np.linspace(15, 30, 31)
    )


def test_fits_that_cannot_converge_say_so():
    dark = blackbody.Spectrum(np.linspace(15, 30, 8), np.full(8, -1.0))
    for law in blackbody.LAWS:
        with pytest.raises(
            blackbody.FitError,
            match=f"temperature of the {law} model did not converge.*hold the temp",
        ):
            blackbody.fit(dark, law=law)
    exact = blackbody.Spectrum(dark.wavelength, blackbody.planck(dark.wavelength, 4000.0))
    with pytest.raises(blackbody.FitError, match="no noise to fit"):
        blackbody.fit(exact, law="planck", temperature=4000)
    with pytest.raises(
        ValueError, match=r"sigma of a planck model must be a finite number above 0; got 0\.0"
    ):
        blackbody.RadianceModel("planck", 0.0, 4000.0, dark.wavelength)


def test_models_are_candidates_and_travel_to_other_processes():
    data = blackbody.observe(64, rng=0)
    model = blackbody.fit(data, law="planck")
    copy = pickle.loads(pickle.dumps(model))
    assert isinstance(model, rivals.Candidate)
    losses, again = model.losses(data, rng=1), copy.losses(data, rng=1)
    np.testing.assert_array_equal(losses.synthetic, again.synthetic)
    assert losses.n_synthetic == len(data)
    assert "RadianceModel(planck, sigma=" in repr(model)
