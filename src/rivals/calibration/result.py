"""What a calibration found: records, curves, and the choice of c."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from html import escape
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import need, show
from rivals._types import BoolArray, FloatArray
from rivals.calibration.curve import CalibrationCurve, Judgement, calibration_curve, most_cautious
from rivals.calibration.experiment import is_undecided
from rivals.calibration.store import Store, open_reader
from rivals.calibration.work import Failure
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
REMEDY = "c belongs to a loss and to sizes: calibrate again"


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

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers, lists and text, for JSON."""
        return {**asdict(self), "values": list(self.values)}


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
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> calibration = rivals.calibrate(
    ...     toys.omega, n_data=100, n_experiments=32, c=[1.0], n_truth=2000, rng=0, executor=0, progress=False
    ... )
    >>> calibration.records["probability"].shape
    (32,)
    >>> calibration.to_dict()["valid"]
    [1.0]
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
        contents = store.contents(n_experiments)
        identity = contents.identity
        return cls(
            omegas=tuple(identity["omegas"]),
            c=tuple(identity["c"]),
            n_data=identity["n_data"],
            n_synthetic=identity["n_synthetic"],
            n_truth=identity["n_truth"],
            n_draws=identity["n_draws"],
            loss_unit=identity["loss_unit"],
            entropy=int(identity["entropy"]),
            failures=contents.failures,
            _omega=contents.omega,
            _experiment=contents.experiment,
            _probability=contents.probability,
            _standard_error=contents.standard_error,
            _risks=contents.risks,
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
        rows = np.empty((n, n_c), dtype=list(zip(FIELDS, kinds, strict=True)))
        rows["omega"] = np.array(self.omegas)[self._omega][:, None]
        rows["experiment"] = self._experiment[:, None]
        rows["c"] = self.c
        rows["probability"], rows["standard_error"] = self._probability, self._standard_error
        rows["truly_better"], rows["undecided"] = self._truly_better[:, None], self._undecided[:, None]
        for column, name in enumerate(("risk_a", "risk_b", "truth_error")):
            rows[name] = self._risks[:, column, None]
        return rows.ravel()

    @cached_property
    def _truly_better(self) -> BoolArray:
        return self._risks[:, 0] < self._risks[:, 1]

    @cached_property
    def _undecided(self) -> BoolArray:
        return is_undecided(*self._risks.T)

    @cached_property
    def _truth(self) -> FloatArray:
        """1 where a is truly better, 0 where b is, ½ where that is undecided."""
        return np.where(self._undecided, 0.5, self._truly_better)

    def to_dataframe(self) -> Any:
        """`records` as a pandas data frame."""
        return need("pandas", extra="table", purpose="to_dataframe").DataFrame(self.records)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write `records` as CSV."""
        records = self.records
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(FIELDS)
            writer.writerows(_safe_for_spreadsheets(row) for row in records.tolist())

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write `records` as Parquet (needs pyarrow)."""
        pyarrow = need("pyarrow", extra="table", purpose="Parquet")
        parquet = need("pyarrow.parquet", extra="table", purpose="Parquet")
        records = self.records
        table = pyarrow.table({name: np.ascontiguousarray(records[name]) for name in FIELDS})
        parquet.write_table(table, os.fspath(path))

    # ---------------------------------------------------------------- curves

    def curve(
        self, c: float, omega: str | None = None, bins: int = 16, *, confidence: float = 0.95
    ) -> CalibrationCurve:
        """Calibration curve at one c: of one epistemic distribution, or of all experiments together."""
        rows = self._rows(omega)
        probability = self._probability[rows, self._column(c)]
        if probability.size == 0:
            whose = "any epistemic distribution" if omega is None else f"epistemic distribution {omega!r}"
            raise ValueError(f"no curve yet: there is no finished experiment of {whose}; run some, or wait for them")
        return calibration_curve(probability, self._truth[rows], bins=bins, confidence=confidence)

    def overconfidence(self, c: float, omega: str | None = None, bins: int = 16) -> float:
        """Mean excess of |B_EMD − ½| over |B_epis − ½|, of the worst epistemic distribution if none is named."""
        return max(curve.overconfidence for curve in self._curves(c, omega, bins).values())

    def overconfidences(self, bins: int = 16) -> dict[str, FloatArray]:
        """The overconfidence of each epistemic distribution, at every c."""
        return {name: np.array([self.overconfidence(c, name, bins) for c in self.c]) for name in self.omegas}

    def judge(self, c: float, omega: str | None = None, bins: int = 16) -> Mapping[str, Judgement]:
        """Whether c is valid, for each epistemic distribution, and why not.

        The bands with which overconfidence is told from chance hold for all bins at once (95 % over the curve).
        """
        curves = self._curves(c, omega, bins, confidence=1.0 - 0.05 / bins)
        return {name: curve.judge() for name, curve in curves.items()}

    def problems(self, omega: str | None = None, bins: int = 16) -> dict[float, str | None]:
        """Why each c is not valid for every epistemic distribution; None where it is."""
        return {c: self._problem(c, omega, bins) for c in self.c}

    def valid_c(self, omega: str | None = None, bins: int = 16) -> ValidRange:
        """The range of c that is valid for every epistemic distribution, with the reason at each end.

        If valid values do not lie side by side, the widest range of neighbours is taken, the upper one of equals.
        """
        problems = list(self.problems(omega, bins).values())
        runs = _runs([problem is None for problem in problems])
        if not runs:
            return ValidRange(None, None, f"at c = {self.c[-1]:g}, {problems[-1]}", "", ())
        begin, end = max(runs, key=lambda run: (run[1] - run[0], run[0]))
        below = "no smaller c was tried" if begin == 0 else f"c = {self.c[begin - 1]:g} is {problems[begin - 1]}"
        above = "no larger c was tried" if end == len(self.c) else f"c = {self.c[end]:g} is {problems[end]}"
        return ValidRange(self.c[begin], self.c[end - 1], below, above, self.c[begin:end])

    def choose_c(self, omega: str | None = None, bins: int = 16) -> float:
        """The valid c whose probabilities tell most: the best Brier score of the worst epistemic distribution."""
        valid = self.valid_c(omega, bins)
        if not valid.values:
            raise ValueError(f"no value of c is valid here: {valid.low_reason}; try larger values")
        return min(valid.values, key=lambda c: (self._score(c, omega), -c))

    def correct(self, probability: npt.ArrayLike, c: float, omega: str | None = None, bins: int = 16) -> FloatArray:
        """Probabilities of `compare` at this c, corrected by isotonic regression of the calibration curve.

        With several epistemic distributions the correction closest to ½ is taken: the worst decides.
        """
        values = np.asarray(probability, dtype=np.float64)
        outside = ~((values >= 0) & (values <= 1))
        if outside.any():
            raise ValueError(
                f"probabilities must lie in [0, 1]: got {values[outside].ravel()[0]:g}; pass those of compare"
            )
        corrected = []
        for name, curve in self._curves(c, omega, bins).items():
            try:
                corrected.append(curve.correct(values))
            except ValueError as error:
                raise ValueError(f"epistemic distribution {show(name)!r}: {error}") from None
        return most_cautious(np.stack(corrected))

    # ---------------------------------------------------------------- use in compare

    def doubts(self, losses: Mapping[str, Losses], loss_unit: str | None = None) -> list[str]:
        """What makes this calibration unfit for these losses, in sentences."""
        sentences = []
        for what, calibrated, sizes in (
            ("observed losses", self.n_data, {sample.n_observed for sample in losses.values()}),
            ("synthetic losses", self.n_synthetic, {sample.n_synthetic for sample in losses.values()}),
        ):
            odd = sorted(size for size in sizes if not 1 / SIMILAR_SIZE <= size / calibrated <= SIMILAR_SIZE)
            if odd:
                sentences.append(f"c was calibrated for {calibrated} {what}, and is used for {odd[0]}; {REMEDY}")
        if loss_unit != self.loss_unit and loss_unit is not None and self.loss_unit is not None:
            sentences.append(
                f"c was calibrated for losses in {self.loss_unit}, and is used for losses in {loss_unit}; {REMEDY}"
            )
        return sentences

    # ---------------------------------------------------------------- showing

    def to_dict(self) -> dict[str, Any]:
        """Settings and what is found at each c, as plain numbers, lists and text, for JSON."""
        valid = self.valid_c()
        return {
            "omegas": list(self.omegas),
            "experiments": self.n_experiments,
            "failed": len(self.failures),
            "n_data": self.n_data,
            "n_synthetic": self.n_synthetic,
            "n_truth": self.n_truth,
            "n_draws": self.n_draws,
            "loss_unit": self.loss_unit,
            "rng": str(self.entropy),  # larger than what JSON readers elsewhere can hold
            "c": list(self.c),
            "overconfidence": [self.overconfidence(c) for c in self.c],
            "problems": list(self.problems().values()),
            "valid": list(valid.values),
            "below": valid.low_reason,
            "above": valid.high_reason,
            "chosen": self.choose_c() if valid.values else None,
        }

    def __str__(self) -> str:
        lines = [
            f"  c = {c:<12g} overconfidence {self.overconfidence(c):.3f}  {problem or 'valid'}"
            for c, problem in self.problems().items()
        ]
        return "\n".join([self._heading(), *lines, f"Valid: {self.valid_c()}"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{c:g}</td><td>{self.overconfidence(c):.3f}</td><td>{escape(problem or 'valid')}</td></tr>"
            for c, problem in self.problems().items()
        )
        # The class keeps notebooks from taking dollar signs in names for mathematics.
        return (
            f'<div class="tex2jax_ignore mathjax_ignore"><p>{escape(self._heading())}</p>'
            "<table><thead><tr><th>c</th><th>overconfidence</th><th>verdict</th></tr></thead>"
            f"<tbody>{rows}</tbody></table><p>Valid: {escape(str(self.valid_c()))}</p></div>"
        )

    def _heading(self) -> str:
        return (
            f"Calibration: {self.n_experiments} experiments"
            + (f", {len(self.failures)} failed" if self.failures else "")
            + f"; {self.n_data} data points each"
            + (f", losses in {show(self.loss_unit)}" if self.loss_unit else "")
        )

    # ---------------------------------------------------------------- inside

    def _curves(
        self, c: float, omega: str | None, bins: int, *, confidence: float = 0.95
    ) -> dict[str, CalibrationCurve]:
        names: Sequence[str] = self.omegas if omega is None else (omega,)
        return {name: self.curve(c, name, bins, confidence=confidence) for name in names}

    def _problem(self, c: float, omega: str | None, bins: int) -> str | None:
        for name, judgement in self.judge(c, omega, bins).items():
            if not judgement.valid:
                where = f" for {show(name)!r}" if len(self.omegas) > 1 else ""
                return f"{judgement.reason}{where}"
        return None

    def _score(self, c: float, omega: str | None) -> float:
        names = self.omegas if omega is None else (omega,)
        squares = (self._probability[:, self._column(c)] - self._truth) ** 2
        return max(float(np.mean(squares[self._rows(name)])) for name in names)

    def _column(self, c: float) -> int:
        near = np.flatnonzero(np.isclose(self.c, c, rtol=1e-9, atol=0))
        if near.size == 0:
            tried = [float(f"{value:.6g}") for value in self.c]
            raise ValueError(f"c = {c!r} was not calibrated: there are {tried}; take one of these")
        return int(near[0])

    def _rows(self, omega: str | None) -> BoolArray:
        if omega is None:
            return np.ones(self._omega.size, dtype=bool)
        if omega not in self.omegas:
            raise ValueError(
                f"unknown epistemic distribution {omega!r}: there are {list(self.omegas)}; take one of these"
            )
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
    >>> from rivals.testbeds import toys
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "study.sqlite"
    ...     sizes = dict(n_data=100, n_experiments=8, c=[1.0], n_truth=2000)
    ...     _ = rivals.calibrate(toys.omega, **sizes, rng=0, executor=0, progress=False, store=path)
    ...     print(open_store(path).n_experiments)
    8
    """
    with open_reader(path) as store:
        return Calibration.from_store(store)


def _runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """[begin, end) of each run of True."""
    padded = np.diff(np.concatenate([[0], np.asarray(flags, dtype=np.int8), [0]]))
    return list(zip(np.flatnonzero(padded == 1).tolist(), np.flatnonzero(padded == -1).tolist(), strict=True))


def _safe_for_spreadsheets(row: Sequence[Any]) -> list[Any]:
    """Text that a spreadsheet would take for a formula gets a quote before it."""
    return [f"'{cell}" if isinstance(cell, str) and cell[:1] in "=+-@\t\r" else cell for cell in row]
