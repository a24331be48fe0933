"""How well `result.stability` under law "beta" tells what its definition says: the part of single
simulations with the same verdict.

    python benchmarks/stability.py [--problems 96]

A comparison with S simulations states the stability from two moments of each risk under each
simulation alone. Here each of the S comparisons is made in full, by the public function, with 16
000 draws. Writes results/stability.json and .md.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import rivals

RESULTS = Path(__file__).parent / "results"
N_SIMULATIONS = 16
THRESHOLD = 0.95
FULL = rivals.laws.Beta(n_draws=16_000, max_draws=16_000)


def problem(seed: int) -> tuple[dict[str, rivals.Losses], float]:
    """Two to twelve models that are nearly as good, with misfits of their own; and a c."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([100, 300, 1000, 3000]))
    n_models = int(rng.integers(2, 13))
    kinds: list[Any] = [
        lambda misfit, size: misfit * rng.exponential(1.0, size),
        lambda misfit, size: misfit * rng.standard_normal(size) ** 2,
        lambda misfit, size: rng.lognormal(0.0, 0.5 * misfit, size),
        lambda misfit, size: rng.standard_t(3 + 2 * abs(misfit - 1), size) ** 2,
        lambda misfit, size: misfit * rng.gamma(0.3, 1.0, size),
        lambda misfit, size: misfit * rng.uniform(0.0, 1.0, size),
    ]
    losses = kinds[seed % len(kinds)]
    models = {}
    for index in range(n_models):
        worse = rng.uniform(0.0, 0.25)
        misfit = rng.uniform(0.7, 1.3)
        models[f"m{index}"] = rivals.Losses(
            worse + losses(1.0, n), worse + losses(misfit, (N_SIMULATIONS, n))
        )
    return models, float(rng.choice([2.0**-6, 2.0**-4, 2.0**-2, 1.0]))


def errors(seed: int) -> list[float]:
    """Of each model: the stability that is said less the one that full comparisons have."""
    models, c = problem(seed)
    result = rivals.compare(models, law="beta", c=c, threshold=THRESHOLD, rng=seed)
    said = set(result.rejections) | {
        duel.model for duel in result.undecided if duel.reason == "simulations"
    }
    same = dict.fromkeys(models, 0)
    for index in range(N_SIMULATIONS):
        single = {
            name: rivals.Losses(each.observed, each.simulations[index])
            for name, each in models.items()
        }
        alone = rivals.compare(single, law=FULL, c=c, threshold=THRESHOLD, rng=seed)
        for name in models:
            same[name] += (name in alone.rejections) == (name in said)
    return [result.stability[name] - same[name] / N_SIMULATIONS for name in models]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=96)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found = np.abs(np.concatenate([errors(seed) for seed in range(options.problems)]))
    summary = {
        "problems": options.problems,
        "models": found.size,
        "mean_error": float(found.mean()),
        "exact": float(np.mean(found == 0.0)),
        "beyond_one_simulation": float(np.mean(found > 1.5 / N_SIMULATIONS)),
        "largest_error": float(found.max()),
    }
    (RESULTS / "stability.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    text = f"""# Stability under law "beta"

`python benchmarks/stability.py`: {summary["models"]} models of {summary["problems"]} problems,
{N_SIMULATIONS} simulations each. The stability that a comparison states, against that of
{N_SIMULATIONS} full comparisons with one simulation each: equal for {summary["exact"]:.1%} of the
models, off by more than one simulation for {summary["beyond_one_simulation"]:.1%}; mean error
{summary["mean_error"]:.4f}, largest {summary["largest_error"]:.3f}.
"""
    (RESULTS / "stability.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
