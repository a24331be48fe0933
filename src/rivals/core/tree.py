"""Kernels on the tree of midpoints: centre ratios, exact moments, shares of the variance, sampling.

Nodes are kept level by level in one array: level k holds 2^k nodes, from left to right, at [2^k − 1, 2^(k+1) − 1).
The children of node i are 2i + 1 (left half) and 2i + 2 (right half). Of a sub-path, W is the average height over
its interval as a fraction of its rise; it does not depend on the realisation above it (method.md §3).
"""

from __future__ import annotations

import numpy as np

from rivals._types import FloatArray, IntArray


def level(depth: int) -> slice:
    """Where the nodes of one level stand."""
    return slice(2**depth - 1, 2 ** (depth + 1) - 1)


def grid(depth: int) -> FloatArray:
    """The 2^depth + 1 dyadic abscissae."""
    return np.linspace(0.0, 1.0, 2**depth + 1)


def midpoints(depth: int) -> IntArray:
    """For each node, the index of its midpoint on `grid(depth)`."""
    return np.concatenate([(2 * np.arange(2**k) + 1) * 2 ** (depth - k - 1) for k in range(depth)])


def log_ratios(centre: FloatArray, depth: int) -> FloatArray:
    """ln r of each node: the ratio of the two increments of the centre; −inf, inf or nan where these are zero."""
    ratios = np.empty(2**depth - 1)
    for k in range(depth):
        half = 2 ** (depth - k - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_increments = np.log(np.diff(centre[::half]))
            ratios[level(k)] = log_increments[0::2] - log_increments[1::2]
    return ratios


def moments(mean: FloatArray, variance: FloatArray, leaves: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of W of every node from those of x; leaves are constants (method.md §3).

    E[W] = ½ [E x (1 + E W_L − E W_R) + E W_R],
    Var[W] = ¼ [Var x (1 + E W_L − E W_R)² + E[x²] Var W_L + E[(1−x)²] Var W_R].
    """
    depth = leaves.size.bit_length() - 1
    mean_w, variance_w = np.empty_like(mean), np.empty_like(mean)
    below_mean, below_variance = leaves, np.zeros_like(leaves)
    for k in reversed(range(depth)):
        here = level(k)
        x, v = mean[here], variance[here]
        left, right = below_mean[0::2], below_mean[1::2]
        lever = 1.0 + left - right
        below_mean = 0.5 * (x * lever + right)
        below_variance = 0.25 * (
            v * lever**2 + (x**2 + v) * below_variance[0::2] + ((1.0 - x) ** 2 + v) * below_variance[1::2]
        )
        mean_w[here], variance_w[here] = below_mean, below_variance
    return mean_w, variance_w


def variance_terms(
    mean: FloatArray, variance: FloatArray, mean_w: FloatArray, leaves: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What each node's own x adds to Var W of the root, and the weight with which its subtree enters.

    The terms add up to Var W exactly; those below a node, over its weight, to Var W of that node.
    """
    depth = leaves.size.bit_length() - 1
    terms, weights = np.empty_like(mean), np.empty_like(mean)
    weight = np.ones(1)
    children = np.concatenate([mean_w[1:], leaves])  # of node i: 2i and 2i + 1
    for k in range(depth):
        here = level(k)
        x, v = mean[here], variance[here]
        lever = 1.0 + children[2 * here.start : 2 * here.stop : 2] - children[2 * here.start + 1 : 2 * here.stop : 2]
        terms[here], weights[here] = 0.25 * weight * v * lever**2, weight
        weight = 0.25 * np.column_stack([weight * (x**2 + v), weight * ((1.0 - x) ** 2 + v)]).ravel()
    return terms, weights


def descendants(nodes: IntArray, depth: int, deepest: int) -> IntArray:
    """For each of some nodes of one level (by place in it): itself and all below, one row each."""
    widths = [2 ** (below - depth) for below in range(depth, deepest)]
    columns = [level(depth + k).start + nodes[:, None] * width + np.arange(width) for k, width in enumerate(widths)]
    return np.concatenate(columns, axis=1)


def with_ancestors(chosen: IntArray) -> IntArray:
    """The chosen nodes and all above them, from the bottom to the top."""
    found = set()
    for node in chosen.tolist():
        while node >= 0 and node not in found:
            found.add(node)
            node = (node - 1) // 2 if node else -1
    return np.array(sorted(found, reverse=True), dtype=np.intp)


def sample_root(
    n_draws: int,
    drawn: IntArray,
    alpha: FloatArray,
    beta: FloatArray,
    mean_w: FloatArray,
    variance_w: FloatArray,
    leaves: FloatArray,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Conditional mean and variance of W of the root, given the x of the nodes in `drawn` (children first).

    V = ¼ [x² V_L + (1 − x)² V_R] going up; a child that is not drawn enters by its exact moments.
    """
    means = np.concatenate([mean_w, leaves])
    variances = np.concatenate([variance_w, np.zeros_like(leaves)])
    pending: dict[int, tuple[FloatArray, FloatArray]] = {}
    for node in drawn.tolist():
        left_mean, left_variance = pending.pop(2 * node + 1, (means[2 * node + 1], variances[2 * node + 1]))
        right_mean, right_variance = pending.pop(2 * node + 2, (means[2 * node + 2], variances[2 * node + 2]))
        x = rng.beta(alpha[node], beta[node], size=n_draws)
        mean = 0.5 * (x * (1.0 + left_mean - right_mean) + right_mean)
        variance = 0.25 * (x**2 * left_variance + (1.0 - x) ** 2 * right_variance)
        pending[node] = (mean, variance)
    return pending.pop(0, (np.full(n_draws, mean_w[0]), np.full(n_draws, variance_w[0])))
