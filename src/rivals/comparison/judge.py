"""The verdict on all models under one law of the risk.

How much it depends on the simulations, and how calibrations change it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from rivals._say.words import listed, show
from rivals._types import BoolArray, FloatArray
from rivals.laws.base import Applied, Correct
from rivals.method.rule import (
    STABLE,
    Duel,
    reject,
    reject_at_each,
    rejecting_rivals_at_each,
    shared_by,
)


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
        Those that would reject a model if fewer than nine in ten of the single simulations did not
        say otherwise.
    stability : array
        Fraction of the single simulations with the same verdict on each model; nan with one
        simulation.
    calibrated : array or None
        The matrix of probabilities, corrected by a calibration; it then decides.
    remarks : tuple of str
        What a calibration says of itself; none without one.
    survivors_under : dict
        Of a calibration: names of the survivors under each epistemic distribution.
    methods : str
        Of a calibration: how it was made and how it is used, for a paper.
    """

    rejections: dict[int, Duel]
    undecided: list[Duel]
    unstable: list[Duel]
    stability: FloatArray
    calibrated: FloatArray | None = None
    remarks: tuple[str, ...] = ()
    survivors_under: dict[str, list[str]] = field(default_factory=dict)
    methods: str = ""


def judge(applied: Applied, correct: Correct | None = None) -> Verdict:
    """Find the models that some rival reproducibly beats.

    Every verdict comes from here: that of a comparison, of a sweep, and of the page at any c and
    threshold. `correct` applies a calibration to probabilities.
    """
    calibrated = None
    if correct is None:
        rejections, undecided = applied.decide()
    else:
        probability, error = applied.matrix()
        calibrated = correct(probability)
        rejections = reject(applied.empirical, calibrated, applied.setting.threshold)
        undecided = _too_close(applied, probability, error, correct)
    by_simulation = applied.rejected_by_simulation(correct)
    return _standing(applied.empirical.size, rejections, undecided, by_simulation, calibrated)


def judge_at_each(applied: Applied, thresholds: Sequence[float]) -> list[Verdict]:
    """The verdicts at several thresholds, from pairs that are computed once.

    Under a law of closed form they are those of `judge`. Under a law that draws, `judge` draws more
    where a pair is close to the threshold; here that pair is undecided.
    """
    risk = applied.empirical
    probability, error = applied.exceedance()
    order = np.argsort(risk, kind="stable")
    alone = []
    for matrix in applied.single_matrices():
        rivals = rejecting_rivals_at_each(risk[order], risk, matrix[order], thresholds)
        alone.append(rivals >= 0)
    of_each = reject_at_each(risk, probability, thresholds)
    has_errors = bool(error.any())
    verdicts = []
    for place, threshold in enumerate(thresholds):
        rejections = of_each[place]
        undecided: list[Duel] = []
        if has_errors:
            rejections, undecided = _with_errors(rejections, risk, probability, error, threshold)
        by_simulation = np.array([rejected[place] for rejected in alone], dtype=bool)
        verdicts.append(_standing(risk.size, rejections, undecided, by_simulation))
    return verdicts


def _with_errors(
    rejections: dict[int, Duel],
    risk: FloatArray,
    probability: FloatArray,
    error: FloatArray,
    threshold: float,
) -> tuple[dict[int, Duel], list[Duel]]:
    """The rule on probabilities with errors: clear duels first, then those too close to call."""
    lower = risk[:, None] < risk[None, :]
    close = lower & (error > 0.0) & (np.abs(probability - threshold) <= 2.0 * error)
    if not close.any():
        return rejections, []
    clear = reject(risk, np.where(close, 0.0, probability), threshold)
    undecided = [
        Duel(model, rival, float(probability[rival, model]), float(error[rival, model]))
        for rival, model in np.argwhere(close).tolist()
        if model not in clear
    ]
    return rejections | clear, undecided


