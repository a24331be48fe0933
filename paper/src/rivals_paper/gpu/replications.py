"""The neuron calibration whose truth is a replication: Ω is drawn anew between data and truth.

The other calibrations ask which model is better on new recordings *of the same process*. Here the
cell stays, and everything that Ω describes is drawn anew: observation noise, strength and
correlation time of the input. With them change the input, the noise, and the rounding errors: the
state in which the cell is when a recording begins. The models stay as they were fitted.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from rivals_paper import seeds
from rivals_paper.arrays import FloatArray
from rivals_paper.gpu import simulate as gpu
from rivals_paper.gpu.recordings import (
    DATA,
    FIRST_FRESH,
    FIT,
    FRESH,
    N_DATA,
    Asked,
    traces,
)
from rivals_paper.gpu.records import (
    C_BETWEEN,
    LONG,
    LONG_ONE,
    RESIDENT,
    SEED,
    VARIANTS,
    Clock,
    ask,
    coded,
    count_of,
    free,
    judged,
    word,
)
from rivals_paper.neuron_runs import C_MAIN, COUNT_ALL, MAIN
from rivals_paper.pyloric import Condition
from rivals_paper.pyloric.epistemic import COPIES

SAME: Final = 2  # fresh recordings of the same process


class Wanted(NamedTuple):
    """One recording of one experiment: whose, of what, and which."""

    experiment: int
    asked: Asked
    recording: int


def record(folder: Path, name: str, limit: int | None = None) -> None:
    """Simulate and judge the experiments of the six main conditions, and their replications."""
    folder.mkdir(parents=True, exist_ok=True)
    variant = VARIANTS[name]
    rows = [
        (condition, index)
        for condition in sorted(MAIN, key=lambda each: each.cells)
        for index in range(count_of(condition, limit))
    ]
    clock = Clock()
    wanted = [one for place, row in enumerate(rows) for one in recordings_of(place, *row, variant)]
    squares, data = _simulated(wanted, variant, clock)
    sigma = np.sqrt(_of(wanted, squares, FIT, len(rows)))
    with clock("judging"):
        found = judged(data, gpu.cupy().asarray(sigma), seed=word(SEED, len(rows)))
    differences = _differences(wanted, squares, sigma)
    found["same"] = differences[:, :SAME]
    found["difference"] = differences[:, SAME:]
    _save(folder / f"replications-{name}.npz", rows, found)
    (folder / f"replications-{name}-times.json").write_text(json.dumps(clock.report(), indent=1))
    print(f"replications, {name}: {clock}", flush=True)


def recordings_of(
    place: int, condition: Condition, index: int, variant: str = "published"
) -> list[Wanted]:
    """All recordings of an experiment: fit, data, SAME of the same process, FRESH of another.

    Examples
    --------
    >>> from rivals_paper.neuron_runs import MAIN
    >>> fit, data, *truth = recordings_of(0, MAIN[0], 3)
    >>> [each.asked == data.asked for each in truth]
    [True, True, False, False, False, False]
    >>> [each.asked.copy == data.asked.copy for each in truth]
    [True, True, False, False, False, False]
    >>> {each.asked.drawn.cell for each in truth} == {data.asked.drawn.cell}
    True
    """
    first, other = replication(condition, index, ask(condition, index, variant))
    numbers = [FIT, DATA, *range(FIRST_FRESH, FIRST_FRESH + SAME)]
    own = [Wanted(place, first, number) for number in numbers]
    return own + [Wanted(place, other, FIRST_FRESH + k) for k in range(FRESH)]


def replication(condition: Condition, index: int, first: Asked) -> tuple[Asked, Asked]:
    """The experiment, and the same cell under another draw from Ω, with other rounding errors."""
    spawned = (*seeds.words(condition.key), index, 1)
    rng = np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=spawned))
    drawn = condition.draw(rng)._replace(cell=first.drawn.cell)
    key = int(rng.integers(2**63))
    copy = int(rng.integers(COPIES))
    further = int(rng.integers(1, COPIES))
    other = first._replace(drawn=drawn, key=key, copy=1 + (copy + further) % COPIES)
    return first._replace(copy=1 + copy), other


def _simulated(wanted: Sequence[Wanted], variant: str, clock: Clock) -> tuple[FloatArray, Any]:
    """Mean squared residuals of both candidates in every recording, and all those of the data."""
    cp = gpu.cupy()
    squares = np.empty((len(wanted), 2))
    data = cp.empty((1 + wanted[-1].experiment, 2, N_DATA))
    size = RESIDENT // 3
    for begin in range(0, len(wanted), size):
        here = wanted[begin : begin + size]
        with clock(f"integrating {N_DATA} ms"):
            v, recorded = traces(
                [each.asked for each in here],
                variant,
                np.array([each.recording for each in here]),
            )
        clock.work(3 * len(here) * (3000 + N_DATA) / 1000)
        residual = cp.stack([recorded - v[which] for which in range(2)], axis=1)
        squares[begin : begin + size] = cp.mean(residual**2, axis=2).get()
        judged_ones = [k for k, each in enumerate(here) if each.recording == DATA]
        places = [here[k].experiment for k in judged_ones]
        data[cp.asarray(places)] = residual[cp.asarray(judged_ones)]
        del v, recorded, residual
        free()
        print(f"{begin + len(here)} of {len(wanted)} recordings: {clock}", flush=True)
    return squares, data


def _of(wanted: Sequence[Wanted], squares: FloatArray, recording: int, count: int) -> FloatArray:
    """Those of one recording of each experiment, in their order."""
    chosen = [place for place, each in enumerate(wanted) if each.recording == recording]
    assert [wanted[place].experiment for place in chosen] == list(range(count))
    return squares[chosen]


def _differences(wanted: Sequence[Wanted], squares: FloatArray, sigma: FloatArray) -> FloatArray:
    """Risk of the first candidate less that of the second in all recordings that tell the truth.

    (experiments, SAME + FRESH): those of the same process, then those of the replication.
    """
    chosen = [place for place, each in enumerate(wanted) if each.recording >= FIRST_FRESH]
    own = squares[chosen].reshape(len(sigma), -1, 2)
    risk = own / (2 * sigma[:, None] ** 2) + np.log(sigma)[:, None]
    return np.asarray(risk[..., 0] - risk[..., 1])


def _save(file: Path, rows: Sequence[tuple[Condition, int]], found: dict[str, Any]) -> None:
    """By condition, as `rivals_paper.records` reads it."""
    columns = len(C_MAIN)
    merged: dict[str, Any] = {"c": np.array(C_MAIN), "c_between": np.array(C_BETWEEN)}
    for condition in MAIN:
        here = [place for place, row in enumerate(rows) if row[0] == condition]
        for law in ("beta", "transport"):
            merged[f"{condition.key}/{law}"] = coded(found[law][here, :columns])
            merged[f"{condition.key}/{law}_between"] = coded(found[law][here, columns:])
        for name in ("ratio", "same", "difference"):
            merged[f"{condition.key}/{name}"] = found[name][here].astype(np.float32)
    np.savez_compressed(file, **merged)


def drift(folder: Path, limit: int | None = None) -> None:
    """How models run out of step with the long recordings of the records: the documented constants.

    Mean squared residuals (mV²) of both candidates in every 1024 ms of 16 384, and in the
    recordings to which widths were fitted, for the first experiments of the six main conditions.
    """
    count = min(COUNT_ALL, limit or COUNT_ALL)
    variant = VARIANTS["corrected"]
    asked = {each.key: [ask(each, k, variant) for k in range(count)] for each in MAIN}
    together = [one for key in sorted(asked) for one in asked[key]]
    found = {}
    cp = gpu.cupy()
    for name, recording, n in (("fit", FIT, N_DATA), ("long", LONG_ONE, LONG)):
        v, recorded = traces(together, variant, recording, n)
        residual = cp.stack([recorded - v[which] for which in range(2)], axis=1)
        windows = residual.reshape(len(together), 2, 1 if name == "fit" else LONG // 1024, -1)
        found[name] = cp.mean(windows**2, axis=3).get()
        del v, recorded, residual, windows
        free()
    parts = {name: np.split(found[name], len(MAIN)) for name in found}
    arrays: dict[str, Any] = {
        f"{key}/{name}": parts[name][place].astype(np.float32)
        for place, key in enumerate(sorted(asked))
        for name in parts
    }
    np.savez_compressed(folder / "drift.npz", **arrays)
