"""How long the neuron records took on the GPU, stage by stage, beside what the device could do, the processor's rate and the original's.

    python benchmarks/neuron_times.py

Reads what `neuron_records.py` has written into results/neuron_times (each variant was made in two runs: the first met its time limit, and the second went on where it had
ended), results/gpu.json (limits of the device) and results/pyloric.json (original simulator); measures evaluations per simulated second and the rate of one core here.
Writes results/neuron_records.json and .md.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Final

import numpy as np

from rivals.testbeds.pyloric import ACCURATE, LOOSE, Solver
from rivals.testbeds.pyloric.circuit import pair
from rivals.testbeds.pyloric.integrate import integrate
from rivals.testbeds.pyloric.simulate import settled

RESULTS: Final = Path(__file__).parent / "results"
VARIANTS: Final = {
    "as published": ("as-published", "published", LOOSE),
    "constants as published": ("constants-as-published", "published", ACCURATE),
    "corrected": ("corrected", "prinz2004", ACCURATE),
}
COPIES: Final = {"as published": 8}
EXPERIMENTS: Final = 33_792
CELLS: Final = ("LP 2", "LP 3", "LP 4", "LP 5")
# Operations of double precision in one evaluation of the right-hand side of two cells, counted in its source: 98 exponentials of about 20, and about 900 others.
OPERATIONS: Final = 98 * 20 + 900
SECONDS: Final = 3.0  # simulated, to count evaluations


def main() -> None:
    """Measure, gather, write."""
    limits = json.loads((RESULTS / "gpu.json").read_text())["limits"]
    original = json.loads((RESULTS / "pyloric.json").read_text())["side by side"]
    slower = [row["times wall"] for row in original]
    variants = {}
    for name, (file, constants, solver) in VARIANTS.items():
        runs = [json.loads(path.read_text()) for path in sorted((RESULTS / "neuron_times").glob(f"{file}-[12].json"))]
        stages = {
            stage: sum(run["stages s"].get(stage, 0.0) for run in runs) for run in runs for stage in run["stages s"]
        }
        integration = sum(seconds for stage, seconds in stages.items() if stage.startswith("integrating"))
        simulated = sum(run["simulated s"] for run in runs)
        evaluations, rate = on_the_processor(constants, solver)
        device = simulated / integration
        variants[name] = {
            "total s": sum(run["total s"] for run in runs),
            "stages s": stages,
            "simulated s": simulated,
            "simulated s per s of integration": device,
            "evaluations per simulated s": evaluations,
            "TFLOP/s": device * evaluations * OPERATIONS / 1e12,
            "share of the double-precision limit": device * evaluations * OPERATIONS / 1e12 / limits["double precision TFLOP/s"],
            "simulated s per s of one core here": rate,
            "times one core here": device / rate,
        }  # fmt: skip
    content = {
        "limits": limits,
        "original slower than one core here, times": [min(slower), max(slower)],
        "variants": variants,
    }
    (RESULTS / "neuron_records.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    (RESULTS / "neuron_records.md").write_text(page(content))
    print(page(content))


def on_the_processor(constants: str, solver: Solver) -> tuple[float, float]:
    """Evaluations per simulated second, and simulated seconds per second of one core: means over the cells of the candidates."""
    evaluations, rates = [], []
    times = np.arange(1.0, 1000 * SECONDS + 1)
    for cell in CELLS:
        circuit = pair(cell, constants)
        state = settled(circuit, solver=solver)
        began = time.process_time()
        run = integrate(circuit, state, times, solver=solver)
        rates.append(SECONDS / (time.process_time() - began))
        evaluations.append(run.evaluations / SECONDS)
    return float(np.mean(evaluations)), float(np.mean(rates))


def page(content: dict[str, Any]) -> str:
    """As a page."""
    low, high = content["original slower than one core here, times"]
    lines = [
        "# Neuron records on one H200: time of every stage",
        "",
        f"Written by `python benchmarks/neuron_times.py`. {EXPERIMENTS} experiments of each variant: a recording of 4 s and one of 16.4 s for the truth, each after 3 s, as",
        "published in eight copies that differ by rounding. Waiting for the original random numbers is short because they are drawn on the processor while the GPU integrates.",
        "",
    ]
    stages = list(dict.fromkeys(stage for each in content["variants"].values() for stage in each["stages s"]))
    lines += ["| seconds | " + " | ".join(content["variants"]) + " |", "| --- " * (1 + len(content["variants"])) + "|"]
    for stage in stages:
        cells = [each["stages s"].get(stage) for each in content["variants"].values()]
        lines.append(f"| {stage} | " + " | ".join("–" if cell is None else f"{cell:.1f}" for cell in cells) + " |")
    lines.append("| all | " + " | ".join(f"{each['total s']:.0f}" for each in content["variants"].values()) + " |")
    lines.append("")
    for name, each in content["variants"].items():
        lines.append(
            f"- **{name}**: {each['simulated s'] / 1e6:.2f} million simulated seconds at {each['simulated s per s of integration']:.0f} per second, "
            f"{each['times one core here']:.0f} times one core of the machine that wrote this page ({each['simulated s per s of one core here']:.0f} per second). "
            f"{each['evaluations per simulated s']:.0f} evaluations per simulated second make {each['TFLOP/s']:.2f} TFLOP/s, "
            f"{100 * each['share of the double-precision limit']:.1f} % of the {content['limits']['double precision TFLOP/s']:.1f} that the device reaches: "
            "each thread is a chain of dependent operations with 255 registers, so that only 8 of 64 warps fit on a processor."
        )  # fmt: skip
    lines += ["", finite_size()]
    lines += ["", f"The original simulator takes {low:.0f} to {high:.0f} times as long as one core here (results/pyloric.json).", ""]  # fmt: skip
    return "\n".join(lines)


def finite_size() -> str:
    """How long the recordings of 400 s took."""
    run = json.loads((RESULTS / "neuron_times" / "finite-size.json").read_text())
    return (
        f"Finite size: 400 recordings of 400 s by each of four cells as published took {run['total s']:.0f} s, beside those of both other variants on the same device: one thread needs "
        "longer than the recording, and few threads leave the device idle."
    )


if __name__ == "__main__":
    main()
