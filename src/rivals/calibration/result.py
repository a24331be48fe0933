"""What a calibration found: records, curves, and the choice of c."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from html import escape
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import need, show
from rivals._files import replacing
from rivals._types import FloatArray
from rivals.calibration.correction import Correction, fit_correction
from rivals.calibration.curve import CalibrationCurve, calibration_curve, most_cautious
from rivals.calibration.experiment import is_undecided
from rivals.calibration.store import Failure, Store, open_reader
from rivals.calibration.validity import ENOUGH_TO_JUDGE, Judgement, Validity, collect, judge
from rivals.laws import Law, Order, known_options
from rivals.losses import Losses

FIELDS = (
    "omega",
    "experiment",
    "c",
    "probability",
    "standard_error",
    "truly_better",
    "undecided",
    "truth",
    "risk_a",
    "risk_b",
    "truth_error",
)

# Characters that begin a formula, also as wide characters.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")

# A calibration holds for the sample sizes it was made with; within this factor we accept it.
SIMILAR_SIZE = 1.5
# More simulations only reduce the noise of W or δ, by the root of their number: a factor of two changes it by 1.4.
SIMILAR_SIMULATIONS = 2.0
# With fewer experiments of an epistemic distribution there is no curve to correct probabilities.
ENOUGH_TO_CORRECT = 64
REMEDY = "a calibration holds for one loss, law and sample size: calibrate again for these"


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

    See Also
    --------
    Calibration.valid_c : finds the range.

    Examples
    --------
    >>> valid = ValidRange(
    ...     0.25, 1.0, "c = 0.0625 is overconfident", "no larger c was tried", (0.25, 1.0)
    ... )
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
    n_data, n_truth : int
        The sizes for which c was calibrated.
    law : str
        The law of the risk for which c was calibrated.
    options : mapping
        The options of that law.
    n_simulations : int
        Simulations of each candidate.
    order : "time" or None
        Whether sampling errors are those of a time series.
    n_replications : int
        Replications that determine the truth of each experiment.
    loss_unit : str or None
    entropy : int
        Repeats the study.
    failures : tuple of Failure
        Experiments that have no outcome. They are not missing at random.

    See Also
    --------
    calibrate : makes a calibration.
    rivals.calibration.open_store : reads one from its store.
    compare : takes a calibration as its c.
    rivals.plots.plot_calibration : draws the curves.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> calibration = rivals.calibrate(
    ...     toys.omega,
    ...     n_data=100,
    ...     n_experiments=32,
    ...     c=[1.0],
    ...     n_truth=2000,
    ...     rng=0,
    ...     executor=0,
    ...     progress=False,
    ... )
    >>> calibration.records["probability"].shape
    (32,)
    >>> calibration.question
    'which candidate is better on new data of the same process'
    >>> print(calibration.valid_c())
    no valid c: at c = 1, undetermined: 32 experiments are too few to tell, 256 are needed
    """

    omegas: tuple[str, ...]
    c: tuple[float, ...]
    n_data: int
    n_truth: int
    law: str
    options: Mapping[str, Any]
    n_simulations: int
    order: Order | None
    n_replications: int
    loss_unit: str | None
    entropy: int
    failures: tuple[Failure, ...]
    _replicated: bool
    _outcomes: npt.NDArray[Any]  # one for each experiment, as the store keeps them

    @classmethod
    def from_store(cls, store: Store, n_experiments: int | None = None) -> Calibration:
        """Read the first `n_experiments` of each epistemic distribution, or all."""
        identity, outcomes, failures, replicated = store.contents(n_experiments)
        same = ("n_data", "n_truth", "law", "options", "n_simulations", "order", "n_replications", "loss_unit")
        return cls(
            **{name: identity[name] for name in same},
            omegas=tuple(identity["omegas"]),
            c=tuple(identity["c"]),
            entropy=int(identity["entropy"]),
            failures=failures,
            _replicated=replicated,
            _outcomes=outcomes,
        )

    @property
    def question(self) -> str:
        """What the probabilities refer to: new data of the process that made the data, or a fresh replication."""
        where = "in a fresh replication" if self._replicated else "on new data of the same process"
        return f"which candidate is better {where}"

    # ---------------------------------------------------------------- records

    @property
    def n_experiments(self) -> int:
        """Experiments with an outcome, over all epistemic distributions."""
        return self._outcomes.size

    @property
    def records(self) -> npt.NDArray[Any]:
        """One row per experiment and c, as a structured array.

        Fields: omega, experiment, c, probability (P(R_a < R_b), the candidates in order), standard_error,
        truly_better (whether a is), undecided (the truth is too close to call), truth (1 where a is better, 0 where b is, ½
        where undecided; of several replications the mean), risk_a, risk_b (the true risks), and truth_error (standard
        error of their difference).
        """
        found = self._outcomes
        width = max(len(name) for name in self.omegas)
        kinds = (f"U{width}", "i8", "f8", "f8", "f8", "?", "?", "f8", "f8", "f8", "f8")
        rows = np.empty((found.size, len(self.c)), dtype=list(zip(FIELDS, kinds, strict=True)))
        rows["omega"] = np.array(self.omegas)[found["omega"]][:, None]
        rows["c"], rows["probability"], rows["standard_error"] = self.c, found["probability"], found["standard_error"]
        rows["truly_better"] = (found["risk_a"] < found["risk_b"])[:, None]
        rows["undecided"] = is_undecided(found["risk_a"], found["risk_b"], found["truth_error"])[:, None]
        for name in ("experiment", "truth", "risk_a", "risk_b", "truth_error"):
            rows[name] = found[name][:, None]
        return rows.ravel()

    def to_dataframe(self) -> Any:
        """`records` as a pandas data frame."""
        return need("pandas", extra="pandas", purpose="to_dataframe").DataFrame(self.records)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write `records` as CSV."""
        records = self.records
        with replacing(path) as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            writer = csv.writer(text)
            writer.writerow(FIELDS)
            writer.writerows(_safe_for_spreadsheets(row) for row in records.tolist())
            text.detach()

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write `records` as Parquet (needs pyarrow)."""
        pyarrow = need("pyarrow", extra="parquet", purpose="Parquet")
        parquet = need("pyarrow.parquet", extra="parquet", purpose="Parquet")
        records = self.records
        table = pyarrow.table({name: np.ascontiguousarray(records[name]) for name in FIELDS})
        with replacing(path) as file:
            parquet.write_table(table, file)

    # ---------------------------------------------------------------- curves

    def curve(
        self, c: float, omega: str | None = None, bins: int = 16, *, confidence: float = 0.95
    ) -> CalibrationCurve:
        """Calibration curve at one c: of one epistemic distribution, or of all experiments together."""
        return calibration_curve(*self._stated_and_true(c, omega), bins=bins, confidence=confidence)

    def overconfidence(self, c: float, omega: str | None = None, bins: int = 16) -> float:
        """Mean excess of |B_EMD − ½| over |B_epis − ½|, of the worst epistemic distribution if none is named."""
        return max(curve.overconfidence for curve in self._curves(c, omega, bins).values())

    def overconfidences(self, bins: int = 16) -> dict[str, FloatArray]:
        """The overconfidence of each epistemic distribution, at every c."""
        return {name: np.array([self.overconfidence(c, name, bins) for c in self.c]) for name in self.omegas}

    def judge(self, c: float, omega: str | None = None, bins: int = 16) -> Mapping[str, Judgement]:
        """Whether c is valid, for each epistemic distribution, and if not, why: how many of the stated winners are wrong?"""
        return {name: judge(*self._stated_and_true(c, name), bins=bins) for name in self._names(omega)}

    def validity(self, bins: int = 16) -> Validity:
        """Which c are valid for each epistemic distribution, as a table, and which for all of them.

        `valid_c` is the widest range of those; `validity().for_all` is empty if no c is valid for all.
        """
        judgements = [self.judge(c, None, bins) for c in self.c]
        return collect(self.c, {name: [each[name] for each in judgements] for name in self.omegas})

    def select(self, omegas: Sequence[str]) -> Calibration:
        """The calibration by some of its epistemic distributions only, in the order given.

        Fewer conditions are easier to meet: after some candidates have been rejected, only the epistemic distributions
        of the others count.
        """
        names = tuple(dict.fromkeys([omegas] if isinstance(omegas, str) else omegas))
        if not names:
            raise ValueError(
                f"no epistemic distribution is selected: there are {list(self.omegas)}; choose some of these"
            )
        place = {self._place(name): new for new, name in enumerate(names)}
        outcomes = self._outcomes[np.isin(self._outcomes["omega"], list(place))]
        outcomes["omega"] = [place[old] for old in outcomes["omega"].tolist()]
        failures = tuple(replace(each, omega=place[each.omega]) for each in self.failures if each.omega in place)
        return replace(self, omegas=names, failures=failures, _outcomes=outcomes)

    def problems(self, omega: str | None = None, bins: int = 16) -> dict[float, str | None]:
        """Why each c is not valid for every epistemic distribution; None where it is."""
        return {c: self._problem(c, omega, bins) for c in self.c}

    def valid_c(self, omega: str | None = None, bins: int = 16) -> ValidRange:
        """The range of c that is valid for every epistemic distribution, with the reason at each end.

        If the valid values are not contiguous, the widest contiguous range is taken; of equally wide ones, that of larger c.
        """
        problems = list(self.problems(omega, bins).values())
        runs = _runs([problem is None for problem in problems])
        if not runs:
            return ValidRange(None, None, f"at c = {self.c[-1]:g}, {problems[-1]}", "", ())
        begin, end = max(runs, key=lambda run: (run[1] - run[0], run[0]))
        below = "no smaller c was tried" if begin == 0 else f"c = {self.c[begin - 1]:g} is {problems[begin - 1]}"
        above = "no larger c was tried" if end == len(self.c) else f"c = {self.c[end]:g} is {problems[end]}"
        return ValidRange(self.c[begin], self.c[end - 1], below, above, self.c[begin:end])

    def choose_c(self, omega: str | None = None, bins: int = 16, *, valid_only: bool = True) -> float:
        """The c with the most informative probabilities: the best Brier score in the worst epistemic distribution.

        Parameters
        ----------
        omega : str, optional
            Which epistemic distribution; by default all of them.
        bins : int
            Equal-count bins of the curves by which c is judged.
        valid_only : bool
            True if you use B without correction: only a valid c is then chosen. False if the curve corrects B, as in
            `compare(..., c=calibration)`: the curve does so at any c.
        """
        values = self.c
        if valid_only:
            valid = self.valid_c(omega, bins)
            if not valid.values:
                raise ValueError(
                    f"no value of c is valid here: {valid.low_reason}; run more experiments or try larger values, or use "
                    "compare(..., c=calibration), which corrects probabilities by the curve"
                )
            values = valid.values
        return min(values, key=lambda c: (self.brier_score(c, omega), -c))

    def brier_score(self, c: float, omega: str | None = None) -> float:
        """Mean squared error of B as a forecast of the truth, of the worst epistemic distribution if none is named."""
        pairs = [self._stated_and_true(c, name) for name in self._names(omega)]
        return max(float(np.mean((stated - true) ** 2)) for stated, true in pairs)

    def equally_good_c(self, omega: str | None = None) -> tuple[float, float]:
        """Smallest and largest c in the range around the best one whose Brier scores are not clearly worse than the best.

        The scores are compared experiment by experiment: a c is clearly worse if the mean difference exceeds two of its
        standard errors in some epistemic distribution.
        """
        best = self._column(self.choose_c(omega, valid_only=False))
        worse = np.zeros(len(self.c), dtype=bool)
        for name in self._names(omega):
            found = self._finished(name)
            squares = (found["probability"] - found["truth"][:, None]) ** 2
            excess = squares - squares[:, [best]]
            worse |= excess.mean(axis=0) > 2.0 * excess.std(axis=0) / np.sqrt(len(excess))
        begin, end = next(run for run in _runs((~worse).tolist()) if run[0] <= best < run[1])
        return self.c[begin], self.c[end - 1]

    def grid_problem(self, omega: str | None = None) -> str | None:
        """A sentence if the best c is at an end of those that were tried; None if it is inside, or alone."""
        best = self.choose_c(omega, valid_only=False)
        if len(self.c) == 1 or self.c[0] < best < self.c[-1]:
            return None
        end, beyond = ("smallest", "smaller") if best == self.c[0] else ("largest", "larger")
        return f"c = {best:g} is the {end} that was tried, and a {beyond} one may be better; try more values"

    def correct(self, probability: npt.ArrayLike, c: float, omega: str | None = None) -> FloatArray:
        """Calibrated probabilities: how often such a B came true at this c, by isotonic regression of the truth on B.

        Symmetric in the two candidates, and constant beyond the experiments that were seen. With several epistemic
        distributions the correction closest to ½ is taken (`rivals.calibration.curve.most_cautious`).

        Parameters
        ----------
        probability : array_like
            P(R_a < R_b) as `compare` gives it.
        c : float
            One of the values that were calibrated.
        omega : str, optional
            Which epistemic distribution; by default all of them.
        """
        values = np.asarray(probability, dtype=np.float64)
        outside = ~((values >= 0) & (values <= 1))
        if outside.any():
            raise ValueError(
                f"probabilities must lie in [0, 1]: got {values[outside].ravel()[0]:g}; pass those of compare"
            )
        return most_cautious(np.stack([self._correction(c, name)(values) for name in self._names(omega)]))

    # ---------------------------------------------------------------- use in compare

    def as_law(self) -> Law:
        """The law, with its options."""
        return known_options(self.law, dict(self.options))

    def check_fit(
        self, losses: Mapping[str, Losses], *, law: str | None, order: str | None, loss_unit: str | None
    ) -> None:
        """Refuse losses or settings of a comparison for which this calibration was not made.

        Parameters
        ----------
        losses : mapping of Losses
        law, order, loss_unit : str or None
            Those of the comparison. A law or a unit that is not given is accepted.
        """
        if law is not None and law != self.law:
            raise ValueError(
                f"the calibration was made under law {self.law!r}, but law {law!r} was requested; leave law out, or calibrate(..., law={law!r})"
            )
        if order != self.order:
            raise ValueError(
                f"the calibration was made with order={self.order!r}, but the comparison has order={order!r}; use the same in both"
            )
        if loss_unit != self.loss_unit and loss_unit is not None and self.loss_unit is not None:
            raise ValueError(
                f"the calibration is for losses in {show(self.loss_unit)}, but these are in {show(loss_unit)}; {REMEDY}"
            )
        for name, sample in losses.items():
            for what, calibrated, size, factor in (
                ("observed losses", self.n_data, sample.n_observed, SIMILAR_SIZE),
                ("synthetic losses", self.n_data, sample.n_synthetic, SIMILAR_SIZE),
                ("simulations", self.n_simulations, sample.n_simulations, SIMILAR_SIMULATIONS),
            ):
                if not calibrated / factor <= size <= calibrated * factor:
                    remedy = REMEDY if what != "simulations" else _other_simulations(calibrated, size)
                    raise ValueError(
                        f"the calibration is for {calibrated} {what} of each model, but model '{show(name)}' has {size}; {remedy}"
                    )
        for name in self.omegas:
            self._check_enough(name)

    # ---------------------------------------------------------------- showing

    def to_dict(self) -> dict[str, Any]:
        """Settings and the findings at each c, as plain numbers, lists and text, for JSON.

        If an epistemic distribution has no finished experiment, nothing is known at any c, and there are only the settings.
        """
        return self._settings() if self._unfinished() else {**self._settings(), **self._findings()}

    def _settings(self) -> dict[str, Any]:
        return {
            "omegas": list(self.omegas),
            "experiments": self.n_experiments,
            "failed": len(self.failures),
            "n_data": self.n_data,
            "n_truth": self.n_truth,
            "law": self.law,
            "options": dict(self.options),
            "n_simulations": self.n_simulations,
            "order": self.order,
            "n_replications": self.n_replications,
            "question": self.question,
            "loss_unit": self.loss_unit,
            "rng": str(self.entropy),  # larger than what JSON readers elsewhere can hold
            "c": list(self.c),
        }

    def _findings(self) -> dict[str, Any]:
        valid = self.valid_c()
        return {
            "overconfidence": [self.overconfidence(c) for c in self.c],
            "validity": self.validity().to_dict(),
            "problems": list(self.problems().values()),
            "valid": list(valid.values),
            "valid_by_omega": {name: list(values) for name, values in self.validity().by_omega.items()},
            "below": valid.low_reason,
            "above": valid.high_reason,
            "brier_score": [self.brier_score(c) for c in self.c],
            "chosen": self.choose_c(valid_only=False),
            "equally_good_c": list(self.equally_good_c()),
            "grid_problem": self.grid_problem(),
        }

    def __str__(self) -> str:
        heading = [self._heading(), self._subheading()]
        if self._unfinished():
            return "\n".join([*heading, *self._unfinished()])
        lines = [
            f"  c = {c:<12g} {problem or f'valid: {self._worst_error(c)}'}" for c, problem in self.problems().items()
        ]
        return "\n".join([*heading, *lines, *self._valid(), *self._choice()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        heading = f"<p>{escape(self._heading())}<br>{escape(self._subheading())}</p>"
        if self._unfinished():
            why = "\n".join(self._unfinished())
            body = f"<pre>{escape(why)}</pre>"
        else:
            rows = "".join(
                f"<tr><td>{c:g}</td><td>{escape(problem or f'valid: {self._worst_error(c)}')}</td></tr>"
                for c, problem in self.problems().items()
            )
            body = (
                f"<table><thead><tr><th>c</th><th>verdict</th></tr></thead><tbody>{rows}</tbody></table>"
                f"<p>{'<br>'.join(map(escape, self._valid()))}</p><p>{'<br>'.join(map(escape, self._choice()))}</p>"
            )
        # The class keeps notebooks from taking dollar signs in names for mathematics.
        return f'<div class="tex2jax_ignore mathjax_ignore">{heading}{body}</div>'

    def _unfinished(self) -> list[str]:
        """Why nothing can be said yet, where an epistemic distribution has no finished experiment; else nothing."""
        lines = []
        for place, name in enumerate(self.omegas):
            if self._of(name).size:
                continue
            failures = [failure for failure in self.failures if failure.omega == place]
            if failures:
                lines += [
                    f"All {len(failures)} experiments of {show(name)!r} failed. The first failed with:",
                    "",
                    failures[0].traceback.strip(),
                    "",
                ]
            else:
                lines.append(f"No experiment of {show(name)!r} has finished yet.")
        return lines

    def _heading(self) -> str:
        return (
            f"Calibration: {self.n_experiments} experiments"
            + (f", {len(self.failures)} failed (retry=True runs them again)" if self.failures else "")
            + f"; {self.n_data} data points each"
            + (f", losses in {show(self.loss_unit)}" if self.loss_unit else "")
        )

    def _subheading(self) -> str:
        return (
            f"Law {self.law!r}, {self.n_simulations} simulation(s) of each candidate"
            + (f", order {self.order!r}" if self.order else "")
            + f"; question: {self.question}"
            + (f" ({self.n_replications} of each)" if self.n_replications > 1 else "")
        )

    def _valid(self) -> list[str]:
        """The range that is valid for all epistemic distributions; of several, also what is valid for each."""
        lines = [f"Valid: {self.valid_c()}"]
        if len(self.omegas) > 1:
            lines += [f"  for {show(name)!r}: {values}" for name, values in self.validity().ranges().items()]
        return lines

    def _choice(self) -> list[str]:
        """The best c with its range and law, the effect of its curve, and what to do next."""
        best = self.choose_c(valid_only=False)
        low, high = self.equally_good_c()
        fewest, where = min((self._of(name).size, name) for name in self.omegas)
        of_which = f" of {show(where)!r}" if len(self.omegas) > 1 else ""
        lines = [
            f"Best: c = {best:g} under law {self.law!r} (Brier score {self.brier_score(best):.3f})"
            + (f"; c from {low:g} to {high:g} is about as good" if low < high else "")
        ]
        if fewest >= ENOUGH_TO_CORRECT:
            largest = min(self._correction(best, name).largest for name in self.omegas)
            lines.append(f"  corrected by the curve, B is at most {largest:.3g}")
        if fewest < ENOUGH_TO_JUDGE:
            lines.append(
                f"Too few experiments to call a c valid: {fewest}{of_which}; {ENOUGH_TO_JUDGE} are needed"
                + (f", {ENOUGH_TO_CORRECT} for a curve that corrects B" if fewest < ENOUGH_TO_CORRECT else "")
            )
        beyond = self.grid_problem()
        return [*lines, f"  {beyond}"] if beyond else lines

    # ---------------------------------------------------------------- inside

    @cached_property
    def _corrections(self) -> dict[tuple[int, str], Correction]:
        return {}

    def _correction(self, c: float, omega: str) -> Correction:
        """The curve of one epistemic distribution, fitted once."""
        column = self._column(c)
        if (column, omega) not in self._corrections:
            self._check_enough(omega)
            self._corrections[column, omega] = fit_correction(*self._stated_and_true(c, omega))
        return self._corrections[column, omega]

    def _check_enough(self, omega: str) -> None:
        n_experiments = self._of(omega).size
        if n_experiments < ENOUGH_TO_CORRECT:
            raise ValueError(
                f"epistemic distribution '{show(omega)}' has {n_experiments} experiments: fewer than {ENOUGH_TO_CORRECT} are too few to "
                f"tell what a probability means; run more, at least {ENOUGH_TO_JUDGE}, better a thousand"
            )

    def _names(self, omega: str | None) -> Sequence[str]:
        return self.omegas if omega is None else (omega,)

    def _curves(self, c: float, omega: str | None, bins: int) -> dict[str, CalibrationCurve]:
        return {name: self.curve(c, name, bins) for name in self._names(omega)}

    def _problem(self, c: float, omega: str | None, bins: int) -> str | None:
        for name, judgement in self.judge(c, omega, bins).items():
            if not judgement.valid:
                where = f" for {show(name)!r}" if len(self.omegas) > 1 else ""
                return f"{judgement.reason}{where}"
        return None

    def _worst_error(self, c: float) -> str:
        """Of a c that is valid for all: the epistemic distribution of most errors, in words."""
        judged = self.judge(c)
        worst = max(judged, key=lambda name: np.nan_to_num(judged[name].error, nan=-1.0))
        return judged[worst].reason + (f" for {show(worst)!r}" if len(self.omegas) > 1 else "")

    def _column(self, c: float) -> int:
        near = np.flatnonzero(np.isclose(self.c, c, rtol=1e-9, atol=0))
        if near.size == 0:
            tried = [float(f"{value:.6g}") for value in self.c]
            raise ValueError(f"c = {c!r} was not calibrated: the values are {tried}; choose one of these")
        return int(near[0])

    def _stated_and_true(self, c: float, omega: str | None) -> tuple[FloatArray, FloatArray]:
        """B at one c, and the truth, of each experiment."""
        found = self._finished(omega)
        return found["probability"][:, self._column(c)], found["truth"]

    def _finished(self, omega: str | None) -> npt.NDArray[Any]:
        """The outcomes of one epistemic distribution, or all; at least one."""
        found = self._of(omega)
        if not found.size:
            whose = "any epistemic distribution" if omega is None else f"epistemic distribution {omega!r}"
            raise ValueError(
                f"no curve yet: no experiment of {whose} has finished; print the calibration to see what failed, or wait"
            )
        return found

    def _of(self, omega: str | None) -> npt.NDArray[Any]:
        return self._outcomes if omega is None else self._outcomes[self._outcomes["omega"] == self._place(omega)]

    def _place(self, omega: str) -> int:
        if omega not in self.omegas:
            raise ValueError(
                f"unknown epistemic distribution {omega!r}: there are {list(self.omegas)}; choose one of these"
            )
        return self.omegas.index(omega)


def open_store(path: str | PathLike[str]) -> Calibration:
    """The `Calibration` in a store, complete or not, also while it is being written.

    Parameters
    ----------
    path : path
        The SQLite file that `calibrate` was given as `store`.

    Returns
    -------
    Calibration

    See Also
    --------
    rivals.calibrate : runs a study and fills its store.
    Calibration : what is returned.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "study.sqlite"
    ...     sizes = dict(n_data=100, n_experiments=8, c=[1.0], n_truth=2000)
    ...     _ = rivals.calibrate(
    ...         toys.omega, **sizes, rng=0, executor=0, progress=False, store=path
    ...     )
    ...     print(open_store(path).n_experiments)
    8
    """
    with open_reader(path) as store:
        return Calibration.from_store(store)


def _other_simulations(calibrated: int, found: int) -> str:
    """What to do where losses have more or fewer simulations than a calibration."""
    return (
        f"give each model {calibrated} of them (the rows of the synthetic matrix; in a table, a column 'simulation' tells them apart), "
        f"or calibrate again with n_simulations={found} (rivals calibrate ... --n-simulations {found})"
    )


def _runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """[begin, end) of each run of True."""
    padded = np.diff(np.concatenate([[0], np.asarray(flags, dtype=np.int8), [0]]))
    return list(zip(np.flatnonzero(padded == 1).tolist(), np.flatnonzero(padded == -1).tolist(), strict=True))


def _safe_for_spreadsheets(row: Sequence[Any]) -> list[Any]:
    """Text that a spreadsheet would take for a formula gets a quote in front; leading blanks do not hide a formula."""
    return [f"'{cell}" if isinstance(cell, str) and cell.strip().startswith(FORMULA) else cell for cell in row]
