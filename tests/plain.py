"""The laws once more, as plainly as possible: an oracle that shares no code with the library.

Pairs one by one from losses at points, every formula as it stands in
`docs/explanation`.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy.special import ndtr, ndtri, stdtr


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


SCALES = [0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
NODES = [*np.arange(0.0, 6.0, 0.15), *np.geomspace(6.0, 200.0, 20)]


def prior_of_two():
    """Log-normal over scales, median 5.4 and sd 1, and .005 at none."""
    p = np.array([np.exp(-0.5 * np.log(s / 5.4) ** 2) if s else 0.0 for s in SCALES])
    p *= 0.995 / p.sum()
    p[0] = 0.005
    return p


def heights(z):
    """The density of z under each scale."""
    return np.array([np.exp(-(z**2) / 2 / (1 + s**2)) / sqrt(1 + s**2) for s in SCALES])


def learned(leads):
    """By EM from the leads of all pairs of so many models, which count as one less."""
    start = prior_of_two()
    n_models = (1 + sqrt(1 + 8 * len(leads))) / 2
    each = []
    for lead in np.minimum(np.abs(leads), NODES[-1]).tolist():
        i = max(np.searchsorted(NODES, lead) - 1, 0)
        part = (lead - NODES[i]) / (NODES[i + 1] - NODES[i])
        each += [(1 - part, heights(NODES[i])), (part, heights(NODES[i + 1]))]
    p = start
    for _ in range(30):
        found = sum(w * p * h / (p @ h) for w, h in each) * (n_models - 1) / len(leads)
        p = found + 2.0 * start
        p = p / p.sum()
    return p


def budget(d, v, left_out, shared=None, folds=0):
    """seen, s² and SS of one pair."""
    g = d.size
    s2 = max(float(np.var(d, ddof=1)), float(v.mean()))
    if not left_out:
        return s2 / g, s2, 0.0
    if shared is None:
        return s2 / g * (1 + 2 / g), s2, 0.0
    return s2 / g + (2 * (folds - 1) / folds + 0.5) * shared, s2, shared


def score(lead, seen, new, degrees):
    """z: Student's t made normal, in standard errors of what was seen."""
    t = abs(lead) / sqrt(seen + new)
    return np.sign(lead) * -ndtri(stdtr(degrees, -t)) * sqrt(1 + new / seen)


def groups_law(observed, groups, simulated=None, *, m=None, margin=0.0, left_out=False):
    """[a, b] = P(R_a < R_b − margin) under method "groups"; arrays are models × points."""
    inside = by_group(groups)
    k, g = len(observed), len(inside)
    m = g if m is None else m
    means = np.array([np.mean([x[each].mean() for each in inside]) for x in observed])
    order = np.argsort(means, kind="stable").tolist()
    known = {}
    for a, b in np.ndindex(k, k):
        if a != b:
            d, v = paired(observed[a], observed[b], inside)
            known[a, b] = (d, *budget(d, v, left_out))
    matrix = np.full((k, k), 0.0 if margin else 0.5)
    for a, b in known:
        d, seen, s2, ss = known[a, b]
        if seen <= 1e-28:
            matrix[a, b] = 0.5 + 0.5 * np.sign(-margin - d[0])
            continue
        low, high = sorted((order.index(a), order.index(b)))
        between = order[low : high + 1]
        leads = []
        for i, first in enumerate(between):
            for second in between[i + 1 :]:
                e, e_seen, e_s2, e_ss = known[first, second]
                leads.append(score(-e.mean(), e_seen, e_s2 / g + e_ss, g - 1))
        new = s2 / m + ss
        z = score(-d.mean() - margin, seen, new, g - 1)
        p = learned(leads) * heights(z)
        kept = [s**2 / (1 + s**2) for s in SCALES]
        parts = [ndtr(z * k_j / sqrt(k_j + new / seen)) if k_j else 0.5 for k_j in kept]
        matrix[a, b] = p @ parts / p.sum()
    return matrix


def transport_law(observed, simulated, *, c=0.25, margin=0.0):
    """The same under method "transport"."""
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
    """Each group weighs the same."""
    return np.array([np.mean([x[each].mean() for each in by_group(groups)]) for x in observed])


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
