"""Messages, and checks of user input. Every error names the culprit, what was found and what to do."""

from __future__ import annotations

import operator
import os
import re
import sys
import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rivals._types import FloatArray, IntArray, Model

Choice = TypeVar("Choice", bound=str)

PACKAGE = os.path.dirname(__file__) + os.sep

# Beyond this, sums over a sample and the continuation of its quantile function overflow.
LARGEST_LOSS = 1e300
# What NetCDF puts where nothing was written, about 9.97e36; some of its readers, but not all, take it for missing.
UNWRITTEN = 15 * 2.0**119
LONGEST_SHOWN = 20_000

# What was said already, where warnings are to be said once.
SAID: ContextVar[set[str] | None] = ContextVar("SAID", default=None)


# ---------------------------------------------------------------- messages


class RivalsWarning(UserWarning):
    """Something in the input makes the answer less reliable than it looks; the message says what to do.

    Examples
    --------
    >>> import warnings
    >>> warnings.filterwarnings("error", category=RivalsWarning)  # to be sure that none is overlooked
    >>> warnings.filterwarnings("default", category=RivalsWarning)
    """


def warn(message: str) -> None:
    """Warn with the location of the user's own line, however deep the call."""
    said = SAID.get()
    what = re.sub(r"\d+", "", message)  # the same with other numbers says nothing new
    if said is not None and what in said:
        return
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(
        message if said is None else f"{message} (said once for all experiments)",
        RivalsWarning,
        level,
    )
    if said is not None:
        said.add(what)


@contextmanager
def saying_once(said: set[str]) -> Iterator[None]:
    """Leave out warnings that were said before, but for their numbers, as a thousand experiments would repeat them."""
    before = SAID.set(said)
    try:
        yield
    finally:
        SAID.reset(before)


@contextmanager
def naming(model: str) -> Iterator[None]:
    """Put the name of the model before what is wrong with it; errors of its own functions get a note."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"model '{show(model)}': {error}") from error
    except Exception as error:
        error.add_note(f"while computing the losses of model '{show(model)}'")
        raise


def show(name: object) -> str:
    """A name made safe for a terminal and for messages: control characters, escapes and newlines are spelled out.

    Of text longer than any name, as a damaged file may hold, only the beginning is shown.
    """
    text = str(name)
    if len(text) > LONGEST_SHOWN:
        text = f"{text[:LONGEST_SHOWN]}… ({len(text)} characters)"
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def need(module: str, *, extra: str, purpose: str) -> Any:
    """Import an optional package, or say what it is needed for and which extra installs it.

    Examples
    --------
    >>> need("math", extra="plot", purpose="pictures").pi > 3
    True
    """
    try:
        return import_module(module)
    except ImportError as error:
        missing = error.name or module
        raise ImportError(
            f'{purpose}: the package {missing!r} is not installed; pip install "rivals[{extra}]"',
            name=missing,
        ) from None


# ---------------------------------------------------------------- models and losses


def check_model(model: Any, what: str = "") -> Model:
    """An object with the functions loss(data) and simulate(n, rng)."""
    if not (callable(getattr(model, "loss", None)) and callable(getattr(model, "simulate", None))):
        raise TypeError(
            f"{what}expected Losses, a pair (observed, synthetic), or a model with loss(data) and simulate(n, rng) such as a "
            f"Candidate, which rivals.read makes of models of other libraries; got {type(model).__name__}"
            + (
                f" of length {len(model)}; pass an array"
                if isinstance(model, (tuple, list))
                else ""
            )
        )
    checked: Model = model
    return checked


def models_in_turn(models: Any) -> Iterator[tuple[str, Any]]:
    """Models with their names, from a mapping or from pairs: at least two, with different names that are text.

    One after the other: an iterator of models need not hold all of them at once.
    """
    not_models = TypeError(
        "models must be a mapping from name to Losses, (observed, synthetic) or Candidate, or pairs of these; "
        + (
            "got a data frame; if its columns are losses of models, pass dict(frame)"
            if hasattr(models, "columns")
            else f"got {type(models).__name__} without names; pass {{'A': ..., 'B': ...}}, or what rivals.read.losses_from_files reads"
        )
    )
    pairs = models.items() if isinstance(models, Mapping) else models
    if not isinstance(pairs, Iterable):
        raise not_models
    seen: set[str] = set()
    for pair in pairs:
        try:
            name, model = pair
        except (TypeError, ValueError):
            raise not_models from None
        if not isinstance(name, str) and hasattr(name, "__len__"):  # losses, not a name
            raise not_models
        if check_name(name) in seen:
            raise ValueError(f"model '{show(name)}' is given twice; names must differ")
        seen.add(name)
        yield name, model
    if len(seen) < 2:
        raise ValueError(
            f"a comparison needs at least two models; got {len(seen)}: {[show(name) for name in seen]}"
        )


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


def check_name(name: Hashable) -> str:
    """Names are text, not empty, and can be written to a file."""
    if not isinstance(name, str):
        raise TypeError(
            f"model names must be text; got {show(repr(name))[:60]} of type {type(name).__name__}"
        )
    if not name.strip():
        raise ValueError(f"model names must not be empty; got {name!r}")
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"model names must be text: '{show(name[:60])}' has half a character (a lone surrogate) at position {error.start}, as from "
            "bytes in another encoding; rename the model"
        ) from None
    return name


# ---------------------------------------------------------------- numbers and words


def check_positive(value: Any, what: str, *, or_zero: bool = False) -> float:
    """A finite number above zero, or zero where that is allowed."""
    number = _as_number(value, what)
    if not (np.isfinite(number) and (number > 0 or (or_zero and number == 0))):
        raise ValueError(
            f"{what} must be a finite number{', 0 or more' if or_zero else ' above 0'}; got {value!r}"
        )
    return number


def check_threshold(value: Any) -> float:
    """A probability in (0.5, 1]."""
    number = _as_number(value, "threshold")
    if not 0.5 < number <= 1.0:
        raise ValueError(
            f"threshold must lie in (0.5, 1]: a rival rejects a model only if it is probably better; got {value!r}"
        )
    return number


def check_size(value: Any, what: str, *, least: int = 1) -> int:
    """A whole number, at least `least`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} must be a whole number; got {value!r}") from None
    if number < least:
        raise ValueError(f"{what} must be at least {least}; got {number}")
    return number


