"""What a verdict is worth: how often winners stated like it failed in a benchmark on real data."""

from __future__ import annotations

from math import isinf
from typing import NamedTuple

from rivals.laws.base import Applied
from rivals.laws.setting import Setting


class Expected(NamedTuple):
    """Of winners stated from so many groups, the % that lost in fresh ones.

    With its standard error over data sets.
    """

    groups: int
    error: float
    standard_error: float
    stated: float  # % of the comparisons in which a winner was


# From benchmarks/results/expected_error.json, which `make evidence-real` writes; a test compares.
# What was measured at the default c, each law says of itself (`Law.measured`).
THRESHOLD = 0.95
DATA_SETS = 130


def expected(applied: Applied, *, calibrated: bool) -> Expected | None:
    """What was measured with the settings of a comparison and as many groups, or the next fewer.

    None where nothing was.
    """
    setting = applied.setting
    law = applied.law
    if calibrated or not _as_measured(applied):
        return None
    question = question_of(setting)
    n_groups = 1 if setting.groups is None else len(setting.groups.names)
    measured = law.measured.get(setting.n_simulations > 0, {})
    tried = [groups for asked, groups in measured if asked == question and groups <= n_groups]
    if not tried:
        return None
    found = measured[question, max(tried)]
    return Expected(max(tried), *found)


def _as_measured(applied: Applied) -> bool:
    """Whether the settings are those of the benchmark."""
    setting = applied.setting
    law = applied.law
    default_c = not law.uses_c(setting.n_simulations) or setting.c == law.default_c
    independent = setting.order is None and setting.clusters is None
    # Labels that are all different, as row numbers are, were not part of it.
    several = setting.groups is None or setting.groups.sizes.max() > 1
    default_rule = setting.threshold == THRESHOLD and setting.margin == 0.0
    return default_c and independent and several and default_rule and law == type(law)()


def question_of(setting: Setting) -> str:
    """Which of the three questions of the benchmark a comparison asks; "" if it is none of them."""
    if setting.groups is None or setting.horizon == 1.0:
        return "next"
    if setting.horizon == len(setting.groups.names):
        return "study"
    return "all" if isinf(setting.horizon) else ""
