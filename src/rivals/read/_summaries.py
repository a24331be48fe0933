"""Summaries of groups: from tables on any engine, from estimates and their errors, from sites.

A table is summed where it lies, and may be larger than memory: one aggregation gives the sums of
each group, and nothing else is collected. Sums are of *differences* between models, and relative to
the means of the first rows: a large part that all losses share costs no digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from os import PathLike, fsdecode
from pathlib import Path
from typing import Any

import numpy as np

from rivals._core.arrays import LARGEST
from rivals._core.grouping import Grouping
from rivals._core.losses import Provenance, Study
from rivals._core.optional import need
from rivals._core.summaries import GroupSummaries
from rivals._core.texts import Refusal, opt, text_of
from rivals._core.types import FloatArray
from rivals.method.error import PairSums
from rivals.read._estimates import Estimates, of_estimates
from rivals.read._frames import Frame, columns_of_models, first_line, listed, scanned

# Rows whose means the sums are relative to, and which decide what the columns are.
FIRST_ROWS = 1000
# Sums of all pairs of more models than this are made by NumPy, some rows at a time.
MANY = 40
ROWS_AT_ONCE = 2**16


def summaries(
    source: Any,
    *,
    groups: str | None = None,
    models: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    estimate: str | None = None,
    error: str | None = None,
    model: str | None = None,
    difference: str | None = None,
    baseline: str | None = None,
    covariance: Any = None,
    correlation: float | None = None,
    higher_is_better: bool = False,
    loss: str = "",
    unit: str = "",
    left_out: bool | None = None,
) -> GroupSummaries:
    """Read what method "groups" needs, and no more.

    Parameters
    ----------
    source : data frame, path, or sites
        - A table of losses as for `table`, lazy or not, of any library that narwhals knows
          (polars, DuckDB, Dask, PySpark, Ibis), or a file: summed by its own engine.
        - With `estimate=`: a table of estimates, one row for each group and model or difference.
        - One path or several of what `GroupSummaries.to_json` wrote, or `GroupSummaries`
          themselves: joined.
    groups : str
        The column that says which group a row belongs to. Sites bring their groups.
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
    higher_is_better : bool
        Whether estimates are scores, such as an AUC; they are turned round.
    loss, unit : str
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
    said = Provenance(loss=loss, unit=unit, left_out=left_out)
    sites = _sites(source)
    if sites is not None:
        return GroupSummaries.join(sites)
    if groups is None:
        raise Refusal(f"{opt['groups']}: name the column that says which group a row belongs to")
    if estimate is not None:
        form = Estimates(groups, estimate, error, model, difference, baseline, higher_is_better)
        names = None if models is None else list(models)
        if higher_is_better and loss:
            said = replace(said, loss=f"negative {loss}")
        return of_estimates(source, form, names, covariance, correlation, said)
    rows = _Rows.of(source, groups, models, ignore)
    found = _in_batches(rows) if len(rows.models) > MANY else _by_the_engine(rows)
    return replace(found, source=said)


def _sites(source: Any) -> list[GroupSummaries] | None:
    """Summaries of other sites, if the source is some."""
    several = source if isinstance(source, (list, tuple)) else [source]
    if not several:
        raise ValueError("no site was given: the list of .json files is empty")
    found = []
    for each in several:
        if isinstance(each, GroupSummaries):
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


def _from_file(path: Path) -> GroupSummaries:
    try:
        return GroupSummaries.from_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: there is no such file") from None
    except ValueError as error:
        raise Refusal(f"{path}: {text_of(error)}") from None


class _Rows:
    """A lazy table of losses, with plain names: `key`, and `x0`, `x1`, … of the models.

    Attributes
    ----------
    where : str
    lazy : narwhals.LazyFrame
    models : list of str
    groups : str
        The column of the groups.
    reference : array
        A typical loss of the first model, and a typical difference from it of each other model.
    """

    def __init__(
        self, where: str, lazy: Any, models: list[str], groups: str, reference: FloatArray
    ) -> None:
        self.where = where
        self.lazy = lazy
        self.models = models
        self.groups = groups
        self.reference = reference

    @classmethod
    def of(
        cls, source: Any, groups: str, models: Iterable[str] | None, ignore: Iterable[str]
    ) -> _Rows:
        nw = need("narwhals", extra="table", purpose="data frames")
        where, native = scanned(source, [groups])
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
        frame.check_there("groups", groups)
        chosen = columns_of_models(frame, models, ignore, [groups])
        if len(chosen) < 2:
            raise ValueError(f"{where}: two models or more are needed; it has {listed(chosen)}")
        for name in chosen:
            if not frame.holds_numbers(name):
                raise TypeError(f"{where}, model {name!r} holds {head[name].dtype}, not numbers")
        places = {name: f"c{i}" for i, name in enumerate(names)}
        columns = [nw.col(places[name]).cast(nw.Float64) for name in chosen]
        numbered = [column.alias(f"x{i}") for i, column in enumerate(columns)]
        return cls(
            where,
            lazy.select(nw.col(places[groups]).alias("key"), *numbered),
            chosen,
            groups,
            _reference(head, chosen, nw),
        )


