"""Which c are valid: are the winners right that it states, and does the truth rise with B? For each epistemic distribution, and for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from rivals._checks import need, show
from rivals._types import BoolArray, FloatArray
from rivals.calibration.curve import CalibrationCurve, calibration_curve, wilson_interval
from rivals.comparison.rendering import html, text

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


def judge(probability: FloatArray, truth: FloatArray, *, threshold: float = THRESHOLD, bins: int = 16) -> Judgement:
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
    certain = float(wilson_interval(np.array([error]), np.array([n]), 1.0 - 2 * LEVEL)[0][0]) if n else 0.0
    fall, what = _fall(calibration_curve(probability, truth, bins=bins))
    allowed = 1.0 - threshold
    if certain > allowed:
        words = f"overconfident: {_percent(error)} of {n} stated winners are wrong, at least {_percent(certain)}, where {_percent(allowed)} are allowed"
    elif fall > TOLERANCE:
        words = what
    elif truth.size < ENOUGH_TO_JUDGE:
        words = f"undetermined: {truth.size} experiments are too few to tell, {ENOUGH_TO_JUDGE} are needed"
    else:
        words = f"{_percent(error)} of {n} stated winners are wrong" if n else "no winner is stated"
    valid = certain <= allowed and fall <= TOLERANCE and truth.size >= ENOUGH_TO_JUDGE
    return Judgement(valid, words, float(stated.mean()), error, certain, fall)


def _fall(curve: CalibrationCurve) -> tuple[float, str]:
    """How far the truth falls at least while B rises, and the sentence about it.

    Bins between which the truth falls are those that isotonic regression puts into one; each is split in all ways, and the
    bound allows for the number of splits.
    """
    fitted, counts, found = curve.isotonic(), curve.counts, (0.0, "")
    z = float(ndtri(1.0 - LEVEL / max(counts.size - 1, 1)))
    for split in range(1, counts.size):
        together = fitted == fitted[split]
        parts = [together & (np.arange(counts.size) < split), together & (np.arange(counts.size) >= split)]
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
            sentence = (
                f"{word}: where B rises from {low:.2f} to {high:.2f}, the truth falls by {fall:.2f} ± {error:.2f}"
            )
            found = (float(fall - z * error), sentence)
    return found


def _percent(part: float) -> str:
    return f"{100 * part:.0f} %" if part >= 0.095 else f"{100 * part:.2g} %"


@dataclass(frozen=True, eq=False)
class Validity:
    """Which values of c are valid for each epistemic distribution; `for_all` has those that are valid for every one.

    Attributes
    ----------
    omegas : tuple of str
        Names of the epistemic distributions.
    c : tuple of float
        The values of c.
    valid : array of bool, shape (omegas, c)
    reasons : tuple of tuple of str
        Of each epistemic distribution, what was found at each c.
    stated, error : array, shape (omegas, c)
        Part of the experiments in which a winner is stated, and part of those winners that are wrong (nan where there is none).

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
    valid: BoolArray
    reasons: tuple[tuple[str, ...], ...]
    stated: FloatArray
    error: FloatArray

    @property
    def for_all(self) -> tuple[float, ...]:
        """The values of c that are valid for every epistemic distribution; empty if there is none."""
        return tuple(c for column, c in enumerate(self.c) if self.valid[:, column].all())

    @property
    def by_omega(self) -> dict[str, tuple[float, ...]]:
        """The values of c that are valid for each epistemic distribution."""
        return {
            name: tuple(c for c, good in zip(self.c, row.tolist(), strict=True) if good)
            for name, row in zip(self.omegas, self.valid, strict=True)
        }

    def ranges(self) -> dict[str, str]:
        """The same in words: neighbouring values as a range."""
        return {name: _ranges(self.c, row) for name, row in zip(self.omegas, self.valid, strict=True)}

    def to_dict(self) -> dict[str, Any]:
        """As plain lists and text, for JSON."""
        return {
            "omegas": list(self.omegas),
            "c": list(self.c),
            "valid": self.valid.tolist(),
            "reasons": [list(reasons) for reasons in self.reasons],
            "stated": self.stated.tolist(),
            "error": [[None if np.isnan(each) else each for each in row] for row in self.error.tolist()],
            "valid for all": list(self.for_all),
        }

    def to_dataframe(self) -> Any:
        """One row per epistemic distribution, one column per c, as a pandas data frame."""
        pandas = need("pandas", extra="pandas", purpose="to_dataframe")
        return pandas.DataFrame(self.valid, index=list(self.omegas), columns=list(self.c))

    def __str__(self) -> str:
        return text(HEADINGS, self._body())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html(HEADINGS, self._body())

    def _body(self) -> list[list[str]]:
        body = [
            [show(name), _ranges(self.c, valid), _problems(self.c, reasons, valid, error)]
            for name, valid, reasons, error in zip(self.omegas, self.valid, self.reasons, self.error, strict=True)
        ]
        return [*body, ["all of them", _ranges(self.c, self.valid.all(axis=0)), ""]]


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
    ──────────────────────  ───────  ────────────────────────────────────────────
    an Ω                    1        overconfident at 0.01 (25 % of stated wrong)
    all of them             1
    """
    if not experiments:
        raise ValueError("experiments is empty: there is nothing to judge; give at least one epistemic distribution")
    values = tuple(float(value) for value in c)
    judged = {name: _judge(name, *records, values, threshold, bins) for name, records in experiments.items()}
    return collect(values, judged)


def collect(c: tuple[float, ...], judged: Mapping[str, Sequence[Judgement]]) -> Validity:
    """Judgements of each epistemic distribution at each c as one table."""
    return Validity(
        omegas=tuple(judged),
        c=c,
        valid=np.array([[judgement.valid for judgement in row] for row in judged.values()]),
        reasons=tuple(tuple(judgement.reason for judgement in row) for row in judged.values()),
        stated=np.array([[judgement.stated for judgement in row] for row in judged.values()]),
        error=np.array([[judgement.error for judgement in row] for row in judged.values()]),
    )


def _judge(
    name: str, probability: npt.ArrayLike, truth: npt.ArrayLike, c: tuple[float, ...], threshold: float, bins: int
) -> list[Judgement]:
    stated, true = np.asarray(probability, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    if true.ndim != 1 or stated.shape != (true.size, len(c)):
        raise ValueError(
            f"epistemic distribution '{show(name)}': probability has the shape {stated.shape} and truth {true.shape}, but with "
            f"{len(c)} values of c they must be (experiments, {len(c)}) and (experiments,); arrange them so"
        )
    if not (((stated >= 0) & (stated <= 1)).all() and ((true >= 0) & (true <= 1)).all() and true.size):
        raise ValueError(
            f"epistemic distribution '{show(name)}': probabilities and truth must lie in [0, 1], and there must be some; "
            "remove experiments that failed"
        )
    return [judge(column, true, threshold=threshold, bins=bins) for column in stated.T]


def _ranges(c: Sequence[float], valid: npt.ArrayLike) -> str:
    """Runs of neighbouring valid values, as `0.25 … 1, 8`; none if there is none."""
    runs = [
        [value for value, _ in group]
        for keep, group in groupby(zip(c, np.asarray(valid), strict=True), lambda pair: pair[1])
        if keep
    ]
    return ", ".join(f"{run[0]:g}" if len(run) == 1 else f"{run[0]:g} … {run[-1]:g}" for run in runs) or "none"


def _problems(c: Sequence[float], reasons: Sequence[str], valid: npt.ArrayLike, error: FloatArray) -> str:
    """What is wrong with the other values, each problem in a word or two with its values of c, and how many stated winners are wrong."""
    found: dict[str, list[tuple[float, float]]] = {}
    for value, reason, good, wrong in zip(c, reasons, np.asarray(valid), error.tolist(), strict=True):
        if not good:
            found.setdefault(reason.split(":")[0], []).append((value, wrong))
    return "; ".join(f"{problem} at {_values(values, problem)}" for problem, values in found.items())


def _values(values: Sequence[tuple[float, float]], problem: str) -> str:
    """The values of c; of overconfident ones, the range of the errors."""
    listed = ", ".join(f"{value:g}" for value, _ in values)
    if problem != "overconfident":
        return listed
    low, high = (_percent(bound) for bound in (min(e for _, e in values), max(e for _, e in values)))
    return f"{listed} ({low if low == high else f'{low[:-2]} to {high}'} of stated wrong)"
