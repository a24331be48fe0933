"""The end points of a path: two normal variables, given that the first is below the second."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import hypot, sqrt

import numpy as np
from scipy.special import ndtr, ndtri

from rivals._types import FloatArray


@dataclass(frozen=True)
class EndPoints:
    """The law of q^(0) and of the rise D = q^(1) − q^(0) > 0, in units of `scale` (method.md §3)."""

    scale: float
    first: float  # m₀, relative to the reference
    rise: float  # m₁ − m₀
    deviation: float  # s = √(s₀² + s₁²)
    tilt: float  # s₀² / s²: how much of a larger rise is due to a lower q^(0)
    residual: float  # standard deviation of q^(0) given D, s₀ s₁ / s

    @classmethod
    def from_normals(cls, m0: float, m1: float, s0: float, s1: float) -> EndPoints:
        scale = max(m1 - m0, s0, s1)
        if scale == 0.0:  # a constant loss and a model that reproduces it: nothing varies
            return cls(1.0, m0, 0.0, 0.0, 0.0, 0.0)
        s0, s1 = s0 / scale, s1 / scale
        deviation = hypot(s0, s1)
        tilt, residual = ((s0 / deviation) ** 2, s0 * s1 / deviation) if deviation > 0 else (0.0, 0.0)
        return cls(scale, m0 / scale, (m1 - m0) / scale, deviation, tilt, residual)

    @cached_property
    def rise_mean(self) -> float:
        """E D of the normal truncated to D > 0."""
        return self.rise + self.deviation * self._hazard

    @cached_property
    def rise_variance(self) -> float:
        """Var D."""
        if self.deviation == 0.0:
            return 0.0
        return self.deviation**2 * (1.0 - self._hazard * (self._hazard + self.rise / self.deviation))

    @cached_property
    def first_mean(self) -> float:
        """E q^(0)."""
        return self.first - self.tilt * (self.rise_mean - self.rise)

    @cached_property
    def _hazard(self) -> float:
        """φ(t) / Φ(t) at t = rise / deviation ≥ 0."""
        if self.deviation == 0.0:
            return 0.0
        t = min(self.rise / self.deviation, 40.0)  # beyond that it is zero
        return float(np.exp(-0.5 * t**2) / sqrt(2.0 * np.pi) / ndtr(t))

    def sample(self, n_draws: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draws of (q^(0), D); one uniform and one normal number each, so that runs at different c stay in step."""
        uniform, normal = rng.random(n_draws), rng.standard_normal(n_draws)
        if self.deviation == 0.0:
            return np.full(n_draws, self.first), np.full(n_draws, self.rise)
        # D = m + s z with z > −t, by inversion of the upper tail: 1 − Φ(z) uniform on (0, Φ(t)).
        z = -ndtri((1.0 - uniform) * ndtr(self.rise / self.deviation))
        rise = np.maximum(self.rise + self.deviation * z, 0.0)
        return self.first - self.tilt * self.deviation * z + self.residual * normal, rise
