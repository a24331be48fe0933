"""Which c are valid: are the winners right that it states, and does the truth rise with B? For each epistemic distribution, and for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from rivals._say.words import show
from rivals._types import BoolArray, FloatArray
from rivals.calibration.curve import CalibrationCurve, calibration_curve, wilson_interval
from rivals.comparison.rendering import text

HEADINGS = ("epistemic distribution", "valid c", "not valid")
# A winner is stated beyond this probability, as in `compare`; 1 less this many of the winners may be wrong.
THRESHOLD = 0.95
# What chance would do with less than this probability is not taken for chance.
LEVEL = 0.05
# The truth may fall by this much while B rises, beyond its error.
TOLERANCE = 0.05
# With fewer experiments nothing is proved, and no c is called valid.
ENOUGH_TO_JUDGE = 256


@dataclass(frozen=True)
class Judgement:
    """Whether a c can be used, why not, and the numbers behind it.

    Attributes
    ----------
    valid : bool
    reason : str
        One or two words and, after a colon, the numbers.
    stated : float
        Part of the experiments in which a winner is stated.
    error : float
        Part of the stated winners that are truly worse, an undecided truth counted half; nan where none is stated.
    certain_error : float
        Lower bound of that, one-sided with 95 % confidence.
    fall : float
        How far the truth falls while B rises, at least, at the same confidence; 0 where it does not.
    """

    valid: bool
    reason: str
    stated: float
    error: float
    certain_error: float
    fall: float


def judge(
    probability: FloatArray, truth: FloatArray, *, threshold: float = THRESHOLD, bins: int = 16
) -> Judgement:
    """Judge one c by its stated probabilities and the truth (1 where a is better, 0 where b is, ½ where undecided).

    Not valid if more than 1 − `threshold` of the winners stated beyond it are wrong, or if the truth falls by more than
    0.05 while B rises; either beyond chance. A c that states no winner is right about all of them.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = (rng.random(1000) < 0.8).astype(float)
    >>> judge(np.full(1000, 0.99), truth).reason
    'overconfident: 21 % of 1000 stated winners are wrong, at least 19 %, where 5 % are allowed'
    >>> judge(np.full(1000, 0.8), truth).reason
    'no winner is stated'
    """
    stated = np.maximum(probability, 1.0 - probability) > threshold
    wrong = np.abs((probability > 0.5) - truth)[stated]
    n = int(stated.sum())
    error = float(wrong.mean()) if n else float("nan")
    certain = (
        float(wilson_interval(np.array([error]), np.array([n]), 1.0 - 2 * LEVEL)[0][0])
        if n
        else 0.0
    )
    fall, what = _fall(calibration_curve(probability, truth, bins=bins))
    allowed, problem = 1.0 - threshold, ""
    if certain > allowed:
        problem = f"overconfident: {_percent(error)} of {n} stated winners are wrong, at least {_percent(certain)}, where {_percent(allowed)} are allowed"
    elif fall > TOLERANCE:
        problem = what
    elif truth.size < ENOUGH_TO_JUDGE:
        problem = f"undetermined: {truth.size} experiments are too few to tell, {ENOUGH_TO_JUDGE} are needed"
    found = f"{_percent(error)} of {n} stated winners are wrong" if n else "no winner is stated"
    return Judgement(not problem, problem or found, float(stated.mean()), error, certain, fall)


def _fall(curve: CalibrationCurve) -> tuple[float, str]:
    """How far the truth falls at least while B rises, and the sentence about it.

    Bins between which the truth falls are those that isotonic regression puts into one; each is split in all ways, and the
    bound allows for the number of splits.
    """
    from scipy.optimize import (
        isotonic_regression,
    )  # on first use: it takes longer to load than all of rivals

    counts, found = curve.counts, (0.0, "")
    fitted = isotonic_regression(curve.observed, weights=counts).x
    z = float(ndtri(1.0 - LEVEL / max(counts.size - 1, 1)))
    for split in range(1, counts.size):
        together = fitted == fitted[split]
        parts = [
            together & (np.arange(counts.size) < split),
            together & (np.arange(counts.size) >= split),
        ]
        if not parts[0].any():
            continue
        sizes = np.array([counts[part].sum() for part in parts])
        means = np.array([np.average(curve.observed[part], weights=counts[part]) for part in parts])
        # Half a count keeps the variance of a part at 0 or 1 from vanishing.
        proportion = (sizes * means + 0.5) / (sizes + 1.0)
        fall, error = means[0] - means[1], np.sqrt(np.sum(proportion * (1.0 - proportion) / sizes))
        if fall - z * error > found[0]:
            word = "reversed" if curve.observed[-1] < curve.observed[0] else "not monotone"
            low, high = (np.average(curve.predicted[part], weights=counts[part]) for part in parts)
            rise = f"{word}: where B rises from {low:.2f} to {high:.2f}"
            found = (
                float(fall - z * error),
                f"{rise}, the truth falls by {fall:.2f} ± {error:.2f}",
            )
    return found


def _percent(part: float) -> str:
    return f"{100 * part:.0f} %" if part >= 0.095 else f"{100 * part:.2g} %"


@dataclass(frozen=True)
class ValidRange:
    """The values of c that can be trusted, and why the range ends where it does.

    `low` and `high` are None when no value is valid. Unpacks as `low, high = calibration.valid_c()`.

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
        if self.low is None:
            return f"no valid c: {self.low_reason}"
        return f"{self.low:g} ≤ c ≤ {self.high:g}\n  below: {self.low_reason}\n  above: {self.high_reason}"

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers, lists and text, for JSON."""
        return {**asdict(self), "values": list(self.values)}


@dataclass(frozen=True, eq=False)
class Validity:
    """Which values of c are valid for each epistemic distribution; `for_all` has those that are valid for every one.

    Attributes
    ----------
    omegas : tuple of str
        Names of the epistemic distributions.
    c : tuple of float
        The values of c.
    judgements : tuple of tuple of Judgement
        Of each epistemic distribution, at each c: whether it is valid, why not, and the numbers behind it.

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

    @property
    def valid(self) -> BoolArray:
        """(omegas, c): whether each c is valid."""
        return np.array([[each.valid for each in row] for row in self.judgements])

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
        """The values of c that are valid for every epistemic distribution; empty if there is none."""
        return tuple(c for c, good in zip(self.c, np.all(self.valid, axis=0), strict=True) if good)

    def at_each_c(self) -> list[tuple[bool, str]]:
        """At each c, whether it is valid for all, and a sentence: the worst problem, or the most errors among stated winners."""
        found = []
        for column in range(len(self.c)):
            judged = dict(zip(self.omegas, (row[column] for row in self.judgements), strict=True))
            worst = max(
                judged,
                key=lambda name: (
                    not judged[name].valid,
                    np.nan_to_num(judged[name].error, nan=-1.0),
                ),
            )
            whose = f" for {show(worst)!r}" if len(judged) > 1 else ""
            found.append((judged[worst].valid, f"{judged[worst].reason}{whose}"))
        return found

    def widest(self) -> ValidRange:
        """The widest range of neighbouring values that are valid for all; of equally wide ones, that of larger c."""
        verdicts = self.at_each_c()
        runs = [
            [place for place, _ in run]
            for good, run in groupby(enumerate(verdicts), lambda at: at[1][0])
            if good
        ]
        if not runs:
            return ValidRange(None, None, f"at c = {self.c[-1]:g}, {verdicts[-1][1]}", "", ())
        longest = max(runs, key=lambda run: (len(run), run[0]))
        begin, end = longest[0], longest[-1]
        below, above = "no smaller c was tried", "no larger c was tried"
        if begin > 0:
            below = f"c = {self.c[begin - 1]:g} is {verdicts[begin - 1][1]}"
        if end + 1 < len(self.c):
            above = f"c = {self.c[end + 1]:g} is {verdicts[end + 1][1]}"
        return ValidRange(self.c[begin], self.c[end], below, above, self.c[begin : end + 1])

    def to_dict(self) -> dict[str, Any]:
        """As plain lists and text, for JSON."""
        return {
            "omegas": list(self.omegas),
            "c": list(self.c),
            "judgements": [[_plain(each) for each in row] for row in self.judgements],
            "valid for all": list(self.for_all),
        }

    def __str__(self) -> str:
        body = [
            [show(name), ranges(self.c, [each.valid for each in row]), _problems(self.c, row)]
            for name, row in zip(self.omegas, self.judgements, strict=True)
        ]
        return text(
            HEADINGS,
            [*body, ["all of them", ranges(self.c, [c in self.for_all for c in self.c]), ""]],
        )

    __repr__ = __str__


