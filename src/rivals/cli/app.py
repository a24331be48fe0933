"""The command line: the same names and defaults as the library."""

from __future__ import annotations

import json
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rivals.comparison import MAX_DRAWS, N_DRAWS

# Commands that live beside what they run, as a function of the command's name; imported when they are asked for.
ELSEWHERE = {"calibrate": "cli.calibrate", "reproduce": "paper.command"}

# The ranges that the original study found valid, in octaves.
SWEEP = [2.0**k for k in range(-6, 4)]


class Commands(TyperGroup):
    """The commands of this file and those elsewhere."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *(name for name in ELSEWHERE if _is_there(name))]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in ELSEWHERE or not _is_there(cmd_name):
            return super().get_command(ctx, cmd_name)
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        alone.command(name=cmd_name)(getattr(import_module(f"rivals.{ELSEWHERE[cmd_name]}"), cmd_name))
        return typer.main.get_command(alone)


app = typer.Typer(
    cls=Commands,
    help="Which of several fitted models would still be worth keeping if the experiment were repeated?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

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


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("rivals-demo"),
    c: C = 1.0,
    threshold: Threshold = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
) -> None:
    """Compare Planck's law with that of Rayleigh and Jeans on black body data, and write a report.

    Example: rivals demo --out report --c 0.125
    """
    from rivals.cli.console import print_comparison, working
    from rivals.cli.demo import blackbody_comparison, write_report

    result = blackbody_comparison(c=c, threshold=threshold, rng=seed)
    print_comparison(result)
    with working("Writing the report …"):
        written = write_report(result, out)
    typer.echo("\nWritten:")
    for path in written:
        typer.echo(f"  {path}")


@app.command()
def compare(
    observed: Observed,
    synthetic: Synthetic = None,
    c: C = 1.0,
    threshold: Threshold = 0.95,
    n_draws: Draws = N_DRAWS,
    max_draws: MaxDraws = MAX_DRAWS,
    depth: Depth = None,
    seed: Seed = None,
    as_json: Json = False,
    report: Annotated[Path | None, typer.Option(help="Write the interactive page to this file, too.")] = None,
    save: Annotated[Path | None, typer.Option(help="Save the comparison to this .npz file, too.")] = None,
) -> None:
    """Say which models survive, from files of losses.

    Example: rivals compare observed.csv synthetic.csv --c 0.25 --report report.html
    """
    from rivals.cli.console import print_comparison, working

    result = _comparison(observed, synthetic, c, threshold, n_draws, max_draws, depth, seed)
    if as_json:
        typer.echo(json.dumps(result.to_dict(), indent=2))
    else:
        print_comparison(result)
    if save is not None:
        result.save(save)
    if report is not None:
        with working("Writing the report …"):
            result.report(report)
    _say_written(save, report)


@app.command()
def sweep(
    observed: Observed,
    synthetic: Synthetic = None,
    c: Annotated[
        list[str] | None,
        typer.Option(
            help="Value(s) of c, as 0.25, 2^-2 or a list with commas; may be repeated. By default 2^-6 to 2^3.",
            show_default=False,
        ),
    ] = None,
    threshold: Threshold = 0.95,
    n_draws: Draws = N_DRAWS,
    max_draws: MaxDraws = MAX_DRAWS,
    depth: Depth = None,
    seed: Seed = None,
    as_json: Json = False,
) -> None:
    """Say how the verdict depends on c.

    Example: rivals sweep observed.csv synthetic.csv --c 2^-4,2^-2,1
    """
    from rivals.cli.console import print_sweep, working
    from rivals.cli.values import parse_c

    values = parse_c(c) if c else SWEEP
    result = _comparison(observed, synthetic, values[0], threshold, n_draws, max_draws, depth, seed)
    with working(f"Comparing at {len(values)} values of c …"):
        found = result.sweep(values)
    if not as_json:
        print_sweep(found)
        return
    content = {
        "names": list(found.names),
        "c": list(found.c),
        "threshold": threshold,
        "entropy": result.entropy,
        "survivors": [list(survivors) for survivors in found.survivors],
        "changes": [list(pair) for pair in found.changes],
        "probability": found.probability.tolist(),
        "standard_error": found.standard_error.tolist(),
    }
    typer.echo(json.dumps(content, indent=2))


@app.command()
def report(
    observed: Observed,
    synthetic: Synthetic = None,
    out: Annotated[Path, typer.Option(help="The file to write.")] = Path("report.html"),
    c: C = 1.0,
    threshold: Threshold = 0.95,
    n_draws: Draws = N_DRAWS,
    max_draws: MaxDraws = MAX_DRAWS,
    depth: Depth = None,
    seed: Seed = None,
) -> None:
    """Write an interactive page about the models, one HTML file that works from disk.

    Example: rivals report observed.csv synthetic.csv --out report.html
    """
    from rivals.cli.console import print_comparison, working

    result = _comparison(observed, synthetic, c, threshold, n_draws, max_draws, depth, seed)
    print_comparison(result)
    with working("Writing the report …"):
        result.report(out)
    _say_written(out)


def main() -> None:
    """Run; what the user can mend is said in a sentence, with exit code 2."""
    try:
        app()
    except (ValueError, TypeError, OSError, ImportError, RuntimeError) as error:
        typer.echo(f"rivals: {error}", err=True)
        raise SystemExit(2) from None


def _comparison(
    observed: Path,
    synthetic: Path | None,
    c: float,
    threshold: float,
    n_draws: int,
    max_draws: int,
    depth: int | None,
    seed: int | None,
) -> Any:
    from rivals import comparison
    from rivals.cli.console import say, warnings_as_sentences
    from rivals.read import losses_from_files

    with warnings_as_sentences():
        result = comparison.compare(
            losses_from_files(observed, synthetic),
            c=c,
            threshold=threshold,
            n_draws=n_draws,
            max_draws=max_draws,
            depth=depth,
            rng=seed,
        )
    if seed is None:
        say(f"seed {result.entropy} (repeat with --seed {result.entropy})")
    return result


def _say_written(*paths: Path | None) -> None:
    from rivals.cli.console import say

    for path in paths:
        if path is not None:
            say(f"written: {path}")


def _is_there(command: str) -> bool:
    """Whether this installation has the command's module; looked for by its file, so that nothing is imported."""
    return files("rivals").joinpath(ELSEWHERE[command].replace(".", "/") + ".py").is_file()
