"""The hierarchical beta process as the original results were made.

With the limits of its solver mirrored.

`emdcmp` 1.1 replaced the beta distribution of a node, beyond four bounds, by a limit, and took each
for the other half of the interval: x = 1 where r → 0 asks for 0, x = 0 where r → ∞ asks for 1, 1/(1
+ r) where v → 0 asks for r/(1 + r), and a coin of probability 1/(1 + r) where v → ∞ asks for a fair
one. Its risk is Simpson's sum over 257 points. This module exists to show where that matters; the
library has no such limits.
"""

from __future__ import annotations

import math

import numpy as np

from rivals import Losses, QuantileFunction
from rivals.laws.beta import tree
from rivals.laws.beta.solver import beta_parameters
from rivals.method.quantiles import grid
from rivals_paper.arrays import FloatArray
from rivals_paper.risks import probability

DEPTH = 8
SMALL_RATIO = 1e-12
LARGE_RATIO = 1e12
SMALL_VARIANCE = 1e-8
LARGE_VARIANCE = 1e4
FEWEST_DRAWS = 128
MOST_DRAWS = 1024
TOLERANCE = 2**-5

# Simpson's weights on 2^8 + 1 points.
WEIGHTS = np.full(2**DEPTH + 1, 2.0)
WEIGHTS[1::2] = 4.0
WEIGHTS[[0, -1]] = 1.0
WEIGHTS /= 3 * 2**DEPTH


class PublishedProcess:
    """The process of one model as `emdcmp` 1.1 has it, mirrored limits included.

    Its nodes are solved once for all draws.
    """

    limits = True  # whether those of the original solver are taken

    def __init__(self, losses: Losses, c: float) -> None:
        phi = grid(DEPTH)
        centre = QuantileFunction(losses.observed)(phi)
        discrepancy = np.abs(QuantileFunction(losses.simulated[0])(phi) - centre)
        self.ends = centre[[0, -1]]
        self.deviations = np.sqrt(c) * discrepancy[[0, -1]]
        self.log_ratio = tree.log_ratios(centre, DEPTH)
        self.variance = 2 * c * discrepancy[tree.midpoints(DEPTH)] ** 2
        self.alpha, self.beta = beta_parameters(
            self.log_ratio, np.log(np.maximum(self.variance, 1e-300))
        )

    def sample_risk(self, n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Return draws of the risk."""
        return np.asarray(self.sample_paths(n_draws, rng) @ WEIGHTS)

    def sample_paths(self, n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Return whole paths, (draws, 257)."""
        paths = np.empty((n_draws, 2**DEPTH + 1))
        paths[:, 0], paths[:, -1] = _end_points(self.ends, self.deviations, n_draws, rng)
        for k in range(DEPTH):
            step = 2 ** (DEPTH - k)
            here = tree.level(k)
            x = rng.beta(self.alpha[here], self.beta[here], size=(n_draws, 2**k))
            if self.limits:
                ratio = np.exp(np.clip(self.log_ratio[here], -700, 700))
                _mirror(x, ratio, self.variance[here], rng)
            left = paths[:, :-1:step]
            right = paths[:, step::step]
            paths[:, step // 2 :: step] = left + x * (right - left)
        return paths

    def sample_until_precise(self, rng: np.random.Generator) -> FloatArray:
        """Return as many draws as the original took.

        128, and more until their mean is known to 1/32 of itself, 1024 at most.
        """
        risks = self.sample_risk(FEWEST_DRAWS, rng)
        while len(risks) < MOST_DRAWS:
            ratio = float(risks.std() / abs(risks.mean()) / np.sqrt(len(risks)) / TOLERANCE)
            if ratio <= 1:
                break
            wanted = min(math.ceil(ratio**2 * len(risks)), 2 * len(risks), MOST_DRAWS)
            risks = np.concatenate([risks, self.sample_risk(wanted - len(risks), rng)])
        return risks


def sample_risk_as_published(
    losses: Losses, c: float, n_draws: int, rng: int | np.random.Generator
) -> FloatArray:
    """Return draws of the risk as `emdcmp` 1.1 makes them, mirrored limits included."""
    return PublishedProcess(losses, c).sample_risk(n_draws, np.random.default_rng(rng))


def probability_as_published(
    first: Losses, second: Losses, c: float, n_draws: int, rng: int | np.random.Generator
) -> tuple[float, float]:
    """Return P(R_first < R_second) by that process, and its Monte Carlo standard error."""
    generator = np.random.default_rng(rng)
    return probability(
        *(sample_risk_as_published(losses, c, n_draws, generator) for losses in (first, second))
    )


def _end_points(
    means: FloatArray, deviations: FloatArray, n_draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw both end points, anew as long as they are in the wrong order."""
    ends = means + deviations * rng.standard_normal((n_draws, 2))
    while (wrong := ends[:, 0] >= ends[:, 1]).any():
        ends[wrong] = means + deviations * rng.standard_normal((int(wrong.sum()), 2))
    return ends[:, 0], ends[:, 1]


def _mirror(
    x: FloatArray, ratio: FloatArray, variance: FloatArray, rng: np.random.Generator
) -> None:
    """Overwrite, in place, the draws of nodes beyond the four bounds (one column for each node)."""
    other_half = 1 / (1 + ratio)
    narrow = variance < SMALL_VARIANCE
    wide = variance > LARGE_VARIANCE
    x[:, narrow] = other_half[narrow]
    x[:, wide] = rng.random((len(x), int(wide.sum()))) < other_half[wide]
    x[:, ratio < SMALL_RATIO] = 1.0
    x[:, ratio > LARGE_RATIO] = 0.0
