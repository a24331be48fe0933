"""The command `rivals`: its own commands, one file each, and those that other packages add."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rivals._version import __version__
from rivals.cli import commands
from rivals.cli.streams import check_stdout, printing, say, silence, spell_out_what_cannot_be_encoded


class Commands(TyperGroup):
    """Commands that are imported when they are needed."""

    def list_commands(self, ctx: Any) -> list[str]:
        return commands.names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return commands.load(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if not ctx.resilient_parsing and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(commands.what_to_do(args[0]))
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=Commands,
    help="Which of several fitted models would still be worth keeping if the experiment were repeated?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> None:
    """Run; an error that the user can correct is printed as one sentence, with exit code 2.

    A reader that stops early, as in `rivals … | head`, is not an error.
    """
    spell_out_what_cannot_be_encoded()
    try:
        check_stdout()
        raise SystemExit(_exit_code())
    except BrokenPipeError:
        silence(sys.stdout)
        raise SystemExit(0) from None
    except (ValueError, TypeError, OSError, ImportError, RuntimeError) as error:
        say(f"rivals: {error}")
        raise SystemExit(2) from None


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
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of `rivals` itself."""
