"""What a calibration found: records, curves, and the choice of c."""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import RivalsWarning, show
from rivals._types import FloatArray
from rivals.calibration import judgement
from rivals.calibration.curve import CalibrationCurve, calibration_curve
from rivals.calibration.experiment import DECIDED
from rivals.calibration.store import Failure, Store
from rivals.losses import Losses

FIELDS = (
    "omega",
    "experiment",
    "c",
    "probability",
    "standard_error",
    "truly_better",
    "undecided",
    "risk_a",
    "risk_b",
    "truth_error",
)

# c belongs to the sizes it was calibrated for; within this factor it is taken to serve.
SIMILAR_SIZE = 1.5


@dataclass(frozen=True)
class ValidRange:
    """The values of c that can be trusted, and why the range ends where it does.

    `low` and `high` are None when no value is valid. Unpacks as `low, high = calibration.valid_c()`.

    Parameters
    ----------
    low, high : float or None
    low_reason, high_reason : str
        Why smaller and larger values are not valid.
    values : tuple of float
        The valid values that were tried.

    Examples
    --------
    >>> valid = ValidRange(0.25, 1.0, "c = 0.0625 is overconfident", "no larger c was tried", (0.25, 1.0))
    >>> low, high = valid
    >>> low, high
    (0.25, 1.0)
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


@dataclass(frozen=True, eq=False)
class Calibration:
    """The outcomes of simulated experiments.

    Attributes
    ----------
    omegas : tuple of str
        Names of the epistemic distributions.
    c : tuple of float
        The values of c, increasing.
    n_data, n_synthetic, n_truth, n_draws : int
        The sizes that c belongs to.
    loss_unit : str or None
    entropy : int
        Repeats the study.
    failures : tuple of Failure
        Experiments that have no outcome. They are not missing at random.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> def gaussian(mean):
    ...     return rivals.Candidate(
    ...         loss=lambda y: (y - mean) ** 2 / 2, simulate=lambda n, rng: mean + rng.standard_normal(n)
    ...     )
    >>> def omega(rng):
    ...     mean = rng.normal(0, 0.1)
    ...     return rivals.Experiment(
    ...         observe=lambda n, rng: mean + rng.standard_normal(n), candidates=(gaussian(-0.1), gaussian(0.1))
    ...     )
    >>> calibration = rivals.calibrate(
    ...     omega, n_data=100, n_experiments=32, c=[1.0], n_truth=2000, rng=0, executor=0, progress=False
    ... )
    >>> calibration.records["probability"].shape
    (32,)
    """

    omegas: tuple[str, ...]
    c: tuple[float, ...]
    n_data: int
    n_synthetic: int
    n_truth: int
    n_draws: int
    loss_unit: str | None
    entropy: int
    failures: tuple[Failure, ...]
    _omega: npt.NDArray[np.int64]
    _experiment: npt.NDArray[np.int64]
    _probability: FloatArray
    _standard_error: FloatArray
    _risks: FloatArray

    @classmethod
    def from_store(cls, store: Store, n_experiments: int | None = None) -> Calibration:
        """Read the first `n_experiments` of each epistemic distribution, or all."""
        identity = store.identity
        n_c = len(identity["c"])
        size = store.counts()[0]
        keys = np.empty((size, 2), dtype=np.int64)
        values = np.empty((size, 2 * n_c))
        risks = np.empty((size, 3))
        count = 0
        for omega, experiment, probability, error, *rest in store.outcomes(n_experiments):
            if count == size:  # a writer was faster than we read
                break
            keys[count] = omega, experiment
            values[count, :n_c], values[count, n_c:] = np.frombuffer(probability, "<f8"), np.frombuffer(error, "<f8")
            risks[count] = rest
            count += 1
        return cls(
            omegas=tuple(identity["omegas"]),
            c=tuple(identity["c"]),
            n_data=identity["n_data"],
            n_synthetic=identity["n_synthetic"],
            n_truth=identity["n_truth"],
            n_draws=identity["n_draws"],
            loss_unit=identity["loss_unit"],
            entropy=int(identity["entropy"]),
            failures=tuple(store.failures(n_experiments)),
            _omega=keys[:count, 0],
            _experiment=keys[:count, 1],
            _probability=values[:count, :n_c],
            _standard_error=values[:count, n_c:],
            _risks=risks[:count],
        )

    # ---------------------------------------------------------------- records

    @property
    def n_experiments(self) -> int:
        """Experiments with an outcome, over all epistemic distributions."""
        return self._omega.size

    @property
    def records(self) -> npt.NDArray[Any]:
        """One row per experiment and c, as a structured array.

        Fields: omega, experiment, c, probability (P(R_a < R_b), the candidates in order), standard_error,
        truly_better (whether a is), undecided (the truth is too close to call), risk_a, risk_b (the true risks), and
        truth_error (standard error of their difference).
        """
        n, n_c = self._probability.shape
        width = max(len(name) for name in self.omegas)
        kinds = (f"U{width}", "i8", "f8", "f8", "f8", "?", "?", "f8", "f8", "f8")
        found = np.empty((n, n_c), dtype=list(zip(FIELDS, kinds, strict=True)))
        found["omega"] = np.array(self.omegas)[self._omega][:, None]
        found["experiment"] = self._experiment[:, None]
        found["c"] = self.c
        found["probability"], found["standard_error"] = self._probability, self._standard_error
        found["truly_better"], found["undecided"] = self._truly_better[:, None], self._undecided[:, None]
        for place, name in enumerate(("risk_a", "risk_b", "truth_error")):
            found[name] = self._risks[:, place, None]
        return found.ravel()

    @cached_property
    def _truly_better(self) -> npt.NDArray[np.bool_]:
        return self._risks[:, 0] < self._risks[:, 1]

    @cached_property
    def _undecided(self) -> npt.NDArray[np.bool_]:
        return ~(np.abs(self._risks[:, 0] - self._risks[:, 1]) > DECIDED * self._risks[:, 2])

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write `records` as CSV."""
        records = self.records
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(FIELDS)
            writer.writerows(_safe_for_spreadsheets(row) for row in records.tolist())

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write `records` as Parquet (needs pyarrow)."""
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise ImportError('Parquet needs pyarrow: pip install "rivals[table]"') from None
        records = self.records
        table = pyarrow.table({name: np.ascontiguousarray(records[name]) for name in FIELDS})
        pyarrow.parquet.write_table(table, os.fspath(path))

    # ---------------------------------------------------------------- curves

    def curve(
        self, c: float, omega: str | None = None, bins: int = 16, *, confidence: float = 0.95
    ) -> CalibrationCurve:
        """Calibration curve at one c: of one epistemic distribution, or of all experiments together."""
        chosen = self._chosen(omega)
        probability = self._probability[chosen, self._place(c)]
        if probability.size == 0:
            raise ValueError(f"there is no finished experiment of {omega or 'any epistemic distribution'!r} yet")
        truth = np.where(self._undecided, 0.5, self._truly_better)[chosen]
        return calibration_curve(probability, truth, bins=bins, confidence=confidence)

    def overconfidence(self, c: float, omega: str | None = None, bins: int = 16) -> float:
        """Mean excess of |B_EMD − ½| over |B_epis − ½|, of the worst epistemic distribution if none is named."""
        return max(judgement.overconfidence(curve) for curve in self._curves(c, omega, bins).values())

    def judge(self, c: float, omega: str | None = None, bins: int = 16) -> Mapping[str, judgement.Judgement]:
        """Whether c is valid, for each epistemic distribution, and why not.

        The bands with which overconfidence is told from chance hold for all bins at once (95 % over the curve).
        """
        curves = self._curves(c, omega, bins, confidence=1.0 - 0.05 / bins)
        return {name: judgement.judge(curve) for name, curve in curves.items()}

    def valid_c(self, omega: str | None = None, bins: int = 16) -> ValidRange:
        """The range of c that is valid for every epistemic distribution, with the reason at each end.

        If valid values do not lie side by side, the widest range of neighbours is taken, the upper one of equals.
        """
        verdicts = [self._worst(c, omega, bins) for c in self.c]
        runs = _runs([verdict is None for verdict in verdicts])
        if not runs:
            return ValidRange(None, None, f"at c = {self.c[-1]:g}, {verdicts[-1]}", "", ())
        begin, end = max(runs, key=lambda run: (run[1] - run[0], run[0]))
        below = "no smaller c was tried" if begin == 0 else f"c = {self.c[begin - 1]:g} is {verdicts[begin - 1]}"
        above = "no larger c was tried" if end == len(self.c) else f"c = {self.c[end]:g} is {verdicts[end]}"
        return ValidRange(self.c[begin], self.c[end - 1], below, above, self.c[begin:end])

    def choose_c(self, omega: str | None = None, bins: int = 16) -> float:
        """The valid c whose probabilities tell most: the best Brier score of the worst epistemic distribution."""
        valid = self.valid_c(omega, bins)
        if not valid.values:
            raise ValueError(f"no value of c is valid here; {valid.low_reason}. Try larger values")
        return min(valid.values, key=lambda c: (self._score(c, omega), -c))

    def correct(self, probability: npt.ArrayLike, c: float, omega: str | None = None, bins: int = 16) -> FloatArray:
        """Probabilities of `compare` at this c, corrected by isotonic regression of the calibration curve.

        With several epistemic distributions the correction closest to ½ is taken: the worst decides.
        """
        values = np.asarray(probability, dtype=np.float64)
        if not ((values >= 0) & (values <= 1)).all():
            raise ValueError("probabilities must lie in [0, 1]")
        found = []
        for name, curve in self._curves(c, omega, bins).items():
            try:
                found.append(judgement.correct(curve, values))
            except ValueError as error:
                raise ValueError(f"epistemic distribution {show(name)!r}: {error}") from None
        stack = np.stack(found)
        nearest = np.argmin(np.abs(stack - 0.5), axis=0)
        return np.asarray(np.take_along_axis(stack, nearest[None], axis=0)[0])

    # ---------------------------------------------------------------- use in compare

    def doubts(self, losses: Mapping[str, Losses], loss_unit: str | None) -> list[str]:
        """What makes this calibration unfit for these losses."""
        found = []
        for what, calibrated, sizes in (
            ("observed losses", self.n_data, {sample.n_observed for sample in losses.values()}),
            ("synthetic losses", self.n_synthetic, {sample.n_synthetic for sample in losses.values()}),
        ):
            odd = sorted(size for size in sizes if not 1 / SIMILAR_SIZE <= size / calibrated <= SIMILAR_SIZE)
            if odd:
                found.append(f"c was calibrated for {calibrated} {what}, and is used for {odd[0]}")
        if loss_unit != self.loss_unit and loss_unit is not None and self.loss_unit is not None:
            found.append(f"c was calibrated for losses in {self.loss_unit}, and is used for losses in {loss_unit}")
        return found

    def warn(self, losses: Mapping[str, Losses], loss_unit: str | None) -> None:
        """Warn where `doubts` finds something."""
        for doubt in self.doubts(losses, loss_unit):
            warnings.warn(f"{doubt}; c belongs to a loss and to sizes: calibrate again", RivalsWarning, stacklevel=4)

    # ---------------------------------------------------------------- showing

    def __str__(self) -> str:
        lines = [
            f"Calibration: {self.n_experiments} experiments"
            + (f", {len(self.failures)} failed" if self.failures else "")
            + f"; {self.n_data} data points each"
            + (f", losses in {show(self.loss_unit)}" if self.loss_unit else "")
        ]
        for c in self.c:
            verdict = self._worst(c, None, 16)
            lines.append(f"  c = {c:<12g} overconfidence {self.overconfidence(c):.3f}  {verdict or 'valid'}")
        lines.append(f"Valid: {self.valid_c()}")
        return "\n".join(lines)

    __repr__ = __str__

    # ---------------------------------------------------------------- inside

    def _curves(
        self, c: float, omega: str | None, bins: int, *, confidence: float = 0.95
    ) -> dict[str, CalibrationCurve]:
        names: Sequence[str] = self.omegas if omega is None else (omega,)
        return {name: self.curve(c, name, bins, confidence=confidence) for name in names}

    def _worst(self, c: float, omega: str | None, bins: int) -> str | None:
        """Why c is not valid; None if it is."""
        for name, verdict in self.judge(c, omega, bins).items():
            if not verdict.valid:
                where = f" for {show(name)!r}" if len(self.omegas) > 1 else ""
                return f"{verdict.reason}{where}"
        return None

    def _score(self, c: float, omega: str | None) -> float:
        truth = np.where(self._undecided, 0.5, self._truly_better)
        names = self.omegas if omega is None else (omega,)
        squares = (self._probability[:, self._place(c)] - truth) ** 2
        return max(float(np.mean(squares[self._chosen(name)])) for name in names)

    def _place(self, c: float) -> int:
        near = np.flatnonzero(np.isclose(self.c, c, rtol=1e-9, atol=0))
        if near.size == 0:
            raise ValueError(f"c = {c!r} was not calibrated; there are {[float(f'{value:.6g}') for value in self.c]}")
        return int(near[0])

    def _chosen(self, omega: str | None) -> npt.NDArray[np.bool_]:
        if omega is None:
            return np.ones(self._omega.size, dtype=bool)
        if omega not in self.omegas:
            raise ValueError(f"unknown epistemic distribution {omega!r}; there are {list(self.omegas)}")
        return np.asarray(self._omega == self.omegas.index(omega))


def open_store(path: str | PathLike[str]) -> Calibration:
    """The `Calibration` in a store, complete or not, also while it is being written.

    Parameters
    ----------
    path : path
        The SQLite file that `calibrate` was given as `store`.

    Returns
    -------
    Calibration

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rivals
    >>> def gaussian(mean):
    ...     return rivals.Candidate(
    ...         loss=lambda y: (y - mean) ** 2 / 2, simulate=lambda n, rng: mean + rng.standard_normal(n)
    ...     )
    >>> def omega(rng):
    ...     mean = rng.normal(0, 0.1)
    ...     return rivals.Experiment(
    ...         observe=lambda n, rng: mean + rng.standard_normal(n), candidates=(gaussian(-0.1), gaussian(0.1))
    ...     )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "study.sqlite"
    ...     sizes = dict(n_data=100, n_experiments=8, c=[1.0], n_truth=2000)
    ...     _ = rivals.calibrate(omega, **sizes, rng=0, executor=0, progress=False, store=path)
    ...     print(open_store(path).n_experiments)
    8
    """
    with Store.open_reader(path) as store:
        return Calibration.from_store(store)


def _runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """[begin, end) of each run of True."""
    padded = np.diff(np.concatenate([[0], np.asarray(flags, dtype=np.int8), [0]]))
    return list(zip(np.flatnonzero(padded == 1).tolist(), np.flatnonzero(padded == -1).tolist(), strict=True))


def _safe_for_spreadsheets(row: Sequence[Any]) -> list[Any]:
    """Text that a spreadsheet would take for a formula gets a quote before it."""
    return [f"'{cell}" if isinstance(cell, str) and cell[:1] in "=+-@\t\r" else cell for cell in row]
