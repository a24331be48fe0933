"""What a calibration study is: its epistemic distributions and settings, and the identity that a store keeps of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rivals._checks import check_name, check_size
from rivals.calibration.experiment import ALGORITHM, Omega, Settings
from rivals.calibration.fingerprint import parts_of


@dataclass(frozen=True)
class Study:
    """A number of experiments of each epistemic distribution, with the same settings."""

    omegas: Mapping[str, Omega]
    settings: Settings
    n_experiments: int
    identity: Mapping[str, Any]  # what must agree for two runs to belong together, as plain numbers and text


def make_study(
    omegas: Mapping[str, Omega] | Omega, settings: Settings, *, n_experiments: int, loss_unit: str | None
) -> Study:
    """The study of these epistemic distributions, checked."""
    named = dict(omegas) if isinstance(omegas, Mapping) else {getattr(omegas, "__name__", "omega"): omegas}
    _check_omegas(named)
    identity = {
        "algorithm": ALGORITHM,
        "loss_unit": loss_unit,
        **asdict(settings),
        "c": list(settings.c),
        "entropy": str(settings.entropy),  # larger than what JSON readers elsewhere can hold
        "omegas": {name: parts_of(omega) for name, omega in named.items()},
    }
    return Study(named, settings, check_size(n_experiments, "n_experiments"), identity)


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
