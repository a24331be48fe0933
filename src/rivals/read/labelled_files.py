"""Labelled arrays in files: NetCDF, and Zarr folders; checked before they are loaded."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

from rivals._checks import need, show
from rivals._files import check_memory, check_plain_file, reading

NETCDF = (".nc", ".nc4", ".netcdf", ".h5", ".hdf5")
ZARR = ".zarr"
# Files of a Zarr folder that say how its arrays are packed, in versions 2 and 3 of the format.
METADATA = (".zarray", ".zmetadata", "zarr.json")
MAX_METADATA = 2**24
CLASSIC = b"CDF"  # first bytes of a NetCDF file that is not HDF5


def is_labelled(path: str | PathLike[str]) -> bool:
    """Whether a file, by its name, or a folder, by what is in it, holds labelled arrays."""
    path = Path(path)
    return path.suffix.lower() in (*NETCDF, ZARR) or (
        path.is_dir() and any((path / name).exists() for name in (".zgroup", *METADATA))
    )


def open_labelled(path: str | PathLike[str]) -> Any:
    """The tree of groups in a NetCDF file or a Zarr folder, loaded."""
    path = Path(path)
    if path.is_dir():
        return _open_zarr(path)
    if path.suffix.lower() == ZARR and path.exists():
        raise ValueError(f"{show(path)}: Zarr is read from folders, but this is a file; unpack it")
    xarray = need("xarray", extra="arviz", purpose="NetCDF files")
    check_plain_file(path)
    with path.open("rb") as file:
        engine = "scipy" if file.read(3) == CLASSIC else "h5netcdf"
    hdf5 = None
    if engine == "h5netcdf":
        need("h5netcdf", extra="arviz", purpose="NetCDF files")
        hdf5 = need("h5py", extra="arviz", purpose="NetCDF files")
    with reading(path, "a NetCDF file"):
        if hdf5 is not None:
            _check_hdf5(hdf5, path)
        with _tree(xarray, path, engine) as tree:
            check_memory(path, _bytes_of(tree))
            return tree.load()


def _open_zarr(path: Path) -> Any:
    xarray = need("xarray", extra="zarr", purpose="Zarr")
    need("zarr", extra="zarr", purpose="Zarr")
    try:
        check_memory(path, _check_metadata(path))
        with _tree(xarray, path, "zarr") as tree:
            check_memory(path, _bytes_of(tree))
            return tree.load()
    except (PermissionError, ImportError):
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:500]
        raise ValueError(f"{show(path)}: cannot be read as a Zarr folder ({show(reason)})") from error


def _tree(xarray: Any, path: Path, engine: str) -> Any:
    """What xarray opens. Classic files have no groups; they are read into memory, since SciPy does not close a damaged one."""
    if engine == "scipy":
        check_memory(path, path.stat().st_size)
        return xarray.open_dataset(BytesIO(path.read_bytes()), engine=engine)
    options = {"consolidated": False} if engine == "zarr" else {}
    return xarray.open_datatree(path, engine=engine, **options)


def _bytes_of(tree: Any) -> int:
    """Bytes that all arrays take as floating-point numbers, or more."""
    nodes = tree.subtree if hasattr(tree, "subtree") else [tree]
    arrays = [array for node in nodes for array in node.variables.values()]
    return sum(array.size * max(array.dtype.itemsize, 8) for array in arrays)


def _check_hdf5(hdf5: Any, path: Path) -> None:
    """Coordinates are loaded when a file is opened, so their claimed size is checked first."""
    sizes: list[int] = []
    with hdf5.File(path, "r") as file:
        file.visititems(lambda _, node: sizes.append(8 * node.size) if getattr(node, "size", None) else None)
    check_memory(path, sum(sizes))


def _check_metadata(path: Path) -> int:
    """Bytes that the arrays of a Zarr folder take. They may be packed as pickles, and are never unpickled."""
    needed = 0
    for file in (file for name in METADATA for file in path.rglob(name)):
        check_plain_file(file)
        if file.stat().st_size > MAX_METADATA:
            raise ValueError(f"{show(file)} has more than {MAX_METADATA} bytes")
        content = json.loads(file.read_bytes())
        if any("pickle" in word.lower() for word in _words(content)):
            raise ValueError(f"{show(file)} contains pickles, which are never unpickled; save numbers")
        if isinstance(content, dict):
            needed += 8 * math.prod(content.get("shape", [0]))
    return needed


def _words(content: Any) -> Iterator[str]:
    """The names of codecs anywhere in the metadata, and whatever else is called id or name."""
    if isinstance(content, dict):
        for key, value in content.items():
            if isinstance(value, str) and key in ("id", "name"):
                yield value
            yield from _words(value)
    elif isinstance(content, list):
        for value in content:
            yield from _words(value)
