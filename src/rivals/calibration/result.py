"""What a calibration found: records, curves, the choice of c, and how `compare` uses it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from html import escape
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from rivals._say.arguments import check_choice
from rivals._say.optional import need
from rivals._say.words import show
from rivals._schemas import stamp
from rivals._types import FloatArray
from rivals.calibration import in_papers, text
from rivals.calibration.conditions import Conditions
from rivals.calibration.correction import (
    ENOUGH_TO_CORRECT,
    Correction,
    MostCautious,
    beyond_scores,
    fit_correction,
    one_of_many,
)
from rivals.calibration.curve import CalibrationCurve, calibration_curve
from rivals.calibration.findings import findings
from rivals.calibration.judgement import ENOUGH_TO_JUDGE
from rivals.calibration.records import AT_EACH_C, NOTHING_KNOWN, NUMBERS, Failure, new_outcomes
from rivals.calibration.trial import is_undecided
from rivals.calibration.validity import (
    Validity,
    ValidityRule,
    ValidRange,
    checked_experiments,
    judge_experiments,
)
from rivals.comparison import N_SIMULATIONS, pasting
from rivals.comparison.judge import Rule
from rivals.comparison.methods import references
from rivals.laws import Law, Order, law_from_options
from rivals.laws.base import Correct
from rivals.losses import Losses

# A calibration holds for the sample sizes it was made with; within this factor we accept it.
SIMILAR_SIZE = 1.5
# More simulations only reduce the noise of W or δ, by the root of their number: a factor of two
# changes it by 1.4.
SIMILAR_SIMULATIONS = 2.0
REMEDY = "a calibration holds for one loss, law and sample size: calibrate again for these"
# Conditions of the study that a calibration has as attributes.
CONDITIONS = ("n_data", "n_truth", "law", "n_simulations", "order", "n_replications", "loss_unit")
RECORD_FIELDS = {
    "experiment": "i8",
    "c": "f8",
    **dict.fromkeys(AT_EACH_C, "f8"),
    "truly_better": "?",
    "undecided": "?",
    "truth": "f8",
    "risk_a": "f8",
    "risk_b": "f8",
    "truth_error": "f8",
}


@dataclass(frozen=True, eq=False, repr=False)
class Calibration:
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
        "replicated": whether the truth is that of fresh replications; "n_candidates" of each
        experiment; names of the "candidates", where they are known; and "descriptions" of the
        epistemic distributions.

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
    _outcomes: npt.NDArray[Any]  # one for each experiment, as `records.new_outcomes` has them

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
        """A calibration from experiments that you made.

        They may be real ones whose replications are known, or simulated elsewhere.

        Parameters
        ----------
        probability : mapping
            c → P(R_a < R_b) in each experiment, as `compare(..., c=c).probability[a, b]` has it.
        truth : array_like
            1 where a was better in a fresh replication, 0 where b was, ½ where undecided; of
            several replications the mean.
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
        >>> calibration = rivals.Calibration.from_experiments(
        ...     {0.25: np.full(400, 0.99)}, truth, n_data=1000
        ... )
        >>> float(calibration.correct(0.99, c=0.25).round(2))
        0.9
        """
        conditions = Conditions.checked(
            c=tuple(probability),
            law=law,
            n_data=n_data,
            n_simulations=n_simulations,
            order=order,
            loss_unit=loss_unit,
        )
        n_c = len(conditions.c)
        columns = [np.asarray(probability[c], dtype=np.float64) for c in conditions.c]
        stated, true = checked_experiments(name, np.column_stack(columns), truth, n_c)
        outcomes = new_outcomes(true.size, n_c)
        outcomes["probability"] = stated
        outcomes["standard_error"] = 0.0
        outcomes["truth"] = true
        about = {
            "replicated": True,
            "candidates": [*candidates],
            "descriptions": {name: description},
        }
        return cls.of_study(
            {**conditions.plain(), "n_truth": 0, "entropy": None, "omegas": (name,)},
            n_wanted=true.size,
            failures=(),
            about=about,
            outcomes=outcomes,
        )

    @classmethod
    def of_study(
        cls,
        study: Mapping[str, Any],
        *,
        n_wanted: int,
        failures: Sequence[Failure],
        about: Mapping[str, Any],
        outcomes: npt.NDArray[Any],
    ) -> Calibration:
        """A calibration from the plain conditions of a study, as a store keeps them."""
        entropy = study["entropy"]
        return cls(
            omegas=tuple(study["omegas"]),
            c=tuple(study["c"]),
            **{name: study[name] for name in CONDITIONS},
            entropy=None if entropy is None else int(entropy),
            n_wanted=n_wanted,
            failures=tuple(failures),
            about={**NOTHING_KNOWN, **about},
            _options=study["options"],
            _outcomes=outcomes,
        )

    @property
    def question(self) -> str:
        """What the probabilities refer to.

        New data of the process that made the data, or a fresh replication.
        """
        if self.about.get("replicated"):
            return "which candidate is better in a fresh replication"
        return "which candidate is better on new data of the same process"

    # ---------------------------------------------------------------- records

    @property
    def n_experiments(self) -> int:
        """Experiments with an outcome, over all epistemic distributions."""
        return int(self._outcomes.size)

    @property
    def records(self) -> npt.NDArray[Any]:
        """One row per experiment and c, as a structured array.

        Fields: omega, experiment, c, probability (P(R_a < R_b), the candidates in order; of more
        than two, a random pair), standard_error, score (the largest probability with which a rival
        of lower mean loss beats the truly best of all candidates), truly_better (whether a is),
        undecided (the truth is too close to call), truth (1 where a is better, 0 where b is, ½
        where undecided; of several replications the mean), risk_a, risk_b (the true risks), and
        truth_error (standard error of their difference).
        """
        found = self._outcomes
        kinds = {"omega": f"U{max(map(len, self.omegas))}", **RECORD_FIELDS}
        rows = np.empty((found.size, len(self.c)), dtype=list(kinds.items()))
        risk_a = found["risk_a"]
        risk_b = found["risk_b"]
        error = found["truth_error"]
        known = np.isfinite(error)
        better = np.where(known, risk_a < risk_b, found["truth"] > 0.5)
        undecided = np.where(known, is_undecided(risk_a, risk_b, error), found["truth"] == 0.5)
        rows["omega"] = np.array(self.omegas)[found["omega"]][:, None]
        rows["c"] = self.c
        rows["truly_better"] = better[:, None]
        rows["undecided"] = undecided[:, None]
        for name in AT_EACH_C:
            rows[name] = found[name]
        for name in ("experiment", *NUMBERS):
            rows[name] = found[name][:, None]
        return rows.ravel()

    def to_dataframe(self) -> Any:
        """`records` as a pandas data frame."""
        return need("pandas", extra="pandas", purpose="to_dataframe").DataFrame(self.records)

    # ---------------------------------------------------------------- which c is valid

    def curve(self, c: float, omega: str | None = None, bins: int = 16) -> CalibrationCurve:
        """Calibration curve at one c: of one epistemic distribution, or of all together."""
        found = self._of(omega, least=1)
        return calibration_curve(found.at(self._column(c)), found.truth, bins=bins)

    def overconfidence(self, c: float, omega: str | None = None, bins: int = 16) -> float:
        """Mean excess of |B_EMD − ½| over |B_epis − ½|.

        Of the worst epistemic distribution if none is named.
        """
        return max(self.curve(c, name, bins).overconfidence for name in self._names(omega))

    def validity(self, bins: int = 16, omega: str | None = None) -> Validity:
        """Which c are valid for each epistemic distribution, as a table, and which for all.

        The question is how many of the stated winners are wrong; a c at which none is stated says
        nothing. `valid_c` is the widest range of valid values; `validity().for_all` is empty if no
        c is valid for all. Beside it stands which c keep the paper's bound: that in no bin B is
        more confident than the truth.
        """
        pairs = {}
        for name in self._names(omega):
            found = self._of(name, least=1)
            pairs[name] = (found.probability.T, found.truth)
        return judge_experiments(pairs, self.c, bins=bins)

    def valid_c(
        self, omega: str | None = None, bins: int = 16, *, rule: ValidityRule = "winners"
    ) -> ValidRange:
        """The range of c that is valid for every epistemic distribution, with reasons at each end.

        If the valid values are not contiguous, the widest contiguous range is taken; of equally
        wide ones, that of larger c.

        Parameters
        ----------
        omega : str, optional
            Which epistemic distribution; by default all of them.
        bins : int
            Equal-count bins of the curves by which c is judged.
        rule : {"winners", "bound", "both"}
            That winners stated beyond 0.95 are right; the paper's bound, that in no bin B is more
            confident than the truth; or both.
        """
        return self.validity(bins, omega).widest(rule)

    # ---------------------------------------------------------------- the choice of c, correction

    def choose_c(
        self, omega: str | None = None, bins: int = 16, *, valid_only: bool = True
    ) -> float:
        """The c with the most informative probabilities.

        It has the best Brier score in the worst epistemic distribution.

        Parameters
        ----------
        omega : str, optional
            Which epistemic distribution; by default all of them.
        bins : int
            Equal-count bins of the curves by which c is judged.
        valid_only : bool
            True if you use B without correction: only a c within `valid_c` is then chosen. False if
            the curve corrects B, as in `compare(..., c=calibration)`: the curve does so at any c.
        """
        values = self.c
        if valid_only:
            valid = self.valid_c(omega, bins)
            if not valid.values:
                raise ValueError(
                    f"no value of c is valid here: {valid.low_reason}; run more experiments or try "
                    "other values, or use compare(..., c=calibration), which corrects "
                    "probabilities by the curve"
                )
            values = valid.values
        return min(values, key=lambda c: (self.brier_score(c, omega), -c))

    def brier_score(self, c: float, omega: str | None = None) -> float:
        """Mean squared error of B as a forecast of the truth.

        Of the worst epistemic distribution if none is named.
        """
        scores = []
        for name in self._names(omega):
            found = self._of(name, least=1)
            scores.append(float(np.mean((found.at(self._column(c)) - found.truth) ** 2)))
        return max(scores)

    def correct(self, probability: npt.ArrayLike, c: float, omega: str | None = None) -> FloatArray:
        """Calibrated probabilities: how often such a B came true at this c.

        By the temperature that suits the experiments best; symmetric in the two candidates. With
        several epistemic distributions the correction closest to ½ is taken
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
        return MostCautious(tuple(self._corrections(c, omega).values()))(values)

    def _corrections(self, c: float, omega: str | None = None) -> dict[str, Correction]:
        """The curve that corrects B, its temperature, of each epistemic distribution."""
        column = self._column(c)
        corrections = {}
        for name in self._names(omega):
            found = self._of(name, least=ENOUGH_TO_CORRECT)
            corrections[name] = fit_correction(found.at(column), found.truth)
        return corrections

    # ---------------------------------------------------------------- what `compare` asks

    def as_law(self) -> Law:
        """The law, with its options."""
        return law_from_options(self.law, dict(self._options))

    def rules(self, names: Sequence[str], threshold: float) -> list[Rule]:
        """How `compare` is to read B.

        By all epistemic distributions together, then, if there are several, by each of them. Of two
        models, B is corrected by the curve. Of more, B is at most the part of the experiments in
        which the truly best of as many candidates is beaten less clearly: beyond 0.95, the truly
        best is rejected in 5 % of them. Where experiments have fewer candidates, 1 − B counts k − 1
        times, or B as of two models if that is less sure.
        """
        c = self.choose_c(valid_only=False)
        corrections = self._corrections(c)
        remarks = self._remarks(names)
        found = [self._rule(c, len(names), self.omegas, corrections, threshold, remarks)]
        if len(self.omegas) > 1:
            for omega in self.omegas:
                rule = self._rule(c, len(names), (omega,), corrections, threshold, remarks)
                found.append(rule)
        return found

    def _rule(
        self,
        c: float,
        k: int,
        omegas: Sequence[str],
        corrections: Mapping[str, Correction],
        threshold: float,
        remarks: Sequence[str],
    ) -> Rule:
        """How to read B of k models, by some of the epistemic distributions together."""
        n_candidates = self.about["n_candidates"]
        pairs = MostCautious(tuple(corrections[name] for name in omegas))
        correct: Correct
        if k == 2:
            correct = pairs
            how = text.corrected_pair(self._error_of(c, omegas, corrections, threshold))
            slope = min(corrections[name].slope for name in omegas)
            for_paper = in_papers.corrected_pair(slope, len(omegas))
        elif k <= n_candidates:
            column = self._column(c)
            scores = [np.sort(self._of(name).score[column]) for name in omegas]
            correct = partial(beyond_scores, scores=scores)
            how = text.beyond_best(n_candidates)
            for_paper = in_papers.beyond_best(k, n_candidates, threshold)
        else:
            correct = partial(one_of_many, k=k, of_pairs=pairs)
            how = text.one_of(k, n_candidates)
            for_paper = in_papers.one_of(k, n_candidates)
        counts = {name: self._of(name).size for name in omegas}
        made_of = text.experiments(counts, self.about["descriptions"])
        return Rule(
            name=omegas[0],
            c=c,
            correct=correct,
            remarks=(f"Calibrated on {made_of}: {how}.", *remarks),
            methods=" ".join([*self._study(omegas), for_paper]),
        )

    def _error_of(
        self,
        c: float,
        omegas: Sequence[str],
        corrections: Mapping[str, Correction],
        threshold: float,
    ) -> str:
        """How many of the winners that the corrected B states are wrong, in the worst Ω."""
        column = self._column(c)
        pairs = {}
        for name in omegas:
            found = self._of(name)
            pairs[name] = (corrections[name](found.at(column))[:, None], found.truth)
        ((_, sentence),) = judge_experiments(pairs, [c], threshold=threshold).at_each_c()
        return sentence

    def _remarks(self, names: Sequence[str]) -> list[str]:
        """What to know of this calibration when these models are compared with it."""
        found = []
        for name, failures in self._failures().items():
            done = self._of(name).size
            if done < self.n_wanted:
                found.append(text.incomplete(name, done, self.n_wanted, len(failures)))
        known = self.about["candidates"]
        others = [name for name in names if known and name not in known]
        if others:
            found.append(text.other_models(known, others))
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
                    f"the calibration was made with {what}={getattr(self, what)!r}, but the "
                    f"comparison has {what}={asked!r}; use the same in both, or calibrate again"
                )
        for name, sample in losses.items():
            whose = f"model '{show(name)}'"
            _check_size(self.n_data, "observed losses", sample.n_observed, whose)
            _check_size(self.n_data, "synthetic losses", sample.n_synthetic, whose)
            _check_simulations(self.n_simulations, sample.n_simulations, whose)
        for name in self.omegas:
            self._of(name, least=ENOUGH_TO_CORRECT)

    # ---------------------------------------------------------------- for a paper

    def methods(self, rule: ValidityRule = "winners") -> str:
        """A paragraph for the methods section of a paper.

        Ω, sizes, number of experiments, the choice of c, the rule by which a c is valid, version,
        references. `conclusion` says what was found, `compare(..., c=calibration).methods()` how a
        comparison uses it.

        Parameters
        ----------
        rule : {"winners", "bound", "both"}
            The rule that you used, as in `valid_c`.
        """
        check_choice(rule, "rule", get_args(ValidityRule))
        sentences = [*self._study(self.omegas), in_papers.validity_rule(rule, len(self.omegas))]
        if self.entropy is not None:
            sentences.append(f"The seed was {self.entropy}.")
        return f"{' '.join(sentences)} {references(of_paper=True)}"

    @property
    def conclusion(self) -> str:
        """What was found, in sentences that can stand in a paper."""
        self._check_finished()
        best = self.choose_c(valid_only=False)
        validity = self.validity()
        column = self._column(best)
        at_each_c = validity.at_each_c()
        valid = [passes for passes, _ in at_each_c]
        words = at_each_c[column][1]
        if validity.speaks_against[:, column].any():
            words = f"it is {words}"
        bound = np.all(validity.keeps_bound, axis=0).tolist()
        slope = None
        if all(self._of(name).size >= ENOUGH_TO_CORRECT for name in self.omegas):
            slope = min(correction.slope for correction in self._corrections(best).values())
        return in_papers.conclusion(
            best=best,
            tried=self.c,
            n_experiments=self.n_experiments,
            brier_score=self.brier_score(best),
            at_best=words,
            valid=text.ranges(self.c, valid) if any(valid) else None,
            bound=text.ranges(self.c, bound) if any(bound) else None,
            slope=slope,
        )

    def _study(self, omegas: Sequence[str]) -> list[str]:
        """What was done with these epistemic distributions, and how c was chosen by all."""
        self._check_finished()
        counts = {name: self._of(name).size for name in omegas}
        made_of = in_papers.made_of(
            counts,
            self.about["descriptions"],
            law=self.law,
            n_data=self.n_data,
            n_simulations=self.n_simulations,
            n_candidates=self.about["n_candidates"],
            loss_unit=self.loss_unit,
            order=self.order,
        )
        truth = in_papers.truth(
            replicated=self.about["replicated"],
            n_truth=self.n_truth,
            n_replications=self.n_replications,
        )
        best = self.choose_c(valid_only=False)
        return [made_of, truth, in_papers.choice_of_c(best, self.c, len(self.omegas))]

    def to_markdown(self) -> str:
        """What was found at each c as a table for Markdown; the conclusion below it."""
        return pasting.markdown(*self._table(), after=self.conclusion)

    def to_latex(self) -> str:
        """What was found at each c as a table for LaTeX; the conclusion as a comment."""
        return pasting.latex(*self._table(), after=self.conclusion)

    def _table(self) -> tuple[list[str], list[list[str]]]:
        self._check_finished()
        scores = {}
        for name in self.omegas:
            scores[name] = [self.brier_score(c, name) for c in self.c]
        return findings(self.validity(), scores)

    def _check_finished(self) -> None:
        """Refuse where an epistemic distribution has no finished experiment."""
        why = self.unfinished()
        if why:
            raise ValueError(
                f"nothing is known at any c: {why[0]} Print the calibration to see more, and run "
                "the study to its end"
            )

    # ---------------------------------------------------------------- how it is shown

    def to_dict(self) -> dict[str, Any]:
        """Conditions and the findings at each c, as plain numbers, lists and text, for JSON.

        If an epistemic distribution has no finished experiment, nothing is known at any c, and
        there are only the conditions.
        """
        plain = {
            **stamp("calibration"),
            "omegas": list(self.omegas),
            "experiments": self.n_experiments,
            "experiments_wanted": self.n_wanted,
            "failed": len(self.failures),
            "n_data": self.n_data,
            "n_truth": self.n_truth,
            "law": self.law,
            "n_simulations": self.n_simulations,
            "order": self.order,
            "n_replications": self.n_replications,
            "question": self.question,
            "loss_unit": self.loss_unit,
            **self.about,
            "options": dict(self._options),
            # As text: larger than what JSON readers elsewhere can hold.
            "rng": None if self.entropy is None else str(self.entropy),
            "c": list(self.c),
        }
        if self.unfinished():
            return plain
        return {**plain, **self._findings()}

    def _findings(self) -> dict[str, Any]:
        validity = self.validity()
        best = self.choose_c(valid_only=False)
        return {
            "validity": validity.to_dict(),
            "valid_range": validity.widest().to_dict(),
            "overconfidence": [self.overconfidence(c) for c in self.c],
            "brier_score": [self.brier_score(c) for c in self.c],
            "chosen": best,
            "temperature": self._temperatures(best),
            "grid_problem": text.grid_problem(best, self.c),
            "conclusion": self.conclusion,
        }

    def _temperatures(self, c: float) -> dict[str, float | None] | None:
        """None where there are too few experiments, or where B is worth nothing at any."""
        if any(self._of(name).size < ENOUGH_TO_CORRECT for name in self.omegas):
            return None
        temperatures: dict[str, float | None] = {}
        for name, correction in self._corrections(c).items():
            temperatures[name] = 1.0 / correction.slope if correction.slope > 0.0 else None
        return temperatures

    def unfinished(self) -> list[str]:
        """Why nothing can be said yet, in lines; none if every Ω has a finished experiment."""
        counts = {name: self._of(name).size for name in self.omegas}
        tracebacks = {}
        for name, failures in self._failures().items():
            tracebacks[name] = [failure.traceback for failure in failures]
        return text.unfinished(counts, tracebacks)

    def __str__(self) -> str:
        heading = text.heading(
            done=self.n_experiments,
            total=self.n_wanted * len(self.omegas),
            failed=len(self.failures),
            n_data=self.n_data,
            loss_unit=self.loss_unit,
            law=self.law,
            n_simulations=self.n_simulations,
            n_candidates=self.about["n_candidates"],
            order=self.order,
            question=self.question,
            n_replications=self.n_replications,
        )
        body = self.unfinished() or [*self._verdicts(), *self._choice()]
        return "\n".join([*heading, *body])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        # The class keeps notebooks from taking dollar signs in names for mathematics.
        return f'<pre class="tex2jax_ignore mathjax_ignore">{escape(str(self))}</pre>'

    def _verdicts(self) -> list[str]:
        validity = self.validity()
        valid = dict(zip(validity.omegas, validity.valid.tolist(), strict=True))
        return text.verdicts(self.c, validity.at_each_c(), validity.widest(), valid)

    def _choice(self) -> list[str]:
        """The best c with its law, the effect of its curve, and what to do next."""
        best = self.choose_c(valid_only=False)
        fewest, where = min((self._of(name).size, name) for name in self.omegas)
        lines = [text.best_c(best, self.c, self.law, self.brier_score(best))]
        if fewest >= ENOUGH_TO_CORRECT:
            slopes = [correction.slope for correction in self._corrections(best).values()]
            lines.append(text.effect_of_slope(min(slopes)))
        if fewest < ENOUGH_TO_JUDGE:
            whose = where if len(self.omegas) > 1 else None
            lines.append(text.needed(fewest, whose, ENOUGH_TO_JUDGE, ENOUGH_TO_CORRECT))
        beyond = text.grid_problem(best, self.c)
        if beyond:
            lines.append(f"  {beyond}")
        return lines

    # ---------------------------------------------------------------- inside

    def _names(self, omega: str | None) -> Sequence[str]:
        return self.omegas if omega is None else (omega,)

    def _column(self, c: float) -> int:
        near = np.flatnonzero(np.isclose(self.c, c, rtol=1e-9, atol=0))
        if near.size == 0:
            tried = [float(f"{value:.6g}") for value in self.c]
            raise ValueError(
                f"c = {c!r} was not calibrated: the values are {tried}; choose one of these"
            )
        return int(near[0])

    @cached_property
    def _by_omega(self) -> dict[str | None, Stated]:
        """The outcomes of each epistemic distribution, and under None those of all."""
        together = Stated.of(self._outcomes)
        if len(self.omegas) == 1:
            return {None: together, self.omegas[0]: together}
        found: dict[str | None, Stated] = {None: together}
        for place, name in enumerate(self.omegas):
            found[name] = Stated.of(self._outcomes[self._outcomes["omega"] == place])
        return found

    def _of(self, omega: str | None, least: int = 0) -> Stated:
        """The outcomes of one epistemic distribution, or all; refused where they are too few."""
        if omega is not None and omega not in self.omegas:
            raise ValueError(
                f"unknown epistemic distribution {omega!r}: choose one of {list(self.omegas)}"
            )
        found = self._by_omega[omega]
        if found.size < least:
            whose = "the calibration"
            if omega is not None:
                whose = f"epistemic distribution '{show(omega)}'"
            raise ValueError(
                f"{whose} has {found.size} experiments: fewer than {least} are too few to tell "
                f"what a probability means; run more, at least {ENOUGH_TO_JUDGE}, better a "
                "thousand, or print the calibration to see what failed"
            )
        return found

    def _failures(self) -> dict[str, list[Failure]]:
        """Those of each epistemic distribution."""
        found: dict[str, list[Failure]] = {name: [] for name in self.omegas}
        for failure in self.failures:
            found[self.omegas[failure.omega]].append(failure)
        return found


