"""Where results are written; whether that is possible is checked before the work, not after it."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from rivals._checks import need, show


def check_output(
    path: Path | None, option: str, *, endings: Collection[str] = (), inputs: Collection[Path | None] = ()
) -> None:
    """Refuse a file that could not be written, or that would replace one of the inputs."""
    if path is None:
        return
    if endings and path.suffix.lower() not in endings:
        raise ValueError(f"{option} must end in {_either(endings)}: got {show(path.name)!r}; change its ending")
    if path.is_dir():
        raise ValueError(f"{option}: {show(path)} is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise ValueError(f"{option}: {show(path)} is not a plain file; name another one")
    if any(other is not None and other.exists() and path.exists() and path.samefile(other) for other in inputs):
        raise ValueError(f"{option}: {show(path)} is one of the input files; name another one")
    _check_folder(Path(os.path.realpath(path)).parent, option)


def check_page(path: Path | None, option: str, *, inputs: Collection[Path | None]) -> None:
    """The same for the interactive page, and for the packages that write it."""
    if path is not None:
        need("jinja2", extra="report", purpose="reports")
        check_output(path, option, endings=(".html", ".htm"), inputs=inputs)


def check_picture(path: Path | None, option: str) -> None:
    """The same for a picture."""
    if path is not None:
        backends = need("matplotlib.backend_bases", extra="plot", purpose=option)
        endings = [f".{name}" for name in backends.FigureCanvasBase.get_supported_filetypes()]
        check_output(path, option, endings=endings)


def check_output_folder(path: Path, option: str) -> None:
    """The same for a folder, which is created if needed."""
    if path.exists() and not path.is_dir():
        raise ValueError(f"{option}: {show(path)} is a file; name a folder")
    there = next(folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists())
    _check_folder(there, option)


def _check_folder(folder: Path, option: str) -> None:
    if not folder.is_dir():
        raise ValueError(f"{option}: there is no folder {show(folder)}; make it, or name another one")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ValueError(f"{option}: the folder {show(folder)} is not writable; name another one")


def _either(endings: Collection[str]) -> str:
    *first, last = endings
    return f"{', '.join(first)} or {last}" if first else last
