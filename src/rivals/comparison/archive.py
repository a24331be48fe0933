"""A comparison in a file: NPZ arrays and a JSON header, never a pickle."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from contextlib import suppress
from dataclasses import asdict
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from rivals._checks import check_losses, check_name, check_positive, check_threshold, show
from rivals._types import FloatArray
from rivals._version import __version__

if TYPE_CHECKING:
    from rivals.comparison import Comparison


FORMAT = "rivals comparison"
FORMAT_VERSION = 1
MAX_BYTES = 2**33
UNREADABLE = (
    KeyError,
    TypeError,
    AttributeError,
    ValueError,
    OSError,
    RuntimeError,
    EOFError,
    MemoryError,
    zlib.error,
    zipfile.BadZipFile,
)
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
    try:
        with open(partial, "wb") as file:
            np.savez(file, **arrays)
        os.replace(partial, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(partial)
        raise


def read(
    path: str | PathLike[str],
) -> tuple[dict[str, Any], dict[str, tuple[FloatArray, FloatArray]], list[FloatArray]]:
    """Settings and verdict, losses by name, draws in the order of names."""
    try:
        _check_size(path)
        with np.load(path, allow_pickle=False) as arrays:
            found = json.loads(bytes(arrays["header"]))
            _check_format(found)
            names = [check_name(name) for name in found["names"]]
            losses = {name: (arrays[f"observed_{i}"], arrays[f"synthetic_{i}"]) for i, name in enumerate(names)}
            draws = [check_losses(arrays[f"draws_{i}"], f"draws of {show(name)}") for i, name in enumerate(names)]
            kept = {key: found[key] for key in (*SETTINGS, *PER_MODEL, "rejections", "undecided")}
            _check_content(kept, names, losses)
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except UNREADABLE as error:
        raise ValueError(
            f"{os.fspath(path)!r} is not a file that Comparison.save wrote, or is damaged ({error})"
        ) from error
    return kept, losses, draws


def _check_content(kept: dict[str, Any], names: list[str], losses: dict[str, Any]) -> None:
    check_positive(kept["c"], "c")
    check_threshold(kept["threshold"])
    rejections: dict[str, Any] = kept["rejections"]
    if len(losses) != len(names) or not set(rejections.keys()) <= set(names):
        raise ValueError("its names do not fit together")
    for duel in (*rejections.values(), *kept["undecided"]):
        if not {"by", "probability", "standard_error"} <= set(duel) <= {"model", "by", "probability", "standard_error"}:
            raise ValueError("its rejections are not complete")
    for key in PER_MODEL:
        if set(kept[key]) != set(names):
            raise ValueError(f"its {key} is not that of its models")


def _check_format(found: Any) -> None:
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError("its header is not that of a comparison")
    if found["format_version"] > FORMAT_VERSION:
        raise ValueError(
            f"it was written by rivals {found.get('rivals_version')} in a newer format ({found['format_version']}, this "
            f"version reads up to {FORMAT_VERSION}); upgrade rivals"
        )


def _check_size(path: str | PathLike[str]) -> None:
    """Archives can unpack to far more than their own size: look before loading."""
    with zipfile.ZipFile(path) as archive:
        total = sum(member.file_size for member in archive.infolist())
    if total > MAX_BYTES:
        raise ValueError(f"it would unpack to {total / 2**30:.1f} GiB; the limit is {MAX_BYTES / 2**30:.0f} GiB")
