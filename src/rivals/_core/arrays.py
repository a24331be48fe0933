"""The gate for arrays: numbers, targets and labels of any library, each for one point.

What passes is plain NumPy that nobody else can write to. Masks, dates, durations, mappings and
missing values are refused, whatever library holds them, and rows belong together by their index.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._core.optional import need
from rivals._core.texts import Refusal, WrongKind
from rivals._core.types import FloatArray, IntArray

# Squares of larger losses may overflow. One place refuses them, and nothing is scaled.
LARGEST = 1e150
# Characters of a value that an error shows.
SHOWN = 60
# Whole numbers so close together, in units of how many there are, are places of a table.
DENSE = 2
# Codes below this, as categories have, are places of a table in any case.
FEW_CODES = 2**16
# Rows in which codes are looked for at a time: what the processor's cache holds.
ROWS_TOGETHER = 2**16


@dataclass(frozen=True, eq=False)
class Points:
    """One value for each point, and the labels of the rows that they came with.

    Attributes
    ----------
    values : array
        That nobody else can write to.
    index : pandas.Index or None

    """

    values: npt.NDArray[Any]
    index: Any = None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """The values alone, for NumPy."""
        return np.array(self.values, dtype=dtype, copy=copy)


def numbers(given: Any, what: str) -> FloatArray:
    """Numbers of any shape, of which some may be nan.

    Examples
    --------
    >>> numbers([1, 2.5], "losses")
    array([1. , 2.5])
    """
    given = native(given)
    found = _array(given, what)
    kind = found.dtype.kind
    if kind in "mM":
        raise WrongKind(
            f"{what} must be numbers; got {'durations' if kind == 'm' else 'dates'}, whose size "
            "depends on their unit; divide them by a unit first, as by numpy.timedelta64(1, 's')"
        )
    if kind == "c":
        raise WrongKind(f"{what} must be numbers; got complex ones")
    if kind == "O":
        return sealed(_of_mixed(found, what))
    if kind not in "biuf":
        raise WrongKind(f"{what} must be numbers; got {_first_text(found)}")
    if found.dtype != np.float64:
        return sealed(found.astype(np.float64))
    # Arrow's memory never changes; what can be written to was just made from it.
    in_arrow = library_of(given) in ("polars", "pyarrow")
    return sealed(found) if in_arrow else own(found)


def finite(given: Any, what: str) -> FloatArray:
    """Numbers, all of them finite and of a size whose squares are."""
    found = numbers(given, what)
    # One pass each and no copy: a nan is neither at most nor at least anything.
    if not found.size or (found.max() <= LARGEST and found.min() >= -LARGEST):
        return found
    if np.isnan(found).any():
        missing = np.isnan(found)
        first = np.argwhere(missing)[0].tolist()
        raise ValueError(
            f"{what}: {missing.sum()} of {found.size} are missing (nan), the first at "
            f"{first[0] if found.ndim == 1 else tuple(first)}; leave these points out for all "
            "models, or mend the model"
        )
    if np.isposinf(found).any():
        raise ValueError(
            f"{what}: the model assigns zero probability to {np.isposinf(found).sum()} of "
            f"{found.size} observations (infinite loss); give it some noise"
        )
    if np.isneginf(found).any():
        raise ValueError(
            f"{what}: {np.isneginf(found).sum()} of {found.size} are minus infinity: a density "
            "that is infinite at a point cannot be compared"
        )
    raise ValueError(f"{what} beyond {LARGEST:g} cannot be squared; rescale the loss")


def targets(given: Any, what: str) -> npt.NDArray[Any]:
    """One number or label for each point, none missing, in its own type; a single column is one."""
    found = _array(given, what)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1:
        raise ValueError(
            f"{what}: expected one target for each point; got an array of shape {found.shape}. "
            "For several targets write a fit for rivals.read.leave_out that returns a distribution"
        )
    kind = found.dtype.kind
    if kind == "O":
        missing = np.array([is_missing(each) for each in found.tolist()], dtype=bool)
    else:
        missing = found != found
    if missing.any():
        raise ValueError(
            f"{what}: {missing.sum()} of {found.size} points have none, the first is point "
            f"{missing.argmax()} (from 0); leave these points out for all models"
        )
    if kind == "O" and not any(isinstance(each, (str, bytes)) for each in found.tolist()):
        return numbers(found, what)
    return own(found) if kind in "biufUSO" else numbers(found, what)


def common_index(given: Mapping[str, Any]) -> Any:
    """The index that all of some have, by what they are called; None where none has one.

    Rows belong together by it: where two differ, they are refused.
    """
    whose, index = "", None
    for what, each in given.items():
        own = index_of(each)
        if own is None:
            continue
        if index is None:
            whose, index = what, own
        elif own is not index and len(own) == len(index) and not own.equals(index):
            raise Refusal(
                f"{what}: the index differs from that of {whose}, so that rows may belong to other "
                "points; put both into one order (.reindex), or pass arrays"
            )
    return index


def index_of(values: Any) -> Any:
    """The labels of rows, of pandas or xarray; None of anything else."""
    index = getattr(values, "index", None)
    if hasattr(index, "equals"):
        return index
    dims = getattr(values, "dims", None)
    if isinstance(dims, tuple) and len(dims) == 1 and hasattr(values, "indexes"):
        return values.indexes.get(dims[0])
    return None


def library_of(values: Any) -> str:
    """The package that a type is from."""
    return type(values).__module__.partition(".")[0]


def native(values: Any) -> Any:
    """What narwhals holds; anything else as it is."""
    return values.to_native() if library_of(values) == "narwhals" else values


def sealed(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array that was just made, closed against writing."""
    values.setflags(write=False)
    return values


