"""The command `rivals`: its own commands, one file each, and those that other packages add.

They add one by an entry point in the group `rivals.commands`: name = "module:function". The
function is written for typer, like those beside this file. Its module is imported when the command
runs, or when its line of help is shown.
"""

from __future__ import annotations

import ast
import codecs
import os
import sys
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from rivals._version import __version__
from rivals.cli.console import printing, say, silence

GROUP = "rivals.commands"
OWN = {
    name: EntryPoint(name, f"rivals.cli.{name}:{name}", GROUP)
    for name in ("demo", "compare", "sweep", "plan", "calibrate")
}

# What to say if a known command is not installed.
INSTALL = {
    "reproduce": "reproduce: the figures and tables of the paper are not installed; pip install "
    "rivals-paper, or `make paper` in a checkout of the repository"
}

# Substitutes for our own symbols that an encoding does not have; anything else is escaped, as in
# messages.
PLAIN = {
    "…": "...",
    "±": "+-",
    "−": "-",
    "─": "-",
    "“": '"',
    "”": '"',
    "’": "'",
    "→": "->",
    "≤": "<=",
    "≥": ">=",
    "×": "x",
    "√": "sqrt ",
    "½": "1/2",
    "²": "^2",
    "·": "*",
    "µ": "u",
}


class Commands(TyperGroup):
    """Commands that are imported when they are needed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Our own commands, then the added ones in alphabetical order."""
        return [*OWN, *sorted(entry_points(group=GROUP).names - set(OWN))]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name; None if there is none."""
        for entry_point in self._entry_points(cmd_name):
            alone = typer.Typer(
                add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
            )
            alone.command(name=cmd_name)(entry_point.load())
            return typer.main.get_command(alone)
        return None

    def _entry_points(self, name: str) -> list[EntryPoint]:
        """Where the command of this name is. Others are looked for only if it is not our own."""
        return [OWN[name]] if name in OWN else list(entry_points(group=GROUP, name=name))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """A line for each command, from its docstring: what the commands need is not imported."""
        listed = {
            name: _with_help_alone(self._entry_points(name)[0]) or self.get_command(ctx, name)
            for name in self.list_commands(ctx)
        }
        TyperGroup(commands=listed).format_commands(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command; of one that is not there, what to install, or what may have been meant."""
        name = args[0]
        if (
            not ctx.resilient_parsing
            and not name.startswith("-")
            and self.get_command(ctx, name) is None
        ):
            near = get_close_matches(name, self.list_commands(ctx), n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(INSTALL.get(name, f"No such command {name!r}.{hint}"))
        return super().resolve_command(ctx, args)


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
    help="Which of several fitted models would still be worth keeping if the experiment were "
    "repeated?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> None:
    """Run; an error that the user can correct is printed as one sentence, with exit code 2.

    A reader that stops early, as in `rivals … | head`, is not an error.
    """
    if sys.stderr is None:  # as after `rivals … 2>&-`: remarks are not to mix with the result
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    _spell_out_what_cannot_be_encoded()
    try:
        if sys.stdout is None:  # as after `rivals … >&-`
            raise OSError(
                "standard output is closed: no result could be printed; send it to a file, or to "
                "/dev/null"
            )
        raise SystemExit(_exit_code())
    except BrokenPipeError:
        silence(sys.stdout)
        raise SystemExit(0) from None
    except (ValueError, TypeError, OSError, ImportError, RuntimeError) as error:
        say(f"rivals: {error}")
        raise SystemExit(2) from None


def _spell_out_what_cannot_be_encoded() -> None:
    """Let both streams write something readable instead of raising a codec error."""
    codecs.register_error("rivals", _spell_out)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="rivals")


def _spell_out(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(
        PLAIN.get(char, char.encode("ascii", "backslashreplace").decode()) for char in text
    ), error.end


def _exit_code() -> object:
    """Run to the end, and print everything."""
    try:
        app()
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # which click takes for a failure
            raise end.__context__ from None
        with printing():
            return end.code
    return 0


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
