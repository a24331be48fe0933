"""How `compare` uses a calibration: whether it fits, and how B is to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any

import numpy as np

from rivals._checks import show
from rivals.calibration.validity import ENOUGH_TO_JUDGE, judge
from rivals.comparison.calibrated import Rule
from rivals.comparison.rendering import listed
from rivals.laws import Law, known_options
from rivals.losses import Losses

# A calibration holds for the sample sizes it was made with; within this factor we accept it.
SIMILAR_SIZE = 1.5
# More simulations only reduce the noise of W or δ, by the root of their number: a factor of two changes it by 1.4.
SIMILAR_SIMULATIONS = 2.0
# With fewer experiments of an epistemic distribution there is no curve to correct probabilities.
ENOUGH_TO_CORRECT = 64
# A learned threshold is not lower: a rival must at least be the likelier winner.
LEAST = 0.5 + 1e-6
REMEDY = "a calibration holds for one loss, law and sample size: calibrate again for these"


class UsedByCompare:
    """What every calibration, which is a subclass, offers to `compare`."""

    def as_law(self: Any) -> Law:
        """The law, with its options."""
        return known_options(self.law, dict(self._options))

    def rules(self: Any, names: Sequence[str], threshold: float) -> list[Rule]:
        """How `compare` is to read B: by all epistemic distributions together, then, if there are several, by each of them.

        Of two models, B is corrected. Of more, B itself decides, at a threshold that the truly best of as many candidates exceeds
        in at most 1 − `threshold` of the experiments; where these have fewer candidates, at 1 − (1 − `threshold`)/(k − 1).
        """
        c, n_models, n_candidates = self.choose_c(valid_only=False), len(names), self.about["n_candidates"]
        found = []
        for omega in (None, *(self.omegas if len(self.omegas) > 1 else ())):
            correct, limit = None, threshold
            if n_models == 2:
                correct = partial(self.correct, c=c, omega=omega)
                how = f"B is corrected by the curve; {self._error_of(c, omega, threshold)}"
            elif n_models <= n_candidates:
                limit = max(LEAST, *(self._learned(c, name, threshold) for name in self._names(omega)))
                how = f"B must exceed {limit:.7g}, as it does in {1.0 - threshold:.2g} of these for the truly best of {n_candidates} candidates"
            else:
                limit = 1.0 - (1.0 - threshold) / (n_models - 1)
                how = f"they have {n_candidates} candidates, so of {n_models} models B must exceed {limit:.7g}"
            sentence = f"Calibrated on {self._experiments(omega)}: {how}."
            found.append(Rule(omega or self.omegas[0], c, limit, correct, (sentence, *self._remarks(names))))
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

    def _learned(self: Any, c: float, omega: str, threshold: float) -> float:
        """The ⌈ε (n + 1)⌉-th smallest score of the truly best; 1, which rejects nothing, where there are too few."""
        self._check_enough(omega)
        scores = np.sort(self._of(omega)["score"][:, self._column(c)])
        rank = ceil(threshold * (scores.size + 1) - 1e-9)
        return float(scores[rank - 1]) if rank <= scores.size else 1.0

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
            self._check_enough(name)

    def _check_enough(self: Any, omega: str) -> None:
        n_experiments = self._of(omega).size
        if n_experiments < ENOUGH_TO_CORRECT:
            raise ValueError(
                f"epistemic distribution '{show(omega)}' has {n_experiments} experiments: fewer than {ENOUGH_TO_CORRECT} are too few to "
                f"tell what a probability means; run more, at least {ENOUGH_TO_JUDGE}, better a thousand"
            )


def _other_simulations(calibrated: int, found: int) -> str:
    """What to do where losses have more or fewer simulations than a calibration."""
    return (
        f"give each model {calibrated} of them (the rows of the synthetic matrix; in a table, a column 'simulation' tells them apart), "
        f"or calibrate again with n_simulations={found} (rivals calibrate ... --n-simulations {found})"
    )
