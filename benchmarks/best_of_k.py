"""How often is the truly best of k candidates rejected? Several rules, on the families that can
have many candidates.

    python benchmarks/best_of_k.py [--problems 200] [--experiments 256] [--seed 0]

Each problem has k = 3, 10 or 30 candidates, judged by law "transport" from one data set of 1 000
points. The truly best has the lowest mean risk over fresh replications. It is rejected if a rival
of lower empirical risk beats it with a probability above the threshold: 0.95 whatever k; 1 −
0.05/(k − 1), so that all rivals together have the chance of one; at the least where the curve of
pairs in experiments reaches 0.95, which is what the library does with a calibration of fewer
candidates than models; or *learned*, from experiments with k candidates of the broader version of
the family: the ⌈0.95 (n + 1)⌉-th smallest of the largest probabilities with which their truly best
was beaten. Writes results/best_of_k.json and .md.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import families
import rivals
from rivals.calibration.correction import fit_correction

FloatArray = npt.NDArray[np.float64]
HERE = Path(__file__).parent
SIZES = (3, 10, 30)
N_POINTS = 1000
N_SIMULATIONS = 16
N_REPLICATIONS = 2000
DEFAULT_C = 0.25
GRID = tuple(2.0 ** np.arange(-10, 3))
LEVEL = 0.95
BROADER = 1.5
TEST = 0
EXPERIMENT = 1


@dataclass(frozen=True)
class Judged:
    """One problem: how strongly each candidate is beaten at each c, and which is truly best."""

    # values of c × candidates: the largest probability of a rival of lower empirical risk; 0
    # without one
    beaten: FloatArray
    brier: (
        FloatArray  # values of c: of the probabilities of all pairs, scored in fresh replications
    )
    best: int
    pair: FloatArray  # values of c: of the first two
    won: float  # by the first of them, in fresh replications


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=200, help="of each family and k")
    parser.add_argument("--experiments", type=int, default=256, help="to learn from")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    begin = time.process_time()
    rows = []
    for k in SIZES:
        for family in families.MANY:
            tests = [
                judge(family, k, TEST, index, options.seed) for index in range(options.problems)
            ]
            learned = [
                judge(family, k, EXPERIMENT, index, options.seed)
                for index in range(options.experiments)
            ]
            rows += [{"k": k, "family": family} | row for row in measure(tests, learned, k)]
            print(k, family, f"{time.process_time() - begin:.0f} s", flush=True)
    settings = vars(options) | {"seconds": round(time.process_time() - begin)}
    (HERE / "results" / "best_of_k.json").write_text(
        json.dumps({"settings": settings, "rows": rows}, indent=1) + "\n"
    )
    (HERE / "results" / "best_of_k.md").write_text(table(rows, settings))


def judge(family: str, k: int, purpose: int, index: int, seed: int) -> Judged:
    """Draw a problem, observe it, compare its candidates."""
    rng = np.random.default_rng([seed, k, purpose, list(families.MANY).index(family), index])
    problem = families.draw(
        families.MANY[family], rng, broader=BROADER if purpose == EXPERIMENT else 1.0, count=k
    )
    data = problem.observe(N_POINTS, rng)
    models = {
        str(place): losses_of(model, data, rng) for place, model in enumerate(problem.candidates)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rivals.RivalsWarning)
        result = rivals.compare(models, c=DEFAULT_C, order=problem.order, rng=0)
        probability = result.sweep(c=GRID).probability
    empirical = np.array([result.empirical_risk[name] for name in models])
    risks = problem.risk(problem.states(N_REPLICATIONS, rng))
    wins = np.array([np.mean(risk < risks, axis=1) for risk in risks])
    rivals_lower = empirical[:, None] < empirical[None, :]
    above = np.triu_indices(k, 1)
    return Judged(
        beaten=np.max(np.where(rivals_lower, probability, 0.0), axis=1),
        brier=np.mean((probability - wins)[:, *above] ** 2, axis=1),
        best=int(np.argmin(risks.mean(axis=1))),
        pair=probability[:, 0, 1],
        won=float(wins[0, 1]),
    )


def losses_of(model: Any, data: Any, rng: np.random.Generator) -> rivals.Losses:
    simulated = [model.loss(model.simulate(N_POINTS, rng)) for _ in range(N_SIMULATIONS)]
    return rivals.Losses(model.loss(data), np.array(simulated))


def measure(tests: list[Judged], learned: list[Judged], k: int) -> list[dict[str, Any]]:
    """Every rule on the same problems."""
    default = GRID.index(DEFAULT_C)
    calibrated = int(np.argmin(np.mean([one.brier for one in learned], axis=0)))
    alone = 1.0 - (1.0 - LEVEL) / (k - 1)
    rules = {
        "0.95 each": (default, LEVEL),
        "1 − .05/(k − 1)": (default, alone),
        "calibrated c, 1 − .05/(k − 1)": (calibrated, alone),
        "the same, and the curve of pairs": (calibrated, max(alone, by_pairs(learned, calibrated))),
        "learned threshold": (default, threshold(learned, default)),
        "calibrated c, learned threshold": (calibrated, threshold(learned, calibrated)),
        "learned, at least 0.95": (calibrated, max(threshold(learned, calibrated), LEVEL)),
    }
    return [score(tests, rule, *at) for rule, at in rules.items()]


def by_pairs(learned: list[Judged], c: int) -> float:
    """Where the curve that corrects B of a pair reaches 0.95; 1 where it does not."""
    curve = fit_correction(
        np.array([one.pair[c] for one in learned]), np.array([one.won for one in learned])
    )
    stated = np.linspace(0.5, 1.0, 50_001)
    enough = curve(stated) > LEVEL
    return float(stated[np.argmax(enough)]) if enough.any() else 1.0


def threshold(learned: list[Judged], c: int) -> float:
    """Above so many scores of truly best candidates that a new one exceeds it in one case of twenty
    at most.
    """
    scores = np.sort([one.beaten[c, one.best] for one in learned])
    rank = int(np.ceil(LEVEL * (scores.size + 1)))
    return float(scores[rank - 1]) if rank <= scores.size else 1.0


def score(tests: list[Judged], rule: str, c: int, limit: float) -> dict[str, Any]:
    rejected = np.array([one.beaten[c] > limit for one in tests])
    best = np.array([row[one.best] for row, one in zip(rejected, tests, strict=True)])
    return {
        "rule": rule,
        "c": GRID[c],
        "threshold": round(limit, 5),
        "problems": len(tests),
        "best_rejected": round(100 * float(best.mean()), 3),
        "survivors": round(100 * float(1.0 - rejected.mean()), 3),
    }


def table(rows: list[dict[str, Any]], settings: dict[str, Any]) -> str:
    rules = list(dict.fromkeys(row["rule"] for row in rows))
    problems = sum(
        row["problems"] for row in rows if row["k"] == SIZES[0] and row["rule"] == rules[0]
    )
    lines = [
        "# The best of k candidates",
        "",
        f"`python benchmarks/best_of_k.py --problems {settings['problems']} --experiments "
        f"{settings['experiments']} --seed {settings['seed']}`: {settings['seconds']} s of "
        "processor time. How often the truly best is rejected, in % ± one standard error (the "
        f"part of all candidates that survives), {problems} problems of {len(families.MANY)} "
        f"families for each k; and in the worst family, {settings['problems']} problems. Law "
        "transport, c = ¼ unless it is calibrated.",
        "",
        "| rule | " + " | ".join(f"k = {k} | worst family" for k in SIZES) + " |",
        "| --- |" + " --- | --- |" * len(SIZES),
    ]
    for rule in rules:
        cells = []
        for k in SIZES:
            own = [row for row in rows if (row["rule"], row["k"]) == (rule, k)]
            rate = np.mean([row["best_rejected"] for row in own])
            error = 100 * np.sqrt(rate / 100 * (1 - rate / 100) / problems)
            worst = max(own, key=lambda row: row["best_rejected"])
            cells += [
                f"{rate:.1f} ± {error:.1f} ({np.mean([row['survivors'] for row in own]):.0f})",
                f"{worst['best_rejected']:.1f} ({worst['family']})",
            ]
        lines.append(f"| {rule} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
