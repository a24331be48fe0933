"""Records of the corrected neuron calibrations at the paper's own size.

48 conditions × 512 experiments, the six of the main figure × 2048.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from rivals import compare
from rivals_paper import seeds
from rivals_paper.arrays import FloatArray
from rivals_paper.gpu import judge
from rivals_paper.gpu import simulate as gpu
from rivals_paper.gpu.recordings import (
    DATA,
    FIRST_FRESH,
    FIT,
    FRESH,
    N_DATA,
    Asked,
    ExperimentLosses,
    Recordings,
    spike_trains,
    traces,
    widths,
)
from rivals_paper.method import ALGORITHM
from rivals_paper.neuron_runs import C_MAIN, COUNT_ALL, COUNT_MAIN, MAIN
from rivals_paper.pyloric import Condition, conditions
from rivals_paper.streams import stream

RESIDENT: Final = (
    33_792  # threads that an H200 holds: 132 processors, 256 each with their 255 registers
)
C_BETWEEN: Final = (2.0, 8.0)  # where the paper tried nothing
SIMULATIONS: Final = 16  # under method "transport"
SEED: Final = 20261116
ROWS: Final = 4096  # judged at a time
LONG: Final = 16_384  # ms of the recording that told the truth in the original study
LONG_ONE: Final = FIRST_FRESH + FRESH
SPIKES_OF: Final = COUNT_ALL  # experiments of each main condition whose spikes are kept
CHECKED: Final = 64  # experiments that the library judges, too
VARIANTS: Final = {"constants-as-published": "published", "corrected": "prinz2004"}


def record(folder: Path, name: str, limit: int | None = None) -> None:
    """Simulate and judge all experiments of a variant, part by part.

    What is in the folder already is not done again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    clock = Clock()
    variant = VARIANTS[name]
    wanted = [
        (condition, index)
        for condition in conditions()
        for index in range(count_of(condition, limit))
    ]
    parts = -(-3 * len(wanted) // RESIDENT)
    for part in range(parts):
        file = folder / f"{name}-{part}.npz"
        if not file.exists():
            rows = sorted(
                wanted[part::parts], key=lambda row: row[0].cells
            )  # alike ones take their steps together
            found: dict[str, Any] = {
                "key": np.array([row[0].key for row in rows]),
                "index": np.array([row[1] for row in rows]),
            }
            np.savez_compressed(file, **found, **_part(rows, variant, clock))
        print(f"{name}, part {part + 1} of {parts}: {clock}", flush=True)
        (folder / f"{name}-times.json").write_text(json.dumps(clock.report(), indent=1))
    _merge(folder, name, parts)


def ask(condition: Condition, index: int, variant: str) -> Asked:
    """Experiment number `index` of a condition.

    Both variants have the same parameters, inputs, noises and kinds of rounding errors.
    """
    sequence = np.random.SeedSequence(SEED, spawn_key=(*seeds.words(condition.key), index))
    return Recordings(condition, variant).ask(np.random.default_rng(sequence))


def count_of(condition: Condition, limit: int | None) -> int:
    """How many experiments of a condition there are."""
    count = COUNT_MAIN if condition in MAIN else COUNT_ALL
    return min(count, limit or count)


def _part(rows: list[tuple[Condition, int]], variant: str, clock: Clock) -> dict[str, Any]:
    """Everything that is kept of some experiments."""
    asked = [ask(*row, variant) for row in rows]
    main = [place for place, (condition, _) in enumerate(rows) if condition in MAIN]
    spiking = [place for place in main if rows[place][1] < SPIKES_OF]
    found: dict[str, Any] = {"main": np.array(main), "spiking": np.array(spiking)}
    trains = []
    differences = []

    def residuals(recording: int) -> Any:
        cp = gpu.cupy()
        with clock("integrating 4000 ms"):
            v, recorded = traces(asked, variant, recording)
        clock.work(3 * len(asked) * (3000 + N_DATA) / 1000)
        with clock("spikes"):
            some = cp.asarray(np.array(spiking, dtype=int))
            trains.append(
                np.stack([spike_trains(each[some]) for each in (v[0], v[1], recorded)], axis=1)
            )
        return cp.stack([recorded - v[which] for which in range(2)], axis=1)

    sigma = widths(residuals(FIT))
    free()
    data = residuals(DATA)
    with clock("judging"):
        found |= judged(data, sigma, seed=word(SEED, rows[0][1], len(rows)))
    del data
    free()
    for k in range(FRESH):
        differences.append(_risk_difference(residuals(FIRST_FRESH + k), sigma).get())
        free()
    found |= {"difference": np.stack(differences, axis=1), "spikes": np.stack(trains, axis=1)}
    if main:
        with clock(f"integrating {LONG} ms"):
            v, recorded = traces([asked[place] for place in main], variant, LONG_ONE, LONG)
            own = gpu.cupy().stack([recorded - v[which] for which in range(2)], axis=1)
            found["long"] = _risk_difference(own, sigma[gpu.cupy().asarray(np.array(main))]).get()
        clock.work(3 * len(main) * (3000 + LONG) / 1000)
        del v, recorded, own
        free()
    return found


def judged(residual: Any, sigma: Any, *, seed: int) -> dict[str, Any]:
    """B by both laws and B^Q, and ln(σ_b / σ_a)."""
    cp = gpu.cupy()
    ratio = cp.log(sigma[:, 1] / sigma[:, 0])
    c = (*C_MAIN, *C_BETWEEN)
    found: dict[str, list[FloatArray]] = {"beta": [], "transport": [], "loss_only": []}
    for begin in range(0, len(residual), ROWS):
        here = slice(begin, begin + ROWS)
        losses = residual[here] ** 2 / (2 * sigma[here, :, None] ** 2)
        losses[:, 1] += ratio[here, None]  # relative to ln(σ_a √(2π))
        observed = judge.sorted_rows(losses)
        synthetic = _simulated(len(losses), ratio[here], word(seed, begin, 0))
        found["beta"].append(
            judge.beta_probability(observed, synthetic, c, seed=word(seed, begin, 1)).get()
        )
        squares = cp.zeros(observed.shape[:2])
        for simulation in range(SIMULATIONS):
            other = _simulated(len(observed), ratio[here], word(seed, begin, 2 + simulation))
            squares += cp.mean(cp.abs(other - observed), axis=2) ** 2 / SIMULATIONS
        difference = losses[:, 0] - losses[:, 1]
        variance = difference.var(axis=1, ddof=1) / difference.shape[1]
        found["transport"].append(
            judge.transport_probability(losses.mean(axis=2), squares, variance, c).get()
        )
        found["loss_only"].append(_loss_only(difference).get())
    return {"ratio": ratio.get()} | {key: np.concatenate(each) for key, each in found.items()}


def _simulated(count: int, ratio: Any, seed: int) -> Any:
    """Sorted losses of both candidates on a simulation of their own, (count, 2, N_DATA)."""
    out = judge.sorted_gaussian_losses(2 * count, N_DATA, seed=seed).reshape(count, 2, N_DATA)
    out[:, 1] += ratio[:, None]
    return out


def _loss_only(difference: Any) -> Any:
    """B^Q on the observed losses, (rows, tolerances)."""
    from cupyx.scipy.special import ndtr

    return gpu.cupy().stack(
        [ndtr(-difference / tolerance).mean(axis=1) for tolerance in C_MAIN], axis=1
    )


def _risk_difference(residual: Any, sigma: Any) -> Any:
    """Mean loss of the first candidate less that of the second."""
    cp = gpu.cupy()
    mean = cp.mean(residual**2, axis=2) / (2 * sigma**2) + cp.log(sigma)
    return mean[:, 0] - mean[:, 1]


def word(*keys: int) -> int:
    """A seed of 32 bits."""
    return int(np.random.SeedSequence(keys).generate_state(1)[0])


def _merge(folder: Path, name: str, parts: int) -> None:
    """One file by condition, as `rivals_paper.records` reads it; and the spikes in another."""
    loaded = [np.load(folder / f"{name}-{part}.npz", allow_pickle=False) for part in range(parts)]
    arrays = {
        field: np.concatenate([part[field] for part in loaded])
        for field in ("key", "index", "beta", "transport", "loss_only", "ratio", "difference")
    }
    long = np.concatenate(
        [
            _spread(part["long"], part["main"], len(part["key"]))
            for part in loaded
            if "long" in part.files
        ]
    )
    merged: dict[str, Any] = {
        "c": np.array(C_MAIN),
        "c_between": np.array(C_BETWEEN),
        "depth": np.array(judge.DEPTH),
    }
    trains: dict[str, list[tuple[Any, Any]]] = {}
    for key in dict.fromkeys(arrays["key"].tolist()):
        rows = np.flatnonzero(arrays["key"] == key)
        rows = rows[np.argsort(arrays["index"][rows])]
        for law in ("beta", "transport"):
            merged[f"{key}/{law}"], merged[f"{key}/{law}_between"] = (
                coded(arrays[law][rows][:, columns])
                for columns in (slice(None, len(C_MAIN)), slice(len(C_MAIN), None))
            )
        merged[f"{key}/loss_only"] = coded(arrays["loss_only"][rows])
        merged[f"{key}/ratio"] = arrays["ratio"][rows].astype(np.float32)
        merged[f"{key}/difference"] = arrays["difference"][rows].astype(np.float32)
        if np.isfinite(long[rows]).all():
            merged[f"{key}/long"] = long[rows].astype(np.float32)
    np.savez_compressed(folder / f"{name}.npz", **merged)
    for part in loaded:
        keys = part["key"][part["spiking"]]
        order = part["index"][part["spiking"]]
        for key in dict.fromkeys(keys.tolist()):
            trains.setdefault(key, []).append((order[keys == key], part["spikes"][keys == key]))
    spikes: dict[str, Any] = {}
    for key, each in trains.items():
        order = np.argsort(np.concatenate([indices for indices, _ in each]))
        spikes[key] = np.concatenate([bits for _, bits in each])[order]
    np.savez_compressed(folder / f"{name}-spikes.npz", **spikes)


def _spread(values: Any, places: Any, count: int) -> Any:
    """Values at their places, nan elsewhere."""
    out = np.full(count, np.nan)
    out[places] = values
    return out


def coded(probability: FloatArray) -> Any:
    """A probability in 16 bits."""
    return np.round(probability * 65535).astype(np.uint16)


class Clock:
    """Seconds of every stage, the device's work included, and simulated seconds."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.simulated = 0.0
        self.stages: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        gpu.cupy().cuda.get_current_stream().synchronize()
        self.stages[stage] = self.stages.get(stage, 0.0) + time.perf_counter() - began

    def work(self, seconds: float) -> None:
        """Count simulated seconds."""
        self.simulated += seconds

    def report(self) -> dict[str, Any]:
        """All of it."""
        total = time.perf_counter() - self.began
        return {"total s": total, "stages s": self.stages, "simulated s": self.simulated}

    def __str__(self) -> str:
        stages = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in self.stages.items())
        return (
            f"{time.perf_counter() - self.began:.0f} s in all; {stages}; {self.simulated:.0f} s "
            "simulated"
        )


def free() -> None:
    """Give memory back, so that the next part finds it whole."""
    gpu.cupy().get_default_memory_pool().free_all_blocks()


def check(folder: Path) -> None:
    """Some experiments judged by the library, on the processor, and by the GPU."""
    given = Recordings(Condition(("A", "D")), fresh=1).batch(
        [stream(SEED, index) for index in range(CHECKED)]
    )
    library = np.array(
        [[_by_library(each, c, place) for c in C_MAIN] for place, each in enumerate(given)]
    )
    cp = gpu.cupy()
    observed = cp.asarray(np.array([each.observed for each in given]))
    simulated = cp.asarray(np.array([each.simulated[:, 0] for each in given]))
    ours = judge.beta_probability(
        judge.sorted_rows(observed), judge.sorted_rows(simulated), C_MAIN, seed=1
    ).get()
    # Where the library's standard error is 0, B is 0 or 1 in both.
    z = (ours - library[..., 0]) / (np.sqrt(2) * np.maximum(library[..., 1], 1 / 2048))
    report = {
        "experiments": CHECKED,
        "z of B, GPU less library": {
            "mean": float(z.mean()),
            "sd": float(z.std()),
            "largest": float(np.abs(z).max()),
        },
        "truly better": float(np.mean([np.subtract(*each.truth).mean() < 0 for each in given])),
    }
    (folder / "check.json").write_text(json.dumps(report, indent=1))
    print(json.dumps(report, indent=1), flush=True)


def _by_library(given: ExperimentLosses, c: float, seed: int) -> tuple[float, float]:
    """B of the paper's algorithm, and its Monte Carlo error."""
    models = dict(zip("ab", zip(given.observed, given.simulated, strict=True), strict=True))
    result = compare(models, **ALGORITHM, c=c, rng=seed)
    return float(result.probability[0, 1]), float(result.beside("a").error[0])
