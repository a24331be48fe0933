"""Complexity of the nested families: each its own, over a stated domain.

And over the published event space.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.special import gammaincc, logsumexp

from rivals.testbeds import blackbody
from rivals.testbeds.blackbody import Spectrum
from rivals_paper import criteria
from rivals_paper.arrays import FloatArray
from rivals_paper.nested_model import NestedModel, fit_nested

# The domain of each family, all its best fits inside. Planck: noise σ and temperature (K), both as
# logarithms. Rayleigh-Jeans: with a polynomial its best temperature may be zero, where σ² T, the
# variance in units of the radiance at 1 K, stays finite; so: σ √T (K^½), as a logarithm, and the
# temperature itself.
DOMAIN = {
    "planck": np.array([np.log([2.0**-4, 2.0**2]), np.log([2000.0, 8000.0])]),
    "rayleigh-jeans": np.array([np.log([1.0, 100.0]), [0.0, 8000.0]]),
}
COEFFICIENT = 1000.0
# How far simulated data sets reach beyond the borders, as a part of the range.
MARGIN = 0.1
GAIN = 16.0
TRUE_TEMPERATURE = 4000.0


def complexity(
    law: str, n_coefficients: int, wavelength: FloatArray, rng: np.random.Generator
) -> criteria.Score:
    """Return the log complexity of a family by its Fisher information, ½ ∇log v ∇log vᵀ + ∇μ ∇μᵀ /
    v.
    """
    domain = [*DOMAIN[law], *[(-COEFFICIENT, COEFFICIENT)] * n_coefficients]
    fisher = partial(information, law, n_coefficients, wavelength)
    return criteria.complexity_fisher(fisher, domain, wavelength.size, n_nodes=256, rng=rng)


def information(
    law: str, n_coefficients: int, wavelength: FloatArray, point: FloatArray
) -> FloatArray:
    """Return the Fisher information of one recording in the coordinates of the domain.

    It does not depend on b.
    """
    design = np.vander(wavelength, n_coefficients, increasing=True)
    if law == "planck":
        sigma, kelvin = np.exp(point[:2])
        by_law = blackbody.planck(wavelength, kelvin)
        step = 1e-5
        slope = (
            np.log(blackbody.planck(wavelength, kelvin * np.exp(step)) / by_law) / step
        )  # ∂ log B / ∂ log T
        deviation = sigma * np.sqrt(by_law)
        mean_slope = by_law * slope
    else:
        unit = blackbody.rayleigh_jeans(wavelength, 1.0)
        deviation = np.exp(point[0]) * np.sqrt(unit)
        mean_slope = unit
        slope = np.zeros_like(unit)
    log_variance = np.column_stack([np.full_like(slope, 2.0), slope, np.zeros_like(design)])
    mean = np.column_stack([np.zeros_like(slope), mean_slope, design]) / deviation[:, None]
    return np.asarray((0.5 * log_variance.T @ log_variance + mean.T @ mean) / wavelength.size)


def complexity_by_simulation(
    law: str,
    wavelength: FloatArray,
    n_samples: int,
    rng: np.random.Generator,
    n_nodes: int = 10_000,
) -> criteria.Score:
    """Return the same for the law alone by Monte Carlo, to check the asymptotics at this number of
    recordings.
    """
    nodes = _jeffreys_nodes(law, wavelength, n_nodes, rng)
    means = blackbody.radiance(law, wavelength, nodes[:, 1:])
    constants = -0.5 * np.log(2 * np.pi * means).sum(axis=1) - wavelength.size * np.log(nodes[:, 0])
    precisions = 1 / (nodes[:, :1] ** 2 * means)

    def simulate(node: FloatArray, generator: np.random.Generator) -> Spectrum:
        return NestedModel(law, node[0], node[1], np.zeros(0), wavelength).simulate(
            wavelength.size, generator
        )

    def log_likelihood(_: FloatArray, data: Spectrum) -> FloatArray:
        return np.asarray(constants - 0.5 * ((data.radiance - means) ** 2 * precisions).sum(axis=1))

    def inside(best: FloatArray) -> bool:
        sigma, kelvin = best
        noise = sigma if law == "planck" else sigma * np.sqrt(kelvin)
        point = np.array([np.log(noise), np.log(kelvin) if law == "planck" else kelvin])
        return bool(
            np.isfinite(point).all()
            and ((DOMAIN[law][:, 0] <= point) & (point <= DOMAIN[law][:, 1])).all()
        )

    maximise = partial(_maximise, law)
    return criteria.complexity_monte_carlo(
        simulate, log_likelihood, maximise, nodes, inside=inside, n_samples=n_samples, rng=rng
    )


def _jeffreys_nodes(
    law: str, wavelength: FloatArray, n: int, rng: np.random.Generator
) -> FloatArray:
    """Return (σ, T) spread as the data can tell them apart, √det I, a little beyond the domain, in
    random order.
    """
    reach = np.diff(DOMAIN[law]) * MARGIN * np.array([-1, 1])
    domain = DOMAIN[law] + reach
    if law == "rayleigh-jeans":
        domain[1, 0] = 0.0
    axes = [low + (np.arange(60) + 0.5) * (high - low) / 60 for low, high in domain]
    points = np.array([(s, t) for s in axes[0] for t in axes[1]])
    density = np.exp(
        [0.5 * np.linalg.slogdet(information(law, 0, wavelength, point))[1] for point in points]
    )
    levels = (
        np.arange(n) + rng.random()
    ) / n  # systematic resampling: each cell gets its share, to the nearest node
    cells = points[np.searchsorted(np.cumsum(density) / density.sum(), levels)]
    noise, kelvin = (cells + (rng.random(cells.shape) - 0.5) * np.diff(domain).T / 60).T
    if law == "planck":
        nodes = np.column_stack([np.exp(noise), np.exp(kelvin)])
    else:
        nodes = np.column_stack([np.exp(noise) / np.sqrt(kelvin), kelvin])
    return np.asarray(rng.permutation(nodes))


def complexity_as_published(
    law: str, wavelength: FloatArray, n_samples: int, rng: np.random.Generator
) -> criteria.Score:
    """Return the law's complexity over the published event space, which was used for both laws
    alike.

    That space holds, at each wavelength, the recordings between the 1 % and 99 % quantiles of the
    true process; each data set counts by its density (so that the sum grows as gain^n). Here it is
    summed by importance sampling.
    """
    values, allowed = _event_space(wavelength)
    spread = (0.05, 0.5) if law == "planck" else (0.5, 8.0)
    kelvin = np.geomspace(3700, 4300, 40) if law == "planck" else np.geomspace(60, 1500, 40)
    nodes = np.array([(s, t) for s in np.geomspace(*spread, 20) for t in kelvin])
    tables = [_normalised(law, s, t, wavelength, values, allowed) for s, t in nodes]
    cumulative = [np.cumsum(np.exp(table), axis=1) for table in tables]
    rows = np.arange(wavelength.size)
    index = {tuple(node): i for i, node in enumerate(nodes)}

    def simulate(node: FloatArray, generator: np.random.Generator) -> npt.NDArray[np.intp]:
        chances = cumulative[index[tuple(node)]]
        below = generator.random(wavelength.size)[:, None] * chances[:, -1:] > chances
        return np.asarray(below.sum(axis=1))

    def log_likelihood(_: FloatArray, chosen: npt.NDArray[np.intp]) -> FloatArray:
        return np.array([table[rows, chosen].sum() for table in tables])

    def maximise(chosen: npt.NDArray[np.intp]) -> tuple[FloatArray, float]:
        return _maximise(law, Spectrum(wavelength, values[rows, chosen]))

    shuffled = nodes[rng.permutation(len(nodes))]
    return criteria.complexity_monte_carlo(
        simulate, log_likelihood, maximise, shuffled, n_samples=n_samples, rng=rng
    )


def _maximise(law: str, data: Spectrum) -> tuple[FloatArray, float]:
    try:
        best = fit_nested(data, law=law, n_coefficients=0, temperatures=(0.1, 1e6))
    except blackbody.FitError:  # data that want no radiation at all: outside any domain
        return np.zeros(2), -np.inf
    return np.array([best.sigma, best.temperature]), -float(best.loss(data).sum())


def _event_space(wavelength: FloatArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return the recordings of each wavelength as rows, padded, and which of them are meant."""
    expected = GAIN * blackbody.planck(wavelength, TRUE_TEMPERATURE)
    counts = np.arange(int(expected.max() * 3) + 30)
    below = gammaincc(counts + 1, expected[:, None])  # P(N ≤ count)
    allowed = (below >= 0.01) & (np.roll(below, 1, axis=1) < 0.99)
    allowed[:, 0] = below[:, 0] >= 0.01
    width = int(allowed.sum(axis=1).max())
    first = allowed.argmax(axis=1)
    chosen = first[:, None] + np.arange(width)
    return chosen / GAIN, np.take_along_axis(allowed, chosen, axis=1)


def _normalised(
    law: str,
    sigma: float,
    kelvin: float,
    wavelength: FloatArray,
    values: FloatArray,
    allowed: npt.NDArray[np.bool_],
) -> FloatArray:
    """Return the log probability of each allowed recording under a member of the family, truncated
    to the allowed.
    """
    by_law = blackbody.radiance(law, wavelength, kelvin)[:, None]
    density = np.where(allowed, -0.5 * (values - by_law) ** 2 / (sigma**2 * by_law), -np.inf)
    return np.asarray(density - logsumexp(density, axis=1, keepdims=True))
