"""Arguments and options that several commands share, by the names and with the defaults of `rivals.compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rivals.laws import LAWS

Observed = Annotated[
    Path,
    typer.Argument(
        help="Losses on held-out data, one column per model (.csv, .csv.gz, .tsv, .parquet, .feather, .xlsx); or, without a second file, "
        "a long table with the columns model, kind, loss, an .npz archive, a NetCDF file (.nc) or a Zarr folder.",
        show_default=False,
    ),
]
Synthetic = Annotated[
    Path | None,
    typer.Argument(
        help="Losses of each model on its own simulations, in the same columns; not needed with --groups.",
        show_default=False,
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        help="Models to compare, separated by commas; may be repeated. All by default.",
        metavar="NAMES",
        show_default=False,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        help="Columns to leave out, such as an id or a fold, separated by commas; may be repeated.",
        metavar="NAMES",
        show_default=False,
    ),
]
Index = Annotated[
    str | None,
    typer.Option(
        help="Column that names the data points: rows of all tables are put into its order, and refused if points differ.",
        metavar="COLUMN",
        show_default=False,
    ),
]
LogLikelihood = Annotated[
    bool, typer.Option("--log-likelihood", help="The files hold log likelihoods: higher is better.")
]
Law = Annotated[
    str | None,
    typer.Option(
        help=f"Law of the risk: {', '.join(LAWS)}. With --groups that for groups by default, else the first.",
        show_default=False,
    ),
]
C = Annotated[
    str | None,
    typer.Option(
        help="Sensitivity to the discrepancy between model and data, such as 0.25 or 2^-2; or the store of a calibration, "
        "whose law and curve are then used as well. The default depends on the law.",
        show_default=False,
    ),
]
Threshold = Annotated[float, typer.Option(help="Probability above which a better rival rejects a model.")]
Order = Annotated[
    str | None,
    typer.Option(help='"time" if the points are a time series: sampling errors then allow for autocorrelation.'),
]
Groups = Annotated[
    str | None,
    typer.Option(
        help="Column of the observed or long table that says to which replication a point belongs, such as a session. With three "
        "or more, no simulations are needed.",
        metavar="COLUMN",
        show_default=False,
    ),
]
Clusters = Annotated[
    str | None,
    typer.Option(
        help="Column that says which points belong together without being replications: sampling errors allow for it.",
        metavar="COLUMN",
        show_default=False,
    ),
]
LossUnit = Annotated[
    str | None,
    typer.Option(help='Unit of the losses, such as "nats"; must be that of the calibration.', show_default=False),
]
Title = Annotated[str | None, typer.Option(help="Heading of the interactive page.", show_default=False)]
Simulations = Annotated[
    int | None, typer.Option(help="Simulations of each candidate; 16 by default.", show_default=False)
]
# For the commands that take several values of c; each command adds its default.
SEVERAL_C = "Values of c, such as 0.25 or 2^-2, separated by commas; may be repeated."
Seed = Annotated[int | None, typer.Option(help="Seed of the random numbers; drawn and printed if omitted.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def given_options(ctx: typer.Context) -> frozenset[str]:
    """The arguments and options of a command that are not defaults."""
    return frozenset(name for name in ctx.params if getattr(ctx.get_parameter_source(name), "name", "") != "DEFAULT")
