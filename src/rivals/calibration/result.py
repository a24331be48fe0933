"""What a calibration found: records, curves, the choice of c, their correction, and how `compare` uses it. How it is shown: `shown.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._say.optional import need
from rivals._say.words import listed, show
from rivals._types import FloatArray
from rivals.calibration.correction import (
    ENOUGH_TO_CORRECT,
    Correction,
    beyond_scores,
    fit_correction,
    one_of_many,
)
from rivals.calibration.curve import CalibrationCurve, calibration_curve, most_cautious
from rivals.calibration.shown import ShownCalibration
from rivals.calibration.store import (
    AT_EACH_C,
    NOTHING_KNOWN,
    NUMBERS,
    SETTINGS,
    Failure,
    new_outcomes,
    open_reader,
)
from rivals.calibration.study import Settings, is_undecided
from rivals.calibration.validity import (
    ENOUGH_TO_JUDGE,
    Validity,
    ValidRange,
    checked_experiments,
    judge_experiments,
)
from rivals.comparison import N_SIMULATIONS
from rivals.comparison.judge import Rule
from rivals.laws import Law, Order, law_from_options
from rivals.losses import Losses

# A calibration holds for the sample sizes it was made with; within this factor we accept it.
SIMILAR_SIZE = 1.5
# More simulations only reduce the noise of W or δ, by the root of their number: a factor of two changes it by 1.4.
SIMILAR_SIMULATIONS = 2.0
REMEDY = "a calibration holds for one loss, law and sample size: calibrate again for these"
OTHER_SIMULATIONS = (
    "give each model {0} of them (the rows of the synthetic matrix; in a table, a column 'simulation' tells them apart), "
    "or calibrate again with n_simulations={1} (rivals calibrate ... --n-simulations {1})"
)
FIELDS = ("omega", "experiment", "c", *AT_EACH_C, "truly_better", "undecided", "truth", "risk_a", "risk_b", "truth_error")  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(ShownCalibration):
    """The outcomes of simulated experiments, or of real ones.

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
    n_simulations : int
        Simulations of each candidate.
    order : "time" or None
        Whether sampling errors are those of a time series.
    n_replications : int
        Replications that determine the truth of each experiment.
    loss_unit : str or None
    entropy : int or None
        Repeats the study.
    n_wanted : int
        Experiments of each epistemic distribution that were asked for.
    failures : tuple of Failure
        Experiments that have no outcome. They are not missing at random.
    about : mapping
        "replicated": whether the truth is that of fresh replications; "n_candidates" of each experiment; names of the "candidates",
        where they are known; and "descriptions" of the epistemic distributions.

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
    n_simulations: int
    order: Order | None
    n_replications: int
    loss_unit: str | None
    entropy: int | None
    n_wanted: int
    failures: tuple[Failure, ...]
    about: Mapping[str, Any]
    _options: Mapping[str, Any]  # of the law
    _outcomes: npt.NDArray[Any]  # one for each experiment, as the store keeps them

    @classmethod
    def from_experiments(
        cls,
        probability: Mapping[float, npt.ArrayLike],
        truth: npt.ArrayLike,
        *,
        n_data: int,
        law: str | Law | None = None,
        n_simulations: int = N_SIMULATIONS,
        order: Order | None = None,
        loss_unit: str | None = None,
        name: str = "experiments",
        candidates: Sequence[str] = (),
        description: str = "",
    ) -> Calibration:
        """A calibration from experiments that you made: real ones whose replications are known, or simulated elsewhere.

        Parameters
        ----------
        probability : mapping
            c → P(R_a < R_b) in each experiment, as `compare(..., c=c).probability[a, b]` has it.
        truth : array_like
            1 where a was better in a fresh replication, 0 where b was, ½ where undecided; of several replications the mean.
        n_data : int
            Data points of each experiment.
        law, n_simulations, order, loss_unit
            Those of the comparisons, as in `calibrate`.
        name, description : str
            What these experiments are.
        candidates : sequence of str
            Names of the models that were compared.

        Examples
        --------
        Four hundred experiments in which B = 0.99 came true in nine of ten:

        >>> import numpy as np
        >>> import rivals
        >>> truth = np.arange(400) % 10 > 0
        >>> calibration = rivals.Calibration.from_experiments({0.25: np.full(400, 0.99)}, truth, n_data=1000)
        >>> float(calibration.correct(0.99, c=0.25).round(2))
        0.9
        """
        settings = Settings.checked(
            c=tuple(probability),
            law=law,
            n_data=n_data,
            n_simulations=n_simulations,
            order=order,
            loss_unit=loss_unit,
        )
        stated = np.column_stack([np.asarray(probability[c], dtype=np.float64) for c in settings.c])
        stated, true = checked_experiments(name, stated, truth, len(settings.c))
        outcomes = new_outcomes(true.size, len(settings.c))
        outcomes["probability"], outcomes["standard_error"], outcomes["truth"] = stated, 0.0, true
        known = {**settings.plain(), "n_truth": 0}
        about = {
            "replicated": True,
            "candidates": [*candidates],
            "descriptions": {name: description},
        }
        return cls(
            omegas=(name,),
            c=tuple(settings.c),
            **{key: known[key] for key in SETTINGS},
            entropy=None,
            n_wanted=true.size,
            failures=(),
            about={**NOTHING_KNOWN, **about},
            _options=known["options"],
            _outcomes=outcomes,
        )

    @property
    def question(self) -> str:
        """What the probabilities refer to: new data of the process that made the data, or a fresh replication."""
        where = (
            "in a fresh replication"
            if self.about.get("replicated")
            else "on new data of the same process"
        )
        return f"which candidate is better {where}"

    # ---------------------------------------------------------------- records

    @property
    def n_experiments(self) -> int:
        """Experiments with an outcome, over all epistemic distributions."""
        return int(self._outcomes.size)

    @property
    def records(self) -> npt.NDArray[Any]:
        """One row per experiment and c, as a structured array.

        Fields: omega, experiment, c, probability (P(R_a < R_b), the candidates in order; of more than two, a random pair),
        standard_error, score (the largest probability with which a rival of lower mean loss beats the truly best of all candidates),
        truly_better (whether a is), undecided (the truth is too close to call), truth (1 where a is better, 0 where b is, ½
        where undecided; of several replications the mean), risk_a, risk_b (the true risks), and truth_error (standard
        error of their difference).
        """
        found = self._outcomes
        kinds = {
            "omega": f"U{max(map(len, self.omegas))}",
            "experiment": "i8",
            "truly_better": "?",
            "undecided": "?",
        }
        rows = np.empty(
            (found.size, len(self.c)), dtype=[(name, kinds.get(name, "f8")) for name in FIELDS]
        )
        risks = [found[name] for name in ("risk_a", "risk_b", "truth_error")]
        known = np.isfinite(risks[2])
        rows["omega"], rows["c"] = np.array(self.omegas)[found["omega"]][:, None], self.c
        rows["truly_better"] = np.where(known, risks[0] < risks[1], found["truth"] > 0.5)[:, None]
        rows["undecided"] = np.where(known, is_undecided(*risks), found["truth"] == 0.5)[:, None]
        for name in AT_EACH_C:
            rows[name] = found[name]
        for name in ("experiment", *NUMBERS):
            rows[name] = found[name][:, None]
        return rows.ravel()

    def to_dataframe(self) -> Any:
        """`records` as a pandas data frame."""
        return need("pandas", extra="pandas", purpose="to_dataframe").DataFrame(self.records)

    # ---------------------------------------------------------------- curves, and which c is valid

    def curve(self, c: float, omega: str | None = None, bins: int = 16) -> CalibrationCurve:
        """Calibration curve at one c: of one epistemic distribution, or of all experiments together."""
        return calibration_curve(*self._at(c, omega), bins=bins)

    def overconfidence(self, c: float, omega: str | None = None, bins: int = 16) -> float:
        """Mean excess of |B_EMD − ½| over |B_epis − ½|, of the worst epistemic distribution if none is named."""
        return max(self.curve(c, name, bins).overconfidence for name in self._names(omega))

    def validity(self, bins: int = 16, omega: str | None = None) -> Validity:
        """Which c are valid for each epistemic distribution, as a table, and which for all of them: how many of the stated
        winners are wrong?

        `valid_c` is the widest range of those; `validity().for_all` is empty if no c is valid for all.
        """
        found = {name: self._of(name, least=1) for name in self._names(omega)}
        pairs = {name: (own["probability"], own["truth"]) for name, own in found.items()}
        return judge_experiments(pairs, self.c, bins=bins)

    def valid_c(self, omega: str | None = None, bins: int = 16) -> ValidRange:
        """The range of c that is valid for every epistemic distribution, with the reason at each end.

        If the valid values are not contiguous, the widest contiguous range is taken; of equally wide ones, that of larger c.
        """
        return self.validity(bins, omega).widest()

    # ---------------------------------------------------------------- the choice of c, and the correction

    def choose_c(
        self, omega: str | None = None, bins: int = 16, *, valid_only: bool = True
    ) -> float:
        """The c with the most informative probabilities: the best Brier score in the worst epistemic distribution.

        Parameters
        ----------
        omega : str, optional
            Which epistemic distribution; by default all of them.
        bins : int
            Equal-count bins of the curves by which c is judged.
        valid_only : bool
            True if you use B without correction: only a c within `valid_c` is then chosen. False if the curve corrects B, as in
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
        pairs = [self._at(c, name) for name in self._names(omega)]
        return max(float(np.mean((probability - truth) ** 2)) for probability, truth in pairs)

    def correct(self, probability: npt.ArrayLike, c: float, omega: str | None = None) -> FloatArray:
        """Calibrated probabilities: how often such a B came true at this c, by the temperature that suits the experiments best.

        Symmetric in the two candidates. With several epistemic distributions the correction closest to ½ is taken
        (`rivals.calibration.curve.most_cautious`).

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
            wrong = values[outside].ravel()[0]
            raise ValueError(
                f"probabilities must lie in [0, 1]: got {wrong:g}; pass those of compare"
            )
        return most_cautious(
            np.stack([self._correction(c, name)(values) for name in self._names(omega)])
        )

    def _correction(self, c: float, omega: str) -> Correction:
        """The curve of one epistemic distribution that corrects B: its temperature."""
        found = self._of(omega, least=ENOUGH_TO_CORRECT)
        return fit_correction(found["probability"][:, self._column(c)], found["truth"])

    # ---------------------------------------------------------------- what `compare` asks

    def as_law(self) -> Law:
        """The law, with its options."""
        return law_from_options(self.law, dict(self._options))

    def rules(self, names: Sequence[str], threshold: float) -> list[Rule]:
        """How `compare` is to read B: by all epistemic distributions together, then, if there are several, by each of them.

        Of two models, B is corrected by the curve. Of more, B is at most the part of the experiments in which the truly best of as
        many candidates is beaten less clearly: beyond 0.95, the truly best is rejected in 5 % of them. Where experiments have fewer
        candidates, 1 − B counts k − 1 times, or B as of two models if that is less sure.
        """
        c, k, n_candidates = self.choose_c(valid_only=False), len(names), self.about["n_candidates"]
        found = []
        for omega in (None, *(self.omegas if len(self.omegas) > 1 else ())):
            correct = partial(self.correct, c=c, omega=omega)
            if k == 2:
                how = f"B is corrected, after which {self._error_of(c, omega, threshold)} there"
            elif k <= n_candidates:
                there, column = (
                    [self._of(name, ENOUGH_TO_CORRECT) for name in self._names(omega)],
                    self._column(c),
                )
                correct = partial(
                    beyond_scores, scores=[np.sort(each["score"][:, column]) for each in there]
                )
                how = f"B counts at most as the part of them in which the truly best of {n_candidates} candidates is beaten less clearly"
            else:
                correct = partial(one_of_many, k=k, of_pairs=correct)
                how = f"they have {n_candidates} candidates, so for one of {k} models 1 − B counts {k - 1} times, or B as of a pair"
            sentence = f"Calibrated on {self._experiments(omega)}: {how}."
            found.append(
                Rule(omega or self.omegas[0], c, correct, (sentence, *self._remarks(names)))
            )
        return found

    def _experiments(self, omega: str | None) -> str:
        """How many experiments, and of what."""
        parts = []
        for name in self._names(omega):
            said = self.about["descriptions"].get(name)
            parts.append(
                f"{self._of(name).size} experiments of {show(name)!r}"
                + (f" ({show(said)})" if said else "")
            )
        return ", ".join(parts)

    def _error_of(self, c: float, omega: str | None, threshold: float) -> str:
        """How many of the winners that the corrected B states are wrong, in the worst epistemic distribution."""
        found = {name: self._at(c, name) for name in self._names(omega)}
        pairs = {
            name: (self._correction(c, name)(stated)[:, None], truth)
            for name, (stated, truth) in found.items()
        }
        return judge_experiments(pairs, [c], threshold=threshold).at_each_c()[0][1]

    def _remarks(self, names: Sequence[str]) -> list[str]:
        """What to know of this calibration when these models are compared with it, in sentences."""
        found = []
        for place, name in enumerate(self.omegas):
            done = self._of(name).size
            failed = sum(failure.omega == place for failure in self.failures)
            if done < self.n_wanted:
                all_failed = failed == self.n_wanted - done
                why = (
                    f"{failed} failed, which is not chance"
                    if all_failed
                    else "run the study to its end"
                )
                found.append(
                    f"The calibration is not complete: {done} of {self.n_wanted} experiments of {show(name)!r} have an outcome; {why}."
                )
        known = self.about["candidates"]
        others = [name for name in names if known and name not in known]
        if others:
            found.append(
                f"The calibration was made with {listed(known)}, not with {listed(others)}: it holds as far as these resemble those."
            )
        return found

    def check_fit(
        self,
        losses: Mapping[str, Losses],
        *,
        law: str | None,
        order: str | None,
        loss_unit: str | None,
    ) -> None:
        """Refuse losses or settings of a comparison for which this calibration was not made.

        Parameters
        ----------
        losses : mapping of Losses
        law, order, loss_unit : str or None
            Those of the comparison. A law or a unit that is not given is accepted.
        """
        unit = loss_unit if loss_unit and self.loss_unit else self.loss_unit
        for what, asked in (("law", law or self.law), ("order", order), ("loss_unit", unit)):
            if asked != getattr(self, what):
                raise ValueError(
                    f"the calibration was made with {what}={getattr(self, what)!r}, but the comparison has {what}={asked!r}; "
                    "use the same in both, or calibrate again"
                )
        for name, sample in losses.items():
            others = OTHER_SIMULATIONS.format(self.n_simulations, sample.n_simulations)
            for what, calibrated, size, factor, remedy in (
                ("observed losses", self.n_data, sample.n_observed, SIMILAR_SIZE, REMEDY),
                ("synthetic losses", self.n_data, sample.n_synthetic, SIMILAR_SIZE, REMEDY),
                (
                    "simulations",
                    self.n_simulations,
                    sample.n_simulations,
                    SIMILAR_SIMULATIONS,
                    others,
                ),
            ):
                if not calibrated / factor <= size <= calibrated * factor:
                    raise ValueError(
                        f"the calibration is for {calibrated} {what} of each model, but model '{show(name)}' has {size}; {remedy}"
                    )
        for name in self.omegas:
            self._of(name, least=ENOUGH_TO_CORRECT)

    # ---------------------------------------------------------------- inside

    def _names(self, omega: str | None) -> Sequence[str]:
        return self.omegas if omega is None else (omega,)

    def _at(self, c: float, omega: str | None) -> tuple[FloatArray, FloatArray]:
        """B at one c, and the truth, of each experiment."""
        found = self._of(omega, least=1)
        return found["probability"][:, self._column(c)], found["truth"]

    def _column(self, c: float) -> int:
        near = np.flatnonzero(np.isclose(self.c, c, rtol=1e-9, atol=0))
        if near.size == 0:
            tried = [float(f"{value:.6g}") for value in self.c]
            raise ValueError(
                f"c = {c!r} was not calibrated: the values are {tried}; choose one of these"
            )
        return int(near[0])

    def _of(self, omega: str | None, least: int = 0) -> npt.NDArray[Any]:
        """The outcomes of one epistemic distribution, or all; refused where they are too few."""
        found = (
            self._outcomes
            if omega is None
            else self._outcomes[self._outcomes["omega"] == self._place(omega)]
        )
        if found.size < least:
            whose = (
                "the calibration" if omega is None else f"epistemic distribution '{show(omega)}'"
            )
            raise ValueError(
                f"{whose} has {found.size} experiments: fewer than {least} are too few to tell what a probability means; run more, "
                f"at least {ENOUGH_TO_JUDGE}, better a thousand, or print the calibration to see what failed"
            )
        return found

    def _place(self, omega: str) -> int:
        if omega not in self.omegas:
            raise ValueError(
                f"unknown epistemic distribution {omega!r}: choose one of {list(self.omegas)}"
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
        return Calibration(**store.read())
