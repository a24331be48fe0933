"""Where results go, whatever it is: a pipe that is closed, a disk that is full, a file that cannot
be written.

Results go to standard output, remarks and warnings to standard error. NumPy is imported where there
is something to say.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any


@contextmanager
def printing() -> Iterator[None]:
    """Print the result; if that fails, raise an error, because the result is the purpose of the
    command.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has what it wanted
        raise
    except OSError as error:
        silence(sys.stdout)
        reason = error.strerror or error
        raise OSError(
            f"the result could not be printed: {reason}; make room, or send it elsewhere"
        ) from error


@printing()
def print_result(result: Any, *, as_json: bool = False) -> None:
    """The table, fitted to the terminal, and the verdict; or, for programs, all numbers."""
    print(json.dumps(result.to_dict(), indent=2) if as_json else result)


def say(message: str) -> None:
    """A remark beside the result, on standard error: pipes then carry only the result.

    It contains no control characters, and a stream that cannot be written to is ignored.
    """
    from rivals._say.words import show

    try:
        print("\n".join(map(show, message.split("\n"))), file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)


def silence(stream: IO[str]) -> None:
    """Discard what is left in a stream; otherwise Python tries to write it again when it exits."""
    with (
        suppress(OSError, ValueError),
        open(os.devnull, "wb") as nowhere,
    ):  # a stream of a test has no descriptor
        os.dup2(nowhere.fileno(), stream.fileno())


@contextmanager
def warnings_as_sentences() -> Iterator[None]:
    """Print our own warnings as sentences; those of others are left as they are."""
    from rivals._say.warn import RivalsWarning

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
def writing(path: Path) -> Iterator[None]:
    """Write a file, and say that it was written, or which one could not be."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise OSError(
            f"{path} could not be written: {reason}; make room, or name another file"
        ) from error
    say(f"written: {path}")
