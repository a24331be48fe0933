"""Packages that not everybody has."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def need(module: str, *, extra: str, purpose: str) -> Any:
    """Import an optional package, or say what it is needed for and which extra installs it.

    Examples
    --------
    >>> need("math", extra="plot", purpose="pictures").pi > 3
    True
    """
    try:
        return import_module(module)
    except ImportError as error:
        missing = error.name or module
        raise ImportError(
            f'{purpose}: the package {missing!r} is not installed; pip install "rivals[{extra}]"',
            name=missing,
        ) from None
