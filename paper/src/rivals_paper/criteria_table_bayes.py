"""The Bayesian rows of the table: Bayes factor and elpd of the two laws with constant noise."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import logsumexp

from rivals.testbeds import blackbody
from rivals_paper import criteria
from rivals_paper.blackbody_bayes import Prior, posterior

LOG10 = np.log(10)

# Covers noise (1e-6 to 2e-4) and temperature of all 36 spectra; the paper's upper end of 5000 K
# would cut some off.
PRIOR = Prior(sigma=(2.0**-22, 2.0**-9), temperature=(1000.0, 10000.0))

# What the published code's prior came to: uniform(low, high) was read as (low, width), and the
# logarithms were used as the quantities themselves.
PUBLISHED_SIGMA = (9.0, 9.0 + 14.0)
PUBLISHED_TEMPERATURE = (np.log2(1000), np.log2(1000) + np.log2(5000))
# Differences of natural logarithms were multiplied by this to give "log10".
PUBLISHED_FACTOR = np.log10(2)

Row = dict[str, tuple[float, float | None]]


def corrected(data: blackbody.Spectrum) -> Row:
    """Return the Bayes factor and the difference in elpd under a prior that covers the data."""
    posteriors = [
        posterior(data, law=law, prior=PRIOR, proportional=False) for law in blackbody.LAWS
    ]
    scores = []
    for each in posteriors:
        # With many recordings the posterior is Gaussian, and fewer nodes (0.8 standard deviations
        # apart) do.
        matrix, weights = each.pointwise_on_grid(every=5 if len(data) < 10_000 else 7)
        scores.append(criteria.waic(matrix, weights=weights, quadrature=True))
    elpd, error = criteria.difference(*scores)
    return {
        "B^Bayes": ((posteriors[0].log_evidence - posteriors[1].log_evidence) / LOG10, None),
        "B^elpd": (elpd / LOG10, (error or 0.0) / LOG10),
    }


def as_published(data: blackbody.Spectrum) -> Row:
    """Return the same under the prior that the published code really used, where the data tell
    nothing.

    Computed exactly. The numbers printed were draws of the sampler's noise around these; the error
    is that noise.
    """
    by_law = []
    for law in blackbody.LAWS:
        # At 10 to 22 K a residual is the recording itself, of order 1e-4, against σ > 9: its
        # variation with T and from point to point is beyond double precision, so that one mean
        # square describes the likelihood.
        residual = data.radiance - blackbody.radiance(
            law, data.wavelength, float(np.mean(PUBLISHED_TEMPERATURE))
        )
        by_law.append(_noise_only(len(data), float(np.mean(residual**2))))
    evidence, elpd = (a - b for a, b in zip(*by_law, strict=True))
    return {
        "B^Bayes": (evidence * PUBLISHED_FACTOR, sampler_error(len(data))),
        "B^elpd": (elpd * PUBLISHED_FACTOR, None),
    }


def _noise_only(n: int, mean_square: float) -> tuple[float, float]:
    """Return log evidence (less a constant) and elpd by WAIC.

    The posterior of σ falls as σ^−n from the lower end.
    """
    low, high = PUBLISHED_SIGMA
    edges = np.minimum(low * np.exp(np.linspace(0, 40, 4001) / n), high)
    sigma = np.sqrt(edges[1:] * edges[:-1])
    width = np.diff(edges)
    pointwise = -np.log(sigma) - mean_square / (2 * sigma**2)
    with np.errstate(divide="ignore"):
        log_weight = n * pointwise + np.log(width)
    total = float(logsumexp(log_weight))
    weight = np.exp(log_weight - total)
    variance = weight @ (pointwise - weight @ pointwise) ** 2
    return total, float(n * (np.log(weight @ np.exp(pointwise)) - variance))


@cache
def sampler_error(n: int, n_live: int = 500) -> float:
    """Return the expected error of the printed number.

    Both log evidences carry √(information / live points).
    """
    # The posterior fills about the fraction e/n · 9/14 of the prior of σ and all of that of T.
    information = np.log(n * (PUBLISHED_SIGMA[1] - PUBLISHED_SIGMA[0]) / PUBLISHED_SIGMA[0]) - 1
    return float(np.sqrt(2 * information / n_live) * PUBLISHED_FACTOR)
