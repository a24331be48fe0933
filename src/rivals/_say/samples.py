"""Checks of losses: real numbers, finite, one for each point."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._say.words import show
from rivals._types import FloatArray

# Beyond this, sums over a sample and the continuation of its quantile function overflow.
LARGEST_LOSS = 1e300


# What NetCDF puts where nothing was written, about 9.97e36; some of its readers, but not all, take it for missing.
UNWRITTEN = 15 * 2.0**119


def check_losses(values: Any, what: str, *, several: bool = False) -> FloatArray:
    """A private, read-only copy of a sample of losses as float64; if several, the rows of a matrix may be samples."""
    array = as_numbers(values, what)
    if array.ndim not in ((1, 2) if several else (1,)):
        expected = (
            "an array, or a matrix with one row per simulation"
            if several
            else "a one-dimensional array"
        )
        remedy = (
            "Flatten it, or sum over the extra axes"
            if array.ndim
            else "Pass the loss of each point, not their mean"
        )
        raise ValueError(
            f"{what}: expected {expected}, one loss per data point; got shape {array.shape}. {remedy}."
        )
    if array.shape[0] == 0 and array.ndim == 2:
        raise ValueError(
            f"{what}: no simulation in an array of shape {array.shape}; pass at least one row"
        )
    if array.shape[-1] < 2:
        raise ValueError(
            f"{what}: found {array.shape[-1]} value(s); a quantile function needs at least two, and hundreds to be useful"
        )
    check_finite(array, what)
    array.flags.writeable = False
    return array


def as_numbers(values: Any, what: str) -> FloatArray:
    """A copy as float64 of anything that holds real numbers and nothing else."""
    if isinstance(values, (list, tuple)) and any(
        isinstance(item, np.ma.MaskedArray) for item in values
    ):
        values = np.ma.array(values)
    if np.ma.isMaskedArray(values):
        n_masked = int(np.sum(np.ma.getmaskarray(values)))
        if n_masked:
            raise ValueError(
                f"{what}: {n_masked} of {values.size} values are masked; remove these points for all models"
            )
        values = values.data
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise TypeError(f"{what}: cannot be read as an array of numbers ({error})") from None
    if array.dtype == object:  # from a list with None in it, or a nullable column
        array = _from_objects(array, what)
    if array.dtype.kind == "c":
        raise TypeError(f"{what}: complex numbers cannot be ordered; pass real losses")
    if array.dtype.kind not in "iufb":
        raise TypeError(
            f"{what}: expected numbers, found dtype {array.dtype}; convert them to float first"
        )
    with np.errstate(over="ignore"):  # from long doubles; the infinities are reported as such
        return array.astype(np.float64, copy=True)


def _from_objects(array: npt.NDArray[Any], what: str) -> npt.NDArray[Any]:
    numbers = [isinstance(item, (int, float, np.integer, np.floating)) for item in array.ravel()]
    if all(numbers):
        try:
            return array.astype(np.float64)
        except OverflowError:
            raise ValueError(
                f"{what}: some values are too large for floating-point numbers; rescale the loss"
            ) from None
    position = numbers.index(False)
    culprit = array.ravel()[position]
    raise TypeError(
        f"{what}: {len(numbers) - sum(numbers)} of {len(numbers)} entries are not numbers, the first at position "
        f"{position} (from 0): {show(repr(culprit))}; remove or replace them for all models"
    )


def check_finite(array: FloatArray, what: str) -> None:
    """Refuse losses that are not finite, and say what each kind of them means."""
    largest = max(-array.min(), array.max()) if array.size else np.nan
    if largest <= LARGEST_LOSS and largest != UNWRITTEN:  # not so if there are NaN
        return
    points = "simulated points" if "synthetic" in what else "observations"
    kinds = (
        (
            np.isnan(array),
            "NaN",
            "find out why the model gives no loss there, or remove these points for all models",
        ),
        (
            array == np.inf,
            "infinite",
            f"the model assigns zero probability to {int(np.sum(array == np.inf))} of {array.size} {points}, so its risk is infinite. Give "
            "the model a noise term under which all data are possible",
        ),
        (
            array == -np.inf,
            "−inf",
            "a noise level of zero gives such an infinite density; bound it from below",
        ),
        (np.abs(array) > LARGEST_LOSS, f"beyond {LARGEST_LOSS:g} in magnitude", "rescale the loss"),
        (
            np.abs(array) == UNWRITTEN,
            "the fill value of NetCDF (9.97e36)",
            "write them, or remove them for all models",
        ),
    )
    for found, kind, remedy in kinds:
        if found.any():
            index = tuple(map(int, np.argwhere(found)[0]))
            first = (
                index[0] if len(index) == 1 else index
            )  # of several simulations (simulation, point)
            count = f"{int(found.sum())} of {array.size}"
            raise ValueError(
                f"{what}: {count} are {kind}, the first at position {first} (from 0); {remedy}"
            )
