"""The verdict on all models under one law of the risk, and how much it depends on the simulations."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rivals._types import FloatArray
from rivals.core.verdict import Duel, reject
from rivals.laws.base import Applied, Correct

# A rejection that a smaller fraction of the single simulations shares is undecided: with other random numbers it may be gone.
STABLE = 0.9


@dataclass(frozen=True, eq=False)
class Verdict:
    """Which models some rival reproducibly beats; models by their place.

    Attributes
    ----------
    rejections : dict
        The duel that rejects a model, by model.
    undecided : list of Duel
        Those within the Monte Carlo error of the threshold.
    unstable : list of Duel
        Those that would reject a model if fewer than nine in ten of the single simulations did not say otherwise.
    stability : array
        Fraction of the single simulations with the same verdict on each model; nan with one simulation.
    calibrated : array or None
        The matrix of probabilities, corrected by a calibration; it then decides.
    remarks : tuple of str
        What a calibration says of itself; none without one.
    survivors_under : dict
        Of a calibration: names of the survivors under each epistemic distribution.
    """

    rejections: dict[int, Duel]
    undecided: list[Duel]
    unstable: list[Duel]
    stability: FloatArray
    calibrated: FloatArray | None = None
    remarks: tuple[str, ...] = ()
    survivors_under: dict[str, list[str]] = field(default_factory=dict)


def judge(applied: Applied, correct: Correct | None = None, *, stability: bool = True) -> Verdict:
    """Find the models that some rival reproducibly beats; `correct` applies a calibration to probabilities."""
    threshold = applied.setting.threshold
    if correct is None:
        calibrated = None
        rejections, undecided = applied.decide()
    else:
        probability, error = applied.matrix()
        calibrated = correct(probability)
        rejections = reject(applied.empirical, calibrated, threshold)
        undecided = _too_close(applied, probability, error, correct)
    same = np.full(applied.empirical.size, np.nan)
    by_simulation = applied.rejected_by_simulation(correct) if stability else np.empty(0)
    if len(by_simulation) > 1:
        rejected = np.isin(np.arange(same.size), list(rejections))
        same = np.mean(by_simulation == rejected, axis=0)
    unstable = [duel for model, duel in rejections.items() if same[model] < STABLE]
    gone = {duel.model for duel in unstable}
    kept = {model: duel for model, duel in rejections.items() if model not in gone}
    return Verdict(kept, [duel for duel in undecided if duel.model not in gone], unstable, same, calibrated)


def _too_close(applied: Applied, probability: FloatArray, error: FloatArray, correct: Correct) -> list[Duel]:
    """Duels whose corrected probability lies on the other side of the threshold two standard errors away."""
    threshold = applied.setting.threshold
    low, high = (correct(np.clip(probability + sign * error, 0.0, 1.0)) for sign in (-2.0, 2.0))
    unclear = (low <= threshold) & (high > threshold) & (applied.empirical[:, None] < applied.empirical[None, :])
    return [
        Duel(int(model), int(rival), float(probability[rival, model]), float(error[rival, model]))
        for rival, model in zip(*np.nonzero(unclear), strict=True)
        if error[rival, model] > 0.0
    ]
