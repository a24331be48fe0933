"""The smallest difference that matters: by how much the best model is better, or equivalent.

δ is the margin, D the difference of two risks over a replication. P(D < −δ) says that a model is
better by more than the margin, P(|D| < δ) that both are equivalent, P(D < δ) that it is not worse.
Without a margin the data say what would follow from one: better by at least the δ with
P(D < −δ) = ε, equivalent within the δ with P(|D| < δ) = ε.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rivals._types import FloatArray
from rivals.laws.base import Applied
from rivals.laws.differences import better_by, equivalent_within

# With fewer groups than this, models that are called equivalent too often are not: with four groups
# and a margin as wide as the spread between them, one in seven (docs/does-it-work.md).
LEAST_FOR_EQUIVALENCE = 8


class BesideBest(NamedTuple):
    """The best model beside each other one, at the horizon asked for; arrays over the models.

    Attributes
    ----------
    better_by : array
        The best is better by at least this, with the probability of the threshold; below 0 where it
        may be worse.
    equivalent_within : array
        Both differ by no more than this, with that probability.
    """

    better_by: FloatArray
    equivalent_within: FloatArray


def beside_best(applied: Applied) -> BesideBest:
    """By how much the best model is better than each, and within what they are equivalent.

    0 for the best model itself, nan for a pair that is not judged.
    """
    n_models = applied.empirical.size
    others = np.flatnonzero(np.arange(n_models) != applied.best)
    best = np.full(others.size, applied.best)
    law = applied.differences(best, others)
    threshold = applied.setting.threshold
    better = np.zeros(n_models)
    within = np.zeros(n_models)
    judged = applied.judged(best, others)
    better[others] = np.where(judged, better_by(law, threshold), np.nan)
    within[others] = np.where(judged, equivalent_within(law, threshold), np.nan)
    return BesideBest(better, within)


def equivalence(applied: Applied) -> FloatArray:
    """[a, b] = P(both risks differ by less than the margin); 1 on the diagonal."""
    better = applied.exceedance()[0]
    probability = np.clip(1.0 - better - better.T, 0.0, 1.0)
    np.fill_diagonal(probability, 1.0)
    return probability


def equivalent_to_best(applied: Applied) -> FloatArray:
    """The row of the best model."""
    better, worse = applied.exceeds_best()
    probability = np.clip(1.0 - better - worse, 0.0, 1.0)
    probability[applied.best] = 1.0
    return probability


def too_few_groups(applied: Applied) -> str:
    """Why equivalence is not stated: a sentence; "" where it may be."""
    groups = applied.setting.groups
    if groups is None or not applied.law.needs_groups:
        return ""
    if len(groups.names) >= LEAST_FOR_EQUIVALENCE:
        return ""
    return (
        f"Equivalence is not stated from {len(groups.names)} groups: with fewer than "
        f"{LEAST_FOR_EQUIVALENCE} it fails too often; take more groups."
    )


def relations(applied: Applied) -> list[str]:
    """What the best is beside each model, with a margin.

    "better", "equivalent", "not worse" or "undecided".
    """
    threshold = applied.setting.threshold
    few = bool(too_few_groups(applied))
    found = []
    for better, worse in zip(*applied.exceeds_best(), strict=True):
        if better > threshold:
            found.append("better")
        elif 1.0 - better - worse > threshold and not few:
            found.append("equivalent")
        elif 1.0 - worse > threshold:
            found.append("not worse")
        else:
            found.append("undecided")
    return found
