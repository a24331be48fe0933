"""The core once more, slowly and plainly: whole paths, no shortcuts. What the fast core says is
compared with this.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize, special


def quantiles(samples, phi):
    """q(Φ): sorted values at i / (L + 1), joined and continued by straight lines."""
    values = np.sort(samples)
    values = np.concatenate([[2 * values[0] - values[1]], values, [2 * values[-1] - values[-2]]])
    return np.interp(phi, np.linspace(0.0, 1.0, values.size), values)


def beta_law(r, v):
    """(α, β) of one node by bisection on ln α: ψ(β) = ψ(α) − ln r, ψ₁(α) + ψ₁(β) = v, for r ≤ 1."""
    if r > 1.0:
        return beta_law(1.0 / r, v)[::-1]

    def partner(log_alpha):
        target = special.psi(np.exp(log_alpha)) - np.log(r)
        low = log_alpha - 1e-9
        high = log_alpha + 1.0
        while special.psi(np.exp(high)) < target:
            high += 1.0
        return optimize.brentq(
            lambda log_beta: special.psi(np.exp(log_beta)) - target, low - 1.0, high, xtol=1e-13
        )

    def excess(log_alpha):
        beta = np.exp(partner(log_alpha))
        return np.log(
            special.polygamma(1, np.exp(log_alpha)) + special.polygamma(1, beta)
        ) - np.log(v)

    log_alpha = optimize.brentq(excess, -40.0, 60.0, xtol=1e-12)
    return np.exp(log_alpha), np.exp(partner(log_alpha))


def parameters(observed, synthetic, c, depth):
    """q*(0), q*(1) and the standard deviations there; of every node (α, β), or a number where x is
    certain.

    Extended precision has room for the squares of 1e300. Beyond v = 10±³⁰ nothing changes any more.
    """
    phi = np.linspace(0.0, 1.0, 2**depth + 1)
    centre = quantiles(observed, phi)
    gaps = [
        (quantiles(one, phi) - centre).astype(np.longdouble) for one in np.atleast_2d(synthetic)
    ]
    delta = np.sqrt(np.mean(np.square(gaps), axis=0))
    nodes = {}
    for level in range(depth):
        width = 2 ** (depth - level)
        for left in range(0, 2**depth, width):
            middle = left + width // 2
            right = left + width
            first = centre[middle] - centre[left]
            second = centre[right] - centre[middle]
            v = 2.0 * c * delta[middle] ** 2
            if first == second:  # also where both halves are flat
                first = second = 1.0
            if first == 0.0 or second == 0.0:
                nodes[left, right] = float(first > 0.0)
            elif v < 1e-24:
                nodes[left, right] = float(first / (first + second))
            else:
                nodes[left, right] = beta_law(
                    float(np.clip(first / second, 1e-150, 1e150)), float(min(v, 1e30))
                )
    ends = np.sqrt(np.longdouble(c)) * delta[[0, -1]]
    return centre[0], centre[-1], *ends, nodes


def risk_moments(observed, synthetic, c, depth):
    """E[R] and sd[R] of a path of straight pieces: the rise D integrated numerically, W by E[W] and
    E[W²] of every node.
    """
    m0, m1, s0, s1, nodes = parameters(observed, synthetic, c, depth)
    mean, second = _height(nodes, 0, 2**depth)
    unit = max(m1 - m0, s0, s1)
    if unit == 0.0:
        return float(m0), 0.0
    rise, s0, s1 = (float(value / unit) for value in (m1 - m0, s0, s1))
    s = np.hypot(s0, s1)
    if s == 0.0:
        return float(m0 + unit * rise * mean), float(
            unit * rise * np.sqrt(max(second - mean**2, 0.0))
        )
    edges = np.linspace(max(0.0, rise - 12 * s), rise + 12 * s, 200_001)
    d = 0.5 * (edges[1:] + edges[:-1])
    weight = np.exp(-0.5 * ((d - rise) / s) ** 2)
    weight /= weight.sum()
    first = -((s0 / s) ** 2) * (d - rise)  # E[q^(0) − m₀ | D]
    expected = np.sum(weight * (first + d * mean))
    # Var R = Var E[R | D] + E Var[R | D]
    within = (s0 * s1 / s) ** 2 + d**2 * max(second - mean**2, 0.0)
    variance = np.sum(weight * ((first + d * mean - expected) ** 2 + within))
    return float(m0 + unit * expected), float(unit * np.sqrt(variance))


def _height(nodes, left, right):
    """E[W] and E[W²] of the average height of a sub-path, as a fraction of its rise."""
    if (left, right) not in nodes:
        return 0.5, 0.25
    law = nodes[left, right]
    if isinstance(law, tuple):
        alpha, beta = law
        x = alpha / (alpha + beta)
        xx = alpha * (alpha + 1) / ((alpha + beta) * (alpha + beta + 1))
    else:
        x = law
        xx = law**2
    middle = (left + right) // 2
    a, aa = _height(nodes, left, middle)
    b, bb = _height(nodes, middle, right)
    # W = ½ [x W_L + x + (1 − x) W_R], with x, W_L, W_R independent.
    mean = 0.5 * (x * a + x + (1 - x) * b)
    one = 1 - 2 * x + xx  # E[(1 − x)²]
    cross = x - xx  # E[x (1 − x)]
    square = 0.25 * (xx * aa + xx + one * bb + 2 * xx * a + 2 * cross * a * b + 2 * cross * b)
    return mean, square


def paths(observed, synthetic, c, depth, n_paths, rng):
    """Whole paths, node by node, every point of them; and their risks by the trapezoid sum."""
    m0, m1, s0, s1, nodes = parameters(observed, synthetic, c, depth)
    found = []
    while len(found) < n_paths:
        first = rng.normal(m0, float(s0))
        last = rng.normal(m1, float(s1))
        if first < last or (s0 + s1 == 0.0 and first <= last):
            path = np.empty(2**depth + 1)
            path[[0, -1]] = first, last
            for (left, right), law in sorted(
                nodes.items(), key=lambda item: item[0][0] - item[0][1]
            ):
                x = rng.beta(*law) if isinstance(law, tuple) else law
                path[(left + right) // 2] = path[left] + x * (path[right] - path[left])
            found.append(path)
    found = np.array(found)
    return found, np.mean(0.5 * (found[:, 1:] + found[:, :-1]), axis=1)


def wasserstein(a, b):
    """∫ |F_a − F_b| over the loss, from the two step functions."""
    points = np.sort(np.concatenate([a, b]))
    below_a = np.searchsorted(np.sort(a), points[:-1], "right") / a.size
    below_b = np.searchsorted(np.sort(b), points[:-1], "right") / b.size
    return float(np.sum(np.abs(below_a - below_b) * np.diff(points)))


def transport(losses, c):
    """[a, b] = P(R_a < R_b), pair by pair, from the differences themselves."""
    n = len(losses)
    squares = [
        np.mean([wasserstein(own, one) ** 2 for one in np.atleast_2d(other)])
        for own, other in losses
    ]
    matrix = np.full((n, n), 0.5)
    for a in range(n):
        for b in range(n):
            if a == b:
                continue
            difference = losses[b][0] - losses[a][0]
            gap = np.mean(difference)
            spread = np.sqrt(
                c * (squares[a] + squares[b]) + np.var(difference, ddof=1) / difference.size
            )
            matrix[a, b] = special.ndtr(gap / spread) if spread > 0.0 else 0.5 + 0.5 * np.sign(gap)
    return matrix


def rejections(risk, probability, threshold):
    """Model → the best of the rivals of lower risk that beat it with more than the threshold, by
    looking at all.
    """
    found = {}
    for model in range(len(risk)):
        rivals = [
            b
            for b in range(len(risk))
            if risk[b] < risk[model] and probability[b, model] > threshold
        ]
        if rivals:
            found[model] = min(rivals, key=lambda rival: (risk[rival], rival))
    return found