def check_choice(value: Any, what: str, choices: Sequence[Choice]) -> Choice:
    """One of a few words; a near miss gets a suggestion."""
    if value in choices:
        return choices[choices.index(value)]
    near = get_close_matches(str(value), choices, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(map(repr, choices))}"
    raise ValueError(
        f"{what} must be one of {', '.join(map(repr, choices))}: got {show(repr(value))}; {hint}"
    )


def check_depth(value: Any) -> int:
    """A number of refinements for which the tree fits into memory."""
    depth = check_size(value, "depth")
    if depth > 24:
        raise ValueError(f"depth must be at most 24 (a path of 16 million points); got {depth}")
    return depth


def _as_number(value: Any, what: str) -> float:
    if isinstance(value, (str, bytes, bool)) or value is None:
        raise TypeError(f"{what} must be a number; got {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{what} must be a number; got {show(repr(value))}") from None


# ---------------------------------------------------------------- labels of points


def is_missing(cell: Any) -> bool:
    """Whether a cell is empty, in any library's way: None, NaN, NA, NaT, blanks."""
    if cell is None:
        return True
    if isinstance(cell, str):
        return not cell.strip()
    try:
        return bool(cell != cell)
    except (TypeError, ValueError):  # pandas.NA is neither equal nor different
        return True


def read_groups(
    values: Any, n_points: int, what: str = "groups"
) -> tuple[IntArray, tuple[str, ...]]:
    """The group of each point as whole numbers from 0, and the names of the groups; labels may be of any kind.

    Examples
    --------
    >>> read_groups(["b", "a", "b"], 3)
    (array([1, 0, 1]), ('a', 'b'))
    """
    labels = np.asarray(values)
    if labels.ndim != 1 or labels.size != n_points:
        raise ValueError(
            f"{what}: got shape {labels.shape}; pass one label for each of {n_points} observed points"
        )
    missing = np.array([is_missing(label) for label in labels.tolist()])
    if missing.any():
        raise ValueError(
            f"{what}: {int(missing.sum())} of {n_points} points have no label, the first at position "
            f"{int(missing.argmax())} (from 0); name their group, or remove these points for all models"
        )
    names, codes = np.unique(
        labels.astype(str) if labels.dtype == object else labels, return_inverse=True
    )
    return np.asarray(codes, dtype=np.intp), tuple(map(str, names.tolist()))


def row_labels(values: Any) -> Any:
    """The labels of the rows of a Series or data frame; None for an array, whose rows have none."""
    return values.index if hasattr(values, "iloc") else None


def in_index_order(values: Any, reference: Any, who: str, whose: str) -> Any:
    """The values in the order of the labels `reference`, if both have labels."""
    rows = rows_in_order(row_labels(values), reference, who, whose)
    return values if rows is None else values.iloc[rows]


def rows_in_order(own: Any, reference: Any, who: str, whose: str) -> IntArray | None:
    """Where the rows of `own` stand that have the labels of `reference`, in that order; None if they are so already.

    Examples
    --------
    >>> import pandas
    >>> rows_in_order(pandas.Index(["a", "b"]), pandas.Index(["a", "b"]), "B", "A") is None
    True
    """
    if own is None or reference is None or own.equals(reference):
        return None
    remedy = "give both the labels of their points, or pass .to_numpy() of both if their rows are of the same points in the same order"
    if not (own.is_unique and reference.is_unique):
        raise ValueError(
            f"the index of {who} and that of {whose} differ, and a label in them occurs twice; {remedy}"
        )
    rows = np.asarray(own.get_indexer(reference), dtype=np.intp)
    if len(own) != len(reference) or np.any(rows < 0):
        missing = reference[rows < 0]
        found = (
            f"the label {getattr(missing[0], 'item', lambda: missing[0])()!r} of {whose} is not among those of {who}"
            if len(missing)
            else f"{who} has {len(own)} rows, {whose} {len(reference)}"
        )
        raise ValueError(f"{who} and {whose} have rows with different labels: {found}; {remedy}")
    warn(
        f"the rows of {who} stand in another order than those of {whose}; they were put into that order by their index"
    )
    return rows
