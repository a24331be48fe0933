"""The three horizons of law "groups" for 100 models and 30 groups: how much time they take.

    python benchmarks/horizons_speed.py [--models 100] [--groups 30]

Processor time of `rivals.compare` from losses that are at hand, and of all probabilities at m = 1,
G and ∞; least of several runs, with 8 simulations, without any, and with groups of equal size.
Writes results/horizons_speed.json and .md, with the functions that take most of it.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import math
import pstats
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import rivals

RESULTS = Path(__file__).parent / "results"
N_SIMULATIONS = 8
SIZES = (40, 250)
RUNS = 5
SHOWN = 8
GOAL = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--groups", type=int, default=30)
    options = parser.parse_args()
    cases = {
        "8 simulations": problem(options.models, options.groups, N_SIMULATIONS, SIZES),
        "8 simulations, equal sizes": problem(
            options.models, options.groups, N_SIMULATIONS, (145, 145)
        ),
        "no simulations": problem(options.models, options.groups, 0, SIZES),
    }
    found = {name: measure(*case) for name, case in cases.items()}
    settings = {"models": options.models, "groups": options.groups}
    body = json.dumps({"settings": settings, "cases": found}, indent=1)
    (RESULTS / "horizons_speed.json").write_text(body + "\n", encoding="utf-8")
    (RESULTS / "horizons_speed.md").write_text(page(settings, found), encoding="utf-8")


def problem(
    n_models: int, n_groups: int, n_simulations: int, sizes: tuple[int, int]
) -> tuple[dict[str, rivals.Losses], np.ndarray]:
    """Losses that share most of what happens at a point; models differ more in some groups."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(n_groups), rng.integers(sizes[0], sizes[1] + 1, n_groups))
    common = rng.exponential(size=group.size)
    losses = {}
    for index in range(n_models):
        effect = 0.3 * rng.random() + 0.1 * rng.standard_normal(n_groups)
        observed = 0.7 * common + 0.3 * rng.exponential(size=group.size) + effect[group]
        simulated = rng.exponential(size=(n_simulations, group.size))
        both = (observed, simulated) if n_simulations else (observed,)
        losses[f"m{index}"] = rivals.Losses(*both)
    return losses, group


def measure(losses: dict[str, rivals.Losses], group: np.ndarray) -> dict[str, Any]:
    """Least processor time of several runs, and where it goes."""
    seconds = []
    for _ in range(RUNS):
        begin = time.process_time()
        ask(losses, group)
        seconds.append(time.process_time() - begin)
    profile = cProfile.Profile()
    profile.runcall(ask, losses, group)
    return {"seconds": round(min(seconds), 3), "profile": largest(profile)}


def ask(losses: dict[str, rivals.Losses], group: np.ndarray) -> list[np.ndarray]:
    """All that has to do with horizons: the verdict, and three matrices."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rivals.RivalsWarning)
        result = rivals.compare(losses, groups=group, rng=0)
    return [result.over(m) for m in (1, int(group.max()) + 1, math.inf)]


def largest(profile: cProfile.Profile) -> list[dict[str, Any]]:
    """The functions that take most time by themselves."""
    rows = []
    for (file, _, name), (_, calls, own, total, _) in pstats.Stats(profile).stats.items():
        where = f"{Path(file).name}: {name}" if file.endswith(".py") else name
        row = {"function": where, "calls": calls, "own": round(own, 3), "total": round(total, 3)}
        rows.append(row)
    return sorted(rows, key=lambda row: -row["own"])[:SHOWN]


def page(settings: dict[str, Any], found: dict[str, Any]) -> str:
    lines = [
        "# Three horizons of many models",
        "",
        f"`python benchmarks/horizons_speed.py`: {settings['models']} models, {settings['groups']} "
        f"groups of {SIZES[0]} to {SIZES[1]} points; processor seconds of `rivals.compare(losses, "
        f"groups=...)` and `result.over` at m = 1, G and ∞, least of {RUNS}. "
        f"The goal is {GOAL:g} s.",
        "",
        "| case | seconds |",
        "| --- | --- |",
        *(f"| {name} | {one['seconds']:.2f} |" for name, one in found.items()),
    ]
    for name, one in found.items():
        lines += ["", f"Where it goes, {name} (under a profiler):", ""]
        lines += ["| function | calls | own s | with what it calls |", "| --- | --- | --- | --- |"]
        lines += [
            f"| {row['function']} | {row['calls']} | {row['own']:.2f} | {row['total']:.2f} |"
            for row in one["profile"]
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
