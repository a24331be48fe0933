"""How `compare` uses a calibration: whether it fits, and how B is to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from rivals._checks import show
from rivals._types import FloatArray
from rivals.calibration.validity import ENOUGH_TO_JUDGE, judge
from rivals.comparison.calibrated import Rule
from rivals.comparison.rendering import listed
from rivals.laws import Law, law_from_options
from rivals.losses import Losses

# A calibration holds for the sample sizes it was made with; within this factor we accept it.
SIMILAR_SIZE = 1.5
# More simulations only reduce the noise of W or δ, by the root of their number: a factor of two changes it by 1.4.
SIMILAR_SIMULATIONS = 2.0
# With fewer experiments of an epistemic distribution there is no curve to correct probabilities.
ENOUGH_TO_CORRECT = 64
REMEDY = "a calibration holds for one loss, law and sample size: calibrate again for these"


class UsedByCompare:
    """What every calibration, which is a subclass, offers to `compare`."""

    def as_law(self: Any) -> Law:
        """The law, with its options."""
        return law_from_options(self.law, dict(self._options))

    def rules(self: Any, names: Sequence[str], threshold: float) -> list[Rule]:
        """How `compare` is to read B: by all epistemic distributions together, then, if there are several, by each of them.

        Of two models, B is corrected by the curve. Of more, B is at most the part of the experiments in which the truly best of as
        many candidates is beaten less clearly: beyond 0.95, the truly best is rejected in 5 % of them. Where experiments have fewer
        candidates, 1 − B counts k − 1 times.
        """
        c, k, n_candidates = self.choose_c(valid_only=False), len(names), self.about["n_candidates"]
        found = []
        for omega in (None, *(self.omegas if len(self.omegas) > 1 else ())):
            if k == 2:
                correct = partial(self.correct, c=c, omega=omega)
                how = f"B is corrected, after which {self._error_of(c, omega, threshold)} there"
            elif k <= n_candidates:
                scores = [np.sort(self._enough(name)["score"][:, self._column(c)]) for name in self._names(omega)]
                correct = partial(beyond_scores, scores=scores)
                how = f"B counts at most as the part of them in which the truly best of {n_candidates} candidates is beaten less clearly"
            else:
                correct = partial(one_of_many, k=k)
                how = f"they have {n_candidates} candidates, so for one of {k} models 1 − B counts {k - 1} times"
            sentence = f"Calibrated on {self._experiments(omega)}: {how}."
            found.append(Rule(omega or self.omegas[0], c, correct, (sentence, *self._remarks(names))))
        return found

    def _experiments(self: Any, omega: str | None) -> str:
        """How many experiments, and of what."""
        parts = []
        for name in self._names(omega):
            said = self.about["descriptions"].get(name)
            parts.append(f"{self._of(name).size} experiments of {show(name)!r}" + (f" ({show(said)})" if said else ""))
        return ", ".join(parts)

    def _error_of(self: Any, c: float, omega: str | None, threshold: float) -> str:
        """How many of the winners that the corrected B states are wrong, in the worst epistemic distribution."""
        judged = {}
        for name in self._names(omega):
            probability, truth = self._at(c, name)
            judged[name] = judge(self._correction(c, name)(probability), truth, threshold=threshold)
        worst = max(judged, key=lambda name: (not judged[name].valid, np.nan_to_num(judged[name].error, nan=-1.0)))
        return judged[worst].reason + (f" for {show(worst)!r}" if len(judged) > 1 else "")

    def _remarks(self: Any, names: Sequence[str]) -> list[str]:
        """What to know of this calibration when these models are compared with it, in sentences."""
        found = []
        for place, name in enumerate(self.omegas):
            done = self._of(name).size
            failed = sum(failure.omega == place for failure in self.failures)
            if done < self.n_wanted:
                why = (
                    f"{failed} failed, which is not chance"
                    if failed == self.n_wanted - done
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
        self: Any, losses: Mapping[str, Losses], *, law: str | None, order: str | None, loss_unit: str | None
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
            self._enough(name)

    def _enough(self: Any, omega: str) -> Any:
        """The outcomes of an epistemic distribution, refused where they are too few."""
        found = self._of(omega)
        if found.size < ENOUGH_TO_CORRECT:
            raise ValueError(
                f"epistemic distribution '{show(omega)}' has {found.size} experiments: fewer than {ENOUGH_TO_CORRECT} are too few to "
                f"tell what a probability means; run more, at least {ENOUGH_TO_JUDGE}, better a thousand"
            )
        return found


def beyond_scores(probability: FloatArray, scores: Sequence[FloatArray]) -> FloatArray:
    """B, but at most the part of the scores below it, of n + 1; the smallest of several. Scores are sorted.

    Examples
    --------
    >>> beyond_scores(np.array([0.02, 0.98]), scores=[np.linspace(0.9, 1.0, 99)]).round(2)
    array([0.21, 0.79])
    """
    upper = np.maximum(probability, 1.0 - probability)
    parts = [np.searchsorted(each, upper) / (each.size + 1) for each in scores]
    return _mirrored(probability, np.min([upper, *parts], axis=0))


def one_of_many(probability: FloatArray, k: int) -> FloatArray:
    """B for one of k models: 1 − B times the number of rivals (Bonferroni).

    Examples
    --------
    >>> one_of_many(np.array([0.01, 0.6, 0.99]), k=3).round(2)
    array([0.02, 0.5 , 0.98])
    """
    return _mirrored(probability, 1.0 - (k - 1) * np.minimum(probability, 1.0 - probability))


def _mirrored(probability: FloatArray, upper: FloatArray) -> FloatArray:
    """What is known of the likelier winner, never less than one half, for both orders of a pair."""
    upper = np.maximum(upper, 0.5)
    return np.where(probability >= 0.5, upper, 1.0 - upper)


def _other_simulations(calibrated: int, found: int) -> str:
    """What to do where losses have more or fewer simulations than a calibration."""
    return (
        f"give each model {calibrated} of them (the rows of the synthetic matrix; in a table, a column 'simulation' tells them apart), "
        f"or calibrate again with n_simulations={found} (rivals calibrate ... --n-simulations {found})"
    )
