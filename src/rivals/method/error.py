"""The sampling error of mean losses, paired point by point: what other points would change.

Both models of a pair meet the same points, so that only what differs between them counts. The sum
of squares of the *differences* of each pair is all that the laws need: with it a part that all
models share, however large, costs no digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf

import numpy as np

from rivals._core.types import FloatArray, IntArray

# Up to so many models the sums of all pairs are kept; of more, they are made when asked for.
WHOLE = 512
# Multiplications for which OpenBLAS takes one thread, rows whose products are made so, and rows of
# so few that BLAS has no use.
ALONE = 2**18
FEW = 64
FEWER = 8
# A sum of squares below this part of the sums it was made from is summed again, from differences.
CANCELLED = 1e-6
# Squares below this have lost digits.
SMALLEST = 1e-280
# Beyond this autocorrelation the plug-in bandwidth diverges: a series this slow cannot be told
# from a trend.
LARGEST_AUTOCORRELATION = 0.97
# Numbers that are summed at a time: what the processor's cache holds.
TOGETHER = 2**20


@dataclass(frozen=True, eq=False)
class PairSums:
    """Σ (x_a − x_b)² of each pair of rows.

    Attributes
    ----------
    own : array, shape (models,)
        Σ x_a² of each row.
    matrix : array, shape (models, models), or None
        Of all pairs, where there are few models; zero on the diagonal.
    gaps : array, shape (models, n), or None
        The rows less the first one, where there are many.
    factor : float
        What all sums are multiplied by.
    """

    own: FloatArray
    matrix: FloatArray | None
    gaps: FloatArray | None = None
    factor: float = 1.0

    @classmethod
    def of(cls, first: FloatArray, gaps: FloatArray, *, whole: bool = False) -> PairSums:
        """From the first row, and all rows less the first; of all pairs, if the whole is asked for,
        so that no row is kept.
        """
        square = np.einsum("ij,ij->i", gaps, gaps)
        if square.max() < SMALLEST and gaps.any():
            raise ValueError("losses that differ so little cannot be squared; rescale the loss")
        crossed = np.einsum("ij,j->i", gaps, first)
        own = np.maximum(np.einsum("j,j", first, first) + square + 2.0 * crossed, 0.0)
        if len(gaps) > WHOLE and not whole:
            return cls(own, None, gaps)
        products = _products(gaps)
        total = square[:, None] + square[None, :]
        matrix = np.maximum(total - (products + products.T), 0.0)
        np.fill_diagonal(matrix, 0.0)
        a, b = np.nonzero(np.triu(matrix < CANCELLED * total, k=1))
        matrix[a, b] = matrix[b, a] = cls(own, None, gaps).of_pairs(a, b)
        return cls(own, matrix)

    def of_pairs(self, a: IntArray, b: IntArray) -> FloatArray:
        """Of each model of `a` with that of `b` beside it."""
        if self.matrix is not None:
            return np.asarray(self.factor * self.matrix[a, b])
        assert self.gaps is not None
        found = np.empty(a.size)
        step = max(TOGETHER // self.gaps.shape[1], 1)
        for begin in range(0, a.size, step):
            piece = slice(begin, begin + step)
            difference = self.gaps[a[piece]] - self.gaps[b[piece]]
            found[piece] = np.einsum("ij,ij->i", difference, difference)
        return self.factor * found

    def whole(self) -> FloatArray:
        """Of all pairs, as a matrix."""
        places = np.arange(self.own.size)
        first, second = np.meshgrid(places, places, indexing="ij")
        return self.of_pairs(first.ravel(), second.ravel()).reshape(first.shape)

    @property
    def own_scaled(self) -> FloatArray:
        """Of each model by itself."""
        return self.factor * self.own

    def scaled(self, factor: float) -> PairSums:
        """All sums multiplied by a number."""
        return PairSums(self.own, self.matrix, self.gaps, self.factor * factor)


def _products(rows: FloatArray) -> FloatArray:
    """Of all pairs of rows. Those of few rows in pieces so small that BLAS starts no threads: they
    cost more than the sums themselves, as they do in products of vectors.
    """
    n_rows, n = rows.shape
    if n_rows <= FEWER:
        found = np.empty((n_rows, n_rows))
        for i, row in enumerate(rows):
            found[i, i:] = found[i:, i] = np.einsum("ij,j->i", rows[i:], row)
        return found
    step = ALONE // n_rows**2 if n_rows <= FEW else n
    if step >= n:
        return np.asarray(rows @ rows.T)
    found = np.zeros((n_rows, n_rows))
    for begin in range(0, n, step):
        piece = rows[:, begin : begin + step]
        found += piece @ piece.T
    return found


@dataclass(frozen=True, eq=False)
class MeanErrors:
    """The sampling variance of mean losses: of paired differences, and of each model.

    `degrees` are those of the t distribution that a mean over its estimated error has: few
    clusters, or a slow series, know their own error badly.
    """

    sums: PairSums
    degrees: float = inf

    def of_pairs(self, a: IntArray, b: IntArray) -> FloatArray:
        """The variance of the mean difference of each pair."""
        return self.sums.of_pairs(a, b)

    @property
    def own(self) -> FloatArray:
        """The variance of the mean of each model."""
        return self.sums.own_scaled


def mean_errors(
    losses: Sequence[FloatArray] | FloatArray,
    *,
    order: str | None = None,
    clusters: IntArray | None = None,
) -> MeanErrors:
    """The sampling variances of the mean losses of several models at the same points.

    Parameters
    ----------
    losses : array, shape (models, points), or a sequence of its rows
    order : None or "time"
        None: points are independent. "time": they are a series, and the long-run variance is
        estimated: prewhitened by an autoregression (Andrews & Monahan 1992), with a Bartlett
        kernel and Andrews' (1991) plug-in bandwidth for what is left.
    clusters : array of int, shape (points,), optional
        Points of one cluster may depend on each other in any way; clusters are independent.

    Examples
    --------
    >>> errors = mean_errors(np.array([[1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 6.0]]))
    >>> errors.of_pairs(np.array([0]), np.array([1]))
    array([0.0625])
    """
    gaps = beyond_first(losses)
    gaps -= gaps.mean(axis=1, keepdims=True)
    first = losses[0] - losses[0].mean()
    n_points = first.size
    if clusters is not None:
        labels, codes = np.unique(clusters, return_inverse=True)
        first, gaps = _sums_within(first[None, :], codes)[0], _sums_within(gaps, codes)
        factor = labels.size / (labels.size - 1) / float(n_points) ** 2
        return MeanErrors(PairSums.of(first, gaps).scaled(factor), labels.size - 1.0)
    if order == "time":
        return _of_series(first, gaps)
    return MeanErrors(PairSums.of(first, gaps).scaled(1.0 / ((n_points - 1.0) * n_points)))


def beyond_first(
    rows: Sequence[FloatArray] | FloatArray, order: IntArray | None = None
) -> FloatArray:
    """Rows less the first one, their points in this order; nothing else is as large as the rows."""
    gaps = np.empty((len(rows), rows[0].size))
    for gap, row in zip(gaps, rows, strict=True):
        np.subtract(row, rows[0], out=gap)
        if order is not None:
            gap[:] = gap[order]
    return gaps


def _sums_within(rows: FloatArray, codes: IntArray) -> FloatArray:
    return np.array([np.bincount(codes, weights=row) for row in rows])


def _of_series(first: FloatArray, gaps: FloatArray) -> MeanErrors:
    """The long-run variance of an autoregression's residuals, recoloured by 1/(1 − ρ)².

    One ρ for all pairs; what it leaves in some of them is the kernel's. The variance is a function
    of an estimate ρ of variance (1 − ρ²)/n, hence known with n (1 − ρ) / (2 (1 + ρ)) degrees of
    freedom.
    """
    n = first.size
    rho = _autocorrelation(gaps if len(gaps) > 1 else first[None, :])
    # Kendall's correction: the estimate is too small by (1 + 3 ρ)/n.
    corrected = min(max(rho + (1.0 + 3.0 * rho) / n, 0.0), LARGEST_AUTOCORRELATION)
    rho = corrected if rho > 0.0 and n > 2 else 0.0
    white_first, white_gaps = (_whitened(rows, rho) for rows in (first[None, :], gaps))
    bandwidth = _bandwidth(white_gaps if len(gaps) > 1 else white_first)
    summed_first, factor = _long_run(white_first, bandwidth)
    summed_gaps, _ = _long_run(white_gaps, bandwidth)
    factor *= (white_gaps.shape[1] / n) / (1.0 - rho) ** 2
    degrees = max(0.5 * n * (1.0 - rho) / (1.0 + rho), 1.0)
    return MeanErrors(PairSums.of(summed_first[0], summed_gaps).scaled(factor), degrees)


def _whitened(rows: FloatArray, rho: float) -> FloatArray:
    white = rows[:, 1:] - rho * rows[:, :-1] if rho else rows
    return np.asarray(white - white.mean(axis=1, keepdims=True))


def _long_run(rows: FloatArray, bandwidth: int) -> tuple[FloatArray, float]:
    """Rows whose products are long-run covariances of means, by Bartlett's kernel, and a factor.

    Σ_j (1 − |j|/m) Γ_j / n over the lags |j| < m is the sum over all windows of m neighbouring
    points, padded with zeros, of the products of their sums, over m: visibly not negative, and
    linear in n. The norm makes up for the estimated mean exactly where points are independent.
    """
    n = rows.shape[1]
    if bandwidth == 1:
        return rows, 1.0 / ((n - 1.0) * n)
    end = np.arange(1, n + bandwidth)
    begin = np.maximum(end - bandwidth, 0)
    last = np.minimum(end, n)
    length = (last - begin).astype(np.float64)
    norm = float(bandwidth) * n - np.sum(length**2) / n
    total = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(rows, axis=1)], axis=1)
    return total[:, last] - total[:, begin], 1.0 / (norm * n)


def _bandwidth(gaps: FloatArray) -> int:
    """Andrews' plug-in rule for Bartlett's kernel, ⌈1.1447 (α n)^⅓⌉ with α = 4 ρ² / (1 − ρ²)²."""
    rho = min(abs(_autocorrelation(gaps)), LARGEST_AUTOCORRELATION)
    alpha = (2.0 * rho / (1.0 - rho * rho)) ** 2
    n = int(gaps.shape[1])
    return min(max(ceil(1.1447 * float(np.cbrt(alpha * n))), 1), n)


def _autocorrelation(gaps: FloatArray) -> float:
    """The largest in magnitude, at lag 1, of the differences of models.

    Differences decide: a slow component that all models share cancels there. Of all pairs the
    largest counts: too wide a window costs a little precision, too narrow a one hides variance. A
    single series has its own.
    """
    own = np.einsum("ij,ij->i", gaps, gaps)
    lagged = np.einsum("ij,ij->i", gaps[:, 1:], gaps[:, :-1])
    if len(gaps) == 1:
        return float(lagged[0] / own[0]) if own[0] > 0.0 else 0.0
    largest = 0.0
    step = max(TOGETHER // len(gaps), 1)
    for begin in range(0, len(gaps), step):
        piece = slice(begin, begin + step)
        total = own[piece, None] + own[None, :]
        square = total - 2.0 * (gaps[piece] @ gaps.T)
        crossed = gaps[piece, 1:] @ gaps[:, :-1].T + gaps[piece, :-1] @ gaps[:, 1:].T
        product = lagged[piece, None] + lagged[None, :] - crossed
        varies = square > CANCELLED * total
        found = np.divide(product, square, out=np.zeros_like(square), where=varies)
        at_most = float(found.flat[np.argmax(np.abs(found))])
        largest = max(largest, at_most, key=abs)
    return largest
