"""Losses from files, by what their names end in: what the command line reads with."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from rivals._checks import show
from rivals.losses import Losses
from rivals.read.columns import columns_of
from rivals.read.loss_tables import losses_from_columns, losses_from_wide
from rivals.read.npz import npz
from rivals.read.selection import Selection


def losses_from_files(
    observed: str | PathLike[str],
    synthetic: str | PathLike[str] | None = None,
    *,
    models: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    log_likelihood: bool = False,
) -> dict[str, Losses]:
    """Losses of several models from one file, or from a pair of wide tables.

    Parameters
    ----------
    observed : path
        With `synthetic`: a wide table (.csv, .tsv, .parquet), one column per model. Alone: a long table with the columns
        model, kind and loss, and simulation where there are several, or an .npz archive.
    synthetic : path, optional
        The second wide table, with a column simulation where there are several.
    models : iterable of str, optional
        The models to read; all by default.
    ignore : iterable of str
        Models, or columns of wide tables, to leave out.
    log_likelihood : bool
        Whether the table holds log likelihoods, higher is better; their signs are changed.

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
    selection = Selection.checked(models, ignore)
    if synthetic is not None:
        return losses_from_wide(columns_of(observed), columns_of(synthetic), selection, log_likelihood=log_likelihood)
    if Path(observed).suffix.lower() == ".npz":
        losses = npz(observed, log_likelihood=log_likelihood)
        return {name: losses[name] for name in selection.of(losses, show(observed))}
    return losses_from_columns(
        *columns_of(observed),
        selection,
        log_likelihood=log_likelihood,
        otherwise="; if it has one column per model, give a second file with the synthetic losses in the same columns",
    )
