"""Losses from a table: a column for each model, a row for each held-out point."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rivals._core.arrays import Points
from rivals._core.grouping import Grouping
from rivals._core.losses import Losses, Provenance
from rivals._core.texts import Refusal, text_of
from rivals._core.types import FloatArray
from rivals.read._frames import Frame, columns_of_models, names_of, opened

# The column of a table of simulated losses that tells simulations apart.
SIMULATION = "simulation"


def table(
    source: Any,
    simulated: Any = None,
    *,
    models: Iterable[str] | None = None,
    groups: str | Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    log_likelihood: bool = False,
    loss_name: str = "",
    unit: str = "",
    left_out: bool | None = None,
) -> dict[str, Losses]:
    """Read losses from a table with a column per model.

    Parameters
    ----------
    source : path, file object or data frame
        A file (.csv, .tsv or .txt, each also .gz; .parquet), `-` for standard input, an open file,
        or a data frame of any library that narwhals knows (pandas, polars, pyarrow, DuckDB, …).
        One row for each held-out point, the same points for all models.
    simulated : the same, optional
        Losses at points that each model simulated itself, in the same columns. A column
        `simulation` says which simulation a row belongs to, if there are several.
    models : iterable of str, optional
        The columns that are models; all others by default.
    groups : str, or several, optional
        The column that says which group a point belongs to, or those of several factors. The losses
        carry it, and `compare` uses it.
    ignore : iterable of str
        Columns to leave out, such as an id.
    log_likelihood : bool
        Whether the numbers are log likelihoods, where higher is better.
    loss_name, unit : str
        What the losses are, as "absolute error", and their unit, as "kg".
    left_out : bool, optional
        Whether each group was predicted by models fitted to the other groups.

    Returns
    -------
    dict
        Name → `Losses`, in the order of the columns.

    See Also
    --------
    predictions : from predictions and what came true.
    summaries : of tables larger than memory, and of estimates with their errors.

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame({"line": [1.0, 2.0], "step": [2.0, 2.5], "id": [7, 8]})
    >>> table(frame, ignore="id")
    {'line': Losses(2 points, mean 1.5), 'step': Losses(2 points, mean 2.25)}
    """
    factors = [] if groups is None else names_of(groups)
    frame = opened(source, labels=factors)
    grouping = frame.groupings(groups)
    names = columns_of_models(frame, models, ignore, factors)
    second = None if simulated is None else _simulations(opened(simulated, [SIMULATION]), names)
    said = Provenance(
        loss=loss_name or ("negative log likelihood" if log_likelihood else ""),
        unit=unit or ("nats" if log_likelihood else ""),
        left_out=left_out,
    )
    losses = {}
    for name in names:
        observed = frame.numbers(name, "model")
        drawn = None if second is None else second[name]
        if log_likelihood:
            observed = -observed
            drawn = None if drawn is None else -drawn
        losses[name] = losses_of(frame, name, observed, drawn, grouping, said)
    return losses


def losses_of(
    frame: Frame,
    name: str,
    observed: FloatArray,
    simulated: FloatArray | None,
    groups: Grouping | None,
    source: Provenance,
) -> Losses:
    """The losses of one model; what is wrong with them is said with its name."""
    try:
        return Losses(Points(observed, frame.index), simulated, groups=groups, source=source)
    except ValueError as error:
        frame.check_complete(name, "model", observed)
        raise Refusal(f"{frame.where}, model {name!r}: {text_of(error)}") from None


def _simulations(frame: Frame, names: list[str]) -> dict[str, FloatArray]:
    """The simulated losses of each model, a row for each simulation."""
    for name in names:
        frame.check_there("simulated", name)
    rows: list[Any] = [slice(None)]
    if SIMULATION in frame.columns:
        which = frame.grouping(SIMULATION, "simulated")
        if np.ptp(which.sizes):
            sizes = dict(zip(which.names, which.sizes.tolist(), strict=True))
            raise ValueError(
                f"{frame.where}: simulations have different numbers of rows: {sizes}; each needs "
                "as many"
            )
        rows = np.split(which.order, which.begins[1:])
    found = {}
    for name in names:
        values = frame.numbers(name, "simulated losses of model")
        frame.check_complete(name, "simulated losses of model", values)
        found[name] = np.stack([values[each] for each in rows])
    return found
