"""Prediction intervals of a new site, beside those of a usual random-effects meta-analysis.

    python benchmarks/meta_analysis.py

Effects of sites are normal about their mean with the standard deviation τ; each is known with the
standard error 1. Ours: method "groups". The usual: restricted maximum likelihood, t with k − 2
degrees of freedom (Higgins, Thompson and Spiegelhalter 2009), and Hartung and Knapp's error of the
mean. Results are committed as results/meta_analysis.json.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from scipy import optimize, stats

from rivals._core.losses import Provenance
from rivals._core.reduced import Reduced
from rivals._core.setting import Setting
from rivals._core.summaries import GroupSummaries
from rivals.laws import Groups
from rivals.method.error import PairSums

RESULTS = Path(__file__).parent / "results"
LEVEL = 0.95
SITES = (3, 4, 5, 10, 20)
SPREADS = (0.0, 0.5, 1.0, 2.0)
N_DRAWS = 2000
TOGETHER = 200


def main() -> None:
    """Coverage and widths by number of sites and spread, written and printed."""
    rng = np.random.default_rng(0)
    rows = []
    for n_sites in SITES:
        for tau in SPREADS:
            effects = tau * rng.standard_normal((N_DRAWS, n_sites))
            values = effects + rng.standard_normal((N_DRAWS, n_sites))
            new = tau * rng.standard_normal(N_DRAWS)
            ours, usual = our_intervals(values), np.array([usual_interval(row) for row in values])
            rows.append(
                {
                    "n_sites": n_sites,
                    "tau": tau,
                    "n_draws": N_DRAWS,
                    "ours": covered(ours, new),
                    "usual": covered(usual, new),
                    "width_ratio": float(np.median(np.ptp(ours, axis=1) / np.ptp(usual, axis=1))),
                    "usual_tau_zero": float(np.mean([reml(row)[1] < 1e-3 for row in values])),
                }
            )
            print(rows[-1], flush=True)
    text = json.dumps({"level": LEVEL, "error_of_each_site": 1.0, "rows": rows}, indent=1)
    (RESULTS / "meta_analysis.json").write_text(text + "\n", "utf-8")


def covered(intervals: np.ndarray, new: np.ndarray) -> float:
    """The part of the intervals that hold the effect of a new site."""
    return float(np.mean((intervals[:, 0] <= new) & (new <= intervals[:, 1])))


def our_intervals(values: np.ndarray) -> np.ndarray:
    """Of method "groups", of many studies at a time: each is a model beside a common first one."""
    found = []
    for begin in range(0, len(values), TOGETHER):
        part = values[begin : begin + TOGETHER]
        size, n_sites = len(part) + 1, part.shape[1]
        summary = GroupSummaries(
            tuple(f"study {place}" for place in range(size)),
            tuple(f"site {place}" for place in range(n_sites)),
            np.ones(n_sites, dtype=np.int64),
            np.zeros(n_sites),
            np.vstack([np.zeros(n_sites), part]),
            PairSums(np.zeros(size), np.zeros((size, size))),
            np.empty((0, size, n_sites)),
            "site",
            Provenance(left_out=False),
            np.ones((size, size, n_sites)),
        )
        setting = Setting(new_groups=1.0, level=LEVEL)
        low, high = Reduced(Groups(), summary).interval(
            setting, np.arange(1, size), np.zeros(size - 1, dtype=int)
        )
        found.append(np.stack([low, high], axis=1))
    return np.concatenate(found)


def usual_interval(values: np.ndarray) -> tuple[float, float]:
    """μ ± t √(τ² + SE²)."""
    mean, tau, error = reml(values)
    half = stats.t.ppf(0.5 + 0.5 * LEVEL, values.size - 2) * np.hypot(tau, error)
    return mean - half, mean + half


def reml(values: np.ndarray) -> tuple[float, float, float]:
    """μ, τ, and the error of μ by Hartung and Knapp; all errors of sites are 1."""

    def cost(tau2: float) -> float:
        return (values.size - 1) * np.log1p(tau2) + squares / (1.0 + tau2)

    squares = float(np.sum((values - values.mean()) ** 2))
    most = 1.0 + 2.0 * squares
    tau2 = optimize.minimize_scalar(cost, bounds=(0.0, most), method="bounded").x
    tau2 = tau2 if cost(tau2) < cost(0.0) else 0.0
    error = np.sqrt(squares / (values.size - 1) / values.size)
    return float(values.mean()), float(np.sqrt(tau2)), float(error)


if __name__ == "__main__":
    main()
