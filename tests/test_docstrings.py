"""Docstrings of what users call: a short first line, every parameter, and an example that runs."""

from __future__ import annotations

import doctest
import importlib
import inspect
from collections.abc import Iterator
from functools import cached_property

import numpy as np
import pytest

import rivals

MOST_WORDS = 10
# Classes that methods of results return.
HANDED_OUT = (
    "rivals._questions.plan.Plan",
    "rivals._questions.looks.Looks",
    "rivals._questions.ranks.Ranks",
    "rivals._questions.equivalence.Equivalence",
    "rivals._questions.gate.Gate",
    "rivals._questions.segments.Segments",
    "rivals._result.renderers.Table",
)
# What cannot be made, or is handed to users, has no example of its own.
WITHOUT_EXAMPLE = {"rivals.laws.Law", "rivals.laws.law_of", *HANDED_OUT}
PACKAGES = ("rivals", "rivals.read", "rivals.laws", "rivals.plots")


def public() -> Iterator[tuple[str, object]]:
    """Functions and classes of the public packages."""
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing) or inspect.isclass(thing):
                yield f"{package}.{name}", thing
    for place in HANDED_OUT:
        module, _, name = place.rpartition(".")
        yield place, getattr(importlib.import_module(module), name)


def members() -> Iterator[tuple[str, object]]:
    """Methods and properties of the public classes, as far as they are ours."""
    for name, thing in public():
        if not inspect.isclass(thing):
            continue
        for cls in thing.__mro__:
            if not cls.__module__.startswith("rivals"):
                continue
            for member, value in vars(cls).items():
                is_shown = inspect.isroutine(value) or isinstance(value, property | cached_property)
                is_shown = is_shown or isinstance(value, classmethod | staticmethod)
                if is_shown and not member.startswith("_"):
                    yield f"{name}.{member}", getattr(value, "__func__", value)


PUBLIC = dict(public())
WITH_MEMBERS = {**PUBLIC, **dict(members())}


@pytest.mark.parametrize("name", WITH_MEMBERS)
def test_the_first_line_says_in_ten_words_what_it_does(name):
    text = inspect.getdoc(WITH_MEMBERS[name])
    assert text, f"{name} has no docstring"
    first = text.split("\n\n")[0]
    assert "\n" not in first, f"{name}: the first sentence takes more than a line"
    assert len(first.split()) <= MOST_WORDS, f"{name}: {first}"
    assert first.endswith("."), f"{name}: {first}"


@pytest.mark.parametrize("name", sorted(PUBLIC.keys() - WITHOUT_EXAMPLE))
def test_there_is_an_example(name):
    assert ">>>" in inspect.getdoc(PUBLIC[name]), f"{name} has no example"


@pytest.mark.parametrize("name", WITH_MEMBERS)
def test_examples_do_as_they_show(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    thing = WITH_MEMBERS[name]
    globs = {"np": np, "rivals": rivals, **vars(inspect.getmodule(thing) or rivals)}
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    report: list[str] = []
    for test in finder.find(thing, name, globs=globs):
        runner.run(test, out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize("name", [name for name in PUBLIC if inspect.isfunction(PUBLIC[name])])
def test_every_parameter_is_told(name):
    text = inspect.getdoc(PUBLIC[name])
    for parameter in inspect.signature(PUBLIC[name]).parameters.values():
        if parameter.name in ("result", "ax"):
            continue
        assert parameter.name in text, f"{name}: {parameter.name} is not told"
