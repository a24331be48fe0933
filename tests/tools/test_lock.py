"""requirements-ci.txt, which CI installs: it holds what pyproject.toml asks for, with hashes, and
no address.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements-ci.txt"
GROUPS = ("test", "recipes", "lint", "docs", "release", "paper")

pytestmark = pytest.mark.skipif(
    not LOCK.exists(), reason="the lock file is of the repository alone"
)


def locked() -> dict[str, str]:
    return dict(
        re.findall(r"^([a-z0-9.-]+)==(\S+) \\$", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    )


def test_every_package_has_hashes_and_none_an_address():
    text = LOCK.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert len(locked()) == sum(not line.startswith(" ") for line in lines) > 100
    assert all(
        re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}( \\)?", line)
        for line in lines
        if line.startswith(" ")
    )
    assert "://" not in text


def test_it_has_what_the_project_asks_for():
    """After a change of pyproject.toml: `make lock`."""
    requirements = pytest.importorskip("packaging.requirements")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*project["project"]["dependencies"]]
    extras = project["project"]["optional-dependencies"]
    (everything,) = map(requirements.Requirement, extras["all"])
    wanted += [text for extra in everything.extras for text in extras[extra]]
    wanted += [
        text
        for group in GROUPS
        for text in project["dependency-groups"][group]
        if isinstance(text, str)
    ]
    versions = locked()
    for requirement in map(requirements.Requirement, wanted):
        if requirement.name != "rivals":
            assert requirement.specifier.contains(versions[requirement.name.lower()]), requirement
