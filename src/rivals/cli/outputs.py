"""Files of results: whether they can be written is checked before the work, not after it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rivals._checks import need, show
from rivals._files import replacing
from rivals.cli.console import say


def check_output(
    path: Path | None, option: str, *, endings: Collection[str] = (), inputs: Collection[Path | None] = ()
) -> None:
    """Refuse a file that could not be written, or that would replace one of the inputs."""
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
        raise OSError(f"{show(path)} could not be written: {reason}; make room, or name another file") from error
    say(f"written: {path}")


@contextmanager
def picture(path: Path, width: float, height: float) -> Iterator[Any]:
    """A figure to draw into, which is then written."""
    figure = need("matplotlib.figure", extra="plot", purpose="pictures").Figure((width, height), layout="constrained")
    yield figure
    with replacing(path) as file:
        figure.savefig(file, format=path.suffix[1:], dpi=150)
