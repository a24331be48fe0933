"""One data set, and nobody knows c: law "transport", averaged over what c has been on real data.

    P(R_a < R_b − Δ) = E_c Φ( (m_b − m_a − Δ) / √(c (W_a² + W_b²) + se²) ),  ln c ~ N(ln c₀, s²)

c₀ and s were fitted to real data sets with groups, of which one at a time was taken as the data at
hand (`benchmarks/real/one_data_set.py`); they stand in `track_record.json`. The risk of one model
by itself has a c₀ and s of its own: risks of several models move together, so that a pair moves by
less than independent draws would give.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from rivals._types import FloatArray, IntArray
from rivals.laws.base import Differences
from rivals.laws.transport import Transport, TransportSummary
from rivals.method.probability import probability_lower
from rivals.setting import CalibratedC, Setting
from rivals.track_record import one_data_set

# Points of the grid of ln c, evenly spaced over so many standard deviations to either side.
POINTS = 97
REACH = 4.0


def without_c(
    law: Transport, summary: TransportSummary, setting: Setting, a: IntArray, b: IntArray
) -> Differences:
    """The law of R_a − R_b of each pair, c unknown."""
    at_c = law.differences(summary, setting, a, b)
    misfit = summary.misfits.mean(axis=0)
    known = one_data_set()
    both = misfit[a] + misfit[b]
    return over_c(at_c.centre, at_c.sampling, both, known.median_c, known.sd_log_c)


def risks_without_c(law: Transport, summary: TransportSummary, setting: Setting) -> Differences:
    """The law of the risk of each model by itself, c unknown."""
    known = one_data_set()
    at_c = law.risks(summary, setting)
    misfit = summary.misfits.mean(axis=0)
    return over_c(at_c.centre, at_c.sampling, misfit, known.risk_median_c, known.risk_sd_log_c)


def over_c(
    centre: FloatArray, sampling: FloatArray, misfit: FloatArray, median: float, sd_log: float
) -> OverC:
    """Normal laws of several pairs or models, averaged over c, the factor of `misfit`."""
    steps = np.linspace(-REACH, REACH, POINTS)
    weights = np.exp(-0.5 * steps**2)
    c = np.exp(log(median) + sd_log * steps)
    return OverC(centre, sampling[:, None] + misfit[:, None] * c, weights / weights.sum())


def is_unknown(law: object, setting: Setting) -> bool:
    """Whether nothing says what c is: one data set, and no calibration."""
    return isinstance(law, Transport) and not isinstance(setting.c, CalibratedC)


@dataclass(frozen=True, eq=False)
class OverC:
    """A mixture of normal laws, one for each c of the grid: variances are pairs × grid."""

    centre: FloatArray
    variance: FloatArray
    weights: FloatArray

    def below(self, value: FloatArray) -> FloatArray:
        gap = np.broadcast_to((value - self.centre)[:, None], self.variance.shape)
        return (probability_lower(gap, self.variance) @ self.weights)[None, :]

    def bracket(self) -> tuple[FloatArray, FloatArray]:
        reach = 10.0 * np.sqrt(self.variance[:, -1])
        return self.centre - reach, self.centre + reach

    def error(self, value: FloatArray) -> FloatArray:
        return np.zeros(self.centre.size)
