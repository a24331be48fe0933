"""Coloured noise by sparse convolution: impulses at random times, each spread by a Gaussian kernel.

``I(t) = sum_k a_k exp(-((t - t_k) / tau)²)`` is, for dense impulses, a Gaussian process of mean 0
and autocorrelation ``sigma² exp(-u² / (2 tau²))``. Time is cut into bins of width tau with a fixed
number of impulses in each; the value at t takes in the impulses of its own bin and of the five bins
on either side, beyond which the kernel is below e⁻²⁵.

The sum has 330 terms. Within one pair of bins the kernel is a smooth function of two variables, so
that a Chebyshev interpolant of degree 15 in each is exact to 3e-13; it turns the sum, for all bins
at once, into eleven small matrix products and leaves one polynomial per bin.
`ColouredNoise.error_bound` bounds what that neglects.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

from rivals_paper.arrays import RNG, FloatArray
from rivals_paper.checks import check_positive

IMPULSES: Final = 30  # per bin
REACH: Final = (
    5  # bins on either side which are taken in, and by which the bins go beyond the interval
)
NODES: Final = 16  # of the Chebyshev interpolant of the kernel, in either variable


class ColouredNoise:
    """A realisation of coloured noise on an interval of time.

    Parameters
    ----------
    tau
        Correlation time. The autocorrelation falls to exp(-1/2) at a lag of tau.
    sigma
        Standard deviation.
    duration
        Last time at which the noise is defined, or a pair (first, last); the first is 0 otherwise.
        In the unit of tau.
    rng
        Seed or generator.

    Attributes
    ----------
    times, weights : ndarray of shape (bins, impulses)
        The impulses. All times are drawn before all weights.
    polynomials : ndarray of shape (bins, nodes)
        Monomial coefficients, on [-1, 1], of the noise in each bin from `first` on.
    error_bound : float
        Bound of the difference between a call and `by_definition`.

    Examples
    --------
    >>> noise = ColouredNoise(tau=100.0, sigma=2.0, duration=7000.0, rng=0)
    >>> t = [0.0, 10.5, 3333.3]
    >>> bool(np.all(abs(noise(t) - noise.by_definition(t)) < noise.error_bound))
    True
    """

    def __init__(
        self, tau: float, sigma: float, duration: float | tuple[float, float], *, rng: RNG = None
    ) -> None:
        self.tau, self.sigma = check_positive(tau, "tau"), _check_sigma(sigma)
        self.first, self.last = _interval(duration)
        rng = np.random.default_rng(rng)
        self.times, self.weights = impulses(self.tau, self.sigma, self.first, self.last, rng)
        self.polynomials = self._polynomials()
        window = np.convolve(np.abs(self.weights).sum(axis=1), np.ones(2 * REACH + 1), "valid")
        self.error_bound = float(_kernel().error * window.max())

    def __call__(self, t: ArrayLike) -> FloatArray:
        """Evaluate the noise at the times t, any shape."""
        t = self._checked(t)
        position = (t - self.first) / self.tau
        index = np.clip(np.floor(position).astype(int), 0, len(self.polynomials) - 1)
        x = 2 * (position - index) - 1
        value = np.zeros(t.shape)
        for k in range(NODES - 1, -1, -1):
            value = value * x + self.polynomials[index, k]
        return value

    def by_definition(self, t: ArrayLike) -> FloatArray:
        """Evaluate the sum over impulses itself, 330 terms for each time."""
        t = self._checked(t)
        index = np.floor((t - self.first) / self.tau).astype(int)
        index = np.clip(
            index, 0, len(self.polynomials) - 1
        )  # the last time itself may open a bin of its own
        value = np.zeros(t.shape)
        for shift in range(2 * REACH + 1):
            distance = (t[..., None] - self.times[index + shift]) / self.tau
            value += (self.weights[index + shift] * np.exp(-(distance**2))).sum(axis=-1)
        return value

    def __repr__(self) -> str:
        return (
            f"ColouredNoise(tau={self.tau:g}, sigma={self.sigma:g}, duration=({self.first:g}, "
            f"{self.last:g}))"
        )

    def _checked(self, t: ArrayLike) -> FloatArray:
        t = np.asarray(t, dtype=float)
        if t.size and not (t.min() >= self.first and t.max() <= self.last):
            raise ValueError(
                f"times must lie within the noise, from {self.first:g} to {self.last:g}; got "
                f"{t.min():g} to {t.max():g}; make it with a longer duration"
            )
        return t

    def _polynomials(self) -> FloatArray:
        """One polynomial per bin.

        Moments of each bin's impulses, then the kernel between neighbouring bins.
        """
        bins = len(self.times)
        moments = _moments(within_bins(self.times, self.tau, self.first), self.weights)
        # Row b holds the moments of the bins b to b + 2 REACH; one product takes them to the
        # polynomial of the middle bin.
        inner = bins - 2 * REACH
        windows = np.lib.stride_tricks.as_strided(
            moments,
            (inner, (2 * REACH + 1) * NODES),
            (moments.strides[0], moments.strides[1]),
            writeable=False,
        )
        return np.asarray(windows @ _kernel().polynomials)


def impulses(
    tau: float, sigma: float, first: float, last: float, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Times and weights of the impulses, (bins, IMPULSES) each.

    All times are drawn before all weights.

    Examples
    --------
    >>> times, weights = impulses(10.0, 1.0, 0.0, 100.0, np.random.default_rng(0))
    >>> times.shape
    (20, 30)
    """
    bins = math.ceil((last - first) / tau) + 2 * REACH
    starts = first + tau * (np.arange(bins) - REACH)
    times = rng.uniform(starts[:, None], (starts + tau)[:, None], (bins, IMPULSES))
    scale = sigma * math.sqrt(1 / IMPULSES) * (2 / math.pi) ** 0.25
    return times, rng.normal(0.0, scale, (bins, IMPULSES))


