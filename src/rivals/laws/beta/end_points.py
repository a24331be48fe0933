"""The end points of a path: two normal variables, given that the first is below the second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from rivals._core.texts import Refusal
from rivals._core.types import FloatArray, IntArray

# Pairs of end points of one's own: their moments are then known to 1/256 of a standard deviation.
N_ENDS = 2**16


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


@dataclass(frozen=True)
class DrawnEndPoints(EndPoints):
    """End points of one's own, drawn in advance: paths take one pair each."""

    pairs: FloatArray  # q^(0) and D of each

    @classmethod
    def of(cls, ends: Any) -> DrawnEndPoints:
        """From `ends(n, rng)`, which returns arrays of q^(0) and of q^(1)."""
        drawn = ends(N_ENDS, np.random.default_rng(0))
        if not isinstance(drawn, tuple) or len(drawn) != 2:
            raise Refusal(
                "ends(n, rng) must return two arrays, q(0) and q(1) of n paths; got "
                f"{type(drawn).__name__}"
            )
        first, last = (np.broadcast_to(np.asarray(x, dtype=np.float64), N_ENDS) for x in drawn)
        rise = last - first
        if not np.isfinite(rise).all():
            raise Refusal("ends(n, rng) returned end points that are not finite numbers")
        crossed = np.flatnonzero(rise < 0.0)
        if crossed.size:
            at = crossed[0]
            raise Refusal(
                f"ends cross: of {N_ENDS} pairs that ends(n, rng) drew, {crossed.size} have q(0) > "
                f"q(1), the first {first[at]:g} and {last[at]:g}; draw again where they do"
            )
        variance = float(np.var(rise))
        slope = float(np.mean((first - first.mean()) * rise)) / variance if variance else 0.0
        return cls(
            scale=1.0,
            first=float(first.mean()),
            rise=float(rise.mean()),
            deviation=sqrt(variance),
            tilt=-slope,
            residual=float(np.std(first - slope * rise)),
            rise_mean=float(rise.mean()),
            rise_variance=variance,
            pairs=np.stack([first, rise]),
        )

    def at(self, uniform: FloatArray, normal: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The pairs that the uniform numbers point to."""
        first, rise = self.pairs[:, (uniform * N_ENDS).astype(np.intp)]
        return first, rise


def variances_at(ends: Sequence[EndPoints], which: IntArray, height: FloatArray) -> FloatArray:
    """`variance_at` of several: that of ends[which[i]] at height[i]."""
    rise_variance = np.array([each.rise_variance for each in ends])[which]
    tilt = np.array([each.tilt for each in ends])[which]
    residual_square = np.array([each.residual**2 for each in ends])[which]
    return np.asarray(rise_variance * (height - tilt) ** 2 + residual_square)
