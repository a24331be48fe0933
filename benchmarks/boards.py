"""Boards of many models: how often anything is rejected where nothing differs, and what is wrong.

    python benchmarks/boards.py [--runs 60]

Losses of models in groups, normal: every model has its own standard deviation, exp(.4 z). Boards:
"equal", no model differs; "bad baselines", a third of the models is worse by 20 standard errors
and the others are equal; "two clusters", two halves that differ by 20; "dense top", true means
20 (i/k)³, a quarter of them within a third of a standard error. A rejection is wrong where the
rejected model is at least as good as the rival in truth; in a board of equal models each is.
Candidates were fitted before (SS is 0), or their losses alone are known of left-out groups (κ).
About three minutes of one core.

Also: coverage of 90 % intervals of the difference of two models over as many new groups and over
one new group, for normal groups with true leads drawn from the default prior.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

import rivals
from rivals import Losses
from rivals.method.leads import MEDIAN, SPREAD, STRENGTH

TARGET = Path(__file__).parent / "results" / "boards.json"
FAR = 20.0


def truth(kind: str, n_models: int) -> np.ndarray:
    """Means in standard errors of a mean over the groups."""
    if kind == "equal":
        return np.zeros(n_models)
    if kind == "bad baselines":
        return np.where(np.arange(n_models) < n_models // 3, FAR, 0.0)
    if kind == "two clusters":
        return np.where(np.arange(n_models) < n_models // 2, 0.0, FAR)
    return FAR * np.linspace(0.0, 1.0, n_models) ** 3


def board(kind: str, n_models: int, n_groups: int, left_out: bool, seed: int) -> tuple[int, int]:
    """How many models are rejected, and how many wrongly."""
    rng = np.random.default_rng([seed, n_models, n_groups])
    spread = np.exp(0.4 * rng.standard_normal(n_models))
    means = truth(kind, n_models) / np.sqrt(n_groups)
    values = means[:, None] + spread[:, None] * rng.standard_normal((n_models, n_groups))
    groups = np.arange(n_groups)
    losses = {
        f"model {i}": Losses(row, groups=groups, left_out=left_out) for i, row in enumerate(values)
    }
    result = rivals.compare(losses)
    place = {name: i for i, name in enumerate(losses)}
    rejected = [(place[name], place[found.by]) for name, found in result.rejections.items()]
    return len(rejected), sum(means[model] <= means[rival] for model, rival in rejected)


def rates(kind: str, n_models: int, n_groups: int, left_out: bool, runs: int) -> dict[str, Any]:
    found = np.array([board(kind, n_models, n_groups, left_out, seed) for seed in range(runs)])
    rejected, wrong = found.T
    return {
        "board": kind,
        "models": n_models,
        "groups": n_groups,
        "training": "left out, losses only" if left_out else "fitted before",
        "runs": runs,
        "some rejection %": round(100 * float(np.mean(rejected > 0)), 1),
        "some wrong %": round(100 * float(np.mean(wrong > 0)), 1),
        "wrong of all rejections %": round(100 * float(wrong.sum() / max(rejected.sum(), 1)), 2),
        "rejected of all models %": round(100 * float(rejected.mean() / n_models), 1),
    }


def coverage(n_groups: int, runs: int) -> dict[str, Any]:
    """Of a difference over as many new groups and over one, leads drawn from the default prior."""
    rng = np.random.default_rng(n_groups)
    inside = np.zeros((runs, 2))
    for run in range(runs):
        scale = MEDIAN * np.exp(SPREAD * rng.standard_normal())
        lead = scale * rng.standard_normal() / np.sqrt(n_groups)
        gaps = lead + rng.standard_normal(n_groups)
        losses = {"a": Losses(np.zeros(n_groups)), "b": Losses(gaps)}
        result = rivals.compare(losses, groups=np.arange(n_groups), rng=0)
        for place, new in enumerate((n_groups, 1)):
            beside = result.at(new_groups=new).beside("a")
            seen = lead + rng.standard_normal() / np.sqrt(new)
            inside[run, place] = beside.low[0] <= seen <= beside.high[0]
    shares = inside.mean(axis=0)
    errors = np.sqrt(shares * (1.0 - shares) / runs)
    return {
        "groups": n_groups,
        "runs": runs,
        "as many %": [round(100 * shares[0], 1), round(100 * errors[0], 1)],
        "one %": [round(100 * shares[1], 1), round(100 * errors[1], 1)],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--out", type=Path, default=TARGET)
    options = parser.parse_args()
    rows = [
        rates("equal", n_models, 20, left_out, options.runs)
        for n_models in (10, 30, 100)
        for left_out in (False, True)
    ]
    rows += [
        rates(kind, n_models, 20, False, options.runs)
        for kind, n_models in (("bad baselines", 30), ("two clusters", 200), ("dense top", 100))
    ]
    found = {
        "prior": {"median": MEDIAN, "spread": SPREAD, "strength": STRENGTH},
        "boards": rows,
        "coverage of 90 % intervals": [coverage(n, 10 * options.runs) for n in (4, 6, 10, 20)],
    }
    options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
