"""Commands that other packages add, by an entry point in the group `rivals.commands`: name = "module:function".

The function is written for typer, like those beside this file. Its module is imported when the command runs, or when
its line of help is shown.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

import typer

GROUP = "rivals.commands"

# What to say if a known command is not installed.
INSTALL = {
    "reproduce": "reproduce: the figures and tables of the paper are not installed; pip install rivals-paper, or "
    "`make paper` in a checkout of the repository"
}


def names() -> list[str]:
    """The added commands, in alphabetical order."""
    return sorted(entry_points(group=GROUP).names)


def load(name: str) -> Any:
    """The added command of this name; None if there is none."""
    for entry_point in entry_points(group=GROUP, name=name):
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        alone.command(name=name)(entry_point.load())
        return typer.main.get_command(alone)
    return None
