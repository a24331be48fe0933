"""The documentation: its Python and its commands run as they stand, and it leaves out no public name."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from typer.testing import CliRunner

import rivals
from rivals import cli

plt = pytest.importorskip("matplotlib.pyplot", reason='the documentation draws: pip install "rivals[plot]"')
pytest.importorskip("jinja2", reason='the documentation writes reports: pip install "rivals[report]"')

DOCS = Path(__file__).parents[1] / "docs"
# Those on calibration run for minutes, or need a cluster: `make docs` and the tests of calibration have to do for them.
PAGES = sorted(
    path
    for path in DOCS.glob("*.md")
    if "```python\n" in path.read_text(encoding="utf-8") and not path.stem.startswith("calibration")
)


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield
    plt.close("all")


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def run_python(page: Path) -> dict:
    namespace: dict = {}
    for block in blocks(page, "python"):
        exec(compile(block, page.name, "exec"), namespace)
    return namespace


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.stem not in ("start", "tutorial")], ids=lambda p: p.stem
)
def test_python_of_a_page_runs_from_top_to_bottom(page):
    run_python(page)


def test_what_the_start_says_holds():
    result = run_python(DOCS / "start.md")["result"]
    assert "wide" in result.rejections
    assert "wide" not in result.sweep([1.0]).comparisons[0].rejections


def test_what_the_tutorial_says_holds():
    found = run_python(DOCS / "tutorial.md")
    result, sweep, mended = found["result"], found["sweep"], found["mended"]
    assert result.ranking == ("Michaelis-Menten", "logarithm", "line")
    assert not result.rejections
    gap, error = result.difference["logarithm"]
    assert round(gap, 2) == 0.09
    assert 4 < gap / error < 5
    at = dict(zip(sweep.c, sweep.survivors, strict=True))
    assert at[0.5] == ("Michaelis-Menten", "logarithm")
    assert at[2**-5] == ("Michaelis-Menten",)
    assert all(mended.risk_std[name] < result.risk_std[name] for name in result.names)
    assert all(mended.distance[name] < result.distance[name] for name in result.names)
    assert mended.survivors == ("Michaelis-Menten", "logarithm")
    assert mended.unstable == ("logarithm",)
    assert 0.6 < mended.stability["logarithm"] < 0.8


def test_no_page_cites_what_is_not_in_the_repository():
    for page in [*DOCS.glob("*.md"), DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md"]:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"method\.md|shared/", text), page.name


@pytest.mark.parametrize("page", ["start", "terminal"])
def test_commands_of_a_page_run(page):
    rng = np.random.default_rng(0)
    for kind in ("observed", "synthetic"):
        np.savetxt(f"{kind}.csv", rng.exponential([1.0, 1.5], (200, 2)), delimiter=",", header="A,B", comments="")
    rows = [f"{name},{kind},{loss}" for name in "AB" for kind in ("observed", "synthetic") for loss in rng.random(100)]
    Path("losses.csv").write_text("\n".join(["model,kind,loss", *rows]), encoding="utf-8")
    sessions = [f"{a},{b},{index % 4}" for index, (a, b) in enumerate(rng.random((200, 2)))]
    Path("sessions.csv").write_text("\n".join(["A,B,session", *sessions]), encoding="utf-8")
    commands = [line[2:] for block in blocks(DOCS / f"{page}.md", "console") for line in block.splitlines()]
    assert commands
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "rivals"
        found = CliRunner().invoke(cli.app, arguments)
        assert found.exit_code == 0, f"{command}: {found.output}"


def test_reference_lists_every_public_name():
    from rivals import calibration, plots, read, report

    text = (DOCS / "api.md").read_text(encoding="utf-8")
    for module in (rivals, calibration, plots, read, report):
        for name in module.__all__:
            is_package = isinstance(getattr(module, name), ModuleType)  # these have sections of their own
            assert name.startswith("__") or is_package or re.search(rf"^   {name}$", text, re.MULTILINE), (
                f"{module.__name__}.{name}"
            )


def test_readers_pictures_and_report_have_examples():
    from rivals import plots, read, report

    for module in (plots, read, report):
        for name in module.__all__:
            if not getattr(module, name).__module__.endswith(".calibration"):  # no study runs within an example
                assert ">>> " in getattr(module, name).__doc__, f"{module.__name__}.{name}"


def test_pages_point_to_pages_that_exist():
    for page in DOCS.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            if not target.startswith("auto_examples"):
                assert (DOCS / target).exists(), f"{page.name} points to {target}"
