"""The two candidates of the black body figures, as the original study evaluated them and as it
describes them.
"""

from __future__ import annotations

import numpy as np

from rivals import Losses
from rivals.testbeds import blackbody
from rivals_paper import seeds
from rivals_paper.penalised import fit_penalised
from rivals_paper.streams import seed_from, stream

TITLES = {"planck": "Planck", "rayleigh-jeans": "Rayleigh-Jeans"}
# Colour-blind safe, and of different lightness.
COLOURS = {"planck": "#0072B2", "rayleigh-jeans": "#E69F00"}

SYNTHETIC_SIZE = 4096
TRUE_TEMPERATURE = 4000.0

LOSS_AT_TRUE_TEMPERATURE = (
    "The loss was evaluated at the true temperature, 4000 K, instead of the fitted one, which the "
    "candidate simulates with and the paper's text states: the Rayleigh-Jeans model is then "
    "charged for a temperature it was not fitted with."
)


def fitted_as_published(data: blackbody.Spectrum) -> dict[str, blackbody.RadianceModel]:
    """Return both candidates by the published, slightly regularised fit."""
    return {law: fit_penalised(data, law=law) for law in blackbody.LAWS}


def losses_as_published(
    data: blackbody.Spectrum,
    models: dict[str, blackbody.RadianceModel],
    *,
    at_true_temperature: bool = True,
) -> dict[str, Losses]:
    """Return the losses as published.

    Simulated at the fitted temperature, evaluated at the true one.

    The 4096 simulated points are those of the original study, bit for bit. With
    ``at_true_temperature=False`` only the temperature of the loss is corrected.
    """
    losses = {}
    for law, model in models.items():
        simulating = blackbody.RadianceModel(law, model.sigma, model.temperature, data.wavelength)
        simulated = simulating.simulate(
            SYNTHETIC_SIZE, seeds.generator("uv", "synth_ppf", TITLES[law])
        )
        kelvin = TRUE_TEMPERATURE if at_true_temperature else model.temperature
        scoring = blackbody.RadianceModel(law, model.sigma, kelvin, data.wavelength)
        losses[law] = Losses(scoring.loss(data), scoring.loss(simulated))
    return losses


def losses_corrected(
    data: blackbody.Spectrum,
    models: dict[str, blackbody.RadianceModel] | None = None,
    *,
    rng: np.random.Generator,
) -> dict[str, Losses]:
    """Return the losses of maximum likelihood fits, at the fitted temperature, with as many points
    simulated.
    """
    models = models or {law: blackbody.fit(data, law=law) for law in blackbody.LAWS}
    seed = seed_from(rng)
    return {
        law: models[law].losses(data, rng=stream(seed, index))
        for index, law in enumerate(blackbody.LAWS)
    }
