"""Replications at hand, simulated: are winners that law "groups" states right in fresh groups?

    python benchmarks/groups.py [--problems 300] [--seed 0] [--name groups]

The families of families.py, and four more with groups of unequal noise and skewed losses. Two
candidates are judged by `rivals.compare` from G groups of n points. A winner is stated where the
other model is rejected; it is scored in 400 fresh groups, where the true risks are known. Writes
results/NAME.json and .md. The file runs with earlier releases too, whose law "groups" knew no
simulations: results/groups_before.json comes from commit 0bd2ef1.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import families
import rivals

FloatArray = npt.NDArray[np.float64]
HERE = Path(__file__).parent
SETTINGS = {"30 × 40": (30, 40), "8 × 250": (8, 250), "3 × 250": (3, 250), "2 × 250": (2, 250)}
N_SIMULATIONS = 16
N_REPLICATIONS = 400
ALL = families.FAMILIES | families.GROUPED


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=300, help="for each family and setting")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--name", default="groups", help="of the files of results")
    options = parser.parse_args()
    begin = time.process_time()
    scores = {setting: judge_all(setting, options.problems, options.seed) for setting in SETTINGS}
    settings = {
        "problems": options.problems,
        "seed": options.seed,
        "seconds": round(time.process_time() - begin),
    }
    (HERE / "results" / f"{options.name}.json").write_text(
        json.dumps({"settings": settings, "scores": scores}, indent=1) + "\n"
    )
    (HERE / "results" / f"{options.name}.md").write_text(table(scores, settings))


def judge_all(setting: str, problems: int, seed: int) -> dict[str, Any]:
    """Each family, and all of them pooled: how much is stated, and how often that loses."""
    found: dict[str, Any] = {}
    for place, (name, family) in enumerate(ALL.items()):
        streams = (
            np.random.default_rng([seed, *SETTINGS[setting], place, index])
            for index in range(problems)
        )
        outcomes = [judge(family, *SETTINGS[setting], rng) for rng in streams]
        if any(outcome is None for outcome in outcomes):  # this release refuses so few groups
            return {"pooled": None}
        found[name] = np.array(outcomes)
        print(setting, name, score(found[name]), flush=True)
    return {"pooled": score(np.concatenate(list(found.values())))} | {
        name: score(one) for name, one in found.items()
    }


def judge(
    family: families.Family, n_groups: int, n_points: int, rng: np.random.Generator
) -> tuple[bool, float] | None:
    """Whether a winner is stated, and the part of fresh groups that it loses; None where the
    release refuses.
    """
    problem = families.draw(family, rng)
    losses = losses_in_groups(problem, n_groups, n_points, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rivals.RivalsWarning)
        try:
            result = rivals.compare(
                losses, law="groups", groups=np.repeat(np.arange(n_groups), n_points), rng=0
            )
        except ValueError:
            return None
    wins = problem.wins(N_REPLICATIONS, rng).mean()
    if not result.rejections:
        return False, 0.0
    return True, float(wins if "a" in result.rejections else 1.0 - wins)


def losses_in_groups(
    problem: families.Problem, n_groups: int, n_points: int, rng: np.random.Generator
) -> dict[str, rivals.Losses]:
    """Observed and simulated losses of both candidates, group after group."""
    data = [problem.replicate(n_points, rng) for _ in range(n_groups)]
    losses = {}
    for name, model in zip("ab", problem.candidates, strict=True):
        observed = np.concatenate([model.loss(one) for one in data])
        simulated = [
            [model.loss(model.simulate(n_points, rng)) for _ in data] for _ in range(N_SIMULATIONS)
        ]
        losses[name] = rivals.Losses(observed, np.reshape(simulated, (N_SIMULATIONS, -1)))
    return losses


def score(outcomes: FloatArray) -> dict[str, float | None]:
    """In %, with standard errors over problems."""
    stated, lost = outcomes.T
    if not stated.any():
        return {
            "error": None,
            "error_se": None,
            "stated": 0.0,
            "stated_se": 0.0,
            "problems": stated.size,
        }
    error = lost.sum() / stated.sum()
    return {
        "error": round(100 * error, 3),
        "error_se": round(
            100 * float(np.sqrt(np.sum((lost - error * stated) ** 2)) / stated.sum()), 3
        ),
        "stated": round(100 * float(stated.mean()), 3),
        "stated_se": round(100 * float(stated.std() / np.sqrt(stated.size)), 3),
        "problems": stated.size,
    }


def table(scores: dict[str, Any], settings: dict[str, Any]) -> str:
    lines = [
        "# Replications at hand, simulated",
        "",
        f"`python benchmarks/groups.py --problems {settings['problems']} --seed "
        f"{settings['seed']}`: {settings['seconds']} s of processor time. Error % ± one standard "
        "error over problems / stated %, of winners that `rivals.compare(losses, groups=...)` "
        "states, by groups × points; nominal 5 %.",
        "",
        "| family | " + " | ".join(scores) + " |",
        "| --- |" + " --- |" * len(scores),
    ]
    for name in ["pooled", *ALL]:
        lines.append(
            f"| {name} | " + " | ".join(brief(one.get(name)) for one in scores.values()) + " |"
        )
    return "\n".join(lines) + "\n"


def brief(one: dict[str, Any] | None) -> str:
    if one is None:
        return "refused"
    return (
        "– / 0"
        if one["error"] is None
        else f"{one['error']:.1f} ± {one['error_se']:.1f} / {one['stated']:.1f}"
    )


if __name__ == "__main__":
    main()
