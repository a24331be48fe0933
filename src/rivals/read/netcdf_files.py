"""NetCDF files, checked before they are loaded: every array is in the file itself, once and
completely, and fits into memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from rivals._files import MAX_BYTES, check_memory, check_nesting, reading
from rivals._say.optional import need
from rivals._say.words import show

CLASSIC = b"CDF"  # first bytes of a NetCDF file that is not HDF5
# What NetCDF writes for a dimension without coordinates, which has no values.
NO_VARIABLE = b"This is a netCDF dimension but not a netCDF variable"

# More texts than anybody lists in an attribute; and bytes of texts that are read at once.
MANY_TEXTS = 64
AT_ONCE = 2**28


def open_netcdf(path: Path) -> Any:
    """The tree of groups in a NetCDF file, loaded."""
    xarray = need("xarray", extra="arviz", purpose="NetCDF files")
    with reading(path, "a NetCDF file"):
        with path.open("rb") as file:
            classic = file.read(3) == CLASSIC
        if classic:
            return _open_classic(xarray, path)
        need("h5netcdf", extra="arviz", purpose="NetCDF files")
        _check_hdf5(need("h5py", extra="arviz", purpose="NetCDF files"), path)
        with xarray.open_datatree(path, engine="h5netcdf") as tree:
            return tree.load()


def _open_classic(xarray: Any, path: Path) -> Any:
    """A file without groups. It is read into memory, because SciPy does not close a damaged one."""
    check_memory(path, path.stat().st_size)
    with xarray.open_dataset(BytesIO(path.read_bytes()), engine="scipy") as dataset:
        arrays = dataset.variables.values()
        check_memory(path, sum(array.size * max(array.dtype.itemsize, 8) for array in arrays))
        return dataset.load()


def _check_hdf5(hdf5: Any, path: Path) -> None:
    """Refuse links, arrays in other files, parts that are missing, and what would unpack to
    far more than the file has.
    """
    with hdf5.File(path, "r", rdcc_nbytes=MAX_BYTES) as file:  # to unpack each part once
        arrays = list(_arrays(hdf5, file))
        sizes = (
            max(array.dtype.itemsize, 8) * max(array.size, prod(array.chunks or ()))
            for array in arrays
        )
        check_memory(path, sum(sizes))
        for array in arrays:
            if array.is_virtual or array.external:
                raise ValueError(
                    f"its array {show(array.name)!r} is in other files, which are not read; copy it"
                )
            _check_complete(array)
            if array.ndim and hdf5.check_vlen_dtype(array.dtype) is not None:
                _check_lengths(array, path)


def _arrays(hdf5: Any, file: Any) -> Iterator[Any]:
    """All arrays. Each object has one name, so that there are no cycles, and no array
    counts twice.
    """
    groups = [file]
    seen = {hdf5.h5o.get_info(file.id).addr}
    _check_attributes(hdf5, file, "/")
    while groups:
        group = groups.pop()
        for name in group:
            where = f"{group.name.rstrip('/')}/{name}"
            check_nesting(where.count("/"))
            if not isinstance(group.get(name, getlink=True), hdf5.HardLink):
                raise ValueError(
                    f"{show(where)!r} is a link, which is not followed; copy what it points to"
                )
            node = group[name]
            address = hdf5.h5o.get_info(node.id).addr
            if address in seen:
                raise ValueError(
                    f"{show(where)!r} is another name of something in it; give all of it one name"
                )
            seen.add(address)
            _check_attributes(hdf5, node, where)
            if isinstance(node, hdf5.Group):
                groups.append(node)
            elif isinstance(node, hdf5.Dataset) and node.shape is not None:
                yield node


def _check_attributes(hdf5: Any, node: Any, where: str) -> None:
    """Lists of texts are refused, beyond the few that anybody writes: one text may stand in
    every place, and all are loaded.
    """
    for name in node.attrs:
        attribute = node.attrs.get_id(name)
        n_texts = prod(attribute.shape)
        if hdf5.check_vlen_dtype(attribute.dtype) is not None and n_texts > MANY_TEXTS:
            found = f"the attribute {show(name)!r} of {show(where)!r} lists {n_texts} texts"
            raise ValueError(f"{found}; remove it")


def _check_complete(array: Any) -> None:
    """A part that was never written would be read as fill values."""
    if array.size == 0 or bytes(array.attrs.get("NAME", b"")).startswith(NO_VARIABLE):
        return
    parts = zip(array.shape, array.chunks or array.shape, strict=True)
    expected = prod(-(-length // part) for length, part in parts)
    found = int(array.id.get_storage_size() > 0)
    if array.chunks:
        found = array.id.get_num_chunks()
    if found < expected:
        raise ValueError(
            f"{expected - found} of {expected} parts of its array {show(array.name)!r} are "
            "missing, and would be read as fill values"
        )


def _check_lengths(array: Any, path: Path) -> None:
    """Texts of any length: one that is stored once may stand in every cell. So many are
    read at once as are small, if each is the file.
    """
    step = max(1, AT_ONCE // path.stat().st_size)
    needed = 0
    for *place, begin in product(*map(range, array.shape[:-1]), range(0, array.shape[-1], step)):
        needed += sum(map(len, array[(*place, slice(begin, begin + step))]))
        check_memory(path, needed)
