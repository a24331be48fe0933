"""The command `rivals`: its own commands, one file each, and those that other packages add.

They add one by an entry point in the group `rivals.commands`: name = "module:function". The
function is written for typer, like those beside this file. Its module is imported when the command
runs; its line of help is read from its source.
"""

from __future__ import annotations

import ast
import sys
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from rivals._version import __version__
from rivals.cli.console import guarded

GROUP = "rivals.commands"
OWN = {
    name: EntryPoint(name, f"rivals.cli.{name}:{name}", GROUP)
    for name in ("demo", "compare", "plan", "gate", "summarise", "calibrate")
}
# What to say if a known command is not installed.
INSTALL = {
    "reproduce": "reproduce: the figures and tables of the paper are not installed; pip install "
    "rivals-paper, or `make paper` in a checkout of the repository"
}


class Commands(TyperGroup):
    """Commands that are imported when they are needed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Our own commands, then the added ones in alphabetical order."""
        return [*OWN, *sorted(entry_points(group=GROUP).names - set(OWN))]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name; None if there is none."""
        for entry_point in _entry_points(cmd_name):
            alone = typer.Typer(
                add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
            )
            alone.command(name=cmd_name)(entry_point.load())
            return typer.main.get_command(alone)
        return None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """A line for each command, from its docstring: what the commands need is not imported."""
        listed = {
            name: _with_help_alone(_entry_points(name)[0]) or self.get_command(ctx, name)
            for name in self.list_commands(ctx)
        }
        TyperGroup(commands=listed).format_commands(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command; of one that is not there, what to install, or what may have been meant."""
        name = args[0]
        known = self.list_commands(ctx)
        if not ctx.resilient_parsing and not name.startswith("-") and name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(INSTALL.get(name, f"there is no command {name!r}.{hint}"))
        return super().resolve_command(ctx, args)


def _entry_points(name: str) -> list[EntryPoint]:
    """Where the command of this name is. Others are looked for only if it is not our own."""
    return [OWN[name]] if name in OWN else list(entry_points(group=GROUP, name=name))


def _with_help_alone(entry_point: EntryPoint) -> TyperCommand | None:
    """A command that only knows its help, from its source; None where that does not define it."""
    spec = find_spec(entry_point.module)
    read = getattr(spec and spec.loader, "get_source", None)
    source = read(entry_point.module) if read else None
    for node in ast.parse(source or "").body:
        if isinstance(node, ast.FunctionDef) and node.name == entry_point.attr:
            return TyperCommand(entry_point.name, help=ast.get_docstring(node))
    return None


app = typer.Typer(
    cls=Commands,
    help="Which of several fitted models would win again if the study were repeated?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> None:
    """Run; the exit status is 2 after an error, which is told in one sentence."""
    raise SystemExit(guarded(lambda: app(standalone_mode=False), as_json="--json" in sys.argv))


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rivals {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Options of `rivals` itself."""
