"""A study: its epistemic distributions and conditions, and the identity that a store keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from rivals._random import EXPERIMENT_DESIGN, stream
from rivals._say.arguments import check_name, check_size
from rivals.calibration.conditions import Conditions
from rivals.calibration.experiment import ExperimentLosses, Omega, Outcome
from rivals.calibration.fingerprint import parts_of
from rivals.calibration.trial import experiment_entropy, run_experiment

# Increased whenever the numbers of an experiment change: a store is then never filled by two
# algorithms.
ALGORITHM = 2


@dataclass(frozen=True)
class Study:
    """A number of experiments of each epistemic distribution, under the same conditions.

    A job for `_workers`.
    """

    omegas: Mapping[str, Omega]
    conditions: Conditions
    n_experiments: int
    contents = "the epistemic distributions"
    progress = "rivals calibrate: {} of {} experiments"

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What must agree for two runs to belong together, as plain numbers and text."""
        codes = {name: parts_of(omega) for name, omega in self.omegas.items()}
        return {**self.conditions.plain(), "algorithm": ALGORITHM, "omegas": codes}

    @property
    def batch_size(self) -> int | None:
        """Experiments that an epistemic distribution wants in one batch; None if it says none."""
        wanted = [getattr(omega, "batch_size", None) for omega in self.omegas.values()]
        return max((size for size in wanted if size is not None), default=None)

    @property
    def descriptions(self) -> dict[str, str]:
        """What each epistemic distribution says of itself.

        Its `description`, or the first line of its docstring.
        """
        return {name: _described(omega) for name, omega in self.omegas.items()}

    def prepare(self, place: int, indices: Sequence[int]) -> dict[int, ExperimentLosses]:
        """Losses of several experiments in one call, of a distribution that offers it."""
        omega = list(self.omegas.values())[place]
        if not hasattr(omega, "batch"):
            return {}
        found = list(omega.batch(list(indices), partial(self._generator, place)))
        are_losses = all(isinstance(each, ExperimentLosses) for each in found)
        if len(found) != len(indices) or not are_losses:
            kinds = ", ".join(sorted({type(each).__name__ for each in found})) or "nothing"
            raise TypeError(
                f"batch gave {len(found)} results ({kinds}) for {len(indices)} experiments; return "
                "one ExperimentLosses for each index"
            )
        return dict(zip(indices, found, strict=True))

    def run(self, place: int, index: int, prepared: ExperimentLosses | None) -> Outcome:
        """The outcome of one experiment."""
        omega = list(self.omegas.values())[place]
        if hasattr(omega, "batch") and prepared is None:
            prepared = self.prepare(place, [index])[index]
        outcome = run_experiment(omega, self.conditions, place, index, prepared)
        risks = (outcome.risk_a, outcome.risk_b, outcome.truth_error)
        if not np.isfinite([*outcome.probability, *risks]).all():
            raise ArithmeticError("the probabilities or the true risks are not finite")
        return outcome

    def _generator(self, place: int, index: int) -> np.random.Generator:
        """The generator that `batch` gets for an experiment.

        It is the one that an epistemic distribution is called with.
        """
        return stream(experiment_entropy(self.conditions.entropy, place, index), EXPERIMENT_DESIGN)


def make_study(
    omegas: Mapping[str, Omega] | Omega, conditions: Conditions, n_experiments: int
) -> Study:
    """The study of these epistemic distributions, checked."""
    if isinstance(omegas, Mapping):
        named = dict(omegas)
    else:
        named = {getattr(omegas, "__name__", "omega"): omegas}
    if not named:
        raise ValueError(
            "at least one epistemic distribution is needed: got an empty mapping; pass "
            "{name: function}"
        )
    for name, omega in named.items():
        check_name(name)
        if not (callable(omega) or callable(getattr(omega, "batch", None))):
            raise TypeError(
                f"epistemic distribution {name!r} is not a function: got {type(omega).__name__}; "
                "pass a function from a generator to an Experiment, or an object with a method "
                "batch(indices, rng_of)"
            )
    return Study(named, conditions, check_size(n_experiments, "n_experiments"))


def _described(omega: Omega) -> str:
    while isinstance(omega, partial):
        omega = omega.func
    said = getattr(omega, "description", None) or getattr(omega, "__doc__", None)
    if not isinstance(said, str):
        return ""
    return said.strip().partition("\n")[0]
