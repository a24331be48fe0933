"""Boards of many models: does the first tier hold the truly best, and is it not everything?

    python benchmarks/ranks.py [--boards 100] [--models 10 30 100 200]

A board has 10 to 200 models and 10, 25 or 50 groups (tasks) of 20 points. A model has a mean loss
of its own, an effect in each group, and noise at each point; the difficulty of points is shared.
Means are evenly spread over a range, or normal. Half of the models are variants of one another,
with effects that correlate by .9. Effects are normal or skewed. The truly best has the lowest mean
over all groups. `result.ranks()` is asked at its default. Beside it stand: how often the model of
lowest loss is the truly best, and how often the truly best is beaten by some model with P > .95.
Writes results/ranks.json.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import rivals

FloatArray = npt.NDArray[np.float64]
HERE = Path(__file__).parent
MODELS = (10, 30, 100, 200)
GROUPS = (10, 25, 50)
POINTS = 20
MEANS = ("even", "normal")
EFFECTS = ("normal", "skewed")
NOISE = 1.0  # sd of a model's own loss at a point; effects between groups have .3
SPREAD = 0.3
RANGE = 0.5
ALIKE = 0.9
SKEW = 0.75  # sd of the log


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--boards", type=int, default=100, help="of each kind")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "ranks.json")
    parser.add_argument("--models", type=int, nargs="+", default=MODELS, help="on a board")
    options = parser.parse_args()
    begin = time.process_time()
    rows = []
    for kind in product(options.models, GROUPS, MEANS, EFFECTS):
        boards = [board(*kind, index) for index in range(options.boards)]
        rows.append(summary(kind, boards))
        print(json.dumps(rows[-1]), flush=True)
    rows += [pooled(rows, n_models) for n_models in options.models]
    seconds = round(time.process_time() - begin)
    text = ",\n  ".join(json.dumps(each) for each in rows)
    settings = json.dumps({"boards": options.boards, "seconds": seconds})
    options.out.write_text(f'{{\n "settings": {settings},\n "rows": [\n  {text}\n ]\n}}\n')


def board(n_models: int, n_groups: int, means: str, effects: str, index: int) -> dict[str, float]:
    """One board: what is said of its models, and whether it is so."""
    numbers = [n_models, n_groups, MEANS.index(means), EFFECTS.index(effects), index]
    rng = np.random.default_rng(numbers)
    mean = RANGE * (
        np.linspace(0.0, 1.0, n_models) if means == "even" else rng.standard_normal(n_models)
    )
    effect = SPREAD * of_groups(effects, (n_models, n_groups), rng)
    shared = SPREAD * of_groups(effects, (1, n_groups), rng)
    variants = rng.random(n_models) < 0.5
    effect[variants] = np.sqrt(ALIKE) * shared + np.sqrt(1.0 - ALIKE) * effect[variants]
    group = np.repeat(np.arange(n_groups), POINTS)
    points = rng.exponential(size=group.size) + NOISE * rng.standard_normal((n_models, group.size))
    observed = (mean[:, None] + effect)[:, group] + points
    models = {f"model {place}": one for place, one in enumerate(observed)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rivals.RivalsWarning)
        result = rivals.compare(models, groups=group)
    ranks = result.ranks()
    best = int(np.argmin(mean))
    place = list(result.risk).index(f"model {best}")
    beaten = np.array(result.probability)[:, place]
    beaten[place] = 0.0
    row = ranks.models.index(f"model {best}")
    return {
        "holds the best": float(ranks.tier[row] == 1),
        "rank holds": float(ranks.low[row] == 1),
        "part in the first tier": float(np.mean(ranks.tier == 1)),
        "lowest loss is the best": float(ranks.models[0] == f"model {best}"),
        "the best is beaten at 0.95": float(np.nanmax(beaten) > 0.95),
    }


def of_groups(effects: str, shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Effects of mean 0 and standard deviation 1."""
    if effects == "normal":
        return rng.standard_normal(shape)
    square = np.exp(SKEW**2)
    drawn = rng.lognormal(0.0, SKEW, shape) - np.sqrt(square)
    return np.asarray(drawn / np.sqrt((square - 1.0) * square))


def summary(kind: tuple[Any, ...], boards: list[dict[str, float]]) -> dict[str, Any]:
    """Rates in %, with their errors."""
    found: dict[str, Any] = dict(
        zip(("models", "groups", "means", "effects"), kind, strict=True)
    ) | {"boards": len(boards)}
    for name in boards[0]:
        values = np.array([one[name] for one in boards])
        error = 100.0 * values.std(ddof=1) / np.sqrt(values.size)
        found[name] = [round(100.0 * float(values.mean()), 1), round(float(error), 1)]
    return found


def pooled(rows: list[dict[str, Any]], n_models: int) -> dict[str, Any]:
    """All kinds of boards of so many models."""
    own = [row for row in rows if row["models"] == n_models and row["groups"]]
    found: dict[str, Any] = {"models": n_models, "groups": 0, "means": "all", "effects": "all"}
    found["boards"] = sum(row["boards"] for row in own)
    for name, value in own[0].items():
        if isinstance(value, list):
            rates, errors = np.array([row[name] for row in own]).T
            error = np.sqrt(np.sum(errors**2)) / len(own)
            found[name] = [round(float(rates.mean()), 1), round(float(error), 1)]
    return found


if __name__ == "__main__":
    main()
