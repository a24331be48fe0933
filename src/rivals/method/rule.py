"""The rule that rejects: a rival of lower mean loss that is better with a probability above ε.

A model is rejected if some rival has a lower empirical risk and beats it with a probability above
the threshold ε; of several such rivals, the one of lowest empirical risk is named. What is not
rejected survives: one model, several, or all. A rejection that single simulations do not share is
undecided, and the model survives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rivals._types import BoolArray, FloatArray, IntArray

# A rejection that a smaller fraction of the single simulations shares is undecided: with other
# random numbers it may be gone.
STABLE = 0.9


@dataclass(frozen=True)
class Duel:
    """One pair that decides about a model: P(rival better) and its Monte Carlo standard error."""

    model: int
    rival: int
    probability: float
    standard_error: float


def reject(risk: FloatArray, probability: FloatArray, threshold: float) -> dict[int, Duel]:
    """The rule on a matrix of probabilities, [a, b] that a is better: the duel that rejects a
    model.

    Examples
    --------
    >>> probability = np.array([[0.5, 0.97, 0.8], [0.03, 0.5, 0.4], [0.2, 0.6, 0.5]])
    >>> duels = reject(np.array([0.1, 0.3, 0.2]), probability, 0.95)
    >>> [(duel.model, duel.rival) for duel in duels.values()]
    [(1, 0)]
    """
    return reject_at_each(risk, probability, [threshold])[0]


def reject_at_each(
    risk: FloatArray, probability: FloatArray, thresholds: Sequence[float]
) -> list[dict[int, Duel]]:
    """The same at each of several thresholds."""
    order = np.argsort(risk, kind="stable")
    rivals = rejecting_rivals_at_each(risk[order], risk, probability[order], thresholds)
    return [_duels(order, rival, probability) for rival in rivals]


def _duels(order: IntArray, rival: IntArray, probability: FloatArray) -> dict[int, Duel]:
    return {
        model: Duel(
            model, int(order[rival[model]]), float(probability[order[rival[model]], model]), 0.0
        )
        for model in order.tolist()
        if rival[model] >= 0
    }


def rejecting_rivals(
    risk_of_rivals: FloatArray, risk_of_models: FloatArray, evidence: FloatArray, limit: float
) -> IntArray:
    """For each model the first rival, best first, that rejects it; −1 where none does.

    Parameters
    ----------
    risk_of_rivals, risk_of_models : array
        Empirical risks; those of the rivals in increasing order.
    evidence : array, shape (rivals, models)
        The probability that the rival is better, or anything that increases with it.
    limit : float
        The threshold, on the scale of the evidence.
    """
    lower = risk_of_rivals[:, None] < risk_of_models[None, :]
    beats = lower & (evidence > limit)
    first = np.argmax(beats, axis=0)
    found = beats[first, np.arange(risk_of_models.size)]
    return np.where(found, first, -1)


def rejecting_rivals_at_each(
    risk_of_rivals: FloatArray,
    risk_of_models: FloatArray,
    evidence: FloatArray,
    limits: Sequence[float],
) -> IntArray:
    """The same at each of several limits, limits × models."""
    lower = risk_of_rivals[:, None] < risk_of_models[None, :]
    # The first rival beyond a limit is the first at which the largest so far is beyond it.
    known = np.where(lower & ~np.isnan(evidence), evidence, -np.inf)
    largest = np.maximum.accumulate(known, axis=0)
    first = [np.searchsorted(column, limits, side="right") for column in largest.T]
    found = np.stack(first, axis=1)
    return np.where(found < risk_of_rivals.size, found, -1)


def shared_by(rejected: BoolArray, by_simulation: BoolArray) -> FloatArray:
    """Fraction of the single simulations with the same verdict on each model.

    nan where there are not several simulations.
    """
    if len(by_simulation) < 2:
        return np.full(rejected.size, np.nan)
    return np.asarray(np.mean(by_simulation == rejected, axis=0))


def simulations_needed(n_simulations: int) -> int:
    """How many of them must reject a model for its rejection to stand.

    Examples
    --------
    >>> simulations_needed(16), simulations_needed(10)
    (15, 9)
    """
    counts = np.arange(n_simulations + 1)
    enough = counts / max(n_simulations, 1) >= STABLE
    return int(np.argmax(enough))