def own(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array that nobody else can write to: itself where that is so, else a copy."""
    root = values
    while isinstance(root.base, np.ndarray) and not root.flags.writeable:
        root = root.base
    is_closed = not root.flags.writeable and root.base is None
    return values if is_closed else sealed(values.copy())


# ---------------------------------------------------------------- arrays


def _array(given: Any, what: str) -> npt.NDArray[Any]:
    """An array of NumPy, whatever library it comes from; no mask is overlooked."""
    if isinstance(given, Points):
        return given.values
    if isinstance(given, (Mapping, Set)):
        raise WrongKind(
            f"{what}: expected an array, one entry for each point; got a {type(given).__name__}, "
            "which has no order of points"
        )
    if isinstance(given, (list, tuple)):
        return _of_list(given, what)
    if np.ma.isMaskedArray(given):
        hidden = int(np.ma.getmaskarray(given).sum())
        if hidden:
            raise Refusal(
                f"{what}: {hidden} of {np.size(given)} are masked; leave these points out for all "
                "models (array.compressed() of each, with the same mask)"
            )
        return np.asarray(np.ma.getdata(given))
    given = native(given)
    if library_of(given) == "pandas":
        return _of_pandas(given)
    return np.asarray(given)


def _of_list(given: Sequence[Any], what: str) -> npt.NDArray[Any]:
    """Of rows, or of single values; NumPy alone writes numbers, and what is missing, as text."""
    first = given[0] if given else None
    if hasattr(first, "__len__") and not isinstance(first, (str, bytes, Mapping, Set)):
        rows = [_array(each, what) for each in given]
        shapes = {row.shape for row in rows}
        if len(shapes) > 1:
            raise Refusal(f"{what}: rows have different shapes, {', '.join(map(str, shapes))}")
        return np.stack(rows)
    if not any(each is np.ma.masked for each in given):
        found = np.asarray(given)
        if found.dtype.kind not in "US":
            return found
    as_given = np.empty(len(given), dtype=object)
    as_given[:] = given
    return as_given


def _of_pandas(given: Any) -> npt.NDArray[Any]:
    """With nan where numbers are missing."""
    dtype = getattr(given, "dtype", None)
    if getattr(dtype, "_is_numeric", False) and not isinstance(dtype, np.dtype):
        return np.asarray(given.to_numpy(dtype=np.float64, na_value=math.nan))
    return np.asarray(given.to_numpy() if hasattr(given, "to_numpy") else given)


def _of_mixed(found: npt.NDArray[Any], what: str) -> FloatArray:
    """Of Python's own numbers; what is missing is nan."""
    values = np.empty(found.size)
    for place, value in enumerate(found.ravel().tolist()):
        if is_missing(value):
            values[place] = math.nan
        elif isinstance(value, (Real, Decimal, np.number, np.bool_)):
            try:
                values[place] = float(value)
            except OverflowError:
                raise Refusal(f"{what} beyond {LARGEST:g} cannot be squared; rescale") from None
        elif np.ndim(value) == 0 and hasattr(value, "__array__"):  # a tensor of one number
            values[place] = numbers(value, what)
        else:
            raise WrongKind(f"{what} must be numbers; got {value!r:.{SHOWN}}")
    return values.reshape(found.shape)


def _first_text(values: npt.NDArray[Any]) -> str:
    flat = values.ravel()
    return f"{flat[0].item()!r}"[:SHOWN] if flat.size else str(values.dtype)


# ---------------------------------------------------------------- labels


def factorised(labels: Any, what: str) -> tuple[IntArray, list[Any]]:
    """The code of each label, from 0 by first appearance, and the labels themselves.

    Each is coded by the library that holds it. None may be missing.
    """
    if isinstance(labels, Points):
        labels = labels.values
    if isinstance(labels, (Mapping, Set, str, bytes)) or not hasattr(labels, "__len__"):
        raise WrongKind(
            f"{what} must be one label for each point, in their order; got {labels!r:.{SHOWN}}"
        )
    labels = native(labels)
    try:
        codes, found = _coded(labels, what)
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        raise WrongKind(f"{what} must be one label for each point; got {labels[0]!r}") from None
    _check_labels(codes, found, what)
    return codes, found


def _coded(labels: Any, what: str) -> tuple[IntArray, list[Any]]:
    """Codes, which are −1 where a library says that a label is missing, and labels."""
    library = library_of(labels)
    if library == "pandas" and hasattr(labels, "factorize"):
        codes, found = labels.factorize()
        return np.asarray(codes, dtype=np.intp), list(found)
    if library == "polars":
        return _coded_by_polars(labels)
    if library == "pyarrow" and hasattr(labels, "dictionary_encode"):
        return _coded_by_arrow(labels)
    if isinstance(labels, (list, tuple)):
        return _coded_by_hash(labels)
    values = _array(labels, what)
    if values.ndim != 1:
        raise Refusal(
            f"{what} must be one label for each point; got an array of shape {values.shape}"
        )
    if values.dtype.kind in "iub":
        rows, codes = _by_appearance(values)
        return codes, values[rows].tolist()
    if values.dtype.kind in "mM":
        rows, codes = _by_appearance(values.view(np.int64))
        return codes, [_of_time(each) for each in values[rows]]
    return _coded_by_hash(values.tolist())


def _coded_by_hash(labels: Sequence[Any]) -> tuple[IntArray, list[Any]]:
    places: dict[Any, int] = {}
    codes = np.fromiter(
        (-1 if is_missing(label) else places.setdefault(label, len(places)) for label in labels),
        dtype=np.intp,
        count=len(labels),
    )
    return codes, list(places)


def _coded_by_polars(series: Any) -> tuple[IntArray, list[Any]]:
    """By their numbers: of texts as categories, of times as stored."""
    polars = need("polars", extra="table", purpose="labels of polars")
    dtype = series.dtype
    if series.null_count() or dtype.is_float() or dtype.is_nested() or dtype == polars.Object:
        return _coded_by_hash(series.to_list())
    if dtype.is_decimal() or dtype in (polars.String, polars.Binary):
        physical = series.cast(polars.String).cast(polars.Categorical).to_physical()
    else:
        physical = series.to_physical()
    rows, codes = _by_appearance(physical.to_numpy())
    return codes, series.gather(rows).to_list()


def _coded_by_arrow(labels: Any) -> tuple[IntArray, list[Any]]:
    """By Arrow's own dictionary, of which some entries may have no row."""
    if labels.null_count:
        return _coded_by_hash(labels.to_pylist())
    coded = labels.dictionary_encode()
    if hasattr(coded, "combine_chunks"):
        coded = coded.combine_chunks()
        coded = coded.chunk(0) if hasattr(coded, "chunk") else coded
    rows, codes = _by_appearance(coded.indices.to_numpy())
    return codes, coded.take(rows).to_pylist()


def _by_appearance(values: npt.NDArray[Any]) -> tuple[IntArray, IntArray]:
    """The first row of each whole number, and its code from 0 in that order.

    Those close together are places of a table, so that nothing is sorted.
    """
    values = values.astype(np.uint8) if values.dtype.kind == "b" else values
    least, most = (int(values.min()), int(values.max())) if values.size else (0, 0)
    if most - least < DENSE * values.size or (most < FEW_CODES and least >= 0):
        places = values.astype(np.intp)
        places -= least
        rows = _first_rows(places, most - least + 1)
        rank = np.zeros(most - least + 1, dtype=np.intp)
        rank[places[rows]] = np.arange(rows.size)
        return rows, rank.take(places, out=places)
    _, first, places = np.unique(values, return_index=True, return_inverse=True)
    rows = np.sort(first)
    rank = np.argsort(np.argsort(first, kind="stable"), kind="stable")
    return rows, rank[places.ravel()]


def _first_rows(places: IntArray, size: int) -> IntArray:
    """The row in which each place appears first, in this order; after a few rows, none is new."""
    seen = np.zeros(size, dtype=bool)
    found = [np.empty(0, dtype=np.intp)]
    for begin in range(0, places.size, ROWS_TOGETHER):
        part = places[begin : begin + ROWS_TOGETHER]
        new = np.flatnonzero(~seen.take(part))
        if new.size:
            first = new[np.sort(np.unique(part[new], return_index=True)[1])]
            seen[part[first]] = True
            found.append(begin + first)
    return np.concatenate(found)


def _check_labels(codes: IntArray, found: list[Any], what: str) -> None:
    """Refuse labels that are missing, and what no label can be."""
    bad = np.array([is_missing(label) for label in found], dtype=bool)
    if bad.any():
        codes = np.where(np.isin(codes, np.flatnonzero(bad)), -1, codes)
    if codes.size and codes.min() < 0:
        raise Refusal(
            f"{what}: the label of point {int(np.argmin(codes))} is missing; leave such points "
            "out, or name their group"
        )
    for label in found:
        if isinstance(label, (tuple, frozenset, list, dict)):
            raise WrongKind(
                f"{what}: the label {label!r:.{SHOWN}} is a {type(label).__name__}; write each as "
                "one text, as 'school 3, class b'"
            )


def is_missing(label: Any) -> bool:
    """Whether there is nothing: None, nan, NaT, pandas.NA, a masked value, or an empty text."""
    if label is None or label is np.ma.masked:
        return True
    if isinstance(label, (str, bytes)):
        return not label
    try:
        return bool(label != label)
    except (TypeError, ValueError):  # pandas.NA is neither equal to itself nor different
        return type(label).__name__ == "NAType"


def _of_time(value: Any) -> Any:
    """A moment or a duration of NumPy, as Python has it; to its last digit as text."""
    if np.isnat(value):
        return None
    kind = "M8[us]" if value.dtype.kind == "M" else "m8[us]"
    rounded = value.astype(kind)
    return rounded.item() if rounded == value else str(value)


def spelled(label: Any) -> str:
    """A label as people write it: a whole number without a fraction, a day without a time."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    if isinstance(label, Decimal) and label == label.to_integral_value():
        return f"{label.to_integral_value():f}"
    if isinstance(label, bytes):
        return label.decode("utf-8", "backslashreplace")
    if isinstance(label, datetime):
        is_day = label.tzinfo is None and label.time() == time.min
        whole = is_day and not getattr(label, "nanosecond", 0)
        return label.date().isoformat() if whole else str(label)
    if isinstance(label, timedelta) and not getattr(label, "nanoseconds", 0):
        return str(timedelta(label.days, label.seconds, label.microseconds))
    if isinstance(label, date):
        return label.isoformat()
    return str(label)


def number_of(name: str) -> Decimal | str:
    """What a label is equal to: "1" and "1.0" are one number, to every digit; else its text."""
    try:
        value = Decimal(name)
    except InvalidOperation:
        return name.strip()
    return value if value.is_finite() else name.strip().lower()
