"""The methods: one file for each, found by its being here. README.md says what a file must have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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


def every() -> list[Method]:
    """All methods, in the order of their files; a file with several views makes several."""
    found = []
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        file = import_module(f"methods.{path.stem}")
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
    return found


def _always(key: dict[str, Any]) -> bool:
    """Wherever there are two groups or more."""
    return bool(key["groups"] >= 2)
