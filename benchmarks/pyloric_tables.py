"""The tables of docs/corrections-neurons.md: what the constants do to the spikes, and the solver to the voltages.

    python benchmarks/pyloric_tables.py

Writes benchmarks/results/pyloric-tables.md (a minute).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from rivals.testbeds.noise import ColouredNoise
from rivals.testbeds.pyloric import ACCURATE, LOOSE, Solver, pair, settled, simulate
from rivals.testbeds.pyloric.variants import VARIANTS

RESULTS = Path(__file__).resolve().parent / "results" / "pyloric-tables.md"
FOLLOWERS = [f"LP {k}" for k in range(1, 6)]
TIMES = np.arange(3000.0, 7000.0)
RUNS = 5


def main() -> None:
    """Compute both, print and write them."""
    text = f"{spikes()}\n\n{growth()}\n"
    RESULTS.write_text(text)
    print(text)


def spikes() -> str:
    """Spikes from 3 to 7 s, one constant after the other taken from "prinz2004"."""
    published, documented = VARIANTS["published"], VARIANTS["prinz2004"]
    inside = {"activation_scale": documented.activation_scale, "activation_width": documented.activation_width}
    # The name of a variant decides on the sign of the reversal potentials.
    inhibiting = {"name": "prinz2004"}
    rows = {
        '`"published"`': published,
        "Δ inside the exponential of s∞": replace(published, **inside),
        "synapse reversal −70 mV": replace(published, **inhibiting),
        "both of these": replace(published, **inside, **inhibiting),
        "both, and 3 nS instead of 3 mS/cm²": replace(
            published, **inside, **inhibiting, synapse_unit=documented.synapse_unit
        ),
        "no synapse": replace(published, synapse_unit=0.0),
        "calcium influx times the membrane area": replace(published, calcium_influx=documented.calcium_influx),
        '`"prinz2004"` (all)': documented,
    }
    lines = [f"| constants | AB | {' | '.join(FOLLOWERS)} |", "| --- " * 7 + "|"]
    for label, variant in rows.items():
        VARIANTS[label] = variant
        counts = [count_spikes(simulate(pair(cell, label), TIMES, solver=ACCURATE)) for cell in FOLLOWERS]
        lines.append(f"| {label} | {counts[0][0]} | {' | '.join(str(follower) for _, follower in counts)} |")
    return "\n".join(lines)


def count_spikes(voltages: np.ndarray) -> list[int]:
    """Upward crossings of 0 mV of each cell."""
    return [int(np.count_nonzero((v[:-1] < 0) & (v[1:] >= 0))) for v in voltages]


def growth() -> str:
    """Root mean square difference (mV) of the follower's voltage from the run without input, median of runs."""
    lines = [f"| solver | change | {' | '.join(FOLLOWERS)} |", "| --- " * 7 + "|"]
    for name, solver in (("loose", LOOSE), ("accurate", ACCURATE)):
        for label, strength in (
            ("1e-12 of the initial state", None),
            ("weak input (τ 1.4 ms, 3e-7)", 3e-7),
            ("strong input (τ 1.4 ms, 4.5e-5)", 4.5e-5),
        ):
            found = [
                np.median([difference(cell, solver, strength, seed) for seed in range(RUNS)]) for cell in FOLLOWERS
            ]
            lines.append(f"| {name} | {label} | {' | '.join(f'{value:.2g}' for value in found)} |")
    return "\n".join(lines)


def difference(cell: str, solver: Solver, strength: float | None, seed: int) -> float:
    """Of one run: with a changed initial state, or with an input."""
    circuit = pair(cell)
    state = settled(circuit, solver=solver)
    quiet = simulate(circuit, TIMES, solver=solver)[1]
    if strength is None:
        state = state * (1 + 1e-12 * np.random.default_rng(seed).standard_normal(state.size))
        changed = simulate(circuit, TIMES, solver=solver, initial=state)[1]
    else:
        changed = simulate(circuit, TIMES, solver=solver, current=ColouredNoise(1.4, strength, TIMES[-1], rng=seed))[1]
    return float(np.sqrt(np.mean((changed - quiet) ** 2)))


if __name__ == "__main__":
    main()
