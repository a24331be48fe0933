"""Where results go, whatever it is: a pipe that is closed, a disk that is full, a file that cannot be written.

Results go to standard output, remarks and warnings to standard error. Whether a file can be written is checked before the
work, not after it. NumPy is imported where there is something to say.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any


@contextmanager
def printing() -> Iterator[None]:
    """Print the result; if that fails, raise an error, because the result is the purpose of the command."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has what it wanted
        raise
    except OSError as error:
        silence(sys.stdout)
        reason = error.strerror or error
        raise OSError(f"the result could not be printed: {reason}; make room, or send it elsewhere") from error


@printing()
def print_result(result: Any, *, as_json: bool = False) -> None:
    """The table, fitted to the terminal, and the verdict; or, for programs, all numbers."""
    print(json.dumps(result.to_dict(), indent=2) if as_json else result)


def say(message: str) -> None:
    """A remark beside the result, on standard error: pipes then carry only the result.

    It contains no control characters, and a stream that cannot be written to is ignored.
    """
    from rivals._checks import show

    try:
        print("\n".join(map(show, message.split("\n"))), file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)


def silence(stream: IO[str] | None) -> None:
    """Discard what is left in a stream; otherwise Python tries to write it again when it exits."""
    if stream is None:
        return
    with suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:  # a stream of a test has no descriptor
        os.dup2(nowhere.fileno(), stream.fileno())


@contextmanager
def warnings_as_sentences() -> Iterator[None]:
    """Print our own warnings as sentences; those of others are left as they are."""
    from rivals._checks import RivalsWarning

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


def check_output(
    path: Path | None, option: str, *, endings: Collection[str] = (), inputs: Collection[Path | None] = ()
) -> None:
    """Refuse a file that could not be written, or that would replace one of the inputs."""
    from rivals._checks import show

    if path is None:
        return
    if endings and path.suffix.lower() not in endings:
        raise ValueError(f"{option} must end in {' or '.join(endings)}: got {show(path.name)!r}; change its ending")
    if path.is_dir():
        raise ValueError(f"{option}: {show(path)} is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise ValueError(f"{option}: {show(path)} is not a plain file; name another one")
    if any(other is not None and other.exists() and path.exists() and path.samefile(other) for other in inputs):
        raise ValueError(f"{option}: {show(path)} is one of the input files; name another one")
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise ValueError(f"{option}: there is no folder {show(folder)}; make it, or name another one")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ValueError(f"{option}: the folder {show(folder)} is not writable; name another one")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Write a file, and say that it was written, or which one could not be."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise OSError(f"{path} could not be written: {reason}; make room, or name another file") from error
    say(f"written: {path}")
