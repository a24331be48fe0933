"""How often is the truly best of k near-equal candidates rejected? Both laws, beside the model confidence set.

    python benchmarks/best_of_k.py [--seed 0]

Data are points in R^d, y = θ + noise. Candidate a predicts μ_a, with the loss ½|y − μ_a|² of a standard normal density, and simulates
μ_a + noise. All |μ_a|² lie between 0.8 and 1.2, in random directions: the candidates differ in risk by 0.2 at most. *Fixed*: θ = 0 always; the truth
is the population. *Replications*: every experiment has its own θ ~ N(0, τ²), which moves the risk of each candidate by 0.15; the truth is the best
candidate in a fresh replication. The best is missed by the set of survivors exactly when it is rejected, so one number says both.
"Corrected" is the threshold 1 − (1 − ε)/(k − 1) in place of ε. Needs `arch` for the model confidence set. Writes results/best_of_k.json and .md.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from arch.bootstrap import MCS
from rivals.comparison.laws import BetaLaw, law_of
from rivals.comparison.settings import DEFAULT_C, Settings

import rivals
from rivals.core.verdict import decide

FloatArray = npt.NDArray[np.float64]
HERE = Path(__file__).parent
THRESHOLD = 0.95
DIMENSION, LENGTH, SIMULATIONS = 20, 500, 4
SHIFT = {"fixed": 0.0, "replications": 0.15}
REPEATS = {2: 600, 10: 300, 100: 100, 1000: 10}
SLOW_REPEATS = {2: 200, 10: 60, 100: 8, 1000: 1}  # of the process, which costs most
# The model confidence set eliminates models one by one, by the bootstrap of the maximum.
MCS_REPEATS = {2: 300, 10: 100, 100: 20, 1000: 2}
KINDS = ("transport", "beta", "beta, c = 2⁻¹⁰")


@dataclass(frozen=True)
class Problem:
    """Losses of k candidates, and which of them is truly best."""

    losses: list[rivals.Losses]
    best: int


def problem(k: int, tau: float, rng: np.random.Generator) -> Problem:
    """Draw candidates, an experiment and the truth."""
    directions = rng.standard_normal((k, DIMENSION))
    radii = np.sqrt(rng.uniform(0.8, 1.2, k))
    mu = directions * (radii / np.linalg.norm(directions, axis=1))[:, None]
    theta, fresh = tau * rng.standard_normal((2, DIMENSION))
    y = theta + rng.standard_normal((LENGTH, DIMENSION))
    squares, cross = np.sum(y**2, axis=1), mu @ y.T
    observed = 0.5 * (squares[None, :] - 2.0 * cross + np.sum(mu**2, axis=1)[:, None])
    simulated = 0.5 * rng.chisquare(DIMENSION, (k, SIMULATIONS, LENGTH))
    losses = [rivals.Losses(*pair) for pair in zip(observed, simulated, strict=True)]
    return Problem(losses, int(np.argmin(np.sum((mu - fresh) ** 2, axis=1))))


def rejected(given: Problem, kind: str, seed: int) -> dict[str, tuple[bool, float]]:
    """Whether the best is rejected under a law, and what part of the candidates is: by the threshold, and corrected."""
    k = len(given.losses)
    law: Any = kind.partition(",")[0]
    c = 2.0**-10 if "2⁻¹⁰" in kind else DEFAULT_C[law]
    settings = Settings(entropy=seed, law=law, c=c, threshold=THRESHOLD, n_draws=4000)
    found = {}
    laws = law_of(given.losses, settings).at(c)
    for name, threshold in ((kind, THRESHOLD), (f"{kind}, corrected", 1.0 - (1.0 - THRESHOLD) / (k - 1))):
        if isinstance(laws, BetaLaw):
            rejections, _ = decide(laws.empirical, [np.sort(each) for each in laws.draws()], threshold, lambda _: False)
        else:
            rejections, _ = law_of(given.losses, replace(settings, threshold=threshold)).decide()
        found[name] = given.best in rejections, len(rejections) / k
    return found


def rejected_by_mcs(given: Problem, seed: int) -> tuple[bool, float]:
    """The same for the model confidence set of size 5 %."""
    losses = np.stack([sample.observed for sample in given.losses], axis=1)
    mcs = MCS(losses, size=1.0 - THRESHOLD, reps=200, block_size=1, method="max", seed=seed)
    mcs.compute()
    return given.best in mcs.excluded, len(mcs.excluded) / len(given.losses)


def measure(k: int, scenario: str, seed: int) -> list[dict[str, Any]]:
    """All methods on the same problems."""
    outcomes: dict[str, list[tuple[bool, float]]] = {}
    for repeat in range(REPEATS[k]):
        given = problem(k, SHIFT[scenario], np.random.default_rng([seed, k, list(SHIFT).index(scenario), repeat]))
        for kind in KINDS:
            if kind == "transport" or repeat < SLOW_REPEATS[k]:
                for method, outcome in rejected(given, kind, repeat).items():
                    outcomes.setdefault(method, []).append(outcome)
        if repeat < MCS_REPEATS[k]:
            outcomes.setdefault("model confidence set", []).append(rejected_by_mcs(given, repeat))
    rows = []
    for method, found in outcomes.items():
        best, part = np.array(found, dtype=float).T
        # One success and one failure more than seen, so that no error is stated as zero.
        rate = (best.sum() + 1.0) / (best.size + 2.0)
        rows.append(
            {
                "scenario": scenario,
                "k": k,
                "method": method,
                "problems": best.size,
                "best rejected": best.mean(),
                "standard error": float(np.sqrt(rate * (1.0 - rate) / (best.size + 2.0))),
                "part rejected": part.mean(),
            }
        )
    return rows


def table(rows: list[dict[str, Any]], scenario: str) -> str:
    """Methods by k: best rejected % (all rejected %)."""
    sizes = sorted({row["k"] for row in rows})
    lines = [
        "| " + " | ".join([scenario, *(f"k = {k}" for k in sizes)]) + " |",
        "| --- |" + " --- |" * len(sizes),
    ]
    for method in dict.fromkeys(row["method"] for row in rows):
        cells = []
        for k in sizes:
            (row,) = (r for r in rows if (r["scenario"], r["k"], r["method"]) == (scenario, k, method))
            cells.append(
                f"{100 * row['best rejected']:.1f} ± {100 * row['standard error']:.1f} ({100 * row['part rejected']:.0f})"
            )
        lines.append("| " + " | ".join([method, *cells]) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    begin, rows = time.process_time(), []
    for k in REPEATS:
        for scenario in SHIFT:
            rows += measure(k, scenario, seed)
            print(k, scenario, f"{time.process_time() - begin:.0f} s", flush=True)
    (HERE / "results" / "best_of_k.json").write_text(json.dumps(rows, indent=1) + "\n")
    text = (
        "# The best of k candidates\n\n`python benchmarks/best_of_k.py`. How often the truly best candidate is rejected, in per cent ± one standard error; in "
        "brackets the part of all candidates that is rejected. 500 points, 4 simulations, threshold 0.95, no calibration. "
        f"{time.process_time() - begin:.0f} s of processor time.\n\n"
    )
    (HERE / "results" / "best_of_k.md").write_text(text + "\n\n".join(table(rows, name) for name in SHIFT) + "\n")


if __name__ == "__main__":
    main()
