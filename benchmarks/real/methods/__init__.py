"""The methods: a file for each, found by its being here. README.md says what a file must have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from problems import Problem

FloatArray = npt.NDArray[np.float64]
THRESHOLD = 0.95


@dataclass(frozen=True)
class Method:
    """A way to judge: P[a, b] of a problem, the probability that a is better than b.

    `noisy` gives the same of losses with so much noise, where the method knows how.
    """

    name: str
    question: str  # the one that it claims to answer: next, study, all
    threshold: float
    package: str  # whose version is recorded; empty for a formula of our own
    asked: Callable[[dict[str, Any]], bool]  # of the key of a problem
    judge: Callable[[Problem], FloatArray]
    noisy: Callable[[Problem, FloatArray], FloatArray] | None = None


@cache
def every() -> tuple[Method, ...]:
    """All methods, in the order of their files; a file with several views makes several.

    A file that needs a package which is not installed is left out, and `missing` names it.
    """
    found: list[Method] = []
    for stem in _stems():
        try:
            file: Any = import_module(f"methods.{stem}")
        except ImportError:
            continue
        found += _of_problems(file) if hasattr(file, "METHODS") else _of_losses(file)
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


def _of_problems(file: Any) -> list[Method]:
    """Several methods in one file, of whole problems; those that take noise know how."""
    found = []
    for name, (question, asked, judge) in file.METHODS.items():
        noisy = judge if "noise" in signature(judge).parameters else None
        found.append(Method(name, question, THRESHOLD, file.PACKAGE, asked, judge, noisy))
    return found


def _of_losses(file: Any) -> list[Method]:
    """One method of losses that were held out in some ways."""
    found = []
    for view in file.VIEWS:
        found.append(
            Method(
                file.NAME if len(file.VIEWS) == 1 else f"{file.NAME}, by {view}",
                file.QUESTION,
                getattr(file, "THRESHOLD", THRESHOLD),
                getattr(file, "PACKAGE", ""),
                partial(_asked, view, getattr(file, "asked", _several)),
                partial(_judge, view, file.judge),
            )
        )
    return found


def _asked(view: str, asked: Callable[[dict[str, Any]], bool], key: dict[str, Any]) -> bool:
    return view in key["views"] and asked(key)


def _judge(view: str, judge: Callable[..., Any], problem: Problem) -> FloatArray:
    return np.asarray(judge(problem.views[view], problem.simulations, problem.order))


def _several(key: dict[str, Any]) -> bool:
    """Wherever there are two groups or more."""
    return bool(key["groups"] >= 2)
