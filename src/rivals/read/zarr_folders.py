"""Zarr folders, checked before they are loaded: plain files alone, known codecs, no chunk
missing, and what fits into memory.
"""

from __future__ import annotations

import json
import os
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from rivals._files import check_memory, check_nesting, reading
from rivals._say.optional import need
from rivals._say.words import show

ZARR = ".zarr"
# Files that say how arrays are packed, in versions 2 and 3 of the format.
METADATA = (".zarray", "zarr.json")
MAX_METADATA = 2**24
# Codecs that yield bytes, numbers and texts. Others are not loaded: some unpickle what they
# read, or take chunks apart.
CODECS = {
    "bytes", "endian", "transpose", "blosc", "gzip", "zlib", "zstd", "lz4", "bz2", "lzma",
    "crc32", "crc32c", "adler32", "fletcher32", "shuffle", "delta", "fixedscaleoffset",
    "quantize", "bitround", "packbits", "astype", "vlen-utf8", "vlen-bytes", "string",
    "fixed_length_utf32",
}  # fmt: skip


def open_zarr(folder: Path) -> Any:
    """The tree of groups in a Zarr folder, loaded."""
    need("zarr", extra="zarr", purpose="Zarr")
    xarray = need("xarray", extra="zarr", purpose="Zarr")
    with reading(folder, "a Zarr folder", folder=True):
        _check_zarr(folder)
        with xarray.open_datatree(folder, engine="zarr", consolidated=False) as tree:
            return tree.load()


def _check_zarr(folder: Path) -> None:
    """Refuse links, unknown codecs, missing chunks, and claims of far more than the folder has."""
    needed = 0
    for place, folders, files in os.walk(folder):
        check_nesting(place.count(os.sep) - str(folder).count(os.sep))
        for name in (*folders, *files):
            path = Path(place, name)
            plain = path.is_dir() or path.is_file()
            if path.is_symlink() or not plain or not os.access(path, os.R_OK):
                raise ValueError(
                    f"{show(path)} is a link, a pipe or a device, or unreadable; copy what "
                    "it stands for"
                )
        for name in set(METADATA).intersection(files):
            needed += _check_array(Path(place), name)
    check_memory(folder, needed)


def _check_array(folder: Path, name: str) -> int:
    """Bytes that an array takes, or 0 for a group; an error says what is wrong with it."""
    if (folder / name).stat().st_size > MAX_METADATA:
        raise ValueError(f"{show(folder / name)} has more than {MAX_METADATA} bytes")
    content = json.loads((folder / name).read_bytes())
    if not isinstance(content, dict) or "shape" not in content:
        return 0
    for codec in _codecs(content):
        if codec.removeprefix("numcodecs.") not in CODECS:
            found = f"{show(folder / name)} names the codec {show(codec)!r}, which is not used"
            raise ValueError(
                f"{found}: nothing is unpickled, or taken apart; save numbers, without this codec"
            )
    grid = content.get("chunk_grid", {}).get("configuration", {})
    shape = tuple(map(int, content["shape"]))
    parts = tuple(map(int, content.get("chunks") or grid["chunk_shape"]))
    cell = max(8, _cell_size(content.get("dtype", content.get("data_type"))))
    needed = cell * (prod(shape) + prod(parts))
    if len(shape) > 1 and needed < 2**50:
        # Arrays of losses; coordinates that are all 0 have no chunks.
        counts = [-(-length // part) for length, part in zip(shape, parts, strict=True)]
        _check_complete(folder, content, counts)
    return needed


def _codecs(content: dict[str, Any]) -> list[str]:
    """The codecs of an array, in version 3 of the format or in version 2."""
    listed = [
        *(content.get("codecs") or []),
        content.get("compressor"),
        *(content.get("filters") or []),
    ]
    return [str(codec.get("name", codec.get("id"))) for codec in listed if codec is not None]


def _cell_size(kind: Any) -> int:
    """Bytes of a number or a text, by what the metadata call its type."""
    if isinstance(kind, dict):  # texts of fixed length, in version 3
        return int(kind["configuration"]["length_bytes"])
    if kind == "string":
        return 8
    if not isinstance(kind, str) or np.dtype(kind).kind not in "biufcSUOmM":
        raise ValueError(f"an array holds {show(kind)[:200]}; save numbers")
    return int(np.dtype(kind).itemsize)


def _check_complete(folder: Path, content: dict[str, Any], counts: list[int]) -> None:
    """A chunk that is missing would be read as fill values."""
    keys = content.get("chunk_key_encoding", {"name": "v2"})
    separator = keys.get("configuration", {}).get("separator", content.get("dimension_separator"))
    if keys["name"] == "default":
        first = "c/"
        separator = separator or "/"
    else:
        first = ""
        separator = separator or "."
    missing = 0
    for place in product(*map(range, counts)):
        chunk = first + separator.join(map(str, place))
        missing += not (folder / chunk).is_file()
    if missing:
        raise ValueError(
            f"{missing} of {prod(counts)} chunks of its array {show(folder.name)!r} are "
            "missing, and would be read as fill values; write it anew, with "
            "write_empty_chunks=True if whole chunks are equal to its fill value"
        )
