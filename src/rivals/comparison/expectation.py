"""What a verdict is worth: how often winners stated like it failed in a benchmark on real data."""

from __future__ import annotations

from typing import NamedTuple

from rivals.laws.base import Applied


class Expected(NamedTuple):
    """Of winners stated from so many groups, the % that lost in fresh ones.

    With its standard error over data sets.
    """

    groups: int
    error: float
    standard_error: float


# From benchmarks/results/expected_error.json, which `make evidence-real` writes; a test compares.
# What was measured at the default c, each law says of itself (`Law.measured`).
THRESHOLD, DATA_SETS = 0.95, 43


def expected(applied: Applied, *, calibrated: bool) -> Expected | None:
    """What was measured with the settings of a comparison and as many groups, or the next fewer.

    None where nothing was.
    """
    setting, law = applied.setting, applied.law
    measured = law.measured.get(setting.n_simulations > 0, {})
    default = not law.uses_c(setting.n_simulations) or setting.c == law.default_c
    plain = setting.order is None and setting.clusters is None and law == type(law)()
    if calibrated or not default or not plain or setting.threshold != THRESHOLD:
        return None
    n_groups = 1 if setting.groups is None else len(setting.groups.names)
    most = max((groups for groups in measured if groups <= n_groups), default=None)
    return None if most is None else Expected(most, *measured[most])
