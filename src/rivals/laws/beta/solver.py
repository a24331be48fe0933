"""From a centre ratio and a metric variance to the parameters of beta distributions, all nodes at
once.

A node of the process splits the rise of a path into two parts, x and 1 − x, with x ~ Beta(α, β)
such that

    ψ(α) − ψ(β) = ln r,        ln(ψ₁(α) + ψ₁(β)) = ln v
    (docs/theory.md, "The process")

where r is the ratio of the two increments of the centre and v the variance of ln(x / (1 − x)).
"""

from __future__ import annotations

from math import prod

import numpy as np
import numpy.typing as npt
from scipy.special import psi

from rivals._core.types import FloatArray, IntArray

# Outside this box the solution equals that on its border to double precision in every use made of
# it: at v = 1e-30 x is its centre to 15 digits, at v = 1e30 a fair coin, at |ln r| = 500 x is 0 or
# 1 to 1e-217.
MAX_LOG_RATIO = 500.0
MAX_LOG_VARIANCE = 30.0 * np.log(10.0)

# Beta distributions that are constants, for the limits that no finite r can express.
ALWAYS_ZERO = (1e-300, 1.0)
ALWAYS_ONE = (1.0, 1e-300)

# ψ₁ and ψ₂: sums over x … x + 7, then asymptotic series at x + 8 with B₂ₖ and −(2k + 1) B₂ₖ for k
# = 1 … 6.
SHIFTS = np.arange(9.0)
TRIGAMMA_SERIES = np.array([1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730])
TETRAGAMMA_SERIES = TRIGAMMA_SERIES * np.array([3.0, 5.0, 7.0, 9.0, 11.0, 13.0])

RESIDUAL = 1e-13
MAX_ITERATIONS = 60

# Nodes that are solved together.
PIECE = 2**14


