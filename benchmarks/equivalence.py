"""Equivalence from few groups: how often it is named, and how often it then fails to come true.

    python benchmarks/equivalence.py

The difference of two models in group g is d_g = μ + e_g with a spread of 1 between groups and many
points in each; μ is uniform within three margins, or within a quarter of one. Two models are named
equivalent within Δ if P(|mean over as many new groups| < Δ) exceeds .95. It is false where the mean
over as many new groups lies outside. P is that of a flat prior of the spread: Student's t with
G − 2 degrees of freedom about the mean, of scale s √((G − 1)/(G − 2) · 2/G).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

FloatArray = npt.NDArray[np.float64]
HERE = Path(__file__).parent
GROUPS = (5, 8, 12, 20, 40)
MARGINS = (0.5, 1.0, 2.0)  # in units of the spread
REACH = {"within three margins": 3.0, "within a quarter of a margin": 0.25}
STUDIES = 40_000
THRESHOLD = 0.95
SKEW = 0.75  # sd of the log


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=HERE / "results" / "equivalence.json")
    options = parser.parse_args()
    rows = []
    for reach in REACH:
        for effects in EFFECTS:
            for n_groups in GROUPS:
                rows += [equivalent(reach, effects, n_groups, margin) for margin in MARGINS]
    text = ",\n ".join(json.dumps(row) for row in rows)
    options.out.write_text(f"[\n {text}\n]\n")
    print(text)


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return rng.standard_normal(shape)


def student(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return rng.standard_t(3.0, shape) / np.sqrt(3.0)


def skewed(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    square = np.exp(SKEW**2)
    drawn = rng.lognormal(0.0, SKEW, shape) - np.sqrt(square)
    return np.asarray(drawn / np.sqrt((square - 1.0) * square))


EFFECTS: dict[str, Callable[..., FloatArray]] = {
    "normal": normal,
    "Student's t, 3 degrees of freedom": student,
    "log-normal": skewed,
}


def equivalent(reach: str, effects: str, n_groups: int, margin: float) -> dict[str, Any]:
    """How often equivalence is named, and false where it is, in %, with its error."""
    rng = np.random.default_rng([n_groups, int(1000 * margin), len(effects), len(reach)])
    mu = margin * REACH[reach] * rng.uniform(-1.0, 1.0, STUDIES)
    shape = (STUDIES, n_groups)
    seen = mu[:, None] + EFFECTS[effects](rng, shape)
    new = mu + EFFECTS[effects](rng, shape).mean(axis=1)
    mean, s = seen.mean(axis=1), seen.std(axis=1, ddof=1)
    scale = s * np.sqrt((n_groups - 1) / (n_groups - 2) * 2 / n_groups)
    freedom = n_groups - 2
    inside = stdtr(freedom, (margin - mean) / scale) - stdtr(freedom, (-margin - mean) / scale)
    named = inside > THRESHOLD
    found: dict[str, Any] = {
        "mean": reach,
        "effects": effects,
        "groups": n_groups,
        "margin over spread": margin,
        "named": round(100 * float(named.mean()), 2),
    }
    n_named = int(named.sum())
    if n_named >= 100:
        false = float(np.mean(np.abs(new[named]) >= margin))
        error = np.sqrt(false * (1.0 - false) / n_named)
        found["false"] = [round(100 * false, 2), round(100 * float(error), 2)]
    return found


if __name__ == "__main__":
    main()
