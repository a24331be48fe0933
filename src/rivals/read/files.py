"""Losses from files, by the endings of their names; what the command line reads, Python reads."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from rivals._checks import check_name, show
from rivals.losses import Losses
from rivals.read.arviz import HELD_OUT, SIMULATED, arviz_tree
from rivals.read.columns import suffix_of
from rivals.read.labelled_files import is_labelled, open_labelled
from rivals.read.loss_tables import check_equally_many
from rivals.read.npz_files import npz
from rivals.read.selection import Selection
from rivals.read.tables import WIDE_ALONE, Found, carrying, read_long, read_wide
from rivals.read.xarrays import losses_from_dataset


def losses_from_files(
    observed: str | PathLike[str],
    synthetic: str | PathLike[str] | None = None,
    *,
    models: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    index: str | None = None,
    groups: str | None = None,
    log_likelihood: bool = False,
) -> dict[str, Losses]:
    """Losses of several models from one file, or from a pair of wide tables.

    Parameters
    ----------
    observed : path
        With `synthetic`: a wide table (.csv, .tsv, .txt, each also .gz, .parquet, .feather, .xlsx), one column per model.
        Alone: a long table with the columns model, kind and loss, and simulation if there are several, an .npz archive,
        or a NetCDF file (.nc) or Zarr folder with the variables observed and synthetic, or with an ArviZ tree in each of
        its groups, one group per model.
    synthetic : path, optional
        The second wide table, with a column simulation if there are several. Two ArviZ trees (NetCDF files or Zarr
        folders) are two models, named after the files.
    models : iterable of str, optional
        The models to read; all by default.
    ignore : iterable of str
        Models, or columns of wide tables, to leave out.
    index : str, optional
        The column of the tables that names the data points, by which rows are put into one order.
    groups : str, optional
        The column that says to which replication an observed point belongs. The losses carry it, and `compare` uses it.
    log_likelihood : bool
        Whether the table holds log likelihoods (higher is better); losses are their negatives.

    Returns
    -------
    dict
        Name → `Losses`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "losses.csv")
    ...     _ = path.write_text("model,kind,loss\\nA,observed,1\\nA,observed,2\\nA,synthetic,1\\nA,synthetic,3\\n")
    ...     losses_from_files(path)
    {'A': Losses(2 observed, 2 synthetic, empirical risk 1.5)}
    """
    selection = Selection.checked(models, ignore, groups, index=index, log_likelihood=log_likelihood)
    return carrying(read_files(observed, synthetic, selection))


def read_files(observed: str | PathLike[str], synthetic: str | PathLike[str] | None, selection: Selection) -> Found:
    """Losses by model, and what the labels of the selection say of the observed points."""
    if not is_labelled(observed) and suffix_of(observed) != ".npz":
        if synthetic is not None:
            return read_wide(observed, synthetic, selection)
        return read_long(observed, selection, WIDE_ALONE)
    for option in (*(["index"] if selection.index is not None else []), *selection.labels):
        raise ValueError(
            f"{option}: {show(observed)} is not a table; its arrays have no columns, so leave {option} out, or write a long table"
        )
    losses = _arrays(observed, synthetic, log_likelihood=selection.log_likelihood)
    return {name: losses[name] for name in selection.of(losses, show(observed))}, {}


def _arrays(path: str | PathLike[str], other: str | PathLike[str] | None, *, log_likelihood: bool) -> dict[str, Losses]:
    if not is_labelled(path):
        if other is not None:
            raise ValueError(
                f"{show(other)}: an .npz archive holds both kinds of losses, so it is read alone; leave it out"
            )
        return npz(path, log_likelihood=log_likelihood)
    tree = open_labelled(path)
    if other is None and "observed" in tree and "synthetic" in tree:
        return losses_from_dataset(show(path), tree, log_likelihood=log_likelihood)
    trees = {Path(path).stem: tree} if _is_model(tree) else {name: tree[name] for name in _groups(tree)}
    if other is not None:
        if not is_labelled(other) or Path(other).stem in trees:
            raise ValueError(
                f"{show(other)}: expected a NetCDF file or a Zarr folder of another name, as the first one is"
            )
        trees[Path(other).stem] = open_labelled(other)
    if log_likelihood:
        raise ValueError(
            f"{show(path)}: ArviZ trees always hold log likelihoods; leave log_likelihood (--log-likelihood) out"
        )
    losses = {}
    for name, each in (trees or {"": tree}).items():
        if not _is_model(each):
            raise ValueError(
                f"{show(path)}: expected the variables observed and synthetic, or for each model the groups {HELD_OUT} and {SIMULATED}; "
                f"found {', '.join(map(show, [*tree.data_vars, *_groups(tree)])) or 'nothing'}"
            )
        try:
            losses[check_name(name)] = arviz_tree(each, reduction="lpd")
        except (TypeError, ValueError) as error:
            raise type(error)(f"{show(path)}, model {show(name)!r}: {error}") from None
    return check_equally_many(losses, show(path))


def _groups(tree: Any) -> list[str]:
    return [str(name) for name in getattr(tree, "children", ())]


def _is_model(tree: Any) -> bool:
    return {HELD_OUT, SIMULATED} <= set(_groups(tree))
