"""Which c are valid, for each epistemic distribution and for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rivals._say.words import show, told_apart
from rivals._types import BoolArray, FloatArray
from rivals.calibration.bound import Bound, bound_of
from rivals.calibration.curve import calibration_curve
from rivals.calibration.judgement import THRESHOLD, Judgement, Problem, judgement_of
from rivals.calibration.text import percent, ranges
from rivals.comparison import pasting, rendering

HEADINGS = ("epistemic distribution", "valid c", "not valid", "paper's bound kept")
# What can be asked of a c: that stated winners are right, the paper's bound, or both.
ValidityRule = Literal["winners", "bound", "both"]


def judge_experiments(
    experiments: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]],
    c: Sequence[float],
    *,
    threshold: float = THRESHOLD,
    bins: int = 16,
) -> Validity:
    """Judge which c are valid, from experiments that were not run by `calibrate`.

    They may be your own, or published ones.

    Parameters
    ----------
    experiments : mapping
        Name of an epistemic distribution → (probability, truth). `probability`, of shape
        (experiments, values of c), holds P(R_a < R_b); `truth` is 1 where a is truly better, 0
        where b is, ½ where undecided.
    c : sequence of float
        The value of each column of `probability`.
    threshold : float
        Beyond which a winner is stated, as in `compare`.
    bins : int
        Equal-count bins of the curves.

    Returns
    -------
    Validity

    See Also
    --------
    rivals.Calibration.validity : the same, of a calibration.

    Examples
    --------
    Stated probabilities that come true, and the same pushed away from ½:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> honest = rng.random(1000)
    >>> truth = rng.random(1000) < honest
    >>> boastful = np.where(honest > 0.5, 0.99, 0.01)
    >>> probability = np.column_stack([boastful, honest])
    >>> validity = judge_experiments({"an Ω": (probability, truth)}, c=[0.01, 1.0])
    >>> print(validity)
    epistemic distribution  valid c  not valid                           paper's bound kept
    ──────────────────────  ───────  ──────────────────────────────────  ──────────────────
    an Ω                    1        overconfident at 0.01 (25 % wrong)  1
    all of them             1                                            1
    >>> validity.bounds[0][0].reason
    'broken in 15 of 16 bins; most so where 0.99 is stated, 0.63 is true'
    """
    if not experiments:
        raise ValueError(
            "experiments is empty: there is nothing to judge; give at least one epistemic "
            "distribution"
        )
    values = tuple(float(value) for value in c)
    judged = []
    bounds = []
    for name, (stated, true) in experiments.items():
        probability, truth = checked_experiments(name, stated, true, len(values))
        curves = [calibration_curve(column, truth, bins=bins) for column in probability.T]
        row = [
            judgement_of(curve, column, truth, threshold=threshold)
            for curve, column in zip(curves, probability.T, strict=True)
        ]
        judged.append(tuple(row))
        bounds.append(tuple(bound_of(curve) for curve in curves))
    return Validity(tuple(experiments), values, tuple(judged), tuple(bounds))


def checked_experiments(
    name: str, probability: npt.ArrayLike, truth: npt.ArrayLike, n_c: int
) -> tuple[FloatArray, FloatArray]:
    """(experiments, values of c) and (experiments,), refused where they are something else."""
    stated = np.asarray(probability, dtype=np.float64)
    true = np.asarray(truth, dtype=np.float64)
    fits = true.ndim == 1 and true.size > 0 and stated.shape == (true.size, n_c)
    if not (fits and _are_parts(stated) and _are_parts(true)):
        raise ValueError(
            f"epistemic distribution '{show(name)}': probability has the shape {stated.shape} and "
            f"truth {true.shape}; with {n_c} values of c they must be (experiments, {n_c}) and "
            "(experiments,), one or more, and lie in [0, 1]; remove experiments that failed"
        )
    return stated, true


def _are_parts(values: FloatArray) -> bool:
    return bool(((values >= 0) & (values <= 1)).all())


@dataclass(frozen=True)
class ValidRange:
    """The values of c that can be trusted, and why the range ends where it does.

    `low` and `high` are None when no value is valid. Unpacks as
    `low, high = calibration.valid_c()`.

    Attributes
    ----------
    low, high : float or None
    low_reason, high_reason : str
        Why smaller and larger values are not valid.
    values : tuple of float
        The valid values that were tried.

    See Also
    --------
    rivals.Calibration.valid_c : finds the range.

    Examples
    --------
    >>> valid = ValidRange(
    ...     0.25, 1.0, "c = 0.0625 is overconfident", "no larger c was tried", (0.25, 1.0)
    ... )
    >>> low, high = valid
    >>> print(valid)
    0.25 ≤ c ≤ 1
      below: c = 0.0625 is overconfident
      above: no larger c was tried
    """

    low: float | None
    high: float | None
    low_reason: str
    high_reason: str
    values: tuple[float, ...]

    def __iter__(self) -> Iterator[float | None]:
        return iter((self.low, self.high))

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"no valid c: {self.low_reason}"
        shown = told_apart([self.low, self.high])
        lines = [
            f"{shown[self.low]} ≤ c ≤ {shown[self.high]}",
            f"  below: {self.low_reason}",
            f"  above: {self.high_reason}",
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers, lists and text, for JSON."""
        return {**asdict(self), "values": list(self.values)}


