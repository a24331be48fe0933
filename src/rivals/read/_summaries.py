"""Summaries of groups: from tables on any engine, from estimates and their errors, from sites.

A table may be larger than memory: batches of its rows become sums of groups, on the workers of Dask
where these lie, and nothing else is kept. Sums are of *differences* between models, and relative to
typical losses: a large part that all losses share costs no digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from os import PathLike, fsdecode
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rivals._core.arrays import factorised, finite
from rivals._core.cells import CellSummaries, holds_cells
from rivals._core.grouping import noun_of
from rivals._core.losses import Provenance
from rivals._core.optional import need
from rivals._core.reducer import Reducer, rows_at_once
from rivals._core.summaries import GroupSummaries
from rivals._core.texts import Refusal, opt, text_of
from rivals._core.types import IntArray
from rivals.method.factors import joined
from rivals.read._estimates import Estimates, of_estimates
from rivals.read._frames import Frame, columns_of_models, first_line, listed, names_of, scanned

# Rows that decide what the columns are.
FIRST_ROWS = 1000
# Numbers that an engine hands over at a time.
MOST_NUMBERS = 2**20


def summaries(
    source: Any,
    *,
    groups: str | Iterable[str] | None = None,
    models: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    estimate: str | None = None,
    error: str | None = None,
    model: str | None = None,
    difference: str | None = None,
    baseline: str | None = None,
    covariance: Any = None,
    correlation: float | None = None,
    higher_is_better: bool | None = None,
    loss_name: str = "",
    unit: str = "",
    left_out: bool | None = None,
) -> GroupSummaries | CellSummaries:
    """Read what method "groups" needs, and no more.

    Parameters
    ----------
    source : data frame, path, or sites
        - A table of losses as for `table`, lazy or not, of any library that narwhals knows
          (polars, DuckDB, Dask, PySpark, Ibis), or a file: summed by its own engine.
        - With `estimate=`: a table of estimates, one row for each group and model or difference.
        - One path or several of what `GroupSummaries.to_json` wrote, or `GroupSummaries`
          themselves: joined.
    groups : str, or several
        The column that says which group a row belongs to, or those of several factors. Sites bring
        their groups.
    models : iterable of str, optional
        The columns that are models; all others by default. Of one estimated difference, the names
        of the two models: it is the loss of the first less that of the second.
    ignore : iterable of str
        Columns to leave out, such as an id.
    estimate, error : str
        The columns of the estimates and of their standard errors.
    model : str, optional
        The column that says which model an estimate is of. Estimates of models at the same points
        go together, so that `covariance` or `correlation` is needed as well.
    difference : str, optional
        The column that says which model an estimate is the difference of, from the baseline.
    baseline : str, optional
        What to call the model that differences are from.
    covariance : mapping or array, optional
        Of the estimates of one group: group → matrix, in the order in which models or differences
        first appear; or an array, groups × models × models. Its diagonal are squared errors.
    correlation : float, optional
        The same for all groups and all pairs of estimates: 0 for independent ones.
    higher_is_better : bool, optional
        Whether estimates are scores, such as an AUC; they are turned round. By default they are
        losses.
    loss_name, unit : str
        What the losses are, and their unit.
    left_out : bool, optional
        Whether each group was predicted by models fitted to the other groups.

    Returns
    -------
    GroupSummaries
        For `compare`. Of differences without covariance, only those from the baseline can be
        judged.

    Examples
    --------
    >>> import polars
    >>> frame = polars.LazyFrame(
    ...     {"site": ["a", "a", "b", "b"], "line": [1, 2, 3, 5], "step": [2.0, 2.0, 4.0, 5.0]}
    ... )
    >>> summaries(frame, groups="site").means.tolist()
    [[1.5, 4.0], [2.0, 4.5]]
    """
    said = Provenance(loss=loss_name, unit=unit, left_out=left_out)
    sites = _sites(source)
    if sites is not None:
        return joined_sites(sites)
    if groups is None:
        raise Refusal(f"{opt['groups']}: name the column that says which group a row belongs to")
    factors = names_of(groups)
    if estimate is not None:
        if len(factors) > 1:
            raise Refusal(f"{opt['groups']}: estimates are of groups of one factor; got {factors}")
        higher = bool(higher_is_better)
        form = Estimates(factors[0], estimate, error, model, difference, baseline, higher)
        names = None if models is None else list(models)
        if higher and loss_name:
            said = replace(said, loss=f"negative {loss_name}")
        return of_estimates(source, form, names, covariance, correlation, said)
    if higher_is_better is not None:
        raise Refusal(
            f"{opt['higher_is_better']} is of estimates; columns of models hold losses: turn "
            "scores round, or name the column of estimates by "
            f"{opt.estimate}"
        )
    rows = _Rows.of(source, factors, models, ignore)
    chosen = tuple(rows.models)
    if len(factors) > 1:
        return CellSummaries.of_reducer(_reduced(rows), chosen, factors, said)
    return GroupSummaries.of_reducer(_reduced(rows), chosen, noun_of(factors[0]), said)


def joined_sites(sites: list[GroupSummaries | CellSummaries]) -> GroupSummaries | CellSummaries:
    """The groups of all sites, or the cells."""
    cells = [site for site in sites if isinstance(site, CellSummaries)]
    groups = [site for site in sites if isinstance(site, GroupSummaries)]
    if cells and groups:
        raise ValueError(
            f"{len(groups)} of {len(sites)} sites have groups of one factor, and the others cells "
            "of several; summarise all of them by the same factors"
        )
    return CellSummaries.join(cells) if cells else GroupSummaries.join(groups)


def _sites(source: Any) -> list[GroupSummaries | CellSummaries] | None:
    """Summaries of other sites, if the source is some."""
    several = source if isinstance(source, (list, tuple)) else [source]
    if not several:
        raise ValueError("no site was given: the list of .json files is empty")
    found: list[GroupSummaries | CellSummaries] = []
    for each in several:
        if isinstance(each, (GroupSummaries, CellSummaries)):
            found.append(each)
        elif isinstance(each, (str, bytes, PathLike)) and fsdecode(each).endswith(".json"):
            found.append(_from_file(Path(fsdecode(each))))
        elif several is source:
            is_path = isinstance(each, (str, bytes, PathLike))
            what = repr(fsdecode(each)) if is_path else type(each).__name__
            raise TypeError(
                f"sites are paths of .json files, or GroupSummaries; got {what} among them"
            )
    return found or None


def _from_file(path: Path) -> GroupSummaries | CellSummaries:
    try:
        text = path.read_text(encoding="utf-8")
        return (
            CellSummaries.from_json(text) if holds_cells(text) else GroupSummaries.from_json(text)
        )
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: there is no such file") from None
    except ValueError as error:
        raise Refusal(f"{path}: {text_of(error)}") from None


class Names(NamedTuple):
    """What to call a table, its models, and the columns of its groups."""

    where: str
    models: list[str]
    factors: list[str]


class _Rows(NamedTuple):
    """A lazy table of losses, with plain names: `key0`, … of the factors, `x0`, … of the models.

    Attributes
    ----------
    lazy : narwhals.LazyFrame
    names : Names
    """

    lazy: Any
    names: Names

    @property
    def where(self) -> str:
        """What to call it."""
        return self.names.where

    @property
    def models(self) -> list[str]:
        """The names of its models."""
        return self.names.models

    @classmethod
    def of(
        cls, source: Any, factors: list[str], models: Iterable[str] | None, ignore: Iterable[str]
    ) -> _Rows:
        nw = need("narwhals", extra="table", purpose="data frames")
        where, native = scanned(source, factors)
        try:
            found = nw.from_native(native)
        except TypeError:
            raise TypeError(
                "expected a data frame that narwhals knows (polars, DuckDB, Dask, PySpark, Ibis, "
                f"pandas, …) or a path; got {type(native).__name__}"
            ) from None
        lazy = found.lazy() if isinstance(found, nw.DataFrame) else found
        names = collected(lazy.head(0), where).columns
        if lazy.implementation.is_pyspark():  # which takes a dot in a name for a field
            lazy = nw.from_native(lazy.to_native().toDF(*(f"c{i}" for i in range(len(names)))))
        else:
            lazy = lazy.rename({name: f"c{i}" for i, name in enumerate(names)})
        head = collected(lazy.head(FIRST_ROWS), where)
        head = head.rename(dict(zip(head.columns, names, strict=True)))
        if not len(head):
            raise ValueError(f"{where}: there is no row")
        frame = Frame(where, head)
        for name in factors:
            frame.check_there("groups", name)
        chosen = columns_of_models(frame, models, ignore, factors)
        if len(chosen) < 2:
            raise ValueError(f"{where}: two models or more are needed; it has {listed(chosen)}")
        for name in chosen:
            if not frame.holds_numbers(name):
                raise TypeError(f"{where}, model {name!r} holds {head[name].dtype}, not numbers")
        places = {name: f"c{i}" for i, name in enumerate(names)}
        columns = [nw.col(places[name]).cast(nw.Float64) for name in chosen]
        numbered = [column.alias(f"x{i}") for i, column in enumerate(columns)]
        coded = lazy.implementation.is_polars()  # while texts are read, by all cores
        keys = [nw.col(places[name]).alias(f"key{i}") for i, name in enumerate(factors)]
        keys = [
            key.cast(nw.Categorical) if coded and head[name].dtype == nw.String else key
            for key, name in zip(keys, factors, strict=True)
        ]
        return cls(lazy.select(*keys, *numbered), Names(where, chosen, factors))


def collected(lazy: Any, where: str) -> Any:
    """A result of an engine, or what it said against it."""
    try:
        return lazy.collect()
    except Exception as error:
        raise failed(lazy, where, error) from None


def failed(lazy: Any, where: str, error: Exception) -> ValueError:
    """What an engine said against it."""
    engine = lazy.implementation.name.lower()
    return ValueError(f"{where}: {engine} could not compute it: {first_line(error)}")


def _reduced(rows: _Rows) -> Reducer:
    """Batches of rows become sums of groups where they lie; what is collected are these."""
    native = rows.lazy.to_native()
    if hasattr(native, "map_partitions") and hasattr(native, "to_delayed"):  # Dask
        return _by_dask(native, rows)
    reducer = Reducer(len(rows.models))
    for batch in _batches(rows):
        _add(reducer, batch, rows.names)
    return reducer


def _add(reducer: Reducer, batch: Any, names: Names) -> None:
    """Some rows, as a data frame of narwhals with the columns `key0`, …, `x0`, …"""
    keys = [_coded(batch[f"key{i}"], names, factor) for i, factor in enumerate(names.factors)]
    codes, labels = keys[0]
    if len(keys) > 1:  # a label of a cell has one of each factor
        codes = joined([each for each, _ in keys])
        first = np.empty(int(codes.max()) + 1, dtype=np.intp)
        first[codes] = np.arange(codes.size)
        levels = [[found[place] for place in each[first].tolist()] for each, found in keys]
        labels = list(zip(*levels, strict=True))
    losses = [
        finite(batch[f"x{place}"], f"{names.where}, model {name!r}: losses of a block of rows")
        for place, name in enumerate(names.models)
    ]
    reducer.add(losses, codes, labels)


def _coded(column: Any, names: Names, factor: str) -> tuple[IntArray, list[Any]]:
    try:
        return factorised(column, opt["groups"])
    except ValueError as error:
        found = text_of(error).removeprefix(opt["groups"] + ": ")
        raise Refusal(f"{opt['groups']}: {names.where}, column {factor!r}: {found}") from None


def _by_dask(frame: Any, rows: _Rows) -> Reducer:
    """Each partition on its worker, which returns some numbers for each group and pair."""
    dask = need("dask", extra="table", purpose="data frames of Dask")
    parts = [dask.delayed(_of_partition)(part, rows.names) for part in frame.to_delayed()]
    total = Reducer(len(rows.models))
    try:
        found = dask.compute(*parts)
    except (TypeError, ValueError):
        raise
    except Exception as error:
        raise failed(rows.lazy, rows.where, error) from None
    for part in found:
        total.join(part.sums, part.labels)
    return total


def _of_partition(part: Any, names: Names) -> Reducer:
    nw = need("narwhals", extra="table", purpose="data frames")
    reducer = Reducer(len(names.models))
    if len(part):
        _add(reducer, nw.from_native(part, eager_only=True), names)
    return reducer


def _batches(rows: _Rows) -> Iterator[Any]:
    """Some rows at a time, as data frames, in the way of each engine and in the order of rows."""
    nw = need("narwhals", extra="table", purpose="data frames")
    native = rows.lazy.to_native()
    size = max(MOST_NUMBERS // len(rows.models), rows_at_once(len(rows.models)))
    if hasattr(native, "collect_batches"):  # polars
        parts: Any = native.collect_batches(chunk_size=size, maintain_order=True)
    elif hasattr(native, "to_arrow_reader"):  # DuckDB
        parts = map(_table_of_arrow, native.to_arrow_reader(size))
    elif hasattr(native, "to_pyarrow_batches"):  # Ibis
        parts = map(_table_of_arrow, native.to_pyarrow_batches(chunk_size=size))
    else:  # those of others are read whole
        parts = [collected(rows.lazy, rows.where).to_native()]
    try:
        for part in parts:
            batch = nw.from_native(part, eager_only=True)
            if len(batch):
                yield batch
    except (TypeError, ValueError):
        raise
    except Exception as error:
        raise failed(rows.lazy, rows.where, error) from None


def _table_of_arrow(batch: Any) -> Any:
    pyarrow = need("pyarrow", extra="table", purpose="batches of rows")
    return pyarrow.Table.from_batches([batch])
