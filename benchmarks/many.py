"""How the cost of a comparison grows with the number of candidates: time and memory, each case in a
process of its own.

Run `python benchmarks/many.py`; it takes about twenty minutes and writes results/many.md and
results/many.json. One case alone: `python benchmarks/many.py beta 100 2000 1 kept`.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import rivals

RESULTS = Path(__file__).parent / "results"

# law, candidates, losses of each, simulations, whether their losses are kept, part of the
# candidates near the threshold
CASES: list[tuple[str, int, int, int, str, float]] = [
    ("transport", 100, 2000, 16, "kept", 1.0),
    ("transport", 1_000, 2000, 16, "kept", 1.0),
    ("transport", 10_000, 2000, 16, "kept", 1.0),
    ("transport", 10_000, 2000, 16, "in turn", 1.0),
    ("beta", 100, 4000, 1, "kept", 0.1),
    ("beta", 1_000, 4000, 1, "kept", 0.1),
    ("beta", 100, 2000, 1, "kept", 1.0),
    ("beta", 1_000, 2000, 1, "kept", 1.0),
    ("beta", 10_000, 2000, 1, "kept", 1.0),
    ("beta", 10_000, 2000, 1, "in turn", 1.0),
    ("beta", 10_000, 2000, 16, "in turn", 1.0),
]
# Under law "beta" the c at which a good part of these candidates is rejected and another is not.
C = {"transport": 0.125, "beta": 2.0**-4}

INTRODUCTION = (
    "# Many candidates\n\n`python benchmarks/many.py`, on two cores. Memory is the peak of the "
    "whole process, the losses of the caller included where they are kept. “In turn”: a generator "
    "makes the losses of each model, and `keep_simulations=False` forgets its simulations before "
    "the next; the time to make them is taken off.\n\n"
)


def candidates(
    n_models: int, n_losses: int, n_simulations: int, near: float
) -> Iterator[tuple[str, rivals.Losses]]:
    """Losses that share most of what happened at each point; all models are somewhat too wide.

    With `near` = 1 the excess risks are spread evenly up to 30 %. Otherwise that part of the models
    lies where it is hard to say whether they are rejected, and the rest far above.
    """
    rng = np.random.default_rng(0)
    common = rng.exponential(size=n_losses)
    for index in range(n_models):
        if near == 1.0:
            excess = 0.3 * rng.random()
        elif index == 0:
            excess = 0.0
        else:
            excess = (
                0.05 + 0.02 * rng.random() if index <= near * n_models else 0.5 + 0.5 * rng.random()
            )
        observed = (1.0 + excess) * (0.7 * common + 0.3 * rng.exponential(size=n_losses))
        parts = rng.exponential(size=(2, n_simulations, n_losses))
        yield (
            f"m{index}",
            rivals.Losses(observed, 1.1 * (1.0 + excess) * (0.7 * parts[0] + 0.3 * parts[1])),
        )


def measure(
    law: Any, n_models: int, n_losses: int, n_simulations: int, kept: str, near: float
) -> dict[str, Any]:
    """One comparison, in this process."""
    models = candidates(n_models, n_losses, n_simulations, near)
    if kept == "kept":
        held = dict(models)
        begin = time.perf_counter()
        processor = time.process_time()
        result = rivals.compare(held, law=law, c=C[law], rng=0)
        making = 0.0
    else:
        making = -time.process_time()
        for _ in candidates(n_models // 10, n_losses, n_simulations, near):
            pass
        making = 10.0 * (
            making + time.process_time()
        )  # to make the losses, which is not part of the comparison
        begin = time.perf_counter()
        processor = time.process_time()
        result = rivals.compare(models, law=law, c=C[law], keep_simulations=False, rng=0)
    return {
        "law": law,
        "candidates": n_models,
        "losses": n_losses,
        "simulations": n_simulations,
        "simulated losses": kept,
        "near the threshold": near,
        "seconds": time.perf_counter() - begin - making,
        "processor seconds": time.process_time() - processor - making,
        "GiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "survivors": len(result.survivors),
        "undecided": len(result.undecided),
    }


def in_a_process(case: tuple[Any, ...]) -> dict[str, Any]:
    """The same in a process of its own, so that its memory is its own."""
    command = [sys.executable, __file__, *map(str, case)]
    found: dict[str, Any] = json.loads(
        subprocess.run(command, check=True, capture_output=True, text=True).stdout
    )
    print(found, flush=True)
    return found


def table(found: list[dict[str, Any]]) -> str:
    """As Markdown."""
    columns = list(found[0])
    lines = ["| " + " | ".join(columns) + " |", "| " + " | ".join("---" for _ in columns) + " |"]
    for row in found:
        cells = [
            f"{value:.3g}" if isinstance(value, float) else str(value) for value in row.values()
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """All cases, or the one that is named."""
    if len(sys.argv) > 1:
        law, n_models, n_losses, n_simulations, kept, *near = sys.argv[1:]
        sizes = int(n_models), int(n_losses), int(n_simulations)
        print(json.dumps(measure(law, *sizes, kept, float(near[0]) if near else 1.0)))
        return
    found = [in_a_process(case) for case in CASES]
    (RESULTS / "many.json").write_text(json.dumps(found, indent=1) + "\n")
    (RESULTS / "many.md").write_text(INTRODUCTION + table(found) + "\n")


if __name__ == "__main__":
    main()
