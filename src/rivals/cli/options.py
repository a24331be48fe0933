"""Arguments and options that several commands share, by the names and with the defaults of `rivals.compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Observed = Annotated[
    Path,
    typer.Argument(
        help="Losses on held-out data, one column per model (.csv, .tsv, .parquet); or, without a second file, a long table "
        "with the columns model, kind, loss, or an .npz archive.",
        show_default=False,
    ),
]
Synthetic = Annotated[
    Path | None,
    typer.Argument(help="Losses of each model on its own simulations, in the same columns.", show_default=False),
]
C = Annotated[float, typer.Option(help="Sensitivity to the discrepancy between model and data.")]
Threshold = Annotated[float, typer.Option(help="Probability above which a better rival rejects a model.")]
Draws = Annotated[int, typer.Option(help="Draws of the risk of each model.")]
MaxDraws = Annotated[int, typer.Option(help="Draws at most, where the threshold is close.")]
Depth = Annotated[int | None, typer.Option(help="Refinements of the process; as deep as the data resolve by default.")]
Seed = Annotated[int | None, typer.Option(help="Seed of the random numbers; drawn and printed if not given.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
