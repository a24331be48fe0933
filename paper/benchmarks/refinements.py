"""Are eight refinements enough? The paper's algorithm beside the same process, refined fully.

    python paper/benchmarks/refinements.py        # a minute

"In practice we found that computations […] converge after about eight refinement steps." Method "paper"
has eight; method "beta" goes as deep as the data resolve, and keeps the shape of q* in its last pieces.
Both are computed from the same losses, with the same seed and one simulation of each model.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from rivals import Candidate, compare
from rivals_paper.arrays import FloatArray

RESULTS = Path(__file__).parent / "results"
SIZES = (4000, 16_384)
C = (2.0**-9, 2.0**-6, 2.0**-4, 2.0**-2, 1.0)
SEEDS = 12
THRESHOLD = 0.95


def gaussian(width: float) -> Candidate:
    """y ~ N(0, width²)."""
    return Candidate(
        loss=lambda y: np.log(width) + (y / width) ** 2 / 2,
        simulate=lambda n, rng: width * rng.standard_normal(n),
    )


def exponential(mean: float) -> Candidate:
    """y exponential, of this mean."""
    return Candidate(
        loss=lambda y: np.log(mean) + y / mean, simulate=lambda n, rng: rng.exponential(mean, n)
    )


# Data, and two candidates of which neither is right.
KINDS: dict[str, tuple[Any, dict[str, Candidate]]] = {
    "normal": (
        lambda n, rng: 1.1 * rng.standard_normal(n),
        {"a": gaussian(1.0), "b": gaussian(1.25)},
    ),
    "Student, 3 degrees": (
        lambda n, rng: rng.standard_t(3, n),
        {"a": gaussian(1.6), "b": gaussian(2.0)},
    ),
    "gamma, shape 2": (
        lambda n, rng: rng.gamma(2.0, 0.5, n),
        {"a": exponential(1.0), "b": exponential(1.15)},
    ),
}


def judged(kind: str, size: int, seed: int, c: float) -> dict[str, Any]:
    """One data set: by how much the mean of R is off, in standard deviations, and both B."""
    draw, models = KINDS[kind]
    data = draw(size, np.random.default_rng([seed, size]))
    paper = compare(models, data, method="paper", c=c, rng=seed)
    full = compare(models, data, method="beta", c=c, n_simulations=1, rng=seed)
    off = [
        abs(few.at(c).risk_mean - many.at(c).risk_mean) / many.at(c).risk_std
        for few, many in zip(paper.summary.processes, full.summary.processes, strict=True)
    ]
    both = np.array([paper.probability[0, 1], full.probability[0, 1]])
    return {"off": max(off), "B": both}


def summary(kind: str, size: int, c: float) -> dict[str, Any]:
    """Over the seeds."""
    each = [judged(kind, size, seed, c) for seed in range(SEEDS)]
    b: FloatArray = np.array([one["B"] for one in each])
    named = np.where(b > THRESHOLD, 1, np.where(b < 1 - THRESHOLD, -1, 0))
    return {
        "kind": kind,
        "points": size,
        "c": c,
        "mean of R off by, in standard deviations": round(
            float(np.mean([o["off"] for o in each])), 3
        ),
        "mean difference of B": round(float(np.mean(np.abs(b[:, 0] - b[:, 1]))), 4),
        "largest difference of B": round(float(np.max(np.abs(b[:, 0] - b[:, 1]))), 4),
        "decisions that differ": int(np.sum(named[:, 0] != named[:, 1])),
    }


def main() -> None:
    """Judge, and write the results."""
    rows = [summary(kind, size, c) for size in SIZES for kind in KINDS for c in C]
    content = {"seeds": SEEDS, "threshold": THRESHOLD, "rows": rows}
    RESULTS.joinpath("refinements.json").write_text(json.dumps(content, indent=1) + "\n")
    names = list(rows[0])
    lines = [" | ".join(["", *names, ""]).strip(), "|" + " --- |" * len(names)]
    lines += [" | ".join(["", *(f"{row[name]}" for name in names), ""]).strip() for row in rows]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