def collected(lazy: Any, where: str) -> Any:
    """A result of an engine, or what it said against it."""
    try:
        return lazy.collect()
    except Exception as error:
        raise ValueError(
            f"{where}: {lazy.implementation.name.lower()} could not compute it: {first_line(error)}"
        ) from None


def _reference(head: Any, models: list[str], nw: Any) -> FloatArray:
    """Typical values, of the first rows that have numbers; any would do, but for rounding."""
    losses = np.stack([head[name].cast(nw.Float64).to_numpy() for name in models])
    losses = losses[:, np.isfinite(losses).all(axis=0)]
    if not losses.size:
        return np.zeros(len(models))
    gaps = losses - losses[0]
    gaps[0] = losses[0]
    return np.asarray(gaps.mean(axis=1))


def _by_the_engine(rows: _Rows) -> GroupSummaries:
    """One aggregation. Products are columns first, then plain sums: not every engine takes
    expressions in an aggregation.
    """
    nw = need("narwhals", extra="table", purpose="data frames")
    n_models = len(rows.models)
    first = nw.col("x0") - float(rows.reference[0])
    gaps = [nw.col(f"x{i}") - nw.col("x0") - float(rows.reference[i]) for i in range(1, n_models)]
    # Nulls are skipped in silence everywhere, and nan by some: what is finite is counted.
    is_finite = [nw.col(f"x{i}").is_finite() for i in range(n_models)]
    step = rows.lazy.select(
        nw.col("key"),
        first.alias("g0"),
        *(gap.alias(f"g{i}") for i, gap in enumerate(gaps, start=1)),
        *(nw.when(each).then(1).otherwise(0).alias(f"n{i}") for i, each in enumerate(is_finite)),
    )
    # Of each model by itself, and of each pair of models; g0 is no gap but the first loss itself.
    squares = {"own0": nw.col("g0")}
    for i in range(1, n_models):
        squares[f"own{i}"] = nw.col("g0") + nw.col(f"g{i}")
        squares[f"pair0_{i}"] = nw.col(f"g{i}")
    for i, j in combinations(range(1, n_models), 2):
        squares[f"pair{i}_{j}"] = nw.col(f"g{i}") - nw.col(f"g{j}")
    step = step.with_columns(*((each * each).alias(name) for name, each in squares.items()))
    plain = [f"{letter}{i}" for letter in "gn" for i in range(n_models)]
    sums = [nw.col(name).sum() for name in (*plain, *squares)]
    out = collected(step.group_by("key").agg(nw.len().alias("size"), *sums), rows.where)
    return _from_sums(rows, out)


def _from_sums(rows: _Rows, out: Any) -> GroupSummaries:
    keys = out["key"]
    _check_labels(rows, keys)
    order = sorted(range(len(keys)), key=_in_order(keys.to_list()))
    n_models = len(rows.models)

    def column(name: str) -> FloatArray:
        return np.asarray(out[name].to_numpy(), dtype=np.float64)[order]

    sizes = column("size")
    for i, name in enumerate(rows.models):
        _check_counts(rows, name, sizes - column(f"n{i}"))
    means = np.stack([column(f"g{i}") for i in range(n_models)]) / sizes
    own = np.empty(n_models)
    matrix = np.zeros((n_models, n_models))
    gaps = means.copy()
    gaps[0] = 0.0
    for i in range(n_models):
        own[i] = np.sum(column(f"own{i}") - sizes * (means[0] + gaps[i]) ** 2)
        for j in range(i + 1, n_models):
            square = column(f"pair{i}_{j}") - sizes * (gaps[i] - gaps[j]) ** 2
            matrix[i, j] = matrix[j, i] = square.sum()
    is_sum = np.isfinite(own) & np.isfinite(matrix).all(axis=1)
    if not is_sum.all():
        raise ValueError(
            f"{rows.where}, model {rows.models[int(np.argmin(is_sum))]!r}: squares of its losses "
            f"have no sum: some are missing, infinite, or beyond {LARGEST:g}"
        )
    gaps[1:] += rows.reference[1:, None]
    grouping = Grouping.of(keys[order].alias(rows.groups))
    return GroupSummaries(
        tuple(rows.models),
        grouping.names,
        sizes.astype(np.int64),
        means[0] + rows.reference[0],
        gaps,
        PairSums(np.maximum(own, 0.0), np.maximum(matrix, 0.0)),
        grouping.noun,
    )