def _standing(
    n_models: int,
    rejections: dict[int, Duel],
    undecided: list[Duel],
    by_simulation: BoolArray,
    calibrated: FloatArray | None = None,
) -> Verdict:
    """The verdict: a rejection stands where enough of the single simulations share it."""
    rejected = np.zeros(n_models, dtype=bool)
    rejected[list(rejections)] = True
    stability = shared_by(rejected, by_simulation)
    unstable = [duel for model, duel in rejections.items() if stability[model] < STABLE]
    survives = {duel.model for duel in unstable}
    kept = {model: duel for model, duel in rejections.items() if model not in survives}
    close = [duel for duel in undecided if duel.model not in survives]
    return Verdict(kept, close, unstable, stability, calibrated)


def _too_close(
    applied: Applied, probability: FloatArray, error: FloatArray, correct: Correct
) -> list[Duel]:
    """Duels whose corrected probability lies on the other side of the threshold two standard
    errors away.
    """
    threshold = applied.setting.threshold
    low, high = (correct(np.clip(probability + sign * error, 0.0, 1.0)) for sign in (-2.0, 2.0))
    unclear = (
        (low <= threshold)
        & (high > threshold)
        & (applied.empirical[:, None] < applied.empirical[None, :])
    )
    return [
        Duel(int(model), int(rival), float(probability[rival, model]), float(error[rival, model]))
        for rival, model in zip(*np.nonzero(unclear), strict=True)
        if error[rival, model] > 0.0
    ]


# ---------------------------------------------------------------- by calibrations


@dataclass(frozen=True)
class Rule:
    """How a calibration wants B to be read.

    Attributes
    ----------
    name : str
        Of the epistemic distribution.
    c : float
    correct : callable
        Applied to probabilities before they are held against the threshold.
    remarks : tuple of str
        What the calibration rests on, and what to know of it.
    methods : str
        How it was made and how it is used, for a paper.
    """

    name: str
    c: float
    correct: Correct
    remarks: tuple[str, ...]
    methods: str = ""


def judge_calibrated(
    names: Sequence[str], applied: Applied, calibrations: Sequence[Any]
) -> tuple[Applied, Verdict]:
    """The verdict that rejects least, of one for each calibration.

    And who survives under every epistemic distribution.
    """

    @cache
    def at(c: float) -> Applied:
        return applied if c == applied.setting.c else applied.at(c)

    order = np.argsort(applied.empirical, kind="stable").tolist()
    found = []
    under = {}
    for number, calibration in enumerate(calibrations, start=1):
        rules = calibration.rules(names, applied.setting.threshold)
        verdicts = [(at(rule.c), judge(at(rule.c), rule.correct), rule) for rule in rules]
        found.append(verdicts[0])
        for _, verdict, rule in verdicts[1:] or verdicts:
            label = f"{rule.name} ({number})" if rule.name in under else rule.name
            under[label] = [names[place] for place in order if place not in verdict.rejections]
    decides, verdict, rule = min(found, key=lambda one: len(one[1].rejections))
    remarks = (*dict.fromkeys(rule.remarks), *_under_each(under))
    methods = rule.methods
    if len(found) > 1:
        methods = f"Of {len(found)} calibrations the one that rejects least decides. {methods}"
    return decides, replace(verdict, remarks=remarks, survivors_under=under, methods=methods)


def _under_each(under: dict[str, list[str]]) -> list[str]:
    """Who survives under each of several epistemic distributions, in a sentence."""
    if len(under) < 2:
        return []
    if len({frozenset(survivors) for survivors in under.values()}) == 1:
        return [
            f"The same models survive under each of {len(under)} epistemic distributions "
            f"({listed(list(under))})."
        ]
    parts = "; ".join(
        f"under {show(name)!r}: {listed(survivors)}" for name, survivors in under.items()
    )
    return [
        f"The verdict depends on what varies between replications. Worth keeping {parts}. The "
        "most cautious decides."
    ]
