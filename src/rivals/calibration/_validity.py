"""Which c may be used: one judgement, which everything shown asks.

Of each scenario at each c: how many winners are named, how many of them are right, wrong, or
undecided; and whether the curve keeps the paper's bound. Two rules make a c valid.

"bound": in no bin of the curve is B more confident than the truth (René and Longtin, 2025).
"error": of the named winners no more than one less the threshold are wrong, and the truth does not
fall while B rises.

Either way what chance would do is allowed for, no more than a fifth of the truths may be undecided,
and sixty named winners or more of known truth must stand behind a c.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from rivals._core.setting import one_of
from rivals._core.types import FloatArray
from rivals._result.renderers import Column, Table
from rivals.calibration import _words as say
from rivals.calibration._curve import (
    BINS,
    LEVEL,
    TOLERANCE,
    Excess,
    calibration_curve,
    overconfidence,
    steepest_fall,
)

RULES = ("bound", "error")
PREFERENCES = ("cautious", "informative")

# A winner is named beyond this probability, as in `compare`.
THRESHOLD = 0.95
# With fewer experiments of a scenario nothing is called valid.
ENOUGH = 256
# Of sixty winners that are all right, up to 5 % may be wrong (one-sided, 95 %).
ENOUGH_WINNERS = 60
# Beyond this part of undecided truths nothing is called valid.
MOST_UNDECIDED = 0.2


@dataclass(frozen=True)
class Finding:
    """What the experiments of one scenario, or of several, say at one c.

    Attributes
    ----------
    n, unknown : int
        Experiments, and those of them whose truth is undecided.
    right, wrong, undecided : int
        What became of the named winners.
    curve : Excess
        Whether B is more confident than the truth, in any bin.
    fall : float
        How far the truth falls at least while B rises; 0 where it does not.
    brier_score : float
        Mean squared error of B as a forecast of the truth.
    """

    n: int
    unknown: int
    right: int
    wrong: int
    undecided: int
    curve: Excess
    fall: float
    brier_score: float

    @property
    def named(self) -> int:
        """How many winners are named."""
        return self.right + self.wrong + self.undecided

    @property
    def known(self) -> int:
        """How many of them are right or wrong, and not undecided."""
        return self.right + self.wrong

    @property
    def failure_rate(self) -> float:
        """Part of the named winners of known truth that are wrong; nan without any."""
        return self.wrong / self.known if self.known else float("nan")

    @property
    def least_failure_rate(self) -> float:
        """Lower bound of that, one-sided with 95 % confidence: exact (Clopper and Pearson)."""
        return float(betaincinv(self.wrong, self.right + 1.0, LEVEL)) if self.wrong else 0.0

    def problem(self, rule: str) -> say.Problem | None:
        """Why this c is not valid here; None if nothing speaks against it."""
        if self.unknown > MOST_UNDECIDED * self.n:
            return "undecided"
        if self.n < ENOUGH:
            return "few experiments"
        if rule == "bound":
            return "overconfident" if self.curve.broken else None
        if self.least_failure_rate > 1.0 - THRESHOLD:
            return "overconfident"
        return "not monotone" if self.fall > TOLERANCE else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON, which has no nan."""
        rate = self.failure_rate if self.known else None
        return {**asdict(self), "named": self.named, "failure_rate": rate}


def judge_c(probability: FloatArray, truth: FloatArray, *, bins: int = BINS) -> Finding:
    """Judge one c by stated probabilities and the truth: 1 where a is better, 0 where b is, or nan.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = (rng.random(1000) < 0.8).astype(float)
    >>> found = judge_c(np.full(1000, 0.99), truth)
    >>> found.problem("error"), found.right, found.wrong, found.undecided
    ('overconfident', 785, 215, 0)
    """
    known = ~np.isnan(truth)
    named = np.maximum(probability, 1.0 - probability) > THRESHOLD
    agrees = (probability > 0.5) == (truth > 0.5)
    if known.any():
        curve = calibration_curve(probability, truth, bins=bins)
        excess, fall = overconfidence(curve), steepest_fall(curve)
        brier_score = float(np.mean((probability - truth)[known] ** 2))
    else:
        excess, fall, brier_score = Excess(0, 0, 0.5, 0.5), 0.0, 0.25
    return Finding(
        truth.size,
        int(np.sum(~known)),
        int(np.sum(named & known & agrees)),
        int(np.sum(named & known & ~agrees)),
        int(np.sum(named & ~known)),
        excess,
        fall,
        brier_score,
    )


