"""Why the authors state more winners than we do: rounding, and Simpson's rule.

    python paper/benchmarks/stated_winners.py

The first 40 experiments of two conditions as published are integrated here, and judged in four
ways: with the trapezoid rule or Simpson's on the 257 points of a path, with the limits of the
solver exact or mirrored. Writes results/stated_winners.json. What rounding does, over eight copies,
is in results/neuron-calibration.json of the paper ("copies: wrong and stated").
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from rivals import Losses
from rivals_paper import mirrored
from rivals_paper.arrays import FloatArray
from rivals_paper.neuron_runs import C_MAIN, MAIN, original
from rivals_paper.pyloric import Condition, Published

OUT = Path(__file__).parent / "results" / "stated_winners.json"
EXPERIMENTS = 40
CONDITIONS = (MAIN[2], MAIN[4])
C = (0.25, 1.0)
DRAWS = 2000
TRAPEZOID = np.full(257, 1 / 256)
TRAPEZOID[[0, -1]] /= 2
RULES = {"trapezoid": TRAPEZOID, "Simpson": mirrored.WEIGHTS}


class Exact(mirrored.PublishedProcess):
    """The same process without the limits of the original solver."""

    limits = False


def main() -> None:
    """Measure, and write."""
    found = {condition.key: _condition(condition) for condition in CONDITIONS}
    settings = {"experiments": EXPERIMENTS, "draws": DRAWS, "stated beyond": 0.95}
    OUT.write_text(json.dumps(settings | {"stated": found}, indent=1), encoding="utf-8")
    print(json.dumps(found, indent=1))


def _condition(condition: Condition) -> dict[str, Any]:
    pairs = [_losses(condition, index) for index in range(EXPERIMENTS)]
    found: dict[str, Any] = {}
    for c in C:
        rows: dict[str, float] = {}
        for limits, process in (("mirrored", mirrored.PublishedProcess), ("exact", Exact)):
            paths = [_probabilities(pair, c, process) for pair in pairs]
            for rule in RULES:
                rows[f"{rule}, {limits} limits"] = _stated([each[rule] for each in paths])
        theirs = original(condition.key).probability[:EXPERIMENTS, C_MAIN.index(c)]
        found[f"{c:g}"] = rows | {"authors": _stated(theirs)}
    return found


def _losses(condition: Condition, index: int) -> list[Losses]:
    """Both candidates on an experiment as published, each with a simulation of its own."""
    experiment = Published(condition)(None, index=index)
    data = experiment.observe(4000, None)
    rng = np.random.default_rng(index)
    pair = []
    for model in experiment.candidates(data):
        level = np.log(np.sqrt(2 * np.pi) * model.sigma)
        simulated = level + rng.standard_normal(4000) ** 2 / 2
        pair.append(Losses(model.loss(data), simulated))
    return pair


def _probabilities(pair: list[Losses], c: float, process: Any) -> dict[str, float]:
    """P(R_a < R_b) by each rule, of the same paths."""
    paths = [
        process(each, c).sample_paths(DRAWS, np.random.default_rng(k))
        for k, each in enumerate(pair)
    ]
    found = {}
    for rule, weights in RULES.items():
        first, second = (np.sort(each @ weights) for each in paths)
        found[rule] = float(np.searchsorted(first, second).mean() / DRAWS)
    return found


def _stated(probability: FloatArray | list[float]) -> float:
    values = np.asarray(probability)
    return float(np.mean(np.maximum(values, 1 - values) > 0.95))


if __name__ == "__main__":
    main()
