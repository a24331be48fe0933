"""The laws once more, as plainly as possible: an oracle that shares no code with the library.

Pairs one by one from losses at points, τ on one dense grid, every formula as it stands in
`docs/explanation`.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from scipy.special import ndtr


def by_group(groups):
    """The places of the points of each group, in the order of their first appearance."""
    labels = list(dict.fromkeys(np.asarray(groups).tolist()))
    return [np.flatnonzero(np.asarray(groups) == label) for label in labels]


def distance(observed, simulated):
    """∫ |q~ − q*| dΦ of as many losses."""
    return float(np.mean(np.abs(np.sort(observed) - np.sort(simulated))))


def paired(a, b, inside):
    """d_g, and σ²/n_g with σ² pooled within groups."""
    gap = a - b
    d = np.array([gap[each].mean() for each in inside])
    squares = sum(float(np.sum((gap[each] - gap[each].mean()) ** 2)) for each in inside)
    sizes = np.array([each.size for each in inside], dtype=float)
    return d, squares / max(sizes.sum() - sizes.size, 1.0) / sizes


def prior_scale(d, v, misfits, c):
    """√(c/2 · mean_g (W_a² + W_b²)), not below what could be seen; infinite without simulations."""
    if misfits is None:
        return inf
    return max(sqrt(0.5 * c * max(misfits, v.mean())), 1e-3 * float(np.std(d)))


def law_of_tau(d, v, scale):
    """τ on a grid, its weights, and μ̂ and V there."""
    shown = [float(np.std(d)), sqrt(v.max()), sqrt(v.min()), scale]
    known = [each for each in shown if 0.0 < each < inf]
    low, high = min(known), max(known)
    tau = np.exp(np.linspace(np.log(low) - 18.0, np.log(high) + 36.0, 4001))[:, None]
    total = tau**2 + v
    whole = np.sum(1.0 / total, axis=1)
    middle = np.median(d)
    centre = np.sum((d - middle) / total, axis=1) / whole
    misfit = np.sum((d - middle - centre[:, None]) ** 2 / total, axis=1)
    log = np.log(tau[:, 0]) - 0.5 * (np.sum(np.log(total), axis=1) + np.log(whole) + misfit)
    if scale < inf:
        log -= 2.0 * np.log1p(tau[:, 0] ** 2 / (3.0 * scale**2))
    weight = np.exp(log - log.max())
    seen = weight > 1e-18
    return tau[seen, 0], weight[seen] / weight.sum(), middle + centre[seen], 1.0 / whole[seen]


def groups_probability(d, v, scale, m, margin=0.0, kappa=0.0):
    """P(mean over m new groups < −margin); for one new group with the residual law."""
    tau, weight, centre, variance = law_of_tau(d, v, scale)
    variance = variance * (1.0 + kappa)
    height = ndtr((-margin - centre) / np.sqrt(variance + tau**2 / m))
    if m == 1:
        r = (d - centre[:, None]) * np.sqrt(tau**2 / (tau**2 + v[:, None])).T
        r = r - r.mean(axis=1, keepdims=True)
        std = np.sqrt(np.mean(r**2, axis=1, keepdims=True))
        r = np.where(std > 0.0, r * tau[:, None] / np.where(std > 0.0, std, 1.0), 0.0)
        alike = ndtr((-margin - centre[:, None] - r) / np.sqrt(variance)[:, None])
        share = min(d.size / 8.0, 1.0)
        height = share * alike.mean(axis=1) + (1.0 - share) * height
    return float(weight @ height)


def groups_law(observed, groups, simulated=None, *, m=None, c=0.25, margin=0.0, left_out=False):
    """[a, b] = P(R_a < R_b − margin) under law "groups"; arrays are models × points."""
    inside = by_group(groups)
    k, g = len(observed), len(inside)
    matrix = np.full((k, k), 0.0 if margin else 0.5)
    for a, b in np.ndindex(k, k):
        if a == b:
            continue
        d, v = paired(observed[a], observed[b], inside)
        if not np.any(d != d[0]) and not np.any(v):
            matrix[a, b] = 0.5 + 0.5 * np.sign(-margin - d[0])
            continue
        misfits = None
        if simulated is not None:
            misfits = np.mean(
                [
                    distance(observed[i][each], s[each]) ** 2
                    for i in (a, b)
                    for s in simulated[i]
                    for each in inside
                ]
            )
            misfits *= 2.0  # of both models
        scale = prior_scale(d, v, misfits, c)
        kappa = 12.0 / g if left_out else 0.0
        matrix[a, b] = groups_probability(d, v, scale, g if m is None else m, margin, kappa)
    return matrix


def transport_law(observed, simulated, *, c=0.25, margin=0.0):
    """The same under law "transport"."""
    k, n = observed.shape
    w = [
        np.mean([distance(x, s) ** 2 for s in each])
        for x, each in zip(observed, simulated, strict=True)
    ]
    matrix = np.full((k, k), 0.0 if margin else 0.5)
    for a, b in np.ndindex(k, k):
        gap = observed[a] - observed[b]
        std = sqrt(c * (w[a] + w[b]) + float(np.var(gap, ddof=1)) / n)
        centre = -margin - gap.mean()
        if a != b:
            matrix[a, b] = ndtr(centre / std) if std > 0.0 else 0.5 + 0.5 * np.sign(centre)
    return matrix


def mean_over_groups(observed, groups):
    """The mean over groups, small ones trusted less: one weighting for all models."""
    inside = by_group(groups)
    means = np.array([[x[each].mean() for each in inside] for x in observed])
    between, noise = 0.0, np.zeros(len(inside))
    for a in range(len(observed)):
        for b in range(a):
            d, v = paired(observed[a], observed[b], inside)
            between, noise = between + float(np.var(d, ddof=1)), noise + v
    total = max(between - noise.mean(), 0.0) + noise
    weights = 1.0 / total if total.min() > 0.0 else np.ones(len(inside))
    return means @ (weights / weights.sum())


def rejected(risk, probability, threshold=0.95):
    """Model → the rival of lowest risk that is better with a probability above the threshold."""
    found = {}
    for model in range(len(risk)):
        rivals = [
            rival
            for rival in range(len(risk))
            if risk[rival] < risk[model] and probability[rival, model] > threshold
        ]
        if rivals:
            found[model] = min(rivals, key=lambda rival: risk[rival])
    return found