def judge_experiments(
    experiments: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]],
    c: Sequence[float],
    *,
    rule: str = "bound",
    bins: int = BINS,
) -> Validity:
    """Judge experiments from anywhere.

    Parameters
    ----------
    experiments : mapping
        Scenario → (probabilities, experiments × c; truth: 1 where a is better, 0 where b is, ½ or
        nan where undecided).
    c : sequence of float
        The values of c, increasing.
    rule : {"bound", "error"}
        By which c is valid; see `Validity`.
    bins : int
        Of each curve.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(512) < 0.5
    >>> certain = np.where(truth, 0.99, 0.01)[:, None]
    >>> guessed = np.where(rng.random(512) < 0.5, 0.99, 0.01)[:, None]
    >>> judge_experiments({"easy": (certain, truth)}, c=[1.0]).valid()
    (1.0,)
    >>> judge_experiments({"easy": (certain, truth), "hard": (guessed, truth)}, c=[1.0]).valid()
    ()
    """
    findings = []
    for name, (stated, true) in experiments.items():
        probability, truth = checked(name, stated, true, len(c))
        findings.append(tuple(judge_c(column, truth, bins=bins) for column in probability.T))
    return Validity(tuple(experiments), tuple(c), tuple(findings), one_of(*RULES)("rule", rule))


def checked(
    name: str, probability: npt.ArrayLike, truth: npt.ArrayLike, n_c: int
) -> tuple[FloatArray, FloatArray]:
    """Probabilities, experiments × c, and truths of 1, 0 or nan."""
    stated = np.asarray(probability, dtype=np.float64)
    true = np.array(truth, dtype=np.float64)
    true[true == 0.5] = np.nan
    if stated.ndim != 2 or stated.shape != (true.size, n_c) or not true.size:
        raise ValueError(
            f"{name!r}: probabilities must have a row for each of {true.size} experiments and a "
            f"column for each of {n_c} c; their shape is {stated.shape}"
        )
    if not ((stated >= 0.0) & (stated <= 1.0)).all():
        raise ValueError(f"{name!r}: probabilities must lie between 0 and 1")
    if not np.isin(true[~np.isnan(true)], (0.0, 1.0)).all():
        raise ValueError(f"{name!r}: the truth must be 1, 0, or nan where it is undecided")
    return stated, true


