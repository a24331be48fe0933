"""The sampling error of mean losses.

How far the means of all models would move, together, with other data points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf
from typing import Literal

import numpy as np
import numpy.typing as npt

from rivals._types import FloatArray, IntArray
from rivals.core.scales import largest_magnitude
from rivals.method.error import paired_error

# Beyond this autocorrelation the plug-in bandwidth diverges: a series this slow cannot be told
# from a trend.
LARGEST_AUTOCORRELATION = 0.97

# Differences of models that vary less than this, relative to the models, are rounding: they have
# no autocorrelation.
ROUNDING = 1e-13

# An autocorrelation time is summed lag by lag up to so many lags: of independent points the window
# closes after six of them, long before a Fourier transform of all lags would be done. Of short
# sequences the transform takes a tenth of a millisecond, and is all there is.
FEW_LAGS = 24
SHORT_SEQUENCE = 2**11

# Up to this many models a matrix of all pairs is kept; of more, blocks of pairs are made when they
# are needed.
WHOLE = 2048
# Pairs in a block: few enough for the processor's cache, enough for a matrix product.
BLOCK = 2**20


def mean_covariance(
    losses: FloatArray, *, order: Literal["time"] | None = None, clusters: IntArray | None = None
) -> FloatArray:
    """Covariance matrix of the mean losses of several models on the same data points.

    The standard error of the *paired* difference of models a and b is √(C_aa + C_bb − 2 C_ab).

    Parameters
    ----------
    losses : array, shape (models, n)
        Loss of each model at each data point.
    order : None or "time"
        None: the points are independent. "time": they are a series, and the long-run covariance is
        estimated: prewhitened by an autoregression (Andrews & Monahan 1992), with a Bartlett
        kernel and Andrews' (1991) plug-in bandwidth for what is left.
    clusters : array of int, shape (n,), optional
        The cluster of each point, at least two of them. Points of one cluster may depend on each
        other in any way, so `order` does not matter then; clusters are independent.

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
    return MeanErrors.of(losses, order=order, clusters=clusters).covariance()


def mean_error(
    losses: FloatArray, *, order: Literal["time"] | None, clusters: IntArray | None
) -> float:
    """Standard error of the mean of one sample, also where its square would overflow or vanish."""
    if order is None and clusters is None:
        deviations, exponents = _deviations(losses[None, :], alike=False)
        return float(np.ldexp(paired_error(deviations[0]), exponents[0]))
    found = MeanErrors.of(losses[None, :], order=order, clusters=clusters)
    return float(
        np.ldexp(np.sqrt(found.factor * (found.rows @ found.rows.T)), found.exponents)[0, 0]
    )


@dataclass(frozen=True, eq=False)
class MeanErrors:
    """The covariance of the mean losses as products of rows.

    Any block can be computed without the whole matrix.
    """

    rows: FloatArray  # one per model
    factor: float
    exponents: npt.NDArray[np.int32]  # the unit of each row is 2 to this power
    # Of the t distribution that a mean over its estimated error has: few clusters, or a slow
    # series, know their own error badly.
    degrees: float = inf

    @classmethod
    def of(
        cls,
        losses: FloatArray,
        *,
        order: Literal["time"] | None = None,
        clusters: IntArray | None = None,
    ) -> MeanErrors:
        """Parameters as for `mean_covariance`."""
        deviations, exponents = _deviations(losses, alike=order == "time")
        if clusters is not None:
            rows, factor, degrees = _by_clusters(deviations, clusters)
        elif order == "time":
            rows, factor, degrees = _of_series(deviations)
        else:
            (rows, factor), degrees = _long_run(deviations, 1), inf
        return cls(rows, factor, exponents, degrees)

    @property
    def n_models(self) -> int:
        """The number of models."""
        return int(self.exponents.size)

    def covariance(
        self, first: IntArray | None = None, second: IntArray | None = None
    ) -> FloatArray:
        """The covariance of the models `first` with the models `second`.

        Of all with all by default.
        """
        if first is None or second is None:
            return self._whole
        if self.n_models <= WHOLE:
            return self._whole[np.ix_(first, second)]
        products = self.factor * (self.rows[first] @ self.rows[second].T)
        with np.errstate(over="ignore"):
            return np.asarray(
                np.ldexp(products, self.exponents[first][:, None] + self.exponents[second][None, :])
            )

    def of_pairs(self, first: IntArray, second: IntArray) -> FloatArray:
        """The covariance of each model of `first` with that of `second` beside it."""
        if self.n_models <= WHOLE:
            return np.asarray(self._whole[first, second])
        products = self.factor * np.einsum("ij,ij->i", self.rows[first], self.rows[second])
        with np.errstate(over="ignore"):
            return np.asarray(np.ldexp(products, self.exponents[first] + self.exponents[second]))

    @cached_property
    def variance(self) -> FloatArray:
        """The diagonal."""
        if self.n_models <= WHOLE:
            return np.diagonal(self._whole).copy()
        with np.errstate(over="ignore"):
            return np.asarray(
                np.ldexp(
                    self.factor * np.einsum("ij,ij->i", self.rows, self.rows), 2 * self.exponents
                )
            )

    @cached_property
    def _whole(self) -> FloatArray:
        products = self.factor * (self.rows @ self.rows.T)
        with np.errstate(over="ignore"):
            return np.asarray(
                np.ldexp(
                    0.5 * (products + products.T), self.exponents[:, None] + self.exponents[None, :]
                )
            )


