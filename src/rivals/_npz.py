"""Arrays in an NPZ file, checked before they are unpacked. Nothing is ever unpickled."""

from __future__ import annotations

import math
import os
import struct
import zipfile
from os import PathLike
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from rivals._files import check_memory, reading
from rivals._say.words import show

Array = npt.NDArray[Any]

# The methods that NumPy writes. Others may allocate memory before the first byte is out.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read_arrays(path: str | PathLike[str]) -> dict[str, Array]:
    """All arrays of the file by name; a ValueError says what is wrong with it, if anything."""
    with reading(path, "an NPZ archive of numbers"), zipfile.ZipFile(path) as archive:
        members = _members(archive)
        check_memory(path, sum(_bytes_needed(archive, member) for member in members.values()))
        return {name: _read(archive, member) for name, member in members.items()}


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    file: IO[bytes] = archive.fp  # type: ignore[assignment]
    file.seek(-22, os.SEEK_END)
    signature, count = struct.unpack("<4s6xH10x", file.read(22))
    # A byte that is wrong in the table of contents may hide members; of 65 535 or more it does not
    # say how many.
    if signature == b"PK\x05\x06" and count < 0xFFFF and count != len(archive.infolist()):
        raise ValueError(
            f"its table of contents lists {len(archive.infolist())} of {count} arrays: "
            "it is damaged"
        )
    for member in archive.infolist():
        name = member.filename.removesuffix(".npy")
        if name == member.filename:
            raise ValueError(f"its member {show(name)!r} is not an array (.npy); remove it")
        if name in members:
            raise ValueError(f"two of its arrays are called {show(name)!r}; names must differ")
        if member.compress_type not in METHODS or member.flag_bits & 0x1:
            raise ValueError(
                f"its array {show(name)!r} is encrypted, or compressed by a method that NumPy does "
                "not use"
            )
        members[name] = member
    return members


def _bytes_needed(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> int:
    """Bytes that the array takes as floating-point numbers, or more.

    The header must say what the member holds.
    """
    with archive.open(member) as file:
        shape, dtype = _header(file)
        size = math.prod(shape)
        if size * dtype.itemsize != member.file_size - file.tell():
            raise ValueError(
                f"its array {show(member.filename)!r} does not have the {size} values that its "
                "header states"
            )
    return size * max(dtype.itemsize, 8)


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = npy.read_magic(file)
    if version not in HEADERS:
        raise ValueError(f"an array is in format {version}, which no array of numbers has")
    shape, _, dtype = HEADERS[version](file)
    if dtype.hasobject:
        raise ValueError("an array holds Python objects, which are never unpickled; save numbers")
    if any(length < 0 for length in shape):
        raise ValueError(f"an array has the shape {shape}")
    return shape, dtype


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Array:
    with archive.open(member) as file:
        array: Array = npy.read_array(file, allow_pickle=False)
        file.read()  # to the end, where the checksum of the archive is compared
    return array
