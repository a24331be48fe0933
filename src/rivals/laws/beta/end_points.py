"""The end points of a path: two normal variables, given that the first is below the second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np
from scipy.special import ndtr, ndtri

from rivals._core.types import FloatArray, IntArray


@dataclass(frozen=True)
class EndPoints:
    """The law of q^(0) and of the rise D = q^(1) − q^(0) > 0, in units of `scale`.

    docs/theory.md, "Exact moments of the risk", has the formulas.
    """

    scale: float
    first: float  # m₀, relative to the reference
    rise: float  # m₁ − m₀
    deviation: float  # s = √(s₀² + s₁²)
    tilt: float  # s₀² / s²: how much of a larger rise is due to a lower q^(0)
    residual: float  # standard deviation of q^(0) given D, s₀ s₁ / s
    rise_mean: float  # E D of the normal truncated to D > 0
    rise_variance: float  # Var D

    @classmethod
    def from_normals(cls, m0: float, m1: float, s0: float, s1: float) -> EndPoints:
        """From the means and standard deviations of q^(0) and q^(1)."""
        scale = max(m1 - m0, s0, s1)
        if scale == 0.0:  # a constant loss, and a model that reproduces it: nothing varies
            return cls(1.0, m0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        s0 = s0 / scale
        s1 = s1 / scale
        rise = (m1 - m0) / scale
        deviation = hypot(s0, s1)
        if deviation == 0.0:
            return cls(scale, m0 / scale, rise, 0.0, 0.0, 0.0, rise, 0.0)
        t = min(rise / deviation, 40.0)  # beyond that the hazard φ(t) / Φ(t) is zero
        hazard = float(np.exp(-0.5 * t**2) / sqrt(2.0 * np.pi) / ndtr(t))
        return cls(
            scale=scale,
            first=m0 / scale,
            rise=rise,
            deviation=deviation,
            tilt=(s0 / deviation) ** 2,
            residual=s0 * s1 / deviation,
            rise_mean=rise + deviation * hazard,
            rise_variance=deviation**2 * (1.0 - hazard * (hazard + rise / deviation)),
        )

    @property
    def first_mean(self) -> float:
        """E q^(0)."""
        return self.first - self.tilt * (self.rise_mean - self.rise)

    def risk_moments(
        self, height_mean: float, height_variance: float
    ) -> tuple[float, float, float]:
        """E[q^(0) + D W] in the unit of the loss.

        The parts Var(q^(0) + D E W) and E[D²] Var W of its variance, in units of scale².
        """
        mean = self.scale * (self.first_mean + self.rise_mean * height_mean)
        ends = float(self.variance_at(np.asarray(height_mean)))
        return mean, ends, (self.rise_mean**2 + self.rise_variance) * height_variance

    def variance_at(self, height: FloatArray) -> FloatArray:
        """Var(q^(0) + D w) at the average height w, in units of scale²."""
        return np.asarray(self.rise_variance * (height - self.tilt) ** 2 + self.residual**2)

    def at(self, uniform: FloatArray, normal: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Draws of (q^(0), D).

        One uniform and one normal number each: runs at different c then stay in step.
        """
        if self.deviation == 0.0:
            return np.full(uniform.size, self.first), np.full(uniform.size, self.rise)
        # D = m + s z with z > −t, by inversion of the upper tail: 1 − Φ(z) uniform on (0, Φ(t)).
        z = -ndtri((1.0 - uniform) * ndtr(self.rise / self.deviation))
        rise = np.maximum(self.rise + self.deviation * z, 0.0)
        return self.first - self.tilt * self.deviation * z + self.residual * normal, rise


def variances_at(ends: Sequence[EndPoints], which: IntArray, height: FloatArray) -> FloatArray:
    """`variance_at` of several: that of ends[which[i]] at height[i]."""
    rise_variance = np.array([each.rise_variance for each in ends])[which]
    tilt = np.array([each.tilt for each in ends])[which]
    residual_square = np.array([each.residual**2 for each in ends])[which]
    return np.asarray(rise_variance * (height - tilt) ** 2 + residual_square)
