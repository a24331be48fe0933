"""How much the difference of two models varies between groups: τ and I², as in meta-analysis."""

from __future__ import annotations

from math import nan

import numpy as np

from rivals.laws.base import Law
from rivals.laws.groups import Groups
from rivals.setting import Setting
from rivals.summaries import GroupSummaries


def of_pair(
    law: Law, summary: GroupSummaries, setting: Setting, a: int, b: int
) -> tuple[float, float]:
    """The median of τ, and I²: its part of the variance of what was observed in a typical group.

    nan where nothing varies, or where the error of the difference is not known.
    """
    assert isinstance(law, Groups)
    found = law.differences(summary, setting, np.array([a]), np.array([b]))
    if found.fixed[0] or found.unknown[0]:
        return nan, nan
    spread = found.spread
    half = np.searchsorted(np.cumsum(spread.weight[0, 0]), 0.5)
    tau = float(spread.tau[0, half])
    variances = found.variances[0]
    typical = 1.0 / float(np.mean(1.0 / variances)) if variances.min() > 0.0 else 0.0
    return tau, tau**2 / (tau**2 + typical) if tau > 0.0 else 0.0
