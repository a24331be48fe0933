"""The sampling error of mean losses: how far the means of all models would move, together, with other data points."""

from __future__ import annotations

from math import ceil
from typing import Literal

import numpy as np

from rivals._types import FloatArray, IntArray

# Beyond this autocorrelation the plug-in bandwidth runs away: a series so slow cannot be told from a trend.
LARGEST_AUTOCORRELATION = 0.97

# Differences of models that vary less than this, relative to the models, are rounding: they have no autocorrelation.
ROUNDING = 1e-13


def mean_covariance(
    losses: FloatArray, *, order: Literal["time"] | None = None, groups: IntArray | None = None
) -> FloatArray:
    """Covariance matrix of the mean losses of several models on the same data points.

    The standard error of the *paired* difference of models a and b is √(C_aa + C_bb − 2 C_ab).

    Parameters
    ----------
    losses : array, shape (models, n)
        Loss of each model at each data point.
    order : None or "time"
        None: the points are independent. "time": they are a series, and the long-run covariance is estimated, with a
        Bartlett kernel and the plug-in bandwidth of Andrews (1991) for autoregressive series.
    groups : array of int, shape (n,), optional
        The group of each point, at least two of them. Points of one group may depend on each other in any way, so
        that `order` does not matter then; groups are independent.

    Returns
    -------
    array, shape (models, models)
        Symmetric and positive semi-definite.

    Examples
    --------
    >>> losses = np.array([[1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 5.0]])
    >>> mean_covariance(losses).round(3)
    array([[0.417, 0.417],
           [0.417, 0.417]])
    """
    deviations, exponent = _deviations(losses)
    if groups is not None:
        covariance = _by_groups(deviations, groups)
    elif order == "time":
        covariance = _long_run(deviations, _bandwidth(deviations))
    else:
        covariance = _long_run(deviations, 1)
    with np.errstate(over="ignore"):
        return np.ldexp(covariance, 2 * exponent)


def _deviations(losses: FloatArray) -> tuple[FloatArray, int]:
    """Deviations from the mean of each model, in units of a power of two, which costs no digit; and that power.

    The median goes first: with an offset of 1e12 the mean of the losses themselves would be off by rounding. The unit
    keeps squares from overflowing.
    """
    deviations = losses - np.median(losses, axis=1, keepdims=True)
    exponent = int(np.frexp(np.max(np.abs(deviations)))[1])
    deviations = np.ldexp(deviations, -exponent)
    return deviations - deviations.mean(axis=1, keepdims=True), exponent


def _by_groups(deviations: FloatArray, groups: IntArray) -> FloatArray:
    """Σ_g s_g s_gᵀ / n², s_g the sum of the deviations in group g, times G / (G − 1)."""
    labels, group = np.unique(groups, return_inverse=True)
    if labels.size < 2:
        raise ValueError("all points are in one group: sampling errors by groups need at least 2; leave groups out")
    sums = np.array([np.bincount(group, weights=row, minlength=labels.size) for row in deviations], dtype=np.float64)
    return _products(sums, labels.size / (labels.size - 1) / float(deviations.shape[1]) ** 2)


def _long_run(deviations: FloatArray, bandwidth: int) -> FloatArray:
    """Covariance of the means of a series, with Bartlett's kernel: Σ_j (1 − |j|/m) Γ_j / n over the lags |j| < m.

    That is the sum over all windows of m neighbouring points, padded with zeros, of the products of their sums, over m:
    visibly positive semi-definite, and linear in n. The deviations are from the sample mean; the norm makes up
    for it exactly where points are independent. With m = 1 that is the sample covariance, with its n − 1, over n.
    """
    n = deviations.shape[1]
    total = np.concatenate([np.zeros((deviations.shape[0], 1)), np.cumsum(deviations, axis=1)], axis=1)
    end = np.arange(1, n + bandwidth)
    first, last = np.maximum(end - bandwidth, 0), np.minimum(end, n)
    windows = total[:, last] - total[:, first] if bandwidth > 1 else deviations
    length = (last - first).astype(np.float64)
    norm = float(bandwidth) * n - np.sum(length**2) / n
    return _products(windows, 1.0 / (norm * n))


def _bandwidth(deviations: FloatArray) -> int:
    """Bandwidth m of Andrews' plug-in rule for Bartlett's kernel, ⌈1.1447 (α n)^⅓⌉ with α = 4 ρ² / (1 − ρ²)².

    One for the whole matrix, because with a bandwidth for each entry it need not stay positive semi-definite. ρ is the
    autocorrelation of the *differences* of models, since these decide: what is slow in all models alike cancels there.
    Of all pairs the largest counts: too wide a window costs a little precision, too narrow a one hides variance.
    For two models this is the rule of a Diebold-Mariano test. A single model has its own autocorrelation.
    """
    n: int = deviations.shape[1]
    now = deviations @ deviations.T
    lagged = deviations[:, 1:] @ deviations[:, :-1].T
    if deviations.shape[0] > 1:
        scale = _diagonal_sums(now)
        now, lagged = scale - 2.0 * now, _diagonal_sums(lagged) - lagged - lagged.T
        varies = now > ROUNDING * scale
    else:
        varies = now > 0.0
    autocorrelation = np.divide(lagged, now, out=np.zeros_like(now), where=varies)
    rho = min(float(np.max(np.abs(autocorrelation))), LARGEST_AUTOCORRELATION)
    alpha = (2.0 * rho / (1.0 - rho * rho)) ** 2
    return min(max(ceil(1.1447 * float(np.cbrt(alpha * n))), 1), n)


def _diagonal_sums(matrix: FloatArray) -> FloatArray:
    diagonal = np.diagonal(matrix)
    return np.asarray(diagonal[:, None] + diagonal[None, :])


def _products(rows: FloatArray, factor: float) -> FloatArray:
    products = factor * (rows @ rows.T)
    return np.asarray(0.5 * (products + products.T))
