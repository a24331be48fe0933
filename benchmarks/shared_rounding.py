"""Corrected neuron calibrations decide every experiment. Is it because the data and the candidate that made them share their rounding errors?

    python benchmarks/shared_rounding.py [--experiments 24]

With the documented constants several cells amplify a change of 1e-12 to millivolts within seconds, even with the accurate solver. Here the candidates are integrated with a first step
that differs from that of the recording by one part in 1e12; nothing else changes. Writes results/shared_rounding.json and .md.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from rivals_paper.neuron_runs import C_MAIN, N_DATA, N_TRUTH

from rivals import Experiment, calibrate
from rivals.testbeds.pyloric import ACCURATE, Condition, Corrected, NeuronModel, Recording, Solver, fit

RESULTS: Final = Path(__file__).parent / "results"
CONDITIONS: Final = tuple(Condition(pair) for pair in (("A", "B"), ("A", "D"), ("C", "D")))
CONSTANTS: Final = {"corrected": "prinz2004"}
OTHER: Final = replace(ACCURATE, first_step=ACCURATE.first_step * (1 + 1e-12))


@dataclass(frozen=True)
class Rounded:
    """`Corrected`, with candidates of another rounding; which candidate made the data is told by the index of the truth."""

    condition: Condition
    constants: str
    solver: Solver

    def __call__(self, rng: np.random.Generator) -> Experiment:
        """Draw an experiment."""
        experiment = Corrected(self.condition, variant=self.constants)(rng)
        refit = partial(_fit_pair, self.condition.cells, solver=self.solver, variant=self.constants)
        return Experiment(observe=experiment.observe, candidates=refit)


def _fit_pair(
    cells: tuple[str, str], data: Recording, *, solver: Solver, variant: str
) -> tuple[NeuronModel, NeuronModel]:
    first, second = (fit(data, cell, driven=True, solver=solver, variant=variant) for cell in cells)
    return first, second


def main() -> None:
    """Run, summarise, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--experiments", type=int, default=24)
    count = parser.parse_args().experiments
    rows = []
    for variant, constants in CONSTANTS.items():
        for condition in CONDITIONS:
            for name, solver in (("shared", ACCURATE), ("other", OTHER)):
                calibration = calibrate(
                    {condition.key: Rounded(condition, constants, solver)}, law="beta", n_simulations=1, depth=8, n_data=N_DATA,
                    n_synthetic=N_DATA, n_truth=N_TRUTH, n_experiments=count, c=C_MAIN, rng=7, executor=0, progress=False,
                )  # fmt: skip
                rows.append(
                    {
                        "variant": variant,
                        "pair": " vs ".join(condition.pair),
                        "rounding": name,
                        **summary(calibration.records),
                    }
                )
                print(json.dumps(rows[-1]), flush=True)
    (RESULTS / "shared_rounding.json").write_text(json.dumps({"experiments": count, "rows": rows}, indent=1) + "\n")
    (RESULTS / "shared_rounding.md").write_text(page(count, rows))


def summary(records: Any) -> dict[str, Any]:
    """Typical difference of the true risks, and at each c how often B is on the right side, how often beyond 0.95, and how often that is wrong."""
    found: dict[str, Any] = {
        "median |difference of risks|": float(np.median(np.abs(records["risk_a"] - records["risk_b"])))
    }
    for c in C_MAIN:
        each = records[records["c"] == c]
        b, better = each["probability"], each["risk_a"] < each["risk_b"]
        stated = np.abs(b - 0.5) > 0.45
        found[f"right at 2^{np.log2(c):.0f}"] = float(np.mean((b > 0.5) == better))
        found[f"stated at 2^{np.log2(c):.0f}"] = float(np.mean(stated))
        found[f"wrong at 2^{np.log2(c):.0f}"] = int(np.sum(stated & ((b > 0.5) != better)))
    return found


def page(count: int, rows: list[dict[str, Any]]) -> str:
    """As a page."""
    lines = [
        "# Corrected neuron calibrations, with rounding errors shared and not",
        "",
        f"Written by `python benchmarks/shared_rounding.py`. {count} experiments of each pair (Gaussian noise, low, short, weak), law beta. Shared: the candidates are integrated exactly as the",
        "recording was. Other: with a first step that differs by one part in 1e12. Right: share of experiments with B on the right side of ½; stated: beyond 0.05 and 0.95; wrong: number of these that are.",
        "",
        "| variant | pair | rounding | median difference of risks | right at 2⁻² | stated | wrong | right at 2⁰ | stated | wrong |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        cells = [
            f"{row[f'right at 2^{k}']:.2f} | {row[f'stated at 2^{k}']:.2f} | {row[f'wrong at 2^{k}']}" for k in (-2, 0)
        ]
        lines.append(
            f"| {row['variant']} | {row['pair']} | {row['rounding']} | {row['median |difference of risks|']:.2f} | {' | '.join(cells)} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
