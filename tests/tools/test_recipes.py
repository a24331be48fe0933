"""tools/recipes.py: what recipes need, and packages of Debian that are missing."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
found = importlib.util.spec_from_file_location("recipes", ROOT / "tools" / "recipes.py")
recipes = importlib.util.module_from_spec(found)
found.loader.exec_module(recipes)


@pytest.mark.parametrize("file", sorted(recipes.RECIPES.glob("test_*.py")), ids=lambda f: f.stem)
def test_every_recipe_says_what_it_needs(file):
    assert recipes.needs_of(file)
    assert bool(recipes.debian_of(file)) is (file.stem == "test_r")


def missing(monkeypatch, *, root: bool) -> list[list[str]]:
    """With one of two packages installed; the commands that are run."""
    ran = []
    monkeypatch.setattr(recipes, "versions_of_debian", lambda packages: ["r-base-core 4.2.2"])
    monkeypatch.setattr(recipes.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(recipes.os, "geteuid", lambda: 0 if root else 1000, raising=False)
    monkeypatch.setattr(recipes.subprocess, "run", lambda command, **_: ran.append(command))
    recipes.install(["r-base-core", "r-cran-loo"])
    return ran


def test_what_is_missing_is_installed_where_that_may_be_done(monkeypatch):
    (command,) = missing(monkeypatch, root=True)
    assert command[:2] == ["apt-get", "install"]
    assert "r-cran-loo" in command
    assert "r-base-core" not in command


def test_elsewhere_the_command_is_told(monkeypatch):
    with pytest.raises(subprocess.CalledProcessError) as error:
        missing(monkeypatch, root=False)
    assert error.value.stderr.startswith("install r-cran-loo first, as with sudo apt-get install")


def test_without_packages_nothing_is_run():
    recipes.install([])
    assert recipes.versions_of_debian([]) == []
