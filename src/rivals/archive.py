"""A comparison in a file: NPZ arrays and a JSON header, never a pickle."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import asdict
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rivals._version import __version__

if TYPE_CHECKING:
    from rivals.comparison import Comparison

FloatArray = npt.NDArray[np.float64]

FORMAT = "rivals comparison"
FORMAT_VERSION = 1
MAX_BYTES = 2**33
SETTINGS = ("c", "threshold", "entropy", "n_draws", "max_draws", "depth", "reference")
PER_MODEL = ("risk_mean", "risk_std", "end_point_share")


def header(result: Comparison) -> dict[str, Any]:
    """Settings and verdict of a comparison, as plain numbers and text."""
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "rivals_version": __version__,
        "names": list(result.names),
        **{key: getattr(result, key) for key in SETTINGS},
        **{key: dict(getattr(result, key)) for key in PER_MODEL},
        "survivors": list(result.survivors),
        "rejections": {name: asdict(rejection) for name, rejection in result.rejections.items()},
        "undecided": [asdict(duel) for duel in result.undecided],
    }


def save(result: Comparison, path: str | PathLike[str]) -> None:
    """Write to a neighbouring file first, then move it into place: a crash leaves no half of a file."""
    arrays: dict[str, Any] = {"header": np.frombuffer(json.dumps(header(result)).encode(), dtype=np.uint8)}
    for place, (losses, draws) in enumerate(zip(result.losses.values(), result.excess_risks, strict=True)):
        arrays |= {
            f"observed_{place}": losses.observed,
            f"synthetic_{place}": losses.synthetic,
            f"draws_{place}": draws,
        }
    target = os.fspath(path)
    partial = f"{target}.partial"
    with open(partial, "wb") as file:
        np.savez(file, **arrays)
    os.replace(partial, target)


def read(
    path: str | PathLike[str],
) -> tuple[dict[str, Any], dict[str, tuple[FloatArray, FloatArray]], list[FloatArray]]:
    """Settings and verdict, losses by name, draws in the order of names."""
    _check_size(path)
    try:
        with np.load(path, allow_pickle=False) as arrays:
            found = json.loads(bytes(arrays["header"]))
            _check_format(found, path)
            names = found.pop("names")
            losses = {name: (arrays[f"observed_{i}"], arrays[f"synthetic_{i}"]) for i, name in enumerate(names)}
            draws = [np.asarray(arrays[f"draws_{i}"], dtype=np.float64) for i in range(len(names))]
    except (KeyError, ValueError, UnicodeDecodeError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"{os.fspath(path)!r} is not a file that Comparison.save wrote, or is damaged ({error})"
        ) from error
    kept = (*SETTINGS, *PER_MODEL, "rejections", "undecided")
    return {key: found[key] for key in kept}, losses, draws


def _check_format(found: Any, path: str | PathLike[str]) -> None:
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError("its header is not that of a comparison")
    if found["format_version"] > FORMAT_VERSION:
        raise ValueError(
            f"it was written by rivals {found.get('rivals_version')} in a newer format ({found['format_version']}, this "
            f"version reads up to {FORMAT_VERSION}); upgrade rivals"
        )


def _check_size(path: str | PathLike[str]) -> None:
    """Archives can unpack to far more than their own size: look before loading."""
    try:
        with zipfile.ZipFile(path) as archive:
            total = sum(member.file_size for member in archive.infolist())
    except zipfile.BadZipFile as error:
        raise ValueError(
            f"{os.fspath(path)!r} is not a file that Comparison.save wrote, or is damaged ({error})"
        ) from None
    if total > MAX_BYTES:
        raise ValueError(
            f"{os.fspath(path)!r} would unpack to {total / 2**30:.1f} GiB; refused (limit {MAX_BYTES / 2**30:.0f} GiB)"
        )
