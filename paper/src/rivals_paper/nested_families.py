"""The nested families of the criteria figure.

Their data, their names, their priors, their risk distributions.
"""

from __future__ import annotations

import numpy as np

from rivals import Losses
from rivals.testbeds import blackbody
from rivals.testbeds.blackbody import Spectrum
from rivals_paper import seeds
from rivals_paper.arrays import FloatArray
from rivals_paper.blackbody_bayes import Prior
from rivals_paper.mirrored import sample_risk_as_published
from rivals_paper.nested_model import NestedModel, fit_nested
from rivals_paper.risks import sample_risk

C = 0.5
N_DRAWS = 4096  # of each distribution of the risk
COEFFICIENTS = (0, 2, 4, 6)
SIZES_SHOWN = (64, 256, 1024, 4096)
# A temperature at which the radiance is far below the noise.
VANISHING = 0.01

# The prior of the published figure excludes the best Rayleigh-Jeans models; ours contains those
# with no and with two coefficients (noise 1.05 to 1.67, 25 to 267 K). With four and six the fits
# degenerate (see `best_fit`): no prior with a lowest temperature contains them.
PUBLISHED_PRIOR = Prior(sigma=(2.0**-10, 2.0**-1), temperature=(1000.0, 10000.0), coefficient=5.0)
PRIOR = Prior(sigma=(2.0**-10, 2.0**2), temperature=(10.0, 10000.0), coefficient=500.0)
# To see how much the evidence of degenerate families depends on where the prior ends.
WIDEST_PRIOR = Prior(sigma=(2.0**-10, 2.0**8), temperature=(VANISHING, 10000.0), coefficient=500.0)


def observe(n: int) -> Spectrum:
    """Return the published spectrum of `n` recordings: Planck, 0.6 to 2 µm, gain 16."""
    return _observe(n, f"compare models - nested -- data -- {n}")


def example() -> Spectrum:
    """Return the one spectrum, of 100 recordings, to which the published AIC and BIC were fitted
    throughout.
    """
    return _observe(100, "comparison with other criteria")


def nearly_noiseless() -> Spectrum:
    """Return the same with a gain so large that the noise is hardly seen, as the published figure
    draws it.
    """
    return _observe(100, "comparison with other criteria", gain=25_000.0)


def best_fit(data: Spectrum, law: str, n_coefficients: int) -> NestedModel:
    """Return the maximum likelihood fit, or the limit it tends to.

    Where the polynomial does all the work, the likelihood of a Rayleigh-Jeans family rises towards
    zero temperature and infinite noise (their product, the variance, stays finite): the law has no
    part in the fit.
    """
    try:
        return fit_nested(data, law=law, n_coefficients=n_coefficients)
    except blackbody.FitError:
        return fit_nested(data, law=law, n_coefficients=n_coefficients, temperature=VANISHING)


def risk_as_published(
    model: NestedModel, data: Spectrum, n_draws: int, rng: np.random.Generator
) -> FloatArray:
    """Return draws of the risk with the published simulated data (16384 points) and mirrored
    limits.
    """
    keys = ("synth ppf - compare - models", "nested", "EMD", len(data), model.coefficients.size)
    simulated = model.simulate(2**14, seeds.generator(*keys))
    return sample_risk_as_published(
        Losses(model.loss(data), model.loss(simulated)), C, n_draws, rng
    )


def risk_corrected(
    model: NestedModel, data: Spectrum, n_draws: int, rng: np.random.Generator
) -> FloatArray:
    """Return draws of the risk by the exact process, with as many points simulated as observed."""
    return sample_risk(model.losses(data, rng=rng), C, n_draws, rng)


def key(law: str, n_coefficients: int) -> str:
    """Return the name under which a family stands in the numbers."""
    return f"{law},{n_coefficients}"


def families() -> list[tuple[str, int]]:
    """Return law and number of coefficients of all eight families."""
    return [(law, m) for law in blackbody.LAWS for m in COEFFICIENTS]


def _observe(n: int, purpose: str, gain: float = 16.0) -> Spectrum:
    return blackbody.observe(
        n, wavelengths=(0.6, 2.0), gain=gain, bias=0.0, rng=seeds.generator("UV", purpose)
    )