@dataclass(frozen=True, eq=False)
class Validity:
    """Which c are valid, for each scenario and for all.

    Attributes
    ----------
    scenarios : tuple of str
    c : tuple of float
        Increasing.
    findings : tuple of tuple of Finding
        Of each scenario, at each c.
    rule : {"bound", "error"}
        By which c is valid: the paper's bound over the curve, or the failure rate of named winners.

    See Also
    --------
    rivals.Calibration.validity : of a calibration.
    judge_experiments : of experiments from elsewhere.
    """

    scenarios: tuple[str, ...]
    c: tuple[float, ...]
    findings: tuple[tuple[Finding, ...], ...]
    rule: str

    def problem(self, c: float) -> tuple[say.Problem, str] | None:
        """Why a c is not valid, and in which scenario, if in one; None if it is valid."""
        column = self.column(c)
        for name, found in zip(self.scenarios, column, strict=True):
            problem = found.problem(self.rule)
            if problem is not None:
                return problem, name
        if sum(found.known for found in column) < ENOUGH_WINNERS:
            return "few winners", ""
        return None

    def column(self, c: float) -> list[Finding]:
        """What each scenario says at one c."""
        if c not in self.c:
            raise ValueError(f"c = {c!r} was not tried; {', '.join(f'{v:g}' for v in self.c)} were")
        return [row[self.c.index(c)] for row in self.findings]

    def valid(self) -> tuple[float, ...]:
        """The values of c that are valid for all scenarios; empty if there is none."""
        return tuple(c for c in self.c if self.problem(c) is None)

    def choose(self, prefer: str) -> float:
        """The valid c that is preferred: the largest, or the one of the lowest Brier score."""
        valid = self.valid()
        if not valid:
            raise ValueError(say.no_valid_c(self.reasons, self.rule, ENOUGH_WINNERS))
        if prefer == "cautious":
            return valid[-1]
        return min(valid, key=lambda c: (max(each.brier_score for each in self.column(c)), -c))

    @cached_property
    def reasons(self) -> dict[float, str]:
        """Of each c a sentence: what was found, and whether it is valid."""
        return {c: self._reason(c) for c in self.c}

    def _reason(self, c: float) -> str:
        found = self.problem(c)
        column = self.column(c)
        if found is None:
            return say.valid(sum(each.known for each in column), sum(each.wrong for each in column))
        problem, name = found
        if problem == "few winners":
            return say.few_winners(sum(each.known for each in column), ENOUGH_WINNERS)
        here = column[self.scenarios.index(name)]
        where = name if len(self.scenarios) > 1 else ""
        if problem == "undecided":
            return say.too_many_undecided(here.unknown, here.n, MOST_UNDECIDED, where)
        if problem == "few experiments":
            return say.few_experiments(here.n, ENOUGH, where)
        if problem == "not monotone":
            return say.falls(here.fall, where)
        if self.rule == "bound":
            curve = here.curve
            return say.breaks_bound(
                curve.broken, curve.bins, curve.predicted, curve.observed, where
            )
        return say.fails(
            here.failure_rate, here.known, here.least_failure_rate, 1.0 - THRESHOLD, where
        )

    @property
    def failure_rate(self) -> FloatArray:
        """(scenarios, c): part of the named winners that are wrong; nan where there is none."""
        return np.array([[each.failure_rate for each in row] for row in self.findings])

    @property
    def table(self) -> Table:
        """A row for each scenario and c."""
        rows = [
            (name, c, found)
            for name, row in zip(self.scenarios, self.findings, strict=True)
            for c, found in zip(self.c, row, strict=True)
        ]
        found = [each for _, _, each in rows]
        words = [self._word(c, each) for _, c, each in rows]
        columns = [
            Column("scenario", [name for name, _, _ in rows], is_text=True),
            Column("c", [c for _, c, _ in rows], say.value),
            Column("named", [each.named for each in found], over="winners"),
            Column("right", [each.right for each in found], over="winners"),
            Column("wrong", [each.wrong for each in found], over="winners"),
            Column("undecided", [each.undecided for each in found], over="winners"),
            Column("failure rate", [each.failure_rate for each in found], say.rate),
            Column("paper's bound", [each.curve.broken for each in found], say.bound, is_text=True),
            Column("this c", words, is_text=True),
        ]
        return Table(tuple(columns[len(self.scenarios) == 1 :]))

    def _word(self, c: float, found: Finding) -> str:
        """Of one scenario: its problem, or that of all, or that c is valid."""
        here = found.problem(self.rule)
        if here is not None:
            return here
        overall = self.problem(c)
        if overall is None:
            return "valid"
        return overall[0] if not overall[1] else "not valid elsewhere"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "rule": self.rule,
            "scenarios": list(self.scenarios),
            "c": list(self.c),
            "valid": list(self.valid()),
            "reasons": list(self.reasons.values()),
            "findings": [[each.to_dict() for each in row] for row in self.findings],
        }

    def __str__(self) -> str:
        return str(self.table)

    def _repr_html_(self) -> str:
        return self.table.html()
