"""The rule, and the only place that applies thresholds: `classify` of pairs, `decide` of models.

Of a pair one side is better, worse or equivalent where the probability of that passes the
threshold, and nothing speaks against it: the order of risks, looks at growing data, the Monte Carlo
error, or single simulations, fewer than nine in ten of which share it. Else it is open.

A model is rejected if a rival of lower risk is better with a probability above the threshold; of
several such rivals the one of lowest risk is named. A rejection is undecided, and the model not
rejected, where the Monte Carlo error reaches the threshold, or where fewer than nine in ten of the
single simulations share it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rivals._core.evidence import Evidence
from rivals._core.setting import Setting
from rivals._core.types import BoolArray, FloatArray, IntArray

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


# What is said of one side of a pair; and why that is open where P alone would say it.
SAID = ("open", "better", "equivalent", "worse")
OPEN, BETTER, EQUIVALENT, WORSE = range(4)
BECAUSE = ("", "order", "looks", "draws", "simulations")
DRAWS = BECAUSE.index("draws")


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Of each pair, what is said of its first side, as places in SAID, and why it is open."""

    said: IntArray
    because: IntArray

    @property
    def words(self) -> tuple[str, ...]:
        """As "better"."""
        return tuple(SAID[each] for each in self.said.tolist())

    @property
    def reasons(self) -> tuple[str, ...]:
        """As "looks"; empty where P is not above the threshold, or nothing speaks against it."""
        return tuple(BECAUSE[each] for each in self.because.tolist())


def classify(
    better: FloatArray,
    worse: FloatArray,
    threshold: float,
    *,
    equivalent: FloatArray | None = None,
    lower: BoolArray | None = None,
    clear: BoolArray | None = None,
    error: FloatArray | float = 0.0,
    alone: FloatArray | None = None,
) -> Outcomes:
    """The outcome of each pair.

    Parameters
    ----------
    better, worse, equivalent : array, shape (pairs,)
        P that the first side is better by more than the margin, worse, or neither; equivalence is
        said only where it is asked for.
    threshold : float
    lower : array of bool
        Whether risks agree that it is better; where not, they agree that it is worse.
    clear : array of bool
        False where looks at growing data do not allow a decision yet.
    error : array
        Monte Carlo standard error.
    alone : array, shape (simulations, pairs)
        `better` by each simulation alone.

    Examples
    --------
    >>> classify(np.array([0.99, 0.5, 0.01]), np.array([0.01, 0.5, 0.99]), 0.95).words
    ('better', 'open', 'worse')
    """
    said = np.zeros(better.size, dtype=np.intp)
    because = np.zeros(better.size, dtype=np.intp)
    many = alone is not None and len(alone) > 1
    for code, chance in ((BETTER, better), (EQUIVALENT, equivalent), (WORSE, worse)):
        if chance is None:
            continue
        passes = chance > threshold
        if not passes.any():
            continue
        against = np.zeros(better.size, dtype=np.intp)  # the first that applies stays
        if many and code != EQUIVALENT:
            assert alone is not None
            agree = (alone if code == BETTER else 1.0 - alone) > threshold
            against[agree.mean(axis=0) < STABLE] = BECAUSE.index("simulations")
        against[~(chance - ERRORS * error > threshold)] = DRAWS
        if clear is not None and code != EQUIVALENT:
            against[~clear] = BECAUSE.index("looks")
        if lower is not None and code != EQUIVALENT:
            against[lower != (code == BETTER)] = BECAUSE.index("order")
        said[passes & (against == 0)] = code
        because = np.where(passes, against, because)
    return Outcomes(said, because)


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
    order = np.argsort(evidence.risk, kind="stable")
    found = classify(
        evidence.forward,
        evidence.backward,
        setting.threshold,
        lower=evidence.risk[evidence.better] < evidence.risk[evidence.worse],
        clear=evidence.clear,
        error=evidence.error,
    )
    surely = found.said == BETTER
    above = surely | ((found.because == DRAWS) & (evidence.forward > setting.threshold))
    rival = _best_rival(evidence, order, surely)
    rejected = rival >= 0
    pair = np.where(rejected, rival, _best_rival(evidence, order, above))
    return Applied(pair, rejected, _shared(evidence.strongest > setting.threshold, rejected))


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
