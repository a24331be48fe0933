"""The command line: the same names and defaults as the library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rivals.calibration.command import calibrate

app = typer.Typer(
    help="Which of several fitted models would still be worth keeping if the experiment were repeated?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def _commands() -> None:
    """Keep commands as commands even while there is only one of them."""


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("rivals-demo"),
    c: Annotated[float, typer.Option(help="Sensitivity to the discrepancy between model and data.")] = 1.0,
    threshold: Annotated[float, typer.Option(help="Probability above which a better rival rejects a model.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
) -> None:
    """Compare Planck's law with that of Rayleigh and Jeans on black body data, and write a report.

    Example: rivals demo --out report --c 0.125
    """
    from rivals.demo import blackbody_comparison, write_report

    result = blackbody_comparison(c=c, threshold=threshold, rng=seed)
    typer.echo(str(result))
    typer.echo("\nWritten:")
    for path in write_report(result, out):
        typer.echo(f"  {path}")


app.command()(calibrate)


def main() -> None:
    """Run; what the user can mend is said in a sentence, with exit code 2."""
    try:
        app()
    except (ValueError, TypeError, OSError, ImportError, RuntimeError) as error:
        typer.echo(f"rivals: {error}", err=True)
        raise SystemExit(2) from None
