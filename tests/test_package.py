"""The package as a whole: what importing it costs and loads, and that documented examples run."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rivals

ROOT = Path(__file__).parents[1]


def test_importing_loads_nothing_heavy():
    heavy = ["scipy.stats", "scipy.optimize", "matplotlib", "pandas", "typer", "sqlite3", "loky", "numba"]
    code = f"import rivals, sys; print([name for name in {heavy} if name in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def test_public_names_are_documented_with_examples():
    for name in rivals.__all__:
        thing = getattr(rivals, name)
        if callable(thing):
            assert ">>>" in thing.__doc__, name


MODULES = sorted(info.name for info in pkgutil.walk_packages(rivals.__path__, "rivals."))


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings_run(module):
    found = doctest.testmod(importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0


def test_the_python_of_the_readme_runs_as_it_stands(tmp_path, monkeypatch, capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert "Worth keeping" in capsys.readouterr().out
