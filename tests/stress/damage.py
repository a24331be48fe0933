"""Archives and stores that were cut or changed: each damage is refused with a sentence, or does no
harm.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import rivals
from rivals.calibration import StoreError, open_store

BLOCK = 512


def comparison() -> rivals.Comparison:
    """Three models of which one is rejected, with several simulations."""
    rng = np.random.default_rng(15)
    models = {
        f"model {index}": (
            rng.exponential(1 + 0.4 * index, 200),
            rng.exponential(1 + 0.4 * index, (2, 200)),
        )
        for index in range(3)
    }
    return rivals.compare(models, rng=0)


def content_of_archive(path: Path) -> str:
    """Everything that a saved comparison says, as one text."""
    result = rivals.load(path)
    parts = [json.dumps(result.to_dict(), sort_keys=True), str(result), repr(result.entropy)]
    arrays = [result.probability, *(result.risks[name] for name in result.names)]
    arrays += [
        array for sample in result.losses.values() for array in (sample.observed, sample.synthetic)
    ]
    return "".join([*parts, *(_digest(array) for array in arrays)])


def content_of_store(path: Path) -> str:
    """Everything that a store says; when it was written is not part of it."""
    result = open_store(path)
    return "".join(
        [
            json.dumps(result.to_dict(), sort_keys=True),
            _digest(result.records),
            repr(result.failures),
        ]
    )


def _digest(array: np.ndarray[Any, Any]) -> str:
    return hashlib.sha256(
        repr(array.dtype).encode() + np.ascontiguousarray(array).tobytes()
    ).hexdigest()


def experiment(rng: np.random.Generator) -> rivals.Experiment:
    mean = rng.normal(0, 0.1)
    candidates = tuple(
        rivals.Candidate(
            loss=lambda y, at=at: (y - at) ** 2 / 2,
            simulate=lambda n, rng, at=at: at + rng.standard_normal(n),
        )
        for at in (-0.1, 0.1)
    )
    return rivals.Experiment(
        observe=lambda n, rng: mean + rng.standard_normal(n), candidates=candidates
    )


def write_archive(folder: Path) -> Path:
    comparison().save(folder / "whole.npz")
    return folder / "whole.npz"


def write_store(folder: Path, n_experiments: int = 80) -> Path:
    settings = {
        "n_data": 32,
        "n_truth": 100,
        "c": [0.25, 1.0],
        "n_simulations": 2,
        "rng": 3,
        "progress": False,
    }
    path = folder / "whole.sqlite"
    rivals.calibrate(experiment, n_experiments=n_experiments, store=path, executor=0, **settings)
    return path


def damages(
    whole: bytes, seed: int, *, block: int = BLOCK, n_flips: int = 1000
) -> Iterator[tuple[str, bytes]]:
    """Cuts at every block and of a few bytes at the end, then bytes and single bits changed at
    random places.
    """
    for size in [*range(0, len(whole), block), *(len(whole) - cut for cut in (1, 2, 9, 80))]:
        yield f"cut to {size} bytes", whole[:size]
    rng = np.random.default_rng(seed)
    for index in range(n_flips):
        place = int(rng.integers(len(whole)))
        changed = bytearray(whole)
        changed[place] ^= int(rng.integers(1, 256)) if index % 2 else 1 << int(rng.integers(8))
        yield f"byte {place} is {changed[place]} and not {whole[place]}", bytes(changed)
    for place in rng.integers(len(whole), size=max(n_flips // 20, 1)).tolist():
        yield (
            f"{BLOCK} bytes at {place} are zero",
            whole[:place] + bytes(BLOCK) + whole[place + BLOCK :],
        )


def try_damages(
    write: Callable[[Path], Path],
    content: Callable[[Path], str],
    refusals: tuple[type[Exception], ...],
    seconds: float,
    seed: int,
    **amount: int,
) -> dict[str, Any]:
    """Read every damaged copy; count what was refused, what did no harm, and what was read as
    something else.
    """
    counts: dict[str, Any] = {
        "inputs": 0,
        "refused": 0,
        "harmless": 0,
        "silently_wrong": 0,
        "raw_errors": 0,
        "problems": [],
        "complete": True,
    }
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(name)
        path = write(folder)
        whole = path.read_bytes()
        expected = content(path)
        for what, damaged in damages(whole, seed, **amount):
            if time.monotonic() > end:
                counts["complete"] = False
                break
            place = folder / "damaged"
            place.mkdir()
            copy = place / path.name
            copy.write_bytes(damaged)
            counts["inputs"] += 1
            try:
                found = content(copy)
            except refusals:
                counts["refused"] += 1
            except Exception as error:
                counts["raw_errors"] += 1
                counts["problems"].append(
                    f"{path.name}, {what}: {type(error).__name__}: {error}"[:300]
                )
            else:
                counts["harmless" if found == expected else "silently_wrong"] += 1
                if found != expected:
                    counts["problems"].append(f"{path.name}, {what}: read as something else")
            shutil.rmtree(place)
    return counts


def damage_archives(seconds: float, seed: int, **amount: int) -> dict[str, Any]:
    """Saved comparisons. A refusal is a ValueError."""
    return try_damages(write_archive, content_of_archive, (ValueError,), seconds, seed, **amount)


def damage_stores(seconds: float, seed: int, **amount: int) -> dict[str, Any]:
    """Stores of calibrations. A refusal is a StoreError."""
    return try_damages(write_store, content_of_store, (StoreError,), seconds, seed, **amount)


def edit_stores(seconds: float, seed: int) -> dict[str, Any]:
    """A store whose rows were edited by SQLite itself, so that the file is in order and its content
    is not.
    """
    edits = [
        "UPDATE experiments SET failed = 1 WHERE experiment = 3",
        "UPDATE experiments SET value = zeroblob(length(value)) WHERE experiment = 3",
        "UPDATE experiments SET experiment = 1000 WHERE experiment = 3",
        "DELETE FROM experiments WHERE experiment = 3",
        "UPDATE study SET value = replace(value, '32', '33') WHERE key = 'identity'",
    ]
    counts: dict[str, Any] = {
        "inputs": 0,
        "refused": 0,
        "harmless": 0,
        "silently_wrong": 0,
        "raw_errors": 0,
        "problems": [],
    }
    with tempfile.TemporaryDirectory() as name:
        whole = write_store(Path(name), 8)
        expected = content_of_store(whole)
        for edit in edits:
            copy = Path(name) / "edited.sqlite"
            shutil.copy(whole, copy)
            connection = sqlite3.connect(copy)
            connection.execute(edit)
            connection.commit()
            connection.close()
            counts["inputs"] += 1
            try:
                found = content_of_store(copy)
            except StoreError:
                counts["refused"] += 1
            except Exception as error:
                counts["raw_errors"] += 1
                counts["problems"].append(f"{edit}: {type(error).__name__}: {error}"[:300])
            else:
                # A row that is missing is an experiment that is not done; it is run again.
                kind = (
                    "harmless"
                    if found == expected or edit.startswith("DELETE")
                    else "silently_wrong"
                )
                counts[kind] += 1
                if kind == "silently_wrong":
                    counts["problems"].append(f"{edit}: read as something else")
    return counts


if __name__ == "__main__":
    for part in (damage_archives, damage_stores, edit_stores):
        print(part.__name__, json.dumps(part(float(sys.argv[1]), 15), indent=1))
