"""Plans, simulated: do so many more groups name a winner as often as a plan says?

    python benchmarks/plan.py [--problems 160] [--seed 0] [--name plan]

The families of families.py. Two candidates are compared from 8 groups of 100 points. Where neither
is rejected, `result.plan` gives the chance that 4 and 22 more groups change that. These are then
drawn from the family, and the comparison is made again with all groups. Asked about the study
repeated, about a single new group, and about the study repeated with a look after every group.
Writes results/NAME.json and .md.
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
AT_HAND = 8
MORE = (4, 22)
N_POINTS = 100
N_SIMULATIONS = 4
QUESTIONS: dict[str, dict[str, Any]] = {
    "study repeated": {},
    "next group": {"new_groups": 1},
    "a look after every group": {"looks": "any"},
}
ALL = families.FAMILIES | families.GROUPED


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=160, help="for each family")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--name", default="plan", help="of the files of results")
    options = parser.parse_args()
    begin = time.process_time()
    outcomes = {}
    for place, (name, family) in enumerate(ALL.items()):
        outcomes[name] = judge_all(family, [options.seed, place], options.problems)
        print(name, {question: len(rows) for question, rows in outcomes[name].items()}, flush=True)
    settings = {
        "problems": options.problems,
        "seed": options.seed,
        "seconds": round(time.process_time() - begin),
    }
    scores = {question: scores_of(outcomes, question) for question in QUESTIONS}
    (HERE / "results" / f"{options.name}.json").write_text(
        json.dumps({"settings": settings, "scores": scores}, indent=1) + "\n"
    )
    (HERE / "results" / f"{options.name}.md").write_text(table(scores, settings))


def judge_all(family: families.Family, seed: list[int], problems: int) -> dict[str, FloatArray]:
    """By question, of each problem that is undecided at first: predicted and seen, by number."""
    found: dict[str, list[Any]] = {question: [] for question in QUESTIONS}
    for index in range(problems):
        rng = np.random.default_rng([*seed, index])
        problem = families.draw(family, rng)
        losses = losses_in_groups(problem, AT_HAND + max(MORE), rng)
        for question, options in QUESTIONS.items():
            outcome = judge(losses, options)
            if outcome is not None:
                found[question].append(outcome)
    shape = (-1, 2, len(MORE))
    return {question: np.reshape(rows, shape) for question, rows in found.items()}


def judge(losses: dict[str, rivals.Losses], options: dict[str, Any]) -> list[list[float]] | None:
    """Predicted chances, and whether a winner then is named; None where there is one already."""
    pilot = compare_first(losses, AT_HAND, options)
    if pilot.rejections:
        return None
    predicted = pilot.plan(MORE).chance[0].tolist()
    return [predicted, [float(is_named(losses, AT_HAND + more, options)) for more in MORE]]


def is_named(losses: dict[str, rivals.Losses], n_groups: int, options: dict[str, Any]) -> bool:
    """With so many groups, or at any look until then."""
    result = compare_first(losses, n_groups, options)
    if "looks" not in options:
        return bool(result.rejections)
    looks = result.looks()
    return bool(looks.named[:, looks.n_groups > AT_HAND].any())


def compare_first(
    losses: dict[str, rivals.Losses], n_groups: int, options: dict[str, Any]
) -> rivals.Comparison:
    """The comparison from the first groups alone."""
    n_points = n_groups * N_POINTS
    some = {
        name: rivals.Losses(
            sample.observed[:n_points], sample.simulated[:, :n_points], left_out=False
        )
        for name, sample in losses.items()
    }
    groups = np.repeat(np.arange(n_groups), N_POINTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rivals.RivalsWarning)
        return rivals.compare(some, groups=groups, rng=0, **options)


def losses_in_groups(
    problem: families.Problem, n_groups: int, rng: np.random.Generator
) -> dict[str, rivals.Losses]:
    """Observed and simulated losses of both candidates, group after group."""
    data = [problem.replicate(N_POINTS, rng) for _ in range(n_groups)]
    losses = {}
    for name, model in zip("ab", problem.candidates, strict=True):
        observed = np.concatenate([model.loss(one) for one in data])
        simulated = [
            np.concatenate([model.loss(model.simulate(N_POINTS, rng)) for _ in data])
            for _ in range(N_SIMULATIONS)
        ]
        losses[name] = rivals.Losses(observed, np.stack(simulated))
    return losses


def scores_of(outcomes: dict[str, dict[str, FloatArray]], question: str) -> dict[str, Any]:
    """All families pooled, and each."""
    by_family = {name: found[question] for name, found in outcomes.items()}
    pooled = np.concatenate(list(by_family.values()))
    return {"pooled": score(pooled)} | {name: score(rows) for name, rows in by_family.items()}


def score(rows: FloatArray) -> dict[str, Any]:
    """Mean predicted and seen chances by number, and the standard error of their difference."""
    predicted = rows[:, 0]
    seen = rows[:, 1]
    error = np.std(seen - predicted, axis=0, ddof=1) / np.sqrt(len(rows))
    return {
        "undecided": len(rows),
        "predicted": np.round(predicted.mean(axis=0), 3).tolist(),
        "seen": np.round(seen.mean(axis=0), 3).tolist(),
        "standard_error": np.round(error, 3).tolist(),
    }


def table(scores: dict[str, Any], settings: dict[str, Any]) -> str:
    lines = [
        "# Plans, simulated",
        "",
        f"`python benchmarks/plan.py --problems {settings['problems']} --seed "
        f"{settings['seed']}`: {settings['seconds']} s of processor time. Of pairs that are "
        f"undecided from {AT_HAND} groups of {N_POINTS} points: the mean chance of a winner with "
        "so many more groups that `result.plan` predicts / how often there was one, ± the "
        "standard error of the difference.",
    ]
    for question, by_family in scores.items():
        headings = [f"{more} more" for more in MORE]
        lines += [
            "",
            f"## {question.capitalize()}",
            "",
            f"| family | undecided | {' | '.join(headings)} |",
            "| --- | --- |" + " --- |" * len(MORE),
        ]
        for name, one in by_family.items():
            cells = [
                f"{predicted:.2f} / {seen:.2f} ± {error:.2f}"
                for predicted, seen, error in zip(
                    one["predicted"], one["seen"], one["standard_error"], strict=True
                )
            ]
            lines.append(f"| {name} | {one['undecided']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
