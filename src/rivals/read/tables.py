"""Tables of losses: long (model, kind, loss), or wide (one column per model), from files,
data frames and mappings.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import product, repeat
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from rivals._say.rows import is_missing
from rivals._say.words import listed, show
from rivals._types import FloatArray, IntArray
from rivals.losses import Losses
from rivals.read.cells import as_losses, as_text, at_row, check_names, check_values, finite
from rivals.read.columns import Column, columns_of

LONG = ("model", "kind", "loss")
KINDS = ("observed", "synthetic")
SIMULATION = "simulation"  # the optional column that tells simulations apart

# With how many names a wrong one is compared, if it is not longer than names are.
MANY_TO_COMPARE, LONG_NAME = 2000, 200

NO_SIMULATION = "the cell is empty; say which simulation this loss belongs to"

# Losses by model, and option → the label of each observed point.
Found = tuple[dict[str, Losses], dict[str, list[Any]]]
Table = tuple[str, dict[str, Column]]  # its name for messages, and its columns
Rows = tuple[IntArray, dict[str, IntArray]]  # of the observed losses, and of each simulation
Key = TypeVar("Key", bound=Hashable)


def long_table(
    table: Any,
    *,
    models: Iterable[str] | None = None,
    index: str | None = None,
    groups: str | None = None,
    log_likelihood: bool = False,
) -> dict[str, Losses]:
    """Losses from a table with one loss per row: columns `model`, `kind` (observed or
    synthetic) and `loss`.

    Parameters
    ----------
    table : path, data frame or mapping
        A file (.csv, .csv.gz, .tsv, .parquet, .xlsx), a data frame (pandas, polars, also
        lazy, pyarrow, and others that narwhals supports), or a mapping of columns. With
        several simulations a column `simulation` says which one a synthetic loss belongs
        to, by a number or a name; for observed losses it is ignored, and so are columns of
        other names. With three groups or more, no synthetic losses are needed.
    models : iterable of str, optional
        The models to read; all by default.
    index : str, optional
        The column that names the data points. The rows of every model, and of every
        simulation whose cells in it are not empty, are put into the order of the observed
        rows of the first model; they must be of the same points.
    groups : str, optional
        The column that says to which replication an observed point belongs. The losses
        carry it, and `compare` uses it.
    log_likelihood : bool
        Whether the table holds log likelihoods (higher is better); losses are their negatives.

    Returns
    -------
    dict
        Name → `Losses`, in the order in which the models first appear; simulations likewise.

    Examples
    --------
    >>> kinds = ["observed", "observed", "synthetic", "synthetic"]
    >>> long_table({"model": ["A"] * 4, "kind": kinds, "loss": [1.0, 2.0, 1.5, 1.0]})
    {'A': Losses(2 observed, 2 synthetic, empirical risk 1.5)}
    """
    return carrying(
        read_long(
            table, Selection.checked(models, (), groups, index=index, log_likelihood=log_likelihood)
        )
    )


def wide_tables(
    observed: Any,
    synthetic: Any = None,
    *,
    models: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    index: str | None = None,
    groups: str | None = None,
    log_likelihood: bool = False,
) -> dict[str, Losses]:
    """Losses from two tables with one column per model, the same models in both; or from
    the observed one.

    Parameters
    ----------
    observed, synthetic : path, data frame or mapping
        Losses on held-out data, and on the model's own simulations: files (.csv, .csv.gz,
        .tsv, .parquet, .xlsx), data frames (pandas, polars, also lazy, pyarrow, and others
        that narwhals supports), or mappings of columns. With several simulations a column
        `simulation` of the synthetic table says which one a row belongs to, by a number or
        a name; each has the same number of rows. With three groups or more, no synthetic
        table is needed.
    models : iterable of str, optional
        The columns that are models; all by default, and then a column that looks like an
        index is refused.
    ignore : iterable of str
        Columns to leave out, such as an id or a fold.
    index : str, optional
        The column of both tables that names the data points. The rows of every simulation
        are put into the order of the observed ones; they must be of the same points.
    groups : str, optional
        The column that says to which replication an observed point belongs. The losses
        carry it, and `compare` uses it.
    log_likelihood : bool
        Whether the table holds log likelihoods (higher is better); losses are their negatives.

    Returns
    -------
    dict
        Name → `Losses`, in the order of the columns of `observed`.

    Examples
    --------
    >>> wide_tables({"A": [1.0, 2.0], "B": [2.0, 2.5]}, {"A": [1.5, 1.0], "B": [2.2, 2.1]})["B"]
    Losses(2 observed, 2 synthetic, empirical risk 2.25)
    """
    selection = Selection.checked(
        models, ignore, groups, index=index, log_likelihood=log_likelihood
    )
    return carrying(read_wide(observed, synthetic, selection))


@dataclass(frozen=True)
class Selection:
    """What to read from a table: which models, all if None, and what to leave out; and what
    the other columns are.
    """

    models: Collection[str] | None = None
    ignore: Collection[str] = ()
    index: str | None = None  # the column that names the points
    labels: Mapping[str, str] = field(
        default_factory=dict
    )  # option → the column that it names: groups, clusters
    log_likelihood: bool = False

    @classmethod
    def checked(
        cls, models: Iterable[str] | None, ignore: Iterable[str], groups: str | None, **others: Any
    ) -> Self:
        """From what a user gives: one name, or several."""
        wanted, left_out = (
            (names,) if isinstance(names, str) else names for names in (models, ignore)
        )
        labels = {} if groups is None else {"groups": groups}
        return cls(
            None if wanted is None else tuple(wanted),
            tuple(left_out or ()),
            labels=labels,
            **others,
        )

    @property
    def text(self) -> set[str]:
        """The columns that are always text: names, and those that the user names."""
        return {
            "model",
            "kind",
            SIMULATION,
            *self.labels.values(),
            *([] if self.index is None else [self.index]),
        }

    def signed(self, values: FloatArray) -> FloatArray:
        """Losses, if these are log likelihoods."""
        return -values if self.log_likelihood else values

    def of(self, names: Iterable[str], where: str) -> list[str]:
        """The selected names, in their order."""
        there = dict.fromkeys(names)
        for option, wanted in (("models", self.models or ()), ("ignore", self.ignore)):
            for name in wanted:
                if name not in there:
                    raise ValueError(
                        f"{option}: {where} has no {show(name)!r}; {_hint(name, there)}"
                    )
        left = set(there if self.models is None else self.models).difference(self.ignore)
        return [name for name in there if name in left]


def carrying(found: Found) -> dict[str, Losses]:
    """The losses with the groups of their points."""
    losses, labels = found
    if "groups" not in labels:
        return losses
    groups = np.array(labels["groups"], dtype=object)
    return {name: replace(sample, groups=groups) for name, sample in losses.items()}


def make_losses(
    name: str, observed: npt.NDArray[Any], synthetic: npt.NDArray[Any], where: str
) -> Losses:
    """Losses of one model, without simulations if there are no synthetic losses; errors
    name the model.
    """
    try:
        return Losses(observed, synthetic) if synthetic.size else Losses(observed)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}, model {show(name)!r}: {error}") from None


def read_wide(observed: Any, synthetic: Any, selection: Selection) -> Found:
    """One wide table or two."""
    tables = (table for table in (observed, synthetic) if table is not None)
    return _by_column([columns_of(table, selection.text) for table in tables], selection)


def read_long(table: Any, selection: Selection) -> Found:
    """A long table. If it is a wide one, and the replications of its points are named, that
    is enough.
    """
    where, columns = columns_of(table, selection.text)
    absent = [name for name in LONG if name not in columns]
    beside = {*selection.ignore, *selection.labels.values(), selection.index}
    text = [
        name
        for name, column in columns.items()
        if column.dtype.kind in "OUST" and name not in beside
    ]
    if "loss" in columns and absent and text:
        raise ValueError(
            f"{where}: no column {', '.join(map(repr, absent))}, but one called 'loss', and "
            f"text in {listed(text)}; a long table has the columns model (its name), kind "
            "(observed or synthetic) and loss: rename or add what is missing"
        )
    if absent and selection.labels:
        return _by_column([(where, columns)], selection)
    if absent:
        raise ValueError(
            f"{where}: no column {', '.join(map(repr, absent))}; a long table needs "
            f"{', '.join(LONG)}, and this one has {listed(list(columns))}; if it has one "
            "column per model, give a second file with the synthetic losses in the same "
            "columns (wide_tables), or name the column of the replications (groups), which "
            "need none"
        )
    parts = _rows_of_models(where, columns, selection)
    loss = selection.signed(as_losses(columns["loss"], f"{where}, column 'loss'"))
    losses = {}
    for name, (observed, simulations) in parts.items():
        place = f"{where}, model {show(name)!r}"
        points = finite(loss, observed, "observed losses", place)
        losses[name] = make_losses(name, points, _stacked(loss, simulations, place), where)
    return losses, _labels(
        where, columns, selection, {name: observed for name, (observed, _) in parts.items()}
    )


def _labels(
    where: str, columns: Mapping[str, Column], selection: Selection, rows: Mapping[str, IntArray]
) -> dict[str, list[Any]]:
    """Option → the label of each observed point, in the column that it names: for all
    models the same, and none is missing.
    """
    labels: dict[str, list[Any]] = {}
    for option, column in selection.labels.items():
        _check_there(option, column, columns, where)
        cells = [cell.strip() if isinstance(cell, str) else cell for cell in columns[column]]
        for name, own in rows.items():
            found = [cells[row] for row in own.tolist()]
            missing = own[[is_missing(label) for label in found]]  # and cannot be compared
            if missing.size:
                what = (
                    f"the cell is empty, as are {missing.size} of {own.size}; say to which "
                    f"of the {option} each point belongs"
                )
                raise at_row(f"{where}, column {show(column)!r}", int(missing[0]), what)
            if found != labels.setdefault(option, found):
                raise ValueError(
                    f"{where}: the {option} of model {show(name)!r} are not those of "
                    f"{show(next(iter(rows)))!r}; list the observed points of all models in "
                    "the same order, or name the points in a column and pass index "
                    "(--index)"
                )
    return labels


def _by_column(tables: list[Table], selection: Selection) -> Found:
    """Losses from the columns of wide tables, each with its name for messages: the observed
    one, and mostly a synthetic one.
    """
    (where, first), (where_too, second) = tables[0], tables[-1]
    # A model may be called "simulation" if both tables have it.
    several = SIMULATION in second and SIMULATION not in first
    simulations = _simulations(tables, selection.index, several=several)
    labels = _labels(where, first, selection, {"": np.arange(len(next(iter(first.values()), ())))})
    beside = {selection.index, SIMULATION if several else None, *selection.labels.values()}
    names = selection.of(
        (name for _, columns in tables for name in columns if name not in beside),
        ", ".join(place for place, _ in tables),
    )
    if selection.models is None:
        check_names(names, where)
    for name in names:
        for (place, columns), (other, _) in zip(tables, reversed(tables), strict=True):
            if name not in columns:
                raise ValueError(
                    f"model {show(name)!r} has a column in {other}, but none in {place}; "
                    "observed and synthetic tables must have the same columns, but for "
                    "those that are left out (--ignore); or are the tables swapped?"
                )
    values = [
        {name: as_losses(columns[name], f"{place}, column {show(name)!r}", name) for name in names}
        for place, columns in tables
    ]
    if selection.models is None:
        check_values(values[0], values[1] if len(values) > 1 else {}, where)
    losses = {}
    for name in names:
        samples = [selection.signed(columns[name]) for columns in values]
        points = finite(
            samples[0], slice(None), "observed losses", f"{where}, column {show(name)!r}"
        )
        synthetic = _stacked(samples[-1], simulations, f"{where_too}, column {show(name)!r}")
        losses[name] = make_losses(name, points, synthetic, where)
    return losses, labels


def _simulations(
    tables: list[Table], index: str | None, *, several: bool
) -> Mapping[str, IntArray | slice]:
    """The rows of each simulation in the synthetic table, in the order of the observed
    points where an index names them.
    """
    points = (
        [] if index is None else [_index_of(columns, index, where) for where, columns in tables]
    )
    if len(tables) < 2:
        return {}
    (where, _), (where_too, second) = tables
    simulations: Mapping[str, IntArray | slice] = {"": slice(None)}
    if several:
        labels = [as_text(cell) for cell in second[SIMULATION].tolist()]
        if "" in labels:
            raise at_row(f"{where_too}, column {SIMULATION!r}", labels.index(""), NO_SIMULATION)
        simulations = _rows_by(labels)
    if not points:
        return simulations
    reference = _by_point(points[0], range(len(points[0])), f"{where}, column {show(index)!r}")
    place, everything = f"{where_too}, column {show(index)!r}", np.arange(len(points[1]))
    return {
        label: _in_order(
            _by_point(points[1], everything[rows].tolist(), place), reference, place, where
        )
        for label, rows in simulations.items()
    }


def _rows_of_models(
    where: str, columns: Mapping[str, Column], selection: Selection
) -> dict[str, Rows]:
    """Model → the rows of its observed losses, and those of each simulation: of the same
    points, where an index names them.
    """
    found: dict[str, dict[str, dict[str, IntArray]]] = {}
    for (model, kind, simulation), rows in _rows_by(_keys(where, columns)).items():
        found.setdefault(model, {each: {} for each in KINDS})[kind][simulation] = rows
    names = selection.of(found, where)
    if selection.index is not None:
        points = _index_of(columns, selection.index, where)
        reference: dict[str, int] = {}
        for name, kind in product(names, KINDS):
            place = f"{where}, column {show(selection.index)!r}, model {show(name)!r}, {kind}"
            for simulation, rows in found[name][kind].items():
                if kind == "observed" or any(points[row] for row in rows.tolist()):
                    own = _by_point(points, rows.tolist(), place)
                    reference = reference or own
                    whose = f"the observed losses of {show(names[0])!r}"
                    found[name][kind][simulation] = _in_order(own, reference, place, whose)
    none = np.empty(0, dtype=np.intp)
    return {
        name: (found[name]["observed"].get("", none), found[name]["synthetic"]) for name in names
    }


def _keys(where: str, columns: Mapping[str, Column]) -> Iterator[tuple[str, str, str]]:
    """The model, the kind and the simulation of each row of a long table; that of observed
    losses is ignored.
    """
    written: dict[str, Any] = {}
    models, kinds = columns["model"].tolist(), columns["kind"]
    simulations = columns[SIMULATION].tolist() if SIMULATION in columns else repeat("1")
    for row, (model, cell, simulation) in enumerate(zip(models, kinds, simulations, strict=False)):
        name, kind = str(model).strip(), str(cell).strip().lower()
        if is_missing(model):
            raise at_row(
                f"{where}, column 'model'", row, "the name of the model is empty; fill it in"
            )
        if (
            written.setdefault(name, model) != model
        ):  # 1 and "1", or "A" and "A ", would be the same
            found = (
                f"{show(repr(model))} is written {show(repr(written[name]))} elsewhere; use "
                "one of the two"
            )
            raise at_row(f"{where}, column 'model'", row, found)
        if kind not in KINDS:
            found = f"expected observed or synthetic; got {show(repr(str(cell)[:60]))}"
            raise at_row(f"{where}, column 'kind'", row, found)
        label = as_text(simulation) if kind == "synthetic" else ""
        if kind == "synthetic" and not label:
            raise at_row(f"{where}, column {SIMULATION!r}", row, NO_SIMULATION)
        yield name, kind, label


def _rows_by(keys: Iterable[Key]) -> dict[Key, IntArray]:
    """The rows of each key, in the order of first appearance. An array of names would take
    the memory of the longest in every row.
    """
    numbers: dict[Key, int] = {}
    codes = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)
    ends = np.cumsum(np.bincount(codes, minlength=len(numbers)))
    return dict(zip(numbers, np.split(np.argsort(codes, kind="stable"), ends[:-1]), strict=False))


def _stacked(
    losses: FloatArray, simulations: Mapping[str, IntArray | slice], where: str
) -> FloatArray:
    """Synthetic losses as a matrix, one row per simulation; one alone as a vector."""
    samples = {
        name: finite(losses, rows, "synthetic losses", where, simulated=True)
        for name, rows in simulations.items()
    }
    first = next(iter(samples), "")
    for name, sample in samples.items():
        if sample.size != samples[first].size:
            raise ValueError(
                f"{where}: simulation {show(name)!r} has {sample.size} losses, but "
                f"simulation {show(first)!r} has {samples[first].size}; all simulations of "
                "a model must have as many"
            )
    return np.stack(list(samples.values())) if len(samples) > 1 else samples.get(first, np.empty(0))


def _index_of(columns: Mapping[str, Column], index: str, where: str) -> list[str]:
    """The cells of the index column as text; empty cells stay empty."""
    _check_there("index", index, columns, where)
    return [as_text(cell) for cell in columns[index].tolist()]


def _by_point(points: list[str], rows: Iterable[int], where: str) -> dict[str, int]:
    """Point → its row among these: an index names each point once."""
    found: dict[str, int] = {}
    for row in rows:
        if not points[row]:
            raise at_row(where, row, "the cell of the index is empty; name the point")
        if points[row] in found:
            raise at_row(
                where,
                row,
                f"the point {show(points[row])!r} occurs twice; an index names each point once",
            )
        found[points[row]] = row
    return found


def _in_order(
    own: Mapping[str, int], reference: Mapping[str, int], where: str, whose: str
) -> IntArray:
    """These rows in the order of the reference, if they are of the same points."""
    for point, row in own.items():
        if point not in reference:
            found = (
                f"the point {show(point)!r} is not among those of {whose}; all must have "
                "the same points"
            )
            raise at_row(where, row, found)
    for point in reference:
        if point not in own:
            raise ValueError(
                f"{where}: no row for the point {show(point)!r} of {whose}; all must have "
                "the same points"
            )
    return np.array([own[point] for point in reference], dtype=np.intp)


def _check_there(option: str, name: str, columns: Mapping[str, Column], where: str) -> None:
    if name not in columns:
        raise ValueError(f"{option}: {where} has no column {show(name)!r}; {_hint(name, columns)}")


def _hint(name: str, there: Collection[str]) -> str:
    near = (
        get_close_matches(name, list(there)[:MANY_TO_COMPARE], n=1) if len(name) < LONG_NAME else []
    )
    return f"did you mean {show(near[0])!r}?" if near else f"it has {listed(list(there))}"
