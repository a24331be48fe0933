"""Mean losses of the neuron models on 400 recordings of 400 s of their own cell, for panel c of the
figure `finite-size`; made on a GPU.

    python paper/benchmarks/finite_size.py OUT --variant V        V: "as published", "constants as
    published" or "corrected"

OUT is a folder. Records of a variant are written after every piece of the recordings: an
interrupted run goes on where it was.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Final

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.gpu import simulate as gpu
from rivals_paper.gpu.records import Clock, free, word
from rivals_paper.pyloric import ACCURATE, LABELS, LOOSE, sample_times
from rivals_paper.pyloric.circuit import pair

# Fitted to 40 s of LP 1 with the seed of the example, candidates without input, loosely integrated
# and truncated: as the original study did for panel c of its figure.
SIGMA_FINITE_SIZE: Final = {
    "A": 22.022987791718034,
    "B": 20.63370027705015,
    "C": 24.82303875607496,
    "D": 24.393924165817996,
}
RECORDINGS = 400
LENGTHS = (400, 4_000, 40_000, 400_000)
PIECE: Final = 20_000  # ms integrated at a time
CIRCUITS: Final = {"constants as published": "published", "corrected": "prinz2004"}


SEED: Final = 20250611


def finite_size(folder: Path, variant: str) -> None:
    """Mean losses of models on 400 long recordings of their own cell: panel c of the figure.

    As published the recording has input and the model that judges it has none. Otherwise the model
    gets the input, and the recording has rounding errors of its own; the noise of the model is then
    that of all its recordings. Integrated in pieces, saved after each.
    """
    cp = gpu.cupy()
    clock = Clock()
    path = folder / f"finite-size-{variant.replace(' ', '-')}.npz"
    names = sorted(SIGMA_FINITE_SIZE)
    quiet = variant == "as published"
    solver, constants = (LOOSE, "published") if quiet else (ACCURATE, CIRCUITS[variant])
    count = RECORDINGS * len(names)
    kinds = np.repeat(np.arange(len(names)), RECORDINGS)
    judges = (
        np.arange(len(names)) if quiet else kinds
    )  # without input one judge serves all recordings of a cell
    circuits = [pair(LABELS[names[kind]], constants) for kind in (*kinds, *judges)]
    steps = np.repeat(
        [solver.first_step, solver.with_other_rounding().first_step], [count, len(judges)]
    )
    began = 0.0
    squares = np.full((max(LENGTHS) // PIECE, count, PIECE // min(LENGTHS)), np.nan)
    if path.exists():
        with np.load(path, allow_pickle=False) as archive:
            began = float(archive["time"])
            state = cp.asarray(archive["state"])
            squares = archive["squares"]
    else:
        with clock("settling"):
            state = gpu.settle_many(circuits, solver=solver, first_steps=steps)
    with clock("currents"):
        keys = np.random.default_rng(SEED).integers(2**63, size=count).tolist()
        whole = gpu.coloured_noise(
            np.full(count, 100.0),
            np.full(count, 2.0**-5),
            float(sample_times(max(LENGTHS))[-1]),
            keys,
        )
        first = cp.concatenate(
            [
                whole.first_piece,
                cp.zeros(len(judges), dtype=np.int64) if quiet else whole.first_piece,
            ]
        )
        pieces = cp.concatenate(
            [whole.n_pieces, cp.zeros(len(judges), dtype=np.int32) if quiet else whole.n_pieces]
        )
    start = float(sample_times(1)[0])
    while began < start + max(LENGTHS) - 1:
        times = np.arange(
            1.0, (PIECE if began else start + PIECE - 1) + 1
        )  # the first piece ends with its last sample
        with clock("integrating"):
            # The equations do not know the time, but for the current: each piece begins at 0, and
            # the current before it.
            grids = cp.tile(cp.asarray([-began, 100.0]), (len(circuits), 1))
            moved = gpu.Currents(whole.coefficients, first, pieces, grids)
            v, state = gpu._integrate(circuits, times, state, moved, solver, steps)
            v = v[:, 1, -PIECE:]
            clock.work(len(circuits) * float(times[-1]) / 1000)
        number = round((began + times[-1] + 1 - start) / PIECE) - 1
        with clock("losses"):
            rng = cp.random.RandomState(word(SEED, number))
            for k in range(len(names)):
                mine = slice(k * RECORDINGS, (k + 1) * RECORDINGS)
                recorded = cp.clip(
                    v[mine] + 2.0 * rng.standard_normal((RECORDINGS, PIECE)), -128.0, 127.0
                )
                recorded = cp.trunc(recorded) if quiet else cp.rint(recorded)
                difference = recorded - (v[count + k] if quiet else v[count:][mine])
                squares[number, mine] = (
                    (difference**2).reshape(RECORDINGS, -1, min(LENGTHS)).mean(axis=2).get()
                )
        began += float(times[-1])
        np.savez_compressed(path, time=np.array(began), state=state.get(), squares=squares)
        print(f"finite-size, {variant}, {began / 1000:.0f} s: {clock}", flush=True)
        free()
    np.savez_compressed(
        folder / path.name.replace(".npz", "-risks.npz"), **risks_of(squares, variant, names)
    )
    (folder / path.name.replace(".npz", "-times.json")).write_text(
        json.dumps(clock.report(), indent=1)
    )


def risks_of(squares: FloatArray, variant: str, names: list[str]) -> dict[str, Any]:
    """Mean losses by length, (recordings, lengths), from squared errors averaged over stretches of
    the smallest length.
    """
    found: dict[str, Any] = {}
    for k, name in enumerate(names):
        own = squares.swapaxes(0, 1)[k * RECORDINGS : (k + 1) * RECORDINGS].reshape(RECORDINGS, -1)
        sigma = SIGMA_FINITE_SIZE[name] if variant == "as published" else float(np.sqrt(own.mean()))
        means = np.stack(
            [own[:, : length // min(LENGTHS)].mean(axis=1) for length in LENGTHS], axis=1
        )
        found[f"{variant}/{name}/risks"] = np.log(np.sqrt(2 * np.pi) * sigma) + means / (
            2 * sigma**2
        )
        found[f"{variant}/{name}/sigma"] = np.array(sigma)
    return found


def main() -> None:
    """Run one variant."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--variant", choices=("as published", *CIRCUITS), required=True)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    finite_size(asked.folder, asked.variant)


if __name__ == "__main__":
    main()
