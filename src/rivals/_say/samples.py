"""Checks of losses: real numbers, finite, one for each point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._say.words import show
from rivals._types import FloatArray

# Beyond this, sums over a sample and the continuation of its quantile function overflow.
LARGEST_LOSS = 1e300
# Numbers below 1e-307 have fewer digits the smaller they are: of a smaller range than this, less
# than eleven are left.
SMALLEST_RANGE = 1e-312
# What NetCDF puts where nothing was written, about 9.97e36; some of its readers, but not all,
# take it for missing.
UNWRITTEN = 15 * 2.0**119
# In fewer rows, losses may look like an index by chance, or in an example.
FEW_ROWS = 10
# How many columns are warned of.
MANY_NAMES = 12


def check_losses(
    values: Any, what: str, *, several: bool = False, simulated: bool = False
) -> FloatArray:
    """A private, read-only copy of a sample of losses as float64.

    If several, the rows of a matrix may be samples. Messages name the points that losses are of:
    simulated ones, or observations.
    """
    array = as_numbers(values, what)
    _check_shape(array.shape, what, several=several)
    check_finite(array, what, simulated=simulated)
    array.flags.writeable = False
    return array


def _check_shape(shape: tuple[int, ...], what: str, *, several: bool) -> None:
    """Refuse what is not one loss for each of several points."""
    allowed = (1, 2) if several else (1,)
    if len(shape) not in allowed:
        expected = "a one-dimensional array"
        if several:
            expected = "an array, or a matrix with one row per simulation"
        remedy = "Pass the loss of each point, not their mean"
        if shape:
            remedy = "Flatten it, or sum over the extra axes"
        raise ValueError(
            f"{what}: expected {expected}, one loss per data point; got shape {shape}. {remedy}."
        )
    if len(shape) == 2 and shape[0] == 0:
        raise ValueError(
            f"{what}: no simulation in an array of shape {shape}; pass at least one row"
        )
    if shape[-1] < 2:
        raise ValueError(
            f"{what}: found {shape[-1]} value(s); a quantile function needs at least two, "
            "and hundreds to be useful"
        )


# ---------------------------------------------------------------- real numbers


def as_numbers(values: Any, what: str) -> FloatArray:
    """A copy as float64 of anything that holds real numbers and nothing else."""
    values = unmasked(values, what)
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
    if array.dtype == np.float64:
        return array.astype(np.float64, copy=True)
    with np.errstate(over="ignore"):  # from long doubles; the infinities are reported as such
        return array.astype(np.float64, copy=True)


def unmasked(values: Any, what: str) -> Any:
    """The values of a masked array in which nothing is masked; anything else as it is."""
    is_list = isinstance(values, (list, tuple))
    if is_list and any(isinstance(item, np.ma.MaskedArray) for item in values):
        values = np.ma.array(values)
    if not np.ma.isMaskedArray(values):
        return values
    n_masked = int(np.sum(np.ma.getmaskarray(values)))
    if n_masked:
        raise ValueError(
            f"{what}: {n_masked} of {values.size} values are masked, the first at position "
            f"{_position(np.argwhere(np.ma.getmaskarray(values))[0])} (from 0); "
            "remove these points for all models"
        )
    return values.data


def _position(index: Any) -> int | tuple[int, ...]:
    """Where something stands: a number in a vector, (row, column) in a matrix."""
    place = tuple(map(int, index))
    return place[0] if len(place) == 1 else place


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
        f"{what}: {len(numbers) - sum(numbers)} of {len(numbers)} entries are not numbers, "
        f"the first at position {position} (from 0): {show(repr(culprit))}; "
        "remove or replace them for all models"
    )


# ---------------------------------------------------------------- finite


@dataclass(frozen=True)
class NotFinite:
    """Losses that are not finite: how many, of which kind, where the first is, what to do."""

    count: int
    size: int
    kind: str
    first: tuple[int, ...]  # its index: (point,), or (simulation, point)
    remedy: str

    @property
    def found(self) -> str:
        """How many are of which kind."""
        return f"{self.count} of {self.size} are {self.kind}"


def check_finite(array: FloatArray, what: str, *, simulated: bool = False) -> None:
    """Refuse losses that are not finite, and say what each kind of them means."""
    culprit = find_not_finite(array, simulated=simulated)
    if culprit is None:
        return
    raise ValueError(
        f"{what}: {culprit.found}, the first at position {_position(culprit.first)} (from 0); "
        f"{culprit.remedy}"
    )


def check_digits(array: FloatArray, what: str) -> None:
    """Refuse losses so small that floating-point numbers cannot tell them apart."""
    extent = float(np.ptp(array))
    if 0.0 < extent < SMALLEST_RANGE:
        raise ValueError(
            f"{what}: they lie within {extent:.1g}, where floating-point numbers have few digits "
            "left; rescale the loss of all models, as by 1e300, before it becomes so small"
        )


def find_not_finite(array: FloatArray, *, simulated: bool = False) -> NotFinite | None:
    """The losses of the first kind, in the order below, that is not finite; None if all are.

    Examples
    --------
    >>> find_not_finite(np.array([0.1, np.nan])).found
    '1 of 2 are NaN'
    >>> find_not_finite(np.array([0.1, 0.2])) is None
    True
    """
    largest = max(-array.min(), array.max()) if array.size else np.nan
    if largest <= LARGEST_LOSS and largest != UNWRITTEN:  # not so if there are NaN
        return None
    infinite = array == np.inf
    points = "simulated points" if simulated else "observations"
    kinds = [
        (
            "NaN",
            np.isnan(array),
            "find out why the model gives no loss there, or remove these points for all models",
        ),
        (
            "infinite",
            infinite,
            f"the model assigns zero probability to {int(np.sum(infinite))} of {array.size} "
            f"{points}, so its risk is infinite. "
            "Give the model a noise term under which all data are possible",
        ),
        (
            "−inf",
            array == -np.inf,
            "a noise level of zero gives such an infinite density; bound it from below",
        ),
        (
            f"beyond {LARGEST_LOSS:g} in magnitude",
            np.abs(array) > LARGEST_LOSS,
            "rescale the loss",
        ),
        (
            "the fill value of NetCDF (9.97e36)",
            np.abs(array) == UNWRITTEN,
            "write them, or remove them for all models",
        ),
    ]
    for kind, is_of_kind, remedy in kinds:
        count = int(np.sum(is_of_kind))
        if count:
            first = tuple(map(int, np.argwhere(is_of_kind)[0]))
            return NotFinite(count, array.size, kind, first, remedy)
    return None


# ---------------------------------------------------------------- columns that are no losses


def is_running_number(column: npt.NDArray[Any]) -> bool:
    """Whether a column counts its rows.

    Examples
    --------
    >>> is_running_number(np.arange(5.0, 30.0)), is_running_number(np.arange(3.0))
    (True, False)
    """
    if column.size < FEW_ROWS:
        return False
    return _holds(column, lambda part: bool(np.all(np.diff(part) == 1)))


def is_whole(column: npt.NDArray[Any]) -> bool:
    """Whether a column holds whole numbers only."""
    return _holds(column, lambda part: np.array_equal(part, np.round(part)))


def _holds(column: npt.NDArray[Any], rule: Callable[[npt.NDArray[Any]], bool]) -> bool:
    """Whether a rule holds for a column; mostly its beginning tells that it does not."""
    return rule(column[:FEW_ROWS]) and rule(column)
