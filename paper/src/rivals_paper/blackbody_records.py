"""Experiments of the black body calibration in a small file.

Committed with the package, or kept beside results.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import IO

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.experiments import Experiments

# Probabilities are kept as 16-bit integers.
MOST = 65535


@dataclass(frozen=True, eq=False)
class Record:
    """Experiments of one way of computing.

    Attributes
    ----------
    log2_c : ndarray of int
    probability : ndarray of shape (experiments, c)
        Of Planck having the lower risk.
    difference, error : ndarray
        True risk of Planck less that of Rayleigh-Jeans, in nats per point, and its standard error.
    again : ndarray of shape (experiments, c), optional
        The same probabilities from other draws of the risks, to know how much they depend on them.
    """

    log2_c: np.ndarray[tuple[int], np.dtype[np.int64]]
    probability: FloatArray
    difference: FloatArray
    error: FloatArray
    again: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.difference)

    def first(self, n: int) -> Record:
        """Return the first n experiments."""
        again = None if self.again is None else self.again[:n]
        return Record(self.log2_c, self.probability[:n], self.difference[:n], self.error[:n], again)

    def then(self, other: Record) -> Record:
        """Return these experiments, followed by others at the same c."""
        again = (
            None
            if self.again is None or other.again is None
            else np.concatenate([self.again, other.again])
        )
        return Record(
            self.log2_c,
            np.concatenate([self.probability, other.probability]),
            np.concatenate([self.difference, other.difference]),
            np.concatenate([self.error, other.error]),
            again,
        )

    @property
    def experiments(self) -> Experiments:
        """Probabilities beside the truth: 1 where Planck has the lower risk."""
        return Experiments(self.probability, (self.difference < 0).astype(float))


def committed(name: str) -> Record:
    """Return the experiments of that name which ship with the package."""
    with (resources.files("rivals_paper") / "data" / "records" / f"blackbody-{name}.npz").open(
        "rb"
    ) as file:
        return read(file)


def read(source: Path | IO[bytes]) -> Record:
    """Return the experiments of a file."""
    with np.load(source, allow_pickle=False) as archive:
        arrays = {key: archive[key] for key in archive.files}
    probability = {key: _unpacked(arrays[key]) for key in ("probability", "again") if key in arrays}
    difference, error = (arrays[key].astype(float) for key in ("difference", "error"))
    return Record(
        arrays["log2_c"].astype(int),
        probability["probability"],
        difference,
        error,
        probability.get("again"),
    )


def write(record: Record, path: Path) -> None:
    """Write the experiments to a file."""
    arrays = {
        "log2_c": record.log2_c.astype(np.int8),
        "probability": _packed(record.probability),
        "difference": record.difference.astype(np.float32),
        "error": record.error.astype(np.float32),
    }
    if record.again is not None:
        arrays["again"] = _packed(record.again)
    np.savez_compressed(path, **arrays)  # type: ignore[arg-type]  # an array may not be called allow_pickle; none is


def rounded(record: Record) -> Record:
    """Return the record as it will be read again, so that a fresh run shows the same numbers as its
    file.
    """
    again = None if record.again is None else _unpacked(_packed(record.again))
    difference, error = (
        values.astype(np.float32).astype(float) for values in (record.difference, record.error)
    )
    return Record(record.log2_c, _unpacked(_packed(record.probability)), difference, error, again)


def _packed(probability: FloatArray) -> np.ndarray[tuple[int, ...], np.dtype[np.uint16]]:
    """Round to 1/65535; only what is exactly 0 or 1 stays so, because these are counted."""
    inside = np.clip(np.rint(MOST * probability), 1, MOST - 1)
    return np.where((probability == 0) | (probability == 1), MOST * probability, inside).astype(
        np.uint16
    )


def _unpacked(numbers: np.ndarray[tuple[int, ...], np.dtype[np.uint16]]) -> FloatArray:
    return np.asarray(numbers / MOST)
