"""What is printed, on a terminal and into a pipe."""

from __future__ import annotations

import re

import rivals
from rivals.cli import console
from rivals.read import long_table


def test_terminal_of_80_columns(folder, monkeypatch, capsys):
    """On a terminal the table fits, long names wrap, and square brackets are no markup."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    losses = long_table("long.tsv")
    losses["a name that goes on and on, well beyond what any terminal can show"] = losses["right"]
    result = rivals.compare(losses, rng=0)
    console.print_comparison(result)
    console.print_sweep(result.sweep([0.5, 1.0]))
    text = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert max(map(len, text.splitlines())) <= 80
    assert "too [bold]wide" in text


def test_piped_output_is_plain(folder, run):
    assert "\x1b" not in run("compare", "long.tsv", "--seed", "0").stdout
