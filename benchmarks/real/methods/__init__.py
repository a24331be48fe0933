"""The methods: one file for each, found by its being here. README.md says what a file must have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

THRESHOLD = 0.95


@dataclass(frozen=True)
class Method:
    """A way to judge, from losses that were held out in one way."""

    name: str
    question: str  # the one that it claims to answer: next, study, all
    view: str  # how its losses are held out: groups, points, nested
    threshold: float
    package: str  # whose version is recorded; empty for a formula of our own
    asked: Callable[[dict[str, Any]], bool]  # of the key of a problem
    judge: Callable[[Any, Any, str | None], Any]


@cache
def every() -> tuple[Method, ...]:
    """All methods, in the order of their files; a file with several views makes several.

    A file that needs a package which is not installed is left out, and `missing` names it.
    """
    found = []
    for stem in _stems():
        try:
            file = import_module(f"methods.{stem}")
        except ImportError:
            continue
        for view in file.VIEWS:
            found.append(
                Method(
                    file.NAME if len(file.VIEWS) == 1 else f"{file.NAME}, by {view}",
                    file.QUESTION,
                    view,
                    getattr(file, "THRESHOLD", THRESHOLD),
                    getattr(file, "PACKAGE", ""),
                    getattr(file, "asked", _always),
                    file.judge,
                )
            )
    return tuple(found)


def missing() -> list[str]:
    """Sentences about the files that cannot be used here."""
    found = []
    for stem in _stems():
        try:
            import_module(f"methods.{stem}")
        except ImportError as error:
            found.append(f"methods/{stem}.py: left out, {error}")
    return found


def _stems() -> list[str]:
    return sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))


def _always(key: dict[str, Any]) -> bool:
    """Wherever there are two groups or more."""
    return bool(key["groups"] >= 2)
