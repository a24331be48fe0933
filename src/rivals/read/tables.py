"""Tables of losses: long (model, kind, loss), or wide (one column per model), from files, data frames and mappings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from rivals.losses import Losses
from rivals.read.columns import columns_of
from rivals.read.loss_tables import LONG, losses_from_columns, rows_of
from rivals.read.model_columns import losses_from_observed, losses_from_wide
from rivals.read.point_labels import Labels, labels_of_rows, take_labels
from rivals.read.selection import Selection

WIDE_ALONE = (
    "; if it has one column per model, give a second file with the synthetic losses in the same columns, or name the column "
    "of the replications (groups), which need none"
)


def long_table(
    table: Any,
    *,
    models: Iterable[str] | None = None,
    index: str | None = None,
    groups: str | None = None,
    log_likelihood: bool = False,
) -> dict[str, Losses]:
    """Losses from a table with one loss per row: columns `model`, `kind` (observed or synthetic) and `loss`.

    Parameters
    ----------
    table : path, data frame or mapping
        A file (.csv, .csv.gz, .tsv, .parquet, .feather, .xlsx), a data frame (pandas, polars, also lazy, pyarrow, and
        others that narwhals supports), or a mapping of columns. With several
        simulations a column `simulation` says which one a synthetic loss belongs to, by a number or a name; for
        observed losses it is ignored, and so are columns of other names. With three groups or more, no synthetic losses are needed.
    models : iterable of str, optional
        The models to read; all by default.
    index : str, optional
        The column that names the data points. The rows of every model, and of every simulation whose cells in it are
        not empty, are put into the order of the observed rows of the first model; they must be of the same points.
    groups : str, optional
        The column that says to which replication an observed point belongs. The losses carry it, and `compare` uses it.
    log_likelihood : bool
        Whether the table holds log likelihoods (higher is better); losses are their negatives.

    Returns
    -------
    dict
        Name → `Losses`, in the order in which the models first appear; simulations likewise.

    Examples
    --------
    >>> table = {"model": ["A"] * 4, "kind": ["observed", "observed", "synthetic", "synthetic"], "loss": [1.0, 2.0, 1.5, 1.0]}
    >>> long_table(table)
    {'A': Losses(2 observed, 2 synthetic, empirical risk 1.5)}
    """
    return carrying(read_long(table, Selection.checked(models, (), groups, index=index, log_likelihood=log_likelihood)))


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
    """Losses from two tables with one column per model, the same models in both; or from the observed one.

    Parameters
    ----------
    observed, synthetic : path, data frame or mapping
        Losses on held-out data, and on the model's own simulations: files (.csv, .csv.gz, .tsv, .parquet, .feather,
        .xlsx), data frames (pandas, polars, also lazy, pyarrow, and others that narwhals supports), or mappings of columns.
        With several simulations a column `simulation` of the synthetic table says which one a row belongs to, by a
        number or a name; each has the same number of rows. With three groups or more, no synthetic table is needed.
    models : iterable of str, optional
        The columns that are models; all by default, and then a column that looks like an index is refused.
    ignore : iterable of str
        Columns to leave out, such as an id or a fold.
    index : str, optional
        The column of both tables that names the data points. The rows of every simulation are put into the order of the
        observed ones; they must be of the same points.
    groups : str, optional
        The column that says to which replication an observed point belongs. The losses carry it, and `compare` uses it.
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
    selection = Selection.checked(models, ignore, groups, index=index, log_likelihood=log_likelihood)
    return carrying(read_wide(observed, synthetic, selection))


# Losses by model, and option → the label of each observed point.
Found = tuple[dict[str, Losses], dict[str, Labels]]


def carrying(found: Found) -> dict[str, Losses]:
    """The losses with the groups of their points."""
    losses, labels = found
    if "groups" not in labels:
        return losses
    groups = np.array(labels["groups"], dtype=object)
    return {name: replace(sample, groups=groups) for name, sample in losses.items()}


def read_long(table: Any, selection: Selection, otherwise: str = "") -> Found:
    """A long table. If it is a wide one, and the replications of its points are named, that is enough."""
    where, columns = columns_of(table, selection.text)
    labels = take_labels(where, columns, selection.labels)
    if otherwise and labels and not all(name in columns for name in LONG):
        return losses_from_observed((where, columns), selection), labels
    losses = losses_from_columns(where, columns, selection, otherwise)
    if labels:
        rows = {name: own for name, (own, _) in rows_of(where, columns, selection).items()}
        labels = {option: labels_of_rows(where, option, each, rows) for option, each in labels.items()}
    return losses, labels


def read_wide(observed: Any, synthetic: Any, selection: Selection) -> Found:
    """One wide table or two; the labels are those in the observed one."""
    where, columns = columns_of(observed, selection.text)
    labels = take_labels(where, columns, selection.labels)
    if synthetic is None:
        return losses_from_observed((where, columns), selection), labels
    where_too, second = columns_of(synthetic, selection.text)
    models = {name: column for name, column in second.items() if name not in selection.labels.values()}
    return losses_from_wide((where, columns), (where_too, models), selection), labels