def effective_size(sequence: npt.ArrayLike) -> float:
    """Effective size n / τ of a sequence, with τ = 1 + 2 Σ ρ_k its autocorrelation time.

    The sum ends at the first lag above 5 τ (Sokal's window): larger lags would add only noise, or
    a slow trend.
    """
    values = np.asarray(sequence, dtype=np.float64)
    if np.ptp(values) == 0.0:
        return float(values.size)
    spread = values - values.mean()
    spread /= np.max(np.abs(spread))
    time = _time_of_few_lags(spread) if values.size > SHORT_SEQUENCE else None
    if time is None:
        time = _time_of_all_lags(spread)
    return values.size / max(time, 1.0)


def _time_of_few_lags(spread: FloatArray) -> float | None:
    """τ, lag by lag; None if the window is wider than a few lags."""
    variance = np.einsum("i,i->", spread, spread)
    time = 1.0
    for lag in range(1, FEW_LAGS):
        time += 2.0 * float(np.einsum("i,i->", spread[lag:], spread[:-lag]) / variance)
        if lag >= 5.0 * time:
            return time
    return None


def _time_of_all_lags(spread: FloatArray) -> float:
    """τ, from the covariances at all lags at once, by fast Fourier transforms."""
    spectrum = np.fft.rfft(spread, n=2 * spread.size)
    covariance = np.fft.irfft(spectrum.real**2 + spectrum.imag**2)[: spread.size]
    times = 2.0 * np.cumsum(covariance / covariance[0]) - 1.0
    beyond = np.flatnonzero(np.arange(times.size) >= 5.0 * times)
    return float(times[beyond[0]] if beyond.size else times[-1])


