"""Which c are valid for which epistemic distributions, and for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import need, show
from rivals._types import BoolArray
from rivals.calibration.curve import Judgement, calibration_curve
from rivals.comparison.table import html, text

HEADINGS = ("epistemic distribution", "valid c", "not valid")
# The curve as a whole is judged at this level, so every one of its bins at a stricter one.
LEVEL = 0.05


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
            [show(name), _ranges(self.c, valid), _problems(self.c, reasons, valid)]
            for name, valid, reasons in zip(self.omegas, self.valid, self.reasons, strict=True)
        ]
        return [*body, ["all of them", _ranges(self.c, self.valid.all(axis=0)), ""]]


def judge_experiments(
    experiments: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]], c: Sequence[float], *, bins: int = 16
) -> Validity:
    """Judge which c are valid, from experiments that were not run by `calibrate`: your own, or published ones.

    Parameters
    ----------
    experiments : mapping
        Name of an epistemic distribution → (probability, truth). `probability`, of shape (experiments, values of c), holds
        P(R_a < R_b); `truth` is 1 where a is truly better, 0 where b is, ½ where undecided.
    c : sequence of float
        The value of each column of `probability`.
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
    ──────────────────────  ───────  ─────────────────────
    an Ω                    1        overconfident at 0.01
    all of them             1
    """
    if not experiments:
        raise ValueError("experiments is empty: there is nothing to judge; give at least one epistemic distribution")
    values = tuple(float(value) for value in c)
    judged = {name: _judge(name, *records, values, bins) for name, records in experiments.items()}
    return collect(values, judged)


def collect(c: tuple[float, ...], judged: Mapping[str, Sequence[Judgement]]) -> Validity:
    """Judgements of each epistemic distribution at each c as one table."""
    return Validity(
        omegas=tuple(judged),
        c=c,
        valid=np.array([[judgement.valid for judgement in row] for row in judged.values()]),
        reasons=tuple(tuple(judgement.reason for judgement in row) for row in judged.values()),
    )


def _judge(
    name: str, probability: npt.ArrayLike, truth: npt.ArrayLike, c: tuple[float, ...], bins: int
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
    return [calibration_curve(column, true, bins=bins, confidence=1.0 - LEVEL / bins).judge() for column in stated.T]


def _ranges(c: Sequence[float], valid: npt.ArrayLike) -> str:
    """Runs of neighbouring valid values, as `0.25 … 1, 8`; none if there is none."""
    runs = [
        [value for value, _ in group]
        for keep, group in groupby(zip(c, np.asarray(valid), strict=True), lambda pair: pair[1])
        if keep
    ]
    return ", ".join(f"{run[0]:g}" if len(run) == 1 else f"{run[0]:g} … {run[-1]:g}" for run in runs) or "none"


def _problems(c: Sequence[float], reasons: Sequence[str], valid: npt.ArrayLike) -> str:
    """What is wrong with the other values, each problem in a word or two with its values of c."""
    found: dict[str, list[str]] = {}
    for value, reason, good in zip(c, reasons, np.asarray(valid), strict=True):
        if not good:
            found.setdefault(reason.split(":")[0], []).append(f"{value:g}")
    return "; ".join(f"{problem} at {', '.join(values)}" for problem, values in found.items())
