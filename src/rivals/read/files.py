"""Losses from files, by the endings of their names; what the command line reads, Python reads."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike, fsdecode
from pathlib import Path
from typing import Any

from rivals._say.arguments import check_name
from rivals._say.words import listed, show
from rivals.losses import Losses
from rivals.read.arviz import HELD_OUT, SIMULATED, TRAINING, arviz_tree
from rivals.read.long_format import read_long
from rivals.read.npz_files import npz
from rivals.read.selection import Selection
from rivals.read.two_samples import KINDS, Found, carrying
from rivals.read.wide_format import read_wide
from rivals.read.xarrays import dataset, open_labelled
from rivals.read.zarr_folders import METADATA, ZARR

NETCDF = (".nc", ".nc4", ".netcdf", ".h5", ".hdf5")


def losses_from_files(
    observed: str | bytes | PathLike[str],
    synthetic: str | bytes | PathLike[str] | None = None,
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
        With `synthetic`: a wide table (.csv, .tsv, .txt, each also .gz, .parquet, .xlsx),
        one column per model. Alone: a long table with the columns model, kind and loss, and
        simulation if there are several, an .npz archive, or a NetCDF file (.nc) or Zarr
        folder with the variables observed and synthetic, or with an ArviZ tree in each of
        its groups, one group per model.
    synthetic : path, optional
        The second wide table, with a column simulation if there are several. Two ArviZ
        trees (NetCDF files or Zarr folders) are two models, named after the files.
    models : iterable of str, optional
        The models to read; all by default.
    ignore : iterable of str
        Models, or columns of wide tables, to leave out.
    index : str, optional
        The column of the tables that names the data points, by which rows are put into one order.
    groups : str, optional
        The column that says to which replication an observed point belongs. The losses
        carry it, and `compare` uses it.
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
    ...     rows = ["A,observed,1", "A,observed,2", "A,synthetic,1", "A,synthetic,3"]
    ...     _ = path.write_text("\\n".join(["model,kind,loss", *rows]))
    ...     losses_from_files(path)
    {'A': Losses(2 observed, 2 synthetic, empirical risk 1.5)}
    """
    selection = Selection.checked(
        models, ignore, groups, index=index, log_likelihood=log_likelihood
    )
    return carrying(read_files(observed, synthetic, selection), groups)


def read_files(
    observed: str | bytes | PathLike[str],
    synthetic: str | bytes | PathLike[str] | None,
    selection: Selection,
) -> Found:
    """Losses by model, and what the labels of the selection say of the observed points."""
    observed = fsdecode(observed)
    synthetic = None if synthetic is None else fsdecode(synthetic)
    archive = Path(observed).suffix.lower() == ".npz"
    if not archive and not is_labelled(Path(observed)):
        if synthetic is None:
            return read_long(observed, selection)
        return read_wide(observed, synthetic, selection)
    of_tables = list(selection.labels)
    if selection.index is not None:
        of_tables.insert(0, "index")
    if of_tables:
        option = of_tables[0]
        raise ValueError(
            f"{option}: {show(observed)} is not a table; its arrays have no columns, so leave "
            f"{option} out, or write a long table"
        )
    if archive and synthetic is not None:
        raise ValueError(
            f"{show(synthetic)}: an .npz archive holds both kinds of losses; leave the "
            "second file out"
        )
    if archive:
        losses = npz(observed, log_likelihood=selection.log_likelihood)
    else:
        losses = _labelled(Path(observed), synthetic, log_likelihood=selection.log_likelihood)
    return {name: losses[name] for name in selection.of(losses, show(observed))}, {}


def is_labelled(path: Path) -> bool:
    """Whether a file, by its name, or a folder, by what is in it, holds labelled arrays."""
    if path.suffix.lower() in (*NETCDF, ZARR):
        return True
    metadata = (".zgroup", ".zmetadata", *METADATA)
    return path.is_dir() and any((path / name).exists() for name in metadata)


def _labelled(
    path: Path, other: str | PathLike[str] | None, *, log_likelihood: bool
) -> dict[str, Losses]:
    """Losses of all models in a dataset, or of those in ArviZ trees, one in a file or in a
    group of it.
    """
    if other is not None and (not is_labelled(Path(other)) or Path(other).stem == path.stem):
        raise ValueError(
            f"{show(other)}: expected a NetCDF file or a Zarr folder, as the first, of another name"
        )
    tree = open_labelled(path)
    second = {}
    if other is not None:
        second = {Path(other).stem: open_labelled(other)}
    where = show(path)
    try:
        if not second and all(kind in tree for kind in KINDS):
            return dataset(tree, log_likelihood=log_likelihood)
        trees = _trees(tree, path.stem)
        if log_likelihood:
            raise ValueError(
                "ArviZ trees always hold log likelihoods; leave log_likelihood "
                "(--log-likelihood) out"
            )
        losses = {}
        for name, each in [*trees.items(), *second.items()]:
            where = f"{show(path)}, model {show(name)!r}"
            if name in losses:
                raise ValueError(f"{show(other)} is called so, too; rename the file")
            losses[check_name(name)] = arviz_tree(each, reduction="lpd")
        return losses
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}: {error}") from None


def _trees(tree: Any, name: str) -> dict[str, Any]:
    """Model → its ArviZ tree: what is in the file, or in each of its groups."""
    groups = [str(group) for group in getattr(tree, "children", ())]
    if HELD_OUT in groups or TRAINING in groups:
        return {name: tree}
    if not groups:
        found = listed([str(variable) for variable in tree.data_vars])
        raise ValueError(
            "expected the variables observed and synthetic, or for each model groups "
            f"{HELD_OUT} and {SIMULATED}; found {found or 'nothing'}"
        )
    return {group: tree[group] for group in groups}
