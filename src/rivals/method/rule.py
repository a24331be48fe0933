"""The rule that rejects, and the only place that does.

A model is rejected if a rival of lower risk is better with a probability above the threshold; of
several such rivals the one of lowest risk is named. A rejection is undecided, and the model not
rejected, where the Monte Carlo error reaches the threshold, or where fewer than nine in ten of the
single simulations share it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rivals._types import BoolArray, FloatArray, IntArray
from rivals.evidence import Evidence
from rivals.setting import Setting

STABLE = 0.9
ERRORS = 2.0


@dataclass(frozen=True)
class Rejection:
    """A rival against a model: P(rival better), and why it is open, if it is."""

    model: str
    by: str
    probability: float
    open_because: Literal["", "draws", "simulations"] = ""


@dataclass(frozen=True, eq=False)
class Decision:
    """Which models are rejected.

    Attributes
    ----------
    ranking : tuple of str
        All models, by risk.
    rejections, undecided : dict
        The rejection of each model that is rejected, and of each that would be but for its error.
    stability : array
        Part of the single simulations that agree about each model; nan without several.
    """

    ranking: tuple[str, ...]
    rejections: dict[str, Rejection]
    undecided: dict[str, Rejection]
    stability: FloatArray

    @property
    def survivors(self) -> tuple[str, ...]:
        """Models that are not rejected, by risk."""
        return tuple(name for name in self.ranking if name not in self.rejections)


def decide(evidence: Evidence, setting: Setting) -> Decision:
    """Apply the rule."""
    names = evidence.names
    order = np.argsort(evidence.risk, kind="stable")
    found = applied(evidence, setting)
    unstable = found.rejected & (found.stability < STABLE)  # nan is not below anything
    kept: dict[str, Rejection] = {}
    undecided: dict[str, Rejection] = {}
    for model in order[found.pair[order] >= 0].tolist():
        pair = int(found.pair[model])
        reason: Literal["", "draws", "simulations"] = "" if found.rejected[model] else "draws"
        if unstable[model]:
            reason = "simulations"
        by = names[evidence.better[pair]]
        rejection = Rejection(names[model], by, float(evidence.forward[pair]), reason)
        (undecided if reason else kept)[names[model]] = rejection
    ranking = tuple(names[place] for place in order.tolist())
    return Decision(ranking, kept, undecided, found.stability)


@dataclass(frozen=True, eq=False)
class Applied:
    """The rule as arrays: for each model the pair that rejects it, or would, −1 without any;
    whether it surely does; and the part of the single simulations that agree.
    """

    pair: IntArray
    rejected: BoolArray
    stability: FloatArray


def applied(evidence: Evidence, setting: Setting) -> Applied:
    """The rule, of all models at a time."""
    threshold = setting.threshold
    order = np.argsort(evidence.risk, kind="stable")
    lower = evidence.risk[evidence.better] < evidence.risk[evidence.worse]
    above = lower & evidence.clear & (evidence.forward > threshold)
    surely = above & (evidence.forward - ERRORS * evidence.error > threshold)
    rival = _best_rival(evidence, order, surely)
    rejected = rival >= 0
    pair = np.where(rejected, rival, _best_rival(evidence, order, above))
    return Applied(pair, rejected, _shared(evidence.strongest > threshold, rejected))


def _best_rival(evidence: Evidence, order: IntArray, beats: BoolArray) -> IntArray:
    """For each model the pair in which the rival of lowest risk beats it; −1 where none does."""
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    pairs = np.flatnonzero(beats)
    worst_first = pairs[np.argsort(-rank[evidence.better[pairs]], kind="stable")]
    found = np.full(order.size, -1)
    found[evidence.worse[worst_first]] = worst_first  # the last one written, the best, stays
    return found


def _shared(alone: BoolArray, rejected: BoolArray) -> FloatArray:
    """Part of the single simulations that agree with all of them together."""
    if len(alone) < 2:
        return np.full(rejected.size, np.nan)
    return np.asarray(np.mean(alone == rejected, axis=0))
