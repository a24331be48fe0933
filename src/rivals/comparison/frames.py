"""Data frames into `compare`: a column for each model, others named as groups or clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rivals._say.optional import need
from rivals._say.words import listed, show

# narwhals recognises data frames; these attributes of the class hint at one.
FRAME = ("columns", "column_names", "__dataframe__", "__arrow_c_stream__")


def columns_by_role(models: Any, labels: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The models, and the labels of the points by what they are, as "groups".

    In a data frame each column is the losses of a model, but those that a label names.

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
    names = [name for name, _ in columns]
    found = {}
    for what, given in labels.items():
        found[what] = given
        if not isinstance(given, str):
            continue
        if names.count(given) != 1:
            raise ValueError(
                f"{what}: the data frame has {names.count(given)} columns {show(given)!r}; it has "
                f"{listed([str(name) for name in names])}"
            )
        found[what] = columns[names.index(given)][1]
    taken = [given for given in labels.values() if isinstance(given, str)]
    return [(name, column) for name, column in columns if name not in taken], found


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
