"""Records of the neuron calibrations at the paper's own size, made on a GPU. Not run to its end yet: the random numbers of the original study, drawn by the processor, take longest.

Two steps, since one needs the GPU and the other all cores: `python benchmarks/neuron_records.py simulate VARIANT FOLDER` writes the residuals of all experiments,
`… judge VARIANT FOLDER` the records, through `rivals.calibrate`. A copy of the published run that differs by rounding alone is the variant "as published, copy 3".
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np
from rivals_paper.arrays import FloatArray
from rivals_paper.method import PAPER
from rivals_paper.neuron_runs import C_MAIN, MAIN, N_DATA, N_TRUTH
from rivals_paper.output import AS_PUBLISHED, CORRECTED

from rivals import Experiment, calibrate
from rivals.testbeds.pyloric import LOOSE, Condition, Corrected, Published, best_sigma, conditions, losses

COUNT_MAIN, COUNT_OTHERS = 2048, 512
COPIES: Final = 8
SEED: Final = 20250611


def counts() -> dict[str, int]:
    """Experiments of each of the 48 conditions: the six of the main figure have more."""
    main = {condition.key for condition in MAIN}
    return {condition.key: COUNT_MAIN if condition.key in main else COUNT_OTHERS for condition in conditions()}


def simulate(variant: str, folder: Path, limit: int | None = None) -> None:
    """Residuals of all experiments, on data and truth, to two files of single precision; the order is that of `asked`."""
    from laboratory import residuals_corrected, residuals_published

    folder.mkdir(parents=True, exist_ok=True)
    wanted = asked(limit)
    for part, n in enumerate((N_DATA, N_TRUTH)):
        began = time.perf_counter()
        if variant.startswith(AS_PUBLISHED):
            copy = int(variant.rpartition(" ")[2]) if "copy" in variant else 0
            step = LOOSE.first_step * (1 + copy * 1e-12) if copy else None
            published = {condition.key: Published(condition) for condition in conditions()}
            found = residuals_published(published, wanted, n, first_step=step)
        else:
            constants = "prinz2004" if variant == CORRECTED else "published"
            corrected = {condition.key: Corrected(condition, variant=constants) for condition in conditions()}
            found = residuals_corrected(corrected, wanted, n, seed=SEED, part=part)
        np.save(folder / f"residuals-{n}.npy", found.astype(np.float32))
        print(
            f"{variant}: {len(wanted)} recordings of {n} ms simulated in {time.perf_counter() - began:.1f} s",
            flush=True,
        )


def asked(limit: int | None = None) -> list[tuple[str, int]]:
    """All experiments: pairs of a condition and an index."""
    return [(key, index) for key, count in counts().items() for index in range(min(count, limit or count))]


def judge(variant: str, folder: Path, workers: int, limit: int | None = None) -> None:
    """B and the truth of every experiment, through `calibrate`; one file of compact records."""
    began, first = time.perf_counter(), 0
    compact: dict[str, Any] = {}
    executor = ProcessPoolExecutor(workers, mp_context=get_context("fork"))
    for key, count in counts().items():
        count = min(count, limit or count)
        omega = Recorded(str(folder), first, Condition(*_parts(key)))
        first += count
        calibration = calibrate(
            {key: omega}, **PAPER, n_data=N_DATA, n_synthetic=N_DATA, n_truth=N_TRUTH, n_experiments=count, c=C_MAIN,
            loss_unit="nats", rng=SEED, executor=executor, progress=False,
        )  # fmt: skip
        records = np.sort(calibration.records, order=["experiment", "c"]).reshape(count, len(C_MAIN))
        order = np.argsort(np.argsort(C_MAIN))
        compact[f"{key}/probability"] = np.round(records["probability"][:, order] * 65535).astype(np.uint16)
        compact[f"{key}/difference"] = (records["risk_a"] - records["risk_b"])[:, 0].astype(np.float32)
    np.savez_compressed(folder / "records.npz", c=np.array(C_MAIN), **compact)
    print(
        f"{variant}: {first} experiments judged in {time.perf_counter() - began:.1f} s on {workers} workers", flush=True
    )


@dataclass(frozen=True)
class Recorded:
    """The epistemic distribution of a condition whose recordings were simulated before."""

    folder: str
    first: int  # where its experiments begin in the files
    condition: Condition

    def __call__(self, rng: np.random.Generator, index: int) -> Experiment:
        """Return experiment number `index`."""
        return Experiment(observe=_Residuals(self.folder, self.first + index), candidates=_fit_pair)


@dataclass(frozen=True)
class _Residuals:
    folder: str
    place: int

    def __call__(self, n: int, rng: object) -> FloatArray:
        """What the recording differs by from both candidates, (n, 2)."""
        return np.asarray(_file(self.folder, n)[self.place], dtype=float).T


@dataclass(frozen=True)
class _Fitted:
    """A candidate of which only the residuals matter; it sees its own column."""

    column: int
    sigma: float

    def loss(self, data: FloatArray) -> FloatArray:
        return losses(data[:, self.column], self.sigma, "gaussian")

    def simulate(self, n: int, rng: np.random.Generator) -> FloatArray:
        return self.sigma * rng.standard_normal((n, 1)).repeat(2, axis=1)


def _fit_pair(data: FloatArray) -> tuple[_Fitted, _Fitted]:
    first, second = (_Fitted(column, best_sigma(data[:, column], "gaussian")) for column in range(2))
    return first, second


@lru_cache(maxsize=4)
def _file(folder: str, n: int) -> Any:
    return np.load(f"{folder}/residuals-{n}.npy", mmap_mode="r")


def _parts(key: str) -> tuple[Any, ...]:
    pair, *others = key.split("|")
    return (tuple(pair.split("vs")), *others)


if __name__ == "__main__":
    step, variant, folder, *more = sys.argv[1:]
    if step == "simulate":
        simulate(variant, Path(folder), int(more[0]) if more else None)
    else:
        judge(variant, Path(folder), int(more[0]), int(more[1]) if len(more) > 1 else None)