@dataclass(frozen=True, eq=False)
class Stated:
    """Experiments as `choose_c` and the curves read them: a row for each c, and the truth."""

    probability: FloatArray
    score: FloatArray
    truth: FloatArray

    @classmethod
    def of(cls, outcomes: npt.NDArray[Any]) -> Stated:
        """From a table of outcomes.

        What is read again and again is copied, so that the numbers at one c lie side by side.
        """
        return cls(
            np.ascontiguousarray(outcomes["probability"].T),
            outcomes["score"].T,
            np.ascontiguousarray(outcomes["truth"]),
        )

    @property
    def size(self) -> int:
        """Experiments."""
        return int(self.truth.size)

    def at(self, column: int) -> FloatArray:
        """B of each experiment at one c."""
        return np.asarray(self.probability[column])


def _check_size(calibrated: int, what: str, size: int, whose: str) -> None:
    if not calibrated / SIMILAR_SIZE <= size <= calibrated * SIMILAR_SIZE:
        raise ValueError(
            f"the calibration is for {calibrated} {what} of each model, but {whose} has {size}; "
            f"{REMEDY}"
        )


def _check_simulations(calibrated: int, number: int, whose: str) -> None:
    if not calibrated / SIMILAR_SIMULATIONS <= number <= calibrated * SIMILAR_SIMULATIONS:
        raise ValueError(
            f"the calibration is for {calibrated} simulations of each model, but {whose} has "
            f"{number}; give each model {calibrated} of them (the rows of the synthetic matrix; in "
            "a table, a column 'simulation' tells them apart), or calibrate again with "
            f"n_simulations={number} (rivals calibrate ... --n-simulations {number})"
        )
