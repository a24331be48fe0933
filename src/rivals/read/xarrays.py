"""Labelled arrays of losses (xarray)."""

from __future__ import annotations

from collections import Counter
from os import PathLike, fsdecode
from pathlib import Path
from typing import Any

from rivals._say.labels import is_missing
from rivals._say.samples import as_numbers
from rivals._say.words import show
from rivals._types import FloatArray
from rivals.losses import Losses
from rivals.read.netcdf_files import open_netcdf
from rivals.read.two_samples import KINDS, make_losses
from rivals.read.zarr_folders import ZARR, open_zarr


def dataset(
    source: Any,
    *,
    model: str = "model",
    simulation: str = "simulation",
    log_likelihood: bool = False,
) -> dict[str, Losses]:
    """Losses from an xarray Dataset with the variables `observed` and `synthetic`.

    Parameters
    ----------
    source : xarray.Dataset or path
        A dataset, a NetCDF file (.nc) or a Zarr folder. Its two variables have the
        dimension `model`, with the names as its coordinate, and others, which are
        flattened. The numbers of observed and synthetic losses may differ if their other
        dimensions do.
    model : str
        The dimension that tells models apart.
    simulation : str
        The dimension that tells simulations apart, if the synthetic losses have one.
    log_likelihood : bool
        Whether the variables are log likelihoods (higher is better); losses are their negatives.

    Returns
    -------
    dict
        Name → `Losses`, in the order of the coordinate.

    Examples
    --------
    >>> import xarray
    >>> losses = (("model", "point"), [[1.0, 2.0], [2.0, 3.0]])
    >>> arrays = {"observed": losses, "synthetic": losses}
    >>> dataset(xarray.Dataset(arrays, coords={"model": ["A", "B"]}))["B"]
    Losses(2 observed, 2 synthetic, empirical risk 2.5)
    """
    where = "the dataset"
    if isinstance(source, (str, bytes, PathLike)):
        where = show(fsdecode(source))
        source = open_labelled(source)
    source = getattr(source, "dataset", source)  # the root of a DataTree
    if not hasattr(source, "data_vars"):
        found = type(source).__name__
        raise TypeError(
            "expected an xarray Dataset, or the path of a NetCDF file or a Zarr folder; got "
            f"{found}"
        )
    _check_variables(source, model, where)
    names = _names(source[model].values, where)
    first_of_synthetic = [model]
    if simulation in source["synthetic"].dims:
        first_of_synthetic.append(simulation)
    observed = _values(source, "observed", [model], where)
    synthetic = _values(source, "synthetic", first_of_synthetic, where)
    if log_likelihood:
        observed = -observed
        synthetic = -synthetic
    return {
        name: make_losses(name, observed[row], synthetic[row], where)
        for row, name in enumerate(names)
    }


def _check_variables(source: Any, model: str, where: str) -> None:
    """Both kinds of losses are there, with a dimension that tells models apart by names."""
    for kind in KINDS:
        if kind not in source:
            raise ValueError(
                f"{where}: no variable {kind!r}; it has {[show(name) for name in source]}"
            )
        if model not in source[kind].dims:
            raise ValueError(
                f"{where}: variable {kind!r} has no dimension {model!r} to tell models apart; "
                f"it has {source[kind].dims}; pass model="
            )
    if model not in source.coords:
        raise ValueError(
            f"{where}: the dimension {model!r} has no coordinate, so models have no names; "
            "give it one"
        )


def _names(labels: Any, where: str) -> list[str]:
    """The names of the models, which are text and differ."""
    names = []
    for label in labels:
        if is_missing(label):
            names.append("")
        elif isinstance(label, bytes):
            names.append(label.decode(errors="replace"))
        else:
            names.append(str(label))
    wrong = [name for name, count in Counter(names).items() if count > 1 or not name.strip()]
    if wrong:
        raise ValueError(
            f"{where}: two models are called {show(wrong[0])!r}, or one has no name; names "
            "must differ"
        )
    return names


def _values(source: Any, kind: str, first: list[str], where: str) -> FloatArray:
    """The losses of a kind, with the dimensions `first` in front, and all others flattened."""
    array = source[kind].transpose(*first, ...)
    values = as_numbers(array.values, f"{where}, variable {kind!r}")
    return values.reshape(*values.shape[: len(first)], -1)


def open_labelled(path: str | bytes | PathLike[str]) -> Any:
    """The tree of groups in a NetCDF file or a Zarr folder, loaded."""
    path = Path(fsdecode(path))
    if path.suffix.lower() == ZARR and path.is_file():
        raise ValueError(f"{show(path)}: Zarr is read from folders, but this is a file; unpack it")
    return open_zarr(path) if path.is_dir() else open_netcdf(path)
