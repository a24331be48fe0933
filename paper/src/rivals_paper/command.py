"""`rivals reproduce`: make figures and tables of the paper anew, each number beside the published
one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from rivals_paper import registry
from rivals_paper.output import AS_PUBLISHED, SOURCES, Task, describe, differs

HEADINGS = ("", "seconds", "comparisons", "within 3 SE", "explained", "not explained", "without SE")
SOURCE_HEADINGS = ("number we compare with, computed as published", *HEADINGS[2:])


def reproduce(
    names: Annotated[list[str] | None, typer.Argument(help="Figures and tables, or `all`.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the pictures and the numbers.")] = Path(
        "rivals-paper"
    ),
    experiments: Annotated[
        int | None,
        typer.Option(min=1, help="Number of simulated experiments, where there are any."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")] = 0,
    list_names: Annotated[
        bool, typer.Option("--list", help="Say what there is, and stop.")
    ] = False,
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
        raise typer.BadParameter(
            f"nothing to reproduce; choose from {', '.join(registry.names())}, or all"
        )
    try:
        modules = registry.select(names)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    task = Task(out, experiments, seed, progress)
    done = [_reproduce(module, task) for module in modules]
    typer.echo(_summary(done))
    typer.echo(_by_source(done))
    failed = [each.name for each in done if each.comparisons is None]
    if failed:
        typer.echo(f"Not reproduced: {', '.join(failed)}.", err=True)
        raise typer.Exit(2)


@dataclass(frozen=True)
class Done:
    """One module that was run."""

    name: str
    seconds: float
    comparisons: list[dict[str, Any]] | None  # None where it failed

    def counts(self) -> list[int]:
        """Comparisons; within three standard errors.

        Farther away, with a reason and without; without a standard error.
        """
        return counts(self.comparisons or [])


def counts(rows: Sequence[dict[str, Any]]) -> list[int]:
    """Comparisons; within three standard errors.

    Farther away, with a reason and without; without a standard error.
    """
    apart = [row for row in rows if differs(row)]
    explained = sum("explanation" in row for row in apart)
    with_error = sum(_has_error(row) for row in rows)
    return [
        len(rows),
        with_error - len(apart),
        explained,
        len(apart) - explained,
        len(rows) - with_error,
    ]


def _reproduce(module: registry.PaperModule, task: Task) -> Done:
    """Reproduce one module and print its comparisons.

    An error does not keep the next one from running.
    """
    start = time.perf_counter()
    typer.echo(f"{module.NAME}: {module.DESCRIPTION}")
    try:
        rows = registry.reproduce(module, task)["comparisons"]
    except (ImportError, ValueError, RuntimeError, OSError) as error:
        typer.echo(f"  {type(error).__name__}: {error}", err=True)
        return Done(module.NAME, time.perf_counter() - start, None)
    for row in rows:
        why = f"; {row['explanation']}" if "explanation" in row else ""
        typer.echo(f"  {describe(_numeric(row))}{why}")
    done = Done(module.NAME, time.perf_counter() - start, rows)
    typer.echo(f"  {done.seconds:.0f} s, written to {task.folder / module.NAME}.json")
    return done


def _summary(done: Sequence[Done]) -> str:
    """A line for each module, and one for all.

    Time, and how the published numbers compare with ours.
    """
    body = [
        [
            each.name,
            f"{each.seconds:.0f}",
            *(["failed"] if each.comparisons is None else map(str, each.counts())),
        ]
        for each in done
    ]
    sums = [sum(column) for column in zip(*(each.counts() for each in done), strict=True)]
    body.append(["all", f"{sum(each.seconds for each in done):.0f}", *map(str, sums)])
    return _table(HEADINGS, body)


def _by_source(done: Sequence[Done]) -> str:
    """The numbers computed as published, by where the original number stands.

    Only the first two are published.
    """
    rows = [
        row for each in done for row in each.comparisons or [] if row["variant"] == AS_PUBLISHED
    ]
    body = [
        [source, *map(str, counts([row for row in rows if row["source"] == source]))]
        for source in SOURCES
    ]
    return _table(SOURCE_HEADINGS, body)


def _table(headings: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    lines = (headings, *body)
    widths = [max(len(line[k]) for line in lines if k < len(line)) for k in range(len(headings))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=False))
        ).rstrip()
        for line in lines
    )


def _has_error(row: dict[str, Any]) -> bool:
    """Whether both numbers are finite, and their difference has a standard error."""
    return all(
        isinstance(row[key], (int, float)) for key in ("reference", "ours", "standard_error")
    )


def _numeric(row: dict[str, Any]) -> dict[str, Any]:
    """Undo the spelling of infinities, which JSON knows only as strings."""
    return {
        key: float(value) if key in ("reference", "ours") and isinstance(value, str) else value
        for key, value in row.items()
    }