def blocks(n_models: int) -> Iterator[slice]:
    """Slices of the models, each of which makes a block of pairs with all models."""
    step = max(BLOCK // n_models, 1)
    return (slice(begin, min(begin + step, n_models)) for begin in range(0, n_models, step))


def _deviations(losses: FloatArray, *, alike: bool) -> tuple[FloatArray, npt.NDArray[np.int32]]:
    """Deviations from the mean of each model, in units of a power of two, which costs no digit;
    and these powers.

    The median goes first: with an offset of 1e12 the mean of the losses themselves would be off by
    rounding. The unit keeps squares from overflowing and from vanishing; each model has its own
    unless they are to be `alike`.
    """
    deviations = losses - np.median(losses, axis=1, keepdims=True)
    largest = largest_magnitude(deviations)
    exponents = np.frexp(np.full_like(largest, largest.max()) if alike else largest)[1]
    np.ldexp(deviations, -exponents[:, None], out=deviations)
    deviations -= deviations.mean(axis=1, keepdims=True)
    return deviations, exponents


def _by_clusters(deviations: FloatArray, clusters: IntArray) -> tuple[FloatArray, float, float]:
    """Σ_g s_g s_gᵀ / n², s_g the sum of the deviations in cluster g, times G / (G − 1).

    Known with G − 1 degrees of freedom.
    """
    labels, cluster = np.unique(clusters, return_inverse=True)
    if labels.size < 2:
        raise ValueError(
            "all points are in one cluster, but clustered sampling errors need at least two; "
            "leave clusters out"
        )
    sums = np.array(
        [np.bincount(cluster, weights=row, minlength=labels.size) for row in deviations],
        dtype=np.float64,
    )
    return (
        sums,
        labels.size / (labels.size - 1) / float(deviations.shape[1]) ** 2,
        labels.size - 1.0,
    )


def _of_series(deviations: FloatArray) -> tuple[FloatArray, float, float]:
    """The long-run covariance of an autoregression's residuals, recoloured by 1/(1 − ρ)².

    One ρ for the whole matrix, which then stays positive semi-definite; what it leaves in some of
    the pairs is the kernel's. The variance is a function of an estimate ρ of variance (1 − ρ²)/n,
    hence known with n (1 − ρ) / (2 (1 + ρ)) degrees of freedom.
    """
    n = deviations.shape[1]
    rho = _autocorrelation(deviations)
    # Kendall's correction: the estimate is too small by (1 + 3 ρ)/n.
    rho = (
        float(np.clip(rho + (1.0 + 3.0 * rho) / n, 0.0, LARGEST_AUTOCORRELATION))
        if rho > 0.0 and n > 2
        else 0.0
    )
    white = deviations[:, 1:] - rho * deviations[:, :-1] if rho else deviations
    white = white - white.mean(axis=1, keepdims=True)
    rows, factor = _long_run(white, _bandwidth(white))
    degrees = max(0.5 * n * (1.0 - rho) / (1.0 + rho), 1.0)
    return rows, factor * (white.shape[1] / n) / (1.0 - rho) ** 2, degrees


def _long_run(deviations: FloatArray, bandwidth: int) -> tuple[FloatArray, float]:
    """Covariance of the means of a series, with Bartlett's kernel: Σ_j (1 − |j|/m) Γ_j / n over
    the lags |j| < m.

    That is the sum over all windows of m neighbouring points, padded with zeros, of the products
    of their sums, over m: visibly positive semi-definite, and linear in n. The deviations are from
    the sample mean; the norm makes up for it exactly where points are independent. With m = 1 that
    is the sample covariance, with its n − 1, over n.
    """
    n = deviations.shape[1]
    if bandwidth == 1:
        return deviations, 1.0 / ((n - 1.0) * n)
    end = np.arange(1, n + bandwidth)
    first = np.maximum(end - bandwidth, 0)
    last = np.minimum(end, n)
    length = (last - first).astype(np.float64)
    norm = float(bandwidth) * n - np.sum(length**2) / n
    total = np.concatenate(
        [np.zeros((deviations.shape[0], 1)), np.cumsum(deviations, axis=1)], axis=1
    )
    return total[:, last] - total[:, first], 1.0 / (norm * n)


def _bandwidth(deviations: FloatArray) -> int:
    """Bandwidth m of Andrews' plug-in rule for Bartlett's kernel, ⌈1.1447 (α n)^⅓⌉ with α = 4 ρ² /
    (1 − ρ²)².

    One for the whole matrix, because with a bandwidth for each entry it need not stay positive
    semi-definite.
    """
    rho = min(abs(_autocorrelation(deviations)), LARGEST_AUTOCORRELATION)
    alpha = (2.0 * rho / (1.0 - rho * rho)) ** 2
    n = int(deviations.shape[1])
    return min(max(ceil(1.1447 * float(np.cbrt(alpha * n))), 1), n)


def _autocorrelation(deviations: FloatArray) -> float:
    """The largest in magnitude, at lag 1, of the *differences* of models.

    Differences decide: a slow component that all models share cancels there. Of all pairs the
    largest counts: too wide a window costs a little precision, too narrow a one hides variance. A
    single model has its own autocorrelation.
    """
    own = np.einsum("ij,ij->i", deviations, deviations)
    own_lagged = np.einsum("ij,ij->i", deviations[:, 1:], deviations[:, :-1])
    if len(deviations) == 1:
        return float(own_lagged[0] / own[0]) if own[0] > 0.0 else 0.0
    found = (
        _of_differences(deviations, own, own_lagged, piece) for piece in blocks(len(deviations))
    )
    return max(found, key=abs)


def _of_differences(
    deviations: FloatArray, own: FloatArray, own_lagged: FloatArray, piece: slice
) -> float:
    """The largest in magnitude at lag 1 of the differences between some models and all models."""
    now = deviations
    before = deviations[:, :-1]
    after = deviations[:, 1:]
    scale = own[piece, None] + own[None, :]
    variance = scale - 2.0 * (now[piece] @ now.T)
    lagged = (
        own_lagged[piece, None]
        + own_lagged[None, :]
        - after[piece] @ before.T
        - before[piece] @ after.T
    )
    varies = variance > ROUNDING * scale
    found = np.divide(lagged, variance, out=np.zeros_like(variance), where=varies)
    return float(found.flat[np.argmax(np.abs(found))])
