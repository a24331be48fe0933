"""What a release needs agrees with itself, and one command writes the address of the repository."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = "https://example.org/someone/rivals"
FILES = ("README.md", "pyproject.toml", "CITATION.cff", "conda/meta.yaml", "tools/address.py")

pytestmark = pytest.mark.skipif(
    not (ROOT / "conda").exists(), reason="the recipe for conda is of the repository alone"
)


@pytest.fixture
def addressed(tmp_path):
    """A copy into which the address was written, twice, as after a move."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for address in ("https://example.org/before/rivals", ADDRESS):
        subprocess.run([sys.executable, tmp_path / "tools" / "address.py", address], check=True)
    return tmp_path


def test_every_link_of_the_readme_becomes_absolute(addressed):
    text = (addressed / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(((?!#)[^)\s]+)\)", text)
    assert targets
    assert all(target.startswith("https://") for target in targets)
    own = [target.removeprefix(f"{ADDRESS}/") for target in targets if target.startswith(ADDRESS)]
    for target in own:
        path = target.split("/", 2)[2].split("#")[0]
        assert (ROOT / path).exists()
    assert "![" in text
    assert re.search(rf"!\[[^\]]*\]\({ADDRESS}/raw/main/\S+\.png\)", text)
    assert "before" not in "".join(targets)


def test_the_project_and_its_citation_have_the_address(addressed):
    project = tomllib.loads((addressed / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["urls"]["Repository"] == ADDRESS
    assert project["scripts"] == {"rivals": "rivals.cli:main"}
    assert f'repository-code: "{ADDRESS}"\n' in (addressed / "CITATION.cff").read_text(
        encoding="utf-8"
    )
    assert (addressed / "conda/meta.yaml").read_text(encoding="utf-8").count(ADDRESS) == 2


def test_an_address_that_is_none_is_refused():
    found = subprocess.run(
        [sys.executable, ROOT / "tools" / "address.py", "rivals"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 2
    assert "expected https://host/owner/name" in found.stderr


def test_versions_and_requirements_agree():
    version = runpy.run_path(str(ROOT / "src/rivals/_version.py"))["__version__"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    recipe = (ROOT / "conda/meta.yaml").read_text(encoding="utf-8")
    assert f'version = "{version}"' in recipe
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    codemeta = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    assert codemeta["version"] == version
    assert codemeta["softwareRequirements"] == project["dependencies"]
    run = re.search(r"  run:\n((?:    .*\n)+)", recipe)[1]
    found = {line.strip(" -").replace(" ", "") for line in run.splitlines() if "#" not in line}
    wanted = [
        *project["dependencies"],
        *project["optional-dependencies"]["cli"],
        f"python{project['requires-python']}",
    ]
    assert found == set(wanted)


def test_the_workflow_runs_what_ci_runs():
    assert "- run: .ci/run" in (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
