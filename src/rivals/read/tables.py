"""Tables of losses: long (model, kind, loss), or wide (one column per model), from files, data
frames and mappings.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rivals.losses import Losses
from rivals.read.long_format import read_long
from rivals.read.selection import Selection
from rivals.read.two_samples import carrying
from rivals.read.wide_format import read_wide


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
    selection = Selection.checked(models, (), groups, index=index, log_likelihood=log_likelihood)
    return carrying(read_long(table, selection), groups)


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
    return carrying(read_wide(observed, synthetic, selection), groups)
