"""What a calibration study is: its epistemic distributions and settings, the identity that a store keeps of them, and the job for workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rivals._checks import check_name, check_size
from rivals.calibration.experiment import (
    ALGORITHM,
    ExperimentLosses,
    Omega,
    Outcome,
    Settings,
    generator_of,
    run_experiment,
    run_given,
)
from rivals.calibration.fingerprint import parts_of


@dataclass(frozen=True)
class Study:
    """A number of experiments of each epistemic distribution, with the same settings: a job for `_workers`."""

    omegas: Mapping[str, Omega]
    settings: Settings
    n_experiments: int
    identity: Mapping[str, Any]  # what must agree for two runs to belong together, as plain numbers and text
    contents = "the epistemic distributions"

    @property
    def batch_size(self) -> int | None:
        """Experiments that an epistemic distribution wants in one batch; None where it does not say."""
        wanted = [getattr(omega, "batch_size", None) for omega in self.omegas.values()]
        return max((size for size in wanted if size is not None), default=None)

    def prepare(self, place: int, indices: Sequence[int]) -> dict[int, ExperimentLosses]:
        """Losses of several experiments in one call, of an epistemic distribution that offers it."""
        omega = self._omega(place)
        if not hasattr(omega, "batch"):
            return {}
        found = list(omega.batch(list(indices), partial(generator_of, self.settings.entropy, place)))
        if len(found) != len(indices) or not all(isinstance(each, ExperimentLosses) for each in found):
            kinds = ", ".join(sorted({type(each).__name__ for each in found})) or "nothing"
            raise TypeError(
                f"batch gave {len(found)} results ({kinds}) for {len(indices)} experiments; return one ExperimentLosses for each index"
            )
        return dict(zip(indices, found, strict=True))

    def run(self, place: int, index: int, prepared: ExperimentLosses | None) -> Outcome:
        """The outcome of one experiment."""
        omega = self._omega(place)
        if hasattr(omega, "batch"):
            given = prepared or self.prepare(place, [index])[index]
            outcome = run_given(given, self.settings, place, index)
        else:
            outcome = run_experiment(omega, self.settings, place, index)
        if not np.isfinite(outcome.probability).all():
            raise ArithmeticError("the probabilities are not finite")
        if not np.isfinite([outcome.risk_a, outcome.risk_b, outcome.truth_error]).all():
            raise ArithmeticError("the true risks are not finite")
        return outcome

    def seed(self, place: int, index: int) -> str:
        """The seed of an experiment, as the Python expression that makes it."""
        return f"numpy.random.SeedSequence({self.settings.entropy}, spawn_key=({place}, {index}))"

    def descriptions(self) -> dict[str, str]:
        """What each epistemic distribution says of itself: its `description`, or the first line of its docstring."""
        return {name: _description(omega) for name, omega in self.omegas.items()}

    def _omega(self, place: int) -> Omega:
        return list(self.omegas.values())[place]


def make_study(
    omegas: Mapping[str, Omega] | Omega, settings: Settings, *, n_experiments: int, loss_unit: str | None
) -> Study:
    """The study of these epistemic distributions, checked."""
    named = dict(omegas) if isinstance(omegas, Mapping) else {getattr(omegas, "__name__", "omega"): omegas}
    _check_omegas(named)
    identity = {
        "algorithm": ALGORITHM,
        "loss_unit": loss_unit,
        **{key: value for key, value in vars(settings).items() if key != "law"},
        "law": settings.law.name,
        "options": settings.law.options(),
        "c": list(settings.c),
        "entropy": str(settings.entropy),  # larger than what JSON readers elsewhere can hold
        "omegas": {name: parts_of(omega) for name, omega in named.items()},
    }
    return Study(named, settings, check_size(n_experiments, "n_experiments"), identity)


def _description(omega: Omega) -> str:
    while isinstance(omega, partial):
        omega = omega.func
    said = getattr(omega, "description", None) or getattr(omega, "__doc__", None) or ""
    return said.strip().partition("\n")[0] if isinstance(said, str) else ""


def _check_omegas(named: Mapping[str, Any]) -> None:
    if not named:
        raise ValueError(
            "calibrate needs at least one epistemic distribution: got an empty mapping; pass {name: function}"
        )
    for name, omega in named.items():
        check_name(name)
        if not (callable(omega) or callable(getattr(omega, "batch", None))):
            raise TypeError(
                f"epistemic distribution {name!r} is not a function: got {type(omega).__name__}; pass a function "
                "from a generator to an Experiment, or an object with a method batch(indices, rng_of)"
            )
