"""What the command line prints: tables that fit a terminal, plain text when piped, warnings as sentences."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rivals._checks import RivalsWarning, show
from rivals.cli.streams import printing
from rivals.cli.streams import say as say  # the commands take it from here
from rivals.comparison import Comparison, Sweep


@printing()
def print_result(result: Comparison | Sweep) -> None:
    """The table, fitted to the terminal, and the verdict."""
    print(result)


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
    if not sys.stderr.isatty():  # pipes do not wait for the library
        yield lambda _: None
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(message, spinner="dots" if console.encoding.startswith("utf") else "line") as status:
        yield status.update
