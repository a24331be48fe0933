"""The package as a whole: what importing it costs and loads, and that documented examples run."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import rivals

ROOT = Path(__file__).parents[1]


def test_importing_loads_nothing_heavy():
    heavy = [
        "scipy.stats",
        "scipy.optimize",
        "matplotlib",
        "pandas",
        "typer",
        "sqlite3",
        "loky",
        "numba",
    ]
    code = f"import rivals, sys; print([name for name in {heavy} if name in sys.modules])"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )


PUBLIC = [
    "rivals",
    "rivals.calibration",
    "rivals.criteria",
    "rivals.plots",
    "rivals.read",
    "rivals.report",
    "rivals.testbeds.blackbody",
]


def public_names(module):
    """`__all__`, or without one, what the module itself defines and does not call private."""
    own = [
        name
        for name, thing in vars(module).items()
        if getattr(thing, "__module__", None) == module.__name__
    ]
    return getattr(module, "__all__", [name for name in own if not name.startswith("_")])


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_are_documented_with_examples(module):
    # Constants, which are not callable, are exempt; exceptions are not.
    imported = importlib.import_module(module)
    things = {name: getattr(imported, name) for name in public_names(imported)}
    documented = {name: thing.__doc__ or "" for name, thing in things.items() if callable(thing)}
    assert documented
    assert [
        name for name, text in documented.items() if not ("Examples\n" in text and ">>>" in text)
    ] == []


MODULES = sorted(info.name for info in pkgutil.walk_packages(rivals.__path__, "rivals."))


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings_run(module):
    found = doctest.testmod(
        importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert found.failed == 0


def test_no_module_has_the_name_of_something_that_is_imported_when_asked_for():
    """Once imported, the module would be found in its place."""
    assert {info.name for info in pkgutil.iter_modules(rivals.__path__)} & set(
        rivals.HOMES
    ) == set()