def judge_experiments(
    experiments: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]],
    c: Sequence[float],
    *,
    threshold: float = THRESHOLD,
    bins: int = 16,
) -> Validity:
    """Judge which c are valid, from experiments that were not run by `calibrate`: your own, or published ones.

    Parameters
    ----------
    experiments : mapping
        Name of an epistemic distribution → (probability, truth). `probability`, of shape (experiments, values of c), holds
        P(R_a < R_b); `truth` is 1 where a is truly better, 0 where b is, ½ where undecided.
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
    >>> print(judge_experiments({"an Ω": (probability, truth)}, c=[0.01, 1.0]))
    epistemic distribution  valid c  not valid
    ──────────────────────  ───────  ──────────────────────────────────
    an Ω                    1        overconfident at 0.01 (25 % wrong)
    all of them             1
    """
    if not experiments:
        raise ValueError(
            "experiments is empty: there is nothing to judge; give at least one epistemic distribution"
        )
    values = tuple(float(value) for value in c)
    judged = []
    for name, records in experiments.items():
        probability, truth = checked_experiments(name, *records, len(values))
        judged.append(
            tuple(judge(column, truth, threshold=threshold, bins=bins) for column in probability.T)
        )
    return Validity(tuple(experiments), values, tuple(judged))


def checked_experiments(
    name: str, probability: npt.ArrayLike, truth: npt.ArrayLike, n_c: int
) -> tuple[FloatArray, FloatArray]:
    """(experiments, values of c) and (experiments,), refused where they are something else."""
    stated, true = np.asarray(probability, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    right = true.ndim == 1 and true.size and stated.shape == (true.size, n_c)
    if not (right and ((stated >= 0) & (stated <= 1)).all() and ((true >= 0) & (true <= 1)).all()):
        raise ValueError(
            f"epistemic distribution '{show(name)}': probability has the shape {stated.shape} and truth {true.shape}; with {n_c} values "
            f"of c they must be (experiments, {n_c}) and (experiments,), one or more, and lie in [0, 1]; remove experiments that failed"
        )
    return stated, true


def ranges(c: Sequence[float], valid: Sequence[bool]) -> str:
    """Runs of neighbouring valid values, as `0.25 … 1, 8`; none if there is none."""
    runs = [
        [value for value, _ in run]
        for good, run in groupby(zip(c, valid, strict=True), lambda at: at[1])
        if good
    ]
    return (
        ", ".join(f"{run[0]:g}" if len(run) == 1 else f"{run[0]:g} … {run[-1]:g}" for run in runs)
        or "none"
    )


def _problems(c: Sequence[float], judgements: Sequence[Judgement]) -> str:
    """What is wrong with the other values: each problem in a word or two with its values of c; if they are overconfident, with their errors."""
    found: dict[str, list[str]] = {}
    for value, each in zip(c, judgements, strict=True):
        problem = each.reason.split(":")[0]
        wrong = f" ({_percent(each.error)} wrong)" if problem == "overconfident" else ""
        if not each.valid:
            found.setdefault(problem, []).append(f"{value:g}{wrong}")
    return "; ".join(f"{problem} at {', '.join(values)}" for problem, values in found.items())


def _plain(judgement: Judgement) -> dict[str, Any]:
    """For JSON, which has no nan."""
    return {key: None if value != value else value for key, value in asdict(judgement).items()}
