"""The epistemic distribution of the black body calibration: spectrometers of unknown bias."""

from __future__ import annotations

from functools import partial

import numpy as np

from rivals.calibration.experiment import Experiment
from rivals.testbeds.blackbody.data import Spectrum, observe
from rivals.testbeds.blackbody.fitting import fit
from rivals.testbeds.blackbody.radiance import LAWS

TEMPERATURE = 4000.0


def bias_sweep(rng: np.random.Generator, *, n_fit: int = 4096, max_bias: float = 1e-4) -> Experiment:
    """Draw an experiment whose spectrometer has an unknown bias and obeys an unknown law.

    The bias is uniform in ±`max_bias`, the data follow either law with probability ½ (15 to 30 µm, 4000 K,
    gain 1e5). Both candidates are at 4000 K; their noise is fitted to a first spectrum.

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
    planck, rayleigh_jeans = (fit(first, law=name, temperature=TEMPERATURE) for name in LAWS)
    return Experiment(observe=record, candidates=(planck, rayleigh_jeans))


def _record(n: int, rng: np.random.Generator, *, law: str, bias: float) -> Spectrum:
    return observe(n, temperature=TEMPERATURE, bias=bias, law=law, rng=rng)
