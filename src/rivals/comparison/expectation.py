"""What a verdict is worth: how often winners stated like it failed in the committed benchmark on real data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rivals.laws.base import Applied

# From benchmarks/results/expected_error.json, which `make evidence-real` writes; a test compares. At the default c and a
# threshold of 0.95: (law, simulations, calibrated) → number of groups → % of fresh groups that a stated winner lost.
THRESHOLD, DATA_SETS = 0.95, 43
MEASURED: dict[tuple[str, bool, bool], dict[int, float]] = {}


@dataclass(frozen=True)
class Expected:
    """How often winners stated with these settings lost, as a fraction, and the number of groups that were at hand."""

    error: float
    groups: int


def expected_error(applied: Applied, *, calibrated: bool) -> Expected | None:
    """What was measured with the settings of a comparison, at most as many groups; None where nothing was."""
    setting, law = applied.setting, applied.law
    key = (law.name, setting.n_simulations > 0, calibrated)
    default = calibrated or not law.uses_c(setting.n_simulations) or setting.c == law.default_c
    if setting.threshold != THRESHOLD or not default or law.options() != type(law)().options() or key not in MEASURED:
        return None
    n_groups = 1 if setting.groups is None else len(setting.groups.names)
    fewer = [groups for groups in MEASURED[key] if groups <= n_groups]
    return Expected(MEASURED[key][max(fewer)] / 100.0, max(fewer)) if fewer else None


def worth(result: Any) -> list[str]:
    """One plain line on it, under every verdict that states a winner; nothing where it was not measured."""
    expected = expected_error(result.applied, calibrated=result.calibrated is not None)
    if expected is None or not result.rejections:
        return []
    data = "one data set" if expected.groups == 1 else f"{expected.groups} groups"
    how = ", calibrated" if result.calibrated is not None else ", not calibrated" if expected.groups == 1 else ""
    return [
        f"What to expect: of winners stated from {data}{how}, 1 in {1 / expected.error:.0f} lost in fresh groups of {DATA_SETS} real data "
        "sets (docs: Does it work?)."
    ]
