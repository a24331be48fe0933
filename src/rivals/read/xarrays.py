"""Labelled arrays of losses (xarray)."""

from __future__ import annotations

from typing import Any

from rivals._checks import show
from rivals.losses import Losses
from rivals.read.loss_tables import KINDS, make_losses


def dataset(source: Any, *, model: str = "model", simulation: str = "simulation") -> dict[str, Losses]:
    """Losses from an xarray Dataset with the variables `observed` and `synthetic`.

    Parameters
    ----------
    source : xarray.Dataset
        Its two variables have the dimension `model`, with the names as coordinate, and others, which are flattened. The
        numbers of observed and synthetic losses may differ if their other dimensions do.
    model : str
        The dimension that tells models apart.
    simulation : str
        The dimension that tells simulations apart, where the synthetic losses have one.

    Returns
    -------
    dict
        Name → `Losses`, in the order of the coordinate.

    Examples
    --------
    >>> import xarray
    >>> arrays = {kind: (("model", "point"), [[1.0, 2.0], [2.0, 3.0]]) for kind in ("observed", "synthetic")}
    >>> dataset(xarray.Dataset(arrays, coords={"model": ["A", "B"]}))["B"]
    Losses(2 observed, 2 synthetic, empirical risk 2.5)
    """
    where = "the dataset"
    for kind in KINDS:
        if kind not in source:
            raise ValueError(f"{where}: no variable {kind!r}; it has {[show(name) for name in source]}")
        if model not in source[kind].dims:
            raise ValueError(
                f"{where}: variable {kind!r} has no dimension {model!r} to tell models apart; it has {source[kind].dims}; pass model="
            )
    if model not in source.coords:
        raise ValueError(f"{where}: the dimension {model!r} has no coordinate, so models have no names; give it one")
    names = [str(name) for name in source[model].values]
    observed = source["observed"].transpose(model, ...).values.reshape(len(names), -1)
    several = (simulation,) if simulation in source["synthetic"].dims else ()
    synthetic = source["synthetic"].transpose(model, *several, ...).values
    synthetic = synthetic.reshape(*synthetic.shape[: 1 + len(several)], -1)
    return {name: make_losses(name, observed[row], synthetic[row], where) for row, name in enumerate(names)}
