"""The losses that are measured on: for the cost of a draw, for comparisons of many models, and for
parity.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Pair = tuple[FloatArray, FloatArray]  # observed, synthetic

# What the peer computes: the process of the paper, on one simulation of each candidate.
PEERS_METHOD: dict[str, Any] = {"law": "beta", "n_simulations": 1}


def gaussian_nll(y: FloatArray, width: float, centre: float = 0.0) -> FloatArray:
    """Negative log likelihood of a normal distribution."""
    return 0.5 * ((y - centre) / width) ** 2 + np.log(width) + 0.5 * np.log(2.0 * np.pi)


# ---------------- cost of a draw


def slightly_wrong_gaussian(n: int, seed: int = 0) -> Pair:
    """Data are N(0, 1), the model says N(0, 1.1²)."""
    rng = np.random.default_rng(seed)
    return gaussian_nll(rng.standard_normal(n), 1.1), gaussian_nll(
        1.1 * rng.standard_normal(n), 1.1
    )


def slightly_wrong_exponential(n: int, seed: int = 1) -> Pair:
    """Losses of mean 1 where the model expects 1.1."""
    rng = np.random.default_rng(seed)
    return rng.exponential(1.0, n), rng.exponential(1.1, n)


# ---------------- many models on one data set


def candidates(n_models: int, n: int, kind: str, seed: int = 2) -> dict[str, Pair]:
    """Gaussian models of y ~ N(0, 1): "alike", of widths so near to 1 that most survive, or
    "apart", where few do.
    """
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n)
    spread = {"alike": 0.02, "apart": 1.0}[kind]
    models = {}
    for index in range(n_models):
        width = np.exp(spread * abs(rng.standard_normal()))
        models[f"model {index}"] = (
            gaussian_nll(y, width),
            gaussian_nll(width * rng.standard_normal(n), width),
        )
    return models


# ---------------- parity: continuous, of order one, δ never near 0


def normal_losses(n: int, seed: int = 10) -> Pair:
    """Losses N(1, 1) against N(1.5, 1.1²)."""
    rng = np.random.default_rng(seed)
    return rng.normal(1.0, 1.0, n), rng.normal(1.5, 1.1, n)


def exponential_losses(n: int, seed: int = 11) -> Pair:
    """Losses of mean 1 against 1.4."""
    rng = np.random.default_rng(seed)
    return rng.exponential(1.0, n), rng.exponential(1.4, n)


def student_losses(n: int, seed: int = 12) -> Pair:
    """Losses of Student's t with 5 degrees of freedom, against the same shifted by 0.5."""
    rng = np.random.default_rng(seed)
    return rng.standard_t(5.0, n), rng.standard_t(5.0, n) + 0.5


def gaussian_losses_in_space(n: int, seed: int = 13) -> Pair:
    """Negative log likelihood of points in four dimensions, N(0, 1) where the model says N(0,
    1.3²).
    """
    rng = np.random.default_rng(seed)
    y = rng.standard_normal((n, 4))
    simulated = 1.3 * rng.standard_normal((n, 4))
    return gaussian_nll(y, 1.3).sum(axis=1), gaussian_nll(simulated, 1.3).sum(axis=1)


# ---------------- where the peer's mirrored special cases are reached


def perfect_exponential(n: int, seed: int = 20) -> Pair:
    """Exponential losses which the model reproduces exactly: δ = 0."""
    losses = np.random.default_rng(seed).exponential(1.0, n)
    return losses, losses.copy()


def independent_exponential(n: int, seed: int = 20) -> Pair:
    """Exponential losses, and an independent sample from the same law."""
    rng = np.random.default_rng(seed)
    return rng.exponential(1.0, n), rng.exponential(1.0, n)


def poisson(n: int, seed: int = 21) -> Pair:
    """Counts of mean 2 and another sample of them: ties."""
    rng = np.random.default_rng(seed)
    return rng.poisson(2.0, n).astype(float), rng.poisson(2.0, n).astype(float)


def small_losses(n: int, seed: int = 22) -> Pair:
    """The exponential case of the parity table in a unit 10⁴ times as large."""
    rng = np.random.default_rng(seed)
    return rng.exponential(1e-4, n), rng.exponential(1.4e-4, n)


def true_model(n: int, seed: int) -> Pair:
    """y ~ N(0, 1) and the true model."""
    rng = np.random.default_rng(seed)
    return gaussian_nll(rng.standard_normal(n), 1.0), gaussian_nll(rng.standard_normal(n), 1.0)


def wide_model(n: int, seed: int) -> Pair:
    """The same y as in `true_model`, and a model of width 1.5."""
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n)
    return gaussian_nll(y, 1.5), gaussian_nll(1.5 * rng.standard_normal(n), 1.5)
