"""The commands: our own, and those that other packages add by an entry point in the group `rivals.commands`: name = "module:function".

The function is written for typer, like those beside this file. Its module is imported when the command runs, or when
its line of help is shown.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import typer

GROUP = "rivals.commands"
OWN = {name: EntryPoint(name, f"rivals.cli.{name}:{name}", GROUP) for name in ("demo", "compare", "sweep", "calibrate")}

# What to say if a known command is not installed.
INSTALL = {
    "reproduce": "reproduce: the figures and tables of the paper are not installed; pip install rivals-paper, or "
    "`make paper` in a checkout of the repository"
}


def what_to_do(name: str) -> str:
    """About a command that is not there: what to install, or what may have been meant."""
    near = get_close_matches(name, names(), n=1)
    return INSTALL.get(name, f"No such command {name!r}." + (f" Did you mean {near[0]!r}?" if near else ""))


def names() -> list[str]:
    """Our own commands, then the added ones in alphabetical order."""
    return [*OWN, *sorted(entry_points(group=GROUP).names - set(OWN))]


def load(name: str) -> Any:
    """The command of this name; None if there is none. Others are looked for only if it is not our own."""
    found = [OWN[name]] if name in OWN else entry_points(group=GROUP, name=name)
    for entry_point in found:
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        alone.command(name=name)(entry_point.load())
        return typer.main.get_command(alone)
    return None
