"""`rivals reproduce`, as a command of its own."""

import types

import pytest
import typer
from rivals_paper import registry
from rivals_paper.command import reproduce
from typer.testing import CliRunner


@pytest.fixture
def run():
    app = typer.Typer()
    app.command()(reproduce)
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, [*arguments])


@pytest.fixture
def modules(monkeypatch):
    """Two modules, of which the first fails."""

    def fail(out, *, experiments, rng, progress):
        raise RuntimeError("no light")

    def succeed(out, *, experiments, rng, progress):
        row = {"what": "B", "variant": "corrected", "published": "inf", "ours": 0.5, "standard_error": None}
        return {"comparisons": [row], "experiments": experiments, "seed": rng}

    found = {
        "dark": types.SimpleNamespace(NAME="dark", DESCRIPTION="fails", run=fail),
        "light": types.SimpleNamespace(NAME="light", DESCRIPTION="works", run=succeed),
    }
    monkeypatch.setattr(registry, "names", lambda: tuple(found))
    monkeypatch.setattr(registry, "find", found.__getitem__)


def test_list_names_everything(run):
    found = run("--list")
    assert found.exit_code == 0
    assert [line.split()[0] for line in found.output.splitlines()] == list(registry.names())


def test_nothing_or_something_unknown_is_answered_with_the_names(run):
    for arguments in ((), ("figure 9",)):
        found = run(*arguments)
        assert found.exit_code == 2
        assert "criteria-table" in found.output


def test_a_failure_does_not_keep_the_next_from_running(run, modules, tmp_path):
    found = run("all", "--out", str(tmp_path))
    assert found.exit_code == 2
    assert "RuntimeError: no light" in found.output
    assert "B (corrected): published inf, ours 0.5" in found.output
    assert "Not reproduced: dark." in found.output
