"""Where results, remarks and errors go, in the words of the command line.

Results go to standard output, remarks and warnings to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import typer

from rivals._core.cautions import RivalsWarning
from rivals._core.checks import printable
from rivals._core.texts import in_command, options_in, text_of

ERROR = 2
INTERRUPTED = 130
# What a wrong option raises, in any release of typer.
UsageError: Any = typer.BadParameter.__base__
# What went wrong, in a word for programs; the first that fits.
CODES: tuple[tuple[type[Exception], str], ...] = (
    (UsageError, "usage"),
    (FileNotFoundError, "no-file"),
    (OSError, "file"),
    (ImportError, "not-installed"),
    (MemoryError, "memory"),
    (TypeError, "wrong-kind"),
    (ValueError, "wrong-value"),
    (RuntimeError, "failed"),
)


def guarded(run: Callable[[], Any], *, as_json: bool) -> int:
    """Run to the end; the exit status. An error is a sentence, or JSON where that was asked for.

    A reader that stops early, as in `rivals … | head`, is no error.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # of an encoding without our symbols
    try:
        with warnings_as_sentences():
            status = run()
        if sys.stdout is not None:  # which the shell may have closed
            sys.stdout.flush()
    except BrokenPipeError:
        _silence()
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except tuple(kind for kind, _ in CODES) as error:
        return _failed(error, as_json)
    return status if isinstance(status, int) else 0


def _failed(error: Any, as_json: bool) -> int:
    is_usage = isinstance(error, UsageError)
    text = error.format_message() if is_usage else text_of(error)
    message = in_command(text) or type(error).__name__
    if not as_json:
        say(f"rivals: {message}")
        return ERROR
    options = _wrong_options(error) if is_usage else list(options_in(text))
    code = next(code for kind, code in CODES if isinstance(error, kind))
    code = ":".join([code, *(option.removeprefix("--") for option in options[:1])])
    found = {"error": message, "code": code, "options": options, "exit_status": ERROR}
    with suppress(OSError):
        print(json.dumps(found), flush=True)
    return ERROR


def _wrong_options(error: Any) -> list[str]:
    """Those that a parser refused, by their longest names."""
    known = getattr(getattr(error, "param", None), "opts", None)
    names = known or [getattr(error, "option_name", None) or ""]
    return [name for name in names if name.startswith("--")][:1]


def _silence() -> None:
    """Discard what is left; otherwise Python tries to write it again when it exits."""
    with suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def print_result(result: Any, *, as_json: bool = False) -> None:
    """The table and the decision; or, for programs, all numbers."""
    if as_json:
        print(json.dumps(result.to_dict(), indent=2, allow_nan=False))
    else:
        print(in_command(result._marked() if hasattr(result, "_marked") else str(result)))


def say(message: str) -> None:
    """A remark beside the result, on standard error: pipes then carry only the result."""
    lines = "\n".join(map(printable, message.split("\n")))
    with suppress(OSError, AttributeError):  # closed, or full
        print(lines, file=sys.stderr, flush=True)


@contextmanager
def warnings_as_sentences() -> Iterator[None]:
    """Print warnings as sentences, without the line of a program that nobody wrote."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", RivalsWarning)
        warnings.showwarning = lambda message, *place, **options: say(
            f"warning: {in_command(text_of(message))}"
        )
        yield


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Write a file, and say that it was written, or why it could not be."""
    try:
        yield
    except OSError as error:
        raise OSError(f"{path} could not be written: {error.strerror or error}") from error
    say(f"written: {path}")
