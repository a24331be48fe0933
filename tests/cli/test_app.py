"""The command itself: help, version, errors, exit status, and what is not imported."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytest.importorskip("typer")
pytest.importorskip("polars")

from rivals import __version__
from terminal import rivals, table, written

COMMANDS = ("demo", "compare", "plan", "gate", "summarise", "calibrate")


def test_version_and_help():
    assert rivals("--version").out == f"rivals {__version__}\n"
    listed = rivals("--help").out
    for command in COMMANDS:
        assert f"  {command} " in listed
        assert "Example: rivals" in rivals(command, "--help").out


def test_help_and_version_import_nothing_of_the_library():
    code = (
        "import sys; from rivals.cli.app import main; sys.argv = ['rivals', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'polars', 'scipy', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_a_command_that_is_not_there():
    run = rivals("compar", "losses.csv")
    assert run.status == 2
    assert "did you mean 'compare'" in run.err.lower()


@pytest.mark.parametrize(
    ("arguments", "code", "options"),
    [
        (("nowhere.csv",), "no-file", []),
        (("losses.csv", "--threshold", "2"), "wrong-value:threshold", ["--threshold"]),
        (("losses.csv", "--threshold", "x"), "usage:threshold", ["--threshold"]),
        (("losses.csv", "--treshold", "1"), "usage:treshold", ["--treshold"]),
        (("losses.csv", "--groups", "nobody"), "wrong-value:groups", ["--groups"]),
        ((), "usage", []),
    ],
)
def test_errors_are_one_sentence_or_json(tmp_path, monkeypatch, arguments, code, options):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, table(0.5))
    told = rivals("compare", *arguments)
    assert told.status == 2
    assert told.out == ""
    assert told.err.startswith("rivals: ")
    assert told.err.count("\n") == 1
    plain = rivals("compare", *arguments, "--json")
    assert plain.status == 2
    expected = {"error": told.err[8:-1], "code": code, "options": options, "exit_status": 2}
    assert json.loads(plain.out) == expected


def test_a_pipe_that_is_closed_is_no_error(tmp_path):
    path = written(tmp_path, table(0.5))
    command = f"{sys.executable} -m rivals compare {path} --groups school --json | head -c 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert (done.stdout, "Traceback" in done.stderr) == ("{", False)
