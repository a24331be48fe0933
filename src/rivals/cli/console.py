"""What the command line prints: tables that fit a terminal, plain text when piped, warnings as sentences."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivals._checks import RivalsWarning, show
from rivals.cli.streams import printing
from rivals.cli.streams import say as say  # the commands take it from here
from rivals.comparison import Comparison, Sweep
from rivals.comparison.shown import SWEEP_HEADINGS, made_with, sweep_cells
from rivals.comparison.table import cells_of, footnotes, rows_of, shown_columns

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


@printing()
def print_comparison(result: Comparison) -> None:
    """The verdict and the table; notes are printed below it, if the terminal has no room for them beside it."""
    console = _terminal()
    if console is None:
        print(result)
        return
    rows = rows_of(result)
    columns = [column for column in shown_columns(rows) if column.heading != "notes"]
    console.print(_table([column.heading for column in columns], cells_of(rows, columns), right=(1, 2, 3)))
    for line in footnotes(rows, console.width):
        console.print(_text(line, "dim"))
    console.print()
    console.print(_text(result.verdict, "bold"))
    console.print(_text(made_with(result), "dim"))


@printing()
def print_sweep(sweep: Sweep) -> None:
    """One line per c, and where the verdict changes."""
    console = _terminal()
    if console is None:
        print(sweep)
        return
    console.print(_table(list(SWEEP_HEADINGS), sweep_cells(sweep), right=(0,)))
    console.print(_text(sweep.verdict, "bold"))


@printing()
def print_json(content: dict[str, Any]) -> None:
    """For machines."""
    print(json.dumps(content, indent=2))


def write_page(result: Comparison, path: Path, title: str | None = None) -> None:
    """Write the interactive page and say where."""
    from rivals.report import write_report

    titled: dict[str, Any] = {} if title is None else {"title": title}
    with working("Writing the report …") as tell, writing(path):
        write_report(
            result,
            path,
            progress=lambda done, total: tell(f"Writing the report … {done} of {total} values of c"),
            **titled,
        )


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Write a file, and say that it was written, or which one could not be."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise OSError(f"{show(path)} could not be written: {reason}; make room, or name another file") from error
    say(f"written: {path}")


@contextmanager
def warnings_as_sentences() -> Iterator[None]:
    """Print our own warnings as sentences; those of others are left as they are."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", RivalsWarning)
        show_others = warnings.showwarning

        def show_sentence(message: Any, category: Any, *place: Any, **options: Any) -> None:
            if issubclass(category, RivalsWarning):
                say(f"warning: {message}")
            else:
                show_others(message, category, *place, **options)

        warnings.showwarning = show_sentence
        yield


@contextmanager
def working(message: str) -> Iterator[Callable[[str], None]]:
    """Show that something is running, and how far it is; nothing if the output is not a terminal."""
    console = _terminal(stderr=True)
    if console is None:
        yield lambda _: None
        return
    with console.status(message, spinner="dots" if console.encoding.startswith("utf") else "line") as status:
        yield status.update


def _terminal(*, stderr: bool = False) -> Console | None:
    """The console, if standard output, or error, is one; pipes do not wait for its library."""
    stream = sys.stderr if stderr else sys.stdout
    if not (stream.isatty() or {"FORCE_COLOR", "TTY_COMPATIBLE"} & set(os.environ)):
        return None
    from rich.console import Console

    console = Console(highlight=False, stderr=stderr)
    return console if console.is_terminal else None


def _table(headings: list[str], rows: list[list[str]], *, right: tuple[int, ...]) -> RenderableType:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE, pad_edge=False)
    for column, heading in enumerate(headings):
        table.add_column(heading, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_text(cell) for cell in row))
    return table


def _text(text: str, style: str = "") -> RenderableType:
    """Print text unchanged: names in square brackets are not markup."""
    from rich.text import Text

    return Text(text, style=style)
