"""`rivals reproduce`, as a command of its own."""

import json
import types

import pytest
import typer
from typer.testing import CliRunner

import rivals
from rivals_paper import registry
from rivals_paper.command import reproduce
from rivals_paper.output import Reproduction, comparison


@pytest.fixture
def run():
    app = typer.Typer()
    app.command()(reproduce)
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, [*arguments])


@pytest.fixture
def modules(monkeypatch):
    """Two modules, of which the first fails."""

    def fail(task):
        raise RuntimeError("no light")

    def succeed(task):
        rows = [
            comparison("B", variant="corrected", reference=float("inf"), source="paper", ours=0.5),
            comparison(
                "near",
                variant="as published",
                reference=0.4,
                source="paper",
                ours=0.5,
                standard_error=0.05,
            ),
            comparison(
                "far",
                variant="corrected",
                reference=0.1,
                source="paper",
                ours=0.5,
                standard_error=0.05,
                explanation="a sign",
            ),
            comparison(
                "farther",
                variant="corrected",
                reference=0.0,
                source="paper",
                ours=0.5,
                standard_error=0.05,
            ),
            comparison("as far", variant="corrected", reference=0.0, source="paper", ours=0.5),
        ]
        return Reproduction(None, rows, numbers={}, settings={"experiments": task.experiments})

    texts = {"READING": "in the dark", "DIFFERENCES": []}
    modules = {
        "dark": types.SimpleNamespace(NAME="dark", DESCRIPTION="fails", make=fail, **texts),
        "light": types.SimpleNamespace(NAME="light", DESCRIPTION="works", make=succeed, **texts),
    }
    monkeypatch.setattr(registry, "names", lambda: tuple(modules))
    monkeypatch.setattr(registry, "find", modules.__getitem__)


def test_list_names_everything(run):
    shown = run("--list")
    assert shown.exit_code == 0
    assert [line.split()[0] for line in shown.output.splitlines()] == list(registry.names())


def test_nothing_or_something_unknown_is_answered_with_the_names(run):
    for arguments in ((), ("figure 9",)):
        shown = run(*arguments)
        assert shown.exit_code == 2
        assert "criteria-table" in shown.output


def test_a_failure_does_not_keep_the_next_from_running(run, modules, tmp_path):
    shown = run("all", "--out", str(tmp_path))
    assert shown.exit_code == 2
    assert "RuntimeError: no light" in shown.output
    assert "B (corrected): paper inf, ours 0.5" in shown.output
    assert "Not reproduced: dark." in shown.output


def test_a_summary_counts_the_comparisons_of_each(run, modules, tmp_path):
    shown = run("all", "--out", str(tmp_path)).output
    assert "far (corrected): paper 0.1, ours 0.5, difference +0.4 = +8.0 SE; a sign" in shown
    lines = [
        line.split()
        for line in shown.splitlines()
        if line.split()[:1] in (["dark"], ["light"], ["all"])
    ]
    assert lines == [
        ["dark", "0", "failed"],
        ["light", "0", "5", "1", "1", "1", "2"],
        ["all", "0", "5", "1", "1", "1", "2"],
    ]
    # Only what is published, and computed as published, counts as agreement.
    by_source = [
        line.split()[-5:]
        for line in shown.splitlines()
        if line.startswith(("paper ", "our run of"))
    ]
    assert by_source == [["1", "1", "0", "0", "0"], ["0"] * 5]


def test_options_reach_the_module_and_what_it_writes(run, modules, tmp_path):
    shown = run("light", "--out", str(tmp_path), "--experiments", "3", "--seed", "7")
    assert shown.exit_code == 0, shown.output
    settings = json.loads((tmp_path / "light.json").read_text(encoding="utf-8"))["settings"]
    assert settings == {"rivals": rivals.__version__, "seed": 7, "experiments": 3}
