"""`rivals reproduce`: make figures and tables of the paper anew, each number beside the published one."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from rivals_paper import registry
from rivals_paper.output import Task, describe


def reproduce(
    names: Annotated[list[str] | None, typer.Argument(help="Figures and tables, or `all`.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the pictures and the numbers.")] = Path("rivals-paper"),
    experiments: Annotated[
        int | None, typer.Option(min=1, help="Number of simulated experiments, where there are any.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")] = 0,
    list_names: Annotated[bool, typer.Option("--list", help="Say what there is, and stop.")] = False,
    progress: Annotated[bool, typer.Option(help="Show how far a run has come.")] = True,
) -> None:
    """Reproduce figures and tables of the paper, as published and corrected.

    Example: rivals reproduce overview rdists --out figures
    """
    if list_names:
        width = max((len(name) for name in registry.names()), default=0)
        for module in registry.select(["all"]):
            typer.echo(f"{module.NAME:<{width}}  {module.DESCRIPTION}")
        return
    if not names:
        raise typer.BadParameter(f"nothing to reproduce; choose from {', '.join(registry.names())}, or all")
    try:
        modules = registry.select(names)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    task = Task(out, experiments, seed, progress)
    failed = [module.NAME for module in modules if not _succeeds(module, task)]
    if failed:
        typer.echo(f"Not reproduced: {', '.join(failed)}.", err=True)
        raise typer.Exit(2)


def _succeeds(module: registry.PaperModule, task: Task) -> bool:
    """Reproduce one module and print its comparisons; an error does not keep the next one from running."""
    start = time.perf_counter()
    typer.echo(f"{module.NAME}: {module.DESCRIPTION}")
    try:
        content = registry.reproduce(module, task)
    except (ImportError, ValueError, RuntimeError, OSError) as error:
        typer.echo(f"  {type(error).__name__}: {error}", err=True)
        return False
    for row in content["comparisons"]:
        typer.echo(f"  {describe(_numeric(row))}")
    typer.echo(f"  {time.perf_counter() - start:.0f} s, written to {task.folder / module.NAME}.json")
    return True


def _numeric(row: dict[str, object]) -> dict[str, object]:
    """Undo the spelling of infinities, which JSON knows only as strings."""
    return {
        key: float(value) if key in ("published", "ours") and isinstance(value, str) else value
        for key, value in row.items()
    }
