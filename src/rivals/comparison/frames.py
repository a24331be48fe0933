"""Data frames into `compare`: a column for each model, others named as groups or clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from rivals._say.optional import need
from rivals._say.samples import FEW_ROWS, MANY_NAMES, is_running_number, is_whole
from rivals._say.warn import warn
from rivals._say.words import listed, show

# narwhals recognises data frames; these attributes of the class hint at one.
FRAME = ("columns", "column_names", "__dataframe__", "__arrow_c_stream__")
INSTEAD = "leave it out of the frame, or name it by groups= or clusters= if it is that"


def columns_by_role(models: Any, labels: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The models, and the labels of the points by what they are, as "groups".

    In a data frame each column is the losses of a model, but those that a label names. The index of
    pandas may be named, too.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"A": [1.0, 2.0], "B": [2.0, 2.5], "school": ["n", "s"]})
    >>> models, labels = columns_by_role(frame, {"groups": "school", "clusters": None})
    >>> [name for name, _ in models], labels["groups"].name, labels["clusters"]
    (['A', 'B'], 'school', None)
    """
    if isinstance(models, Mapping) or not any(hasattr(type(models), name) for name in FRAME):
        for what, given in labels.items():
            if isinstance(given, str):
                raise TypeError(
                    f"{what}: got the text {show(given)!r}, which names a column of a data frame, "
                    "but models are none; pass the label of each point"
                )
        return models, dict(labels)
    columns = _columns(models)
    found = {}
    taken = []
    given = []
    for what, each in labels.items():
        found[what] = each
        if isinstance(each, str):
            found[what] = _column(models, columns, each, what)
            taken.append(each)
        elif each is not None:
            given.append(each)
    losses = []
    for name, column in columns:
        # frame["school"] given as groups is still a column of the frame, and no model.
        if name not in taken and not any(_same(column, each) for each in given):
            losses.append((name, column))
    _check_losses(losses)
    return losses, found


def _column(frame: Any, columns: Sequence[tuple[Any, Any]], given: str, what: str) -> Any:
    """The column of this name, or the index, where that is called so."""
    names = [name for name, _ in columns]
    if given not in names and given in getattr(getattr(frame, "index", None), "names", ()):
        return frame.index.get_level_values(given)
    _check_named_once(names, given, what)
    return columns[names.index(given)][1]


def _same(column: Any, labels: Any) -> bool:
    """Whether a column holds these labels, in their order."""
    values = np.asarray(column)
    others = np.asarray(labels)
    if values.shape != others.shape:
        return False
    if values.dtype.kind in "iuf" and others.dtype.kind in "iuf":
        return np.array_equal(values, others)
    # As text: missing values of pandas have no truth.
    return bool(np.array_equal(values.astype(str), others.astype(str)))


def _check_named_once(names: Sequence[Any], given: str, what: str) -> None:
    """Refuse the name of a column that is not there, or there twice."""
    if given in names and names.count(given) == 1:
        return
    there = [str(name) for name in names]
    if given in names:
        raise ValueError(f"{what}: {names.count(given)} columns are called {show(given)!r}")
    near = get_close_matches(given, there, n=1)
    hint = f"; did you mean {show(near[0])!r}?" if near else ""
    raise ValueError(
        f"{what}: the data frame has no column {show(given)!r}; it has {listed(there)}{hint}"
    )


def _check_losses(models: Sequence[tuple[Any, Any]]) -> None:
    """Refuse columns that cannot be the losses of a model, and warn of those that hardly are."""
    whole = []
    for name, column in models:
        values = np.asarray(column)
        which = f"column {show(name)!r} of the data frame"
        if values.dtype.kind in "UOT" and any(isinstance(value, str) for value in values):
            raise TypeError(
                f"{which} holds text, and each column is taken as the losses of a model; {INSTEAD}"
            )
        if values.dtype.kind not in "iuf" or values.size < FEW_ROWS:
            continue
        if is_running_number(values):
            raise ValueError(
                f"{which} is a running number, and each column is taken as the losses of a model; "
                f"{INSTEAD}"
            )
        if is_whole(values):
            whole.append(which)
    if len(whole) == len(models):
        return
    for which in whole[:MANY_NAMES]:
        warn(f"{which} holds whole numbers only, unlike others; if it is no model, {INSTEAD}")


def _columns(frame: Any) -> list[tuple[Any, Any]]:
    """Names and columns; those of pandas keep their index."""
    if hasattr(frame, "iloc"):
        return list(frame.items())
    narwhals = need("narwhals", extra="table", purpose="data frames")
    try:
        table = narwhals.from_native(frame)
    except TypeError as error:
        found = f"{type(frame).__name__} is not a known kind of data frame"
        raise TypeError(f"{found} ({error}); pass a mapping from name to losses") from None
    if isinstance(table, narwhals.LazyFrame):
        table = table.collect()
    return [(column.name, column) for column in table.iter_columns()]
