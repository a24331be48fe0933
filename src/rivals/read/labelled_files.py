"""Labelled arrays in files: NetCDF, and Zarr folders; checked before they are loaded."""

from __future__ import annotations

from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

from rivals._checks import need, show
from rivals._files import check_memory, check_plain_file, reading
from rivals.read.hdf5_checks import check_hdf5
from rivals.read.zarr_checks import METADATA, check_zarr

NETCDF = (".nc", ".nc4", ".netcdf", ".h5", ".hdf5")
ZARR = ".zarr"
CLASSIC = b"CDF"  # first bytes of a NetCDF file that is not HDF5


def is_labelled(path: str | PathLike[str]) -> bool:
    """Whether a file, by its name, or a folder, by what is in it, holds labelled arrays."""
    path = Path(path)
    return path.suffix.lower() in (*NETCDF, ZARR) or (
        path.is_dir() and any((path / name).exists() for name in (".zgroup", ".zmetadata", *METADATA))
    )


def open_labelled(path: str | PathLike[str]) -> Any:
    """The tree of groups in a NetCDF file or a Zarr folder, loaded."""
    path = Path(path)
    if path.is_dir():
        return _open_zarr(path)
    if path.suffix.lower() == ZARR and path.exists():
        raise ValueError(f"{show(path)}: Zarr is read from folders, but this is a file; unpack it")
    need("xarray", extra="arviz", purpose="NetCDF files")
    check_plain_file(path)
    with path.open("rb") as file:
        if file.read(3) == CLASSIC:
            return _open_classic(path)
    need("h5netcdf", extra="arviz", purpose="NetCDF files")
    hdf5 = need("h5py", extra="arviz", purpose="NetCDF files")
    with reading(path, "a NetCDF file"):
        check_hdf5(hdf5, path)
        return _loaded(path, "h5netcdf")


def _open_zarr(path: Path) -> Any:
    need("zarr", extra="zarr", purpose="Zarr")
    need("xarray", extra="zarr", purpose="Zarr")
    with reading(path, "a Zarr folder", folder=True):
        check_zarr(path)
        return _loaded(path, "zarr", consolidated=False)


def _loaded(path: Path, engine: str, **options: Any) -> Any:
    with need("xarray", extra="arviz", purpose=engine).open_datatree(path, engine=engine, **options) as tree:
        return tree.load()


def _open_classic(path: Path) -> Any:
    """A file without groups. It is read into memory, because SciPy does not close a damaged one."""
    xarray = need("xarray", extra="arviz", purpose="NetCDF files")
    with reading(path, "a NetCDF file"):
        check_memory(path, path.stat().st_size)
        with xarray.open_dataset(BytesIO(path.read_bytes()), engine="scipy") as dataset:
            arrays = dataset.variables.values()
            check_memory(path, sum(array.size * max(array.dtype.itemsize, 8) for array in arrays))
            return dataset.load()
