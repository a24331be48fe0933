"""The command line: the same names and defaults as the library. It needs the extra `cli`."""

import sys

from rivals._checks import need

__all__ = ["main"]


def main() -> None:
    """Run the command `rivals`, or say what to install for it."""
    try:
        for package in ("typer", "rich"):
            need(package, extra="cli", purpose="the command `rivals`")
    except ImportError as error:
        print(f"rivals: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    from rivals.cli.app import main as run

    run()