def _in_order(labels: Sequence[Any]) -> Any:
    """Engines give groups in any order: numbers go by their value, all else as text."""
    if all(isinstance(label, (int, float)) for label in labels):
        return lambda place: labels[place]
    return lambda place: str(labels[place])


def _check_labels(rows: _Rows, keys: Any) -> None:
    if keys.is_null().any() or any(label != label or label == "" for label in keys.to_list()):
        raise Refusal(
            f"{opt['groups']}: {rows.where}, column {rows.groups!r}: the label is missing "
            "in some rows; "
            "leave these out, or name their group"
        )


def _check_counts(rows: _Rows, model: str, missing: FloatArray) -> None:
    """Refuse losses that are missing or not finite."""
    n_groups = np.count_nonzero(missing)
    if n_groups:
        raise ValueError(
            f"{rows.where}, model {model!r}: {missing.sum():.0f} losses are missing or infinite"
            f"{f', in {n_groups} of {missing.size} groups' if missing.size > 1 else ''}; leave "
            "these rows out for all models, or mend the model"
        )


def _in_batches(rows: _Rows) -> GroupSummaries:
    """Of many models: pairs are quadratic, so that NumPy sums them, some rows at a time."""
    total: GroupSummaries | None = None
    for batch in _batches(rows):
        losses = np.empty((len(rows.models), len(batch)))
        for i, name in enumerate(rows.models):
            losses[i] = batch[f"x{i}"].to_numpy()
            _check_counts(rows, name, np.array([np.sum(~np.isfinite(losses[i]))]))
        _check_labels(rows, batch["key"])
        grouping = Frame(rows.where, batch.rename({"key": rows.groups})).grouping(rows.groups)
        nothing = tuple(np.empty((0, 0)) for _ in rows.models)
        study = Study(tuple(rows.models), tuple(losses), nothing, grouping, Provenance())
        found = GroupSummaries.of(study)
        total = found if total is None else merged(total, found)
    assert total is not None
    return total


def _batches(rows: _Rows) -> Iterator[Any]:
    """Some rows at a time, as data frames, in the way of each engine."""
    nw = need("narwhals", extra="table", purpose="data frames")
    native = rows.lazy.to_native()
    if hasattr(native, "collect_batches"):  # polars
        parts: Any = native.collect_batches(chunk_size=ROWS_AT_ONCE)
    elif hasattr(native, "to_arrow_reader"):  # DuckDB
        parts = map(_table_of_arrow, native.to_arrow_reader(ROWS_AT_ONCE))
    elif hasattr(native, "partitions"):  # Dask
        parts = (native.partitions[i].compute() for i in range(native.npartitions))
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
        raise ValueError(f"{rows.where}: the engine failed: {first_line(error)}") from None


def _table_of_arrow(batch: Any) -> Any:
    pyarrow = need("pyarrow", extra="table", purpose="batches of rows")
    return pyarrow.Table.from_batches([batch])


def merged(first: GroupSummaries, second: GroupSummaries) -> GroupSummaries:
    """Of two parts of the rows, which may share groups (Chan, Golub and LeVeque 1983)."""
    names = tuple(dict.fromkeys((*first.groups, *second.groups)))
    place = {name: i for i, name in enumerate(names)}
    sizes = np.zeros((2, len(names)))
    base = np.zeros((2, len(names)))
    gaps = np.zeros((2, len(first.models), len(names)))
    for part, each in enumerate((first, second)):
        where = [place[name] for name in each.groups]
        sizes[part, where] = each.sizes
        base[part, where] = each.first
        gaps[part][:, where] = each.gaps
    total = sizes.sum(axis=0)
    share = sizes[1] / total
    between = np.sqrt(sizes[0] * share)
    apart = PairSums.of(between * (base[1] - base[0]), between * (gaps[1] - gaps[0]))
    parts = (first.pairs, second.pairs, apart)
    return replace(
        first,
        groups=names,
        sizes=total.astype(np.int64),
        first=base[0] + share * (base[1] - base[0]),
        gaps=gaps[0] + share * (gaps[1] - gaps[0]),
        pairs=PairSums(
            np.sum([each.own for each in parts], axis=0),
            np.sum([each.whole() for each in parts], axis=0),
        ),
    )
