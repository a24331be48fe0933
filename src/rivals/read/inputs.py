"""Inputs and targets in common forms: arrays, data frames, sparse matrices, tensors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._say.labels import is_missing
from rivals._say.rows import in_index_order, row_labels
from rivals._say.samples import unmasked
from rivals._say.warn import warn
from rivals._say.words import show
from rivals._types import FloatArray, IntArray

# All candidates of a comparison are judged on the same data.
OF_ITS_OWN = (
    "if models have inputs of their own, pass model.losses((inputs, targets), "
    "n_simulations=16) of each"
)
# The left side of a formula that leaves the response as it is: names of columns, as they
# are, quoted, or marked as categories.
COLUMN = r"""\s*(?:[CI]\(\s*)?(?:[^\W\d][\w.]*|Q\(\s*(?:'[^']*'|"[^"]*")\s*\))\s*\)?\s*"""
AS_IT_IS = re.compile(rf"{COLUMN}(?:\+{COLUMN})*")


class AtPoint(ValueError):
    """Something is wrong with some points of the data, of which `point` is the first, from 0."""

    def __init__(self, found: str, point: int, remedy: str) -> None:
        super().__init__(f"{found}, the first at point {point} (from 0): {remedy}")
        self.found = found
        self.point = point
        self.remedy = remedy

    def among(self, rows: IntArray) -> AtPoint:
        """The same in data of which these points are the rows."""
        return AtPoint(self.found, int(rows[self.point]), self.remedy)


def as_pair(data: Any) -> tuple[Any, Any]:
    """Data of a model that maps inputs to targets: a pair, with one target for each input."""
    if not (isinstance(data, (tuple, list)) and len(data) == 2):
        raise TypeError(
            "data for an estimator is a pair (inputs, labels or targets); got "
            f"{type(data).__name__}. Sample weights are not supported: each point counts "
            "once; draw points by their weights"
        )
    inputs, targets = data
    _check_not_arrow(inputs, "inputs")
    _check_not_arrow(targets, "labels or targets")
    n_inputs = n_rows(inputs, "inputs")
    n_targets = n_rows(targets, "labels or targets")
    if n_inputs != n_targets:
        raise ValueError(
            f"there must be one label or target per input; got {n_inputs} inputs and "
            f"{n_targets} of them"
        )
    inputs = unmasked(inputs, "inputs")
    targets = unmasked(targets, "labels or targets")
    return inputs, in_index_order(targets, row_labels(inputs), "the targets", "the inputs")


def _check_not_arrow(values: Any, what: str) -> None:
    if library_of(values) == "pyarrow":
        raise TypeError(
            f"{what} are a pyarrow {type(values).__name__}, of which estimators cannot take rows; "
            "pass .to_pandas() of them"
        )


def as_vector(targets: Any) -> Any:
    """Targets that are a column, as the vector that estimators take; others as they are."""
    if isinstance(targets, (list, tuple)) and all(np.shape(row) == (1,) for row in targets):
        return [row[0] for row in targets]
    shape = getattr(targets, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2 or shape[1] != 1:
        return targets
    if hasattr(targets, "iloc"):
        return targets.iloc[:, 0]
    return targets[:, 0]


def check_all_there(targets: Any, what: str) -> None:
    """Refuse labels or targets of which some are missing, in any library's way."""
    values = as_values(targets, what)
    if values.dtype.kind == "f":
        missing = np.isnan(values)
    elif values.dtype.kind == "O":
        missing = np.array([is_missing(cell) for cell in values.ravel()]).reshape(values.shape)
    else:
        return
    points = np.flatnonzero(missing.reshape(len(values), -1).any(axis=1))
    if points.size:
        raise ValueError(
            f"{what}: {points.size} of {len(values)} points have no label or target, the first at "
            f"position {points[0]} (from 0); remove these points for all models"
        )


def labels_of_pair(inputs: Any, targets: Any) -> Any:
    """The labels of the rows of a pair: of its inputs, or of its targets; None without any."""
    index = row_labels(inputs)
    return row_labels(targets) if index is None else index


def n_rows(values: Any, what: str) -> int:
    """The number of points: rows of a table, sparse matrix or tensor; of a mapping, those
    of its columns.
    """
    if isinstance(values, Mapping):
        lengths = {name: n_rows(column, f"{what} '{name}'") for name, column in values.items()}
        if len(set(lengths.values())) != 1:
            raise ValueError(f"{what} have columns of different lengths: {lengths}")
        return next(iter(lengths.values()))
    if hasattr(values, "collect") and not hasattr(values, "shape"):
        raise TypeError(
            f"{what} are a {type(values).__name__}, which has not been computed yet; pass "
            ".collect() of it"
        )
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and len(shape):  # sparse matrices have no length
        return int(shape[0])
    try:
        return len(values)
    except TypeError:
        raise TypeError(
            f"{what}: expected an array or table, one row per point; got {type(values).__name__}"
        ) from None


def take(values: Any, rows: npt.NDArray[np.intp]) -> Any:
    """Some rows, in the form of the values."""
    if isinstance(values, Mapping):
        return {name: take(column, rows) for name, column in values.items()}
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "tocsr"):  # not all sparse formats can be indexed
        return values.tocsr()[rows]
    if isinstance(values, (list, tuple)):
        return [values[row] for row in rows]
    if type(values) is np.ndarray:
        return values.take(rows, axis=0)  # five times as fast as values[rows]
    return values[rows]


def library_of(model: Any) -> str:
    """The package that a model's own class comes from."""
    return type(model).__module__.partition(".")[0]


def chosen(names: Sequence[str], variable: str | None, where: str) -> str:
    """The variable that was named, or the only one."""
    if variable is None and len(names) == 1:
        return names[0]
    if variable is None or variable not in names:
        wrong = "no variable chosen" if variable is None else f"no variable {show(variable)!r}"
        raise ValueError(
            f"{where}: {wrong}; pass variable= one of {[show(name) for name in names]}"
        )
    return variable


def as_mapping(held_out: Any, library: str, what: str) -> dict[str, Any]:
    """Held-out data by name."""
    if not isinstance(held_out, Mapping):
        raise TypeError(
            f"held_out for {library} is a mapping, {what}; got {type(held_out).__name__}; for "
            "left_out_posterior pass data as a mapping, or held_out=, which makes one of rows"
        )
    return dict(held_out)


def some_rows(inputs: Any, n: int, rng: np.random.Generator) -> Any:
    """The inputs unchanged if n is their number; else n rows drawn from them."""
    n_inputs = n_rows(inputs, "inputs")
    if n == n_inputs:
        return inputs
    return take(inputs, rng.integers(0, n_inputs, size=n))


def check_inputs(of_data: Any, own: Any, who: str) -> None:
    """Warn if a candidate that simulates at its own inputs is judged on data at others."""
    if of_data is not own and _differ(of_data, own):
        warn(
            f"{who} simulates at other inputs ({n_rows(own, 'inputs')} rows) than those of "
            f"the data ({n_rows(of_data, 'inputs')} rows), so that its simulations are not "
            "of these data; make the candidate with the inputs of the held-out data; "
            f"{OF_ITS_OWN}"
        )


def check_columns(of_data: Any, own: Any, who: str) -> None:
    """Refuse data with other columns than those that a model takes by their place; of
    tables it may take them by name.
    """
    shapes: list[Any] = [getattr(each, "shape", ()) for each in (of_data, own)]
    found, taken = (set(map(str, getattr(each, "columns", ()))) for each in (of_data, own))
    by_name = found and taken and (found <= taken or taken <= found)
    if not by_name and [len(shape) for shape in shapes] == [2, 2] and shapes[0][1] != shapes[1][1]:
        raise ValueError(
            f"{who} takes {shapes[1][1]} columns of inputs; the data have {shapes[0][1]}; "
            f"{OF_ITS_OWN}"
        )


def _differ(some: Any, others: Any) -> bool:
    """Whether inputs are known to differ, by number or by value; frames by their values."""
    if n_rows(some, "inputs") != n_rows(others, "inputs"):
        return True
    try:
        a = as_values(some, "inputs")
        b = as_values(others, "inputs")
        return a.shape == b.shape and not bool(np.all((a == b) | ((a != a) & (b != b))))
    except (
        Exception
    ):  # sparse matrices, mappings, missing values that are neither equal nor different
        return False


def as_values(values: Any, what: str) -> npt.NDArray[Any]:
    """Labels, targets or predictions as an array; tensors are detached and copied to the CPU."""
    if hasattr(values, "tocsr"):
        raise TypeError(f"{what} are sparse ({type(values).__name__}); pass .toarray() of them")
    if callable(getattr(values, "detach", None)):
        values = values.detach().cpu()
        half = (
            values.dtype.itemsize <= 2 and values.is_floating_point()
        )  # NumPy may not have this type
        values = (values.float() if half else values).numpy()
    values = unmasked(values, what)
    try:
        return np.asarray(values)
    except Exception as error:
        raise TypeError(f"{what}: cannot be read as an array ({error})") from None


def as_targets(values: Any, what: str) -> FloatArray:
    """Targets or predictions as numbers."""
    array = as_values(values, what)
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what}: expected numbers; got dtype {array.dtype} ({error})") from None


def check_same_shape(predicted: tuple[int, ...], targets: tuple[int, ...], who: str) -> None:
    """Predictions or parameters match the targets element by element, and are not broadcast
    against them.
    """
    if predicted == targets:
        return
    remedy = "; they must agree, one row per point"
    if not predicted:
        remedy = ": a single value; predict must return one for each point"
    elif predicted == (*targets, 1):
        remedy = (
            ": it was fitted to a column, or its parameters are one; fit it to "
            "targets.ravel(), or pass the targets as a column too"
        )
    elif targets == (*predicted, 1):
        remedy = ": the targets are a column; pass targets.ravel()"
    raise ValueError(f"{who} predicts shape {predicted}, the targets have shape {targets}{remedy}")


def check_one_per_row(predicted: tuple[int, ...], n_points: int, who: str) -> None:
    """Predictions have a row for each row of the inputs."""
    if not predicted or predicted[0] != n_points:
        found = f"predictions of shape {predicted}" if predicted else "a single prediction"
        raise ValueError(
            f"{who} gives {found} for {n_points} rows of inputs; predict must return one for each"
        )


def check_response(results: Any) -> None:
    """Refuse a fit by formula to a function of the response: losses of the response itself
    would be wrong, and nothing would show it.
    """
    formula = getattr(getattr(results, "model", None), "formula", None)
    if not isinstance(formula, str):
        return
    response = formula.partition("~")[0]
    dummies = [each for each in np.atleast_1d(results.model.endog_names) if "[" in each]
    if dummies and hasattr(results.model, "family"):
        raise ValueError(
            f"the response {show(response.strip())!r} is no number, and statsmodels counts "
            f"{dummies[0]} as success; code it as 0 and 1 before the fit"
        )
    if not AS_IT_IS.fullmatch(response):
        raise ValueError(
            f"the formula {show(formula)!r} transforms the response, so that the losses "
            f"would be those of {show(response.strip())}. To judge it on the data as they "
            "are, write a rivals.Candidate whose loss has the Jacobian of the "
            "transformation (-log density of log y, plus log y) and whose simulate "
            "transforms back. To judge all models on the transformed response, fit to a "
            "column that holds it"
        )
