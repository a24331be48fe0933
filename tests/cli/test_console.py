"""What is printed, on a terminal and into a pipe."""

from __future__ import annotations

import sys

import rivals
from rivals.cli import console
from rivals.read import long_table


def test_terminal_of_80_columns(folder, monkeypatch, capsys):
    """On a terminal the table fits, long names are cut, and there are no escapes, whatever NO_COLOR
    says.
    """
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    losses = long_table("long.tsv")
    losses["a name that goes on and on, well beyond what any terminal can show"] = losses["right"]
    result = rivals.compare(losses, rng=0)
    console.print_result(result)
    console.print_result(result.sweep([0.5, 1.0]))
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert "too [bold]wide" in text


def test_piped_output_is_plain(folder, run):
    assert "\x1b" not in run("compare", "long.tsv", "--seed", "0").stdout