def within_bins(times: FloatArray, tau: float, first: float) -> FloatArray:
    """Places of the impulses within their bins, on [-1, 1].

    Examples
    --------
    The first bin begins REACH bins before the noise.

    >>> within_bins(np.array([[-50.0]]), 10.0, 0.0)
    array([[-1.]])
    """
    left = first + tau * (np.arange(len(times)) - REACH)
    return 2 * (times - left[:, None]) / tau - 1


def _moments(x: FloatArray, weights: FloatArray) -> FloatArray:
    """Sum over the impulses of each bin of weight times T_n(x), n < NODES, by the recurrence of the
    polynomials.
    """
    moments = np.empty((len(x), NODES))
    double = 2 * x
    before, here = weights, weights * x
    for n in range(NODES):
        moments[:, n] = before.sum(axis=1)
        before, here = here, double * here - before
    return moments


class _Kernel(NamedTuple):
    """Matrix from the moments of eleven neighbouring bins to the monomials in the middle one, and
    its error.
    """

    polynomials: FloatArray  # (bins * NODES, NODES)
    error: float


@cache  # one value: it has no arguments
def _kernel() -> _Kernel:
    """Interpolate exp(-d²) between two bins; the error is the largest on a fine grid, doubled."""
    nodes, fine = chebyshev.chebpts1(NODES), np.linspace(-1, 1, 101)
    fit = np.linalg.inv(chebyshev.chebvander(nodes, NODES - 1))
    basis = chebyshev.chebvander(fine, NODES - 1)
    series, errors = [], []
    for shift in range(-REACH, REACH + 1):
        series.append(fit @ _gaussian(nodes, shift) @ fit.T)
        errors.append(np.abs(basis @ series[-1] @ basis.T - _gaussian(fine, shift)).max())
    monomials = [
        np.append(chebyshev.cheb2poly(row), np.zeros(NODES))[:NODES] for row in np.eye(NODES)
    ]
    return _Kernel(np.concatenate(series) @ np.array(monomials), 2 * float(max(errors)))


def _gaussian(x: FloatArray, shift: int) -> FloatArray:
    """exp(-d²) for a source (rows) and a target (columns) at x in [-1, 1] of bins `shift` apart."""
    values: FloatArray = np.exp(-((x[None, :] / 2 - x[:, None] / 2 - shift) ** 2))
    return values


def _check_sigma(sigma: float) -> float:
    if not (np.isfinite(sigma) and sigma >= 0):
        raise ValueError(f"sigma must be a finite number, 0 or above; got {sigma!r}")
    return float(sigma)


def _interval(duration: float | tuple[float, float]) -> tuple[float, float]:
    first, last = duration if isinstance(duration, tuple) else (0.0, duration)
    if not (np.isfinite(first) and np.isfinite(last) and first < last):
        raise ValueError(
            f"duration must be a number above 0 or an increasing pair of times; got {duration!r}"
        )
    return float(first), float(last)
