"""The file of a comparison: NPZ arrays and a JSON header, never a pickle."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._files import replacing
from rivals._version import __version__

FORMAT = "rivals comparison"
FORMAT_VERSION = 2
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


def stamp() -> dict[str, Any]:
    """What tells such a file from others."""
    return {"format": FORMAT, "format_version": FORMAT_VERSION, "rivals_version": __version__}


def write(path: str | PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write header and arrays to one file."""
    text = np.frombuffer(json.dumps({**stamp(), **header}).encode(), dtype=np.uint8)
    with replacing(path) as file:
        contents: dict[str, Any] = {"header": text, **arrays}
        np.savez(file, **contents)


def read(path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Read header and arrays back; nothing is executed or unpickled."""
    check_size(path)
    with np.load(path, allow_pickle=False) as arrays:
        header = json.loads(bytes(arrays["header"]))
        _check_format(header)
        return header, {name: arrays[name] for name in arrays if name != "header"}


def unreadable(path: str | PathLike[str], error: BaseException) -> ValueError:
    """The error for a file that is not what it should be."""
    return ValueError(f"{os.fspath(path)!r} is not a file that Comparison.save wrote, or is damaged ({error})")


def check_size(path: str | PathLike[str]) -> None:
    """Archives can unpack to far more than their own size: look before loading."""
    with zipfile.ZipFile(path) as archive:
        total = sum(member.file_size for member in archive.infolist())
    if total > MAX_BYTES:
        raise ValueError(f"it would unpack to {total / 2**30:.1f} GiB; the limit is {MAX_BYTES / 2**30:.0f} GiB")


def _check_format(header: Any) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError("its header is not that of a comparison")
    if header["format_version"] > FORMAT_VERSION:
        raise ValueError(
            f"it was written by rivals {header.get('rivals_version')} in a newer format ({header['format_version']}, this "
            f"version reads up to {FORMAT_VERSION}); upgrade rivals"
        )