@dataclass(frozen=True, eq=False)
class Validity:
    """Which values of c are valid for each epistemic distribution.

    `for_all` has those that none speaks against, and that are valid for one at least.

    Attributes
    ----------
    omegas : tuple of str
        Names of the epistemic distributions.
    c : tuple of float
        The values of c.
    judgements : tuple of tuple of Judgement
        Of each epistemic distribution, at each c: whether it is valid, why not, and the numbers
        behind it.
    bounds : tuple of tuple of Bound
        Likewise, whether it keeps the paper's bound: in no bin is B more confident than the truth.

    See Also
    --------
    rivals.Calibration.validity : of a calibration.
    judge_experiments : of experiments from elsewhere.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(512) < 0.5
    >>> certain = np.where(truth, 0.99, 0.01)[:, None]
    >>> guessed = np.where(rng.random(512) < 0.5, 0.99, 0.01)[:, None]
    >>> experiments = {"easy": (certain, truth), "hard": (guessed, truth)}
    >>> validity = judge_experiments(experiments, c=[1.0])
    >>> validity.valid
    array([[ True],
           [False]])
    >>> validity.for_all
    ()
    """

    omegas: tuple[str, ...]
    c: tuple[float, ...]
    judgements: tuple[tuple[Judgement, ...], ...]
    bounds: tuple[tuple[Bound, ...], ...]

    @property
    def valid(self) -> BoolArray:
        """(omegas, c): whether winners are stated at each c, and are right."""
        return np.array([[each.valid for each in row] for row in self.judgements])

    @property
    def speaks_against(self) -> BoolArray:
        """(omegas, c): whether a distribution speaks against c; not if it states no winner."""
        return np.array([[each.speaks_against for each in row] for row in self.judgements])

    @property
    def says_nothing(self) -> BoolArray:
        """(omegas, c): whether no winner is stated, so that there is nothing to judge."""
        return np.asarray(self.stated == 0)

    @property
    def keeps_bound(self) -> BoolArray:
        """(omegas, c): whether each c keeps the paper's bound."""
        return np.array([[each.kept for each in row] for row in self.bounds])

    @property
    def reasons(self) -> tuple[tuple[str, ...], ...]:
        """Of each epistemic distribution, what was found at each c."""
        return tuple(tuple(each.reason for each in row) for row in self.judgements)

    @property
    def stated(self) -> FloatArray:
        """(omegas, c): part of the experiments in which a winner is stated."""
        return np.array([[each.stated for each in row] for row in self.judgements])

    @property
    def error(self) -> FloatArray:
        """(omegas, c): part of the stated winners that are wrong; nan where there is none."""
        return np.array([[each.error for each in row] for row in self.judgements])

    @property
    def for_all(self) -> tuple[float, ...]:
        """The values of c that are valid for all distributions; empty if there is none.

        A distribution for which no winner is stated says nothing, and does not count.
        """
        return tuple(c for c, (valid, _) in zip(self.c, self.at_each_c(), strict=True) if valid)

    def at_each_c(self, rule: ValidityRule = "winners") -> list[tuple[bool, str]]:
        """At each c, whether it is valid for all, and a sentence.

        The sentence tells the worst problem, or the most errors among stated winners.
        """
        winners = [self._worst(column, _badness) for column in zip(*self.judgements, strict=True)]
        bounds = [self._worst(column, _excess) for column in zip(*self.bounds, strict=True)]
        if rule == "winners":
            return winners
        if rule == "bound":
            return bounds
        both = []
        for (valid, sentence), (kept, words) in zip(winners, bounds, strict=True):
            both.append((valid and kept, words if valid and not kept else sentence))
        return both

    def _worst(self, column: Sequence[Any], badness: Callable[[Any], Any]) -> tuple[bool, str]:
        """Whether the worst of all epistemic distributions passes, and what is said of it."""
        worst = max(range(len(column)), key=lambda place: badness(column[place]))
        found = column[worst]
        sentence = found.reason
        if len({each.reason for each in column}) > 1:
            sentence += f" for {show(self.omegas[worst])!r}"
        return found.kept if isinstance(found, Bound) else found.valid, sentence

    def widest(self, rule: ValidityRule = "winners") -> ValidRange:
        """The widest range of neighbouring values that pass a rule for all.

        Of equally wide ones, that of larger c.

        Parameters
        ----------
        rule : {"winners", "bound", "both"}
            That winners stated beyond the threshold are right, and the truth does not fall while B
            rises; the paper's bound, that B is nowhere more confident than the truth; or both.
        """
        if rule not in get_args(ValidityRule):
            raise ValueError(f"rule is one of {', '.join(get_args(ValidityRule))}; got {rule!r}")
        verdicts = self.at_each_c(rule)
        shown = list(told_apart(self.c).values())
        runs = []
        for good, run in groupby(range(len(verdicts)), lambda place: verdicts[place][0]):
            if good:
                runs.append(list(run))
        if not runs:
            why = f"at c = {shown[-1]}, {verdicts[-1][1]}"
            return ValidRange(None, None, why, "", ())
        longest = max(runs, key=lambda run: (len(run), run[0]))
        begin = longest[0]
        end = longest[-1]
        below = "no smaller c was tried"
        above = "no larger c was tried"
        if begin > 0:
            below = f"at c = {shown[begin - 1]}, {verdicts[begin - 1][1]}"
        if end + 1 < len(self.c):
            above = f"at c = {shown[end + 1]}, {verdicts[end + 1][1]}"
        return ValidRange(self.c[begin], self.c[end], below, above, self.c[begin : end + 1])

    def to_dict(self) -> dict[str, Any]:
        """As plain lists and text, for JSON."""
        return {
            "omegas": list(self.omegas),
            "c": list(self.c),
            "judgements": [[each.to_dict() for each in row] for row in self.judgements],
            "bounds": [[asdict(each) for each in row] for row in self.bounds],
            "valid_for_all": list(self.for_all),
        }

    def to_markdown(self) -> str:
        """The printed table, for Markdown."""
        return pasting.markdown(HEADINGS, self._cells())

    def to_latex(self) -> str:
        """The printed table, for LaTeX."""
        return pasting.latex(HEADINGS, self._cells())

    def __str__(self) -> str:
        return rendering.text(HEADINGS, self._cells())

    __repr__ = __str__

    def _cells(self) -> list[list[str]]:
        """A line for each epistemic distribution, and one for all of them."""
        body = []
        rows = zip(self.omegas, self.judgements, self.valid, self.keeps_bound, strict=True)
        for name, row, valid, kept in rows:
            cells = [ranges(self.c, valid), _problems(self.c, row), ranges(self.c, kept)]
            body.append([show(name), *cells])
        for_all = [good for good, _ in self.at_each_c()]
        kept_by_all = np.all(self.keeps_bound, axis=0)
        body.append(["all of them", ranges(self.c, for_all), "", ranges(self.c, kept_by_all)])
        return body


def _badness(judgement: Judgement) -> tuple[bool, float]:
    """What speaks against a c is worse than what does not; then, the more errors the worse.

    What says nothing comes last.
    """
    return judgement.speaks_against, float(np.nan_to_num(judgement.error, nan=-1.0))


def _excess(bound: Bound) -> tuple[bool, float]:
    """What breaks the bound is worse than what keeps it; then, the more confidence too much."""
    return not bound.kept, bound.excess


def _problems(c: Sequence[float], judgements: Sequence[Judgement]) -> str:
    """What is wrong with the other values: each problem with its values of c.

    If they are overconfident, with their errors.
    """
    shown = told_apart(c)
    found: dict[str, list[str]] = {}
    for value, each in zip(c, judgements, strict=True):
        place = shown[value]
        if each.problem is Problem.OVERCONFIDENT:
            place += f" ({percent(each.error)} wrong)"
        if each.problem is not None:
            found.setdefault(each.problem.value, []).append(place)
    return "; ".join(f"{problem} at {', '.join(at)}" for problem, at in found.items())
