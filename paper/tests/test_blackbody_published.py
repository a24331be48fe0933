"""Data sets, fits and experiments of the original study about black bodies come out as they
were.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from rivals.testbeds import blackbody
from rivals_paper import seeds
from rivals_paper.penalised import fit_penalised

PUBLISHED_NAMES = {"planck": "Planck", "rayleigh-jeans": "Rayleigh-Jeans"}


@pytest.fixture(scope="session")
def published():
    return json.loads((Path(__file__).parent / "data" / "blackbody.json").read_text())


def test_published_data_set_comes_out_bit_for_bit(published):
    data = blackbody.observe(4096, rng=seeds.generator("UV", "data"))
    np.testing.assert_array_equal(data.radiance[:5], published["observed"]["first5_B"])
    assert data.radiance.mean() == pytest.approx(published["observed"]["mean_B"], rel=1e-15)


@pytest.mark.parametrize("law", blackbody.LAWS)
def test_penaliseds_of_the_figure_and_of_the_observed_data(published, law):
    cases = [(p["lam"], p["B0"], p["s"], 512, p["fit"]) for p in published["panels"]]
    cases.append(([15, 30], 2.5e-6, 1e5, 4096, published["observed"]["fit"]))
    for window, bias, gain, n, fits in cases:
        data = blackbody.observe(
            n, wavelengths=window, bias=bias, gain=gain, rng=seeds.generator("UV", "data")
        )
        model = fit_penalised(data, law=law)
        # The stored fits stopped at a gradient of 1e-5.
        np.testing.assert_allclose(
            [model.sigma, model.temperature], fits[PUBLISHED_NAMES[law]], rtol=1e-5
        )


def test_published_calibration_experiments(published):
    stored = published["bias_sweep"]
    draws = seeds.generator("uv", "calibration", "bias-only")
    for i, bias in enumerate(stored["B0"]):
        assert draws.uniform(-1e-4, 1e-4) == pytest.approx(bias, rel=1e-9)
        planck_is_true = bool(draws.integers(2))
        assert planck_is_true == bool(stored["phys_true_is_Planck"][i])
        law, keys = (
            "planck" if planck_is_true else "rayleigh-jeans",
            ("uv", "calibration", "fit candidates", i + 1),
        )
        first = blackbody.observe(4096, bias=bias, law=law, rng=seeds.generator("UV", keys))
        a, b = (fit_penalised(first, law=law, temperature=4000) for law in blackbody.LAWS)
        np.testing.assert_allclose(
            [a.sigma, b.sigma], [stored["sigma_P"][i], stored["sigma_RJ"][i]], rtol=1e-6
        )
        truth = blackbody.observe(12288, bias=bias, law=law, rng=seeds.generator("UV", keys))
        difference = a.loss(truth).mean() - b.loss(truth).mean()
        assert difference == pytest.approx(stored["true_risk_P_minus_RJ"][i], abs=1e-7)
