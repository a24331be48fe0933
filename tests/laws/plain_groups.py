"""Law "groups" written once more, plainly and by adaptive quadrature: what the law is checked
against.

d_g ~ N(μ, τ² + σ²/n_g) is the mean difference in group g, with σ² pooled over the groups and μ
flat. τ is flat, or half-t with three degrees of freedom and a scale that the misfit of the models
sets.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.integrate import quad
from scipy.special import ndtr

FREEDOM = 3.0
C = 0.25


def probability(first, second, groups, simulations=None, c=C, new_groups=1.0) -> float:
    """P(the first model has the lower mean risk over so many new groups), from losses at points.

    `simulations`: those of the first and of the second model, each simulations × points; None for a
    flat prior.
    """
    first = np.asarray(first)
    second = np.asarray(second)
    groups = np.asarray(groups)
    parts = [np.flatnonzero(groups == label) for label in np.unique(groups)]
    difference = first - second
    means = np.array([difference[rows].mean() for rows in parts])
    sizes = np.array([rows.size for rows in parts])
    within = sum(np.sum((difference[rows] - difference[rows].mean()) ** 2) for rows in parts)
    pooled = within / (sizes.sum() - sizes.size) if sizes.sum() > sizes.size else 0.0
    scale = None
    if simulations is not None:
        squares = [
            squared_distance(observed[rows], np.asarray(synthetic)[:, rows])
            for observed, synthetic in zip((first, second), simulations, strict=True)
            for rows in parts
        ]
        scale = np.sqrt(c / 2 * np.sum(squares) / sizes.size)
    return over(means, pooled / sizes, scale or None, new_groups)


def squared_distance(observed, synthetic) -> float:
    """Mean over simulations of the squared 1-Wasserstein distance between equally many losses."""
    ordered = np.sort(observed)
    return float(np.mean([np.mean(np.abs(np.sort(one) - ordered)) ** 2 for one in synthetic]))


def over(
    means: npt.NDArray, variances: npt.NDArray, scale: float | None, new_groups: float = 1.0
) -> float:
    """P(the mean difference over so many new groups is negative), under normal laws."""

    def given(tau: float) -> tuple[float, float]:
        """Log likelihood with μ integrated out, and the probability, at one τ."""
        precision = 1.0 / (tau**2 + variances)
        centre = precision @ means / precision.sum()
        log = 0.5 * (
            np.log(precision).sum() - np.log(precision.sum()) - precision @ (means - centre) ** 2
        )
        if scale is not None:
            log -= 0.5 * (FREEDOM + 1.0) * np.log1p((tau / scale) ** 2 / FREEDOM)
        return log, ndtr(-centre / np.sqrt(1.0 / precision.sum() + tau**2 / new_groups))

    # In log τ, between bounds far outside all scales of the problem; cut into pieces, so that no
    # peak is missed.
    sizes = [float(np.std(means)), float(np.sqrt(variances.mean())), scale or 0.0]
    scales = [size for size in sizes if size > 0.0]
    edges = np.linspace(np.log(min(scales)) - 14.0, np.log(max(scales)) + 14.0, 85)
    highest = max(given(np.exp(u))[0] + u for u in np.linspace(edges[0], edges[-1], 2001))

    def integral(of) -> float:
        pieces = pairwise(edges)
        return sum(
            quad(of, low, high, epsabs=1e-13, epsrel=1e-9, limit=200)[0] for low, high in pieces
        )

    def density(u: float) -> float:
        return np.exp(given(np.exp(u))[0] + u - highest)

    return integral(lambda u: density(u) * given(np.exp(u))[1]) / integral(density)
