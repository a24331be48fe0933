"""Do experiments from the GPU follow the same laws as those of the processor? B, fitted noise and truth, condition by condition.

    python benchmarks/gpu_laws.py [--experiments 64]

The processor runs new experiments of three conditions through `calibrate` in the corrected variants; the records of the GPU are those that ship with the paper's package. Both
draw their own random numbers, so only laws can agree: Kolmogorov-Smirnov tests of B at every c, and the share of experiments that the first candidate wins. (As published, every run has rounding
errors of its own; `rivals reproduce neuron-calibration` sets runs side by side.) Writes results/gpu_laws.json and .md.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Final

import numpy as np
from rivals_paper.neuron_runs import C_MAIN, N_DATA, N_TRUTH
from scipy.stats import fisher_exact, ks_2samp

from rivals import calibrate
from rivals.testbeds.pyloric import Condition, Corrected

RECORDS: Final = Path(__file__).parents[1] / "paper" / "src" / "rivals_paper" / "data" / "records"
RESULTS: Final = Path(__file__).parent / "results"
CONDITIONS: Final = (
    Condition(("A", "D"), noise="Cauchy"),
    Condition(("A", "B"), noise="Cauchy", level="high"),
    Condition(("C", "D"), noise="Cauchy", correlation="long", input="strong"),
)
VARIANTS: Final = {"constants as published": "published", "corrected": "prinz2004"}


def main() -> None:
    """Run the processor's experiments, compare, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--experiments", type=int, default=64)
    count = parser.parse_args().experiments
    rows = []
    for variant, constants in VARIANTS.items():
        with np.load(RECORDS / f"{variant.replace(' ', '-')}.npz", allow_pickle=False) as archive:
            records = dict(archive)
        for condition in CONDITIONS:
            calibration = calibrate(
                {condition.key: Corrected(condition, variant=constants)}, law="beta", n_simulations=1, depth=8, n_data=N_DATA,
                n_synthetic=N_DATA, n_truth=N_TRUTH, n_experiments=count, c=C_MAIN, rng=5, executor=0, progress=False,
            )  # fmt: skip
            here = calibration.records
            p = []
            for column, c in enumerate(C_MAIN):
                ours = records[f"{condition.key}/beta"][:, column] / 65535
                p.append(float(ks_2samp(here["probability"][here["c"] == c], ours).pvalue))
            first = here[here["c"] == 1.0]
            wins, gpu_wins = (
                int(np.sum(first["risk_a"] < first["risk_b"])),
                int(np.sum(records[f"{condition.key}/difference"] < 0)),
            )
            total = len(records[f"{condition.key}/difference"])
            table = [[wins, count - wins], [gpu_wins, total - gpu_wins]]
            difference = float(
                ks_2samp(first["risk_a"] - first["risk_b"], records[f"{condition.key}/difference"]).pvalue
            )
            rows.append({"variant": variant, "condition": condition.key, "p of B": p, "p of the difference of the true risks": difference,
                         "p of the truth": float(fisher_exact(table).pvalue)})  # fmt: skip
            print(json.dumps(rows[-1]), flush=True)
    write(count, rows)


def write(count: int, rows: list[dict[str, Any]]) -> None:
    smallest = min(
        p for row in rows for p in (*row["p of B"], row["p of the difference of the true risks"], row["p of the truth"])
    )
    tests = sum(len(row["p of B"]) + 2 for row in rows)
    (RESULTS / "gpu_laws.json").write_text(json.dumps({"experiments": count, "tests": tests, "smallest p": smallest, "rows": rows}, indent=1) + "\n")  # fmt: skip
    lines = [
        "# Experiments from the GPU and from the processor: the same laws?",
        "",
        f"Written by `python benchmarks/gpu_laws.py`. {count} experiments of the processor against 512 of the GPU; p values of Kolmogorov-Smirnov tests of B at c = "
        f"{', '.join(f'2^{np.log2(c):.0f}' for c in C_MAIN)} and of the difference of the true risks, and of Fisher's test of how often the first candidate is better.",
        f"Of {tests} tests the smallest p is {smallest:.3f}.",
        "",
        "| variant | condition | p of B | p of the difference | p of the truth |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        lines.append(f"| {row['variant']} | {row['condition'].replace('|', ', ')} | {', '.join(f'{p:.2f}' for p in row['p of B'])} | {row['p of the difference of the true risks']:.2f} | {row['p of the truth']:.2f} |")  # fmt: skip
    (RESULTS / "gpu_laws.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