def beta_parameters(
    log_ratio: npt.ArrayLike, log_variance: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Solve for the (α, β) of every node.

    Rows are solved together but for themselves: to the last bit as if each were alone, since
    iterations end for each row.

    Parameters
    ----------
    log_ratio : array_like
        ln r. −inf (the first half of the centre is flat) gives x = 0, +inf gives x = 1, and nan
        (0/0: both halves are flat, so that any x serves) is taken for r = 1.
    log_variance : array_like
        ln v, of the same shape. ±inf are allowed.

    Returns
    -------
    alpha, beta : array
        Of the shape of the inputs.

    Examples
    --------
    >>> alpha, beta = beta_parameters([0.0, -1.0], [0.0, 0.0])
    >>> alpha.round(4), beta.round(4)
    (array([2.46  , 1.8178]), array([2.46  , 4.1508]))
    """
    log_ratio = np.asarray(log_ratio, dtype=np.float64)
    log_variance = np.clip(
        np.asarray(log_variance, dtype=np.float64), -MAX_LOG_VARIANCE, MAX_LOG_VARIANCE
    )
    # Swapping the two halves swaps α and β, so only r ≤ 1 (α ≤ β) has to be solved.
    contrast = np.minimum(np.abs(np.nan_to_num(log_ratio, nan=0.0)), MAX_LOG_RATIO)
    shape = np.broadcast_shapes(contrast.shape, log_variance.shape)
    contrasts, variances = (
        np.broadcast_to(values, shape).ravel() for values in (contrast, np.exp(log_variance))
    )
    n_rows = prod(shape[:-1])
    small, large = (values.reshape(shape) for values in _solve_rows(contrasts, variances, n_rows))
    alpha = np.where(log_ratio > 0, large, small)
    beta = np.where(log_ratio > 0, small, large)
    for limit, (limit_alpha, limit_beta) in (
        (log_ratio == -np.inf, ALWAYS_ZERO),
        (log_ratio == np.inf, ALWAYS_ONE),
    ):
        alpha[limit] = limit_alpha
        beta[limit] = limit_beta
    return alpha, beta


def beta_moments(
    alpha: FloatArray, beta: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Mean, variance, skewness and excess kurtosis of Beta(α, β), without overflow for huge
    parameters.
    """
    total = alpha + beta
    mean = alpha / total
    product = mean * (beta / total)
    asymmetry = (beta - alpha) / total
    skewness = 2.0 * asymmetry * np.sqrt(total + 1.0) / ((total + 2.0) * np.sqrt(product))
    kurtosis = (
        6.0 * (asymmetry**2 * ((total + 1.0) / (total + 2.0)) - product) / (product * (total + 3.0))
    )
    return mean, product / (total + 1.0), skewness, kurtosis


def _solve_rows(
    contrast: FloatArray, variance: FloatArray, n_rows: int
) -> tuple[FloatArray, FloatArray]:
    """`_solve_ordered` in pieces of whole rows that fit the processor's cache."""
    width = max(variance.size // max(n_rows, 1), 1)
    step = width * max(1, PIECE // width)
    small = np.empty_like(variance)
    large = np.empty_like(variance)
    for begin in range(0, variance.size, step):
        piece = slice(begin, begin + step)
        small[piece], large[piece] = _solve_ordered(contrast[piece], variance[piece], width)
    return small, large


def _solve_ordered(
    contrast: FloatArray, variance: FloatArray, width: int
) -> tuple[FloatArray, FloatArray]:
    """Solve ψ(β) = ψ(α) + contrast and ψ₁(α) + ψ₁(β) = variance for α ≤ β.

    By a bracketed Newton iteration on ln α: ψ₁(α) lies in [v/2, v], and
    1/x + 1/(2x²) < ψ₁(x) < 1/x + 1/x² turns that into a bracket [a, 2a] in closed form. On the
    logarithmic scales of both sides the equation is nearly straight, so Newton seldom needs the
    bracket.
    """
    low = np.log((1.0 + np.sqrt(1.0 + 2.0 * variance)) / (2.0 * variance))
    high = low + np.log(2.0)
    # For large x, ψ(x) ≈ ln(x − ½) and ψ₁(x) ≈ 1 / (x − ½) to third order; for small x, ψ₁(α) ≈ v
    # / (1 + r). So good a guess that starting from the solution for another c takes more steps,
    # not fewer (measured).
    guess = variance / (1.0 + np.exp(-contrast))
    start = np.where(
        variance < 1.0, 0.5 + 1.0 / guess, (1.0 + np.sqrt(1.0 + 2.0 * guess)) / (2.0 * guess)
    )
    log_alpha = np.clip(np.log(start), low, high)
    alpha = np.exp(log_alpha)
    # Of each row, how many nodes are not solved yet.
    counts = np.full(variance.size // width, width)
    beta = _inverse_digamma(psi(alpha) + contrast, counts)
    # The nodes that are not solved yet; few of them need more than two steps.
    here = np.arange(variance.size)
    a = alpha
    b = beta
    log_variance = np.log(variance)
    for _ in range(MAX_ITERATIONS):
        trigamma_a = _trigamma(a)
        trigamma_b = _trigamma(b)
        total = trigamma_a + trigamma_b
        error = np.log(total) - log_variance
        open_ = np.abs(error) >= RESIDUAL
        if not open_.any():
            break
        # Go on with the nodes that are not solved yet.
        kept = np.flatnonzero(open_)
        here = here[kept]
        a = a[kept]
        b = b[kept]
        log_alpha = log_alpha[kept]
        contrast = contrast[kept]
        log_variance = log_variance[kept]
        low = low[kept]
        high = high[kept]
        error = error[kept]
        total = total[kept]
        trigamma_a = trigamma_a[kept]
        trigamma_b = trigamma_b[kept]
        counts = np.add.reduceat(open_, _starts(counts), dtype=np.intp)
        counts = counts[counts > 0]
        low = np.where(error > 0, log_alpha, low)
        high = np.where(error < 0, log_alpha, high)
        slope_b = trigamma_a / trigamma_b  # dβ/dα along ψ(β) = ψ(α) + contrast
        slope = a * (_tetragamma(a) + _tetragamma(b) * slope_b) / total
        proposal = log_alpha - error / slope
        log_alpha = np.where((proposal >= low) & (proposal <= high), proposal, 0.5 * (low + high))
        step = np.exp(log_alpha) - a
        a = a + step
        b = _inverse_digamma(
            psi(a) + contrast, counts, start=np.maximum(b + slope_b * step, 0.5 * b)
        )
        alpha[here] = a
        beta[here] = b
    return alpha, beta


def _inverse_digamma(
    target: FloatArray, counts: IntArray, start: FloatArray | None = None
) -> FloatArray:
    """ψ⁻¹ by Newton's method, which cannot fail: ψ is concave, so after one step the approach is
    from below.

    `counts` says how many of the targets are in each row; a row is done when all of it is.
    """
    if start is None:
        # Asymptotes at both ends: ψ(x) ≈ ln(x − 1/2) and ψ(x) ≈ −1/x − γ.
        below = np.minimum(target, -2.22)
        start = np.where(
            target >= -2.22,
            np.exp(np.maximum(target, -2.22)) + 0.5,
            -1.0 / (below + np.euler_gamma),
        )
    value = start
    here = None
    found = start
    for _ in range(MAX_ITERATIONS):
        relative_step = (target - psi(value)) / (value * _trigamma(value))
        value = value * (1.0 + np.maximum(relative_step, -0.75))
        # Convergence is quadratic: at 1e-7 the error of the new value is 1e-14.
        going = ~(np.maximum.reduceat(np.abs(relative_step), _starts(counts)) < 1e-7)
        if not going.all():
            if here is None:
                here = np.arange(target.size)
                found = np.empty_like(target)
            found[here] = value
            kept = np.flatnonzero(np.repeat(going, counts))
            target = target[kept]
            value = value[kept]
            here = here[kept]
            counts = counts[going]
            if not here.size:
                return found
    return found


def _starts(counts: IntArray) -> IntArray:
    return np.asarray(np.cumsum(counts) - counts)


def _trigamma(x: FloatArray) -> FloatArray:
    """ψ₁(x) for x > 0 by recurrence and asymptotic series.

    `scipy.special.zeta(2, x)` takes ten times as long.
    """
    inverse = _inverses(x)
    last = inverse[-1].copy()
    squares: FloatArray = np.sum(np.multiply(inverse[:-1], inverse[:-1], out=inverse[:-1]), axis=0)
    return squares + _series(last, TRIGAMMA_SERIES, 1)


def _tetragamma(x: FloatArray) -> FloatArray:
    """ψ₂(x) for x > 0, the same way."""
    inverse = _inverses(x)
    # Written as a product: a power of 3 goes through the slow general pow.
    powers = inverse[:-1] * inverse[:-1]
    powers *= inverse[:-1]
    cubes: FloatArray = np.sum(powers, axis=0)
    return -2.0 * cubes - _series(inverse[-1], TETRAGAMMA_SERIES, 2)


def _inverses(x: FloatArray) -> FloatArray:
    """1/x, 1/(x + 1), …, 1/(x + 8), one row each.

    In place, as below: new arrays cost as much as the arithmetic.
    """
    inverse = x + SHIFTS[:, None]
    np.divide(1.0, inverse, out=inverse)
    return inverse


def _series(inverse: FloatArray, coefficients: FloatArray, order: int) -> FloatArray:
    """y^order (1 + order·y/2 + Σ_k coefficients[k] y^(2k+2)) at y = 1/x, by Horner's rule."""
    square = inverse * inverse
    tail = coefficients[-1] * square
    for coefficient in coefficients[-2:0:-1]:
        tail += coefficient
        tail *= square
    tail += coefficients[0]
    tail *= square
    head = 0.5 * order * inverse
    head += 1.0
    head += tail
    head *= inverse if order == 1 else square
    return head
